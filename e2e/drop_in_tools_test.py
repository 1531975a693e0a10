#!/usr/bin/env python3
"""drop_in_tools_test.py SYMCACHED: tools that call addr2line or llvm-symbolizer print the same when a link to our
program stands in their place. How long each took is printed, not checked: most files here are small.

Not run: Linux's decode_stacktrace.sh and faddr2line, Seastar's and FlameGraph's scripts, for which no package was
found; what they ask addr2line for (-e FILE, -i, -f, -s, -p, -j, one address or many) is in drop_in_test.py.
"""
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

import program

SOURCE = """#include <stdio.h>
#include <stdlib.h>
volatile long sink;
int table[4];
#define INLINE static inline __attribute__((always_inline))
INLINE long inner(long x) { for (int i = 0; i < 40; i++) sink = x * i; return sink; }
__attribute__((noinline)) static long middle(long x) { return inner(x) + 1; }
__attribute__((noinline)) long outer(long x) { return middle(x) + inner(x + 1); }
__attribute__((noinline)) int at(int *p, int i) { return p[i]; }
int main(int count, char **arguments) {
  if (count > 1 && arguments[1][0] == 'g') return at(table, count + 2);
  if (count > 1 && arguments[1][0] == 'u') { int *p = malloc(16); free(p); return at(p, count); }
  if (count > 1 && arguments[1][0] == 'o') { volatile int big = 0x7fffffff; sink = big + count; }
  long sum = 0;
  for (long i = 0; i < 3000000; i++) sum += outer(i);
  printf("%ld\\n", sum);
  return 0;
}
"""


def skipped(part, reason):
    print(f"SKIPPED {part}: {reason}")


def run(*command, environment=None, cwd=None):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace", cwd=cwd,
                          env={**os.environ, **(environment or {})})


def own(text):
    """Without the lines of the C library, in whose tables binutils 2.40 takes one file for another, and without the
    tip that perf report chooses at random."""
    others = re.compile(r"\.(S|h):\d+|(dl|rtld|libc)[\w-]*\.c:\d+|^# \(Tip: ")
    return "\n".join(line for line in text.splitlines() if not others.search(line))


@functools.cache
def scene():
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    folder = pathlib.Path(scratch.name)
    (folder / "code.c").write_text(SOURCE)
    for place, addr2line, symbolizer in (("real", "/usr/bin/addr2line", "/usr/bin/llvm-symbolizer-22"),
                                         ("ours", program.PROGRAM, program.PROGRAM)):
        (folder / place).mkdir()
        (folder / place / "addr2line").symlink_to(addr2line)
        (folder / place / "llvm-symbolizer").symlink_to(symbolizer)
    subprocess.run(["gcc", "-g", "-O2", "-o", "program", "code.c"], cwd=folder, check=True)
    return folder


