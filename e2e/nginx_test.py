#!/usr/bin/env python3
"""The serve command with a symbol store behind nginx: spellings, compression, passwords, overload.

Usage: e2e/nginx_test.py PATH_TO_SYMCACHED
"""
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

from components.certificates import Authority
from components.component import program
from components.nginx import Nginx
from server import Server, Symbols, until

NUMBER = 0xABCDEF01  # of a PDB whose GUID has letters
PASSWORD = "between-us"
SOON = 3  # seconds of Retry-After, where the store says one or two


class Scene:
    """A folder for one test, and what all tests share."""

    def __init__(self, folder, symbols, symcached):
        self.folder, self.symbols, self.symcached = folder, symbols, symcached
        self.guid = symbols.guid_of(NUMBER)
        self.key = self.guid.replace("-", "")
        self.store = folder / "store"
        self.add(f"app.pdb/{self.key}1/app.pdb")

    def add(self, path, body=None):
        path = self.store / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body or self.symbols.pdb_of(NUMBER))
        return path

    @contextlib.contextmanager
    def serving(self, url, *options):
        """A server that asks `url`; it must end well, and say no password."""
        server = Server(self.symcached, self.folder / f"cache{len(list(self.folder.iterdir()))}", url, options=options)
        try:
            yield server
        finally:
            status, log = server.end()
        assert status == 0 and PASSWORD not in log, log

    def path(self, name="app.pdb"):
        return f"/open/v2.1.0/{name}/{self.guid}/1"


def ask(server, path):
    status, headers, _ = server.ask(path)
    return status, "max-age" in headers.get("cache-control", "")  # how long its absence counts


FOUND, ABSENT, LATER = (200, False), (404, True), (404, False)


def comes_soon(server, path):
    """Polls until the PDB is there, and is never told to stay away for long."""
    def there():
        status, headers, _ = server.poll(path)
        assert int(headers.get("retry-after", 0)) <= SOON, headers
        return status == 200
    until(there, path)


def every_spelling_is_found(scene):
    """Names and keys as different tools write them, in stores that tell capitals from small letters."""
    shutil.rmtree(scene.store)
    rows = [
        ("app.pdb", f"app.pdb/{scene.key}1/app.pdb", FOUND),
        ("as.pdb", f"as.pdb/{scene.key.lower()}1/as.pdb", FOUND),
        ("Given.pdb", f"Given.pdb/{scene.key}1/Given.pdb", FOUND),
        ("Lower.pdb", f"lower.pdb/{scene.key.lower()}1/lower.pdb", FOUND),
        ("two words+1.pdb", f"two words+1.pdb/{scene.key}1/two words+1.pdb", FOUND),
        ("ü.pdb", f"ü.pdb/{scene.key}1/ü.pdb", FOUND),
        ("small.pdb", f"SMALL.PDB/{scene.key}1/SMALL.PDB", ABSENT),
        ("other.pdb", f"other.pdb/{scene.key}2/other.pdb", ABSENT),
    ]
    for _, stored, _ in rows:
        scene.add(stored)
    with Nginx(scene.store) as nginx, scene.serving(nginx.url) as server:
        for name, stored, want in rows:
            encoded = "".join(f"%{byte:02X}" if byte > 126 or byte == 32 else chr(byte) for byte in name.encode())
            got = ask(server, scene.path(encoded))
            assert got == want, f"{name} as {stored}: {got}\n{nginx.asked()}"
        agents = {asked.agent for asked in nginx.asked()}
        assert all(agent.startswith("Microsoft-Symbol-Server/") for agent in agents), agents


def a_store_of_two_tiers_is_found(scene):
    shutil.rmtree(scene.store)
    scene.add(f"ap/app.pdb/{scene.key}1/app.pdb")
    scene.add("index2.txt", b"\n")
    with Nginx(scene.store) as nginx, scene.serving(nginx.url) as server:
        assert ask(server, scene.path()) == FOUND, nginx.asked()


