#!/usr/bin/env python3
"""Memory of a server that many clients stay connected to after an answer each.

Usage: bench/idle.py PATH_TO_SYMCACHED [--connections N] [--tls]
Printed is what the server holds before, with all connections open and idle, and for each of them. Needs an open-file
limit of some more than twice the connections.
"""
import argparse
import json
import pathlib
import resource
import socket
import ssl
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from components.certificates import Authority  # noqa: E402
from server import Server  # noqa: E402

REQUEST = b"GET /healthcheck HTTP/1.1\r\nHost: a\r\n\r\n"


def connect(server, context, number):
    # Addresses of their own, as a client address has no more than some 28,000 ports.
    plain = socket.create_connection(("127.0.0.1", server.port), source_address=(f"127.0.{1 + number // 5000}.1", 0))
    connection = context.wrap_socket(plain, server_hostname="localhost") if context else plain
    connection.sendall(REQUEST)
    answer = connection.recv(4096)
    if not answer.startswith(b"HTTP/1.1 200"):
        sys.exit(f"connection {number}: {answer[:60]}")
    return connection


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--tls", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        authority = Authority(folder) if options.tls else None
        limits = {"max_connections": options.connections + 100, "max_connections_per_address": options.connections}
        config = {"cache_dir": str(folder / "cache"), "limits": limits}
        if authority:
            config["tls"] = {"certificate": str(authority.certificate), "key": str(authority.key)}
        (folder / "symcached.yml").write_text(json.dumps(config))
        server = Server(options.program, None, options=["--config", folder / "symcached.yml"])
        context = ssl._create_unverified_context() if authority else None
        before = server.resident()
        connections = [connect(server, context, number) for number in range(options.connections)]
        after = server.resident()
        print(f"{options.connections} idle {'TLS ' if authority else ''}connections: {before / 2**20:.0f} MB before,"
              f" {after / 2**20:.0f} MB with them, {(after - before) / options.connections / 1024:.1f} KB each")
        for connection in connections:
            connection.close()
        server.end()


if __name__ == "__main__":
    main()
