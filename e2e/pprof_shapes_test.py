#!/usr/bin/env python3
"""pprof_shapes_test.py PROGRAM: programs of every shape a linker makes name their own code with libsymcached_pprof."""
import pathlib
import subprocess
import tempfile
import unittest

from program import PROGRAM, ROOT, main

BUILD = pathlib.Path(PROGRAM).resolve().parent
LIBRARIES = [*(BUILD / f"libsc_{name}.a" for name in ("profiling_naming", "profiling_unwinding", "base")),
             "-ldeflate", "-lzstd", "-llzma"]
SAMPLE = r"""
#include <cstdio>
#include <cstdlib>
#include "profiling/naming/naming.hpp"
[[gnu::noinline]] static int hidden_work(const char* text) { return std::puts(text); }
int main() {
  const std::uintptr_t asked[] = {reinterpret_cast<std::uintptr_t>(&hidden_work),
                                  reinterpret_cast<std::uintptr_t>(&std::qsort)};
  for (const auto& frames : symcached::pprof::symbol_table_naming()->name(asked, {}))
    hidden_work(frames.empty() ? "none" : frames[0].function.c_str());
  hidden_work(symcached::pprof::mapped_modules().front().path.c_str());
}
"""
SHAPES = {
    "position independent": ["-pie"],
    "at a fixed address": ["-no-pie"],
    "code and data in one segment": ["-no-pie", "-Wl,-z,noseparate-code"],
    "static": ["-static"],
    "static and position independent": ["-static-pie"],
    "static, without a build id": ["-static", "-Wl,--build-id=none"],
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


class PprofShapes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self):
        source = self.folder / "sample.cpp"
        source.write_text(SAMPLE)
        run("g++", "-std=c++23", "-O1", "-fPIE", f"-I{ROOT}", "-c", source, "-o", self.folder / "sample.o")

    def test_programs_name_themselves(self):
        self.compile()
        program = self.folder / "the program"  # with a blank
        want = ["_ZL11hidden_workPKc", "qsort", str(program)]
        for shape, options in SHAPES.items():
            with self.subTest(shape):
                run("g++", *options, "-o", program, self.folder / "sample.o", *LIBRARIES)
                self.assertEqual(run(program).splitlines(), want)
        run("g++", "-pie", "-o", program, self.folder / "sample.o", *LIBRARIES)
        with self.subTest("started by the loader, so that /proc/self/exe is another"):
            loader = run("sh", "-c", f"readelf -l '{program}' | sed -n 's/.*interpreter: \\(.*\\)]/\\1/p'").strip()
            self.assertEqual(run(loader, program).splitlines(), want)


if __name__ == "__main__":
    main()
