#!/usr/bin/env python3
"""A server that nothing ends: clients that reset, stall, flood and lie, files that change, workers that die.

Usage: e2e/survive_test.py PATH_TO_SYMCACHED [ROW...]
After every row the server lives, answers in under a second again, and has its descriptors and memory back.
"""
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import rough_clients
from server import LARGE_KEY, LARGE_PATH, Server, Symbols, kill_quietly, read_answer, until, write_entry

ROWS = []
LARGE = 8 << 20           # bytes of the large body
ANSWER_LIMIT = 1.0        # seconds


def closing_request(path):
    return f"GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".encode()


def row(function):
    ROWS.append(function)
    return function


class Scene:
    """One server with its symbols and cache, and what it looked like before the row."""

    def __init__(self, program, folder, symbols):
        self.program = program
        self.folder = folder
        self.symbols = symbols
        self.cache = folder / "cache"
        self.chance = rough_clients.chance_of(11)
        self.number = 1000
        first = Server(program, self.cache)  # makes the directory its own
        first.end()
        self.large = self.chance.randbytes(LARGE)
        write_entry(self.cache, LARGE_KEY, self.large)
        self.server = Server(program, self.cache, symbols.folder, options=["--workers", 2])
        self.small_path = symbols.url_path(1)
        self.small = self.settled_body(self.small_path)
        assert self.settled_body(LARGE_PATH) == self.large
        self.margin = (700 if self.server.sanitized() else 24) << 20  # a sanitizer keeps freed memory

    def settled_body(self, path):
        status, _, body = self.server.ask(path)
        assert status == 200, (path, status, body[:200])
        return body

    def fresh(self):
        """The number of a PDB that nobody has asked for."""
        self.number += 1
        return self.number

    def before(self):
        until(lambda: len(self.server.workers()) == 2, "two workers")
        self.descriptors = self.server.descriptors()
        self.resident = self.server.resident()

    def quick_answers(self):
        """How long two answers took; None if that is too long."""
        start = time.monotonic()
        assert self.server.ask("/healthcheck")[0] == 200
        assert self.server.ask(self.small_path)[2] == self.small
        took = time.monotonic() - start
        return took if took < ANSWER_LIMIT else None

    def after(self):
        assert self.server.alive(), f"ended with {self.server.process.returncode}:\n{self.server.log()[-3000:]}"
        took = until(self.quick_answers, f"answers in {ANSWER_LIMIT} s")  # on a busy machine not the first ones
        until(lambda: len(self.server.workers()) == 2, "two workers")
        until(lambda: self.server.descriptors() <= self.descriptors, f"{self.descriptors} descriptors as before")
        grown = self.server.resident() - self.resident
        assert grown < self.margin, f"{grown >> 20} MiB more in memory"
        return took


# --- clients ----------------------------------------------------------------------------------------------------------


@row
def downloads_reset_midway(scene):
    rough_clients.reset_downloads(scene.server, scene.small_path, 150, scene.chance)
    rough_clients.reset_downloads(scene.server, LARGE_PATH, 150, scene.chance)


@row
def pipelined_bursts_cut(scene):
    rough_clients.cut_bursts(scene.server, scene.small_path, 50, scene.chance)
    rough_clients.cut_bursts(scene.server, LARGE_PATH, 50, scene.chance)


@row
def malformed_requests(scene):
    rough_clients.send_malformed(scene.server, 400, scene.chance)


@row
def heads_of_every_size_around_each_limit(scene):
    around = lambda limit: range(limit - 40, limit + 41)
    value = lambda size: b"GET /healthcheck HTTP/1.1\r\nA: " + b"x" * size + b"\r\n" + rough_clients.ANY
    name = lambda size: b"GET /healthcheck HTTP/1.1\r\n" + b"x" * size + b": a\r\n" + rough_clients.ANY
    target = lambda size: b"GET /" + b"x" * size + b" HTTP/1.1\r\n" + rough_clients.ANY
    seen = {}
    for make in (value, name, target):
        for size in [*around(8 << 10), *around(64 << 10), *around((64 << 10) + (8 << 10)), 70_000, 100_000, 200_000]:
            seen.setdefault((make, rough_clients.status_of_head(scene.server, make(size))), []).append(size)
    for make, fits, too_large in ((value, 200, 431), (name, 200, 431), (target, 404, 414)):
        assert (make, fits) in seen and (make, too_large) in seen, seen.keys()
        assert max(seen[make, fits]) < min(seen[make, too_large]), "a size beyond one that is refused is accepted"
        assert {status for other, status in seen if other is make} <= {fits, too_large, 400, 0}, seen.keys()


@row
def half_sent_heads(scene):
    clients = rough_clients.half_sent_heads(scene.server, 300)
    assert scene.server.ask(scene.small_path)[2] == scene.small
    rough_clients.close_all(clients, scene.chance)


@row
def readers_that_do_not_read(scene):
    clients = rough_clients.deaf_readers(scene.server, LARGE_PATH, 100)
    assert scene.server.ask(scene.small_path)[2] == scene.small
    rough_clients.close_all(clients, scene.chance)


