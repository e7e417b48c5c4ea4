"""Runs a script of scripts/ as a user would."""
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def run_script(name, *arguments, **options):
    """Exit code and all output of scripts/<name>."""
    done = subprocess.run([sys.executable, "-B", str(SCRIPTS / name), *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False, **options)
    return done.returncode, done.stdout
