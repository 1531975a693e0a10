#!/usr/bin/env python3
"""Tests of keep_inputs.py."""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

import keep_inputs


class Choosing(unittest.TestCase):
    def chosen(self, inputs, reached=(), files=10, size=10_000):
        rows = [keep_inputs.Input(pathlib.Path(name), set(features), count) for name, features, count in inputs]
        return [one.path.name for one in keep_inputs.choose(rows, reached, files, size)]

    def test_chooses(self):
        for why, inputs, limits, want in [
            ("nothing", [], {}, []),
            ("what adds most comes first", [("a", "xy", 10), ("b", "xyz", 10)], {}, ["b"]),
            ("the smaller of two equal ones", [("a", "xy", 20), ("b", "xy", 10)], {}, ["b"]),
            ("what is reached adds nothing", [("a", "xy", 10), ("b", "z", 10)], {"reached": "xy"}, ["b"]),
            ("small ones instead of a large one", [("a", "wxyz", 9000), ("b", "wx", 10), ("c", "yz", 10)], {},
             ["c", "b"]),
            ("the number of files", [("a", "xyz", 10), ("b", "w", 10)], {"files": 1}, ["a"]),
            ("all bytes together", [("a", "wxyz", 60), ("b", "vu", 60), ("c", "t", 40)], {"size": 100}, ["a", "c"]),
        ]:
            self.assertEqual(self.chosen(inputs, **limits), want, why)

    def test_replaces_what_was_found_earlier(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            stored, learnt = folder / "stored", folder / "learnt"
            stored.mkdir(), learnt.mkdir()
            earlier = hashlib.sha1(b"earlier").hexdigest()
            (stored / "rich.bin").write_bytes(b"rich")
            (stored / earlier).write_bytes(b"earlier")
            contents = {"rich.bin": (b"rich", "1 2"), earlier: (b"earlier", "1 3"), "new": (b"new", "3 4"),
                        "crashed": (b"crashed", None)}
            lines = [str(len(contents)), "0", *(str(learnt / name) for name in contents)]
            for number, (name, (content, features)) in enumerate(contents.items()):
                (learnt / name).write_bytes(content)
                lines.append(f"STARTED {number} {len(content)}")
                lines += [f"FT {number} {features}", f"COV {number} 1"] if features else []
            (folder / "reached").write_text("\n".join(lines) + "\n")
            done = subprocess.run([sys.executable, keep_inputs.__file__, folder / "reached", stored],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("2 features by hand, 4 kept, 4 reached", done.stdout)
            self.assertEqual({path.name for path in stored.iterdir()}, {"rich.bin", hashlib.sha1(b"new").hexdigest()})


if __name__ == "__main__":
    unittest.main()
