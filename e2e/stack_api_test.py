#!/usr/bin/env python3
"""Stack traces over HTTP: POST /symbolicate and GET /requests, with symbol servers that answer well and badly; /proxy.

Usage: e2e/stack_api_test.py PATH_TO_SYMCACHED
"""
import contextlib
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

from server import Server, Symbols

SOURCE = """\
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
static inline __attribute__((always_inline)) int folded(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) int caller(int x) {
  int twice = folded(x);
  return twice + 2;
}
int main(int argc, char **argv) { return caller(argc); }
"""
BASE = 0x7F0000000000
NOTHING = {"has_debug_info": False, "has_unwind_info": False, "has_symbols": False, "has_sources": False}


class Upstream:
    """A symbol server: the first segment of a path says how it behaves, the rest is a file of its folder."""

    def __init__(self, folder):
        self.folder, self.asked, self.tokens, self.gate = folder, [], [], threading.Event()
        self.pace = 0  # seconds for a file that comes late
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                upstream.answer(self)

            do_HEAD = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a server that ends closes its connections
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request):
        mode, _, rest = request.path.lstrip("/").partition("/")
        self.asked.append(request.path)
        self.tokens.append((request.path, request.headers.get("X-Token")))
        if mode == "late":
            self.gate.wait(60)
            time.sleep(self.pace)
        file = self.folder / rest.partition("?")[0]
        status, body = (200, file.read_bytes()) if file.is_file() else (404, b"")
        if mode.isdigit():
            status, body = int(mode), b"no"
        if mode == "garbage":
            status, body = 200, b"\x07garbage" * 300
        with contextlib.suppress(OSError):
            request.send_response(status)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            if request.command == "GET":
                request.wfile.write(body)

    def source(self, mode="ok", **more):
        return {"type": "http", "id": mode, "url": f"{self.url}/{mode}/", "layout": {"type": "native"}, **more}


class Program:
    """A program of ours with its debug file apart, and what addr2line says of it."""

    def __init__(self, folder, store):
        folder.mkdir()
        self.path, source = folder / "prog", folder / "prog.c"
        source.write_text(SOURCE)
        options = ["-g", "-O2", "-fPIE", "-pie", "-Wl,--build-id=sha1"]
        subprocess.run(["gcc", *options, "-o", self.path, source], check=True)
        notes = subprocess.run(["readelf", "-n", self.path], check=True, capture_output=True, text=True).stdout
        self.build_id = next(line.split()[-1] for line in notes.splitlines() if "Build ID" in line)
        place = store / self.build_id[:2] / self.build_id[2:]
        place.parent.mkdir(parents=True)
        subprocess.run(["objcopy", "--only-keep-debug", self.path, f"{place}.debug"], check=True)
        self.debug = pathlib.Path(f"{place}.debug")
        symbols = subprocess.run(["nm", self.path], check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in symbols.splitlines() if len(line.split()) == 3]
        self.symbols = {name: int(address, 16) for address, _, name in rows}

    def return_address(self):
        """Behind the first call in caller()."""
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=caller", self.path], check=True,
                              capture_output=True, text=True).stdout.splitlines()
        call = next(i for i, line in enumerate(text) if "\tcall" in line)
        return int(text[call + 1].split(":")[0], 16)

    def expected(self, address):
        """Functions and lines, innermost first."""
        out = subprocess.run(["addr2line", "-i", "-f", "-e", self.path, hex(address)], check=True, capture_output=True,
                             text=True).stdout.splitlines()
        return [(out[i], int(out[i + 1].rsplit(":", 1)[1].split()[0])) for i in range(0, len(out), 2)]

    def module(self, **more):
        return {"type": "elf", "code_id": self.build_id, "code_file": "/opt/prog", "image_addr": hex(BASE),
                "image_size": 0x10000, **more}


