#!/usr/bin/env python3
"""Symbol servers with every fault (fault_rows.py): what clients are told, and how often the server is asked.

Usage: e2e/fault_table_test.py PATH_TO_SYMCACHED [PART_OF_A_ROW'S_NAME]
Each row has a symbol server and a symcached of its own. A client asks and waits; then a polling client asks, which
must cause no further request to the symbol server.
"""
import concurrent.futures
import contextlib
import math
import pathlib
import sys
import tempfile
import time

import fault_rows
from components import behaviours, faults
from components.certificates import Authority
from components.component import Lacking
from components.faults import FaultServer
from components.small_disk import no_file_beyond
from fault_rows import ABSENT, FOUND, FULL, SLACK, UNUSABLE, WAIT
from server import LIMIT, Server, Symbols, until

AT_ONCE = 16    # rows, most of which wait
PASSWORD = "between-us"  # for the symbol server, which wants none
AN_HOUR = 3600
WANTED = {      # outcome: what a waiting client is told, then what a polling one is
    FOUND: ("200", "200"),
    ABSENT: ("404 for a while", "404 for a while"),
    UNUSABLE: ("404", "404"),
    **dict.fromkeys(WAIT, ("404", "404 come back")),
    FULL: ("503 come back", "404 come back"),
}


def kind(answer):
    """An answer in the words of WANTED."""
    status, headers, _ = answer
    if "retry-after" in headers:
        return f"{status} come back"
    return f"{status} for a while" if "max-age" in headers.get("cache-control", "") else str(status)


def settled(answer):
    """The answer, unless the server has given up waiting for its own work, as it does on a busy machine."""
    return None if b"in progress" in answer[2] else answer


def within(number, bounds):
    return bounds[0] <= number <= bounds[1]


class Trial:
    """One row as it is tried; `seen` is what happened, `faults` says what is not as the row wants it."""

    def __init__(self, program, row, folder, symbols, authority):
        self.row, self.faults, self.seen = row, [], ""
        with contextlib.ExitStack() as scene:
            self.elsewhere = scene.enter_context(FaultServer({"app.pdb": row.elsewhere or faults.not_found}))
            behaviour = row.behaviour or behaviours.redirect(self.elsewhere.url + "/")
            self.upstream = scene.enter_context(
                FaultServer({"app.pdb": behaviour, **row.more}, host=row.host, tls=authority if row.tls else None))
            source = self.upstream.url.replace("://", f"://reader:{PASSWORD}@")
            server = Server(program, folder, source, options=["--workers", 1, "--grace", 0, *row.options])
            if row.largest_file:
                scene.enter_context(no_file_beyond(server.process.pid, row.largest_file))
            (self.ask_while_pending if row.pending else self.ask)(server, symbols.url_path(1))
            _, log = server.end()
            if row.outcome in (UNUSABLE, *WAIT) and not row.pending:
                self.expect(f" {row.outcome} app.pdb/" in log, f"the log does not say {row.outcome}: {log}")
            self.expect(PASSWORD not in log, "the password is in the log")
            self.expect_asked_elsewhere()

    def expect(self, good, what):
        if not good:
            self.faults.append(what)

    def ask(self, server, path):
        begin = time.monotonic()
        first = until(lambda: settled(server.ask(path)), "an answer")
        took = time.monotonic() - begin
        asked = self.asked()
        again = server.poll(path)
        server.end()
        for answer, want in zip((first, again), WANTED[self.row.outcome]):
            self.expect(kind(answer) == want, f"{kind(answer)} instead of {want} ({answer[2][:60]!r})")
        self.expect_remembered(again, time.monotonic() - begin)
        self.seen = f"{first[0]}, {asked} requests, {took:.1f} s, Retry-After {again[1].get('retry-after', '-')}"
        self.expect(took < LIMIT, f"took {took:.0f} s")
        self.expect(within(asked, self.row.asked), f"asked {asked} times instead of {self.row.asked}")
        self.expect(self.asked() == asked, f"asked {self.asked()} times after the second client")

    def ask_while_pending(self, server, path):
        for _ in range(2):
            answer = server.poll(path)
            self.expect(kind(answer) == "404 come back", f"{kind(answer)} instead of 404 come back")
        until(self.asked, "a request to the symbol server")
        self.seen = "pending"
        server.end()
        self.expect(within(self.asked(), self.row.asked), f"asked {self.asked()} times instead of {self.row.asked}")

    def expect_remembered(self, answer, age):
        """How long a client is told that this outcome stands, which is at most `age` seconds old."""
        if self.row.outcome in WAIT:
            longest, seconds = self.row.retry or WAIT[self.row.outcome], answer[1].get("retry-after", "0")
        elif self.row.outcome == ABSENT:
            longest, seconds = AN_HOUR, answer[1].get("cache-control", "0").removeprefix("max-age=")
        else:
            return
        shortest = max(1, longest - max(SLACK, math.ceil(age)))
        self.expect(within(int(seconds), (shortest, longest)), f"for {seconds} s, not {longest}")

    def expect_asked_elsewhere(self):
        allowed = 1 if self.row.elsewhere and self.row.outcome == FOUND else 0
        self.expect(len(self.elsewhere.requests) == allowed, f"asked {len(self.elsewhere.requests)} times elsewhere")
        secrets = [request for request in self.elsewhere.requests if "authorization" in request.headers]
        self.expect(not secrets, "another origin got the password")

    def asked(self):
        return sum("index2.txt" not in request.path for request in self.upstream.requests)


def is_polite(program, folder, symbols, why, behaviour, longest):
    """A client that polls as it is told gets the file in the end. Returns what is wrong."""
    path, told = symbols.url_path(1), []
    with FaultServer({"app.pdb": behaviour}) as upstream:
        server = Server(program, folder, upstream.url, options=["--workers", 1, "--grace", 0])
        end = time.monotonic() + LIMIT
        status, headers, _ = server.poll(path)
        while status == 404 and "retry-after" in headers and time.monotonic() < end:
            told.append(int(headers["retry-after"]))
            time.sleep(told[-1])
            status, headers, _ = server.poll(path)
        server.end()
    good = status == 200 and max(told, default=0) <= longest
    print(f"{'ok' if good else 'FAILED':7} {why}: {status} after waits of {told} s", flush=True)
    return good


def main():
    program, part = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:3])
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        folder = pathlib.Path(name)
        symbols = Symbols(folder / "symbols")
        files = fault_rows.Files(folder, symbols.pdb_of(1), symbols.pdb_of(2))
        rows = [row for row in fault_rows.all_rows(files) if part in row.why]
        authority = Authority(folder)
        programs = {False: program}
        try:
            programs[True] = authority.trusted_by(program)
        except Lacking as lacking:
            print(f"SKIPPED trusted https: {lacking}")
            rows = [row for row in rows if not row.trusted]
        folders = [folder / f"row{number}" for number in range(len(rows))]
        talks = [pool.submit(is_polite, program, folder / f"talk{number}", symbols, *row)
                 for number, row in enumerate(fault_rows.politeness(files)) if part in row[0]]
        trials = pool.map(lambda row, scratch: Trial(programs[row.trusted], row, scratch, symbols, authority), rows,
                          folders)
        failed = 0
        for trial in trials:
            failed += bool(trial.faults)
            print(f"{'FAILED' if trial.faults else 'ok':7} {trial.row.why}: {trial.seen}", *trial.faults,
                  sep="\n        - ", flush=True)
        failed += sum(not talk.result() for talk in talks)
    print(f"{len(rows) + len(talks)} rows, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
