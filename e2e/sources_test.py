#!/usr/bin/env python3
"""Sources of a configuration file that are real servers: what is fetched, how often they are asked, where it lies.

Usage: e2e/sources_test.py PATH_TO_SYMCACHED [PART_OF_A_NAME...]
"""
import json
import os
import pathlib
import subprocess
import sys

from components.apache import KerberosApache
from components.debuginfod import Debuginfod, make_elf
from components.kerberos import Realm
from components.nginx import Nginx
from components.runner import run, test
from components.s3 import S3
from server import Server, Symbols

LOOKED_AT = 64 << 10  # bytes of a large file, before the rest is asked for
LARGE = 80 << 20  # bytes of a PDB that comes in parts


class Scene:
    """A folder, a symbol store with PDB 1, and the program."""

    def __init__(self, program, folder):
        self.program, self.folder, self.cache = program, folder, folder / "cache"
        self.config = folder / "symcached.yml"
        self.symbols = Symbols(folder / "symbols")
        self.symbols.add(1)

    def configure(self, *sources, **more):
        """JSON is YAML."""
        self.config.write_text(json.dumps({"sources": sources, **more}))

    def serve(self, *options, **more):
        return Server(self.program, self.cache, options=["--workers", 1, *options], **more)

    def serve_sources(self, *sources, **more):
        self.configure(*sources)
        return self.serve("--config", self.config, **more)

    def expect(self, server, number, want):
        status, _, body = server.ask(self.symbols.url_path(number))
        assert status == want, (status, body, server.log())

    def stored(self, kind):
        return [path for path in (self.cache / kind).rglob("*") if path.is_file()]


def source(name, url, **more):
    return {"id": name, "type": "http", "url": url, "layout": {"type": "symstore"}, **more}


@test
def nginx_is_asked_for_what_is_needed(scene):
    scene.symbols.add(2)
    with Nginx(scene.symbols.folder) as nginx:
        server = scene.serve_sources(source("store", nginx.url))
        for number in (1, 1, 2, 1):
            scene.expect(server, number, 200)
        assert [asked.status for asked in nginx.asked()] == [200, 200], nginx.asked()
        scene.expect(server, 3, 404)
        scene.expect(server, 3, 404)
        assert {asked.status for asked in nginx.asked()[2:]} == {404} and len(nginx.asked()) <= 2 + 8, nginx.asked()
        assert server.end()[0] == 0


@test
def nginx_sends_a_large_file_in_parts(scene):
    os.truncate(scene.symbols.place(1), LARGE)  # zeros behind the PDB, on no disk
    with Nginx(scene.symbols.folder) as nginx:
        server = scene.serve_sources(source("store", nginx.url))
        scene.expect(server, 1, 200)
        asked, part = sorted((asked.status, asked.range) for asked in nginx.asked()), 32 << 20
        parts = [(206, f"bytes={part}-{2 * part - 1}"), (206, f"bytes={2 * part}-{LARGE - 1}")]
        start, look, rest = (200, ""), "where its id is", (206, f"bytes={LOOKED_AT}-")
        assert asked.count(start) == 1 and all(part in asked for part in [*parts, rest]), asked
        assert len(asked) == len([start, look, rest, *parts]), asked
        assert server.end()[0] == 0


@test
def a_name_in_capitals_is_found_in_small_letters(scene):
    with Nginx(scene.symbols.folder) as nginx:
        server = scene.serve_sources(source("store", nginx.url, layout={"type": "symstore", "casing": "lowercase"}))
        status, _, _ = server.ask(scene.symbols.url_path(1).replace("app.pdb", "APP.PDB"))
        assert status == 200, server.log()
        assert server.end()[0] == 0


@test
def kerberos_wants_a_ticket(scene):
    with Realm() as realm, KerberosApache(scene.symbols.folder, realm) as apache:
        server = scene.serve_sources(source("intranet", apache.url, negotiate=True),
                                     environment=realm.client_environment)
        scene.expect(server, 1, 404)
        assert " forbidden app.pdb/" in server.log(), server.log()
        realm.log_in()
        server.reload()
        scene.expect(server, 1, 200)
        assert server.end()[0] == 0


@test
def a_bucket_wants_the_right_secret(scene):
    with S3(scene.symbols.folder) as s3:
        bucket = {"id": "bucket", "type": "s3", "bucket": s3.bucket, "region": s3.region, "endpoint": s3.url,
                  "path_style": True, "access_key": s3.access_key, "layout": {"type": "symstore"}}
        wrong, right = ({**bucket, "secret_key": secret} for secret in ("made-up-secret", s3.secret_key))
        server = scene.serve_sources(wrong)
        scene.expect(server, 1, 404)
        status, headers, _ = server.poll(scene.symbols.url_path(1))
        assert status == 404 and int(headers["retry-after"]) > 250, headers
        assert " forbidden app.pdb/" in server.log(), server.log()
        scene.configure(right)
        server.reload()
        scene.expect(server, 1, 200)
        scene.configure(wrong)
        server.reload()
        scene.expect(server, 2, 404)
        status, log = server.end()
        assert status == 0 and "made-up-secret" not in log and s3.secret_key not in log, log


