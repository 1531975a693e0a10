#!/usr/bin/env python3
"""trace_test.py SYMCACHED: `symbolicate` with stacks that real tools print of programs compiled here, and addr2line.

Programs are stripped, with their debug files beside them, and linked in three ways: for a PIE of GNU ld all numbers of
an address are the same, so that a wrong choice is seen only in the others. Missing tools are named as skipped.
"""
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import program
from program import symcached

SOURCE = r"""
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void print_maps(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) fputs(line, stdout);
  fclose(maps);
}
static volatile unsigned sum;
static inline __attribute__((always_inline)) int inner(const char* what) {
  void* frames[32];
  int count = backtrace(frames, 32);
  if (!strcmp(what, "symbols")) backtrace_symbols_fd(frames, count, 1);
  if (!strcmp(what, "addresses")) {
    for (int i = 0; i < count; ++i) printf("%p\n", frames[i]);
    print_maps();
  }
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "spin"))
    for (unsigned i = 0; i < 100000000u; ++i) sum += i;
  if (!strcmp(what, "wait")) {
    puts("waiting");
    fflush(stdout);
    pause();
  }
  return count;
}
__attribute__((noinline)) int middle(const char* what) {
  int made = inner(what) + 1;
  return made * (int)(sum | 3);
}
__attribute__((noinline)) int outer(const char* what) {
  int made = middle(what) + 1;
  return made * (int)(sum | 5);
}
int main(int count, char** words) { return outer(words[count - 1]) == 0; }
"""
CHAIN = ["inner", "middle", "outer", "main"]
LINKS = {"pie": ["gcc", "-g", "-pie", "-fPIE"], "fixed": ["gcc", "-g", "-no-pie", "-fno-pie"],
         "lld": ["clang-22", "-gdwarf-4", "-pie", "-fPIE", "--ld-path=ld.lld-22"]}


def skipped(part, reason):
    print(f"SKIPPED {part}: {reason}")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", **options)


def addr2line(path, address, *options):
    """(function, file, line) of each frame, innermost first."""
    out = run("addr2line", "-i", "-f", "-C", *options, "-e", path, address).stdout.splitlines()
    places = [re.sub(r" \(discriminator \d+\)$", "", place).rsplit(":", 1) for place in out[1::2]]
    return [(name, file, int(line) if line.isdigit() else 0) for name, (file, line) in zip(out[::2], places)]


def told(frame):
    """As addr2line() has it, which calls a cold part as the function that it is a part of."""
    return [(one["function"].removesuffix(".cold"), one.get("file", "??"), one.get("line", 0))
            for one in frame["frames"]]


