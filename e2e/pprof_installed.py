"""libsymcached_pprof as it is installed, and programs with it in each of the three ways."""
import pathlib
import shutil
import sys
import tempfile
import unittest

from pprof_clients import Clients, Program, checked, missing_tools
from program import PROGRAM, ROOT, main

SOURCE = ROOT / "e2e/pprof_program.cpp"
PREFIX = "/pprof/"
PROTO = "/debug/pprof/"
HEAP_RATE = {"TCMALLOC_SAMPLE_PARAMETER": "8192", "SYMCACHED_PPROF_HEAP_RATE": "8192"}
EACH, PRELOADED, ONE_LINE = ("one line", "preloaded"), ("preloaded",), ("one line", "static")
CLOSE = 3.0  # percentage points


class Installed(unittest.TestCase):
    """An installed library, programs built against it as others would build them, and clients."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.clients = Clients(cls.folder)
        prefix = cls.folder / "prefix"
        checked("cmake", "--install", PROGRAM.parent, "--prefix", prefix, "--component", "symcached_pprof")
        cls.lib = next(prefix.rglob("libsymcached_pprof.a")).parent
        cls.shared = cls.lib / "libsymcached_pprof.so"
        pkg_config = lambda *options: checked("env", f"PKG_CONFIG_PATH={cls.lib}/pkgconfig", "pkg-config", *options,
                                              "symcached_pprof").split()
        static = [flag.replace("-lsymcached_pprof", "-l:libsymcached_pprof.a")
                  for flag in pkg_config("--libs", "--static")]
        compile_it = ["g++", "-std=c++20", "-O2", "-g", SOURCE, "-pthread"]
        checked(*compile_it, "-o", cls.folder / "plain")
        checked(*compile_it, "-DWITH_SERVER", *pkg_config("--cflags"), "-o", cls.folder / "shared",
                *pkg_config("--libs"), f"-Wl,-rpath,{cls.lib}", "-ltcmalloc")
        checked(*compile_it, "-DWITH_SERVER", *pkg_config("--cflags"), "-o", cls.folder / "static", *static,
                "-ltcmalloc")
        cls.ways = {
            "one line": lambda: Program(cls.folder / "shared", environment=HEAP_RATE),
            "static": lambda: Program(cls.folder / "static", environment=HEAP_RATE),
            "preloaded": lambda: Program(cls.folder / "plain", port_file=cls.folder / "port",
                                         environment={**HEAP_RATE, "LD_PRELOAD": str(cls.shared)}),
        }

    def running(self, way="one line"):
        program = self.ways[way]()
        self.addCleanup(program.__exit__)
        return program


def run_tests():
    if missing_tools() or shutil.which("pkg-config") is None:
        print(f"skipped: {', '.join(missing_tools())} not installed")
        sys.exit(77)
    main()
