#!/usr/bin/env python3
"""pprof_cost.py BUILD [ROUNDS [TEXT]]: what the samplers of libsymcached_pprof cost a program.

Runs the work with and without each in turn and prints, of the CPU time of the whole process, the median ratio of runs
that followed each other, and the quartiles. Who is first changes, so that what else the machine does costs both the
same. ROUNDS is 41 if it is not given; with TEXT, only rows that have it in their name are measured.

All runs have the same two CPUs. Two threads that fight for a lock take anything from half to twice as long each time:
hence the row that compares a program with itself, and the row of such threads on one CPU, where they meet only when
one is interrupted. Where valgrind is installed, the last part counts instructions, which are the same every time.
"""
import os
import pathlib
import re
import shutil
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
    ("lock hook, off, nothing but locks", ["plain", "locks"], ["linked", "locks"]),
    ("lock hook, off, threads wait a lot", ["plain", "share"], ["linked", "share"]),
    ("the same on one CPU", ["plain", "share", "", "one"], ["linked", "share", "", "one"]),
    ("lock hook, measuring", ["plain", "pieces"], ["linked", "pieces", "contention"]),
    ("the same, threads wait a lot", ["plain", "share"], ["linked", "share", "contention"]),
    ("nothing: the noise", ["plain", "share"], ["plain", "share"]),
]
# the same of instructions: what, the work
COUNTED = {"instructions, nothing but locks": "locks", "instructions, locks hardly ever taken": "pieces"}


def command_of(build, command):
    return [pathlib.Path(build) / f"bench_pprof_{command[0]}", *command[1:3]]


def seconds(build, command):
    cpus = sorted(os.sched_getaffinity(0))[:1 if command[3:] else 2]
    pin = lambda: os.sched_setaffinity(0, cpus)
    done = subprocess.run(command_of(build, command), check=True, capture_output=True, text=True, preexec_fn=pin)
    return float(done.stdout)


def instructions(build, command):
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}"]
    done = subprocess.run([*counting, *command_of(build, command)], check=True, capture_output=True, text=True)
    return int(re.search(r"I +refs: +([\d,]+)", done.stderr)[1].replace(",", ""))


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 41
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    for what, without, given in ROWS:
        if wanted not in what:
            continue
        ratios = []
        for number in range(rounds):
            if number % 2:
                a, b = seconds(build, without), seconds(build, given)
            else:
                b, a = seconds(build, given), seconds(build, without)
            ratios.append(b / a)
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(f"{what:36} {middle:7.4f}  ({low:.4f} to {high:.4f})", flush=True)
    for what, work in COUNTED.items() if shutil.which("valgrind") else []:
        if wanted in what:
            a, b = (instructions(build, [program, work]) for program in ("plain", "linked"))
            print(f"{what:36} {b / a:7.4f}  ({a} and {b})", flush=True)


main()
