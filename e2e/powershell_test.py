#!/usr/bin/env python3
"""The scripts for Windows, read by a parser of PowerShell: there is none here that would run them.

Usage: e2e/powershell_test.py PATH_TO_SYMCACHED
"""
import subprocess
import sys
import tempfile

import program

SCRIPTS = sorted(program.ROOT.glob("contrib/*.ps1"))
GRAMMAR = program.ROOT / "build/powershell"
FINDER = program.ROOT / "e2e/find_syntax_errors.cjs"


def errors_in(files):
    done = subprocess.run(["node", FINDER, GRAMMAR, *files], capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.split()


def main():
    subprocess.run([program.ROOT / "tools/powershell_grammar.sh"], check=True)
    assert SCRIPTS and errors_in(SCRIPTS) == [], errors_in(SCRIPTS)
    for script in SCRIPTS:
        text = script.read_bytes()
        assert text.isascii(), f"{script}: PowerShell 5.1 does not read UTF-8 without a mark"
        with tempfile.NamedTemporaryFile(suffix=".ps1") as broken:
            broken.write(text[:text.rindex(b"}")])
            broken.flush()
            assert errors_in([broken.name]), "a script that is cut is found out"


if __name__ == "__main__":
    main()
