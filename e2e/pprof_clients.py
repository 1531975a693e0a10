"""The real clients of pprof, and programs with profiles for them."""
import os
import re
import shutil
import subprocess
import time

from server import LIMIT, Server

PERL = "google-pprof"


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace", **options)


def checked(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout


def missing_tools():
    return [tool for tool in (PERL, "go", "curl", "g++", "cmake") if shutil.which(tool) is None]


class Clients:
    """google-pprof and `go tool pprof`, each with a folder of its own for what it keeps."""

    def __init__(self, folder):
        self.environment = {**os.environ, "PPROF_TMPDIR": str(folder / "perl"), "PPROF_BINARY_PATH": str(folder)}
        (folder / "perl").mkdir()
        for name in ("http_proxy", "HTTP_PROXY"):
            self.environment.pop(name, None)

    def perl(self, *arguments, **options):
        return run(PERL, *arguments, env=self.environment, **options)

    def go(self, *arguments):
        return run("go", "tool", "pprof", *arguments, env=self.environment)


class Program:
    """A process that prints its port, or writes it to a file, and ends with its standard input."""

    def __init__(self, *command, port_file=None, environment=None):
        variables = {**os.environ, **(environment or {})}
        if port_file:
            variables |= {"SYMCACHED_PPROF": "127.0.0.1:0", "SYMCACHED_PPROF_PORT_FILE": str(port_file)}
        self.process = subprocess.Popen([*map(str, command)], env=variables, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        if port_file:
            self.port = int(port_file.read_text())
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    connect, descriptors = Server.connect, Server.descriptors  # what rough_clients.py asks of a server

    def curl(self, target, *options):
        return run("curl", "-s", "--max-time", LIMIT, *options, self.url + target)

    def status(self, target, *options):
        return int(self.curl(target, "-o", os.devnull, "-w", "%{http_code}", *options).stdout)

    def ask(self, letter):
        """A line that it answers, on its standard output."""
        self.process.stdin.write(letter)
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self):
        """The exit status, when its standard input ends."""
        _, complaints = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, complaints


def shares_of(text):
    """Percentages of functions with what they call, as both clients print them, by the last part of the name."""
    shares = {}
    for line in text.splitlines():
        match = re.match(r"\s*\S+\s+[\d.]+%\s+[\d.]+%\s+\S+\s+([\d.]+)%\s+(.+)", line)
        if match:
            name = re.sub(r"\(.*|\s+\(inline\)$", "", match[2]).split("::")[-1].strip()
            shares[name] = max(shares.get(name, 0.0), float(match[1]))  # inlined somewhere, it has two lines
    return shares


def seconds_of(action):
    began = time.monotonic()
    action()
    return time.monotonic() - began
