#!/usr/bin/env python3
"""leash.py COMMAND...: runs it until standard input has something or ends, then ends it and all that it started.

The test holds the other end of that pipe, so the programs that it starts end with it, even when it is killed. Then its
scratch folder, which is the working directory, is removed here.
"""
import ctypes
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys

PATIENCE = 5  # seconds between SIGTERM and SIGKILL


def children():
    return [int(pid) for pid in pathlib.Path("/proc/thread-self/children").read_text().split()]


def kill(pid, how):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass  # it has ended by itself


def reap_all():
    """Waits for every child there is; orphans of children become children."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return
        for pid in children():
            kill(pid, signal.SIGKILL)


def main():
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1)
    process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    ended = os.pidfd_open(process.pid)
    readable, _, _ = select.select([sys.stdin, ended], [], [])
    killed = sys.stdin in readable and not os.read(sys.stdin.fileno(), 1)  # the test, before it could say goodbye
    kill(process.pid, signal.SIGTERM)
    select.select([ended], [], [], PATIENCE)
    for pid in children():
        kill(pid, signal.SIGKILL)
    reap_all()
    if killed:
        shutil.rmtree(os.getcwd(), ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
