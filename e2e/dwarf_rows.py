"""The rows of dwarf_matrix_test.py: how the sources in e2e/dwarf_matrix are compiled, linked and treated."""
import dataclasses
import pathlib
import shutil
import subprocess

import dwarf_expectations

FOLDER = dwarf_expectations.FOLDER
SOURCES = pathlib.Path(__file__).resolve().parent.parent / FOLDER
GCC, CLANG, OBJCOPY = "gcc-12", "clang-22", "llvm-objcopy-22"
FREESTANDING = ["-I.", "-ffreestanding", "-fno-exceptions", "-fno-stack-protector", "-std=gnu++17"]
TREATMENTS = ("plain", "debug file", "zdebug", "dwz", "dwz shared")
TARGETS = (("aarch64-linux-gnu", ()), ("armv7-linux-gnueabihf", ("-marm",)), ("armv7-linux-gnueabi", ("-mthumb",)),
           ("riscv64-linux-gnu", ("-mno-relax",)), ("powerpc64-linux-gnu", ("-mabi=elfv2",)),
           ("powerpc64le-linux-gnu", ()), ("s390x-linux-gnu", ()), ("mips-linux-gnu", ()))
UNITS = ("shapes.cpp", "cold.cpp", "start.cpp", "plain.c")


class Missing(Exception):
    """A tool is not installed, or cannot do what the row needs."""


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    compiler: str
    flags: tuple = ()
    link: tuple = ()
    target: str = ""  # clang's; empty = this machine, x86-64
    treatments: tuple = ("plain",)  # what is done to the linked file; each is looked at on its own
    assembly: bool = True  # ELF alone
    lld: bool = False
    units: tuple = UNITS
    linked: bool = True
    left_out: frozenset = frozenset()  # roots that the linker drops
    scopes: bool = True  # False: names of inlined functions are short
    bare: bool = False  # the container has no labels in code: compared with LLVM only


@dataclasses.dataclass
class Made:
    """A file to ask about."""
    name: str
    path: pathlib.Path
    folder: pathlib.Path  # where the compiler ran
    probes: list
    row: Row
    llvm: bool = True  # whether llvm-symbolizer reads it


def compilers():
    return (("gcc", GCC), ("clang", CLANG))


def plain_rows():
    for name, compiler in compilers():
        for version in (2, 3, 4, 5):
            flags = (f"-gdwarf-{version}",)
            yield Row(f"{name} -gdwarf-{version} -O0", compiler, (*flags, "-O0"), lld=compiler == CLANG)
            yield Row(f"{name} -gdwarf-{version} -O2", compiler, (*flags, "-O2"), lld=compiler == CLANG,
                      treatments=TREATMENTS if version > 3 else ("plain",))


def format_rows():
    """Other encodings of the same debug information."""
    for name, compiler in compilers():
        lld = compiler == CLANG
        for version in (4, 5):
            flags = (f"-gdwarf-{version}", "-O2")
            yield Row(f"{name} {version}, 64-bit DWARF", compiler, (*flags, "-gdwarf64"), lld=lld, assembly=False)
            yield Row(f"{name} {version}, types apart", compiler, (*flags, "-fdebug-types-section"), lld=lld)
            yield Row(f"{name} {version}, split", compiler, (*flags, "-gsplit-dwarf"), lld=lld, assembly=False,
                      treatments=("plain", "dwp", "llvm-dwp"))
        yield Row(f"{name}, -g1", compiler, ("-g1", "-O2"), lld=lld, scopes=not lld)
        yield Row(f"{name}, -g3 -Os", compiler, ("-g3", "-Os"), lld=lld)
        yield Row(f"{name}, zlib", compiler, ("-g", "-O2", "-gz=zlib"), ("-gz=zlib",), lld=lld)
        yield Row(f"{name}, not relocatable", compiler, ("-g", "-O2", "-fno-pie"), ("-no-pie",), lld=lld)
    yield Row("clang, zstd", CLANG, ("-g", "-O2", "-gz=zstd"), ("-gz=zstd",), lld=True)
    yield Row("clang, line tables only", CLANG, ("-gline-tables-only", "-O2"), lld=True, scopes=False)
    yield Row("clang, no columns", CLANG, ("-g", "-O2", "-gno-column-info"), lld=True)
    yield Row("clang, ranges of blocks", CLANG, ("-g", "-O2", "-fbasic-block-sections=all"), lld=True)
    yield Row("clang, split and line tables", CLANG, ("-g1", "-O2", "-gsplit-dwarf"), lld=True, assembly=False,
              scopes=False)


