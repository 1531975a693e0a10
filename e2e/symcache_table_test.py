#!/usr/bin/env python3
"""The SymCache protocol of Microsoft's format, row by row (symcache_rows.py), with a transcoder that does as told.

Usage: e2e/symcache_table_test.py PATH_TO_SYMCACHED [PART_OF_A_ROW'S_NUMBER_OR_A_TEST'S_NAME]
"""
import concurrent.futures
import contextlib
import dataclasses
import functools
import json
import mmap
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

from components import behaviours as does
from components import faults, runner
from components.faults import FaultServer
from components.nginx import Nginx
from components.runner import test
from components.s3 import S3
from components.small_disk import no_file_beyond
from server import Symbols, read_answer, until
from symcache_rows import ANY, MEDIA, NEW, NO_TOOL, OLD, POLL, ROWS
from symcache_scene import Scene, content, made

EXPECT_FILE = (200, 206)


def guid_text(number, spelling):
    guid = uuid.UUID(int=number)
    if spelling == "X":
        a, b, c, *rest = guid.fields[:3]
        tail = ",".join(f"0x{byte:02x}" for byte in guid.bytes[8:])
        return f"{{0x{a:08x},0x{b:04x},0x{c:04x},{{{tail}}}}}"
    if "D" in spelling:
        return spelling.replace("D", str(guid), 1) if spelling != "%7BD%7D" else f"%7B{guid}%7D"
    return spelling.format(number)


class Trial:
    """One row as it is tried."""

    def __init__(self, row, number):
        self.row, self.number, self.faults = row, number, []

    def prepare(self, scene):
        if self.row.upstream:
            scene.pdb(self.row.name, self.number)
        for version in self.row.cached:
            scene.symcache(self.row.name, self.number, self.row.age, version)

    def expect(self, good, what):
        if not good:
            self.faults.append(what)

    def ask(self, scene):
        row = self.row
        path = row.path.format(name=row.name, guid=guid_text(self.number, row.spelling), age=row.age)
        status, headers, body = scene.server.ask(path, *row.headers, method=row.method)
        self.expect(status == row.status, f"{status}, not {row.status}: {body[:100]}")
        media = headers.get("content-type", "")
        if row.version:
            self.expect(media == MEDIA + row.version, f"content type {media}")
        else:
            self.expect("ms-symcache" not in media, f"content type {media}")
        for name, value in row.wants.items():
            got = headers.get(name)
            self.expect(got is not None if value is ANY else got == value, f"{name}: {got}")
        if row.status in EXPECT_FILE and row.version and row.method == "GET":
            whole = content(row.name, row.version) if row.version in row.cached else made(row.name)
            self.expect(body == whole[row.part or slice(None)], f"body {body[:100]}")
        if row.status in (304, 204) or row.method == "HEAD":
            self.expect(body == b"", f"a body: {body[:100]}")

    def look(self, scene):
        if self.row.then is not None:
            wanted = self.row.then
            with contextlib.suppress(AssertionError):
                until(lambda: scene.versions(self.row.name, self.number) == wanted, "the work is done", 30)
            there = scene.versions(self.row.name, self.number)
            self.expect(there == wanted, f"at the end there is {there or 'nothing'}, not {wanted or 'nothing'}")


@test
def every_row(place):
    trials = [Trial(row, number) for number, row in enumerate(ROWS, 1) if place.part in row.number]
    by_tools = {}
    for trial in trials:
        by_tools.setdefault(trial.row.tools, []).append(trial)
    for tools, group in by_tools.items():
        scene = Scene(place, tools)
        for trial in group:
            trial.prepare(scene)
        with scene, concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda trial: trial.ask(scene), group))
            list(pool.map(lambda trial: trial.look(scene), group))
            assert scene.server.alive()
    wrong = [f"row {trial.row.number}: {'; '.join(trial.faults)}" for trial in trials if trial.faults]
    assert not wrong, "\n" + "\n".join(wrong)
    print(f"{len(trials)} rows")


