#!/usr/bin/env python3
"""portable_pdb_test.py PROGRAM [FILE...]: does our reader of Portable PDBs say what the one in Python says?

Compares ppdb_points, which is built beside the program, with portable_pdb_oracle.py for the stored files (and with what
.NET said of them), or for each FILE given.
"""
import pathlib
import subprocess
import sys

import portable_pdb_oracle

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "shared/corpus/dotnet"  # files of others, where they are there
STORED = pathlib.Path(__file__).resolve().parent.parent / "testing" / "dotnet"
STORED_FILES = ("debug/Traces.pdb", "release/Traces.pdb", "sources/Traces.pdb", "embedded/Traces.dll")


def first_difference(ours, theirs):
    pairs = enumerate(zip(ours.splitlines() + ["(end)"], theirs.splitlines() + ["(end)"]), 1)
    return next((f"line {i}: {a!r}, not {b!r}" for i, (a, b) in pairs if a != b), None)


def compare(reader, path):
    ours = subprocess.run([reader, path], capture_output=True, check=True).stdout.decode()
    theirs = portable_pdb_oracle.text_of(path.read_bytes())
    points = ours.count("\npoint\t")
    difference = first_difference(ours, theirs)
    if difference is None and path.is_relative_to(STORED):
        difference = first_difference(ours, (path.parent / "points.tsv").read_text())
    print(f"{path.parent.name}/{path.name}: {points} points, {difference or 'equal'}")
    return difference is None and points > 0


def main():
    reader = pathlib.Path(sys.argv[1]).parent / "ppdb_points"
    files = [pathlib.Path(name) for name in sys.argv[2:]]
    if not files:
        files = [STORED / name for name in STORED_FILES]
        if not CORPUS.is_dir():
            print("SKIPPED files of others: no corpus beside the checkout")
        files += sorted(CORPUS.glob("*.pdb")) + sorted(CORPUS.glob("*embedded*.dll"))
    results = [compare(reader, path) for path in files]
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
