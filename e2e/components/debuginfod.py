"""debuginfod (elfutils) over a folder with ELF files, and the files to put there."""
import dataclasses
import pathlib
import re
import subprocess
import urllib.error
import urllib.request

from components.component import Component, program

SOURCE = "int twice(int a) { return a + a; }\nint main(int count, char **) { return twice(count); }\n"


@dataclasses.dataclass
class Elf:
    """A program without debug information and the file that has it, as distributions ship them."""

    build_id: str
    executable: pathlib.Path
    debug: pathlib.Path
    source: pathlib.Path


def make_elf(folder, name="app", source=SOURCE):
    """Compiles folder/name and splits off folder/name.debug."""
    paths = {suffix: folder / f"{name}{suffix}" for suffix in ("", ".debug", ".cpp")}
    paths[".cpp"].write_text(source)
    run = lambda *command: subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    run("g++", "-g", "-Wl,--build-id", str(paths[".cpp"]), "-o", name)
    run("objcopy", "--only-keep-debug", name, f"{name}.debug")
    run("objcopy", "--strip-debug", f"--add-gnu-debuglink={name}.debug", name)
    build_id = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", name)).group(1)
    return Elf(build_id, paths[""], paths[".debug"], paths[".cpp"])


class Debuginfod(Component):
    """Serves the files in `folder`; it is ready once it has indexed both files of every one of `elfs`.

    It listens on all addresses, as it has no option for one.
    """

    name = "debuginfod"

    def __init__(self, folder, elfs):
        self.program, self.served, self.elfs = program("debuginfod"), folder, elfs

    def prepare(self):
        self.environment = {"DEBUGINFOD_URLS": "", "HOME": str(self.folder)}  # it asks no other server

    def command(self):
        return [self.program, "-F", "-p", self.port, "-d", self.folder / "index.sqlite", "-t", 0, "-g", 0, "-c", 1,
                "-v", self.served]

    def ready(self):
        return all(
            self.has(f"/buildid/{elf.build_id}/{kind}") for elf in self.elfs for kind in ("executable", "debuginfo"))

    def has(self, path):
        try:
            with urllib.request.urlopen(self.url + path):
                return True
        except (urllib.error.URLError, ConnectionError):
            return False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"