def linker_rows():
    """What linkers make of it."""
    unused = frozenset({"unused_root", "located"})
    for name, compiler in compilers():
        lld = compiler == CLANG
        yield Row(f"{name}, link-time", compiler, ("-g", "-O2", "-flto"), ("-flto", "-g", "-O2"), lld=lld)
        for version in (4, 5):
            yield Row(f"{name} {version}, dropped sections", compiler,
                      ("-O2", f"-gdwarf-{version}", "-ffunction-sections"), ("-Wl,--gc-sections",), lld=lld,
                      left_out=unused)
        yield Row(f"{name}, object file", compiler, ("-g", "-O2"), units=("plain.c",), linked=False, assembly=False)
        yield Row(f"{name} 4, object file", compiler, ("-gdwarf-4", "-O0"), units=("plain.c",), linked=False,
                  assembly=False)
    yield Row("gcc with lld, dropped sections", GCC, ("-O2", "-g", "-ffunction-sections"), ("-Wl,--gc-sections",),
              lld=True, left_out=unused)
    yield Row("clang with ld, dropped sections", CLANG, ("-O2", "-g", "-ffunction-sections"), ("-Wl,--gc-sections",),
              left_out=unused)


def target_rows():
    """Other machines and containers."""
    for name, compiler in compilers():
        yield Row(f"{name}, i686", compiler, ("-g", "-O2", "-m32", "-fno-pie"), ("-m32", "-no-pie"),
                  lld=compiler == CLANG)
    for target, flags in TARGETS:
        flags = (*flags, "-O2", "-fno-pie", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")
        name = f"{target} -mthumb" if "-mthumb" in flags else target
        for version in (4, 5):
            yield Row(f"{name}, {version}", CLANG, (*flags, f"-gdwarf-{version}"), ("-no-pie",), target, lld=True)
        yield Row(f"{name}, object file", CLANG, (*flags, "-g"), (), target, units=("plain.c",), linked=False,
                  assembly=False)
    for version in (4, 5):
        yield Row(f"MinGW, {version}", CLANG, (f"-gdwarf-{version}", "-O2"), (), "x86_64-w64-windows-gnu", lld=True,
                  assembly=False)
        yield Row(f"Mach-O, {version}", CLANG, (f"-gdwarf-{version}", "-O2"), (), "arm64-apple-macos13",
                  assembly=False, treatments=("dSYM",), bare=True)
        yield Row(f"Wasm, {version}", CLANG, (f"-gdwarf-{version}", "-O2"), (), "wasm32", lld=True, assembly=False,
                  bare=True)
    for compiler in ("aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc", "x86_64-w64-mingw32-gcc"):
        yield Row(compiler, compiler, ("-g", "-O2"), (), assembly="mingw" not in compiler)


def all_rows():
    return [*plain_rows(), *format_rows(), *linker_rows(), *target_rows()]


# --- making -----------------------------------------------------------------------------------------------------

def run(folder, *command):
    """Runs a tool that the row needs; what it says when it fails ends the row."""
    command = [str(part) for part in command]
    if not shutil.which(command[0]):
        raise Missing(command[0])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr.strip()[-2000:]}")


def compile_row(row, folder):
    """The objects of the row, in its folder."""
    folder.mkdir(parents=True)
    shutil.copytree(SOURCES, folder / FOLDER)
    target = [f"--target={row.target}"] if row.target else []
    given = [*FREESTANDING, *(["-DWITH_ASSEMBLY"] if row.assembly else [])]
    c_flags = [flag for flag in given if not flag.startswith("-std=")]
    by_language = ((".cpp", [*given, "-fno-rtti"]), (".c", c_flags))
    for suffix, language_flags in by_language:
        units = [f"{FOLDER}/{unit}" for unit in row.units if unit.endswith(suffix)]
        if units:
            run(folder, row.compiler, *target, *language_flags, *row.flags, "-c", *units)
    if row.assembly:
        assembler_flags = [flag for flag in row.flags if flag.startswith(("-m", "-gdwarf"))]
        run(folder, row.compiler, *target, "-g", *assembler_flags, "-c", f"{FOLDER}/lines.s")
        if has_located(row):
            run(folder, row.compiler, *(["-gdwarf-4"] if row.compiler == CLANG else []), "-c", f"{FOLDER}/located.s")
    return sorted(path.name for path in folder.glob("*.o"))


def has_located(row):
    """The unit spelled out by hand has 8-byte little-endian addresses and ends up in x86-64 programs."""
    return row.assembly and not row.target and row.compiler in (GCC, CLANG) and "-m32" not in row.flags


