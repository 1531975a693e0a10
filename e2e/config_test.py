#!/usr/bin/env python3
"""config_test.py SYMCACHED: a server with a configuration file, and what SIGHUP does to it."""
import json
import pathlib
import shutil
import sys
import tempfile

from server import Server, Symbols, have_tools, until

FIRST, SECOND = 1, 2


def configuration(symbols, **more):
    """JSON is YAML."""
    return json.dumps({"sources": [{"id": "s", "type": "filesystem", "path": str(symbols.folder)}], **more})


def check_sources(server, file, one, other):
    assert server.ask(one.url_path(FIRST))[0] == 200
    server.reload("configuration reloaded; nothing changed")
    file.write_text("sources: [")
    server.reload("configuration not reloaded; the one before stays in force")
    assert f"{file}:1: error: not YAML" in server.log()
    file.write_text("bnd: 1\nlimits: {grace: soon}\n")
    server.reload("configuration not reloaded; the one before stays in force")
    assert f"{file}:1: error: bnd: unknown key; the nearest is bind" in server.log()
    assert f"{file}:2: error: limits.grace" in server.log()
    assert server.ask(one.url_path(FIRST + 2))[0] == 200, "the old sources stay"
    file.write_text(configuration(other))
    server.reload("configuration reloaded; changed: sources")
    assert server.ask(one.url_path(SECOND))[0] == 200, "of the new source"


def check_others(server, file, other):
    file.write_text(configuration(other, workers={"processes": 3}, logging={"level": "warning"}))
    server.reload("workers.processes: the new value counts after a restart")
    file.write_text(configuration(other, logging={"level": "info"}))
    server.reload("configuration reloaded; changed: logging.level")
    shutil.rmtree(other.folder)
    server.reload("configuration not reloaded")


def check_limits(program, folder, symbols):
    """New limits count at once for whatever is published next, and the log says what went."""
    file = folder / "limits.yml"
    file.write_text(configuration(symbols, caches={"cleanup_interval": "1s"}))
    server = Server(program, folder / "c3", options=["--config", file])
    assert server.ask(symbols.url_path(FIRST))[0] == 200
    file.write_text(configuration(symbols, caches={"cleanup_interval": "1s", "max_size": 0}))
    server.reload("configuration reloaded; changed: caches.max_size")
    until(lambda: "cache: removed 0 unused entries and 1 to make room" in server.log(), "the entry is removed")
    status, log = server.end()
    assert status == 0, log


def check_json_log(program, folder):
    file = folder / "json.yml"
    file.write_text('{bind: "127.0.0.1:0", cache_dir: "%s", logging: {format: json}, sentry_dsn: x}' % (folder / "c2"))
    server = Server(program, None, options=["--config", file])
    status, log = server.end()
    assert status == 0, log
    lines = [json.loads(line) for line in log.splitlines()]
    assert {line["level"] for line in lines} == {"info", "warning"}, lines
    assert any(line["message"].endswith("sentry_dsn: ignored; nothing is sent to Sentry") for line in lines), lines


def main():
    program = sys.argv[1]
    if not have_tools():
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one, other = Symbols(folder / "one"), Symbols(folder / "other")
        one.add(FIRST), one.add(FIRST + 2)
        other.add(SECOND)
        file = folder / "symcached.yml"
        file.write_text(configuration(one))
        server = Server(program, folder / "cache", options=["--config", file])
        check_sources(server, file, one, other)
        check_others(server, file, other)
        status, log = server.end()
        assert status == 0, log
        check_limits(program, folder, one)
        check_json_log(program, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