class Tools(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = scene()

    def compare(self, what, ask):
        """ask(place) runs the tool with the programs of a place; both texts must be the same."""
        texts, seconds = [], []
        for place in ("real", "ours"):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            texts.append(ask(place))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            seconds.append((time.monotonic() - begin, used))
        (real, real_work), (ours, our_work) = seconds
        print(f"{what}: {real:.2f} s with the real program, {ours:.2f} s with ours ({real / max(ours, 1e-3):.1f}x; "
              f"of processors {real_work:.2f} s, {our_work:.2f} s)")
        self.assertEqual(texts[1], texts[0])
        return texts[0]

    def path_of(self, place):
        return {"PATH": f"{self.folder / place}:{os.environ['PATH']}"}


class Perf(Tools):
    def is_recorded(self):
        self.data = self.folder / "perf.data"
        if not shutil.which("perf"):
            return skipped("perf", "not installed")
        if not self.data.exists():
            run("perf", "record", "-e", "cpu-clock:u", "-g", "-o", self.data, self.folder / "program")
        return self.data.exists() or skipped("perf", "perf record does not work here")

    def test_script_with_lines_and_inlined_calls(self):
        if not self.is_recorded():
            return
        options = ["--inline", "-F", "comm,ip,sym,srcline", "--comms", "program"]
        ask = lambda place: own(run("perf", "script", "-i", self.data, *options,
                                    environment=self.path_of(place)).stdout)
        self.assertIn("code.c:", self.compare("perf script", ask))

    def test_report_by_line(self):
        if not self.is_recorded():
            return
        options = ["--stdio", "-g", "none", "-s", "sym,srcline"]
        ask = lambda place: own(run("perf", "report", "-i", self.data, *options,
                                    environment=self.path_of(place)).stdout)
        self.assertIn("code.c:", self.compare("perf report", ask))


class Sanitizers(Tools):
    def check(self, sanitizer, argument, want):
        target = self.folder / f"sanitized-{sanitizer}"
        if not target.exists():
            built = run("clang-22", "-g", "-O1", f"-fsanitize={sanitizer}", "-o", target, "code.c", cwd=self.folder)
            if built.returncode != 0:
                return skipped(f"{sanitizer} sanitizer", "libclang-rt-22-dev is in the group check")
        def ask(place):
            variables = {f"{name}_OPTIONS": "external_symbolizer_path=" + str(self.folder / place / "llvm-symbolizer")
                         + (":print_stacktrace=1" if name == "UBSAN" else "") for name in ("ASAN", "TSAN", "UBSAN")}
            variables["ASAN_SYMBOLIZER_PATH"] = str(self.folder / place / "llvm-symbolizer")
            text = run(target, argument, environment=variables).stderr
            text = re.sub(r"(global variable '\w+' defined in) '.*'", r"\1", text)  # not known: docs/drop-in.md
            return re.sub(r"==\d+==|0x[0-9a-f]+|\b[0-9a-f]{12,}\b", "#", text)
        self.assertRegex(self.compare(f"{sanitizer} sanitizer", ask), want)

    def test_address(self):
        self.check("address", "u", r"in at .*code\.c:9")

    def test_address_of_a_variable(self):
        self.check("address", "g", r"after global variable 'table' defined in")

    def test_undefined(self):
        self.check("undefined", "o", r"code\.c:13")


class Pprof(Tools):
    def setUp(self):
        super().setUp()
        self.profile = self.folder / "cpu.pprof"
        self.environment = {"PPROF_TMPDIR": str(self.folder), "PPROF_BINARY_PATH": str(self.folder)}
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu/libprofiler.so.0")
        if not self.profile.exists():
            run(self.folder / "program", environment={"LD_PRELOAD": str(library), "CPUPROFILE": str(self.profile)})

    def go(self, tool):
        """`go tool pprof` with one of the programs alone: it prefers llvm-symbolizer."""
        def ask(place):
            tools = self.folder / f"{place}-{tool}"
            tools.mkdir(exist_ok=True)
            if not (tools / tool).exists():
                (tools / tool).symlink_to((self.folder / place / tool).resolve())
            binaries = self.environment | {"PPROF_TOOLS": str(tools)}
            text = run("go", "tool", "pprof", "-lines", "-text", "-nodecount=50", self.folder / "program", self.profile,
                       environment=binaries).stdout
            return text
        return ask

    def test_go(self):
        if not shutil.which("go"):
            return skipped("go tool pprof", "not installed")
        for tool in ("llvm-symbolizer", "addr2line"):
            self.assertIn("code.c:", self.compare(f"go tool pprof with {tool}", self.go(tool)))

    def test_perl(self):
        if not shutil.which("google-pprof"):
            return skipped("google-pprof", "not installed")
        others = [f"{name}:/usr/bin/{name}" for name in ("nm", "objdump", "c++filt")]
        ask = lambda place: own(run("google-pprof", "--lines", "--text", "--tools=" + ",".join(
            [f"addr2line:{self.folder / place / 'addr2line'}", *others]), self.folder / "program", self.profile,
                                    environment=self.environment).stdout)
        self.assertIn("code.c:", self.compare("google-pprof", ask))


if __name__ == "__main__":
    program.main()
