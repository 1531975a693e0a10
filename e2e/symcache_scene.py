"""A server of Microsoft's symcaches with the transcoders of a test, its SymCache directory and its symbol store."""
import json
import os
import pathlib
import re
import sys
import time
import uuid

from server import Server, guid_bytes, until
from symcache_rows import POLL

FAKE = pathlib.Path(__file__).parent.parent / "testing" / "transcode" / "fake_symcachegen.py"


class Scene:
    """A SymCache directory, a symbol store, and a server over them whose transcoders make the given versions."""

    def __init__(self, place, tools, sources=None, settings=None):
        self.program, self.symbols, folder = place.program, place.symbols, place.folder / "-".join(("made", *tools))
        self.directory, self.store = folder / "SymCache", folder / "store"
        for place in (self.directory, self.store):
            place.mkdir(parents=True, exist_ok=True)
        self.runs = folder / "runs"
        self.runs.mkdir(exist_ok=True)
        config = {
            "cache_dir": str(folder / "cache"),
            "sources": [{"id": "store", "type": "filesystem", "path": str(self.store)}] if sources is None else sources,
            "prefixes": ["/team/symcache"],
            "symcache": {"directory": str(self.directory), "transcoders": {
                int(version[0]): {"version": version, "command": self.command(version)} for version in tools}},
        }
        for key, value in (settings or {}).items():
            config[key] = {**config.get(key, {}), **value}
        self.config = folder / "symcached.yml"
        self.config.write_text(json.dumps(config))  # JSON is YAML
        self.server = None

    def command(self, version):
        """Leaves an empty file for each run in `runs`."""
        script = f'mktemp -q "{self.runs}/XXXXXX" >/dev/null; VERSION={version} exec "$0" "$1" -pdb "$2"'
        return ["/bin/sh", "-c", script, sys.executable, str(FAKE), "{pdb}"]

    def __enter__(self):
        self.server = Server(self.program, None, options=["--config", self.config])
        return self

    def __exit__(self, *_):
        if self.server.alive():
            self.server.end()

    def restart(self):
        self.server.end()
        self.__enter__()

    # --- what there is --------------------------------------------------------------------------------------------

    def pdb(self, name, number, inside=None):
        """Puts a PDB into the store; `inside`: its own number, if that is another one."""
        place = self.store / name / f"{number:032X}1"
        place.mkdir(parents=True, exist_ok=True)
        path = place / name
        own = number if inside is None else inside
        path.write_bytes(self.symbols.pdb.replace(guid_bytes(self.symbols.guid), uuid.UUID(int=own).bytes_le))
        old = time.time() - 3600
        os.utime(path, (old, old))
        return path

    def symcache(self, name, number, age, version):
        path = self.directory / name / f"{number:032X}{age:X}" / f"{name}-v{version}.symcache"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(name, version))
        return path

    def versions(self, name, number, age=1):
        """That lie in the SymCache directory."""
        folder = self.directory / name / f"{number:032X}{age:X}"
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        return " ".join(re.fullmatch(r".*-v([\d.]+)\.symcache", found).group(1) for found in names)

    def tool_runs(self):
        return len(list(self.runs.iterdir()))

    # --- asking ---------------------------------------------------------------------------------------------------

    def get(self, name, number, *headers, version="3.1.0", **more):
        return self.server.ask(f"/v{version}/{name}/{number:032x}/1", *headers, **more)

    def status(self, name, number):
        return json.loads(self.server.ask(f"/status/{name}/{number:032x}")[2])

    def poll(self, name, number, version="3.1.0"):
        """As a client that comes back until there is an answer."""
        def answer():
            status, headers, body = self.get(name, number, *POLL, version=version)
            return None if "retry-after" in headers else (status, headers, body)
        return until(answer, f"an answer for {name}")


def content(name, version):
    return f"version {version} of {name}".encode()


def made(name):
    """What the transcoder writes."""
    return b"of another version" if name.startswith("other_version") else f"symcache of {name}".encode()
