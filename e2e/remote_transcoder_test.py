#!/usr/bin/env python3
"""Transcoders on other machines: a worker that speaks as contrib/transcode-worker.ps1 does, and one that goes wrong.

Usage: e2e/remote_transcoder_test.py PATH_TO_SYMCACHED [PART_OF_A_TEST'S_NAME]
"""
import concurrent.futures
import dataclasses
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import uuid

from components import runner
from components.runner import test
from server import Symbols, until
from symcache_rows import MEDIA, NO_TOOL, OLD, POLL
from symcache_scene import FAKE, Scene, made

TOKEN = "of-the-workers"
NO_LEASE = "0" * 32
VERSION = "3.1.0"


def remote_scene(place, **remote):
    return Scene(place, NO_TOOL, settings={"symcache": {"remote": {"token": TOKEN, "majors": [VERSION], **remote}}})


class Worker:
    """Every method is one request, and returns (status, headers by lower-case name, body)."""

    def __init__(self, scene, token=TOKEN, majors=(3,), prefix=""):
        self.scene, self.token, self.majors, self.prefix = scene, token, list(majors), prefix

    def ask(self, method, path, body=None, media="application/json; charset=utf-8", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.scene.server.port, timeout=60)
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent |= {"Content-Type": media} if body is not None else {}
        connection.request(method, f"{self.prefix}/transcode{path}", body, {**sent, **(headers or {})})
        answer = connection.getresponse()
        got = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return got

    def say(self, path, value):
        return self.ask("POST", path, json.dumps(value).encode())

    def lease(self):
        """A job; None if there is none."""
        status, headers, body = self.say("/lease", {"worker": "BUILD-07", "majors": self.majors})
        assert (status, headers["cache-control"]) in ((200, "no-store"), (204, "no-store")), (status, headers, body)
        return json.loads(body) if status == 200 else None

    def wait_for_lease(self):
        return until(self.lease, "a job for the worker")

    def pdb(self, lease, **headers):
        return self.ask("GET", f"/lease/{lease['lease']}/pdb", headers=headers)

    def renew(self, lease):
        return self.ask("POST", f"/lease/{lease['lease']}/renew", b"{}")

    def fail(self, lease, why):
        return self.say(f"/lease/{lease['lease']}/fail", {"why": why})

    def put(self, lease, data, version=VERSION):
        return self.ask("PUT", f"/lease/{lease['lease']}?version={version}", data, "application/vnd.ms-symcache")

    def run_tool(self, command, environment, lease):
        """Renews the lease meanwhile. Returns what went wrong, or None."""
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while True:
            try:
                output, errors = process.communicate(timeout=max(1, lease["lease_seconds"] // 3))
                break
            except subprocess.TimeoutExpired:
                self.renew(lease)
        return f"exit status {process.returncode}: {output} {errors}" if process.returncode != 0 else None

    def work(self):
        """One job from its lease to its end, as the script for Windows does it. Returns the job and its last status."""
        lease = self.wait_for_lease()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("pdb", "out", "symbols"):
                (folder / part).mkdir()
            status, headers, body = self.pdb(lease)
            assert (status, len(body)) == (200, lease["pdb_size"]), (status, headers)
            pdb = folder / "pdb" / lease["pdb_name"]
            pdb.write_bytes(body)
            environment = {**os.environ, "_NT_SYMCACHE_PATH": str(folder / "out"), "VERSION": VERSION,
                           "_NT_SYMBOL_PATH": str(folder / "symbols")}
            errors = self.run_tool([sys.executable, FAKE, "-pdb", pdb], environment, lease)
            found = [path for path in (folder / "out").rglob("*.symcache") if path.stat().st_size > 0]
            if errors is not None:
                return lease, self.fail(lease, errors)[0]
            version = re.search(r"-v(\d+\.\d+\.\d+)\.symcache$", found[0].name).group(1)
            return lease, self.put(lease, found[0].read_bytes(), version)[0]


def ask_in_background(pool, scene, name, number):
    """A client that is held until there is an answer."""
    scene.pdb(name, number)
    return pool.submit(scene.get, name, number)


@test
def a_client_is_held_until_the_worker_delivers(place):
    with remote_scene(place) as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "ok.pdb", 1)
        lease, status = Worker(scene).work()
        assert status == 204
        assert re.fullmatch("[0-9a-f]{32}", lease["lease"]), lease
        assert (lease["pdb_name"], lease["major"], lease["lease_seconds"]) == ("ok.pdb", 3, 120), lease
        assert lease["pdb_id"] == f"{1:032X}1" and uuid.UUID(lease["pdb_id"][:32]).int == 1
        status, headers, body = held.result()
        assert (status, headers["content-type"], body) == (200, MEDIA + VERSION, made("ok.pdb")), (status, headers)
        assert scene.versions("ok.pdb", 1) == VERSION
        assert Worker(scene).lease() is None


@test
def a_client_that_polls_gets_it_when_it_is_there(place):
    with remote_scene(place) as scene:
        scene.pdb("ok.pdb", 1)
        status, headers, _ = scene.get("ok.pdb", 1, *POLL)
        assert (status, "retry-after" in headers) == (404, True)
        assert Worker(scene).work()[1] == 204
        assert scene.poll("ok.pdb", 1)[2] == made("ok.pdb")


@test
def a_worker_delivers_behind_a_prefix(place):
    with remote_scene(place) as scene:
        scene.pdb("ok.pdb", 1)
        scene.get("ok.pdb", 1, *POLL)
        assert Worker(scene, prefix="/Team/symcache").work()[1] == 204
        assert scene.poll("ok.pdb", 1)[2] == made("ok.pdb")


@test
def parts_of_the_pdb_can_be_asked_for(place):
    with remote_scene(place) as scene:
        pdb = scene.pdb("ok.pdb", 1).read_bytes()
        scene.get("ok.pdb", 1, *POLL)
        worker = Worker(scene)
        lease = worker.wait_for_lease()
        status, headers, body = worker.pdb(lease)
        assert (status, headers["content-type"], body) == (200, "application/octet-stream", pdb)
        status, headers, body = worker.pdb(lease, Range="bytes=10-19")
        assert (status, headers["content-range"], body) == (206, f"bytes 10-19/{len(pdb)}", pdb[10:20])


@test
def the_job_of_a_worker_that_dies_goes_to_another(place):
    with remote_scene(place, lease="5s") as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "ok.pdb", 1)
        worker = Worker(scene)
        first = worker.wait_for_lease()
        assert worker.renew(first)[::2] == (200, b'{"lease_seconds":5}')
        second, status = worker.work()
        assert status == 204 and second["lease"] != first["lease"]
        assert [worker.pdb(first)[0], worker.renew(first)[0], worker.fail(first, "late")[0],
                worker.put(first, b"late")[0]] == [410] * 4
        assert held.result()[2] == made("ok.pdb")