class Built:
    """FOLDER/NAME stripped, FOLDER/NAME.debug, FOLDER/symbols with both, FOLDER/whole/NAME with everything in it."""

    def __init__(self, folder, name, command, source, suffix=".c"):
        self.folder, self.stripped, self.whole = folder, folder / name, folder / "whole" / name
        self.whole.parent.mkdir(parents=True)
        code = folder / (name + suffix)
        code.write_text(source)
        subprocess.run([*command, "-o", self.whole, code], check=True, capture_output=True)
        subprocess.run(["objcopy", "--only-keep-debug", self.whole, folder / (name + ".debug")], check=True)
        link = f"--add-gnu-debuglink={folder / (name + '.debug')}"
        subprocess.run(["objcopy", "--strip-all", link, self.whole, self.stripped], check=True)
        symbols = folder / "symbols"
        symbols.mkdir()
        for file in (self.stripped, folder / (name + ".debug")):
            shutil.copy(file, symbols)
        self.symbols = symbols


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.built = {name: Built(cls.folder / name, "srv", [*command, "-O2", "-fno-omit-frame-pointer",
                                                            "-Wl,--build-id"], SOURCE)
                     for name, command in LINKS.items()}

    def frames(self, text, symbols, dialect, *options):
        done = symcached("symbolicate", "-", "--symbols", symbols, "--json", *options, stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(dialect, done.stderr)
        return [frame for frame in json.loads(done.stdout) if frame["dialect"] == dialect]

    def check(self, built, text, dialect, least=("middle", "outer", "main"), symbols=None, *options):
        """Every frame of the program is what addr2line says, and the functions are those that called each other."""
        found = [frame for frame in self.frames(text, symbols or built.symbols, dialect, *options)
                 if frame.get("frames") and frame["status"] in ("ok", "unverified")]
        names = [name for frame in found for name, _, _ in told(frame)]
        self.assertEqual([name for name in names if name in CHAIN],
                         [name for name in CHAIN if name in least or (name == "inner" and "middle" in least)], text)
        for frame in found:
            self.assertEqual(told(frame), addr2line(built.whole, frame["lookup"]), frame)
        plain = symcached("symbolicate", "-", "--symbols", symbols or built.symbols, *options, stdin=text).stdout
        for name in least:
            self.assertRegex(plain, rf"(?m)\b{name}\b.* at /.*srv\.c:\d+")
        kept = [line for line in text.splitlines() if not any(word in line for word in ("srv", "??", "0x"))]
        self.assertTrue(all(line in plain.splitlines() for line in kept))

    def waiting(self, built):
        """The program, in pause()."""
        process = subprocess.Popen([built.stripped, "wait"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "waiting\n")
        time.sleep(0.1)  # from puts() to pause()
        return process.pid

    def test_backtrace_symbols(self):
        for name, built in self.built.items():
            with self.subTest(name):
                self.check(built, run(built.stripped, "symbols").stdout, "backtrace_symbols")

    def test_addresses_and_a_map(self):
        for name, built in self.built.items():
            with self.subTest(name):
                text = run(built.stripped, "addresses").stdout
                self.check(built, text, "addresses")
                only_debug = built.folder / "only-debug"
                only_debug.mkdir()
                shutil.copy(built.folder / "srv.debug", only_debug)
                self.check(built, text, "addresses", symbols=only_debug)

    def test_gdb(self):
        if not shutil.which("gdb"):
            return skipped("gdb", "not installed")
        for name, built in self.built.items():
            with self.subTest(name):
                moved = built.folder / "alone"
                moved.mkdir()
                shutil.copy(built.stripped, moved)  # gdb would find the debug file beside it
                done = run("gdb", "-batch", "-ex", "run", "-ex", "bt", "-ex", "info proc mappings", "--args",
                           moved / "srv", "abort")
                self.check(built, done.stdout, "gdb")

    def test_eu_stack(self):
        if not shutil.which("eu-stack"):
            return skipped("eu-stack", "not installed")
        for name, built in self.built.items():
            with self.subTest(name):
                self.check(built, run("eu-stack", "-m", "-b", "-p", self.waiting(built)).stdout, "eu-stack")

    def test_valgrind(self):
        if not shutil.which("valgrind"):
            return skipped("valgrind", "not installed")
        for name, built in self.built.items():
            with self.subTest(name):
                alone = built.folder / "alone-again"
                alone.mkdir()
                shutil.copy(built.stripped, alone)
                self.check(built, run("valgrind", alone / "srv", "abort").stderr, "valgrind")

    def test_address_sanitizer(self):
        for name, command in LINKS.items():
            with self.subTest(name):
                built = Built(self.folder / ("asan-" + name), "srv", [*command, "-O1", "-fsanitize=address",
                                                                      "-Wl,--build-id"], ASAN)
                done = run(built.stripped, env={"ASAN_OPTIONS": "symbolize=0"})
                if "AddressSanitizer" not in done.stderr:
                    skipped(f"address sanitizer {name}", "the program does not start under it")
                    continue
                frames = self.frames(done.stderr, built.symbols, "sanitizer")
                first = [f for f in frames if f["module"].endswith("srv") and f["frames"]][:2]
                self.assertEqual([f["frames"][-1]["function"] for f in first], ["overflow", "main"], done.stderr)
                for frame in first:
                    self.assertEqual(told(frame), addr2line(built.whole, frame["lookup"]))

    def test_perf_script(self):
        if not shutil.which("perf"):
            return skipped("perf script", "not installed")
        for name, built in self.built.items():
            with self.subTest(name):
                data = self.folder / f"{name}.data"
                recorded = run("perf", "record", "-e", "cpu-clock", "-g", "-o", data, built.stripped, "spin")
                if recorded.returncode != 0:
                    skipped("perf script", f"perf record does not work here: {recorded.stderr[-80:]!r}")
                    return
                text = run("perf", "script", "-i", data, "--show-mmap-events").stdout
                stacks = [stack for stack in text.split("\n\n") if stack.count("/srv)") >= 3]
                self.assertTrue(stacks, text[:2000])
                self.check(built, stacks[len(stacks) // 2] + "\n", "perf script")

    def test_the_kernel_and_a_module(self):
        vmlinux = Built(self.folder / "kernel", "vmlinux", ["gcc", "-no-pie", "-g", "-O2", "-Wl,--build-id"], SOURCE)
        module = self.folder / "kernel" / "fake_mod.ko"
        code = self.folder / "kernel" / "mod.c"
        code.write_text(MODULE)
        subprocess.run(["gcc", "-c", "-g", "-O2", "-fno-pie", "-o", module, code], check=True)
        for path, where in ((vmlinux.whole, ""), (module, " [fake_mod]")):
            symbols = [line.split() for line in run("nm", "-n", path).stdout.splitlines()]
            code_symbols = [(int(s[0], 16), s[2]) for s in symbols if len(s) == 3 and s[1] in "tT"]
            rows = [(name, start, end - start) for (start, name), (end, _) in zip(code_symbols, code_symbols[1:])
                    if name in ("middle", "outer", "probe", "helper", "remove_all")]
            self.assertGreaterEqual(len(rows), 2, symbols)
            text = "".join(f"[   12.5] [  T1]  {name}+0x9/{gap:#x}{where}\n" for name, _, gap in rows)
            options = ["-j", ".text"] if where else []
            found = self.frames(text, path.parent, "kernel")
            for frame, (name, start, gap) in zip(found, rows):
                self.assertEqual(told(frame), addr2line(path, hex(start + 8), *options), frame)
            wrong = self.frames(text.replace("/0x", "/0xfff"), path.parent, "kernel")
            self.assertEqual({frame["status"] for frame in wrong}, {"id_mismatch"})

    def test_rust(self):
        if not shutil.which("rustc"):
            return skipped("rust", "rustc is not installed")
        built = Built(self.folder / "rust", "srv", ["rustc", "-g", "-Copt-level=1", "-Clink-arg=-Wl,--build-id"], RUST,
                      ".rs")
        done = run(built.stripped, env={"RUST_BACKTRACE": "full"})
        found = {frame["frames"][-1]["function"]: frame for frame in self.frames(done.stderr, built.symbols, "rust")
                 if frame.get("frames")}
        for name, line in (("srv::middle", 7), ("srv::main", 12)):
            self.assertEqual(found[name]["frames"][-1]["line"], line)
            self.assertEqual([place[1:] for place in told(found[name])],
                             [place[1:] for place in addr2line(built.whole, found[name]["lookup"])])

    def test_go(self):
        if not shutil.which("go"):
            return skipped("go", "not installed")
        folder = self.folder / "go"
        folder.mkdir()
        (folder / "srv.go").write_text(GO)
        made = run("go", "build", "-o", "srv", "srv.go", cwd=folder,
                   env={"HOME": str(folder), "PATH": "/usr/local/go/bin:/usr/bin:/bin", "GOTOOLCHAIN": "local"})
        self.assertEqual(made.returncode, 0, made.stderr)
        done = run(folder / "srv")
        frame, = self.frames(done.stderr, folder / "srv", "go")
        self.assertEqual((frame["frames"][-1]["function"], frame["frames"][-1]["line"]), ("main.middle", 6))

    def test_another_build_is_never_used(self):
        pie, fixed = self.built["pie"], self.built["fixed"]
        text = f"    #1 0x7f21c0a4111a  (/opt/srv+{self.main_of(pie):#x}) (BuildId: {self.build_id(pie)})\n"
        self.assertEqual(self.frames(text, fixed.symbols, "sanitizer")[0]["status"], "id_mismatch")
        self.assertEqual(self.frames(text, pie.symbols, "sanitizer")[0]["status"], "ok")
        both = self.frames("/opt/srv(+0x11f0) [0x7f21c0a411f0]\n", self.folder, "backtrace_symbols")
        self.assertEqual(both[0]["status"], "ambiguous")

    def build_id(self, built):
        return re.search(r"Build ID: (\w+)", run("readelf", "-n", built.stripped).stdout)[1]

    def test_a_debug_file_under_its_build_id(self):
        built = self.built["lld"]
        build_id = self.build_id(built)
        place = self.folder / "by-id" / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
        place.parent.mkdir(parents=True)
        shutil.copy(built.folder / "srv.debug", place)
        text = f"    #1 0x7f21c0a4111a  (/opt/any+{self.main_of(built):#x}) (BuildId: {build_id})\n"
        frame, = self.frames(text, self.folder / "by-id", "sanitizer")
        self.assertEqual((frame["status"], frame["frames"][-1]["function"]), ("ok", "main"))

    def test_a_debug_file_from_a_server(self):
        built = self.built["fixed"]
        build_id, debug = self.build_id(built), (built.folder / "srv.debug").read_bytes()
        asked = []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = debug if self.path == f"/buildid/{build_id}/debuginfo" else b""
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        text = f"    #1 0x7f21c0a4111a  (/opt/any+{self.main_of(built):#x}) (BuildId: {build_id})\n" * 3
        frames = self.frames(text, f"http://127.0.0.1:{server.server_port}", "sanitizer")
        self.assertEqual([(f["status"], f["frames"][-1]["function"]) for f in frames], [("ok", "main")] * 3)
        self.assertEqual(asked.count(f"/buildid/{build_id}/debuginfo"), 1)

    def main_of(self, built):
        """An address in main()."""
        symbols = [line.split() for line in run("nm", built.whole).stdout.splitlines()]
        return next(int(symbol[0], 16) for symbol in symbols if symbol[-1] == "main") + 4

    def test_coredumpctl(self):
        """Its numbers count from the lowest address, which is not 0 in a program that cannot be moved."""
        for name, built in self.built.items():
            with self.subTest(name):
                loads = [line.split() for line in run("readelf", "-lW", built.whole).stdout.splitlines()]
                lowest = min(int(words[2], 16) for words in loads if words[:1] == ["LOAD"])
                place = self.main_of(built) - lowest
                text = (f"Module /opt/srv with build-id {self.build_id(built)}\nStack trace of thread 812:\n"
                        f"#0  0x00005611f0d6b3c8 n/a (/opt/srv + {place:#x})\n")
                frame, = self.frames(text, built.symbols, "coredumpctl")
                self.assertEqual((frame["status"], frame["thread"]), ("ok", "812"))
                self.assertEqual(told(frame), addr2line(built.whole, hex(place + lowest)))

    def test_what_is_no_trace_comes_out_as_it_went_in(self):
        data = bytes(range(256)) * 64 + b"\n\r\n\0\n" + b"x" * 300_000 + b"\nno newline"
        done = subprocess.run([program.PROGRAM, "symbolicate", "-"], input=data, capture_output=True)
        self.assertEqual((done.returncode, done.stdout == data), (0, True))
        self.assertIn(b"no frame", done.stderr)

    def test_a_text_that_pauses_is_printed(self):
        process = subprocess.Popen([program.PROGRAM, "symbolicate", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        process.stdin.write(b"first\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"first\n")
        process.communicate(b"")


class WindowsTraces(program.WithPdb):
    """A PDB beside its program, in the ways in which Windows and Breakpad write places in it."""

    def test_places_in_a_program(self):
        listing = symcached("lookup", self.pdb, "--json", *(hex(a) for a in range(0x1000, 0x1100)))
        named = [one for one in json.loads(listing.stdout) if one["Symbol"] and one["Symbol"][-1]["Line"]]
        self.assertGreater(len(named), 20)
        for one in named[::7]:
            rva = int(one["Address"], 16)
            wanted = [(f["FunctionName"], f["FileName"], f["Line"]) for f in one["Symbol"]]
            for text in (f"sample.exe+{rva + 1:#x}\n",
                         f"Faulting module name: sample.exe, x\nFault offset: {rva:#018x}\n",
                         f" 1  sample.exe + {rva + 1:#x}\n", f"0|1|sample.exe||||{rva + 1:#x}\n",
                         f"I-Start, 1, s (4), 0x7ff600000000, 0x7ff600100000, 0x0, sample.exe\n"
                         f"Stack, 1, 2, 1, {0x7ff600000000 + rva:#x}, sample.exe!{0x7ff600000000 + rva:#x}\n"):
                done = symcached("symbolicate", "-", "--symbols", self.folder, "--json", stdin=text)
                frame, = json.loads(done.stdout)
                self.assertEqual([(f["function"], f["file"], f["line"]) for f in frame["frames"]], wanted, text)

    def test_nothing_but_the_pdb(self):
        done = symcached("symbolicate", "-", "--symbols", self.pdb, "--json", stdin="sample.exe+0x1005\n")
        self.assertTrue(json.loads(done.stdout)[0]["frames"])


ASAN = r"""
#include <stdlib.h>
__attribute__((noinline)) void overflow(volatile char* p) { p[10] = 1; }
int main(void) {
  char* p = malloc(5);
  overflow(p);
  free(p);
  return 0;
}
"""
MODULE = r"""
extern int printk(const char*, ...);
static __attribute__((noinline)) int helper(int n) { return printk("%d", n) + n; }
static inline int doubled(int n) { return helper(n) * 2; }
__attribute__((noinline)) int probe(int n) { return doubled(n) + printk("x"); }
__attribute__((noinline)) int remove_all(int n) { return probe(n) + probe(n + 1); }
__attribute__((noinline)) int last(int n) { return remove_all(n) + 1; }
"""
RUST = r"""use std::fs;

#[inline(always)]
fn inner(n: u32) -> u32 { if n > 3 { panic!("too many") } n }

#[inline(never)]
fn middle(n: u32) -> u32 { inner(n) + std::process::id() }

fn main() {
    eprint!("{}", fs::read_to_string("/proc/self/maps").unwrap());
    let n = std::env::args().count() as u32 + 3;
    println!("{}", middle(n));
}
"""
GO = r"""package main

import "os"

//go:noinline
func middle(p *int) int { return *p }

func main() {
    var p *int
    if len(os.Args) > 5 {
        p = new(int)
    }
    println(middle(p))
}
"""

if __name__ == "__main__":
    program.main()
