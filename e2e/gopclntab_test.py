#!/usr/bin/env python3
"""gopclntab_test.py SYMCACHED: stripped Go programs, whose own table of functions has to do in place of DWARF.

Builds e2e/go_program for several systems and processors, with debug information and without (`-s -w`): the code is the
same. What is said of the second at the start of every function and at random addresses in it is compared with
llvm-symbolizer on the first, frame by frame, and with `go tool addr2line`. --only TEXT looks at the rows whose name
holds TEXT, --count N takes N random addresses of each function, and --keep DIR keeps what was built.
`gopclntab_test.py SYMCACHED STRIPPED WITH_DWARF` compares two programs.
"""
import argparse
import bisect
import collections
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import symbolizers

OLDEST = (1, 21)  # DWARF of older releases is no oracle: inlined calls in wrappers, call lines behind //line
TOOLS = ("go", "llvm-symbolizer-22", "llvm-nm-22", "llvm-strip-22")
SOURCE = pathlib.Path(__file__).resolve().parent / "go_program"
NO_DWARF, PLAIN_DWARF = "-ldflags=-s -w", "-ldflags=-compressdwarf=false"


@dataclasses.dataclass
class Row:
    name: str
    system: str
    processor: str
    options: tuple = ()
    stripped_later: bool = False  # by strip, not by Go's linker


ROWS = [
    Row("linux amd64", "linux", "amd64"),
    Row("linux amd64, strip", "linux", "amd64", (), True),
    Row("linux amd64 pie", "linux", "amd64", ("-buildmode=pie",)),
    Row("linux amd64 trimpath", "linux", "amd64", ("-trimpath",)),
    Row("linux arm64", "linux", "arm64"),
    Row("linux 386", "linux", "386"),
    Row("linux s390x, big-endian", "linux", "s390x"),
    Row("windows amd64", "windows", "amd64"),
    Row("darwin arm64", "darwin", "arm64"),
]

# Classes of differences that are DWARF's; docs/oracles.md explains them.
KNOWN = {
    "nothing": "on either side: padding between functions",
    "padding": "nothing here, a name without a line there",
    "no line in DWARF": "rows of line 0 in code that the compiler generates",
    "the linker's own": "what no compiler made, such as go:buildid",
}