@test
def row_12_a_damaged_file_is_made_again(place):
    with Scene(place, OLD) as scene:
        scene.pdb("ok.pdb", 1)
        assert scene.get("ok.pdb", 1)[0] == 200
        path = scene.directory / "ok.pdb" / f"{1:032X}1" / "ok.pdb-v3.1.0.symcache"
        path.write_bytes(b"damaged")
        assert scene.get("ok.pdb", 1)[2] == made("ok.pdb")
        path.unlink()
        assert scene.get("ok.pdb", 1)[2] == made("ok.pdb"), "deleted"


@test
def rows_16_and_17_polls_end_with_the_file(place):
    with Scene(place, NEW) as scene:
        scene.pdb("ok.pdb", 1)
        status, headers, _ = scene.get("ok.pdb", 1, *POLL)
        assert (status, headers["cache-control"]) == (404, "no-store")
        status, headers, body = scene.poll("ok.pdb", 1)
        assert (status, headers["content-type"], body) == (200, MEDIA + "3.2.0", made("ok.pdb"))
        assert scene.tool_runs() == 1


@test
def row_19_a_symbol_server_that_fails_is_not_one_that_has_nothing(place):
    with FaultServer({"ok.pdb": does.answer(503)}) as upstream:
        sources = [{"id": "http", "type": "http", "url": upstream.url, "is_public": True}]
        with Scene(place, OLD, sources) as scene:
            status, headers, _ = scene.get("ok.pdb", 1)
            assert (status, headers.get("cache-control"), "retry-after" in headers) == (404, "no-store", False)
            assert int(scene.get("ok.pdb", 1, *POLL)[1]["retry-after"]) > 1


@test
def row_22_a_pdb_with_another_id_is_not_used(place):
    with Scene(place, OLD) as scene:
        scene.pdb("ok.pdb", 1, inside=2)
        status, headers, _ = scene.get("ok.pdb", 1)
        assert (status, headers["cache-control"], "retry-after" in headers) == (404, "no-store", False)
        assert scene.tool_runs() == 0


@test
def rows_23_and_38_what_is_known_to_be_absent_is_not_asked_for_again(place):
    with FaultServer({"ok.pdb": faults.not_found}) as upstream:
        sources = [{"id": "http", "type": "http", "url": upstream.url, "is_public": True}]
        with Scene(place, NEW, sources) as scene:
            assert scene.get("ok.pdb", 1)[0] == 404
            asked = len(upstream.asked("ok.pdb"))
            status, headers, _ = scene.get("ok.pdb", 1, *POLL, version="3.2.0")
            assert (status, "retry-after" in headers) == (404, False)
            assert re.fullmatch(r"max-age=\d+", headers["cache-control"])
            assert scene.get("ok.pdb", 1, "If-Version-Exceeds: 3.1.0", version="3.2.0")[0] == 404
            assert len(upstream.asked("ok.pdb")) == asked


@test
def row_24_what_was_absent_is_looked_for_again(place):
    with Scene(place, OLD, settings={"caches": {"retry": {"absent": "1s"}}}) as scene:
        assert scene.get("ok.pdb", 1)[0] == 404
        scene.pdb("ok.pdb", 1)
        until(lambda: scene.get("ok.pdb", 1)[0] == 200, "the absence is over", 30)


@test
def row_25_one_run_for_all_who_ask_at_once(place):
    with Scene(place, OLD) as scene, concurrent.futures.ThreadPoolExecutor(60) as pool:
        scene.pdb("ok.pdb", 1)
        holders = [pool.submit(scene.get, "ok.pdb", 1) for _ in range(40)]
        pollers = [pool.submit(scene.poll, "ok.pdb", 1) for _ in range(20)]
        assert all(asked.result()[2] == made("ok.pdb") for asked in holders + pollers)
        assert scene.tool_runs() == 1


