#!/usr/bin/env python3
"""run.py BUILD_DIR [--runs N] [FILE...]: what symcached costs, as ratios against peers measured in the same run.

FILE: PDBs; an image beside one (same name, .exe .dll .node .sys) lets llvm-symbolizer take part.
The runs of all programs are interleaved, so that a slow minute of the machine hits all of them; medians are compared.
What each row means: bench/README.md.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PDBUTIL, SYMBOLIZER = "llvm-pdbutil-22", "llvm-symbolizer-22"
BUDGET_SECONDS = 120  # per group of programs; a group stops early when it is used up, after 3 rounds
ADDRESSES = range(0x1000, 0x1000 + 37 * 5000, 37)


class Row:
    """One program in a group: its command, what it reads, and what its runs took."""

    def __init__(self, name, command, stdin="", before=None):
        self.name, self.command, self.stdin = name, [str(part) for part in command], stdin.encode()
        self.before = before or (lambda: None)
        self.seconds, self.rss_kib = [], []

    def run(self):
        self.before()
        seconds, rss_kib = measure(self.command, self.stdin)
        self.seconds.append(seconds)
        self.rss_kib.append(rss_kib)

    def median(self):
        return statistics.median(self.seconds)


class Died(Exception):
    """A program ended with an error; the message has its exit status, command and last words."""


def measure(command, stdin=b""):
    """(wall seconds, peak RSS in KiB) of one run; its output is thrown away."""
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Died(f"exit {process.returncode}: {' '.join(command)}\n{said.decode(errors='replace')[-2000:]}")
    return seconds, usage.ru_maxrss


def survives(row):
    try:
        row.before()
        measure(row.command, row.stdin)
        return True
    except Died as death:
        print(f"\n  left out below, it died: {row.name}: {str(death).splitlines()[0]}")
        return False


def compare(title, rows, runs, floor_kib):
    """Runs the rows in turn and prints them; ratios are against the first. A peer that dies is named and left out."""
    rows = [rows[0], *(row for row in rows[1:] if survives(row))]
    started = time.monotonic()
    for number in range(runs):
        if number >= 3 and time.monotonic() - started > BUDGET_SECONDS:
            break
        for row in rows:
            row.run()
    print(f"\n{title}: {len(rows[0].seconds)} runs each")
    print(f"  {'':44} {'median':>10} {'min':>9} {'max':>9} {'time':>8} {'peak RSS':>10}")
    for row in rows:
        peak = statistics.median(row.rss_kib)
        rss = f"{peak / 1024:.0f} MiB" if peak > floor_kib * 1.1 else f"<= {floor_kib / 1024:.0f} MiB"
        print(f"  {row.name:44} {row.median() * 1000:7.1f} ms {min(row.seconds) * 1000:6.1f} ms "
              f"{max(row.seconds) * 1000:6.1f} ms {row.median() / rows[0].median():6.2f} x {rss:>10}")


def image_of(pdb):
    beside = [pdb.with_suffix(suffix) for suffix in (".exe", ".dll", ".node", ".sys")]
    return next((path for path in beside if path.exists()), None)


def converted(program, pdb, folder):
    """The symcache that `convert` makes of the PDB."""
    measure([str(program), "convert", str(pdb), "-o", str(folder)])
    return next(path for path in sorted(folder.rglob("*")) if path.is_file())


def bench_pdb(program, pdb, runs, floor_kib, scratch):
    kept, fresh = scratch / "kept", scratch / "fresh"
    for folder in (kept, fresh):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    symcache = converted(program, pdb, kept)
    big, small = pdb.stat().st_size, symcache.stat().st_size
    print(f"\n== {pdb.name}: {big:,} bytes; symcache {small:,} bytes, {small / big:.4f} of it")

    def empty():
        for path in fresh.iterdir():
            path.unlink()

    compare("Reading the whole PDB", [
        Row("symcached convert", [program, "convert", pdb, "-o", fresh], before=empty),
        Row("llvm-pdbutil dump -l -symbols", [PDBUTIL, "dump", "-l", "-symbols", pdb]),
    ], runs, floor_kib)
    one, many = f"{ADDRESSES[len(ADDRESSES) // 2]:#x}", "".join(f"{address:#x}\n" for address in ADDRESSES)
    first = [Row("symcached lookup, from the symcache", [program, "lookup", symcache, one]),
             Row("symcached convert, then lookup", ["sh", "-c", '"$1" convert "$2" -o "$3" && "$1" lookup "$4" "$5"',
                                                    "sh", program, pdb, fresh, symcache, one], before=empty)]
    all_of_them = [Row("symcached lookup, from the symcache", [program, "lookup", symcache], many)]
    if image := image_of(pdb):
        peer = [SYMBOLIZER, f"--obj={image}", "--relative-address"]
        first.append(Row("llvm-symbolizer, from the PDB", [*peer, one]))
        all_of_them.append(Row("llvm-symbolizer, from the PDB", peer, many))
    compare("One address, from process start to end", first, runs, floor_kib)
    compare(f"{len(ADDRESSES)} addresses from stdin", all_of_them, runs, floor_kib)


def print_machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    print(f"{os.cpu_count()} x {model.group(1) if model else 'unknown processor'}")
    version = subprocess.run([SYMBOLIZER, "--version"], capture_output=True, text=True).stdout
    print(next(line.strip() for line in version.splitlines() if "version" in line))


def bench(options):
    program, scratch = options.build / "symcached", options.build.parent / "bench"
    print_machine()
    floor_kib = max(measure(["true"])[1] for _ in range(3))
    for pdb in options.files or sorted(pathlib.Path("build/demo/pdbs").glob("*.pdb")):
        bench_pdb(program, pdb, options.runs, floor_kib, scratch)
    for micro in sorted(options.build.glob("*_bench")):
        print(f"\n== {micro.name}", flush=True)
        subprocess.run([micro, "--benchmark_min_time=0.2"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    try:
        bench(parser.parse_intermixed_args())
    except Died as death:
        sys.exit(f"bench: {death}")


if __name__ == "__main__":
    main()
