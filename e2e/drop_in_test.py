#!/usr/bin/env python3
"""drop_in_test.py SYMCACHED: called addr2line or llvm-symbolizer, the program answers byte by byte as they do."""
import functools
import re
import subprocess
import tempfile
import unittest

import drop_in_scene
import program
from drop_in_scene import GNU, KINDS, LLVM, LLVM_GNU, symbol_of

# Differences that are accepted: why, and what both texts become without it. docs/drop-in.md lists them, too.
ACCEPTED = [
    ("symcaches have no discriminators",
     r" \(discriminator \d+\)|  Discriminator: \d+\n|(?<=\"Discriminator\":)\d+", ""),
    ("symcaches do not say where a function is declared",
     r"  Function start (filename|line): .*\n|(?<=\"StartFileName\":\")[^\"]*|(?<=\"StartLine\":)\d+", ""),
    ("of an inlined call the start of its function is told",
     r"  Function start address: .*\n|(?<=\"StartAddress\":\")[^\"]*", ""),
]

# Every option on one file of each format, the most common ones on all.
EVERY = {"gcc-pie", "clang-cpp", "pdb.exe"}
COMMON = {LLVM: [[], ["-p", "-a"], ["--no-inlines"], ["--output-style=JSON"], ["--functions=short"]],
          LLVM_GNU: [["-fi"]], GNU: [["-afip"], ["-f", "-C"]]}
WITHOUT_SHORT_NAMES = {
    "clang-cpp": "clang's name of a template's instance is no part of its linkage name",
    "gcc-cpp": "GCC's neither",
    "clang-split": "names of the symbol table are known where the split units are missing",
    "macho.o": "LLVM misses functions where several sections start at one address",
}
OPTIONS = {
    LLVM: [[], ["-f"], ["--functions=short"], ["--functions=none"], ["--functions=linkage", "--no-demangle"],
           ["-i"], ["--inlining=false"], ["--no-inlines"], ["-p"], ["-a"], ["-p", "--print-address"], ["-s"],
           ["--basenames", "--pretty-print"], ["--verbose"], ["--verbose", "-p", "-a"], ["--output-style=GNU"],
           ["--output-style", "GNU", "-p", "-a", "--no-inlines"], ["--output-style=GNU", "--verbose"],
           ["--output-style=JSON"], ["--output-style=JSON", "--no-inlines", "-s"], ["--print-source-context-lines=3"],
           ["--output-style=JSON", "--print-source-context-lines=5"], ["--relative-address"],
           ["-fCi", "-a"], ["-demangle=false", "--default-arch=x86_64"], ["--untag-addresses", "--debuginfod"]],
    LLVM_GNU: [[], ["-f"], ["-fi"], ["-fip"], ["-afipC"], ["-s", "-f"], ["-a"], ["--output-style=LLVM", "-f"]],
    GNU: [[], ["-f"], ["-fi"], ["-afi"], ["-afip"], ["-p"], ["-afipC"], ["-s"], ["-sfi"], ["-f", "-C"], ["-a"],
          ["--demangle=gnu-v3", "--functions"], ["--inlines", "--pretty-print", "--basenames", "-r"]],
}


def without_accepted(text):
    for _, pattern, replacement in ACCEPTED:
        text = re.sub(pattern, replacement, text)
    return text


@functools.cache
def scene():
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    return drop_in_scene.Scene(scratch.name)


