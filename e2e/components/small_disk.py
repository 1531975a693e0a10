"""A file system that is soon full, and a limit on file sizes for where none can be mounted."""
import contextlib
import os
import pathlib
import resource
import tempfile

from components.component import Lacking, Leashed, program
from server import until

# In a mount namespace of its own, which ends with its process: nothing has to be unmounted.
MOUNT = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && echo $$ >"$3.new" && mv "$3.new" "$3" && exec sleep infinity'


class SmallDisk:
    """A context manager: `folder` is on a tmpfs of `size` bytes. Lacking if this user cannot mount one."""

    def __init__(self, size):
        self.size = size

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            scratch = pathlib.Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="small-disk-")))
            place, ready, log = scratch / "disk", scratch / "ready", scratch / "log"
            place.mkdir()
            namespaces = "-m" if os.geteuid() == 0 else "-Urm"
            command = [program("unshare"), namespaces, "sh", "-c", MOUNT, "sh", self.size, place, ready]
            process = Leashed(command, log, scratch, {})
            undo.callback(process.stop)
            until(lambda: ready.exists() or not process.alive(), "a tmpfs is mounted")
            if not process.alive():
                raise Lacking(f"no tmpfs can be mounted: {log.read_text().strip()}")
            self.folder = pathlib.Path(f"/proc/{ready.read_text().strip()}/root{place}")
            self.undo = undo.pop_all()
        return self

    def __exit__(self, *_):
        self.undo.close()

    def free(self):
        """Bytes."""
        state = os.statvfs(self.folder)
        return state.f_bavail * state.f_frsize

    def fill(self, leave=0):
        """Writes one file, `filler`, until no more than `leave` bytes are free."""
        with open(self.folder / "filler", "ab") as filler:
            os.posix_fallocate(filler.fileno(), os.fstat(filler.fileno()).st_size, max(self.free() - leave, 1))

    def release(self):
        (self.folder / "filler").unlink(missing_ok=True)


@contextlib.contextmanager
def no_file_beyond(pid, size):
    """A running process can make no file longer than `size` bytes: its writes fail with EFBIG."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