def a_cabinet_is_unpacked(scene):
    path = scene.add(f"packed.pdb/{scene.key}1/packed.pdb")
    subprocess.run([program("gcab"), "-c", "-z", path.with_suffix(".pd_"), path.name], cwd=path.parent, check=True)
    path.unlink()
    with Nginx(scene.store) as nginx, scene.serving(nginx.url) as server:
        assert ask(server, scene.path("packed.pdb")) == FOUND


def gzip_on_the_fly_changes_nothing(scene):
    with Nginx(scene.store) as plain, scene.serving(plain.url) as server:
        want = server.ask(scene.path())[2]
    with Nginx(scene.store, gzip=True) as packing, scene.serving(packing.url) as server:
        assert server.ask(scene.path())[2] == want


def a_password_is_used_and_kept(scene):
    with Nginx(scene.store, login=("reader", PASSWORD)) as nginx:
        at = nginx.url.removeprefix("http://")
        for login, want in (("", LATER), ("reader:wrong@", LATER), (f"reader:{PASSWORD}@", FOUND)):
            with scene.serving(f"http://{login}{at}") as server:
                assert ask(server, scene.path()) == want, (login, nginx.asked())


def a_busy_store_is_asked_again(scene):
    """Two seconds of 429 do not take a client a minute."""
    with Nginx(scene.store, retry_after=2) as nginx, scene.serving(nginx.url) as server:
        nginx.set_busy(True)
        assert server.poll(scene.path())[0] == 404
        until(lambda: [asked for asked in nginx.asked() if "app.pdb" in asked.path], "a request to the store")
        nginx.set_busy(False)
        comes_soon(server, scene.path())


def a_store_with_a_rate_limit_answers_everyone(scene):
    """More requests than it allows a second: none counts as an absent file."""
    numbers = range(1, 7)
    for number in numbers:
        guid = scene.symbols.guid_of(number)
        scene.add(f"app.pdb/{guid.replace('-', '')}1/app.pdb", scene.symbols.pdb_of(number))
    with Nginx(scene.store, rate="2r/s", retry_after=1) as nginx, scene.serving(nginx.url) as server:
        for number in numbers:
            status, headers, _ = server.poll(scene.symbols.url_path(number))
            assert status == 404 and "retry-after" in headers, (status, headers)
        for number in numbers:
            comes_soon(server, scene.symbols.url_path(number))
        assert 429 in {asked.status for asked in nginx.asked()}, "the limit was never met"


def a_login_page_is_not_a_file(scene):
    with Nginx(scene.store, login_page=True) as nginx, scene.serving(nginx.url) as server:
        assert ask(server, scene.path()) == LATER


def a_moved_store_is_followed(scene):
    with Nginx(scene.store, redirects={"/old/": "/"}) as nginx, scene.serving(f"{nginx.url}/old") as server:
        assert ask(server, scene.path()) == FOUND, nginx.asked()


def an_unknown_authority_is_not_trusted(scene):
    with Nginx(scene.store, tls=Authority(scene.folder)) as nginx, scene.serving(nginx.url) as server:
        assert ask(server, scene.path()) == LATER
        assert not nginx.asked(), "nothing was asked before the certificate was checked"


TESTS = [every_spelling_is_found, a_store_of_two_tiers_is_found, a_cabinet_is_unpacked, gzip_on_the_fly_changes_nothing,
         a_password_is_used_and_kept, a_busy_store_is_asked_again, a_store_with_a_rate_limit_answers_everyone,
         a_login_page_is_not_a_file, a_moved_store_is_followed, an_unknown_authority_is_not_trusted]


def verdict_of(test, scene):
    try:
        test(scene)
        verdict, why = "ok", ""
    except AssertionError:
        verdict, why = "FAILED", traceback.format_exc(limit=-1)
    print(f"{verdict:7} {test.__name__}\n{why}".rstrip(), flush=True)
    return verdict


def main():
    symcached = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        symbols = Symbols(folder)
        verdicts = [verdict_of(test, Scene(folder / test.__name__, symbols, symcached)) for test in TESTS]
    return 1 if "FAILED" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
