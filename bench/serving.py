#!/usr/bin/env python3
"""Serving symcaches beside nginx, which serves the same files from the same directory.

Usage: bench/serving.py PATH_TO_SYMCACHED [--seconds N] [--rounds N] [--tls]
Needs wrk and nginx. For each size and number of connections the servers take turns; printed are the medians, the ratio
of requests per second to nginx, and the memory of our server. On a busy machine only the ratios mean something.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from components.certificates import Authority  # noqa: E402
from components.nginx import Nginx  # noqa: E402
from server import Server  # noqa: E402

SIZES = {"4 KB": 4 << 10, "200 KB": 200 << 10, "5 MB": 5 << 20}
CONNECTIONS = (32, 256)
GUID = "0f8fad5bd9cb469fa16570867728950e"


def place_of(name):
    return f"{name}/{GUID.upper()}1/{name}-v3.1.0.symcache"


def requests_per_second(url, connections, seconds):
    done = subprocess.run(["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", url], capture_output=True, text=True)
    if "Non-2xx" in done.stdout:
        sys.exit(f"errors from {url}:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))


def measure(ours, nginx, size, options):
    name = f"f{SIZES[size]}.pdb"
    urls = (f"{ours.url}/v3.1.0/{name}/{GUID}/1", f"{nginx.url}/{place_of(name)}")
    for connections in CONNECTIONS:
        rates = ([], [])
        for _ in range(options.rounds):
            for url, into in zip(urls, rates):
                into.append(requests_per_second(url, connections, options.seconds))
        mine, its = map(statistics.median, rates)
        print(f"{size:>7} {connections:>5} connections: {mine:>9.0f} requests/s, nginx {its:>9.0f},"
              f" ratio {mine / its:.2f}, {ours.resident() / 2**20:.0f} MB resident", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tls", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        folder.chmod(0o755)
        directory = folder / "SymCache"
        for size in SIZES.values():
            path = directory / place_of(f"f{size}.pdb")
            path.parent.mkdir(parents=True)
            path.write_bytes(bytes(size))
        authority = Authority(folder) if options.tls else None
        config = {"cache_dir": str(folder / "cache"), "symcache": {"directory": str(directory)}}
        if authority:
            config["tls"] = {"certificate": str(authority.certificate), "key": str(authority.key)}
        (folder / "symcached.yml").write_text(json.dumps(config))
        ours = Server(options.program, None, options=["--config", folder / "symcached.yml"])
        with Nginx(directory, tls=authority, workers=2) as nginx:
            for size in SIZES:
                measure(ours, nginx, size, options)
        ours.end()


if __name__ == "__main__":
    main()
