#!/usr/bin/env python3
"""The components of other tests (components/): each starts, does what it is for, and ends.

Usage: e2e/components_test.py [PATH_TO_SYMCACHED] [PART_OF_A_NAME...]
"""
import errno
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import textwrap

from components import behaviours
from components.apache import KerberosApache
from components.certificates import Authority
from components.debuginfod import Debuginfod, make_elf
from components.faults import FaultServer
from components.kerberos import Realm
from components.nginx import Nginx
from components.runner import run, test
from components.s3 import S3
from components.small_disk import SmallDisk, no_file_beyond
from server import until

BODY = bytes(range(256)) * 40
PATH = "Some.pdb/0123/Some.pdb"  # with capitals, as stores are case-sensitive


def curl(*arguments, **environment):
    return subprocess.run(["curl", "-sS", "-m", "30", *map(str, arguments)], capture_output=True,
                          env={**os.environ, **environment})


def status(*arguments, **environment):
    """Of the answer, and curl's own."""
    done = curl("-o", os.devnull, "-w", "%{http_code}", *arguments, **environment)
    return int(done.stdout), done.returncode


def store(folder):
    path = folder / "store" / PATH
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    return folder / "store"


@test
def nginx_serves_a_folder(folder):
    with Nginx(store(folder), redirects={"/old/": "/"}) as nginx:
        assert curl(f"{nginx.url}/{PATH}").stdout == BODY
        assert curl("-r", "3-5", f"{nginx.url}/{PATH}").stdout == BODY[3:6]
        assert curl("-L", f"{nginx.url}/old/{PATH}").stdout == BODY
        assert status(f"{nginx.url}/{PATH.lower()}")[0] == 404
        assert status(f"{nginx.url}/Some.pdb/")[0] == 403, "directories are not listed"
        nginx.set_busy(True)
        assert b"Retry-After: 2\r\n" in curl("-i", f"{nginx.url}/{PATH}").stdout
        nginx.set_busy(False)
        assert curl(f"{nginx.url}/{PATH}").stdout == BODY
        statuses = [asked.status for asked in nginx.asked()]
        assert statuses == [200, 206, 302, 200, 404, 403, 429, 200], statuses
        assert nginx.asked()[1].range == "bytes=3-5", nginx.asked()


@test
def nginx_has_conditions(folder):
    served, authority = store(folder), Authority(folder)
    with Nginx(served, login=("reader", "secret"), gzip=True, tls=authority) as nginx:
        url, trust = f"{nginx.url}/{PATH}", ("--cacert", authority.ca)
        assert status(url)[1] == 60, "an unknown authority"
        assert status(url, *trust)[0] == 401
        assert curl(url, *trust, "-u", "reader:secret").stdout == BODY
        assert b"Content-Encoding: gzip" in curl("-i", "--compressed", url, *trust, "-u", "reader:secret").stdout
    with Nginx(served, rate="1r/m") as nginx:
        assert [status(f"{nginx.url}/{PATH}")[0] for _ in range(2)] == [200, 429]
    with Nginx(served, login_page=True) as nginx:
        assert curl(f"{nginx.url}/{PATH}").stdout.startswith(b"<!DOCTYPE html>")


@test
def apache_wants_a_ticket(folder):
    with Realm() as realm, KerberosApache(store(folder), realm) as apache:
        url, negotiate = f"{apache.url}/{PATH}", ("--negotiate", "-u", ":")
        assert b"WWW-Authenticate: Negotiate\r\n" in curl("-i", url).stdout
        assert status(url, *negotiate, **realm.environment_without_ticket())[0] == 401
        realm.log_in()
        assert curl(url, *negotiate, **realm.client_environment).stdout == BODY, apache.log()


@test
def debuginfod_has_indexed(folder):
    elf = make_elf(folder)
    with Debuginfod(folder, [elf]) as server:
        base = f"{server.url}/buildid/{elf.build_id}"
        assert curl(f"{base}/debuginfo").stdout == elf.debug.read_bytes()
        assert curl(f"{base}/executable").stdout == elf.executable.read_bytes()
        assert curl(f"{base}/source{elf.source}").stdout == elf.source.read_bytes()
        assert status(f"{server.url}/buildid/{'0' * 40}/debuginfo")[0] == 404


@test
def s3_wants_a_signature(folder):
    with S3(store(folder)) as s3:
        assert s3.get(PATH) == BODY
        assert curl(*s3.signed(PATH), "-r", "3-5").stdout == BODY[3:6]
        assert status(s3.url_of(PATH))[0] == 403
        assert status(*s3.signed("none.pdb"))[0] == 404
        odd = "a+b c/ü&$@=;:,().pdb"
        s3.put(odd, b"odd")
        assert s3.get(odd) == b"odd"


@test
def faults_are_counted(folder):
    table = {"a.pdb": behaviours.in_turn(behaviours.answer(503), behaviours.file(BODY)), "/hush": behaviours.silence}
    with FaultServer(table) as server, FaultServer({"a.pdb": table["a.pdb"]}, host="::1") as six:
        assert [status(f"{server.url}/A.pdb/{part}")[0] for part in "xyz"] == [503, 200, 200]
        assert curl("-r", "1-2", f"{server.url}/a.pdb", "-H", 'If-Range: "two"').stdout == BODY
        assert status(f"{server.url}/hush", "-m", "0.1")[1] == 28, "curl's patience has ended"
        assert status(f"{six.url}/b")[0] == 404
        assert [request.path for request in server.asked("a.pdb/")] == ["/A.pdb/x", "/A.pdb/y", "/A.pdb/z"]
        assert server.asked("/a.pdb")[-1].headers["range"] == "bytes=1-2"


@test
def a_small_disk_is_full(_):
    with SmallDisk(1 << 20) as disk:
        disk.fill()
        assert write_error(disk.folder / "more") == errno.ENOSPC
        disk.release()
        assert write_error(disk.folder / "more") is None
    with tempfile.NamedTemporaryFile() as file, no_file_beyond(os.getpid(), 100):
        assert write_error(file.name) == errno.EFBIG


def write_error(path):
    try:
        pathlib.Path(path).write_bytes(BODY)
    except OSError as error:
        return error.errno
    return None


@test
def components_end_with_a_test_that_is_killed(folder):
    source = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        from components.nginx import Nginx
        with Nginx({str(store(folder))!r}) as nginx:
            print(nginx.port, nginx.folder, flush=True)
            time.sleep(600)
        """)
    dying = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    port, scratch = dying.stdout.readline().split()
    assert accepts(port)
    dying.kill()
    dying.wait()
    dying.stdout.close()
    until(lambda: not accepts(port) and not pathlib.Path(scratch).exists(), "nothing is left")


def accepts(port):
    """A server that is just ending may reset what it accepted, as well as refuse it."""
    try:
        socket.create_connection(("127.0.0.1", int(port))).close()
        return True
    except ConnectionError:
        return False


if __name__ == "__main__":
    sys.exit(run(sys.argv[2:]))