class Scene:
    upstream_class = Upstream

    def __init__(self, folder, symcached):
        self.folder, self.symcached = folder, symcached
        self.upstream = self.upstream_class(folder / "store")
        self.program = Program(folder / "program", folder / "store")
        self.config = folder / "symcached.yml"
        self.config.write_text(json.dumps({"cache_dir": str(folder / "cache"), "connect_to_reserved_ips": True,
                                           "max_download_timeout": "20s", "deny_list_enabled": False,
                                           "sources": [self.upstream.source("ok", is_public=True)]}))
        self.server = self.start()

    def start(self):
        return Server(self.symcached, None, options=["--config", self.config])

    def request(self, source="ok", frames=None, **options):
        frames = frames or [{"instruction_addr": hex(BASE + self.program.symbols["leaf"])},
                            {"instruction_addr": hex(BASE + self.program.return_address())}]
        sources = [self.upstream.source(source)] if isinstance(source, str) else source
        return {"stacktraces": [{"frames": frames}], "modules": [self.program.module()], "sources": sources,
                "options": {"dif_candidates": True, **options}}

    def get(self, path, method="GET", **headers):
        """@return status, headers and body"""
        asked = urllib.request.Request(self.server.url + path, None, headers, method=method)
        try:
            answer = urllib.request.urlopen(asked, timeout=60)
        except urllib.error.HTTPError as refused:
            answer = refused
        return answer.status, answer.headers, answer.read()

    def ask(self, path, body=None, method=None, headers=None):
        """@return status and, where the answer is JSON, what it says"""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = headers if headers is not None else {"Content-Type": "application/json"} if data is not None else {}
        asked = urllib.request.Request(self.server.url + path, data, headers, method=method)
        try:
            answer = urllib.request.urlopen(asked, timeout=60)
        except urllib.error.HTTPError as refused:
            answer = refused
        text = answer.read()
        return answer.status, json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text


def frames_are_named(scene):
    status, answer = scene.ask("/symbolicate?scope=named", scene.request())
    assert status == 200 and answer["status"] == "completed", answer
    frames = answer["stacktraces"][0]["frames"]
    back = scene.program.return_address()
    want = scene.program.expected(scene.program.symbols["leaf"])[-1:] + scene.program.expected(back - 1)
    assert [(f.get("function"), f.get("lineno")) for f in frames] == want, (frames, want)
    assert [f["original_index"] for f in frames] == [0, 1, 1], frames
    assert frames[-1]["instruction_addr"] == hex(BASE + back - 1) and frames[-1]["package"] == "/opt/prog", frames
    module = answer["modules"][0]
    assert (module["debug_status"], module["arch"]) == ("found", "x86_64"), module
    assert module["features"] == {**NOTHING, "has_debug_info": True, "has_symbols": True}, module


def the_cache_says_the_same_and_asks_nobody(scene):
    for mode in ("ok", "404", "500", "403", "garbage"):
        path = f"/symbolicate?scope=twice-{mode}"
        first = scene.ask(path, scene.request(mode))
        asked = len(scene.upstream.asked)
        assert scene.ask(path, scene.request(mode)) == first, mode
        assert len(scene.upstream.asked) == asked, (mode, scene.upstream.asked[asked:])


def statuses_and_candidates(scene):
    failed = "download failed: "
    rows = [  # what the server does; the module, its frames; download and details of the debug file
        ("404", "missing", "missing", {"status": "notfound"}),
        ("400", "missing", "missing", {"status": "notfound"}),
        ("401", "fetching_failed", "missing", {"status": "noperm", "details": "401 Unauthorized"}),
        ("403", "fetching_failed", "missing", {"status": "noperm", "details": "403 Forbidden"}),
        ("429", "fetching_failed", "missing", {"status": "error", "details": f"{failed}429 Too Many Requests"}),
        ("500", "fetching_failed", "missing", {"status": "error", "details": f"{failed}500 Internal Server Error"}),
        ("garbage", "malformed", "malformed", {"status": "malformed"}),
    ]
    for mode, module_status, frame_status, download in rows:
        _, answer = scene.ask(f"/symbolicate?scope=status-{mode}", scene.request(mode))
        module, frames = answer["modules"][0], answer["stacktraces"][0]["frames"]
        assert module["debug_status"] == module_status, (mode, module)
        assert {f["status"] for f in frames} == {frame_status}, (mode, frames)
        debug = next(c for c in module["candidates"] if c["location"].endswith(".debug"))
        assert debug["download"] == download, (mode, debug)


def a_large_request_is_answered(scene):
    leaf = hex(BASE + scene.program.symbols["leaf"])
    frames = [{"instruction_addr": leaf, "adjust_instruction_addr": False}] * 20_000
    status, answer = scene.ask("/symbolicate?scope=large", scene.request(frames=frames))
    assert status == 200, answer
    named = [f["function"] for f in answer["stacktraces"][0]["frames"]]
    assert named == ["leaf"] * len(frames), named[:3]


