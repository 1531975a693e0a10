#!/usr/bin/env python3
"""admin_test.py SYMCACHED: metrics and health of a server, on its admin listener."""
import contextlib
import http.client
import json
import pathlib
import re
import select
import socket
import sys
import tempfile

from server import LIMIT, Server, Symbols, have_tools, until

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


def post(server, body):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT)
    client.request("POST", "/symbolicate?scope=team", body, {"Content-Type": "application/json"})
    answer = client.getresponse()
    return answer.status, answer.read()


def check_stacks(server):
    """Stack traces: a request that is answered, and one that is none."""
    frames = [{"instruction_addr": "0x1000"}, {"instruction_addr": "0x2000"}]
    module = {"type": "pe", "debug_id": "00000000-0000-4000-8000-000000000009-1", "debug_file": "none.pdb",
              "image_addr": "0x2000", "image_size": 4096}
    status, body = post(server, json.dumps({"stacktraces": [{"frames": frames}], "modules": [module]}))
    assert status == 200, body
    bad_status, bad_body = post(server, "[")
    assert bad_status == 400, bad_body
    got = metrics_of(server)
    for name, want in [
        ('symcached_symbolications_total{status="completed"}', 1),
        ('symcached_symbolications_total{status="invalid"}', 1),
        ('symcached_symbolication_frames_total{status="unknown_image"}', 1),
        ('symcached_symbolication_frames_total{status="missing"}', 1),
        ('symcached_symbolication_modules_total{status="missing"}', 1),
        ("symcached_symbolication_answer_bytes_total", len(body) + len(bad_body)),
        ("symcached_symbolication_duration_seconds_count", 2), ("symcached_symbolications_in_flight", 0),
        ("symcached_symbolications_queued", 0), ("symcached_symbolications_refused_total", 0),
    ]:
        assert got.get(name) == want, (name, want, got)


def check_log(log):
    """Each request is one line with its numbers."""
    lines = [json.loads(line) for line in log.splitlines()]
    lines = [line for line in lines if "request" in line]
    assert [line["status"] for line in lines] == ["completed", "invalid"], lines
    assert all(re.fullmatch(r"[0-9a-f-]{36}", line["request"]) and line["scope"] == "team" for line in lines), lines
    numbers = ("modules", "modules_found", "modules_unused", "frames", "frames_symbolicated")
    assert [lines[0][name] for name in numbers] == [1, 0, 0, 2, 0] and lines[0]["ms"] < LIMIT * 1000, lines


def ready(receiver):
    return select.select([receiver], [], [], 0)[0]


def check_statsd(receiver):
    """All that was sent, after the end of the server."""
    receiver.setblocking(False)
    lines = []
    with contextlib.suppress(BlockingIOError):
        while datagram := receiver.recv(1 << 16):
            assert len(datagram) <= 1400, len(datagram)
            lines += datagram.decode().splitlines()
    completed = [line for line in lines if line.startswith("tests.symbolications:") and "completed" in line]
    assert completed == ["tests.symbolications:1|c|#status:completed"], completed
    assert "tests.ready:1|g" in lines, lines


def families_of(server):
    """(type, labels) of every metric that is printed, by name; those of histograms are not split up."""
    body = server.ask("/metrics", port=server.admin_port)[2].decode()
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", body, re.MULTILINE))
    labels = {name: set() for name in types}
    for sample, text in re.findall(r"^([a-z_]+)(\{[^}]*\})? \S+$", body, re.MULTILINE):
        name = sample if sample in types else re.sub(r"_(bucket|sum|count)$", "", sample)
        labels[name] |= set(re.findall(r'(\w+)="', text)) - {"le"}
    return {name: (kind, labels[name]) for name, kind in types.items()}


def check_documentation(server):
    """Every metric is on the page, and every metric of the page is there."""
    page = (ROOT / "docs/metrics.md").read_text()
    rows = re.findall(r"^\| `([a-z_]+)` \| (\w+) \| ([^|]*)\| [^|]+ \|$", page, re.MULTILINE)
    documented = {name: (kind, set(re.findall(r"\w+", labels))) for name, kind, labels in rows}
    assert len(documented) == len(rows), "a metric is listed twice"
    printed = families_of(server)
    assert documented == printed, sorted(set(map(repr, documented.items())) ^ set(map(repr, printed.items())))
    check_names(page, printed)
    board = json.loads((ROOT / "contrib/grafana/symcached.json").read_text())
    check_names("\n".join(expressions_of(board)), printed)


def expressions_of(board):
    """What a Grafana board asks Prometheus for. No two panels have one id or one place."""
    rows = [panel["title"] for panel in board["panels"] if panel["type"] == "row"]
    assert rows == ["Requests", "Stack traces", "Cache", "Fetching", "Deriving", "Process"], rows
    for unique in ("id", "gridPos"):
        values = [json.dumps(panel[unique]) for panel in board["panels"]]
        assert len(set(values)) == len(values), unique
    variables = [v["definition"] for v in board["templating"]["list"] if v["type"] == "query"]
    return variables + [t["expr"] for panel in board["panels"] for t in panel.get("targets", [])]


def check_names(text, printed):
    """Whatever looks like a metric is one."""
    whole = {f"{name}_{part}" for name, (kind, _) in printed.items() if kind == "histogram"
             for part in ("bucket", "sum", "count")}
    names = re.findall(r"\b(?:symcached|process)_[a-z_]*[a-z]\b", text)
    assert set(names) <= set(printed) | whole, sorted(set(names) - set(printed) - whole)


def main():
    program = sys.argv[1]
    if not have_tools():
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        symbols = Symbols(folder / "symbols")
        symbols.add(THERE)
        file = folder / "symcached.yml"
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        receiver.bind(("127.0.0.1", 0))
        file.write_text(f"sources: [{{id: ours, type: filesystem, path: {symbols.folder}}}]\n"
                        f"symcache: {{directory: {folder}/SymCache, remote: {{token: t, majors: [3.1.0]}}}}\n"
                        f"statsd: {{address: 'localhost:{receiver.getsockname()[1]}', prefix: tests, interval: 1s}}\n"
                        "logging: {format: json, slow_requests: 0s}\n")
        server = Server(program, folder / "cache", options=["--config", file], admin=True)
        check_counts(server, symbols, "ours")
        check_microsofts(server, folder / "SymCache")
        check_stacks(server)
        check_documentation(server)
        until(lambda: ready(receiver), "a datagram")
        for path, want in (("/readyz", b"ready\n"), ("/healthcheck", b"ok")):
            assert server.ask(path)[2] == want and server.ask(path, port=server.admin_port)[2] == want, path
        assert server.ask("/metrics")[0] == 404, "not on the main listener"
        status, log = server.end()
        assert status == 0, log
        check_log(log)
        check_statsd(receiver)
    return 0


if __name__ == "__main__":
    sys.exit(main())
