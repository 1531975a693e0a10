#!/usr/bin/env python3
"""traces.py SYMCACHED [PROGRAM] [--lines N]: what symbolicating a large `perf script` costs, against other tools.

Makes a text shaped like that of `perf script`, with N lines of frames at addresses of PROGRAM (symcached itself when
none is given), and times `symbolicate`; then `addr2line -i` and `llvm-symbolizer` with the addresses of the same lines,
and with each address once. Not part of `./dev bench`: the text is made up.
"""
import argparse
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

DEPTH = 10  # frames of a stack
SEEN = 0.8  # of the frames, those at one of the addresses that most stacks share


def code_symbols(program):
    out = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    code = [row for row in rows if len(row) == 4 and row[2] in "tTwW" and int(row[1], 16)]
    return [(int(row[0], 16), int(row[1], 16)) for row in code]


def file_offset_bias(program):
    """What to take off a stated address for the offset in the file, for code."""
    out = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in words[6:8]:
            return int(words[2], 16) - int(words[1], 16)
    raise ValueError(f"{program}: no code")


def seconds(command, stdin):
    """Median of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        with open(stdin, "rb") as text:
            subprocess.run([str(part) for part in command], stdin=text, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def make_text(addresses, bias, program, path):
    with open(path, "w", encoding="utf-8") as out:
        for at in range(0, len(addresses), DEPTH):
            out.write(f"srv  6045 [001] 50078.{at:06}:     250000 cpu-clock:pppH: \n")
            for address in addresses[at:at + DEPTH]:
                out.write(f"\t{address - bias:16x} [unknown] ({program})\n")
            out.write("\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("symcached", type=pathlib.Path)
    arguments.add_argument("program", type=pathlib.Path, nargs="?")
    arguments.add_argument("--lines", type=int, default=100_000)
    options = arguments.parse_args()
    program = (options.program or options.symcached).resolve()
    chance = random.Random(1)
    symbols = code_symbols(program)
    hot = [start + chance.randrange(size) for start, size in chance.choices(symbols, k=1_000)]
    addresses = [chance.choice(hot) if chance.random() < SEEN else start + chance.randrange(size)
                 for start, size in chance.choices(symbols, k=options.lines)]
    with tempfile.TemporaryDirectory() as folder:
        text, every, once = (pathlib.Path(folder) / name for name in ("perf.txt", "every", "once"))
        make_text(addresses, file_offset_bias(program), program, text)
        every.write_text("".join(f"{address:#x}\n" for address in addresses))
        once.write_text("".join(f"{address:#x}\n" for address in sorted(set(addresses))))
        ours = seconds([options.symcached, "symbolicate", "-", "--symbols", program], text)
        print(f"{options.lines} frames, {len(set(addresses))} addresses, {program.stat().st_size >> 20} MB")
        print(f"symcached symbolicate       {ours:8.2f} s")
        for name, command in (("addr2line -i", ["addr2line", "-i", "-f", "-C", "-e", program]),
                              ("llvm-symbolizer", ["llvm-symbolizer-22", f"--obj={program}"])):
            if not shutil.which(command[0]):
                print(f"{name}: not installed")
                continue
            for what, asked in (("every frame", every), ("each address once", once)):
                theirs = seconds(command, asked)
                print(f"{name + ', ' + what:<36}{theirs:8.2f} s  {theirs / ours:6.1f} times ours")


if __name__ == "__main__":
    main()
