#!/usr/bin/env python3
"""Tests of check_layers.py: one row per kind of arrow, then the checks of whole trees."""
import unittest

import check_layers

READMES = {f"{folder}/README.md": "" for folder in list(check_layers.MAP) + list(check_layers.AROUND)}


def faults_of(path, include):
    return check_layers.check(READMES | {path: f'#include "{include}"\n'})[1]


class Arrows(unittest.TestCase):
    def test_follow_the_map(self):
        for why, path, include in [
            ("its own folder", "symcache/reader.cpp", "symcache/format.hpp"),
            ("downward", "object/pdb/translate.cpp", "formats/pdb/dbi.hpp"),
            ("from the front door to a wing", "object/kinds.cpp", "object/elf/translate.hpp"),
            ("from a wing to what wings share", "object/elf/plt.cpp", "object/common/code_symbols.hpp"),
            ("down to the shared floor", "store/key.cpp", "base/bytes.hpp"),
            ("the stateful side includes the pure side", "fetch/folder.cpp", "sources/layouts.hpp"),
            ("the top includes everything", "app/main.cpp", "net/server.hpp"),
            ("a test includes testing", "model/module_test.cpp", "testing/assembler.hpp"),
            ("testing includes what it imitates", "testing/fake_source.cpp", "net/http.hpp"),
            ("the profiler stands on the base", "profiling/pprof.cpp", "base/bytes.hpp"),
        ]:
            self.assertEqual(faults_of(path, include), [], why)

    def test_refuse_the_rest(self):
        for why, path, include, said in [
            ("upward", "model/module.cpp", "symcache/writer.hpp", "upward: row 2 includes row 3"),
            ("upward among the stateful", "net/server.cpp", "fetch/fetcher.hpp", "upward"),
            ("sideways", "symcache/writer.cpp", "formats/pdb/dbi.hpp", "sideways: both are in row 3"),
            ("sideways between formats", "formats/pe/image.cpp", "formats/pdb/msf.hpp", "sideways"),
            ("from wing to wing", "object/elf/plt.cpp", "object/pe/symbols.hpp", "sideways"),
            ("from a wing to the front door", "object/elf/plt.cpp", "object/kinds.hpp", "upward"),
            ("sideways at the top", "tools/symdump.cpp", "app/commands.hpp", "sideways"),
            ("pure to stateful, downward", "object/open.cpp", "net/task.hpp", "pure side"),
            ("pure to stateful, same row", "symcache/writer.cpp", "store/key.hpp", "pure side"),
            ("the profiler and the ids", "profiling/pprof.cpp", "ids/guid.hpp", "upward"),
            ("tests obey, too", "model/module_test.cpp", "store/key.hpp", "pure side"),
            ("product code and testing", "model/module.cpp", "testing/assembler.hpp", "only tests"),
            ("product code and e2e", "app/serve.cpp", "e2e/client.hpp", "nothing includes e2e/"),
            ("not from the root", "model/module.cpp", "module.hpp", "written from the root"),
        ]:
            faults = faults_of(path, include)
            self.assertEqual(len(faults), 1, why)
            self.assertIn(said, faults[0], why)
            self.assertIn(path, faults[0], why)


class Folders(unittest.TestCase):
    def test_an_unknown_one_is_refused(self):
        faults = check_layers.check({"misc/README.md": "", "misc/a.cpp": ""})[1]
        self.assertEqual([f for f in faults if "not on the map" in f], faults)
        self.assertEqual(len(faults), 1)

    def test_an_unknown_format_is_refused(self):
        faults = check_layers.check({"formats/README.md": "", "formats/cobol/a.cpp": ""})[1]
        self.assertTrue(any("formats/cobol/: not on the map" in f for f in faults))

    def test_an_unknown_wing_is_refused(self):
        faults = check_layers.check({"object/README.md": "", "object/cobol/a.cpp": ""})[1]
        self.assertTrue(any("object/cobol/: not on the map" in f for f in faults))

    def test_a_file_named_for_a_folder_beside_it_is_refused(self):
        for path, folder in [("object/elf_plt.cpp", "object/elf"), ("object/dwarf/elf_plt.cpp", "object/elf"),
                             ("object/elf.cpp", "object/elf"), ("object/elfin.cpp", None), ("object/plt_elf.cpp", None),
                             ("object/elf/elf_plt.cpp", None), ("service/worker_jobs.cpp", None)]:
            files = READMES | {path: "", "object/elf/plt.cpp": "", "worker/pool.cpp": ""}
            want = [f"{path}: its name says that it belongs in {folder}/"] if folder else []
            self.assertEqual(check_layers.check(files)[1], want)

    def test_one_without_readme_is_refused(self):
        self.assertEqual(check_layers.check({"base/bytes.cpp": ""})[1], ["base/: has code and no README.md"])

    def test_one_without_code_needs_none(self):
        self.assertEqual(check_layers.check({"docs/index.txt": ""}), (set(), []))


class Page(unittest.TestCase):
    def test_has_the_same_map(self):
        files = {"base/b.cpp": "", "object/elf/plt.cpp": ""}
        right = "| `base/` | 0 | shared | bytes |\n| `object/elf/` | 4.2 | pure | ELF |\n"
        for why, page, said in [
            ("the map", right, []),
            ("a folder is missing", right.split("\n")[0], ["object/elf/ is missing"]),
            ("another row", right.replace("4.2", "4"), ["object/elf/ is in row 4.2, pure"]),
            ("another side", right.replace("shared", "pure"), ["base/ is in row 0, shared"]),
            ("a folder without code", right + "| `net/` | 2 | stateful | HTTP |\n", ["net/ is not on the map"]),
        ]:
            faults = list(check_layers.page_faults(page, files))
            self.assertEqual(len(faults), len(said), why)
            for fault, part in zip(faults, said):
                self.assertIn(part, fault, why)


class Drawing(unittest.TestCase):
    def test_shows_rows_sides_and_arrows(self):
        files = READMES | {"object/a.cpp": '#include "base/bytes.hpp"\n', "base/b.cpp": "", "store/c.cpp": ""}
        drawn = check_layers.draw(files, check_layers.check(files)[0])
        self.assertRegex(drawn, r"(?m)^4\.3  object$")
        self.assertRegex(drawn, r"(?m)^  3 {30,}store$")
        self.assertRegex(drawn, r"(?m)^  object +-> base$")
        self.assertNotIn("api", drawn)


if __name__ == "__main__":
    unittest.main()