@test
def a_job_that_no_worker_comes_back_with_says_nothing_of_the_pdb(place):
    with remote_scene(place, lease="1s") as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "ok.pdb", 1)
        worker = Worker(scene)
        for _ in range(3):
            worker.wait_for_lease()
        status, headers, _ = held.result()
        assert (status, "retry-after" in headers) == (503, True), (status, headers)
        scene.get("ok.pdb", 1, *POLL)
        assert worker.wait_for_lease(), "it is tried again"
        assert "3 workers took it, and none came back with it" in scene.server.end()[1]


@test
def a_failure_is_remembered(place):
    with remote_scene(place) as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "exit_1.pdb", 1)
        worker = Worker(scene)
        assert worker.work()[1] == 204
        assert held.result()[0] == 404
        assert scene.get("exit_1.pdb", 1)[0] == 404
        assert worker.lease() is None, "it is not tried again"
        said = json.loads(scene.server.ask(f"/status/exit_1.pdb/{1:032x}")[2])["transcoders"][0]
        assert said["why"].startswith("exit status 1:  cannot open the PDB"), said
        _, log = scene.server.end()
        assert "\x1b" not in log and TOKEN not in log


@test
def a_version_that_was_not_asked_for_is_refused(place):
    with remote_scene(place) as scene:
        scene.pdb("ok.pdb", 1)
        scene.get("ok.pdb", 1, *POLL)
        worker = Worker(scene)
        lease = worker.wait_for_lease()
        for version in ("4.0.0", "2.9.0"):
            assert worker.put(lease, b"symcache", version)[0] == 409, version
        assert worker.put(lease, b"symcache", "3.1")[0] == 400
        assert worker.put(lease, made("ok.pdb"), "3.2.5")[0] == 204, "another one of its major version is kept"
        until(lambda: scene.versions("ok.pdb", 1) == "3.2.5", "it is published")