@test
def row_26_the_work_goes_on_when_the_client_is_gone(place):
    with Scene(place, OLD) as scene:
        scene.pdb("ok.pdb", 1)
        with scene.server.connect() as client:
            client.sendall(f"GET /v3.1.0/ok.pdb/{1:032x}/1 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            until(lambda: scene.tool_runs() == 1, "the transcoder runs")
        until(lambda: scene.versions("ok.pdb", 1) == "3.1.0", "it is made")


@test
def row_27_who_waits_is_told_to_come_back_in_time(place):
    with Scene(place, OLD, settings={"limits": {"hold": "100ms"}}) as scene:
        scene.pdb("hang.pdb", 1)
        status, headers, body = scene.get("hang.pdb", 1)
        assert (status, headers["cache-control"], body) == (404, "no-store", b"")
        assert int(headers["retry-after"]) >= 1
        (tool,) = scene.status("hang.pdb", 1)["transcoders"]
        assert (tool["state"], tool["under_way"]) == ("free to make it", True), "it goes on, and nothing is remembered"


@test
def row_28_a_full_queue_says_so(place):
    with Scene(place, OLD, settings={"limits": {"max_queued": 1}}) as scene:
        scene.pdb("hang.pdb", 1)
        scene.pdb("ok.pdb", 2)
        assert scene.get("hang.pdb", 1, *POLL)[0] == 404
        status, headers, _ = scene.get("ok.pdb", 2)
        assert (status, "retry-after" in headers) == (503, True)
        status, headers, _ = scene.get("ok.pdb", 2, *POLL)
        assert (status, "retry-after" in headers) == (404, True)


@test
def row_30_a_server_without_sources_remembers_no_absence(place):
    with Scene(place, OLD, sources=[]) as scene:
        status, headers, body = scene.get("ok.pdb", 1, *POLL)
        assert (status, "retry-after" in headers, body) == (404, False, b""), headers
        scene.pdb("ok.pdb", 1)
        scene.symcache("ok.pdb", 1, 1, "3.1.0")
        until(lambda: scene.get("ok.pdb", 1)[0] == 200, "what is there is served", 30)


@test
def row_31_a_full_disk_is_nobodys_absence(place):
    with FaultServer({"ok.pdb": does.file(place.symbols.pdb_of(1))}) as upstream:
        sources = [{"id": "http", "type": "http", "url": upstream.url, "is_public": True}]
        with Scene(place, OLD, sources) as scene, no_file_beyond(scene.server.process.pid, 8192):
            status, headers, _ = scene.server.ask(f"/v3.1.0/ok.pdb/{place.symbols.guid_of(1)}/1")
            assert (status, "retry-after" in headers) == (503, True), (status, headers)


@test
def row_32_a_restart_forgets_no_client(place):
    with Scene(place, OLD) as scene:
        scene.pdb("ok.pdb", 1)
        scene.get("ok.pdb", 1, *POLL)
        scene.restart()
        assert scene.poll("ok.pdb", 1)[2] == made("ok.pdb")


@test
def row_36_a_better_version_cannot_be_made_any_more(place):
    with Scene(place, NEW) as scene:
        scene.symcache("ok.pdb", 1, 1, "3.1.0")
        until(lambda: scene.get("ok.pdb", 1, "If-Version-Exceeds: 3.1.0", version="3.2.0")[0] == 304, "304")
        assert scene.get("ok.pdb", 1, version="3.2.0")[0] == 200, "the old one"


@test
def row_76_a_known_tag_is_answered_with_304(place):
    with Scene(place, OLD) as scene:
        scene.symcache("ok.pdb", 1, 1, "3.1.0")
        tag = scene.get("ok.pdb", 1)[1]["etag"]
        status, headers, body = scene.get("ok.pdb", 1, f"If-None-Match: {tag}")
        assert (status, headers["etag"], body) == (304, tag, b"")


@test
def rows_78_and_79_clients_are_sent_to_another_server(place):
    with Nginx(Scene(place, OLD).directory, media_type="application/vnd.ms-symcache") as nginx:
        with Scene(place, OLD, settings={"symcache": {"redirect": {"to": f"{nginx.url}/"}}}) as scene:
            scene.symcache("a b.pdb", 1, 1, "3.1.0")
            status, headers, body = scene.get("a%20b.pdb", 1)
            assert (status, headers["content-type"], body) == (302, MEDIA + "3.1.0", b""), (status, headers)
            assert headers["location"] == f"{nginx.url}/a%20b.pdb/{1:032X}1/a%20b.pdb-v3.1.0.symcache", headers
            got = subprocess.run(["curl", "-sSL", "-w", "%{http_code} %{content_type}",
                                  f"{scene.server.url}/v3.1.0/a%20b.pdb/{1:032x}"], capture_output=True).stdout
            assert got == content("a b.pdb", "3.1.0") + b"200 application/vnd.ms-symcache", got


@test
def row_78_clients_are_sent_to_a_bucket_with_a_signed_url(place):
    there = Scene(place, OLD)
    there.symcache("a b.pdb", 1, 1, "3.1.0")
    with S3(there.directory) as s3:
        redirect = {"bucket": s3.bucket, "endpoint": s3.url, "path_style": True, "region": s3.region,
                    "access_key": s3.access_key, "secret_key": s3.secret_key}
        with Scene(place, OLD, settings={"symcache": {"redirect": redirect}}) as scene:
            url = f"{scene.server.url}/v3.1.0/a%20b.pdb/{1:032x}"
            got = subprocess.run(["curl", "-sSL", "-w", "%{http_code} %{content_type}", url],
                                 capture_output=True).stdout
            assert got == content("a b.pdb", "3.1.0") + b"200 " + (MEDIA + "3.1.0").encode(), got
            assert "response-content-type" in scene.get("a%20b.pdb", 1)[1]["location"]


@test
def the_status_says_why_there_is_none(place):
    with Scene(place, NEW) as scene:
        scene.pdb("exit_1.pdb", 1)
        scene.symcache("exit_1.pdb", 1, 1, "3.1.0")
        free = {"version": "3.2.0", "state": "free to make it", "under_way": False}
        assert scene.status("exit_1.pdb", 1)["transcoders"] == [free]
        assert scene.get("exit_1.pdb", 1, version="3.2.0")[0] == 200
        failed = functools.partial(scene.status, "exit_1.pdb", 1)
        until(lambda: failed()["transcoders"][0]["state"] == "unusable", "the transcoder has failed")
        said = failed()
        assert said["symcaches"][0]["version"] == "3.1.0" and said["sources"] == [], said
        assert said["transcoders"][0]["why"].startswith("exit status 1; it printed: cannot open the PDB"), said


@test
def row_80_http_1_0_is_answered_and_closed(place):
    with Scene(place, OLD) as scene:
        scene.symcache("ok.pdb", 1, 1, "3.1.0")
        with scene.server.connect() as client:
            client.sendall(f"GET /v3.1.0/ok.pdb/{1:032x}/1 HTTP/1.0\r\n\r\n".encode())
            status, headers, body = read_answer(client)
        assert (status, headers["connection"], body) == (200, "close", content("ok.pdb", "3.1.0"))


@test
def rows_90_and_91_what_is_being_sent_is_sent_to_its_end(place):
    with Scene(place, OLD) as scene:
        path = scene.symcache("ok.pdb", 1, 1, "3.1.0")
        path.write_bytes(bytes(8 << 20))
        scene.get("ok.pdb", 1)
        with scene.server.connect(receive_buffer=4096) as client:
            client.sendall(f"GET /v3.1.0/ok.pdb/{1:032x}/1 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            first = client.recv(100)
            path.unlink()
            ending = threading.Thread(target=scene.server.end)
            ending.start()
            rest = read_rest(client)
            ending.join()
        assert len(first) + len(rest) > 8 << 20


@test
def row_92_who_asks_too_often_is_told_to_come_back(place):
    with Scene(place, OLD, settings={"limits": {"requests_per_second": 1, "request_burst": 3}}) as scene:
        scene.symcache("ok.pdb", 1, 1, "3.1.0")
        assert scene.get("ok.pdb", 1)[0] == 200
        status, headers, body = until(lambda: not_200(scene.get("ok.pdb", 1)), "a refusal")
        assert (status, headers["retry-after"], headers["cache-control"], body) == (404, "1", "no-store", b""), headers
        status, headers, _ = until(lambda: not_200(scene.server.ask(f"/status/ok.pdb/{1:032x}")), "a refusal")
        assert (status, headers["retry-after"], headers["cache-control"]) == (429, "1", "no-store"), headers
        assert scene.server.ask("/healthcheck")[0] == 200
        until(lambda: scene.get("ok.pdb", 1)[0] == 200, "an answer after a while")


@test
def a_file_changes_under_those_who_read_it(place):
    wrk = shutil.which("wrk")
    if wrk is None:
        return print("skipped: wrk is not installed")
    versions = [f"{n:08}".encode() * (16_384 + n) for n in range(600)]
    with Scene(place, NO_TOOL) as scene, concurrent.futures.ThreadPoolExecutor(3) as pool:
        path = scene.symcache("ok.pdb", 1, 1, "3.1.0")
        path.write_bytes(versions[-1])
        load = subprocess.Popen([wrk, "-t1", "-c32", "-d1h", f"{scene.server.url}/v3.1.0/ok.pdb/{1:032x}"],
                                stdout=subprocess.PIPE, text=True)
        readers = [Reader(scene, set(versions)) for _ in range(3)]
        reading = [pool.submit(reader.read_on) for reader in readers]
        try:
            for number, version in enumerate(versions):
                before = readers[0].answers
                CHANGES[number % len(CHANGES)](path, version)
                until(lambda: readers[0].answers > before, "an answer meanwhile")
            replace(path, versions[0])
        finally:
            for reader in readers:
                reader.ending = True
            load.send_signal(signal.SIGINT)
        said = load.communicate()[0]
        wrong = [fault for done in reading for fault in done.result()]
        assert not wrong, wrong[:10]
        assert scene.server.alive() and int(re.search(r"(\d+) requests in", said).group(1)) > 600, said
        assert sum(reader.whole for reader in readers) > 100, [reader.whole for reader in readers]
        until(lambda: scene.get("ok.pdb", 1)[2] == versions[0], "the last version")


class Reader:
    """A client that asks until it is told to end, and looks at what it gets."""

    def __init__(self, scene, versions):
        self.scene, self.versions = scene, versions
        self.ending, self.answers, self.whole = False, 0, 0

    def read_on(self):
        faults = []
        while not self.ending:
            status, headers, body = self.scene.get("ok.pdb", 1)
            self.answers += 1
            if status != 200 or len(body) < int(headers["content-length"]):
                continue  # cut, or not there for a moment
            self.whole += 1
            groups = len(set(body[at:at + 8] for at in range(0, len(body), 8)))
            # A file that is written in place is, for a moment, the first pages of its content, to whoever looks.
            if body not in self.versions and (groups != 1 or len(body) % mmap.PAGESIZE != 0):
                faults.append((len(body), groups))
        return faults


def replace(path, content):
    new = path.with_name("new")
    new.write_bytes(content)
    new.replace(path)


CHANGES = (replace, lambda path, content: path.write_bytes(content), lambda path, _: path.unlink())


def not_200(answer):
    return None if answer[0] == 200 else answer


def read_rest(client):
    data = bytearray()
    while piece := client.recv(1 << 16):
        data += piece
    return data


@test
def every_failure_of_a_transcoder_is_an_answer(place):
    bad = ("exit_1", "exit_0_with_nothing", "empty", "two_versions", "other_pdb", "symlink", "hard_link", "fifo",
           "signal", "tells")
    good = ("leaves_child", "one_name", "floods", "writes_outside", "ok")
    with Scene(place, OLD) as scene, concurrent.futures.ThreadPoolExecutor(8) as pool:
        for number, name in enumerate(bad + good, 1):
            scene.pdb(f"{name}.pdb", number)
        numbers = range(1, len(bad + good) + 1)
        statuses = list(pool.map(lambda n: scene.get(f"{(bad + good)[n - 1]}.pdb", n)[0], numbers))
        assert dict(zip(bad + good, statuses)) == {**dict.fromkeys(bad, 404), **dict.fromkeys(good, 200)}
        runs = scene.tool_runs()
        assert scene.get("exit_1.pdb", 1)[0] == 404
        assert scene.tool_runs() == runs, "it is not tried again"
        _, log = scene.server.end()
    assert re.search(r"unusable exit_1\.pdb/\w+ v3.*: exit status 1; it printed: cannot open the PDB", log), log
    assert "\x1b" not in log


@dataclasses.dataclass
class Place:
    """What a test works with."""

    program: str
    symbols: Symbols
    part: str  # of the rows' numbers
    folder: pathlib.Path


def main():
    program, part = sys.argv[1], "".join(sys.argv[2:3])
    is_name = any(part in function.__name__ for function in runner.TESTS)
    with tempfile.TemporaryDirectory() as folder:
        symbols = Symbols(pathlib.Path(folder))
        return runner.run([part if is_name else "every_row"] if part else [],
                          lambda scratch: Place(program, symbols, "" if is_name else part, scratch))


if __name__ == "__main__":
    sys.exit(main())
