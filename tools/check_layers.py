#!/usr/bin/env python3
"""check_layers.py: reads the includes of every source file, draws the map of the folders, fails on a wrong arrow.

Rules: an include points to a lower row; the pure side never includes the stateful side; neighbours in a row do not
know each other; every folder with code is on the map and has a README.md. Tests may also include testing/.
Exit status: 0 the code follows the map, 1 it does not.
"""
import pathlib
import re
import subprocess
import sys

PURE, SHARED, STATEFUL = "pure", "shared", "stateful"

# folder: (row, side). Shared folders stand in the middle of the map; both sides may include the low ones.
MAP = {
    "app": (7, SHARED), "tools": (7, SHARED), "web": (7, SHARED),
    "api": (6, SHARED),
    "service": (5, SHARED),
    "symbolize": (4.5, SHARED),
    "object": (4, PURE), "unwind": (4, PURE), "fetch": (4, STATEFUL), "worker": (4, STATEFUL),
    "formats/elf": (3, PURE), "formats/dwarf": (3, PURE), "formats/macho": (3, PURE), "formats/pe": (3, PURE),
    "formats/pdb": (3, PURE), "formats/ppdb": (3, PURE), "formats/breakpad": (3, PURE), "formats/wasm": (3, PURE),
    "symcache": (3, PURE), "ppdbcache": (3, PURE), "cfi": (3, PURE), "sources": (3, PURE),
    "store": (3, STATEFUL),
    "model": (2, PURE), "demangle": (2, PURE), "net": (2, STATEFUL),
    "ids": (1, SHARED), "profiling": (1, SHARED),
    "base": (0, SHARED),
}
# Code about the product, outside the map: these may include any folder, and only tests may include testing/.
AROUND = {"testing", "e2e", "bench"}

CODE = re.compile(r"\.(cpp|hpp)$")
TEST = re.compile(r"_(test|fuzz|bench)\.cpp$")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def folder_of(path):
    """The folder on the map that a path belongs to: the longest one that it starts with, else its first part."""
    parts = pathlib.PurePosixPath(path).parts
    two = "/".join(parts[:2])
    return two if two in MAP or (parts[0] == "formats" and len(parts) > 2) else parts[0]


def fault(path, target):
    """Why the file `path` must not include the folder `target`; None when it may."""
    source = folder_of(path)
    if target == "testing":
        return None if TEST.search(path) or source in AROUND else "only tests include testing/"
    if source == target or source in AROUND:
        return None
    if target in AROUND:
        return f"nothing includes {target}/"
    (row, side), (target_row, target_side) = MAP[source], MAP[target]
    if side == PURE and target_side == STATEFUL:
        return "the pure side never includes the stateful side"
    if target_row > row:
        return f"upward: row {row} includes row {target_row}"
    if target_row == row:
        return f"sideways: both are in row {row}"
    return None


def known(folder):
    return folder in MAP or folder in AROUND


def check(files):
    """files: path -> text of every tracked file. Returns (arrows, faults): folder pairs, and lines that say what."""
    arrows, faults = set(), []
    code = {path: text for path, text in files.items() if CODE.search(path)}
    for folder in sorted({folder_of(path) for path in code}):
        if not known(folder):
            faults.append(f"{folder}/: not on the map; give it a row and a side in tools/check_layers.py")
        if f"{folder}/README.md" not in files:
            faults.append(f"{folder}/: has code and no README.md")
    for path, text in sorted(code.items()):
        if not known(folder_of(path)):
            continue
        for included in INCLUDE.findall(text):
            target = folder_of(included)
            if not known(target):
                faults.append(f'{path}: "{included}": not on the map; includes are written from the root')
                continue
            if why := fault(path, target):
                faults.append(f'{path}: "{included}": {why}')
            if folder_of(path) != target:
                arrows.add((folder_of(path), target))
    return arrows, faults


def draw(files, arrows):
    """The map with the folders that have code, then who includes whom."""
    present = {folder_of(path) for path in files if CODE.search(path)}
    sides = (PURE, SHARED, STATEFUL)
    rows = {row: [" ".join(f for f, place in MAP.items() if place == (row, side) and f in present) for side in sides]
            for row in range(7, -1, -1)}
    left, middle = (max(12, *(len(cells[i]) for cells in rows.values())) + 4 for i in (0, 1))
    lines = [f"row  {'pure':{left + middle}}stateful"]
    lines += [f"  {row}  {a:{left}}{b:{middle}}{c}".rstrip() for row, (a, b, c) in rows.items()]
    lines.append("")
    for source in sorted({source for source, _ in arrows}, key=lambda f: (-MAP.get(f, (8,))[0], f)):
        targets = sorted(target for origin, target in arrows if origin == source)
        lines.append(f"  {source:16} -> {' '.join(targets)}")
    return "\n".join(lines)


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    paths = [path for path in listed if pathlib.Path(path).is_file()]
    return {path: pathlib.Path(path).read_text() if CODE.search(path) else "" for path in paths}


def main():
    files = tracked_files()
    arrows, faults = check(files)
    print(draw(files, arrows))
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