@row
def wrk_started_and_ended(scene):
    for path in (scene.small_path, LARGE_PATH):
        for _ in range(5):
            rough_clients.wrk(scene.server, path)


@row
def held_requests_whose_clients_leave(scene):
    workers = scene.server.workers()
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    numbers = [scene.fresh() for _ in range(20)]
    clients = []
    for number in numbers:
        scene.symbols.add(number)
        client = scene.server.connect()
        client.sendall(rough_clients.request(scene.symbols.url_path(number)))
        clients.append(client)
    assert scene.server.ask("/healthcheck")[0] == 200
    rough_clients.close_all(clients, scene.chance)
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    for number in numbers:
        scene.settled_body(scene.symbols.url_path(number))


@row
def unknown_guids_leave_no_files(scene):
    files = lambda: sum(len(names) for _, _, names in os.walk(scene.cache))
    before = files()
    for number in range(1_500):
        status, _, _ = scene.server.ask(f"/open/v2.1.0/none.pdb/{scene.symbols.guid_of(number)}/1")
        assert status == 404
    assert files() == before, f"{files() - before} more files"


@row
def few_descriptors_and_many_connections(scene):
    cache = scene.folder / "few"
    server = Server(scene.program, cache, scene.symbols.folder, options=["--workers", 2], descriptors=128)
    until(lambda: len(server.workers()) == 2, "two workers")
    first, number = scene.fresh(), scene.fresh()
    scene.symbols.add(first)
    scene.symbols.add(number)
    assert server.ask(scene.symbols.url_path(first))[0] == 200, "all that is opened late is open"
    path = scene.symbols.url_path(number)
    before = server.descriptors()
    clients = [server.connect() for _ in range(200)]
    for client in clients:
        with contextlib.suppress(ConnectionError):  # it has been sent away already
            client.sendall(closing_request(path))
    answers = [read_answer(client) for client in clients]
    rough_clients.close_all(clients, scene.chance)
    for status, headers, body in answers:
        assert status in (200, 503, 0), (status, body[:100])
        assert status != 503 or "retry-after" in headers, headers
    statuses = [status for status, _, _ in answers]
    assert 200 in statuses and 503 in statuses, statuses
    until(lambda: server.descriptors() <= before, f"{before} descriptors as before")
    assert until(lambda: server.ask(path)[0] == 200, "the PDB after the flood")
    status, log = server.end()
    assert status == 0, log


# --- workers and files ------------------------------------------------------------------------------------------------


def ask_with_stopped_workers(scene, path, then):
    """Asks while the workers are stopped; `then(worker)` happens when one of them has been given the job."""
    workers = until(lambda: scene.server.workers() if len(scene.server.workers()) == 2 else None, "two workers")
    for worker in workers:
        kill_quietly(worker, signal.SIGSTOP)
    client = scene.server.connect()
    client.sendall(closing_request(path))
    busy = until(scene.server.worker_with_a_job, "a worker with a job")
    assert scene.server.ask("/healthcheck")[0] == 200, "stays quick while all workers are busy"
    then(busy)
    for worker in workers:
        kill_quietly(worker, signal.SIGCONT)
    answer = read_answer(client)
    client.close()
    return answer


@row
def a_worker_killed_in_the_middle(scene):
    # A sanitizer writes reports of signals that it catches, and lets the job go on meanwhile.
    uncaught = [signal.SIGKILL] if scene.server.sanitized() else [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL]
    for how in uncaught:
        number = scene.fresh()
        scene.symbols.add(number)
        kill = lambda worker: kill_quietly(worker, how)
        status, headers, _ = ask_with_stopped_workers(scene, scene.symbols.url_path(number), kill)
        assert status == 404 and "max-age" not in headers.get("cache-control", ""), (status, headers)
        assert f"signal {int(how)}" in scene.server.log(), scene.server.log()[-1000:]
        other = scene.fresh()
        scene.symbols.add(other)
        scene.settled_body(scene.symbols.url_path(other))


