#!/usr/bin/env python3
"""dia_test.py SYMCACHED: PDBs made by MSVC, as Microsoft's own reader (DIA) understands them.

The PDBs are those of the npm package node-pty, which tools/node_pty.sh fetches once; what DIA said of them is in
e2e/dia. No address may lack an answer or have another one than DIA's, but those in KNOWN_MISSES.
"""
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import unittest

import dia_agree
import dia_rows
import program

ROWS = program.ROOT / "e2e/dia"
PDBS = program.ROOT / "build/node-pty"
CLASSES = ("functions", "chains of 1", "chains of 2", "chains of 3", "chains of 4 and more", "folded functions",
           "padding", "thunks")
# The last bytes of the assembly code of `memcpy`, behind the end that its symbol states. DIA gives the public symbol
# `__memcpy_forward` there, which starts inside.
KNOWN_MISSES = collections.Counter({("publics without function", "missed"): 3})


class Dia(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([program.ROOT / "tools/node_pty.sh"], check=True)
        cls.texts = dia_rows.read_texts(ROWS)
        cls.pdbs = json.loads((ROWS / "pdbs.json").read_text())

    def test_every_answer_is_dias(self):
        total = collections.Counter()
        for name, pdb in self.pdbs.items():
            with self.subTest(name):
                path = PDBS / pdb["path"]
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), pdb["sha256"], "another PDB than DIA's")
                score = dia_agree.score_pdb(program.PROGRAM, path, dia_rows.read(ROWS / f"{name}.tsv", self.texts))
                print(f"{name}\n{score}", file=sys.stderr)
                wanted = KNOWN_MISSES if "arm64" in name else {}
                self.assertEqual(score.faults(), wanted, [few[:5] for few in score.examples.values()])
                total.update({what: score.total(what) for what, _ in score.counts})
        for what in CLASSES:
            self.assertGreaterEqual(total[what], 70, what)
        self.assertGreater(sum(total.values()), 14_000)

    def test_all_rows_are_used(self):
        self.assertEqual({path.stem for path in ROWS.glob("*.tsv")}, set(self.pdbs))
        self.assertEqual(len(self.pdbs), 10)


class Scorer(unittest.TestCase):
    """What the scorer calls a fault; a test that cannot fail says nothing."""

    def test_outcomes(self):
        outer, inner = ("run", "a.cpp", 7), ("twice", "b.h", 3)
        for why, ours, theirs, names, want in [
            ("the same", [inner, outer], [inner, outer], {"run"}, "equal"),
            ("nothing in both", [], [], set(), "equal"),
            ("no answer here", [], [outer], {"run"}, "missed"),
            ("no answer there", [outer], [], set(), "more"),
            ("a frame fewer", [outer], [inner, outer], {"run"}, "different"),
            ("another line", [("run", "a.cpp", 8)], [outer], {"run"}, "different"),
            ("another path", [("run", "d/a.cpp", 7)], [outer], {"run"}, "different"),
            ("another name", [("walk", "a.cpp", 7)], [outer], {"run"}, "different"),
            ("a folded function's other name", [("walk", "a.cpp", 7)], [outer], {"run", "walk"}, "equal"),
            ("none of the folded names", [("fly", "a.cpp", 7)], [outer], {"run", "walk"}, "different"),
            ("a namespace without a name", [("?A0x12ab::f", "", 0)], [("`anonymous namespace'::f", "", 0)], {"f"},
             "equal"),
        ]:
            self.assertEqual(dia_agree.outcome_of(ours, theirs, names), want, why)

    def test_functions(self):
        class Cache:
            start = [0x10, 0x20, 0x30]

            def function(self, index):
                return (8, 16, 8)[index],

            def function_names(self, index):
                return (["a"], ["b", "c"], ["d"])[index]

        score = dia_agree.Score()
        told = dia_rows.Told(functions={0x10: (8, {"a"}), 0x20: (16, {"b", "c"}), 0x28: (4, {"x"}), 0x30: (9, {"d"}),
                                        0x40: (1, {"y"})})
        dia_agree.score_functions(score, told, Cache())
        told.functions = {0x20: (16, {"b", "e"})}
        dia_agree.score_functions(score, told, Cache())
        self.assertEqual(score.counts, {("functions", "equal"): 2, ("functions", "missed"): 3,
                                        ("functions", "different"): 1})


if __name__ == "__main__":
    program.main()
