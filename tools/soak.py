#!/usr/bin/env python3
"""soak.py PROGRAM [--minutes N] [--seed N]: rough load of every kind on one server, with a table of what became of it.

Clients ask for symcaches and check every byte, new PDBs arrive, some are cut and completed, clients reset, stall and
send nonsense, workers are killed, cache entries are deleted. A line of the table is a twentieth of the time. Exit
status 1 when a body was wrong, an answer was none, the server ended, or memory and descriptors only grew.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import rough_clients  # noqa: E402
from server import LARGE_KEY, LARGE_PATH, Server, Symbols, until, write_entry  # noqa: E402

KNOWN = 50         # PDBs that stay
ROWS = 20          # of the table
POLLS = 1500       # with 50 ms between them, until a PDB must have been converted; two killed workers cost 30 s
GIVEN_UP = b"unusable"  # in the answer for a PDB whose workers were killed three times


class Soak:
    def __init__(self, program, folder, seed):
        self.folder = folder
        self.seed = seed
        self.symbols = Symbols(folder / "symbols")
        self.cache = folder / "cache"
        Server(program, self.cache).end()
        self.large = rough_clients.chance_of(seed).randbytes(8 << 20)
        write_entry(self.cache, LARGE_KEY, self.large)
        for number in range(KNOWN):
            self.symbols.add(number)
        self.server = Server(program, self.cache, self.symbols.folder, options=["--workers", 2])
        self.counts = collections.Counter()
        self.faults = []
        self.stop = threading.Event()
        self.next_number = 100_000
        self.lock = threading.Lock()
        self.digests = {number: self.converted(number) for number in range(KNOWN)}

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def fresh(self):
        with self.lock:
            self.next_number += 1
            return self.next_number

    def converted(self, number):
        """The digest of a symcache that can be made; asks until it is there."""
        for _ in range(POLLS):
            status, headers, body = self.server.poll(self.symbols.url_path(number))
            self.count("requests")
            if status == 200:
                return hashlib.sha256(body).hexdigest()
            if GIVEN_UP in body:
                self.count("given up")
                return None
            if self.stop.is_set():
                return None
            time.sleep(0.05)
        self.fault(f"PDB {number} was not converted: {status} {headers} {body[:100]}")
        return None

    # --- what goes on at the same time, one step each ---

    def ask_for_known(self, chance):
        number = chance.randrange(KNOWN)
        status, _, body = self.server.ask(self.symbols.url_path(number))
        self.count("requests")
        self.count(f"answers {status}")
        if status == 200 and hashlib.sha256(body).hexdigest() != self.digests[number]:
            self.fault(f"PDB {number}: wrong bytes")
        if status not in (200, 404, 503):
            self.fault(f"PDB {number}: answered {status} {body[:100]}")

    def new_pdb(self, chance):
        number = self.fresh()
        path = self.symbols.add(number)
        if chance.random() < 0.3:  # one that is still being copied
            whole = path.read_bytes()
            path.write_bytes(whole[:chance.randrange(len(whole))])
            self.server.poll(self.symbols.url_path(number))
            path.write_bytes(whole)
            self.count("completed late")
        if self.converted(number):
            self.count("conversions")
        path.unlink()

    def be_rough(self, chance):
        kind = chance.randrange(6)
        if kind == 0:
            rough_clients.reset_downloads(self.server, LARGE_PATH, 10, chance)
        elif kind == 1:
            rough_clients.cut_bursts(self.server, self.symbols.url_path(0), 10, chance)
        elif kind == 2:
            rough_clients.send_malformed(self.server, 20, chance)
        elif kind == 3:
            rough_clients.close_all(rough_clients.half_sent_heads(self.server, 50), chance)
        elif kind == 4:
            rough_clients.close_all(rough_clients.deaf_readers(self.server, LARGE_PATH, 20), chance)
        else:
            rough_clients.wrk(self.server, LARGE_PATH, connections=16)
        self.count("rough rounds")

    def kill_a_worker(self, chance):
        workers = self.server.workers()
        if workers:
            try:
                os.kill(chance.choice(workers), chance.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM]))
                self.count("workers killed")
            except ProcessLookupError:
                pass
        self.stop.wait(2)

    def delete_entries(self, chance):
        entries = [path for path in (self.cache / "symcaches").rglob("*") if path.is_file()]
        for path in chance.sample(entries, min(len(entries), 5)):
            if path.stat().st_size < (1 << 20):
                path.unlink(missing_ok=True)
                self.count("entries deleted")
        self.stop.wait(1)

    def ask_for_health(self, _):
        start = time.monotonic()
        status = self.server.ask("/healthcheck")[0]
        took = time.monotonic() - start
        if status != 200 or took > 2:
            self.fault(f"/healthcheck: {status} after {took:.2f} s")
        with self.lock:
            self.slowest = max(self.slowest, took)
        self.stop.wait(0.2)

    def keep_on(self, step, number):
        chance = rough_clients.chance_of(self.seed * 1000 + number)
        while not self.stop.is_set():
            try:
                step(chance)
            except Exception as error:  # pylint: disable=broad-except
                if not self.stop.is_set():
                    self.fault(f"{step.__name__}: {type(error).__name__}: {error}")
                    return

    def run(self, seconds):
        self.slowest = 0.0
        steps = [self.ask_for_known, self.ask_for_known, self.new_pdb, self.be_rough, self.kill_a_worker,
                 self.delete_entries, self.ask_for_health]
        threads = [threading.Thread(target=self.keep_on, args=(step, i)) for i, step in enumerate(steps)]
        for thread in threads:
            thread.start()
        resident = []
        print(f"{'time':>7} {'requests':>9} {'conversions':>11} {'killed':>7} {'rough':>6} {'slowest':>9} "
              f"{'RSS':>8} {'descriptors':>11}", flush=True)
        start = time.monotonic()
        for i in range(ROWS):
            self.stop.wait(max(0.0, start + (i + 1) * seconds / ROWS - time.monotonic()))
            if self.faults or not self.server.alive():
                break
            resident.append(self.server.resident())
            with self.lock:
                slowest, self.slowest = self.slowest, 0.0
            print(f"{time.monotonic() - start:6.0f}s {self.counts['requests']:9} {self.counts['conversions']:11} "
                  f"{self.counts['workers killed']:7} {self.counts['rough rounds']:6} {slowest * 1000:6.0f} ms "
                  f"{resident[-1] / (1 << 20):5.0f}MiB {self.server.descriptors():11}", flush=True)
        self.stop.set()
        for thread in threads:
            thread.join()
        return resident

    def check(self, resident, before):
        if not self.server.alive():
            self.faults.append(f"the server ended with {self.server.process.returncode}")
            return
        until(lambda: self.server.descriptors() <= before + 2, "descriptors as before")
        half = len(resident) // 2
        if half >= 5 and min(resident[half:]) > 2 * max(resident[:half]) and not self.server.sanitized():
            self.faults.append("its memory only grows")
        status, log = self.server.end()
        if status != 0:
            self.faults.append(f"it ended with {status}: {log[-2000:]}")
        if 3 * self.counts["given up"] > self.counts["workers killed"]:
            self.faults.append(f"{self.counts['given up']} PDBs were given up")
        internal = [line for line in log.splitlines() if "internal error" in line]
        if internal:
            self.faults.append(f"{len(internal)} internal errors, the first: {internal[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(arguments.program.resolve(), pathlib.Path(name), arguments.seed)
        before = soak.server.descriptors()
        soak.check(soak.run(arguments.minutes * 60), before)
        for what, count in sorted(soak.counts.items()):
            print(f"{what}: {count}")
        for fault in soak.faults[:10]:
            print(f"FAULT: {fault}", file=sys.stderr)
        return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
