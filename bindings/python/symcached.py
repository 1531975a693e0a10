"""Turns addresses, and IL offsets of .NET methods, into functions, files and lines, with libsymcached.

    import symcached
    module = symcached.Module("/usr/bin/ls")          # debug file, executable, .NET module or cache
    for frame in module.lookup(0x1234):               # RVA; innermost frame first
        print(frame.function, frame.file, frame.line)
    symcached.convert("app.pdb", "app.pdb.symcache")  # opens in microseconds

Searches for the library in $SYMCACHED_LIBRARY, in the prefix this file is installed in, then in the system's paths.
Thread-safe: threads may query one module at the same time, and queries and conversions release the GIL.
"""
import ctypes
import os
import pathlib
import threading
from typing import NamedTuple

_ABI_VERSION = 0
_SONAME = f"libsymcached.so.{_ABI_VERSION}"
NO_PARAMETERS, LINKAGE_NAMES, NO_DEMANGLE, NO_NAMES, NO_INLINES = 1, 2, 4, 8, 16


class Error(Exception):
    """A file could not be opened, or the library could not be loaded."""


class Frame(NamedTuple):
    """Unknown strings are empty, unknown numbers 0."""
    function: str
    file: str
    line: int
    column: int
    is_inlined: bool  #: into the next frame
    language: str  #: this and the next two: of the outermost function
    function_start: int  #: RVA; 0 for .NET
    function_size: int  #: bytes; 0 for .NET


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode("utf-8", "replace")


class _Frame(ctypes.Structure):
    _fields_ = [("function", _Text), ("file", _Text), ("language", _Text), ("function_start", ctypes.c_uint64),
                ("function_size", ctypes.c_uint32), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32),
                ("is_inlined", ctypes.c_uint32)]


class _OpenOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("debug_directories", ctypes.POINTER(ctypes.c_char_p)),
                ("debug_directory_count", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("max_unpacked", ctypes.c_uint64)]


def _places():
    """Where the library may be, most likely first."""
    if named := os.environ.get("SYMCACHED_LIBRARY"):
        return [named]
    installed = []
    for prefix in pathlib.Path(__file__).resolve().parents[1:5]:
        installed += [*prefix.glob(f"lib*/{_SONAME}"), *prefix.glob(f"lib/*/{_SONAME}")]
    return [*map(str, installed), _SONAME]


def _load():
    for place in (places := _places()):
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as why:
            if place is places[-1]:
                raise Error(f"{why}; install libsymcached, or set SYMCACHED_LIBRARY to its path") from None
    handle, text = ctypes.c_void_p, ctypes.c_char_p
    options = ctypes.POINTER(_OpenOptions)
    for name, result, *arguments in [
            ("abi_version", ctypes.c_uint32),
            ("version", text),
            ("open", handle, text, options, text, ctypes.c_size_t),
            ("open_bytes", handle, text, ctypes.c_size_t, options, text, ctypes.c_size_t),
            ("close", None, handle),
            ("is_managed", ctypes.c_int, handle),
            ("cache", handle, handle, ctypes.POINTER(ctypes.c_size_t)),
            ("debug_id", text, handle),
            ("image_base", ctypes.c_int, handle, ctypes.POINTER(ctypes.c_uint64)),
            ("warning", text, handle, ctypes.c_size_t),
            ("answer_new", handle),
            ("answer_free", None, handle),
            ("lookup", ctypes.c_int, handle, ctypes.c_uint64, ctypes.c_uint32, handle),
            ("lookup_method", ctypes.c_int, handle, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, handle),
            ("frames", ctypes.POINTER(_Frame), handle)]:
        function = getattr(library, "symcached_" + name)
        function.restype, function.argtypes = result, arguments
    if (found := library.symcached_abi_version()) != _ABI_VERSION:
        raise Error(f"{place}: expected a library with ABI version {_ABI_VERSION}, found {found}; "
                    f"use the symcached.py that came with it")
    return library


_library = _load()
VERSION = _library.symcached_version().decode()


