"""Asks symbolizers about addresses and brings their answers into one shape: what dwarf_agree.py and the tests share."""
import dataclasses
import functools
import json
import re
import struct
import subprocess

SYMBOLIZER, DWARFDUMP, NM = "llvm-symbolizer-22", "llvm-dwarfdump-22", "llvm-nm-22"
UNKNOWN = ("", "??")


@dataclasses.dataclass(frozen=True)
class Frame:
    """One frame; an empty text and 0 stand for the unknown."""
    function: str
    file: str
    line: int
    column: int

    def __str__(self):
        return f"{self.function or '??'} {self.file or '??'}:{self.line}:{self.column}"


def known(text):
    return "" if text in UNKNOWN else text


def clean_path(path):
    """`./` and doubled slashes name the same file; `..` is kept, as a link may stand before it."""
    return re.sub(r"/(\./)+", "/", re.sub(r"/{2,}", "/", path)).removeprefix("./")


def frames_of(answer):
    """The frames of one JSON answer, innermost first. Empty: nothing is known of the address."""
    frames = [Frame(known(one["FunctionName"]), clean_path(known(one["FileName"])), one["Line"], one["Column"])
              for one in answer.get("Symbol", [])]
    return [] if frames == [Frame("", "", 0, 0)] else frames


def ask(command, addresses, cwd=None):
    """One list of frames for each address, from a program that answers lines of stdin with JSON."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run([str(part) for part in command], input=asked, capture_output=True, text=True, cwd=cwd)
    lines = [line for line in done.stdout.splitlines() if line]
    if done.returncode != 0 or len(lines) != len(addresses):
        raise RuntimeError(f"{command[0]}: exit {done.returncode}, {len(lines)} answers to {len(addresses)} addresses: "
                           f"{done.stderr.strip()[-500:]}")
    return [frames_of(json.loads(line)) for line in lines]


def ask_llvm(path, addresses, options=(), cwd=None):
    """What llvm-symbolizer says of stated addresses, names as the linker knows them."""
    return ask([SYMBOLIZER, f"--obj={path}", "--output-style=JSON", "--no-demangle", *options], addresses, cwd)


@functools.cache
def keeps_decorated_names(program):
    """Whether `lookup` can be told to leave names as they are."""
    told = subprocess.run([program, "lookup", "--help"], capture_output=True, text=True).stdout
    return "--no-demangle" in told


def ask_symcached(program, path, addresses, cwd=None):
    """What `symcached lookup` says of stated addresses, names as the linker knows them."""
    options = ["--no-demangle"] if keeps_decorated_names(program) else []
    command = [program, "lookup", path, "--json", *options]
    plain = subprocess.run([*command, "--svma", "0"], capture_output=True, text=True, cwd=cwd)
    if plain.returncode == 2:  # the cache does not know where its image starts
        base = image_base(path)
        if base < 0:
            return ask(command, [address - base for address in addresses], cwd)
        return ask([*command, "--svma", "--image-base", hex(base)], addresses, cwd)
    return ask([*command, "--svma"], addresses, cwd)


def image_base(path):
    """The stated address of RVA 0: ELF's first segment, PE's base, Mach-O's __TEXT.

    Negative for Wasm, whose RVAs are offsets in the file and whose stated addresses start with the code section.
    """
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    if head[:4] == b"\x7fELF":
        return elf_base(head)
    if head[:2] == b"MZ":
        optional = struct.unpack_from("<I", head, 60)[0] + 24
        wide = struct.unpack_from("<H", head, optional)[0] == 0x20b
        return struct.unpack_from("<Q" if wide else "<I", head, optional + (24 if wide else 28))[0]
    if head[:4] == b"\xcf\xfa\xed\xfe":
        return macho_base(head)
    return -wasm_code(path) if head[:4] == b"\0asm" else 0


def elf_base(head):
    wide, order = head[4] == 2, ">" if head[5] == 2 else "<"
    table = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)[0]
    size, count = struct.unpack_from(order + "HH", head, 54 if wide else 42)
    for at in range(table, table + size * count, max(size, 1)):
        kind = struct.unpack_from(order + "I", head, at)[0]
        if kind == 1:  # PT_LOAD
            return struct.unpack_from(order + ("Q" if wide else "I"), head, at + (16 if wide else 8))[0]
    return 0


def macho_base(head):
    at = 32
    for _ in range(struct.unpack_from("<I", head, 16)[0]):
        command, size = struct.unpack_from("<II", head, at)
        if command == 0x19 and head[at + 8:at + 24].rstrip(b"\0") == b"__TEXT":  # LC_SEGMENT_64
            return struct.unpack_from("<Q", head, at + 24)[0]
        at += size
    return 0


def wasm_code(path):
    """Where the code section's content starts in the file."""
    with open(path, "rb") as file:
        data = file.read()
    at = 8
    while at < len(data):
        kind, size, shift, at = data[at], 0, 0, at + 1
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        if kind == 10:
            return at
        at += size
    return 0


@dataclasses.dataclass(frozen=True)
class Symbol:
    address: int
    size: int
    kind: str  # as nm prints it: t and T are code
    name: str


def symbols_of(path):
    """Defined symbols, by address. Empty for a file without a symbol table."""
    done = subprocess.run([NM, "--defined-only", "--no-demangle", "--format=posix", "--radix=x", path],
                          capture_output=True, text=True, errors="replace")
    found = []
    for line in done.stdout.splitlines():
        parts = line.rsplit(" ", 3)
        if len(parts) == 4 and len(parts[1]) == 1:
            found.append(Symbol(int(parts[2], 16), int(parts[3] or "0", 16), parts[1], parts[0]))
    return sorted(found, key=lambda symbol: (symbol.address, symbol.name))


def code_symbols_of(path):
    return [symbol for symbol in symbols_of(path) if symbol.kind in "tTwWi"]


START = re.compile(r"DW_AT_(?:low_pc|entry_pc)\s+\(0x([0-9a-f]+)\)|\[0x([0-9a-f]+), 0x[0-9a-f]+\)")
ROW = re.compile(r"^0x([0-9a-f]{8,16})\s+(\d+)\s+\d+\s+\d+\s")


def line_row_starts(path):
    """Where rows of the line table start, each address once; rows that end a sequence are none."""
    done = subprocess.run([DWARFDUMP, "--debug-line", path], capture_output=True, text=True, errors="replace")
    return sorted({int(found[1], 16) for line in done.stdout.splitlines()
                   if (found := ROW.match(line)) and "end_sequence" not in line})


def function_starts(path):
    """Starts of functions, blocks and inlined calls, as the debug information states them."""
    done = subprocess.run([DWARFDUMP, "--debug-info", path], capture_output=True, text=True, errors="replace")
    found, holds_code = set(), False
    for line in done.stdout.splitlines():
        if "DW_TAG_" in line:
            holds_code = re.search(r"DW_TAG_(subprogram|inlined_subroutine|lexical_block)", line) is not None
        elif holds_code and (start := START.search(line)):
            found.add(int(start[1] or start[2], 16))
    return sorted(found)