@row
def a_pdb_truncated_at_six_moments(scene):
    for moment in range(6):
        number = scene.fresh()
        path = scene.symbols.add(number)
        size = path.stat().st_size
        cut = lambda _: os.truncate(path, size * moment // 6)
        status, headers, body = ask_with_stopped_workers(scene, scene.symbols.url_path(number), cut)
        assert status == 404 and "max-age" not in headers.get("cache-control", ""), (moment, status, headers, body)
        path.write_bytes(scene.symbols.pdb_of(number))
        until(lambda: scene.server.poll(scene.symbols.url_path(number))[0] == 200, "the PDB is whole again")


@row
def a_large_pdb_truncated_while_it_is_read(scene):
    large = scene.large_symbols
    for moment in range(6):
        number = scene.fresh()
        path = large.add(number)
        place = scene.symbols.place(number)
        shutil.move(path, place)
        client = scene.server.connect()
        client.sendall(closing_request(scene.symbols.url_path(number)))
        time.sleep(0.004 * moment)  # a moment, not a wait: whatever has been read by then
        os.truncate(place, 4096 * (1 + moment))
        status, _, body = read_answer(client)
        client.close()
        assert status in (200, 404), (status, body[:200])
        place.write_bytes(large.pdb_of(number))
        url_path = scene.symbols.url_path(number)
        whole = until(lambda: scene.server.body_by_now(url_path), "the large PDB is whole again")
        assert status != 200 or body == whole, "a symcache of a file that was cut"


@row
def a_pdb_completed_after_its_first_request(scene):
    number = scene.fresh()
    whole = scene.symbols.pdb_of(number)
    path = scene.symbols.place(number)
    for part in (0, 100, len(whole) // 2, len(whole) - 5000):
        path.write_bytes(whole[:part])
        status, headers, body = scene.server.poll(scene.symbols.url_path(number))
        assert status == 404 and int(headers["retry-after"]) <= 10, (part, status, headers, body)
    path.write_bytes(whole)
    until(lambda: scene.server.poll(scene.symbols.url_path(number))[0] == 200, "the completed PDB")


@row
def a_full_disk(scene):
    number = scene.fresh()
    scene.symbols.add(number)
    path = scene.symbols.url_path(number)
    whole = resource.prlimit(scene.server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(scene.server.process.pid, resource.RLIMIT_FSIZE, (100, whole[1]))  # no file may grow past it
    try:
        for _ in range(5):
            status, headers, body = scene.server.ask(path)
            assert status == 503 and "retry-after" in headers, (status, headers, body)
        assert scene.server.ask(scene.small_path)[2] == scene.small, "what is there is served"
    finally:
        resource.prlimit(scene.server.process.pid, resource.RLIMIT_FSIZE, whole)
    until(lambda: scene.server.ask(path)[0] == 200, "the PDB once there is space again")


# --- directories ------------------------------------------------------------------------------------------------------


def start_and_fail(scene, *arguments):
    ended = subprocess.run([scene.program, "serve", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert ended.returncode not in (0, -signal.SIGSEGV), ended
    return ended.stderr


@row
def a_second_server_disturbs_nothing(scene):
    foreign = scene.cache / "tmp" / "somebody's file"
    foreign.write_text("mine")
    own = scene.cache / "tmp" / "entry-0000000000000001-abcdef"
    own.write_text("being written")
    said = start_and_fail(scene, "--bind", f"127.0.0.1:{scene.server.port}", "--cache-dir", scene.cache)
    assert "in use" in said, said
    assert foreign.read_text() == "mine" and own.exists()
    third = Server(scene.program, scene.cache)  # another port, the same directory
    assert third.ask(scene.small_path)[2] == scene.small
    assert third.end()[0] == 0
    assert foreign.read_text() == "mine"


@row
def a_directory_of_somebody_else_is_refused(scene):
    theirs = scene.folder / "theirs"
    (theirs / "tmp").mkdir(parents=True, exist_ok=True)
    (theirs / "tmp" / "thesis.tex").write_text("ten years of work")
    said = start_and_fail(scene, "--bind", "127.0.0.1:0", "--cache-dir", theirs)
    assert str(theirs) in said, said
    assert [path.name for path in theirs.rglob("*")] == ["tmp", "thesis.tex"], "nothing added, nothing removed"


@row
def ended_by_a_signal(scene):
    server = Server(scene.program, scene.cache)
    assert server.ask(LARGE_PATH)[0] == 200
    status, _ = server.end()
    assert status == 0
    server = Server(scene.program, scene.cache, options=["--grace", 1])
    deaf = rough_clients.deaf_readers(server, LARGE_PATH, 1)
    assert deaf[0].recv(16), "the answer has begun"
    status, log = server.end()
    rough_clients.close_all(deaf, scene.chance)
    assert status == 1 and LARGE_PATH in log, (status, log)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    chosen = [function for function in ROWS if not sys.argv[2:] or function.__name__ in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        symbols = Symbols(folder / "small")
        symbols.add(1)
        scene = Scene(program, folder, symbols)
        functions = "\n".join(f"int f{i}(int a) {{ int b = a * {i}; return b + a; }}" for i in range(4000))
        scene.large_symbols = Symbols(folder / "large", functions + "\nint main() { return f1(2); }\n")
        for function in chosen:
            scene.before()
            start = time.monotonic()
            try:
                function(scene)
                took = scene.after()
            except Exception:
                print(f"--- {function.__name__} failed; the log ends:\n{scene.server.log()[-3000:]}", file=sys.stderr)
                raise
            print(f"{function.__name__:45} {time.monotonic() - start:6.1f} s, then answers in {took * 1000:5.1f} ms, "
                  f"{scene.server.descriptors()} descriptors, {scene.server.resident() >> 20} MiB", flush=True)
        status, log = scene.server.end()
        assert status == 0, f"ended with {status}:\n{log[-3000:]}"
    print(f"{len(chosen)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
