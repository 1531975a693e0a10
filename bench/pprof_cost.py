#!/usr/bin/env python3
"""pprof_cost.py BUILD [ROUNDS]: what the samplers of libsymcached_pprof cost a program.

Runs the work with and without each in turn and prints, of the CPU time of the whole process, the median ratio of runs
that followed each other, and the quartiles. Who is first changes, so that what else the machine does costs both the
same. ROUNDS is 41 if it is not given.
"""
import pathlib
import statistics
import subprocess
import sys

# what, the program and arguments without it, and with it
ROWS = [
    ("CPU profile at 100 Hz", ["linked", "compute"], ["linked", "compute", "cpu"]),
    ("the same while memory is allocated", ["linked", "allocate"], ["linked", "allocate", "cpu"]),
    ("malloc hook, index of a text", ["plain", "index"], ["hooked", "index"]),
    ("malloc hook, little but malloc", ["plain", "allocate"], ["hooked", "allocate"]),
    ("lock hook, off", ["plain", "pieces"], ["linked", "pieces"]),
    ("lock hook, off, threads wait a lot", ["plain", "share"], ["linked", "share"]),
    ("lock hook, measuring", ["plain", "pieces"], ["linked", "pieces", "contention"]),
    ("the same, threads wait a lot", ["plain", "share"], ["linked", "share", "contention"]),
    ("nothing: the noise", ["plain", "share"], ["plain", "share"]),
]


def seconds(build, command):
    program = pathlib.Path(build) / f"bench_pprof_{command[0]}"
    return float(subprocess.run([program, *command[1:]], check=True, capture_output=True, text=True).stdout)


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 41
    for what, without, given in ROWS:
        ratios = []
        for number in range(rounds):
            if number % 2:
                a, b = seconds(build, without), seconds(build, given)
            else:
                b, a = seconds(build, given), seconds(build, without)
            ratios.append(b / a)
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(f"{what:36} {middle:7.4f}  ({low:.4f} to {high:.4f})", flush=True)


main()
