#!/usr/bin/env python3
"""trace_server_test.py SYMCACHED: `symbolicate --server` and `--explain`, with `serve` and servers that misbehave."""
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

import program
from program import symcached
from server import Server
from trace_test import LINKS, SOURCE, Built, addr2line, run, told


class Scripted:
    """A server that gives the answers of a list, one after the other: status, headers, body. The last one stays."""

    def __init__(self, test, answers):
        self.asked = []
        scripted = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                length = int(self.headers.get("Content-Length", 0))
                scripted.asked.append((self.command, self.path, self.headers, self.rfile.read(length)))
                status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
                self.send_response(status)
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        test.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"


COMPLETED = {"status": "completed", "modules": [{"debug_status": "found"}], "stacktraces": [{"frames": [
    {"status": "symbolicated", "original_index": 0, "instruction_addr": "0x1", "function": "poke", "abs_path": "/s/a.c",
     "lineno": 7}]}]}
LINE = "    #1 0x7f21c0a4111a  (/opt/any+0x1234) (BuildId: 4f2c00112233445566778899aabbccddeeff0011)\n"


class AtAServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.built = Built(cls.folder / "pie", "srv", [*LINKS["pie"], "-O2", "-Wl,--build-id"], SOURCE)
        notes = run("readelf", "-n", cls.built.stripped).stdout
        cls.build_id = re.search(r"Build ID: (\w+)", notes)[1]
        place = cls.folder / "store" / ".build-id" / cls.build_id[:2] / f"{cls.build_id[2:]}.debug"
        place.parent.mkdir(parents=True)
        place.write_bytes((cls.built.folder / "srv.debug").read_bytes())
        cls.server = Server(program.PROGRAM, cls.folder / "cache", cls.folder / "store")
        cls.addClassCleanup(cls.server.end)

    def code(self):
        """Addresses of instructions of the program's own functions."""
        listing = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=main", self.built.whole).stdout
        return [int(line.split(":")[0], 16) for line in listing.splitlines() if re.match(r"\s+[0-9a-f]+:\t", line)]

    def line(self, address, build_id=None):
        return f"    #1 {address:#x}  (/opt/srv+{address:#x}) (BuildId: {build_id or self.build_id})\n"

    def frames(self, text, *options):
        done = symcached("symbolicate", "-", "--json", *options, stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_server_says_what_files_here_say(self):
        text = "".join(self.line(address) for address in self.code())
        there = self.frames(text, "--server", self.server.url)
        here = self.frames(text, "--symbols", self.built.symbols)
        self.assertEqual([told(frame) for frame in there], [told(frame) for frame in here])
        self.assertEqual([frame["lookup"] for frame in there], [frame["lookup"] for frame in here])
        self.assertGreater(len(there), 5)
        plain = symcached("symbolicate", "-", "--server", self.server.url, stdin=text).stdout
        self.assertRegex(plain, r"(?m) in main .* at /.*srv\.c:\d+")

    def test_a_long_text(self):
        addresses = self.code()
        text = "".join(self.line(addresses[i % len(addresses)]) for i in range(100_000))
        frames = self.frames(text, "--server", self.server.url)
        self.assertEqual(len(frames), 100_000)
        for frame in frames[::9_973]:
            self.assertEqual(told(frame), addr2line(self.built.whole, frame["lookup"]))

    def test_a_perf_script_with_build_ids(self):
        addresses, base = self.code()[1:], 0x7F0000000000
        text = (f"srv 1 5.5: PERF_RECORD_MMAP2 1/1: [{base + 0x1000:#x}(0x1000) @ 0x1000 <{self.build_id}>]: "
                "r-xp /opt/srv\n")
        text += "".join(f"srv 1 [000] 5.5: 1 cycles:\n\t    {base + address:x} [unknown] (/opt/srv)\n"
                        f"\t    {base + address:x} [unknown] (/opt/srv)\n\n" for address in addresses)
        frames = self.frames(text, "--server", self.server.url)
        self.assertEqual({frame["status"] for frame in frames}, {"unverified"})
        for frame, address in zip(frames[1::2], addresses):
            self.assertEqual(told(frame), addr2line(self.built.whole, hex(address - 1)))

    def test_why_there_is_nothing(self):
        known, unknown = self.code()[1], "ab" * 20
        text = self.line(known) + self.line(0x10) + self.line(0x10, unknown) + "/opt/other(+0x1198) [0x5623fbf08198]\n"
        *frames, last = self.frames(text, "--server", self.server.url, "--explain")
        self.assertEqual(len(frames), 4)
        reasons = {(one["module"], one["reason"]): one for one in last["explanations"]}
        missing = reasons["/opt/srv", "no source has a debug file for this id"]
        self.assertIn(unknown, missing["fix"])
        self.assertIn("notfound", {place["status"] for place in missing["asked"]})
        self.assertIn(("/opt/other", "this module has no id that its files can be found by"), reasons)
        self.assertTrue(any("outside every function" in reason for _, reason in reasons), reasons)
        done = symcached("symbolicate", "-", "--server", self.server.url, "--explain", stdin=text)
        self.assertIn("no source has a debug file for this id", done.stderr)
        self.assertIn("  fix: upload the debug file of srv with build id", done.stderr)

    def test_why_there_is_nothing_here(self):
        text = self.line(self.code()[1], "ab" * 20) + "/opt/nobody(+0x1198) [0x5623fbf08198]\n"
        done = symcached("symbolicate", "-", "--symbols", self.built.symbols, "--explain", stdin=text)
        self.assertEqual(done.returncode, 0)
        for wanted in (f"id is {self.build_id}, expected {'ab' * 20}", "no source has a file of this name",
                       f"fix: give --symbols a place that has the debug file of srv with build id {'ab' * 20}",
                       f"{self.built.symbols}/**/nobody*: not found"):
            self.assertIn(wanted, done.stderr)
        elsewhere = Scripted(self, [(401, {}, b"no")])
        *_, last = self.frames(text, "--symbols", elsewhere.url, "--explain")
        self.assertIn("demands credentials", last["explanations"][1]["reason"])

    def test_a_server_that_is_slow_and_busy(self):
        scripted = Scripted(self, [
            (503, {"Retry-After": "1"}, {"detail": "too many"}),
            (200, {}, {"status": "pending", "request_id": "12-ab", "retry_after": 1}),
            (429, {"Retry-After": "1"}, b""),
            (200, {}, {"status": "pending", "request_id": "12-ab", "retry_after": 30}),
            (200, {}, COMPLETED)])
        done = subprocess.run([program.PROGRAM, "symbolicate", "-", "--server", scripted.url + "/api/"], input=LINE,
                              capture_output=True, text=True, env={"SYMCACHED_TOKEN": "s3cret"})
        self.assertRegex(done.stdout, "in poke .* at /s/a.c:7", done.stderr)
        self.assertEqual([(method, path) for method, path, _, _ in scripted.asked],
                         [("POST", "/api/symbolicate?timeout=20"), ("POST", "/api/symbolicate?timeout=20"),
                          ("GET", "/api/requests/12-ab?timeout=1"), ("GET", "/api/requests/12-ab?timeout=1"),
                          ("GET", "/api/requests/12-ab?timeout=20")])
        self.assertEqual({headers["Authorization"] for _, _, headers, _ in scripted.asked}, {"Bearer s3cret"})
        module, = json.loads(scripted.asked[0][3])["modules"]
        self.assertEqual((module["type"], module["code_file"]), ("elf", "/opt/any"))

    def test_what_goes_wrong(self):
        rows = [  # what the server answers; what is said of it
            ((404, {}, b""), "HTTP status 404; is this a server with Symbolicator's API?"),
            ((403, {}, {"detail": "not you"}), "HTTP status 403: not you; it wants credentials, or others"),
            ((500, {}, b"<html>"), "HTTP status 500"),
            ((200, {}, {"hello": "world"}), "the answer has no status; this is no server with Symbolicator's API"),
            ((200, {}, b"<html>"), "the answer is no JSON object"),
            ((200, {}, {"status": "failed", "message": "too many frames"}),
             "the server ended the request as failed: too many frames"),
            ((503, {"Retry-After": "5000"}, {"detail": "later"}), "HTTP status 503: later"),
        ]
        for answer, wanted in rows:
            with self.subTest(wanted):
                scripted = Scripted(self, [answer])
                done = symcached("symbolicate", "-", "--server", scripted.url, "--header", "X-Key: s3cret", stdin=LINE)
                self.assertEqual((done.returncode, done.stdout), (1, LINE), done.stderr)
                self.assertIn(f"{scripted.url}: {wanted}", done.stderr)
                self.assertNotIn("s3cret", done.stderr)
                self.assertEqual(len(scripted.asked), 1)
        for options in (("--server", "ftp://x"), ("--server", "http://x", "--symbols", "."), ("--header", "A: b"),
                        ("--server", "http://x", "--header", "nothing")):
            self.assertEqual(symcached("symbolicate", "-", *options, stdin="").returncode, 2, options)


if __name__ == "__main__":
    program.main()
