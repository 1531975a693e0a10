"""What all components share: a scratch folder, a free port, a program on a leash, its log."""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from server import LIMIT, until

LEASH = pathlib.Path(__file__).with_name("leash.py")
PORTS_TRIED = 5
SEARCH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])  # servers are not in everyone's PATH


class Lacking(Exception):
    """A component cannot run here; says what is missing."""


def program(name):
    """The path of an installed program; Lacking if there is none."""
    path = shutil.which(name, path=SEARCH)
    if path is None:
        raise Lacking(f"{name} is not installed")
    return path


def free_port(host="127.0.0.1"):
    """A port that was free a moment ago: start() tries others if somebody was quicker."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def descendants(pid):
    """The process and all that it started."""
    yield pid
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from descendants(int(child))


def open_files(pid):
    """What /proc calls the files that a process has open, as far as we may see."""
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                yield os.readlink(f"/proc/{pid}/fd/{descriptor}")


def listens(pid, port):
    """A process, or one that it started, listens on a port: not somebody who was quicker."""
    listening = "0A"
    sockets = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == listening and int(local.rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{inode}]")
    return bool(sockets) and any(name in sockets for process in descendants(pid) for name in open_files(process))


class Leashed:
    """A running program that ends with stop(), or with this process. Its output goes to the file `log`.

    It runs in `scratch`, a folder that is the caller's to remove, but goes too if this process is killed.
    """

    def __init__(self, command, log, scratch, environment):
        with open(log, "wb") as output:
            self.leash = subprocess.Popen([sys.executable, "-IS", LEASH, *map(str, command)], stdin=subprocess.PIPE,
                                          stdout=output, stderr=output, cwd=scratch, start_new_session=True,
                                          env={**os.environ, **environment})

    def alive(self):
        return self.leash.poll() is None

    def stop(self):
        if self.alive():
            self.leash.communicate(b".", LIMIT)
        self.leash.stdin.close()


class Component:
    """A context manager around one server. A subclass says how to prepare, start and recognise it."""

    name = ""
    environment = {}  # what it gets besides ours

    def prepare(self):
        """Before the first start: makes what the program needs in self.folder."""

    def command(self):
        """The command line; may write configuration files that need self.port."""
        raise NotImplementedError

    def ready(self):
        """Once it listens: whether it does its work."""
        return True

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            self.folder = pathlib.Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="component-")))
            self.prepare()
            self.start(undo)
            self.undo = undo.pop_all()
        return self

    def __exit__(self, *_):
        self.undo.close()

    def start(self, undo):
        for _ in range(PORTS_TRIED):
            self.port = free_port()
            process = Leashed(self.command(), self.folder / "log", self.folder, self.environment)
            undo.callback(process.stop)
            works = lambda: listens(process.leash.pid, self.port) and self.ready()
            until(lambda: not process.alive() or "in use" in self.log() or works(), f"{self.name} is ready")
            if process.alive() and works():
                return
            process.stop()
            if "in use" not in self.log():
                break
        raise AssertionError(f"{self.name} does not start:\n{self.log()}")

    def log(self):
        """Its output, for the message of a test that fails."""
        return (self.folder / "log").read_text(errors="replace")[-10_000:]