@test
def what_arrives_cut_can_be_sent_again(place):
    with remote_scene(place, max_output="1MiB") as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "ok.pdb", 1)
        worker = Worker(scene)
        lease = worker.wait_for_lease()
        head = (f"PUT /transcode/lease/{lease['lease']}?version={VERSION} HTTP/1.1\r\nHost: x\r\n"
                f"Authorization: Bearer {TOKEN}\r\n").encode()

        def uploads():
            return list((scene.directory / ".symcached").rglob("upload-*"))
        with scene.server.connect() as client:
            client.sendall(head + b"Content-Length: 100000\r\n\r\n" + bytes(50_000))
            until(uploads, "the upload has begun")
        until(lambda: not uploads(), "the part is removed")
        assert worker.renew(lease)[0] == 200, "the lease is as it was"
        with scene.server.connect() as client:  # as PowerShell 5.1 does
            client.sendall(head + b"Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 413 "), "more than there may be, before it is sent"
        with scene.server.connect() as client:
            client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 400 "), "no Content-Length"
        assert worker.put(lease, b"")[0] == 400
        body = os.urandom(1 << 20)  # more than the server keeps in memory
        assert worker.put(lease, body)[0] == 204
        assert held.result()[2] == body


@test
def nobody_without_the_token_learns_anything(place):
    with remote_scene(place) as scene:
        scene.pdb("ok.pdb", 1)
        scene.get("ok.pdb", 1, *POLL)
        lease = Worker(scene).wait_for_lease()
        for token in ("", "wrong", TOKEN + "x", TOKEN[:-1]):
            worker = Worker(scene, token)
            answers = [worker.pdb(lease), worker.renew(lease), worker.fail(lease, "why"), worker.put(lease, b"x" * 10),
                       worker.say("/lease", []), worker.ask("GET", "/no/such/path"), worker.ask("DELETE", "/lease"),
                       worker.ask("OPTIONS", "/lease"), worker.ask("POST", "/lease", b"{" * 20_000)]
            assert [status for status, _, _ in answers] == [401] * len(answers), [status for status, _, _ in answers]
            assert all(headers["www-authenticate"].startswith("Bearer ") and not body for _, headers, body in answers)
        assert Worker(scene).renew(lease)[0] == 200
        assert scene.server.ask("/open/v2.1.0/x.pdb/1", f"Authorization: Bearer {TOKEN}")[0] != 401


@test
def leases_of_nobody_and_requests_that_make_no_sense(place):
    with remote_scene(place) as scene:
        worker = Worker(scene)
        other = {"lease": NO_LEASE}
        assert [worker.pdb(other)[0], worker.renew(other)[0], worker.fail(other, "why")[0],
                worker.put(other, b"x")[0]] == [410] * 4
        for bad in ([], {"worker": "w"}, {"worker": "w", "majors": []}, {"worker": "w" * 65, "majors": [3]}):
            assert worker.say("/lease", bad)[0] == 400, bad
        assert worker.say(f"/lease/{NO_LEASE}/fail", {})[0] == 400
        assert worker.ask("POST", "/lease", b" " * (16 << 10))[0] == 400
        assert worker.ask("POST", "/lease", b" " * (16 << 10) + b" ")[0] == 413
        assert (worker.ask("GET", "/lease")[0], worker.ask("GET", "/other")[0]) == (405, 404)
        scene.pdb("ok.pdb", 1)
        scene.get("ok.pdb", 1, *POLL)
        assert Worker(scene, majors=(4, 5)).lease() is None, "it makes other versions"


@test
def programs_here_do_not_wait_for_workers_elsewhere(place):
    settings = {"symcache": {"max_running": 1, "remote": {"token": TOKEN, "majors": ["4.0.0"]}}}
    with Scene(place, OLD, settings=settings) as scene:
        for number in range(1, 4):
            scene.pdb("ok.pdb", number)
            scene.get("ok.pdb", number, *POLL, version="4.0.0")
        worker = Worker(scene, majors=(4,))
        until(worker.lease, "a job waits for a worker")
        scene.pdb("ok.pdb", 5)
        assert scene.get("ok.pdb", 5)[0] == 200, "made here"


@test
def the_server_stops_with_jobs_that_wait(place):
    with remote_scene(place) as scene, concurrent.futures.ThreadPoolExecutor() as pool:
        held = ask_in_background(pool, scene, "ok.pdb", 1)
        Worker(scene).wait_for_lease()
        status, log = scene.server.end()
        assert status == 0, log
        assert held.result()[0] in (404, 503)
        assert not list((scene.directory / ".symcached").rglob("upload-*"))


@dataclasses.dataclass
class Place:
    """What a test works with."""

    program: str
    symbols: Symbols
    folder: pathlib.Path


def main():
    program, parts = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        symbols = Symbols(pathlib.Path(folder))
        return runner.run(parts, lambda scratch: Place(program, symbols, scratch))


if __name__ == "__main__":
    sys.exit(main())
