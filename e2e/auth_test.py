#!/usr/bin/env python3
"""auth_test.py SYMCACHED: who gets in: TLS, Kerberos, NTLM, tokens, rules; and who does not.

A real key distribution centre (components/kerberos.py); the clients are curl, openssl and wrk.
"""
import base64
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from components.certificates import Authority
from components.component import Lacking, program
from components.kerberos import REALM, USER, Realm
from server import LIMIT, Server, Symbols, kill_quietly, until

SKIP = 77
THERE, MISSING = 1, 2
TOKEN, OTHER = "between-us-0", "between-us-1"
# NTLM is made of MD4, which OpenSSL 3 has among its legacy algorithms only.
WITH_MD4 = """
openssl_conf = start
[start]
providers = providers
[providers]
default = on
legacy = on
[on]
activate = 1
"""
RAW_NTLM = pathlib.Path(__file__).with_name("raw_ntlm.py")
NTLM = pathlib.Path("/usr/lib/x86_64-linux-gnu/gssntlmssp/gssntlmssp.so")


class Scene:
    """A folder for one test, and what all tests share."""

    def __init__(self, folder, symcached, symbols, realm, authority):
        self.folder, self.symcached, self.symbols = folder, symcached, symbols
        self.realm, self.authority = realm, authority

    def config(self, **keys):
        source = {"id": "s", "type": "filesystem", "path": str(self.symbols.folder)}
        file = self.folder / "config.yml"
        file.write_text(json.dumps({"sources": [source], **keys}))  # JSON is YAML
        return file

    def server(self, environment=None, **keys):
        return Server(self.symcached, self.folder / "cache", options=["--config", self.config(**keys)],
                      environment={"KRB5_CONFIG": str(self.realm.config), **(environment or {})})

    def negotiate(self, **more):
        return {"auth": {"negotiate": True, "keytab": str(self.realm.keytab), **more}}


def end(server, *secrets):
    status, log = server.end()
    assert status == 0, log
    for secret in (TOKEN, OTHER, *secrets):
        assert secret not in log, "a secret is in the log"
    return log


def curl(server, path, *options, environment=None):
    """(statuses, challenges and proofs, all that curl said): by name, as tickets are for HTTP/localhost."""
    url = server.url.replace("127.0.0.1", "localhost") + path
    done = subprocess.run(["curl", "-sv", "-o", "/dev/null", *options, url], capture_output=True, text=True,
                          timeout=LIMIT, env={**os.environ, **(environment or {})})
    statuses = [int(status) for status in re.findall(r"^< HTTP/1.1 (\d+)", done.stderr, re.MULTILINE)]
    return statuses, re.findall(r"^< WWW-Authenticate: (.*?)\r?$", done.stderr, re.MULTILINE), done.stderr


