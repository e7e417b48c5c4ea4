"""Validates every file in configs/ against the JSON Schema, and checks that the schema refuses some that are wrong.

usage: validate_configs.py PRINT_JSON_SCHEMA CONFIGS
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2 numbers: PyYAML takes 1e5 for a string."""


Loader.yaml_implicit_resolvers = copy.deepcopy(yaml.SafeLoader.yaml_implicit_resolvers)
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$"),
    list("-+0123456789."),
)

schema = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failures = 0

files = sorted(pathlib.Path(sys.argv[2]).rglob("*.yaml"))
assert files, "no configurations found"
for file in files:
    for error in validator.iter_errors(yaml.load(file.read_text(), Loader)):
        print(f"{file}: {error.json_path}: {error.message}")
        failures += 1

GOOD = """
simulation: {duration: 1, time_step: 0.1}
bodies:
  - name: bar
    mesh: {box: {min: [0, 0, 0], max: [1, 1, 1], element_size: 1e-1}}
    material: {density: 1000, youngs_modulus: 1e5, poissons_ratio: 0.4}
    mass: lumped
    materials: [{group: core, material: {model: arap, density: 1, kappa: 7}}]
boundary_conditions:
  - {name: clamp, body: bar, where: {group: 5}, type: fixed, components: [x]}
  - {name: pull, body: bar, where: all, type: prescribed, velocity: [0, 0, 1]}
  - {name: push, body: bar, where: all, type: prescribed, displacement: [0, 0, "2*t"]}
  - {name: wind, body: bar, where: all, type: traction, value: [1, t, 0]}
  - {name: air, body: bar, where: all, type: pressure, value: 1e5}
  - {name: weight, body: bar, where: all, type: body_force, value: [0, 0, -9.8]}
output: {every: 2, probes: [{name: tip, body: bar, point: [1, 1, 1]}]}
"""
BAD = [  # (text in GOOD, what it becomes)
    ("duration: 1,", "duration: 0,"),
    ("duration: 1,", ""),
    ("duration: 1,", "duration: 1, durations: 1,"),
    ("name: bar\n", "title: bar\n"),
    ("box:", "sphere: {center: [0, 0, 0], radius: 1, element_size: 1}, box:"),
    ("element_size: 1e-1}}", "element_size: 1e-1}, element_size: 2}"),
    ("poissons_ratio: 0.4", "poissons_ratio: 0.5"),
    (", poissons_ratio: 0.4", ""),
    ("density: 1000, ", ""),
    (", poissons_ratio: 0.4", ", poissons_ratio: 0.4, lame_mu: 1"),
    ("kappa: 7", "kappa: 7, lame_mu: 1"),
    ("kappa: 7", "c10: 7"),
    ("poissons_ratio: 0.4", "poissons_ratio: 0.4, lame_lambda: 1"),
    ("group: core, ", ""),
    ("mass: lumped", "mass: heavy"),
    ("mass: lumped", "mass: {per_node: 0}"),
    ("type: fixed", "type: fixed, velocity: [0, 0, 0]"),
    (", velocity: [0, 0, 1]", ""),
    ("[0, 0, 1]", "[0, 0]"),
    ("[x]", "[x, x]"),
    ("where: all, type: prescribed, velocity", "where: {}, type: prescribed, velocity"),
    ("every: 2", "every: 2, every_seconds: 0.5"),
    ("every: 2", "every: 2.5"),
    ('displacement: [0, 0, "2*t"]', "components: [x]"),
    ('displacement: [0, 0, "2*t"]', "displacement: [0, 0, 1], velocity: [0, 0, 1]"),
    ('[0, 0, "2*t"]', "[0, 0, true]"),
    ("[1, t, 0]", "5"),
    ("[1, t, 0]", "[1, t]"),
    ("value: 1e5", "value: [0, 0, 1]"),
    (", value: 1e5", ""),
    ("value: 1e5", "value: 1e5, components: [x]"),
    ("type: fixed", "type: fixed, value: 1"),
    ("type: fixed", "type: fixed, ramp: true"),
    ("value: 1e5", "value: 1e5, ramp: 1"),
    ("time_step: 0.1", "time_step: 0.1, ramp: true"),
    ("name: weight", "name: the weight"),
    ("name: tip", "name: the tip"),
    (", point: [1, 1, 1]", ""),
]
for error in validator.iter_errors(yaml.load(GOOD, Loader)):
    print(f"refused but right: {error.json_path}: {error.message}")
    failures += 1
for old, new in BAD:
    assert GOOD.count(old) == 1 or old in ("[0, 0, 1]", "name: bar\n"), old
    if validator.is_valid(yaml.load(GOOD.replace(old, new, 1), Loader)):
        print(f"accepted but wrong: {new!r} for {old!r}")
        failures += 1

sys.exit(1 if failures else 0)
