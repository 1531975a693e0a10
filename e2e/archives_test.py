#!/usr/bin/env python3
"""archives_test.py SYMCACHED: members of archives are listed, converted and looked up, in the formats of each tool."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import program
from program import symcached

LONG = "a_member_whose_name_is_longer_than_sixteen"


class Archives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        for name in ("one", "two", LONG):
            (cls.folder / f"{name}.c").write_text(f"int in_{name}(int x) {{\n  return x + {len(name)};\n}}\n")
            cls.compile(name, f"{name}.o")
        (cls.folder / "sub").mkdir()
        (cls.folder / "again.c").write_text("\n\nint in_again(int x) {\n  return x * 5;\n}\n")
        cls.compile("again", "sub/one.o")

    @classmethod
    def compile(cls, name, to):
        subprocess.run(["gcc", "-g", "-O0", "-c", f"{name}.c", "-o", to], cwd=cls.folder, check=True)

    def archive(self, name, *command):
        members = ["one.o", "two.o", f"{LONG}.o", "sub/one.o"]
        subprocess.run([*command, name, *members], cwd=self.folder, check=True)
        return self.folder / name

    def made(self):
        yield "GNU", self.archive("gnu.a", "ar", "qcs")
        yield "thin", self.archive("thin.a", "ar", "qcsT")
        for style in ("gnu", "bsd", "darwin", "coff"):
            yield f"LLVM, {style}", self.archive(f"{style}.lib", "llvm-ar-22", f"--format={style}", "qcs")
        compressed = self.folder / "packed.a"
        shutil.copy(self.folder / "gnu.a", compressed)
        subprocess.run(["gzip", "-f", compressed], check=True)
        yield "compressed", pathlib.Path(f"{compressed}.gz")

    def answer(self, path):
        done = symcached("lookup", path, "--json", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        frame = json.loads(done.stdout)[0]["Symbol"][0]
        return frame["FunctionName"], frame["Line"]

    def test_members_are_listed_and_looked_up(self):
        for why, path in self.made():
            with self.subTest(why):
                done = symcached("inspect", "--json", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                info = json.loads(done.stdout)[0]
                thin = why == "thin"
                self.assertEqual((info["kind"], len(info["members"])), ("archive", 4))
                names = [member["name"] for member in info["members"]]
                self.assertEqual(names[2:], [f"{LONG}.o", "sub/one.o" if thin else "one.o"])
                for member in info["members"]:
                    self.assertEqual("debug_id" in member, not thin)
                    self.assertEqual(member["kind"], "unknown" if thin else "elf")
                self.assertIn(f"{LONG}.o", symcached("inspect", path).stdout)
                self.assertEqual(self.answer(f"{path}(one.o)"), ("in_one", 1))
                self.assertEqual(self.answer(f"{path}({LONG}.o)"), (f"in_{LONG}", 1))
                self.assertEqual(self.answer(f"{path}(sub/one.o)" if thin else f"{path}(one.o:2)"), ("in_again", 3))

    def test_a_member_is_converted(self):
        path = self.archive("convert.a", "ar", "qcs")
        target = self.folder / "convert.a(two.o).symcache"
        done = symcached("convert", f"{path}(two.o)", "-o", self.folder)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, str(target)), done.stderr)
        self.assertEqual(self.answer(target), ("in_two", 1))

    def test_what_cannot_be_had_is_told(self):
        path = self.archive("told.a", "ar", "qcs")
        single = self.folder / "single.a"
        subprocess.run(["ar", "qc", single, "two.o"], cwd=self.folder, check=True)
        empty = self.folder / "empty.a"
        subprocess.run(["ar", "qc", empty], check=True)
        cut = self.folder / "cut.a"
        cut.write_bytes(path.read_bytes()[:-100])
        gone = self.archive("gone.a", "ar", "qcsT")
        gone.write_bytes(gone.read_bytes().replace(b"two.o", b"six.o"))
        self.assertEqual(self.answer(single), ("in_two", 1))
        odd = self.folder / "odd.o(x.o)"
        shutil.copy(self.folder / "one.o", odd)
        self.assertEqual(self.answer(odd), ("in_one", 1))
        rows = ((path, "an archive of 4 files; name one, such as FILE(one.o): one.o, two.o"),
                (f"{path}(six.o)", "no member six.o; there are: one.o, two.o"),
                (f"{path}(one.o:3)", "no member one.o:3"),
                (f"{self.folder}/one.o(x.o)", "one.o is no archive"),
                (f"{self.folder}/none.a(x.o)", "No such file"),
                (empty, "the archive is empty"),
                (f"{cut}(one.o)", "archive.member.size"),
                (f"{gone}(six.o)", "six.o: No such file"))
        for asked, told in rows:
            done = symcached("lookup", asked, "0")
            self.assertEqual(done.returncode, 1, asked)
            self.assertIn(told, done.stderr, asked)

    def test_a_library_of_rust(self):
        (self.folder / "lib.rs").write_text("#[inline(never)]\n#[no_mangle]\npub fn in_rust(x: u32) -> u32 { x / 3 }\n")
        subprocess.run(["rustc", "-g", "-O", "--crate-type=rlib", "lib.rs", "-o", "liblib.rlib"], cwd=self.folder,
                       check=True)
        info = json.loads(symcached("inspect", "--json", self.folder / "liblib.rlib").stdout)[0]
        objects = [member["name"] for member in info["members"] if member["kind"] == "elf" and member["size"] > 1500]
        found = [self.answer(f"{self.folder}/liblib.rlib({name})") for name in objects if name.endswith(".o")]
        self.assertIn("in_rust", [name for name, _ in found], info)


if __name__ == "__main__":
    program.main()