def each_candidate_is_listed_once(scene):
    _, answer = scene.ask("/symbolicate?scope=listed", scene.request())
    candidates = answer["modules"][0]["candidates"]
    places = [c["location"] for c in candidates]
    id_path = f"{scene.upstream.url}/ok/{scene.program.build_id[:2]}/{scene.program.build_id[2:]}"
    assert places == sorted(set(places)) and {id_path, id_path + ".debug", id_path + ".src.zip"} <= set(places), places
    used = [c["location"] for c in candidates if "debug" in c]
    assert used == [id_path + ".debug"], candidates


def one_bad_source_does_not_hide_a_good_one(scene):
    sources = [scene.upstream.source("500"), {"type": "ftp", "id": "odd"}, scene.upstream.source("ok")]
    status, answer = scene.ask("/symbolicate?scope=several", scene.request(sources))
    assert status == 200 and answer["modules"][0]["debug_status"] == "found", answer


def a_failure_is_that_of_its_sources_alone(scene):
    path = "/symbolicate?scope=shared"
    assert scene.ask(path, scene.request("403"))[1]["modules"][0]["debug_status"] == "fetching_failed"
    assert scene.ask(path, scene.request("404"))[1]["modules"][0]["debug_status"] == "missing"
    assert scene.ask(path, scene.request("ok"))[1]["modules"][0]["debug_status"] == "found"
    assert scene.ask(path, scene.request("403"))[1]["modules"][0]["debug_status"] == "found", "its scope has it"


def scopes_do_not_see_each_other(scene):
    assert scene.ask("/symbolicate?scope=mine", scene.request())[1]["modules"][0]["debug_status"] == "found"
    for scope in ("yours", "a%2Fb..%00", "x" * 300):
        answer = scene.ask(f"/symbolicate?scope={scope}", scene.request([]))[1]
        assert answer["modules"][0]["debug_status"] == "missing", (scope, answer)
    shared = scene.request([scene.upstream.source("ok", is_public=True)])
    assert scene.ask("/symbolicate?scope=vouching", shared)[1]["modules"][0]["debug_status"] == "found"
    answer = scene.ask("/symbolicate?scope=trusting", scene.request([]))[1]
    assert answer["modules"][0]["debug_status"] == "missing", "a client vouched for a source"


def another_id_is_never_used(scene):
    other = scene.program.module(code_id="ab" * 20)
    place = scene.folder / "store" / "ab" / ("ab" * 19 + ".debug")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(scene.program.debug.read_bytes())
    request = {**scene.request(), "modules": [other]}
    answer = scene.ask("/symbolicate?scope=other", request)[1]
    assert answer["modules"][0]["debug_status"] == "malformed", answer
    assert {f["status"] for f in answer["stacktraces"][0]["frames"]} == {"malformed"}, answer


def a_long_request_is_polled(scene):
    scene.upstream.gate.clear()
    status, answer = scene.ask("/symbolicate?scope=late&timeout=0", scene.request("late"))
    assert status == 200 and answer["status"] == "pending" and 1 <= answer["retry_after"] <= 30, answer
    path = f"/requests/{answer['request_id']}"
    assert scene.ask(path + "?timeout=0")[1]["status"] == "pending"
    scene.upstream.gate.set()
    done = scene.ask(path)[1]
    assert done["status"] == "completed" and done["modules"][0]["debug_status"] == "found", done
    assert scene.ask(path)[1] == done, "once more"


def a_request_outlives_the_server(scene):
    scene.upstream.gate.clear()
    request_id = scene.ask("/symbolicate?scope=outlives&timeout=0", scene.request("late"))[1]["request_id"]
    scene.upstream.gate.set()
    done = scene.ask(f"/requests/{request_id}")[1]
    assert done["status"] == "completed", done
    scene.upstream.gate.clear()
    unfinished = scene.ask("/symbolicate?scope=unfinished&timeout=0", scene.request("late"))[1]["request_id"]
    status, log = scene.server.end()
    assert status == 0, log
    scene.upstream.gate.set()
    scene.server = scene.start()
    assert scene.ask(f"/requests/{request_id}")[1] == done
    answer = scene.ask(f"/requests/{unfinished}")[1]
    assert answer["status"] == "completed" and answer["modules"][0]["debug_status"] == "found", answer


