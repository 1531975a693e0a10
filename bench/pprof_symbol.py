#!/usr/bin/env python3
"""pprof_symbol.py FILE [--library LIBSYMCACHED] [--count N]: how fast the symbol page names addresses of FILE.

FILE is an ELF file with symbols, such as a debug file. Addresses within N of its functions, chosen with a fixed seed,
are named by `addr2line -f -C -i`, which is what google-pprof runs for a file of its own machine; by the file's
symbol tables; and with --library by libsymcached, with files, lines and inlined calls. Of ours there are two figures:
of the first answer of a new process, and of the next. Runs take turns. Not part of `./dev bench`.
"""
import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = {"first": "first answer", "next": "next answer", "ready": "until the symcache is there"}
CHECKED = 200  # addresses whose names are compared
PROGRAM = ROOT / "build/release/bench_pprof_names"


def choose(path, count):
    out = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    code = sorted({(int(r[0], 16), int(r[1], 16)) for r in rows if len(r) == 4 and r[2] in "tTwW" and int(r[1], 16)})
    dice = random.Random(1)
    return [start + dice.randrange(size) for start, size in dice.choices(code, k=count)]


def addr2line(path, addresses, *options):
    text = "".join(f"{a:x}\n" for a in addresses)
    start = time.perf_counter()
    out = subprocess.run(["addr2line", "-e", path, "-f", *options], input=text, capture_output=True, text=True,
                         check=True).stdout
    return time.perf_counter() - start, out


def ours(path, addresses, *options):
    text = "".join(f"{a:x}\n" for a in addresses)
    run = subprocess.run([PROGRAM, path, *options], input=text, capture_output=True, text=True, check=True)
    return json.loads(run.stderr), run.stdout


def is_same(ours_said, theirs_said):
    """Debug information has neither the names of cold parts nor, often, the mangled ones of local functions; and it
    knows one of a constructor's names where the symbol table knows two."""
    plain = [re.sub(r"([CD])[123]E", r"\1E", name.split(".")[0]) for name in (ours_said, theirs_said)]
    return plain[0] == plain[1] or (not theirs_said.startswith("_Z") and theirs_said.split("<")[0] in ours_said)


def agreement(path, addresses, *options):
    """The share of addresses for which the function itself, not what was inlined there, is the one addr2line says."""
    theirs = [block.splitlines()[-2] for block in addr2line(path, addresses, "-i", "-a")[1].split("\n0x")]
    blocks = ours(path, addresses, *options)[1].split("\n\n")
    named = [block.split("\n")[-1].rsplit(" ", 1)[0] for block in blocks]
    return sum(map(is_same, named, theirs)) / len(addresses)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--library")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1, help="addr2line takes minutes for a large file")
    args = parser.parse_args()
    addresses = choose(args.file, args.count)
    kinds = {"symbol tables": []}
    if args.library:
        kinds["libsymcached, inlined calls"] = ["--library", args.library, "--inlines"]
    theirs, times = [], {kind: [] for kind in kinds}
    for _ in range(args.rounds):
        theirs.append(addr2line(args.file, addresses, "-C", "-i")[0])
        for kind, options in kinds.items():
            times[kind].append(ours(args.file, addresses, *options)[0])
    base = statistics.median(theirs)
    print(f"{len(addresses)} addresses of {args.file}, median of {args.rounds}\n")
    print(f"| what | s | times as fast |\n| --- | ---: | ---: |\n| addr2line -f -C -i | {base:.3f} | 1 |")
    for kind, all_times in times.items():
        for figure, said in FIGURES.items():
            if figure == "ready" and "libsymcached" not in kind:
                continue
            value = statistics.median(t[figure] for t in all_times)
            print(f"| {kind}: {said} | {value:.4f} | {base / value:.0f} |")
    some = addresses[:CHECKED]
    for kind, options in kinds.items():
        print(f"{kind}: {agreement(args.file, some, *options):.1%} of {len(some)} as addr2line names them")


if __name__ == "__main__":
    main()