class _Answer:
    """The answer object of one thread."""

    def __init__(self):
        self.handle = _library.symcached_answer_new()
        if not self.handle:
            raise MemoryError

    def __del__(self, free=_library.symcached_answer_free):
        free(self.handle)


_threads = threading.local()


def _ask(question, *arguments):
    if not hasattr(_threads, "answer"):
        _threads.answer = _Answer()
    answer = _threads.answer.handle
    count = question(*arguments, answer)
    if count < 0:
        raise MemoryError
    return [Frame(str(f.function), str(f.file), f.line, f.column, bool(f.is_inlined), str(f.language),
                  f.function_start, f.function_size) for f in _library.symcached_frames(answer)[:count]]


class Module:
    """An opened file. Closed when it is garbage-collected, or at the end of a `with` block."""

    def __init__(self, path=None, *, data=None, debug_directories=(), threads=1, max_unpacked=0):
        """Opens a path, or data: bytes, without separate debug files.

        debug_directories: searched for separate debug files; default /usr/lib/debug.
        threads: for conversion. max_unpacked: limit for decompressed bytes; default 8 GiB, less for small files.
        """
        self._handle = None
        if (path is None) == (data is None):
            raise TypeError("wanted either a path or data")
        directories = (ctypes.c_char_p * len(debug_directories))(*map(os.fsencode, debug_directories))
        options = _OpenOptions(ctypes.sizeof(_OpenOptions), directories, len(directories), threads, 0, max_unpacked)
        why = ctypes.create_string_buffer(1024)
        if data is None:
            handle = _library.symcached_open(os.fsencode(path), ctypes.byref(options), why, len(why))
        else:
            handle = _library.symcached_open_bytes(bytes(data), len(data), ctypes.byref(options), why, len(why))
        if not handle:
            raise Error(why.value.decode("utf-8", "replace"))
        self._handle = handle

    def lookup(self, address, flags=0):
        """Returns the frames at an address, innermost first; an empty list if it is unknown.

        address: RVA: the address in a process minus the module's load address.
        flags: any of NO_PARAMETERS | LINKAGE_NAMES | NO_DEMANGLE | NO_NAMES | NO_INLINES.
        """
        return _ask(_library.symcached_lookup, self._open(), address, flags)

    def lookup_method(self, method, il_offset, flags=0):
        """The same for .NET. method: MethodDef token (0x06000004) or row (4)."""
        return _ask(_library.symcached_lookup_method, self._open(), method, il_offset, flags)

    @property
    def is_managed(self):
        """True: use lookup_method(). False: use lookup()."""
        return bool(_library.symcached_is_managed(self._open()))

    @property
    def debug_id(self):
        return _library.symcached_debug_id(self._open()).decode()

    @property
    def image_base(self):
        """Subtract it from virtual addresses before lookup(). None if unknown; caches do not store it."""
        base = ctypes.c_uint64()
        return base.value if _library.symcached_image_base(self._open(), ctypes.byref(base)) else None

    @property
    def warnings(self):
        """Such as a missing debug file that makes answers less complete."""
        said = []
        while (one := _library.symcached_warning(self._open(), len(said))) is not None:
            said.append(one.decode("utf-8", "replace"))
        return said

    @property
    def cache(self):
        """The bytes of its cache."""
        size = ctypes.c_size_t()
        data = _library.symcached_cache(self._open(), ctypes.byref(size))
        return ctypes.string_at(data, size.value)

    def close(self):
        """Not while another thread queries it."""
        handle, self._handle = self._handle, None
        _library.symcached_close(handle)

    def _open(self):
        if self._handle is None:
            raise ValueError("the module is closed")
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self, close=_library.symcached_close):
        if getattr(self, "_handle", None):
            close(self._handle)


def convert(path, target=None, **options):
    """Converts a file to a cache. Returns its bytes; or writes it to target atomically, and returns target.

    options: those of Module.
    """
    with Module(path, **options) as module:
        cache = module.cache
    if target is None:
        return cache
    unfinished = f"{os.fspath(target)}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        pathlib.Path(unfinished).write_bytes(cache)
        os.replace(unfinished, target)
    except OSError:
        pathlib.Path(unfinished).unlink(missing_ok=True)
        raise
    return target
