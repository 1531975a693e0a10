#!/usr/bin/env python3
"""symcached fetch: symcaches from our own server, through nginx, from Apache with Kerberos; what it prints and leaves.

Usage: e2e/fetch_test.py PATH_TO_SYMCACHED
"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from components.apache import KerberosApache
from components.component import Lacking
from components.faults import FaultServer
from components.kerberos import Realm
from components.nginx import Nginx
from server import LIMIT, Server, Symbols, have_tools, until

GUID = "3249D99D-0C40-4931-8610-F4E4FB0B6936"
KEY = GUID.replace("-", "")
REQUEST = f"v3.1.0/app.pdb/{KEY}/1"
THEIRS = "application/vnd.ms-symcache"
BODY = b"a symcache of others\n" * 50_000  # 1 MB


class Scene:
    """A folder for one test, and what all tests share."""

    def __init__(self, folder, symbols, program):
        self.folder, self.symbols, self.program = folder, symbols, program
        self.kept = folder / "kept"

    def fetch(self, *arguments, environment=None, directory=True, most=None):
        """(status, lines of stdout, stderr); `most`: bytes of a file"""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))) if most else None
        command = [self.program, "fetch", *arguments, *(["-o", self.kept] if directory else [])]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT, preexec_fn=limit,
                              env={**os.environ, "_NT_SYMCACHE_PATH": "", **(environment or {})})
        return done.returncode, done.stdout.splitlines(), done.stderr

    def place(self, version="3.1.0", key=KEY + "1"):
        return self.kept / "app.pdb" / key / f"app.pdb-v{version}.symcache"

    def expect(self, result, body=BODY):
        status, lines, errors = result
        assert (status, lines, errors) == (0, [str(self.place())], ""), result
        assert self.place().read_bytes() == body


def our_own_server(scene):
    """Waits for the conversion; keeps what a plain GET gives; asks no more once it is there."""
    numbers = (1, 2, 3)
    for number in numbers:
        scene.symbols.add(number)
    server = Server(scene.program, scene.folder / "cache", scene.symbols.folder)
    url = f"{server.url}/open"
    try:
        guid, age = scene.symbols.guid_of(1), scene.symbols.age
        place = scene.place("2.1.0", f"{guid.replace('-', '')}{age:X}")
        for _ in range(2):
            status, lines, errors = scene.fetch(url, "app.pdb", guid, age)
            assert (status, lines, errors) == (0, [str(place)], ""), (status, lines, errors)
        assert place.read_bytes() == server.ask(scene.symbols.url_path(1))[2]

        modules = scene.folder / "modules.txt"
        lines = [f"app.pdb {scene.symbols.guid_of(n).replace('-', '')}{age:x}" for n in (*numbers, 77)]
        modules.write_text("\n".join(lines) + "\n")
        path = {"_NT_SYMCACHE_PATH": f"{scene.kept}*{url}"}
        status, lines, errors = scene.fetch("--modules", modules, environment=path, directory=False)
        assert status == 1 and len(lines) == len(numbers), (status, lines, errors)
        missing = scene.symbols.guid_of(77).replace("-", "")
        assert f"app.pdb {missing}" in errors and "no server has it" in errors, errors
    finally:
        assert server.end()[0] == 0
    assert scene.fetch(url, "app.pdb", guid, age, "-q") == (0, [], ""), "the server is not needed any more"


def folders_and_caches(scene):
    """Asked in turn, as _NT_SYMCACHE_PATH names them; what is found further right is kept in the caches left of it."""
    far, cache, near = (scene.folder / name for name in ("far", "cache", "near"))
    place = pathlib.Path("app.pdb") / (KEY + "1") / "app.pdb-v3.1.0.symcache"

    async def answer(exchange):
        await exchange.answer(200, BODY, f"Content-Type: {THEIRS}")
    with FaultServer({"v3.1.0": answer}) as server:
        rows = [("from the server", f"{near};srv*{cache}*{server.url}", [near, cache], 1, ""),
                ("from the cache", f"{near};srv*{cache}*{server.url}", [near, cache], 0, ""),
                ("from a folder", f"cache*{near};{far};{server.url}", [near, far], 0, ""),
                ("no folder", f"{near}*{server.url};{scene.folder}/none", [near], 1, "none is not looked into")]
        for why, path, kept, requests, warning in rows:
            shutil.rmtree(near, ignore_errors=True)
            if why == "from a folder":
                cache.rename(far)
            before = len(server.requests)
            status, lines, errors = scene.fetch("app.pdb", GUID, environment={"_NT_SYMCACHE_PATH": path},
                                                directory=False)
            assert (status, lines) == (0, [str(near / place)]) and warning in errors, (why, status, lines, errors)
            assert bool(errors) == bool(warning), (why, errors)
            assert [each for each in (near, cache, far) if each in kept and (each / place).read_bytes() != BODY] == []
            assert len(server.requests) - before == requests, why


def killed_half_way(scene):
    """kill -9; the next run asks for the rest, if it is of the same file."""
    half, other = len(BODY) // 2, BODY[::-1]

    def behaviour(next_body, tag):
        async def answer(exchange):
            headers = [f"Content-Type: {THEIRS}", "Accept-Ranges: bytes"]
            if exchange.number == 1:
                await exchange.head(200, *headers, 'ETag: "one"', length=len(BODY))
                await exchange.send(BODY[:half])
                await exchange.until_client_leaves()
            elif exchange.request.headers.get("if-range") == tag:
                await exchange.answer(206, BODY[half:], *headers, f"ETag: {tag}",
                                      f"Content-Range: bytes {half}-{len(BODY) - 1}/{len(BODY)}")
            else:
                await exchange.answer(200, next_body, *headers, f"ETag: {tag}")
        return answer

    parts = scene.kept / ".symcached" / "parts"
    for why, body, tag in (("the same file", BODY, '"one"'), ("another file", other, '"two"')):
        with FaultServer({"v3.1.0": behaviour(body, tag)}) as server:
            client = subprocess.Popen([scene.program, "fetch", server.url, "app.pdb", GUID, "-o", scene.kept])
            until(lambda: [each.stat().st_size for each in parts.glob("*.pending")] == [half], "half of it is there")
            client.kill()
            client.wait()
            assert not list(scene.kept.rglob("*.symcache")), why
            scene.expect(scene.fetch(server.url, "app.pdb", GUID), body)
            asked = [(each.headers.get("range"), each.headers.get("if-range")) for each in server.requests]
            assert asked == [(None, None), (f"bytes={half}-", '"one"')], (why, asked)
            assert not list(parts.iterdir()), why
        shutil.rmtree(scene.kept)


def redirected_to_nginx(scene):
    """The one who redirects says what it is, the store says nothing."""
    store = scene.folder / "store"
    store.mkdir()
    (store / "blob").write_bytes(BODY)
    with Nginx(store) as nginx:
        async def redirect(exchange):
            if exchange.number == 1:
                await exchange.answer(404, b"", "Retry-After: 1")
            else:
                await exchange.answer(302, b"", f"Location: {nginx.url}/blob", f"Content-Type: {THEIRS}; version=3.1.0")
        with FaultServer({"team": redirect}) as server:
            scene.expect(scene.fetch(f"{server.url}/team", "app.pdb", GUID))
            seen = server.requests[-1].headers
    assert seen["allow-retry-after"] == seen["accept-retry-after"] == "true", seen


def a_ticket_is_wanted(scene):
    """It is sent when the server asks for it, unless that is not wanted."""
    store = scene.folder / "store"
    others = [f"{GUID[:-1]}{digit}" for digit in "789"]
    for guid in (GUID, *others):
        place = store / REQUEST.replace(KEY, guid.replace("-", ""))
        place.parent.mkdir(parents=True)
        place.write_bytes(BODY)
    with Realm() as realm, KerberosApache(store, realm, media_type=THEIRS) as apache:
        realm.log_in()
        ticket, none = realm.client_environment, realm.environment_without_ticket()
        rows = [("no ticket", none, []), ("none wanted", ticket, ["--no-negotiate"]),
                ("a password instead", ticket, ["--user", "me:secret"]),
                ("a token instead", ticket, ["--header", "Authorization: Bearer x"])]
        for why, environment, options in rows:
            status, lines, errors = scene.fetch(apache.url, "app.pdb", GUID, *options, environment=environment)
            assert (status, lines) == (1, []) and "HTTP status 401" in errors and "Kerberos" in errors, (why, errors)
        for options in ([], ["--negotiate"]):
            scene.expect(scene.fetch(apache.url, "app.pdb", GUID, *options, environment=ticket))
            scene.place().unlink()
        modules = scene.folder / "modules.txt"
        modules.write_text("".join(f"app.pdb {guid.replace('-', '')}1\n" for guid in others))
        status, lines, errors = scene.fetch(apache.url, "--modules", modules, "-j1", environment=ticket)
        assert (status, len(lines), errors) == (0, len(others), ""), "over one connection"


def a_ticket_goes_to_no_other_host(scene):
    async def wants_a_ticket(exchange):
        await exchange.answer(401, b"", "WWW-Authenticate: Negotiate")

    with Realm() as realm, FaultServer({"blob": wants_a_ticket}) as other:
        realm.log_in()

        async def redirect(exchange):
            if "authorization" not in exchange.request.headers:
                return await wants_a_ticket(exchange)
            await exchange.answer(302, b"", f"Location: http://localhost:{other.port}/blob", f"Content-Type: {THEIRS}")
        with FaultServer({"v3.1.0": redirect}) as asked:
            for option in ([], ["--negotiate"]):
                _, _, errors = scene.fetch(f"http://localhost:{asked.port}", "app.pdb", GUID, *option,
                                           environment=realm.client_environment)
                assert "HTTP status 401" in errors, errors
            sent = [each.headers.get("authorization", "-")[:10] for each in asked.requests]
            assert sent == ["-", "Negotiate ", "Negotiate "], sent
            assert [each.headers.get("authorization") for each in other.requests] == [None, None], other.requests


def a_login_page(scene):
    with Nginx(scene.folder, login_page=True) as nginx:
        status, lines, errors = scene.fetch(nginx.url, "app.pdb", GUID)
    assert (status, lines) == (1, []) and "a login page most likely" in errors, errors
    assert not list(scene.kept.rglob("*.symcache"))


def a_disk_that_takes_no_more(scene):
    """A limit on the size of files fails as a full disk does, and takes no right to mount one."""
    async def answer(exchange):
        await exchange.answer(200, BODY, f"Content-Type: {THEIRS}", 'ETag: "one"')
    with FaultServer({"v3.1.0": answer}) as server:
        status, lines, errors = scene.fetch(server.url, "app.pdb", GUID, most=len(BODY) // 2)
        assert (status, lines) == (1, []) and ".pending: File too large" in errors, errors
        assert not list(scene.kept.rglob("*.symcache")) and not list(scene.kept.rglob("*.pending"))
        scene.expect(scene.fetch(server.url, "app.pdb", GUID))


def wrong_usage(scene):
    rows = [
        ("no PDB", ["http://127.0.0.1:1"], "give [URL] PDBNAME PDBID [AGE]"),
        ("no id", ["http://127.0.0.1:1", "app.pdb", "xyz"], "is no id of a PDB"),
        ("a hexadecimal age", ["http://127.0.0.1:1", "app.pdb", GUID, "1a"], "is no age"),
        ("no server", ["app.pdb", GUID], "no server to ask"),
        ("no version", ["http://127.0.0.1:1", "app.pdb", GUID, "--version", "3"], "is no version"),
        ("no header", ["http://127.0.0.1:1", "app.pdb", GUID, "--header", "x"], "write \"Name: value\""),
        ("a list and a PDB", ["http://127.0.0.1:1", "app.pdb", GUID, "--modules", "x"], "not both"),
    ]
    for why, arguments, want in rows:
        status, lines, errors = scene.fetch(*arguments)
        assert (status, lines) == (2, []) and want in errors, (why, status, errors)
    status, _, errors = scene.fetch("http://127.0.0.1:1", "app.pdb", GUID, directory=False)
    assert status == 2 and "no directory to keep symcaches in" in errors, errors


TESTS = [our_own_server, folders_and_caches, killed_half_way, redirected_to_nginx,
         a_ticket_is_wanted, a_ticket_goes_to_no_other_host, a_login_page, a_disk_that_takes_no_more, wrong_usage]


def main():
    if not have_tools():
        return 77
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        symbols = Symbols(folder / "symbols")
        for test in TESTS:
            own = folder / test.__name__
            own.mkdir()
            try:
                test(Scene(own, symbols, program))
                print(f"{test.__name__}: ok")
            except Lacking as lacking:
                print(f"SKIPPED {test.__name__}: {lacking}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
