#!/usr/bin/env python3
"""symcache_format_test.py SYMCACHED: a reader written from docs/formats/symcache.md gives the answers of `lookup`."""
import json
import pathlib
import subprocess
import unittest

import program
from program import symcached
from read_symcache import Symcache


class SymcacheFormat(program.WithPdb):
    def test_the_page_is_enough_to_read_a_cache(self):
        self.compare(self.pdb)

    def test_sections_of_relocatable_files(self):
        (self.folder / "m.c").write_text("int a(void) { return 1; }\nint b(void) { return 2; }\n")
        path = self.folder / "m.o"
        subprocess.run(["gcc", "-g", "-ffunction-sections", "-c", "m.c", "-o", path], cwd=self.folder, check=True)
        self.assertEqual(symcached("convert", path, "-o", self.folder).returncode, 0)
        cache = Symcache((self.folder / "m.o.symcache").read_bytes())
        listed = json.loads(symcached("inspect", "--json", path).stdout)[0]["sections"]
        self.assertEqual(cache.sections(), [(s["name"], s["address"], s["size"]) for s in listed])
        self.assertEqual([name for name, _, _ in cache.sections()], [".text.a", ".text.b"])

    def compare(self, pdb):
        self.assertEqual(symcached("convert", pdb, "-o", self.folder).returncode, 0)
        path = self.folder / f"{pathlib.Path(pdb).name}.symcache"
        cache = Symcache(path.read_bytes())
        self.assertGreater(cache.count, 0)
        last = cache.start[-1] + cache.function(cache.count - 1)[0] + 10
        spread = range(cache.base - 5, last, max(1, (last - cache.base) // 2000))
        asked = sorted({*cache.start, *spread})
        answers = symcached("lookup", path, "--json", stdin="".join(f"{a:x}\n" for a in asked)).stdout.splitlines()
        self.assertEqual(len(answers), len(asked))
        for address, answer in zip(asked, map(json.loads, answers)):
            frames = [(f["FunctionName"], f["FileName"], f["Line"], f["Column"]) for f in answer["Symbol"]]
            self.assertEqual(cache.lookup(address), frames, hex(address))


if __name__ == "__main__":
    program.main()
