#!/usr/bin/env python3
"""admin_test.py SYMCACHED: metrics and health of a server, on its admin listener."""
import pathlib
import re
import sys
import tempfile

from server import Server, Symbols, have_tools, until

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = re.compile(r'([a-z_]+)(\{[^}]*\})? (\S+)')
THERE, MISSING = 1, 2


def metrics_of(server):
    """Values by name and labels, as they are written."""
    status, headers, body = server.ask("/metrics", port=server.admin_port)
    assert status == 200 and headers["content-type"].startswith("text/plain; version=0.0.4"), (status, headers)
    lines = [line for line in body.decode().splitlines() if not line.startswith("#")]
    return {match[1] + (match[2] or ""): float(match[3]) for match in (SAMPLE.fullmatch(line) for line in lines)}


def check_counts(server, symbols, source):
    assert server.ask(symbols.url_path(THERE))[0] == 200
    assert server.ask(symbols.url_path(MISSING))[0] == 404
    assert server.ask("/nothing")[0] == 404
    rows = [
        ('symcached_http_requests_total{route="open",status="200"}', 1),
        ('symcached_http_requests_total{route="open",status="404"}', 1),
        ('symcached_http_requests_total{route="none",status="404"}', 1),
        (f'symcached_fetches_total{{outcome="found",source="{source}"}}', 1),
        (f'symcached_fetches_total{{outcome="absent",source="{source}"}}', 2),  # the PDB, and a Breakpad file of it
        ('symcached_worker_jobs_total{kind="convert",result="done"}', 1),
        ('symcached_worker_job_duration_seconds_count{kind="convert"}', 1),
        ('symcached_cache_entries{kind="symcaches"}', 1), ("symcached_cache_evicted_total", 0),
        ("symcached_refreshes_waiting", 0), ("symcached_hosts_left_alone", 0),
        ("symcached_worker_deaths_total", 0), ("symcached_jobs", 0), ("symcached_connections_accepted_total", 3),
    ]
    for name, want in rows:  # a request counts when its answer has been sent, which may be after it was read
        until(lambda: metrics_of(server).get(name) == want, f"{name} {want}: {metrics_of(server)}")
    got = metrics_of(server)
    assert got['symcached_cache_bytes{kind="symcaches"}'] >= 8192
    assert got[f'symcached_fetched_bytes_total{{source="{source}"}}'] == len(symbols.pdb)
    assert got["process_resident_memory_bytes"] > 1 << 20 and got["process_open_fds"] > 5


def check_microsofts(server, directory):
    path = directory / "ok.pdb" / f"{1:032X}1" / "ok.pdb-v3.1.0.symcache"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"content")
    assert server.ask(f"/v3.1.0/ok.pdb/{1:032x}")[0] == 200
    assert server.ask(f"/v3.1.0/missing.pdb/{1:032x}")[0] == 404
    got = metrics_of(server)
    for name, want in [
        ('symcached_symcache_requests_total{outcome="sent"}', 1),
        ('symcached_symcache_requests_total{outcome="absent"}', 1),
        ('symcached_transcoder_runs_total{version="3.1.0",result="made"}', 0),
        ('symcached_transcoder_seconds_total{version="3.1.0"}', 0),
        ("symcached_transcode_jobs", 0), ("symcached_symcache_damaged_total", 0),
    ]:
        assert got.get(name) == want, (name, got)
    assert got["symcached_symcache_folders_read_total"] > 0


def check_documentation(server):
    """Every metric is on the page."""
    page = (ROOT / "docs/server.md").read_text()
    names = {re.sub(r"_(bucket|sum|count)$", "", name.split("{")[0]) for name in metrics_of(server)}
    missing = sorted(name for name in names if f"`{name}`" not in page)
    assert not missing, missing


def main():
    program = sys.argv[1]
    if not have_tools():
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        symbols = Symbols(folder / "symbols")
        symbols.add(THERE)
        file = folder / "symcached.yml"
        file.write_text(f"sources: [{{id: ours, type: filesystem, path: {symbols.folder}}}]\n"
                        f"symcache: {{directory: {folder}/SymCache, remote: {{token: t, majors: [3.1.0]}}}}\n")
        server = Server(program, folder / "cache", options=["--config", file], admin=True)
        check_counts(server, symbols, "ours")
        check_microsofts(server, folder / "SymCache")
        check_documentation(server)
        for path, want in (("/readyz", b"ready\n"), ("/healthcheck", b"ok")):
            assert server.ask(path)[2] == want and server.ask(path, port=server.admin_port)[2] == want, path
        assert server.ask("/metrics")[0] == 404, "not on the main listener"
        status, log = server.end()
        assert status == 0, log
    return 0


if __name__ == "__main__":
    sys.exit(main())