def link_row(row, folder, objects):
    if not row.linked:
        return folder / objects[0]
    if "apple" in row.target:
        run(folder, "ld64.lld-22", "-arch", "arm64", "-platform_version", "macos", "13.0", "13.0", "-dylib",
            "-o", "program", *objects)
        return folder / "program"
    if row.target == "wasm32":
        run(folder, "wasm-ld-22", "--no-entry", "--export=start_here", "-o", "program.wasm", *objects)
        return folder / "program.wasm"
    target = [f"--target={row.target}"] if row.target else []
    lld = ["-fuse-ld=lld", *(["-B/usr/lib/llvm-22/bin"] if row.compiler == GCC else [])] if row.lld else []
    name = "program.exe" if is_windows(row) else "program"  # what the linker would add by itself
    run(folder, row.compiler, *target, *lld, "-nostdlib", "-Wl,-e,start_here", *row.link, *objects, "-o", name)
    return folder / name


def is_windows(row):
    return "windows" in row.target or "mingw" in row.compiler


def treat(treatment, row, folder, linked, plain):
    """(path, whether LLVM reads it) after one treatment of the linked file without labels."""
    made = folder / f"program.{treatment.replace(' ', '_')}"
    if treatment == "plain":
        return plain, True
    if treatment == "debug file":
        run(folder, OBJCOPY, "--only-keep-debug", plain, made)
    elif treatment == "zdebug":
        run(folder, "objcopy", "--compress-debug-sections=zlib-gnu", plain, made)
        return made, False
    elif treatment.startswith("dwz") and row.compiler == CLANG and "-gdwarf-5" in row.flags:
        raise Missing("a dwz that reads DW_FORM_strx")
    elif treatment == "dwz":
        run(folder, "dwz", "-o", made, plain)
    elif treatment == "dwz shared":
        shutil.copy(plain, made)
        shutil.copy(plain, folder / "program.twin")
        run(folder, "dwz", "-m", "shared.dwz", made.name, "program.twin")
        return made, False
    elif treatment in ("dwp", "llvm-dwp"):
        return pack(treatment, row, folder, plain), True
    elif treatment == "dSYM":
        run(folder, "dsymutil-22", linked, "-o", "program.dSYM")
        made = folder / "program.dSYM/Contents/Resources/DWARF/program"
    return made, True


def pack(treatment, row, folder, plain):
    """A copy of the program in a folder of its own, with a package instead of the .dwo files."""
    if treatment == "dwp" and "-gdwarf-5" in row.flags:
        raise Missing("a dwp of binutils that reads DWARF 5")
    apart = folder / treatment
    apart.mkdir()
    made = apart / "program"
    shutil.copy(plain, made)
    run(folder, "llvm-dwp-22" if treatment == "llvm-dwp" else "dwp", *sorted(folder.glob("*.dwo")), "-o",
        f"{made}.dwp")
    return made


def without_labels(row, folder, linked):
    """The same program without the probes' labels: a reader may take them for names of functions."""
    if row.target == "wasm32":  # LLVM takes offsets in the file for addresses in DWARF there, and so other names
        run(folder, OBJCOPY, "--remove-section=name", linked, folder / "program.plain")
        return folder / "program.plain"
    if row.bare:
        return linked
    plain = folder / "program.plain"
    run(folder, OBJCOPY, "--wildcard", "--strip-symbol=probe_*", linked, plain)
    return plain


def make(row, folder, told):
    """Yields a Made for each treatment; what cannot be made for want of a tool is told."""
    linked = link_row(row, folder, compile_row(row, folder))
    probes = [] if row.bare else dwarf_expectations.probes_of(linked)
    plain = without_labels(row, folder, linked)
    for treatment in row.treatments:
        name = row.name if treatment == "plain" else f"{row.name}, {treatment}"
        try:
            path, llvm = treat(treatment, row, folder, linked, plain)
        except Missing as missing:
            told(f"{name}: no {missing}")
            continue
        if treatment in ("dwp", "llvm-dwp"):
            hide(folder)
        yield Made(name, path, folder, probes, row, llvm)
        if treatment in ("dwp", "llvm-dwp"):
            show(folder)


def hide(folder):
    """Takes the .dwo files away, so that the package alone can answer."""
    (folder / "hidden").mkdir(exist_ok=True)
    for path in folder.glob("*.dwo"):
        path.rename(folder / "hidden" / path.name)


def show(folder):
    for path in (folder / "hidden").iterdir():
        path.rename(folder / path.name)
