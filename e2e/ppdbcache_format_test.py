#!/usr/bin/env python3
"""ppdbcache_format_test.py: a reader written from docs/formats/ppdbcache.md reads a stored cache as it was written."""
import pathlib
import unittest

import program
from read_ppdbcache import Ppdbcache

STORED = pathlib.Path(__file__).parent.parent / "ppdbcache/fuzz_corpus/reader_fuzz/small.ppdbcache"
PROGRAM, TABLE = "/src/App/Program.cs", "/src/App/Table.fs"


class PpdbcacheFormat(unittest.TestCase):
    def test_the_page_is_enough_to_read_a_cache(self):
        cache = Ppdbcache(STORED.read_bytes())
        rows = (  # as testing/caches/small_ppdbcache.hpp says
            (1, 0, (PROGRAM, 12, 9, "App.Program.Main")),
            (1, 23, (PROGRAM, 13, 13, "App.Program.Main")),
            (1, 24, (PROGRAM, 15, 9, "App.Program.Main")),
            (2, 0, None),
            (5, 6, (PROGRAM, 7, 5, "App.Program..ctor")),
            (5, 8, (TABLE, 3, 2, "App.Program..ctor")),
            (5, 9999, (PROGRAM, 70000, 700, "App.Program..ctor")),
            (6, 13, None),
            (6, 14, (TABLE, 9000, 1, "")),
            (70, 30, (PROGRAM, 21, 9, "App.Program.LoadAsync")),
            (200, 64 * 9, (TABLE, 41, 5, "App.Table.Fill")),
            (200, 99 * 9, (TABLE, 41, 5, "App.Table.Fill")),
            (9999, 0, None),
        )
        for row, il_offset, want in rows:
            self.assertEqual(cache.lookup(row, il_offset), want, (row, il_offset))
        self.assertEqual(cache.name(64), "App.Table.Name[T]")
        self.assertEqual((cache.kickoffs, cache.move_nexts), ({70: 2}, {2: 70}))
        self.assertEqual(sum(len(cache.method_points(row)) for row in range(256)), cache.point_count)


if __name__ == "__main__":
    program.main()
