#!/usr/bin/env python3
"""check_layers.py: reads the includes of every source file, draws the map of the folders, fails on a wrong arrow.

Rules: an include points to a lower row; the pure side never includes the stateful side; neighbours in a row do not
know each other; every folder with code is on the map and has a README.md; no file has the name of a folder beside it
as its prefix; docs/architecture.md has the same map. Tests may also include testing/.
Exit status: 0 the code follows the map, 1 it does not.
"""
import pathlib
import re
import subprocess
import sys

PURE, SHARED, STATEFUL = "pure", "shared", "stateful"

# folder: (row, side). Shared folders stand in the middle of the map; both sides may include the low ones. The wings of
# a house have rows between whole ones: what several of them share below, the front door above.
MAP = {
    "app": (7, SHARED), "tools": (7, SHARED), "web": (7, SHARED),
    "config": (6.5, SHARED), "library": (6.1, SHARED), "api": (6.1, SHARED),
    "api/symcache": (6, SHARED), "api/admin": (6, SHARED), "api/transcode": (6, SHARED),
    "api/symbolicator": (6, SHARED), "api/proxy": (6, SHARED),
    "service": (5, SHARED), "auth": (5, STATEFUL), "client": (5, STATEFUL),
    "traces/local": (4.6, SHARED), "traces/remote": (4.6, STATEFUL), "traces": (4.5, PURE), "stacks": (4.5, PURE),
    "symbolize": (4.4, SHARED),
    "object": (4.3, PURE),
    "object/elf": (4.2, PURE), "object/macho": (4.2, PURE), "object/packed": (4.2, PURE), "object/pdb": (4.2, PURE),
    "object/pe": (4.2, PURE), "object/wasm": (4.2, PURE),
    "object/dwarf": (4.1, PURE), "object/go": (4.1, PURE), "object/managed": (4.1, PURE), "object/text": (4.1, PURE),
    "object/common": (4, PURE), "unwind": (4, PURE), "fetch": (4, STATEFUL), "worker": (4, STATEFUL),
    "transcode": (4, STATEFUL),
    "formats/elf": (3, PURE), "formats/dwarf": (3, PURE), "formats/macho": (3, PURE), "formats/pe": (3, PURE),
    "formats/pdb": (3, PURE), "formats/ppdb": (3, PURE), "formats/breakpad": (3, PURE), "formats/wasm": (3, PURE),
    "formats/go": (3, PURE), "formats/ar": (3, PURE), "formats/sourcemap": (3, PURE),
    "symcache": (3, PURE), "ppdbcache": (3, PURE), "sourcecache": (3, PURE), "cfi": (3, PURE),
    "sources": (3, PURE), "wpt": (3.1, PURE),
    "store": (3, STATEFUL),
    "model": (2, PURE), "demangle": (2, PURE), "net": (2, STATEFUL),
    "ids": (1, SHARED),
    "profiling/preload": (0.7, SHARED), "profiling": (0.6, SHARED), "profiling/malloc_hook": (0.6, SHARED),
    "profiling/sampling": (0.5, SHARED), "profiling/naming": (0.5, SHARED),
    "profiling/unwinding": (0.4, SHARED),
    "base": (0, SHARED),
}
# Code about the product, outside the map: these may include any folder, and only tests may include testing/.
AROUND = {"testing", "e2e", "bench", "examples", "include"}

CODE = re.compile(r"\.(cpp|hpp)$")
TEST = re.compile(r"_(test|fuzz|bench)\.cpp$")
PAGE = "docs/architecture.md"
PAGE_ROW = re.compile(r"^\| `([^`]+)/` \| ([\d.]+) \| (\w+) \|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def folder_of(path):
    """The folder that a file lies in; all of testing/, e2e/ and bench/ is one."""
    folder = str(pathlib.PurePosixPath(path).parent)
    top = folder.split("/")[0]
    return top if top in AROUND else folder


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


def misplaced(path, folders):
    """The folder that a file is named for, when that lies beside the file or beside its own folder; else None.

    object/elf_plt.cpp and object/dwarf/elf_plt.cpp belong in object/elf/; service/worker_jobs.cpp may stay where it is.
    """
    here = pathlib.PurePosixPath(path).parent
    words = pathlib.PurePosixPath(path).stem.split("_")
    for count in range(1, len(words) + 1):
        for house in [here, here.parent] if len(here.parts) > 1 else [here]:
            folder = str(house / "_".join(words[:count]))
            if folder in folders and folder != str(here):
                return folder
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
    folders = {str(pathlib.PurePosixPath(path).parent) for path in code}
    for path, text in sorted(code.items()):
        if belongs := misplaced(path, folders):
            faults.append(f"{path}: its name says that it belongs in {belongs}/")
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


def page_faults(page, files):
    """What the page's map says otherwise than MAP, of the folders that have code."""
    present = {folder_of(path) for path in files if CODE.search(path)}
    wanted = {folder: place for folder, place in MAP.items() if folder in present}
    said = {folder: (float(row), side) for folder, row, side in PAGE_ROW.findall(page)}
    for folder in sorted(wanted.keys() | said.keys()):
        if folder not in said:
            yield f"{PAGE}: {folder}/ is missing"
        elif folder not in wanted:
            yield f"{PAGE}: {folder}/ is not on the map, or has no code"
        elif said[folder] != wanted[folder]:
            yield f"{PAGE}: {folder}/ is in row {wanted[folder][0]}, {wanted[folder][1]}"


def draw(files, arrows):
    """The map with the folders that have code, then who includes whom."""
    present = {folder_of(path) for path in files if CODE.search(path)}
    sides = (PURE, SHARED, STATEFUL)
    rows = {row: [" ".join(f for f, place in MAP.items() if place == (row, side) and f in present) for side in sides]
            for row in sorted({row for row, _ in MAP.values()}, reverse=True)}
    left, middle = (max(12, *(len(cells[i]) for cells in rows.values())) + 4 for i in (0, 1))
    lines = [f"row  {'pure':{left + middle}}stateful"]
    lines += [f"{row:3}  {a:{left}}{b:{middle}}{c}".rstrip() for row, (a, b, c) in rows.items() if a or b or c]
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
    faults += page_faults(pathlib.Path(PAGE).read_text(), files)
    print(draw(files, arrows))
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