class DropIn(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.scene = scene()
        cls.folder = cls.scene.folder

    def assert_same(self, tool, arguments, stdin=None, errors=True):
        """Exit status and stdout, and stderr unless usage is explained there in other words."""
        real, ours = self.scene.both(tool, arguments, stdin)
        real, ours = ((one[0], without_accepted(one[1]), one[2] if errors else "") for one in (real, ours))
        self.assertEqual(ours, real)


class Tables(DropIn):
    def test_every_option_on_every_kind_of_file(self):
        for kind in KINDS:
            addresses = [hex(address) for address in self.scene.addresses[kind.name]]
            self.assertGreater(len(addresses), 5, kind.name)
            addresses += ["0xffffffffffff"] + ([] if kind.name.endswith(".o") else ["0x1"])
            for tool, table in (OPTIONS if kind.name in EVERY else COMMON).items():
                if tool == GNU and not kind.gnu_reads_it:
                    continue  # ours does: test_gnu_answers_for_more_files
                for options in table:
                    if kind.name == "pdb.exe" and "--relative-address" in options:
                        continue  # below
                    if "--functions=short" in options and kind.name in WITHOUT_SHORT_NAMES:
                        continue
                    with self.subTest(file=kind.name, tool=tool, options=options):
                        self.assert_same(tool, ["-e", kind.name, *options, *addresses])

    def test_relative_addresses_count_from_the_base_of_windows_images(self):
        for name in ("pdb.exe", "mingw.exe"):
            addresses = [hex(address - 0x140000000) for address in self.scene.addresses[name]]
            self.assert_same(LLVM, ["--relative-address", "-a", "-e", name, *addresses])

    def test_addresses_are_adjusted(self):
        for name in ("clang-fixed", "mingw.exe", "macho"):
            addresses = [hex(address + 0x100000) for address in self.scene.addresses[name]]
            self.assert_same(LLVM, ["--adjust-vma=0x100000", "-a", "-e", name, *addresses])

    def test_packages_of_split_units_are_named(self):
        addresses = [hex(address) for address in self.scene.addresses["clang-split"]]
        self.assert_same(LLVM, ["--dwp=clang-split.package", "-e", "clang-split", *addresses])
        real, _ = self.scene.both(LLVM, ["--dwp=clang-split.package", "-e", "clang-split", *addresses])
        self.assertIn("inner", real[1])

    def test_sections_count_from_their_start(self):
        for options in (["-j", ".text"], ["--section=.text", "-afi"]):
            self.assert_same(GNU, ["-e", "gcc-pie", *options, "0", "10", "20", "50", "100", "ffff"])
        self.assert_same(GNU, ["-e", "object.o", "-j", ".text", "-fi", "0", "10"])
        self.assert_same(GNU, ["-e", "gcc-pie", "-j", ".nosuch", "0"])

    def test_gnu_answers_for_more_files(self):
        addresses = [hex(address) for address in self.scene.addresses["pdb.exe"]]
        _, ours = self.scene.both(GNU, ["-fi", "-e", "pdb.exe", *addresses])
        self.assertIn("code.cpp:5\n", ours[1], "GNU's own reads no PDB")
        addresses = [hex(address) for address in self.scene.addresses["macho"]]
        _, ours = self.scene.both(GNU, ["-fi", "-e", "macho", *addresses])
        self.assertIn("outer\n", ours[1], "GNU's own reads no Mach-O here")


class Lines(DropIn):
    def test_lines_name_files_kinds_and_symbols(self):
        outer = symbol_of(self.folder / "clang-fixed", "outer")
        middle = hex(outer + 12)
        lines = ["clang-fixed " + hex(outer), f"CODE clang-fixed {middle}", f'CODE "clang-fixed" {outer}',
                 f"'gcc-fixed' {hex(symbol_of(self.folder / 'gcc-fixed', 'outer'))}", "DATA clang-fixed 0x10",
                 f"FILE:clang-fixed {middle}", f"  clang-fixed   {middle}  ", f"clang-fixed {middle} and more",
                 "clang-fixed start", "clang-fixed start+3", "clang-fixed nosuch", "clang-fixed nosuch+1",
                 "clang-fixed main+0x2", "FRAME clang-fixed 0x10", "nofile 0x12", f"nofile {middle}", "code.c 0x12",
                 "garbage", "", "CODE", "CODE clang-fixed", "clang-fixed 0x", "clang-fixed 12x", "clang-fixed -1",
                 "BUILDID:00aabb 0x10", "BUILDID:zz 0x10", '"clang-fixed 0x10', "FILE:FILE:clang-fixed 0x10",
                 "clang-fixed 0x1ffffffffffffffff", "clang-fixed 010", "clang-fixed 0b11", "clang-fixed 0o17", ". 0x1"]
        text = "".join(line + "\n" for line in lines).encode()
        for options in ([], ["--output-style=GNU"], ["--output-style=JSON"], ["-a", "-p"], ["--no-inlines"]):
            with self.subTest(options=options):
                self.assert_same(LLVM, options, text)
        self.assert_same(LLVM_GNU, ["-fia"], text)

    def test_lines_where_the_file_is_known(self):
        outer = symbol_of(self.folder / "clang-fixed", "outer")
        lines = [hex(outer), f"CODE {hex(outer)}", " " + hex(outer), "start+2", "CODE 1 2", "FILE:clang-fixed 0x1",
                 "zz", "1zz", "", f"{outer:x}", "0X" + f"{outer:x}"]
        text = "\n".join(lines).encode()  # the last one without a line feed
        for tool in (LLVM, LLVM_GNU):
            for options in (["-a"], ["--output-style=JSON"], ["--output-style=GNU", "-f"]):
                with self.subTest(tool=tool, options=options):
                    self.assert_same(tool, ["-e", "clang-fixed", *options], text)

    def test_variables(self):
        names = {"gcc-fixed": ["global_value", "file_value", "sink"], "no-debug": ["global_value", "file_value"]}
        for name, variables in names.items():
            addresses = [hex(symbol_of(self.folder / name, variable) + 1) for variable in variables]
            text = "".join(f"DATA {name} {address}\n" for address in addresses).encode()
            for options in ([], ["--output-style=JSON"]):
                real, ours = self.scene.both(LLVM, options, text)
                if name == "gcc-fixed":  # where a variable is declared is not known
                    real, ours = ((one[0], re.sub(r"(?m)^.*:[\d?]+$", "", one[1])) for one in (real, ours))
                self.assertEqual(ours[:2], real[:2])

    def test_gnu_lines(self):
        start = symbol_of(self.folder / "gcc-fixed", "start")
        lines = [f"{start:x}", f"0x{start:x}", f"  {start:x} junk", f"{start:x}junk", "start", " start ", "start+4",
                 "start + 4", "start +0x4", "start+", "start-1", "nosuch", "+4", "", ",", "-1",
                 "10000000000000000", "add", "0xzz", f"{start:x}"]
        text = "\n".join(lines).encode()
        for options in (["-afi"], ["-afip"], []):
            self.assert_same(GNU, ["-e", "gcc-fixed", *options], text)

    def test_a_client_gets_each_answer_before_it_asks_on(self):
        start = symbol_of(self.folder / "gcc-fixed", "start")
        with subprocess.Popen([self.scene.links / GNU, "-e", "gcc-fixed", "-a", "-i", "-f"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, bufsize=1, cwd=self.folder) as asked:
            for _ in range(3):
                asked.stdin.write(f"{start:x}\n,\n")
                asked.stdin.flush()
                answer = [asked.stdout.readline() for _ in range(6)]
                self.assertEqual(answer[:2] + answer[3:],
                                 [f"0x{start:016x}\n", "start\n", f"0x{0:016x}\n", "??\n", "??:0\n"])
                self.assertRegex(answer[2], r"code\.c:\d+")
            asked.stdin.close()


class CommandLines(DropIn):
    def test_usage_and_failures(self):
        start = hex(symbol_of(self.folder / "gcc-fixed", "start"))
        (self.folder / "words").write_text(f"-e gcc-fixed '-a'\n\"{start}\"")
        rows = [  # program, arguments, whether stderr is the same, too
            (GNU, ["-e", "nofile", "1"], True), (GNU, ["-e", "code.c", "1"], True), (GNU, ["1"], True),
            (GNU, ["-e", ".", "1"], True), (GNU, ["-e", "/dev/null", "1"], True), (GNU, ["--bogus"], False),
            (GNU, ["-x"], False), (GNU, ["-e"], False), (GNU, ["--demangle=bogus", "-e", "gcc-fixed", "1"], True),
            (GNU, ["-Cauto", "-e", "gcc-fixed", "1"], False), (GNU, [start, "-f", "-e", "gcc-fixed"], True),
            (GNU, ["-e", "gcc-fixed", "--", "-f", start], True), (GNU, ["--func", "--exe=gcc-fixed", start], True),
            (GNU, ["@words", "-f"], True), (GNU, ["@nosuch", "-e", "gcc-fixed"], True),
            (GNU, ["-e", "gcc-fixed"], True),
            (LLVM, ["-e", "nofile", "1"], True), (LLVM, ["--obj=code.c", "1"], True), (LLVM, ["-e", ".", "1"], True),
            (LLVM, ["-e", "nofile", "--output-style=JSON", "1"], True), (LLVM, ["--bogus"], True),
            (LLVM, ["-e", "gcc-fixed", "--", start], True), (LLVM, ["-e", "gcc-fixed", "-0x1"], True),
            (LLVM, ["--obj"], True), (LLVM, ["--adjust-vma=zz", "1"], False), (LLVM, ["--build-id=zz", "1"], False),
            (LLVM, ["--build-id=0011", "-e", "gcc-fixed", "1"], True), (LLVM, ["--build-id=0011", "1", "2"], True),
            (LLVM, ["gcc-fixed", start], True), (LLVM, ["-e", "clang-fixed", "-e", "gcc-fixed", start], True),
            (LLVM, ["@words", start], True), (LLVM, ["@nosuch"], True), (LLVM, ["--functions=bogus", "@words"], True),
            (LLVM, ["--output-style=bogus", "@words"], True), (LLVM, ["-e", "gcc-fixed"], True),
            (LLVM, ["-e", "pdb.pdb", "1"], False),
        ]
        for tool, arguments, errors in rows:
            with self.subTest(tool=tool, arguments=arguments):
                if arguments == ["-e", "pdb.pdb", "1"]:
                    _, ours = self.scene.both(tool, arguments)
                    self.assertEqual(ours[0], 0, "LLVM's own reads a PDB only beside its image")
                    continue
                self.assert_same(tool, arguments, b"", errors)

    def test_what_cannot_be_done_is_refused(self):
        for option in ("--filter-markup", "--relativenames", "--skip-line-zero", "--dsym-hint=x",
                       "--gsym-file-directory=x"):
            _, ours = self.scene.both(LLVM, [option, "-e", "gcc-fixed", "1"])
            self.assertEqual(ours[:2], (1, ""))
            self.assertIn("is not supported by symcached", ours[2])

    def test_help_and_version(self):
        for tool in (GNU, LLVM, LLVM_GNU):
            for option in ("--help", "--version", "-v"):
                _, ours = self.scene.both(tool, [option])
                self.assertEqual((ours[0], ours[2]), (0, ""))
                self.assertIn("symcached", ours[1])

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.scene.links / GNU, "-e", self.folder / "gcc-fixed", "1"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    program.main()
