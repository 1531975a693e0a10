#!/usr/bin/python3 -S
"""fake_symcachegen.py -pdb FILE: stands in for symcachegen.exe, and goes wrong as the name of the PDB says.

Writes $_NT_SYMCACHE_PATH/NAME/GUIDAGE/NAME-v3.1.0.symcache with "symcache of NAME"; $VERSION may name another version.
Guid and age are those that the PDB states; a file that is no PDB states them as its first line. The part of the name
before the first dot is what goes wrong, one of the functions below; any other name goes well.
"""
import os
import pathlib
import signal
import socket
import struct
import sys
import time

VERSION = os.environ.get("VERSION", "3.1.0")


def stated_id(data):
    """GUID and age of the PDB's info stream as symbol servers write them."""
    if not data.startswith(b"Microsoft C/C++ MSF 7.00"):
        return data.split(b"\n")[0].decode().strip().upper()
    size, directory_size, map_block = (struct.unpack_from("<I", data, at)[0] for at in (32, 44, 52))

    def stream(blocks, length):
        return b"".join(data[block * size:(block + 1) * size] for block in blocks)[:length]
    count = -(-directory_size // size)
    directory = stream(struct.unpack_from(f"<{count}I", data, map_block * size), directory_size)
    streams = struct.unpack_from("<I", directory)[0]
    lengths = [0 if n == 0xffffffff else n for n in struct.unpack_from(f"<{streams}I", directory, 4)]
    blocks = struct.unpack_from(f"<{(len(directory) - 4) // 4 - streams}I", directory, 4 + 4 * streams)
    skipped = -(-lengths[0] // size)
    info = stream(blocks[skipped:skipped + -(-lengths[1] // size)], lengths[1])
    age, a, b, c = struct.unpack_from("<IIHH", info, 8)
    return f"{a:08X}{b:04X}{c:04X}{info[20:28].hex().upper()}{age:X}"


class Fake:
    def __init__(self, pdb):
        self.pdb = pathlib.Path(pdb)
        self.root = pathlib.Path(os.environ["_NT_SYMCACHE_PATH"])
        self.id = stated_id(self.pdb.read_bytes())

    def target(self, version=VERSION, key=None):
        path = self.root / self.pdb.name / (key or self.id) / f"{self.pdb.name}-v{version}.symcache"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def ok(self):
        self.target().write_text(f"symcache of {self.pdb.name}")

    def exit_1(self):
        print("cannot open the PDB:\x1b[31m bad\x07", file=sys.stderr)
        sys.exit(1)

    def exit_0_with_nothing(self):
        pass

    def hang(self):
        self.ok()
        time.sleep(1000)

    def hang_with_child(self):
        """Of the two processes one ignores all signals, in a session of its own."""
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            (self.root / "child").write_text(str(os.getpid()))
            (self.root / "child").rename(self.root / "pid")
        time.sleep(1000)

    def leaves_child(self):
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
        self.ok()

    def empty(self):
        self.target().touch()

    def other_version(self):
        self.target("3.2.1").write_text("of another version")

    def two_versions(self):
        self.ok()
        self.target("3.2.0").write_text("another")

    def other_pdb(self):
        self.target(key="00000000000000000000000000000000" "1").write_text("of another PDB")

    def one_name(self):
        name = self.pdb.name
        (self.root / f"{name}\\{self.id}\\{name}-v{VERSION}.symcache").write_text("in one name")

    def fills_file(self):
        with open(self.target(), "wb") as file:
            while True:
                file.write(bytes(1 << 20))

    def fills_folder(self):
        for number in range(1000):
            (self.root / f"part{number}").write_bytes(bytes(64 << 10))
            time.sleep(0.005)

    def writes_outside(self):
        self.ok()
        for place in (self.root.parent.parent / "outside", self.pdb.parent / "beside"):
            place.write_text("outside")

    def symlink(self):
        self.target().symlink_to("/etc/passwd")

    def hard_link(self):
        os.link(self.pdb, self.target())

    def fifo(self):
        os.mkfifo(self.target())

    def floods(self):
        self.ok()
        sys.stderr.write("x" * (1 << 20) + "the end\n")

    def signal(self):
        os.kill(os.getpid(), signal.SIGSEGV)

    def network(self):
        with socket.socket() as reached:
            reached.settimeout(2)
            port = int(self.pdb.name.split(".")[1])
            if reached.connect_ex(("127.0.0.1", port)) == 0:
                sys.exit("reached the network")
        self.ok()

    def tells(self):
        """Fails, and tells all that it was given."""
        print("arguments:", *sys.argv[1:])
        print("folder:", os.getcwd())
        print("stdin:", repr(sys.stdin.read()))
        for name, value in sorted(os.environ.items()):
            print(f"{name}={value}")
        print("descriptors:", *sorted(os.listdir("/proc/self/fd")))
        sys.exit(1)


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "-pdb":
        sys.exit("usage: fake_symcachegen.py -pdb FILE")
    fake = Fake(sys.argv[2])
    getattr(fake, fake.pdb.name.split(".")[0], fake.ok)()


if __name__ == "__main__":
    main()
