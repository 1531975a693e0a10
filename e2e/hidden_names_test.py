#!/usr/bin/env python3
"""hidden_names_test.py SYMCACHED: dSYMs of bitcode builds and their BCSymbolMaps, from commands and from a server.

A program is built twice, with its names and with `__hidden#N_` in their place. llvm-symbolizer says of the first what
we have to say of the second.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import uuid

import program
from program import symcached
from server import Server, until

TOOLS = ("clang-22", "ld64.lld-22", "dsymutil-22", "llvm-nm-22", "llvm-symbolizer-22")
SOURCE = """\
__attribute__((noinline)) int little_leaf(int x) { return x * 3 + 1; }
static inline __attribute__((always_inline)) int folded_call(int x) { return little_leaf(x) + little_leaf(x + 1); }
__attribute__((noinline)) int this_caller(int x) {
  int twice = folded_call(x);
  return twice + 2;
}
int main(int argc, char **argv) { return this_caller(argc); }
"""
HIDDEN = ("little_leaf", "folded_call", "this_caller", "prog_main.c")  # as long as what takes their place
BASE = 0x100000000
ORIGINAL = uuid.UUID("FFEEDDCC-BBAA-9988-7766-554433221100")


def make_dsym(folder, assembly):
    folder.mkdir()
    (folder / "app.s").write_text(assembly)
    run = lambda *command: subprocess.run(command, cwd=folder, check=True, capture_output=True)
    run("clang-22", "--target=x86_64-apple-macos13", "-c", "app.s", "-o", "app.o")
    run("ld64.lld-22", "-arch", "x86_64", "-platform_version", "macos", "13", "13", "-e", "_main", "-undefined",
        "dynamic_lookup", "-o", "app", "app.o")
    run("dsymutil-22", "app", "-o", "app.dSYM")
    return folder / "app.dSYM"


def file_in(dsym):
    return dsym / "Contents/Resources/DWARF/app"


def symbol_map(source):
    return "".join(f"{line}\n" for line in ("BCSymbolMap Version: 2.0", *HIDDEN[:3], source))


def uuid_list(original):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n\t<key>DBGOriginalUUID</key>\n'
            f"\t<string>{str(original).upper()}</string>\n</dict>\n</plist>\n")


class Scene:
    """Both builds, and the addresses of all code of the program."""

    def __init__(self, folder):
        self.folder, source = folder, folder / HIDDEN[3]
        source.write_text(SOURCE)
        compiler = ("clang-22", "--target=x86_64-apple-macos13", "-g", "-O1", "-S", source.name, "-o", "-")
        assembly = subprocess.run(compiler, cwd=folder, check=True, capture_output=True, text=True).stdout
        self.plain = make_dsym(folder / "plain", assembly)
        for number, name in enumerate(HIDDEN):
            assembly = re.sub(rf"\b_{re.escape(name)}\b", f'"___hidden#{number}_"', assembly)
            assembly = assembly.replace(f'"{name}"', f'"__hidden#{number}_"')
        self.hidden = make_dsym(folder / "hidden", assembly)
        told = symcached("inspect", "--json", file_in(self.hidden)).stdout
        self.uuid = uuid.UUID(json.loads(told)[0]["debug_id"])
        self.map = symbol_map(source)
        listing = subprocess.run(["llvm-nm-22", file_in(self.plain)], check=True, capture_output=True, text=True).stdout
        self.symbols = {name: int(address, 16) for address, _, name in map(str.split, listing.splitlines())}
        code = range(self.symbols["_little_leaf"], self.symbols["_main"] + 8)
        answers = self.symbolizer(*map(hex, code)).split("\n\n")
        # Between functions LLVM names what pads them.
        self.code = [hex(address - BASE) for address, answer in zip(code, answers) if ":0:" not in answer]
        assert len(self.code) > 20 and "folded_call" in self.wanted()

    def symbolizer(self, *addresses):
        return subprocess.run(["llvm-symbolizer-22", f"--obj={file_in(self.plain)}", *addresses], check=True,
                              capture_output=True, text=True).stdout

    def wanted(self):
        return self.symbolizer(*(hex(BASE + int(address, 16)) for address in self.code))

    def hidden_at(self, place):
        """A copy of the dSYM with hidden names."""
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(self.hidden, place)
        return place


class HiddenNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scene = Scene(pathlib.Path(scratch.name))

    def setUp(self):
        self.folder = self.scene.folder / self.id().rpartition(".")[2]
        self.folder.mkdir()
        self.dsym = self.scene.hidden_at(self.folder / "App.xcarchive/dSYMs/app.dSYM")

    def put_map(self, name):
        maps = self.folder / "App.xcarchive/BCSymbolMaps"
        maps.mkdir(exist_ok=True)
        (maps / f"{str(name).upper()}.bcsymbolmap").write_text(self.scene.map)

    def put_list(self, text):
        (self.dsym / f"Contents/Resources/{str(self.scene.uuid).upper()}.plist").write_text(text)

    def look(self, *options):
        return symcached("lookup", self.dsym, "--relative-address", *options, *self.scene.code)


class Commands(HiddenNames):
    def test_without_a_map_names_stay_hidden_and_it_is_said(self):
        done = self.look()
        self.assertEqual(done.returncode, 0)
        self.assertIn("__hidden#0_\n", done.stdout)
        self.assertNotIn("little_leaf", done.stdout)
        self.assertIn("its BCSymbolMap was not found", done.stderr)
        converted = symcached("convert", self.dsym, "-o", self.folder)
        self.assertEqual(converted.returncode, 0)
        self.assertIn("its BCSymbolMap was not found", converted.stderr)

    def test_a_map_that_is_named(self):
        other = self.folder / "names.txt"
        other.write_text(self.scene.map)
        done = self.look("--bcsymbolmap", other)
        self.assertEqual((done.stdout, done.stderr), (self.scene.wanted(), ""))
        of_another = self.folder / f"{ORIGINAL}.bcsymbolmap"
        of_another.write_text(self.scene.map)
        self.assertIn("__hidden#0_", self.look("--bcsymbolmap", of_another).stdout)

    def test_the_map_of_an_archive(self):
        self.put_map(self.scene.uuid)
        done = self.look()
        self.assertEqual((done.stdout, done.stderr), (self.scene.wanted(), ""))

    def test_the_map_that_the_list_names(self):
        self.put_list(uuid_list(ORIGINAL))
        self.assertIn("__hidden#0_", self.look().stdout)
        self.put_map(ORIGINAL)
        self.assertEqual(self.look().stdout, self.scene.wanted())

    def test_convert_and_symbolicate(self):
        self.put_map(self.scene.uuid)
        done = symcached("convert", self.dsym, "-o", self.folder)
        cache = self.folder / "app.dSYM.symcache"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{cache}\n", ""))
        self.assertEqual(symcached("lookup", cache, *self.scene.code).stdout, self.scene.wanted())
        shutil.rmtree(self.folder / "App.xcarchive/BCSymbolMaps")
        names = self.folder / "names.txt"
        names.write_text(self.scene.map)
        address = self.scene.symbols["_little_leaf"]
        trace = f"0   app   {address:#x} {BASE:#x} + {address - BASE}\n"
        done = symcached("symbolicate", "-", "--symbols", file_in(self.dsym), "--bcsymbolmap", names, stdin=trace)
        self.assertIn("little_leaf", done.stdout)
        self.assertIn("prog_main.c:1", done.stdout)


class FromServer(HiddenNames):
    def place(self, id_, leaf):
        path = self.folder / "store" / id_.hex[:2] / id_.hex[2:] / leaf
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def start(self):
        """A folder, unified as Symbolicator's tools lay it out."""
        shutil.copy(file_in(self.dsym), self.place(self.scene.uuid, "debuginfo"))
        source = {"id": "folder", "type": "filesystem", "path": str(self.folder / "store"),
                  "layout": {"type": "unified"}, "is_public": True}
        config = self.folder / "symcached.yml"
        config.write_text(json.dumps({"cache_dir": str(self.folder / "cache"), "sources": [source],
                                      "caches": {"retry": {"absent": "1s", "upgrade_again": "1s"}}}))
        server = Server(program.PROGRAM, None, options=["--config", config])
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        status, log = server.end()
        server.log_file.close()
        self.assertEqual((status, "internal error" in log), (0, False), log)

    def frames(self, server):
        """Function, file and line of each frame, all bytes of code being asked for."""
        module = {"type": "macho", "code_id": self.scene.uuid.hex, "debug_id": str(self.scene.uuid), "code_file": "app",
                  "image_addr": hex(BASE), "image_size": 0x10000}
        stacks = [{"frames": [{"instruction_addr": hex(BASE + int(a, 16))}]} for a in self.scene.code]
        body = json.dumps({"stacktraces": stacks, "modules": [module]}).encode()
        asked = urllib.request.Request(f"{server.url}/symbolicate", body, {"Content-Type": "application/json"})
        answer = json.loads(urllib.request.urlopen(asked, timeout=60).read())
        self.assertEqual(answer["modules"][0]["debug_status"], "found")
        return [(f["function"], f["abs_path"], f["lineno"]) for s in answer["stacktraces"] for f in s["frames"]]

    def wanted(self):
        """The same of llvm-symbolizer."""
        lines = self.scene.wanted().split()
        places = [place.rsplit(":", 2) for place in lines[1::2]]
        return [(function, path, int(line)) for function, (path, line, _) in zip(lines[::2], places)]

    def test_with_list_and_map(self):
        self.place(self.scene.uuid, "uuidmap").write_text(uuid_list(ORIGINAL))
        self.place(ORIGINAL, "bcsymbolmap").write_text(self.scene.map)
        self.assertEqual(self.frames(self.start()), self.wanted())

    def test_names_are_hidden_until_there_is_a_map(self):
        server = self.start()
        hidden = self.frames(server)
        self.assertEqual({function for function, _, _ in hidden}, {"__hidden#0_", "__hidden#1_", "__hidden#2_", "main"})
        self.assertEqual([line for _, _, line in hidden], [line for _, _, line in self.wanted()])
        self.place(self.scene.uuid, "uuidmap").write_text(uuid_list(ORIGINAL))
        self.place(ORIGINAL, "bcsymbolmap").write_text(self.scene.map)
        until(lambda: self.frames(server) == self.wanted(), "names in place of hidden ones")


if __name__ == "__main__":
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian packages clang-22, lld-22, llvm-22)")
        sys.exit(77)
    program.main()