def authorization_of(environment):
    """The Authorization header that curl would send, for a test to send in another way."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        heard = []

        def answer():
            client, _ = listener.accept()
            with client:
                heard.append(client.recv(1 << 20).decode())
                client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://localhost:{listener.getsockname()[1]}/"
        subprocess.run(["curl", "-s4", "--negotiate", "-u", ":", url], check=True, env={**os.environ, **environment})
        thread.join()
    return re.search(r"^Authorization: .*?(?=\r)", heard[0], re.MULTILINE).group(0)


def check_kerberos(scene):
    """The proof of the server comes with the final answer, whatever its status; every request logs in anew."""
    server = scene.server(**scene.negotiate())
    path, negotiate = scene.symbols.url_path(THERE), ["--negotiate", "-u", ":"]
    ticket = scene.realm.client_environment
    assert curl(server, path)[:2] == ([401], ["Negotiate"])
    assert curl(server, path, *negotiate, environment=scene.realm.environment_without_ticket())[0][-1] == 401
    etag = re.search(r"< ETag: (\S+)", curl(server, path, *negotiate, environment=ticket)[2]).group(1)
    for want, target, *options in ((200, path), (200, path, "-I"), (206, path, "-r", "0-9"), (404, "/nowhere"),
                                   (304, path, "-H", f"If-None-Match: {etag}"), (200, "/"),
                                   (404, scene.symbols.url_path(MISSING)), (400, path, "-H", "If-Version-Exceeds: x")):
        statuses, said, text = curl(server, target, *options, *negotiate, environment=ticket)
        assert statuses == [want] and len(said) == 1 and said[0].startswith("Negotiate oY"), (target, text)
    for target in ("/healthcheck", "/readyz"):
        assert curl(server, target)[0] == [200]
    url = server.url.replace("127.0.0.1", "localhost") + path
    statuses, said, text = curl(server, path, *negotiate, url, "-o", "/dev/null", environment=ticket)
    assert statuses == [200, 200] and len(said) == 2 and "Re-using existing connection" in text, text
    end(server)


def check_rejects(scene, stranger):
    """Each gets a plain Negotiate; why, only the log says."""
    server = scene.server(**scene.negotiate())
    path = scene.symbols.url_path(THERE)

    def ask(header):
        status, headers, body = server.ask(path, header)
        return status, headers.get("www-authenticate"), headers.get("cache-control"), body

    refused = (401, "Negotiate", "no-store", b"")
    good = authorization_of(scene.realm.client_environment)
    assert ask(good)[0] == 200
    assert ask(good) == refused, "replayed"
    assert ask(authorization_of(stranger.client_environment)) == refused, "of another realm"
    numbers = random.Random(1)
    for size in (0, 1, 7, 40, 100, 1000, 10_000, 45_000):
        for garbage in (numbers.randbytes(size), base64.b64decode(good.split()[-1])[:size]):
            assert ask("Authorization: Negotiate " + base64.b64encode(garbage).decode()) == refused, size
    for header in ("Negotiate", "Negotiate !", "Basic YTpi", "Bearer x", "Digest x"):
        assert ask("Authorization: " + header) == refused, header
    assert ask("Authorization: Negotiate " + "A" * 61_440)[0] == 401, "60 KiB"
    assert ask(authorization_of(scene.realm.client_environment))[0] == 200, "still at work"
    log = end(server, good.split()[-1])
    lines = log.count("failed to log in")
    assert 1 <= lines < 15 and "replay" in log, log


def check_clock(scene):
    """A ticket, and the proof that it is used now, are too old once the tolerance is over."""
    strict = scene.folder / "krb5.conf"
    strict.write_text(scene.realm.config.read_text().replace("[libdefaults]", "[libdefaults]\n  clockskew = 1"))
    server = scene.server(environment={"KRB5_CONFIG": str(strict)}, **scene.negotiate())
    cache = f"FILE:{scene.folder / 'short'}"
    environment = {**scene.realm.client_environment, "KRB5CCNAME": cache}
    subprocess.run(["kinit", "-l", "2s", "-k", "-t", scene.realm.folder / "alice.keytab", USER], check=True,
                   env={**os.environ, **environment})
    unused = authorization_of(environment)
    over = time.monotonic() + 4
    until(lambda: time.monotonic() > over, "the ticket is over, and the tolerance")
    status, headers, _ = server.ask(scene.symbols.url_path(THERE), unused)
    assert (status, headers["www-authenticate"]) == (401, "Negotiate")
    log = end(server)
    assert "skew" in log or "expired" in log, log


def check_ntlm(scene):
    """Three messages on one connection, which then needs no more; only where it is allowed."""
    if not NTLM.exists():
        print("auth_test: gss-ntlmssp is not installed; NTLM not tested")
        return
    users = scene.folder / "users"
    users.write_text("TESTS:bob:a password\n")
    (scene.folder / "openssl.cnf").write_text(WITH_MD4)
    files = {"NTLM_USER_FILE": str(users), "OPENSSL_CONF": str(scene.folder / "openssl.cnf")}
    client = {**scene.realm.environment_without_ticket(), **files}
    path = scene.symbols.url_path(THERE)
    rules = [{"principal": r"TESTS\bob", "pdb": "app.pdb"}, {"principal": "*", "allow": False}]
    server = scene.server(environment=files, **scene.negotiate(ntlm=True, rules=rules))
    host = socket.gethostname()  # by which name the server introduces itself
    urls = [f"http://{host}:{server.port}{path}"] * 2
    done = subprocess.run(["curl", "-sv", "--resolve", f"{host}:{server.port}:127.0.0.1", "--negotiate", "-u", ":",
                           "-o", "/dev/null", "-o", "/dev/null", *urls], capture_output=True, text=True,
                          timeout=LIMIT, env={**os.environ, **client})
    text = done.stderr
    statuses = [int(status) for status in re.findall(r"^< HTTP/1.1 (\d+)", text, re.MULTILINE)]
    assert statuses[-2:] == [200, 200] and set(statuses[:-2]) == {401}, text
    assert text.count("Connected to") == 1, text
    raw = [sys.executable, RAW_NTLM, host, str(server.port), path]
    assert said_by(raw, client) == ["401 challenge", "200", "200"], "messages that SPNEGO is not around"
    check_first_messages(server, path)
    end(server, "a password")
    server = scene.server(environment=files, **scene.negotiate())
    assert curl(server, path, "--negotiate", "-u", ":", environment=client)[0][-1] == 401
    assert said_by([*raw[:3], str(server.port), path], client) == ["401", "401"], "not where it is not allowed"
    end(server)


def said_by(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def check_first_messages(server, path):
    """Of NTLM, by hand: signature, 1, flags, empty names, a version; the answer to garbage has no second message."""
    signature, names = b"NTLMSSP\0", bytes(16)
    first, plain, versioned = (number.to_bytes(4, "little") for number in (1, 0xA0088207, 0xA2088207))
    rows = [("with a version", signature + first + versioned + names + bytes([10, 0, 0x61, 0x4A, 0, 0, 0, 15]), True),
            ("without one, but with room for it", signature + first + plain + names + bytes(8), True),
            ("without room for it, which gss-ntlmssp wants", signature + first + plain + names, False),
            ("cut in its flags", signature + first + plain[:2], False),
            ("the signature alone", signature, False),
            ("a third message that nothing led to", signature + bytes([3, 0, 0, 0]) + bytes(60), False)]
    for why, message, is_good in rows:
        status, headers, body = server.ask(path, "Authorization: Negotiate " + base64.b64encode(message).decode())
        scheme, _, token = headers["www-authenticate"].partition(" ")
        assert (status, scheme, headers["cache-control"], body) == (401, "Negotiate", "no-store", b""), why
        assert base64.b64decode(token)[:12] == (signature + bytes([2, 0, 0, 0]) if is_good else b""), why


def check_tokens_and_rules(scene):
    tokens = [{"name": "ci", "token": TOKEN}, {"name": "dev", "token": OTHER}]
    rules = [{"principal": "dev", "pdb": "APP*", "allow": False}, {"principal": "anonymous", "pdb": "open*.pdb"}]
    server = scene.server(auth={"tokens": tokens, "rules": rules})
    path, missing = scene.symbols.url_path(THERE), scene.symbols.url_path(MISSING)
    opened = path.replace("app.pdb", "open1.pdb")
    schemes = ['Bearer realm="symcached"', 'Basic realm="symcached", charset="UTF-8"']
    rows = [([401], path), ([401], "/"), ([401], "/x/y/z"), ([404], opened),
            ([401], opened, "-H", "Authorization: x"), ([200], path, "-u", f"ci:{TOKEN}"),
            ([200], path, "-H", f"Authorization: Bearer {TOKEN}"),
            ([401], path, "-u", f"dev:{TOKEN}"), ([401], path, "-u", "ci:"), ([404], missing, "-u", f"ci:{TOKEN}"),
            ([403], path, "-u", f"dev:{OTHER}"), ([403], missing, "-u", f"dev:{OTHER}"),
            ([200], "/", "-u", f"dev:{OTHER}")]
    for want, target, *options in rows:
        statuses, said, _ = curl(server, target, *options)
        assert statuses == want and said == (schemes if want == [401] else []), (target, options, statuses, said)
    scene.config(auth={"tokens": tokens, "rules": rules, "hide": True})
    server.reload()
    assert curl(server, path, "-u", f"dev:{OTHER}")[0] == [404]
    scene.config(auth={"tokens": tokens[1:]})
    server.reload()
    assert curl(server, path, "-u", f"ci:{TOKEN}")[0] == [401] and curl(server, path, "-u", f"dev:{OTHER}")[0] == [200]
    scene.config()
    server.reload("configuration not reloaded")
    assert curl(server, path)[0] == [401], "a file without tokens opens no door"
    end(server)


def check_tls(scene):
    other = scene.folder / "other"
    other.mkdir()
    files = {"certificate": scene.folder / "server.pem", "key": scene.folder / "server.key"}

    def install(authority):
        shutil.copy(authority.certificate, files["certificate"])
        shutil.copy(authority.key, files["key"])

    install(scene.authority)
    server = scene.server(tls={name: str(file) for name, file in files.items()})
    assert server.url.startswith("https://"), server.url
    path, trust = scene.symbols.url_path(THERE), ["--cacert", scene.authority.ca]
    assert curl(server, path, *trust)[0] == [200]
    assert curl(server, path, *trust, "--tls-max", "1.2")[0] == [200]
    assert curl(server, path, *trust, "-r", "0-9")[0] == [206]
    assert curl(server, path, *trust, "--tls-max", "1.1")[0] == [] and curl(server, path)[0] == []
    assert server.ask(path)[0] == 400, "plain HTTP"
    client = subprocess.run(["openssl", "s_client", "-connect", f"localhost:{server.port}", "-alpn", "h2,http/1.1",
                             "-CAfile", scene.authority.ca], input="", capture_output=True, text=True, timeout=LIMIT)
    assert "ALPN protocol: http/1.1" in client.stdout and "Verification: OK" in client.stdout, client.stdout
    wrk = subprocess.Popen([program("wrk"), "-t1", "-c50", "-d60s", server.url + path], stdout=subprocess.DEVNULL)
    until(lambda: server.descriptors() > 50, "wrk has connected")
    kill_quietly(wrk.pid, 9)
    wrk.wait()
    assert curl(server, path, *trust)[0] == [200]
    fresh = Authority(other)
    install(fresh)
    server.reload()
    assert curl(server, path, "--cacert", fresh.ca)[0] == [200]
    files["key"].write_text("no key")
    server.reload("configuration not reloaded")
    assert curl(server, path, "--cacert", fresh.ca)[0] == [200]
    end(server)


def check_configuration(scene):
    """`config check` and `serve` say the same, and nothing is served."""
    certificate, key, keytab = scene.authority.certificate, scene.authority.key, scene.realm.keytab
    alice = scene.realm.folder / "alice.keytab"
    rows = [({"tls": {"certificate": str(certificate)}}, "tls.key: missing"),
            ({"tls": {"certificate": "/no", "key": str(key)}}, "tls.certificate /no: No such file"),
            ({"tls": {"certificate": str(certificate), "key": str(certificate)}}, f"tls.key {certificate}: "),
            ({"auth": {"negotiate": True, "keytab": "/no"}}, "auth.keytab /no: "),
            ({"auth": {"negotiate": True, "keytab": str(alice)}}, f"auth.keytab {alice}: "),
            ({"auth": {"keytab": str(keytab)}}, "of no use without auth.negotiate"),
            ({"auth": {"rules": [{"pdb": "*"}]}}, "nobody can log in"),
            ({"auth": {"tokens": [{"name": "a@B", "token": TOKEN}]}}, "auth.tokens[0].name")]
    for keys, want in rows:
        file = scene.config(**keys)
        for command in (["config", "check", file], ["serve", "--config", file, "--bind", "127.0.0.1:0", "--cache-dir",
                                                    scene.folder / "cache"]):
            done = subprocess.run([scene.symcached, *command], capture_output=True, text=True, timeout=LIMIT,
                                  env={**os.environ, "KRB5_CONFIG": str(scene.realm.config)})
            assert done.returncode == 1 and want in done.stderr and TOKEN not in done.stderr, (command, done.stderr)


CHECKS = [check_configuration, check_tls, check_tokens_and_rules, check_kerberos, check_clock, check_ntlm]


def main():
    symcached = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name, Realm() as realm, Realm() as stranger:
        folder = pathlib.Path(name)
        # What the libraries of Kerberos and NTLM never free is not for the leak sanitizer to fail this test.
        (folder / "leaks").write_text("leak:libcrypto.so\nleak:libkrb5.so\nleak:libgssapi\nleak:gssntlmssp\n")
        os.environ.setdefault("LSAN_OPTIONS", f"suppressions={folder / 'leaks'}")
        symbols = Symbols(folder / "symbols")
        symbols.add(THERE)
        for each in (realm, stranger):
            each.log_in()
        (folder / "certificates").mkdir()
        authority = Authority(folder / "certificates")
        for check in [*CHECKS, lambda scene: check_rejects(scene, stranger)]:
            own = folder / f"{getattr(check, '__name__', 'rejects').strip('<>')}"
            own.mkdir()
            check(Scene(own, symcached, symbols, realm, authority))


if __name__ == "__main__":
    try:
        main()
    except Lacking as lacking:
        print(lacking)
        sys.exit(SKIP)
