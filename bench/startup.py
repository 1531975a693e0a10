#!/usr/bin/env python3
"""From the start of `symcached serve` on a full cache directory to its first answer from it.

Usage: bench/startup.py PATH_TO_SYMCACHED [--entries N] [--runs N] [--folder FOLDER]
Makes N small entries (8 KiB each on disk) in FOLDER, which is kept, or in a temporary one. Each run asks for another
entry as soon as the server listens: first without the index, then with the one that `symcached cleanup` makes.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from server import Server, write_entry  # noqa: E402

PAYLOAD = bytes(range(64))
CONFIG = "caches: {max_size: 1TB, min_free: 0}\n"
INDEX = "index.journal"


def guid(number):
    return f"{number:08X}-0000-4000-8000-{number:012X}"


def start(program, cache):
    config = cache.parent / "symcached.yml"
    config.write_text(CONFIG)
    return Server(program, cache, options=["--config", config])


def fill(cache, entries):
    """Adds what is not there yet; the server, which was there first, has marked the directory as its own."""
    made = cache.parent / "entries"  # how many there are
    begin = time.monotonic()
    first = int(made.read_text()) if made.exists() else 0
    for number in range(first, entries):
        write_entry(cache, f"app.pdb/{guid(number).replace('-', '')}1", PAYLOAD)
    made.write_text(str(max(first, entries)))
    print(f"{entries} entries, {entries - first} made in {time.monotonic() - begin:.0f} s", flush=True)


def first_answer(program, cache, number):
    """A server that has answered, and the seconds from its start to `listening` and to the end of its answer."""
    begin = time.monotonic()
    server = start(program, cache)
    listens = time.monotonic() - begin
    status, _, body = server.ask(f"/open/v2.1.0/app.pdb/{guid(number)}/1")
    answers = time.monotonic() - begin
    assert status == 200 and body == PAYLOAD, (status, server.log())
    return server, listens, answers


def measure(program, cache, options, name, prepare):
    listens, answers = [], []
    for _ in range(options.runs):
        prepare()
        server, *took = first_answer(program, cache, random.randrange(options.entries))
        server.end()
        listens.append(took[0])
        answers.append(took[1])
    print(f"{name}: listens after {statistics.median(listens):.3f} s, answers after {statistics.median(answers):.3f} s"
          f" ({min(answers):.3f} to {max(answers):.3f}, {options.runs} runs)", flush=True)


def run(program, cache, options):
    start(program, cache).end()
    fill(cache, options.entries)
    measure(program, cache, options, "without the index", lambda: (cache / INDEX).unlink(missing_ok=True))
    begin = time.monotonic()
    command = [program, "cleanup", "--cache-dir", cache, "--config", cache.parent / "symcached.yml"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(f"the index was made again in {time.monotonic() - begin:.0f} s", flush=True)
    measure(program, cache, options, "with the index", lambda: None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program.resolve()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        run(program, options.folder.resolve() / "cache", options)
        return
    with tempfile.TemporaryDirectory() as name:
        run(program, pathlib.Path(name) / "cache", options)


if __name__ == "__main__":
    main()