def what_is_wrong_is_refused(scene):
    deep = b"[" * 100_000
    rows = [  # path, body, headers, status
        ("/symbolicate", b"{", None, 400),
        ("/symbolicate", b"", None, 400),
        ("/symbolicate", b"[]", None, 422),
        ("/symbolicate", deep, None, 413),
        ("/symbolicate", b"{}" + b" " * (56 << 20), None, 413),
        ("/symbolicate", b"{}", {"Content-Type": "text/plain"}, 415),
        ("/symbolicate", b"{}", {"Content-Type": "application/json; charset=utf-8"}, 200),
        ("/symbolicate?timeout=soon", b"{}", None, 400),
        ("/symbolicate?timeout=-1", b"{}", None, 400),
        ("/requests/00000000-0000-0000-0000-000000000000", None, None, 404),
        ("/requests/..%2f..", None, None, 404),
        ("/symbolicate", None, None, 405),
    ]
    for path, body, headers, want in rows:
        with contextlib.suppress(urllib.error.URLError):  # a body that is refused unread may end the connection
            status, _ = scene.ask(path, body, "GET" if body is None else "POST", headers)
            assert status == want, (path, (body or b"")[:20], status)


def folders_of_the_server_are_not_for_requests(scene):
    local = {"type": "filesystem", "id": "f", "path": str(scene.folder / "store"), "layout": {"type": "native"}}
    answer = scene.ask("/symbolicate?scope=local", scene.request([local]))[1]
    assert answer["modules"][0]["debug_status"] == "missing", answer


def debuggers_get_the_files_themselves(scene):
    path = f"/proxy/_.debug/elf-buildid-sym-{scene.program.build_id}/_.debug"
    whole = scene.program.debug.read_bytes()
    status, headers, body = scene.get(path)
    assert (status, body) == (200, whole) and headers["Content-Type"] == "application/octet-stream", status
    rows = [  # headers; status and body
        ({"Range": "bytes=4-9"}, 206, whole[4:10]),
        ({"Range": f"bytes={len(whole)}-"}, 416, None),
        ({"If-None-Match": headers["ETag"]}, 304, b""),
        ({"If-None-Match": '"other"'}, 200, whole),
    ]
    for sent, want, content in rows:
        status, _, body = scene.get(path, **sent)
        assert status == want and content in (None, body), (sent, status)
    status, headers, body = scene.get(path, "HEAD")
    assert (status, headers["Content-Length"], body) == (200, str(len(whole)), b""), status
    asked = len(scene.upstream.asked)
    assert scene.get(path)[0] == 200 and len(scene.upstream.asked) == asked, "it is kept"
    for other in (f"/proxy/_.debug/elf-buildid-sym-{'cd' * 20}/_.debug", "/proxy/a/b/c", "/proxy/a/b", "/proxy/",
                  "/proxy/%2e%2e/%2e%2e/etc/passwd"):
        assert scene.get(other)[0] == 404, other
    assert scene.get(path, "DELETE")[0] == 405


def debuggers_get_no_file_of_another_id(scene):
    pdb = Symbols(scene.folder / "pdbs")
    right, wrong = (pdb.guid_of(number).replace("-", "").upper() for number in (1, 2))
    for guid in (right, wrong):
        place = scene.folder / "store" / "app.pdb" / f"{guid}1" / "app.pdb"
        place.parent.mkdir(parents=True)
        place.write_bytes(pdb.pdb_of(1))
    assert scene.get(f"/proxy/app.pdb/{right}1/app.pdb")[::2] == (200, pdb.pdb_of(1))
    assert scene.get(f"/proxy/app.pdb/{wrong}1/app.pdb")[0] == 404


TESTS = [frames_are_named, a_large_request_is_answered, the_cache_says_the_same_and_asks_nobody,
         statuses_and_candidates, each_candidate_is_listed_once, one_bad_source_does_not_hide_a_good_one,
         a_failure_is_that_of_its_sources_alone, scopes_do_not_see_each_other, another_id_is_never_used,
         a_long_request_is_polled, a_request_outlives_the_server, what_is_wrong_is_refused,
         folders_of_the_server_are_not_for_requests, debuggers_get_the_files_themselves,
         debuggers_get_no_file_of_another_id]


def main(tests, scene_class=Scene):
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "store").mkdir()
        scene = scene_class(pathlib.Path(scratch), sys.argv[1])
        for test in tests:
            try:
                test(scene)
            except Exception:  # pylint: disable=broad-except
                traceback.print_exc()
                print(f"FAILED {test.__name__}")
                failed += 1
        status, log = scene.server.end()
        if status != 0 or "internal error" in log:
            print(log)
            failed += 1
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main(TESTS)
