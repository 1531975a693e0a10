#!/usr/bin/env python3
"""Many clients that poll for many PDBs nobody has asked for: every one is answered, each symcache is made once.

Usage: e2e/burst_test.py PATH_TO_SYMCACHED [--pdbs N] [--clients N]
Prints how long answers took, from the first request of a client for a PDB to the symcache.
"""
import argparse
import concurrent.futures
import pathlib
import random
import sys
import tempfile
import time

from server import LIMIT, Symbols
from symcache_rows import OLD, POLL
from symcache_scene import Scene, made
from symcache_table_test import Place


def wait_for(scene, number, busy):
    """Polls as told until the symcache is there; returns the seconds that took."""
    begin = time.monotonic()
    while time.monotonic() - begin < LIMIT:
        status, headers, body = scene.get("ok.pdb", number, *POLL)
        if status == 200:
            assert body == made("ok.pdb"), body
            return time.monotonic() - begin
        assert status == 404 and "retry-after" in headers, (status, headers, body)
        busy.append(int(headers["retry-after"]))
        time.sleep(min(1.0, busy[-1]) * random.uniform(0.2, 0.4))  # sooner than told, to be a nuisance
    raise AssertionError(f"no symcache of PDB {number} within {LIMIT} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--pdbs", type=int, default=100)
    parser.add_argument("--clients", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        symbols = Symbols(pathlib.Path(scratch))
        with Scene(Place(options.program, symbols, "", pathlib.Path(scratch)), OLD) as scene:
            numbers = list(range(1, options.pdbs + 1))
            for number in numbers:
                scene.pdb("ok.pdb", number)
            hints = []
            with concurrent.futures.ThreadPoolExecutor(options.clients) as clients:
                wanted = numbers * 2  # each by two clients
                random.Random(1).shuffle(wanted)
                took = sorted(clients.map(lambda number: wait_for(scene, number, hints), wanted))
            assert scene.tool_runs() == options.pdbs, f"{scene.tool_runs()} runs for {options.pdbs} PDBs"
    share = lambda part: took[min(len(took) - 1, int(len(took) * part))]
    times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in (
        ("median", share(0.5)), ("90 %", share(0.9)), ("99 %", share(0.99)), ("longest", took[-1])))
    print(f"{len(took)} answers of {options.clients} clients for {options.pdbs} PDBs: {times}; {len(hints)} polls too"
          f" early, told to wait {min(hints, default=0)} to {max(hints, default=0)} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
