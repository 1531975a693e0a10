#!/usr/bin/env python3
"""check_lines.py: what no tracked file may hold. Prints each find as path:line; exit status 1 when there is one.

No file of more than 500 lines unless tools/long_files.txt lists it; no unfinished-work marks; no path of one machine;
no host of a package registry; no link of a page to a file that is not there; in scripts, sources and pages no line of
more than 120 columns, no tab, no trailing blank. No lambda within a co_await expression, which GCC 12 breaks.
"""
import pathlib
import re
import subprocess
import sys

MAX_LINES, MAX_COLUMNS = 500, 120
OURS = re.compile(r"(\.(cpp|hpp|py|sh|cmake|md|yml)|(^|/)(dev|run|CMakeLists\.txt))$")
LOCK_FILES = re.compile(r"(^|/)Cargo\.lock$")  # written by a package manager, which names its registry in each row
CO_AWAIT_LAMBDA = re.compile(r"co_await[^;{}]*[(,]\s*\[[^\]]")  # GCC 12 destroys its captures twice
LINK = re.compile(r"\]\(([^)#:\s]+)[^)]*\)")
FORBIDDEN = [  # spelled so that this file does not hold what it forbids
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b"), "a mark of unfinished work"),
    (re.compile(r"(?<![\w./-])/(work|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(registry|proxy|repo1?|deb|security|static|files)\."
                r"(npm|yarn|golang|maven|debian|crates|python)\w*\."), "a host of a package registry"),
    (re.compile(r"\b(pypi|crates)\.(org|io)\b"), "a host of a package registry"),
]


def dead_links(path, line):
    """What the links of one line of a page point to in vain."""
    if path.endswith(".md"):
        for target in LINK.findall(line):
            if not (pathlib.Path(path).parent / target).exists():
                yield f"links to {target}, which is not there"


def finds_in(path, text, long_files):
    """(line, what) of each find in one file."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES and not any(path == listed or path.startswith(listed + "/") for listed in long_files):
        yield len(lines), f"more than {MAX_LINES} lines; split it, or list it in tools/long_files.txt with the reason"
    if path.endswith((".cpp", ".hpp")):
        for match in CO_AWAIT_LAMBDA.finditer(text):
            yield text.count("\n", 0, match.end()) + 1, "a lambda within a co_await expression; name it first"
    for number, line in enumerate(lines, 1):
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield number, what
        for what in dead_links(path, line):
            yield number, what
        if not OURS.search(path):
            continue
        if len(line) > MAX_COLUMNS and "http" not in line and not line.startswith("|"):
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"
        if "\t" in line or line != line.rstrip():
            yield number, "a tab or a trailing blank"


def long_files():
    """Paths of files and folders that may be long: the first word of each line of tools/long_files.txt."""
    listing = pathlib.Path("tools/long_files.txt")
    rows = listing.read_text().splitlines() if listing.exists() else []
    return {row.split()[0] for row in rows if row.strip() and not row.startswith("#")}


def main():
    listed = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    allowed, found = long_files(), 0
    for path in filter(lambda p: pathlib.Path(p).is_file() and not LOCK_FILES.search(p), listed):
        data = pathlib.Path(path).read_bytes()
        if b"\0" in data:
            continue
        for number, what in finds_in(path, data.decode("utf-8", "replace"), allowed):
            print(f"{path}:{number}: {what}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