def go(*arguments, **settings):
    environment = {"GOTOOLCHAIN": "local", **os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", **settings}
    if "HOME" not in environment and "GOCACHE" not in environment:
        environment["GOCACHE"] = tempfile.gettempdir() + "/go-build"
    done = subprocess.run(["go", *map(str, arguments)], cwd=SOURCE, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"go {' '.join(map(str, arguments))}: {done.stderr.strip()[-500:]}")
    return done.stdout


def build(row, folder):
    """(stripped, with debug information)"""
    target = {"GOOS": row.system, "GOARCH": row.processor}
    whole, stripped = folder / "whole", folder / "stripped"
    go("build", *row.options, PLAIN_DWARF, "-o", whole, ".", **target)
    if row.stripped_later:
        subprocess.run(["llvm-strip-22", "-o", stripped, whole], check=True)
    else:
        go("build", *row.options, NO_DWARF, "-o", stripped, ".", **target)
    return stripped, whole


def go_code(path):
    """Starts of the functions that Go's linker laid out, and the end of the last."""
    listed = subprocess.run(["llvm-nm-22", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    symbols = [(int(line[:16].split()[0], 16), line.split()[-1]) for line in listed.splitlines()]
    first = next(address for address, name in symbols if name in ("runtime.text", "_runtime.text"))
    last = next(address for address, name in symbols if name in ("runtime.etext", "_runtime.etext"))
    return sorted({address for address, _ in symbols if first <= address < last}) + [last]


def addresses_in(path, count):
    code, chance = go_code(path), random.Random(7)
    return sorted({at for start, end in zip(code, code[1:])
                   for at in [start, *(chance.randrange(start, end) for _ in range(count))]})


def spelled(name):
    """As Go's tables have it: DWARF marks assembly's calling convention and spells a dot of local types otherwise."""
    return re.sub(r"\.abi(0|internal)$", "", name).replace("\u00b7", ".")


def frames_of(answer):
    return [(spelled(frame.function), frame.file, frame.line) for frame in answer]


def class_of(ours, theirs):
    """The class of a difference, or equal."""
    if ours == theirs:
        return "equal" if ours else "nothing"
    names, other_names = ([frame[0] for frame in frames] for frames in (ours, theirs))
    if not ours:
        return "padding" if all(line == 0 for _, _, line in theirs) else "nothing here"
    if re.match("go[:.]", ours[0][0]) and all(line == 0 for _, _, line in theirs):
        return "the linker's own"
    if not theirs:
        return "nothing there"
    if names == other_names and theirs[0][2] == 0:
        return "no line in DWARF"
    if names == other_names:
        return "place"
    return "frames" if len(names) != len(other_names) else "name"


def addr2line_of(path, addresses):
    """(function, file, line) of each: the innermost place, in the function that was not inlined."""
    told = subprocess.run(["go", "tool", "addr2line", path], input="".join(f"{at:#x}\n" for at in addresses),
                          capture_output=True, text=True, check=True,
                          env={"GOTOOLCHAIN": "local", **os.environ}).stdout.splitlines()
    for function, place in zip(told[::2], told[1::2]):
        file, _, line = place.rpartition(":")
        yield spelled(function), symbolizers.clean_path(file), int(line) if line.isdigit() else 0


def compare_with_llvm(addresses, answers, whole):
    counts, examples = collections.Counter(), {}
    for address, ours, theirs in zip(addresses, map(frames_of, answers),
                                     map(frames_of, symbolizers.ask_llvm(whole, addresses))):
        kind = class_of(ours, theirs)
        counts[kind] += 1
        examples.setdefault(kind, []).append(f"{address:#x}\n      ours {ours}\n      LLVM {theirs}")
    return counts, examples


def compare_with_go(addresses, answers, whole):
    counts, examples = collections.Counter(), {}
    for address, ours, theirs in zip(addresses, map(frames_of, answers), addr2line_of(whole, addresses)):
        mine = (ours[-1][0], *ours[0][1:]) if ours else ("", "", 0)
        if mine == theirs:
            kind = "equal"
        elif not mine[2] and not theirs[2]:
            kind = "no line" if ours else "nothing"
        elif mine[0] == theirs[0] and re.match("go[:.]", mine[0]) and not mine[2]:
            kind = "the linker's own"
        else:
            kind = "differ"
        counts[kind] += 1
        examples.setdefault(kind, []).append(f"{address:#x}\n      ours {mine}\n      go   {theirs}")
    return counts, examples


def check(symcached, name, stripped, whole, count):
    """The number of things that are wrong."""
    wrong = []
    features = json.loads(subprocess.run([symcached, "inspect", "--json", stripped], capture_output=True, text=True,
                                         check=True).stdout)
    if "gopclntab" not in json.dumps(features) or '"dwarf"' in json.dumps(features):
        wrong.append(f"inspect says {features}")
    addresses = addresses_in(whole, count)
    answers = symbolizers.ask_symcached(symcached, stripped, addresses)
    inlined = sum(len(frames) > 1 for frames in answers)
    if not inlined:
        wrong.append("no call is inlined")
    for other, (counts, examples) in (("LLVM", compare_with_llvm(addresses, answers, whole)),
                                      ("go tool addr2line", compare_with_go(addresses, answers, whole))):
        print(f"{name}: {len(addresses)} addresses, {inlined} with inlined calls, {other}: "
              + ", ".join(f"{kind} {number}" for kind, number in counts.most_common()))
        for kind, shown in examples.items():
            if kind not in ("equal", "no line", *KNOWN):
                wrong += [f"{other}: {kind} {one}" for one in shown[:4]]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([symcached, "convert", stripped, "-o", scratch], check=True, capture_output=True)
        cache = pathlib.Path(scratch) / f"{stripped.name}.symcache"
        some = addresses[::len(addresses) // 100]
        base = symbolizers.image_base(stripped)
        from_cache = symbolizers.ask([symcached, "lookup", cache, "--json", "--no-demangle"],
                                     [address - base for address in some])
        if from_cache != [answers[bisect.bisect_left(addresses, address)] for address in some]:
            wrong.append("the converted cache answers otherwise")
    for line in wrong:
        print(f"WRONG {name}: {line}")
    return len(wrong)


def check_rows(symcached, rows, count, folder):
    wrong = 0
    for row in rows:
        place = folder / re.sub(r"[^\w-]+", "_", row.name)
        place.mkdir(parents=True, exist_ok=True)
        wrong += check(symcached, row.name, *build(row, place), count)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcached", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/packages.txt, group test)")
        return 77
    symcached = options.symcached.absolute()
    if options.files:
        stripped, whole = options.files
        return 1 if check(symcached, stripped.name, stripped, whole, options.count) else 0
    version = go("version").strip()
    if tuple(map(int, re.search(r"go(\d+)\.(\d+)", version).groups())) < OLDEST:
        print(f"skipped: {version} is too old")
        return 77
    print(version)
    rows = [row for row in ROWS if options.only in row.name]
    if options.keep:
        return 1 if check_rows(symcached, rows, options.count, options.keep.resolve()) else 0
    with tempfile.TemporaryDirectory() as scratch:
        return 1 if check_rows(symcached, rows, options.count, pathlib.Path(scratch)) else 0


if __name__ == "__main__":
    sys.exit(main())
