#!/usr/bin/env python3
"""Writes docs/configuration.md, the reference of all configuration keys, from what `limber schema` prints.

  reference.py [--program build/bin/limber] [--check]      --check: writes nothing; exits 1 where the file is outdated
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "configuration.md"
FACTS = re.compile(r"(.*?), (required|optional|one of the alternatives|default:? .*)", re.DOTALL)

INTRODUCTION = """# Configuration

<!-- Written by scripts/reference.py from src/config/schema.yaml: change that file, and run the script. -->

A configuration is a YAML file. Quantities are in SI units. Unknown keys are errors, and all errors are reported at
once, with line, key and what was expected. `limber check FILE` checks a configuration and its meshes without a run;
`--set path.to.key=value` changes a value on the command line (`--set bodies.bar.material.density=900`); the complete
configuration with all defaults is saved with the results. `limber schema` prints this reference as commented YAML,
and with `--format json-schema` as a JSON Schema, by which editors complete and check keys.

In the tables a dot leads into a map and `[]` into each entry of a list. A required key of an optional map is required
where the map is given. Keys marked *alternative* belong to a choice that the type of their map or list names.

## Expressions

An `expression` is a number or a text, `expression3` a list of three of them, for x, y and z:

    displacement: [0, 0, "0.1*sin(2*pi*t)"]

Names are `t`, the time [s], and `x`, `y`, `z`, the rest position [m], `pi` and `e`. There are `+ - * / ^`, comparisons
(`<`, `<=`, `==`, `!=`, …) that give 0 or 1, `&&`, `||`, and `condition ? a : b`. Functions: `sin`, `cos`, `tan`,
`asin`, `acos`, `atan`, `atan2(y, x)`, `sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh`, `exp`, `log` and `ln`
(natural), `log2`, `log10`, `sqrt`, `sign`, `abs`, `rint` (to the nearest whole number), `min`, `max`, `sum`, `avg` (of
any number of arguments), and `step(a)`, which is 0 for a < 0 and 1 otherwise. Decimals have a point. Quotes are needed
where YAML would read something else: a comma within a list, `: ` or a leading `*`.
"""


def read_keys(text):
    """The keys of the commented YAML: (path, [(facts, meaning)...]); [] in a path is an entry of a list."""
    keys, comments, parents = [], [], []  # parents: (indentation, path)
    for line in text.splitlines():
        content = line.strip()
        indent = len(line) - len(line.lstrip())
        while parents and parents[-1][0] >= indent and content != "-":
            parents.pop()
        if content.startswith("#"):
            comments.append(content[1:].strip())
        elif content == "-":
            parents[-1] = (parents[-1][0], parents[-1][1] + "[]")
        elif content:
            path = (parents[-1][1] + "." if parents else "") + content.split(":")[0]
            definitions = [(facts[1:-1], meaning) for meaning, facts in zip(comments, comments[1:])
                           if facts.startswith("(") and facts.endswith(")")]
            if not definitions:
                raise ValueError(f"no description of {path}")
            keys.append((path, definitions))
            parents.append((indent, path))
            comments = []
    return keys


def split(path, facts):
    """Type and default of "number [s], above 0, default 1", for a table."""
    match = FACTS.fullmatch(facts)
    if not match:
        raise ValueError(f"cannot read the facts of {path}: {facts}")
    kind, default = match.groups()
    if default.startswith("default: "):
        return kind, default.removeprefix("default: ")
    if default.startswith("default "):
        return kind, "`" + default.removeprefix("default ") + "`"
    return kind, {"required": "**required**", "optional": "", "one of the alternatives": "*alternative*"}[default]


def row(path, facts, meaning):
    """A table row."""
    cells = [f"`{path}`", *split(path, facts), meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def page(text):
    """The whole page."""
    parts, section = [INTRODUCTION], ""
    for path, definitions in read_keys(text):
        if "." not in path:
            section = path
            facts, meaning = definitions[0]
            kind, default = split(path, facts)
            lead = ", default " if default.startswith("`") else ", " if default else ""
            parts.append(f"\n## {path}\n\n{meaning} Type: {kind}{lead}{default}.\n\n"
                         "| key | type, unit | default | meaning |\n|---|---|---|---|\n")
            continue
        inner = re.sub(rf"^{section}(\[\])?\.", "", path)
        parts += [row(inner, facts, meaning) for facts, meaning in definitions]
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description="Writes docs/configuration.md from what `limber schema` prints.")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "bin" / "limber", help="the built limber")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the file is outdated")
    arguments = parser.parse_args()
    try:
        printed = subprocess.run([arguments.program, "schema", "--format", "yaml-doc"], check=True,
                                 capture_output=True, encoding="utf-8").stdout
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"reference.py: {arguments.program} prints no schema: {error}; build limber, or name it by --program",
              file=sys.stderr)
        return 2
    text = page(printed)
    if not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/configuration.md is not what the schema says; run scripts/reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
