#!/usr/bin/env python3
"""Checks the structure of the sources; prints each violation and exits 1 if there is one.

In src/: a file includes only its own folder and those before it in FOLDERS, as "folder/file.hpp"; its namespace is
limber::<folder>; kernels (math, materials, energies) reach no MPI, PETSc or CUDA header, not even through others.
Everywhere: no file over 600 lines (*.generated.hpp apart), no header without #pragma once, no include with "..".
"""
import argparse
import re
import sys
from pathlib import Path

FOLDERS = ["base", "math", "materials", "energies", "mesh", "dofs", "obstacles", "contact", "assembly", "integrators",
           "solvers", "output", "config", "app"]
KERNELS = {"math", "materials", "energies"}
NOT_IN_KERNELS = re.compile(r"^(mpi|petsc|cuda|cublas|cusparse|cusolver)\w*\.(h|hpp)$")
MAX_LINES = 600
CPP = {".hpp", ".cpp", ".cu", ".h"}
COUNTED = CPP | {".py", ".sh", ".cmake"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+limber((?:::\w+)*)\s*\{(.*)$")
FORWARD = re.compile(r"^\s*(?:(?:class|struct|enum class)\s+\w+\s*;\s*)+\}")


def includes(path):
    """(line number, '<' or '"', name) of each include."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            found.append((number, match[1], match[2]))
    return found


def check_text(path, name):
    """Rules that hold for every file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > MAX_LINES and not path.name.endswith(".generated.hpp"):
        yield f"{name}: {len(lines)} lines; the limit is {MAX_LINES}"
    if path.suffix in {".hpp", ".h"} and "#pragma once" not in lines:
        yield f"{name}: a header without #pragma once"
    if path.suffix in CPP:
        for number, _, target in includes(path):
            if ".." in Path(target).parts:
                yield f'{name}:{number}: includes "{target}"; write "folder/file.hpp"'


def check_includes(path, name, folder, src):
    """The order of the folders."""
    for number, quote, target in includes(path):
        first = target.split("/")[0] if "/" in target else ""
        if quote == "<":
            if first in FOLDERS and (src / target).is_file():
                yield f'{name}:{number}: includes <{target}>; write "{target}"'
        elif ".." in Path(target).parts:
            continue
        elif first not in FOLDERS:
            yield f'{name}:{number}: includes "{target}"; write "folder/file.hpp", and <> for libraries'
        elif FOLDERS.index(first) > FOLDERS.index(folder):
            yield f'{name}:{number}: includes "{target}", but {folder} comes before {first}'


def check_namespaces(path, name, folder):
    """limber::<folder>; base may also declare limber itself; others may be forward-declared on one line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not (match := NAMESPACE.match(line)):
            continue
        parts = match[1].split("::")[1:]
        if parts[:1] == [folder] or (not parts and folder == "base"):
            continue
        earlier = parts and parts[0] in FOLDERS and FOLDERS.index(parts[0]) < FOLDERS.index(folder)
        if not (earlier and FORWARD.match(match[2])):
            yield f"{name}:{number}: namespace limber{match[1]} in the folder {folder}"


def forbidden_in_kernels(path, src, seen):
    """The first chain of includes that ends at a header that kernels may not have, or None."""
    for _, quote, target in includes(path):
        if NOT_IN_KERNELS.match(target):
            return [target]
        header = src / target
        if quote == '"' and header not in seen and header.is_file():
            seen.add(header)
            if chain := forbidden_in_kernels(header, src, seen):
                return [target] + chain
    return None


def check(root):
    """All violations below root, as lines of text."""
    src = root / "src"
    violations = []
    for top in ("src", "tests", "scripts"):
        for path in sorted((root / top).rglob("*")):
            if not path.is_file() or path.suffix not in COUNTED:
                continue
            name = path.relative_to(root).as_posix()
            violations += check_text(path, name)
            if top != "src" or path.suffix not in CPP:
                continue
            parts = path.relative_to(src).parts
            if len(parts) < 2 or parts[0] not in FOLDERS:
                violations.append(f"{name}: not in one of the folders {' '.join(FOLDERS)}")
                continue
            violations += check_includes(path, name, parts[0], src)
            violations += check_namespaces(path, name, parts[0])
            if parts[0] in KERNELS and (chain := forbidden_in_kernels(path, src, set())):
                violations.append(f"{name}: a kernel reaches {' -> '.join(chain)}")
    return violations


def main():
    parser = argparse.ArgumentParser(description="Checks folder order, namespaces, lengths and kernels of the sources.")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    violations = check(parser.parse_args().root)
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
