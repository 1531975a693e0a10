#!/usr/bin/env python3
"""How many frames a server of Symbolicator's API names in a second.

Usage: bench/stack_api.py PROGRAM|URL PDB... [--seconds N] [--pid PID]
Needs wrk. PROGRAM is symcached, which is started with the PDBs in a folder for a symbol server; a server at a URL gets
the PDBs from a symbol server that this script is, on 127.0.0.1. Asked for are 100 threads of 50 frames, at random
places of the PDBs, each of which is a module. Printed are how many modules and megabytes that is, the first request
apart, then for 1, 4 and 64 connections requests and frames per second, the median and 99 % of the times, and the
resident memory of the program, or of process PID: at that moment and at its height so far, without its workers.
"""
import argparse
import functools
import http.server
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from server import Server  # noqa: E402

THREADS, FRAMES, SPACING = 100, 50, 0x10000000
SYMCACHED = pathlib.Path(__file__).parent.parent / "build" / "release" / "symcached"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def modules_of(program, pdbs, store):
    """Lays the PDBs out as a symbol store. @return what a request says of them"""
    modules = []
    for number, pdb in enumerate(pdbs):
        told = subprocess.run([program, "inspect", "--json", pdb], check=True, capture_output=True, text=True).stdout
        debug_id = json.loads(told)[0]["debug_id"]
        *guid, age = debug_id.split("-") if debug_id.count("-") == 5 else (*debug_id.split("-"), "0")
        folder = store / pdb.name / ("".join(guid).upper() + age)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(pdb, folder / pdb.name)
        modules.append({"type": "pe", "debug_id": debug_id, "debug_file": pdb.name, "code_file": pdb.stem + ".dll",
                        "image_addr": hex(0x7FF600000000 + number * SPACING),
                        "image_size": max(0x20000, pdb.stat().st_size // 8)})
    return modules


def request_of(modules, sources):
    random.seed(5)

    def frame():
        module = random.choice(modules)
        place = random.randrange(0x1000, module["image_size"] // 3)
        return {"instruction_addr": hex(int(module["image_addr"], 16) + place)}

    stacks = [{"thread_id": n, "frames": [frame() for _ in range(FRAMES)]} for n in range(THREADS)]
    return {"stacktraces": stacks, "modules": modules, **({"sources": sources} if sources else {})}


def ask(url, body):
    start = time.monotonic()
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    answer = json.loads(urllib.request.urlopen(asked, timeout=900).read())
    took = time.monotonic() - start
    frames = [f for stack in answer["stacktraces"] for f in stack["frames"]]
    named = sum(f["status"] == "symbolicated" for f in frames)
    print(f"first request: {took:.2f} s, {len(frames)} frames in the answer, {named} of them named")


def seconds_of(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[unit]


def memory_of(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    now, height = (int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M)[1]) >> 10 for field in ("VmRSS", "VmHWM"))
    return f", {now} MB resident, at most {height} MB"


def load(url, script, connections, seconds, pid):
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "--latency", "-s",
                          script, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in out:
        sys.exit(out)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    half, most = (seconds_of(re.search(rf"^\s+{p}%\s+(\S+)", out, re.M)[1]) for p in (50, 99))
    print(f"{connections:>3} connections: {rate:>6.0f} requests/s, {rate * THREADS * FRAMES:>9.0f} frames/s,"
          f" median {half * 1e3:.1f} ms, 99 % {most * 1e3:.1f} ms{memory_of(pid) if pid else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("pdbs", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--pid", type=int, help="of the server at the URL")
    options = parser.parse_args()
    is_url = options.server.startswith("http")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        modules = modules_of(SYMCACHED if is_url else options.server, options.pdbs, folder / "store")
        server = None if is_url else Server(options.server, folder / "cache", folder / "store")
        sources = None
        if is_url:
            handler = functools.partial(QuietHandler, directory=folder / "store")
            upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=upstream.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{upstream.server_port}/"
            sources = [{"type": "http", "id": "bench", "url": url, "layout": {"type": "symstore"}}]
        url = (options.server if is_url else server.url).rstrip("/") + "/symbolicate"
        pid = server.process.pid if server else options.pid
        size = sum(pdb.stat().st_size for pdb in options.pdbs)
        print(f"{len(modules)} modules, {size / 1e6:.0f} MB; {THREADS} threads of {FRAMES} frames")
        body = folder / "body.json"
        body.write_text(json.dumps(request_of(modules, sources)))
        ask(url, body.read_bytes())
        script = folder / "post.lua"
        script.write_text('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
                          f'local file = io.open("{body}")\nwrk.body = file:read("*a")\nfile:close()\n')
        try:
            for connections in (1, 4, 64):
                load(url, script, connections, options.seconds, pid)
        finally:
            if server:
                server.end()


if __name__ == "__main__":
    main()
