#!/usr/bin/env python3
"""user_cache_test.py SYMCACHED: what `lookup` and `symbolicate` converted is kept, and used while it holds."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import program

SOURCE = """
__attribute__((noinline, used)) int answer(int x) {
  return x * 7;
}
int main(void) { return answer(6); }
__asm__(".data; .fill 2000000, 1, 65; .text");
"""


class UserCache(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cache = self.folder / "cache" / "symcached"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("SYMCACHED_")}
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def run_it(self, *arguments, stdin=None, **variables):
        return subprocess.run([program.PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True,
                              env=self.environment | variables)

    def build(self, source=SOURCE, build_id="sha1"):
        (self.folder / "program.c").write_text(source)
        built = self.folder / "program"
        subprocess.run(["gcc", "-g", "-O1", "-no-pie", f"-Wl,--build-id={build_id}", self.folder / "program.c", "-o",
                        built], check=True)
        (self.folder / "padding").write_bytes(bytes(64 << 10))  # so that DWARF is far from both ends
        subprocess.run(["objcopy", f"--add-section=.padding={self.folder / 'padding'}", built], check=True)
        return built

    def entries(self):
        return [path for path in self.cache.glob("kept_symcaches/*/*/*/*") if path.is_file()]

    def lookup(self, built, *options, **variables):
        done = self.run_it("lookup", built, "--svma", *options, hex(self.stated(built)), **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def stated(self, built):
        symbols = subprocess.run(["nm", built], capture_output=True, text=True, check=True).stdout
        return next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" answer"))

    def test_the_second_time_the_file_is_not_read(self):
        built = self.build()
        first = self.lookup(built)
        self.assertIn("answer\n", first)
        self.assertRegex(first, r"program\.c:\d+:")
        self.assertEqual(len(self.entries()), 1)
        whole = built.read_bytes()
        middle = len(whole) // 2, len(whole) - 17_000  # between code and section headers
        damaged = bytearray(whole)
        damaged[slice(*middle)] = bytes(middle[1] - middle[0])
        copy = self.folder / "copy"
        copy.write_bytes(damaged)
        self.assertEqual(self.run_it("lookup", copy, "--svma", hex(self.stated(built))).stdout, first)
        self.assertNotEqual(self.run_it("lookup", copy, "--no-cache", "--svma", hex(self.stated(built))).stdout, first)
        self.assertEqual(len(self.entries()), 1)

    def test_another_build_is_another_file(self):
        built = self.build()
        self.lookup(built)
        source = SOURCE.replace("\n  return x", "\n\n\n  return x")
        first = self.lookup(self.build(source, "none"))
        self.assertEqual(first, self.lookup(built, "--no-cache"))
        self.assertNotEqual(self.lookup(self.build("\n" + source, "none")), first)

    def test_debug_files_that_come_and_go(self):
        built = self.build()
        want = self.lookup(built, "--no-cache")
        address = hex(self.stated(built))
        debug, stripped = self.folder / "stripped.debug", self.folder / "stripped"
        subprocess.run(["objcopy", "--only-keep-debug", built, debug], check=True)
        subprocess.run(["strip", "-o", stripped, built], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", stripped], check=True)
        ask = ("lookup", stripped, "--svma", address)
        self.assertEqual(self.run_it(*ask).stdout, want)
        self.assertEqual(self.run_it(*ask).stdout, want)
        debug.rename(self.folder / "away")
        self.assertNotEqual(self.run_it(*ask).stdout, want)
        (self.folder / "away").rename(debug)
        self.assertEqual(self.run_it(*ask).stdout, want)

    def test_who_does_not_want_it(self):
        built = self.build()
        want = self.lookup(built, "--no-cache")
        self.assertEqual(self.lookup(built, SYMCACHED_NO_CACHE="1"), want)
        self.assertEqual(self.lookup(built, "--cache-size=0"), want)
        self.assertEqual(self.entries(), [])
        wrong = self.run_it("lookup", built, "0x1", SYMCACHED_CACHE_SIZE="many")
        self.assertEqual(wrong.returncode, 0)
        self.assertIn("SYMCACHED_CACHE_SIZE", wrong.stderr)
        wrong = self.run_it("lookup", built, "0x1", "--cache-size=many")
        self.assertEqual(wrong.returncode, 2)
        self.assertEqual(self.entries(), [])

    def test_where_it_cannot_be(self):
        built = self.build()
        want = self.lookup(built, "--no-cache")
        self.assertEqual(self.lookup(built, XDG_CACHE_HOME="/dev/null"), want)
        (self.folder / "other").mkdir()
        (self.folder / "other/symcached").mkdir()
        (self.folder / "other/symcached/file").write_text("not ours")
        self.assertEqual(self.lookup(built, XDG_CACHE_HOME=str(self.folder / "other")), want)
        self.assertEqual(sorted(path.name for path in (self.folder / "other/symcached").iterdir()), ["file"])

    def test_damage_is_a_miss_and_found_by_verify(self):
        built = self.build()
        want = self.lookup(built)
        entry, = self.entries()
        self.assertEqual(self.run_it("cache", "verify").returncode, 0)
        self.assertIn("elf:", self.run_it("cache", "ls").stdout)
        whole = entry.read_bytes()
        entry.write_bytes(whole[:-1])
        self.assertEqual(self.run_it("cache", "verify").returncode, 1)
        self.assertEqual(self.lookup(built), want)
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(self.run_it("cache", "verify").returncode, 0)
        self.run_it("cache", "purge", "--all")
        self.assertEqual(self.lookup(built), want)

    def test_many_at_once(self):
        built = self.build()
        want = self.lookup(built, "--no-cache")
        command = [program.PROGRAM, "lookup", built, "--svma", hex(self.stated(built))]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment)
                   for _ in range(8)]
        self.assertEqual([one.communicate()[0] for one in running], [want] * 8)
        self.assertEqual(self.lookup(built), want)
        self.assertEqual(self.run_it("cache", "verify").returncode, 0)

    def test_symbolicate_fills_and_uses_it(self):
        built = self.build()
        text = f"#0  {built}(answer+0x1) [{hex(self.stated(built) + 1)}]\n"
        want = self.run_it("symbolicate", "-", "--symbols", built, "--no-cache", stdin=text).stdout
        self.assertEqual(self.entries(), [])
        for _ in range(2):
            self.assertEqual(self.run_it("symbolicate", "-", "--symbols", built, stdin=text).stdout, want)
        self.assertEqual(len(self.entries()), 1)


if __name__ == "__main__":
    program.main()