@test
def a_file_of_two_sources_is_stored_once(scene):
    with Nginx(scene.symbols.folder) as ours, Nginx(scene.symbols.folder) as everyones:
        server = scene.serve_sources(source("ours", ours.url),
                                     source("everyones", everyones.url, is_public=True))
        scene.expect(server, 1, 200)
        assert (len(ours.asked()), len(everyones.asked())) == (1, 0)
        scene.configure(source("everyones", everyones.url, is_public=True), source("ours", ours.url))
        server.reload()
        scene.expect(server, 1, 200)
        assert (len(ours.asked()), len(everyones.asked())) == (1, 0)
        assert (len(scene.stored("objects")), len(scene.stored("symcaches"))) == (1, 1)
        assert server.end()[0] == 0


@test
def a_configuration_of_symbolicator_works_unchanged(scene):
    scene.symbols.add(2)
    with Nginx(scene.symbols.folder) as nginx, S3(scene.symbols.folder) as s3:
        scene.symbols.add(3)
        scene.config.write_text(f"""\
bind: "127.0.0.1:0"
logging: {{level: "info", format: "auto"}}
metrics: {{statsd: "127.0.0.1:8125", prefix: "symbolicator", custom_tags: {{a: "b"}}}}
cache_dir: "/data"
caches:
  downloaded: {{max_unused_for: 1d, retry_misses_after: 1h}}
  derived: {{max_unused_for: 7d, retry_misses_after: 1h, retry_malformed_after: 24h}}
connect_to_reserved_ips: true
sources:
- id: never
  type: http
  url: {nginx.url}/never/
  filters: {{path_patterns: ["*other*"]}}
- id: images
  type: http
  url: {nginx.url}/images/
  filters: {{filetypes: [elf_code, mach_code]}}
- id: bucket
  type: s3
  bucket: {s3.bucket}
  region: ["us-east-1", "{s3.url}"]
  access_key: {s3.access_key}
  secret_key: {s3.secret_key}
  layout: {{type: symstore, casing: default}}
- id: web
  type: http
  url: {nginx.url}/
  headers: {{"X-Reader": "symbolicator"}}
  layout: {{type: native, casing: default}}
  is_public: true
- id: disk
  type: filesystem
  path: {scene.symbols.folder}
  layout: {{type: native}}
""")
        server = scene.serve("--config", scene.config)
        scene.expect(server, 1, 200)
        assert not nginx.asked(), "the bucket has it"
        scene.expect(server, 3, 200)
        assert not [asked for asked in nginx.asked() if "never" in asked.path or "images" in asked.path], nginx.asked()
        assert "metrics.custom_tags: ignored" in server.log(), "what is ignored is said"
        assert server.end()[0] == 0


@test
def a_symbol_path_of_windows_works(scene):
    empty = scene.folder / "downstream"
    empty.mkdir()
    with Nginx(scene.symbols.folder) as nginx:
        server = scene.serve("--symbols", f"srv*{empty}*{nginx.url};cache*;")
        scene.expect(server, 1, 200)
        assert sum(asked.status == 200 for asked in nginx.asked()) == 1, nginx.asked()
        assert server.end()[0] == 0


@test
def debuginfod_warms_the_cache(scene):
    folder = scene.folder / "elves"
    folder.mkdir()
    elf = make_elf(folder)
    modules = scene.folder / "modules.txt"
    modules.write_text(f"{elf.build_id} /usr/bin/app\n{'0' * 40} /usr/bin/none\n")
    with Debuginfod(folder, [elf]) as upstream:
        scene.configure({"id": "distribution", "type": "http", "url": f"{upstream.url}/buildid",
                         "layout": {"type": "debuginfod"}})
        by_file, by_option = ("--config", scene.config), ("--debuginfod", upstream.url)
        rows = [("cache", by_file, "made"), ("cache", by_file, "there"), ("another cache", by_option, "made")]
        for cache, sources, outcome in rows:
            done = subprocess.run([scene.program, "cache", "warm", *sources, "--cache-dir", scene.folder / cache,
                                   "--json", modules], capture_output=True, text=True)
            outcomes = [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
            assert (done.returncode, sorted(outcomes)) == (1, sorted([outcome, "missing"])), (done, upstream.log())


if __name__ == "__main__":
    program = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(run(sys.argv[2:], lambda folder: Scene(program, folder)))
