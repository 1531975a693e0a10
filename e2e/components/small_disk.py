"""A file system that is soon full, and a limit on file sizes for where none can be mounted."""
import contextlib
import os
import pathlib
import resource
import subprocess
import tempfile

from components.component import Lacking, program


class SmallDisk:
    """A context manager: `folder` is on a tmpfs of `size` bytes. Lacking without the right to mount (root's)."""

    def __init__(self, size):
        self.size = size

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            self.folder = pathlib.Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="small-disk-")))
            done = subprocess.run([program("mount"), "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", self.folder],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise Lacking(f"no tmpfs can be mounted: {done.stderr.strip()}")
            undo.callback(subprocess.run, [program("umount"), "--lazy", self.folder], check=True)
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
            os.posix_fallocate(filler.fileno(), filler.tell(), max(self.free() - leave, 1))

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
