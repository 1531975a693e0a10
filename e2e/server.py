"""`symcached serve` as tests start it, watch it and ask it; PDBs and cache entries for it."""
import atexit
import ctypes
import fcntl
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time
import uuid

SOURCE = "int add(int a, int b) { return a + b; }\nint main() { return add(1, 2); }\n"
LARGE_KEY = "large.pdb/000000010000400080000000000000011"  # of an entry that write_entry() makes
LARGE_PATH = "/open/v2.1.0/large.pdb/00000001-0000-4000-8000-000000000001/1"
LIMIT = 300  # seconds that anything may take before it counts as hanging; on a busy machine, a minute is too short


def until(condition, what, limit=LIMIT):
    """Waits until `condition()` is true and returns it; fails after `limit` seconds."""
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.005)
    return value


def have_tools(*more):
    """Whether there is what make_pdb() takes, and `more`; prints what there is not."""
    missing = [tool for tool in ("clang-22", "lld-link-22", "llvm-pdbutil-22", *more) if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
    return not missing


def make_pdb(folder, source=SOURCE):
    """A program with its PDB; returns the path of the PDB and its id as (guid, age)."""
    (folder / "app.cpp").write_text(source)
    run = lambda *command: subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    run("clang-22", "--target=x86_64-pc-windows-msvc", "-g", "-gcodeview", "-c", "app.cpp", "-o", "app.obj")
    run("lld-link-22", "/debug", "/nodefaultlib", "/entry:main", "/out:app.exe", "/pdb:app.pdb", "app.obj")
    text = run("llvm-pdbutil-22", "dump", "--summary", "app.pdb")
    guid = re.search(r"GUID: \{([0-9A-Fa-f-]+)\}", text).group(1)
    age = int(re.search(r"^\s*Age: (\d+)", text, re.MULTILINE).group(1))
    return folder / "app.pdb", guid, age


def guid_bytes(guid):
    """As a PDB holds it."""
    return uuid.UUID(guid).bytes_le


def kill_quietly(pid, how):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass  # it has ended by itself


def state_of(pid):
    """One letter, as in /proc/PID/stat; X for a process that is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def waiting_bytes(pid, descriptor):
    """Bytes of the next message that a process has not read from its socket yet; 0 if the process is gone."""
    pidfd_getfd = 438
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return 0
    channel = ctypes.CDLL(None, use_errno=True).syscall(pidfd_getfd, process, descriptor, 0)
    os.close(process)
    if channel < 0:
        return 0
    try:
        return struct.unpack("i", fcntl.ioctl(channel, termios.FIONREAD, b"\0" * 4))[0]
    finally:
        os.close(channel)


class Symbols:
    """A symbol store with any number of PDBs: one real PDB under as many ids as wanted."""

    def __init__(self, folder, source=SOURCE):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder / "store"
        self.folder.mkdir()
        path, self.guid, self.age = make_pdb(folder, source)
        self.pdb = path.read_bytes()
        assert self.pdb.count(guid_bytes(self.guid)) == 1

    def guid_of(self, number):
        return f"{number:08X}-0000-4000-8000-{number:012X}"

    def pdb_of(self, number):
        return self.pdb.replace(guid_bytes(self.guid), guid_bytes(self.guid_of(number)))

    def place(self, number):
        folder = self.folder / "app.pdb" / f"{self.guid_of(number).replace('-', '')}{self.age:x}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "app.pdb"

    def add(self, number):
        path = self.place(number)
        path.write_bytes(self.pdb_of(number))
        old = time.time() - 3600  # nobody is still writing it
        os.utime(path, (old, old))
        return path

    def url_path(self, number):
        return f"/open/v2.1.0/app.pdb/{self.guid_of(number)}/{self.age}"


class Server:
    """`symcached serve` on a free port; its log is read when it has ended."""

    def __init__(self, program, cache, *symbols, options=(), descriptors=None, admin=False,
                 environment=None):
        arguments = [str(program), "serve", "--bind", "127.0.0.1:0", "--admin-bind", "127.0.0.1:0" if admin else ""]
        arguments += map(str, options)
        arguments += ["--cache-dir", str(cache)] if cache else []
        for place in symbols:
            arguments += ["--symbols", str(place)]
        self.log_file = tempfile.TemporaryFile("w+")
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)) if descriptors else None
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log_file, text=True,
                                        env={**os.environ, **(environment or {})},
                                        preexec_fn=limit if descriptors else None)
        atexit.register(self.process.kill)  # of a test that fails, too; nothing when it has been waited for
        line = self.process.stdout.readline()
        assert line.startswith("listening on http"), line + self.log()
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])
        if admin:
            line = self.process.stdout.readline()
            assert line.startswith("admin on http://"), line + self.log()
            self.admin_port = int(line.rsplit(":", 1)[1])

    def log(self):
        self.log_file.seek(0)
        return self.log_file.read()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(LIMIT)
        self.process.stdout.close()
        return status, self.log()

    def reload(self, says="configuration reloaded"):
        """SIGHUP; returns once the log says so."""
        count = self.log().count(says)
        self.process.send_signal(signal.SIGHUP)
        until(lambda: self.log().count(says) > count, f"a log line with {says}")

    # --- asking ---------------------------------------------------------------------------------------------------

    def connect(self, receive_buffer=None, port=None):
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(LIMIT)
        client.connect(("127.0.0.1", port or self.port))
        return client

    def ask(self, path, *headers, method="GET", port=None):
        """(status, headers by lower-case name, body) of one request on a connection of its own."""
        with self.connect(port=port) as client:
            lines = [f"{method} {path} HTTP/1.1", "Host: test", "Connection: close", *headers]
            client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            return read_answer(client)

    def poll(self, path):
        """Asks as a client that comes back by itself."""
        return self.ask(path, "Allow-Retry-After: true")

    def body_by_now(self, path):
        """The body, if it is there without waiting."""
        status, _, body = self.poll(path)
        return body if status == 200 else None

    # --- watching -------------------------------------------------------------------------------------------------

    def alive(self):
        return self.process.poll() is None

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def status_kib(self, field):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE).group(1))

    def resident(self):
        return self.status_kib("VmRSS") << 10

    def sanitized(self):
        return self.status_kib("VmSize") > 1 << 30  # KiB: the shadow memory of a sanitizer

    def worker_with_a_job(self):
        """One that has not read its job yet, because it is stopped; None if there is none."""
        channel = 3
        return next((worker for worker in self.workers() if waiting_bytes(worker, channel) > 0), None)

    def workers(self):
        """Process ids of its children, without those that have ended."""
        children = []
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                children += map(int, (task / "children").read_text().split())
            except OSError:
                pass  # a thread that has ended
        return sorted(child for child in children if state_of(child) not in "ZX")


def read_answer(client):
    """Reads to the end of the connection: (status, headers, body); status 0 if there is no whole head."""
    data = bytearray()
    try:
        while piece := client.recv(1 << 16):
            data += piece
    except ConnectionError:
        pass
    head, separator, body = bytes(data).partition(b"\r\n\r\n")
    if not separator:
        return 0, {}, bytes(data)
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, body


def write_entry(cache, key, payload):
    """Puts a symcache entry into a cache directory, as docs/formats/cache-entry.md has it."""
    offset, fixed, checksum = 4096, 152, slice(120, 152)
    key_bytes = key.encode()
    head = bytearray(offset)
    state_file, lines, created = 1, 4, int(time.time() * 1000)
    struct.pack_into("<8sIBBHQQQ", head, 0, b"SCENTRY\n", 3, state_file, lines, 0, created, offset, len(payload))
    head[40:72] = hashlib.sha256(payload).digest()
    struct.pack_into("<I", head, 116, len(key_bytes))
    head[fixed:fixed + len(key_bytes)] = key_bytes
    head[checksum] = hashlib.sha256(head).digest()
    name = hashlib.sha256(key_bytes).hexdigest()
    path = cache / "symcaches" / "v4" / "global" / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + payload)
