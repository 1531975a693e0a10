#!/usr/bin/env python3
"""portable_pdb_oracle.py FILE: all that a Portable PDB, or an assembly with one inside, says, as tab-separated text.

A second reader, written from ECMA-335 (II.23, II.24) and the Portable PDB specification alone, to compare the first one
with: testing/managed/ppdb_text.hpp says what the lines are. Plain and slow; it trusts its input.
"""
import struct
import sys
import uuid
import zlib

EMBEDDED_SOURCE = uuid.UUID("0e8a571b-6926-466e-b4ad-8ab04611f5fe")
SOURCE_LINK = uuid.UUID("cc110556-a091-4d38-9fec-25ab9a351a6a")
METHOD_DEF, DOCUMENT, METHOD_DEBUG, MACHINE, CUSTOM = 0x06, 0x30, 0x31, 0x36, 0x37
TAG_MODULE, TAG_DOCUMENT = 7, 22
# By tag: what an index of kind HasCustomDebugInformation points to.
CUSTOM_PARENTS = [0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B, 0x20, 0x23, 0x26,
                  0x27, 0x28, 0x2A, 0x2C, 0x2B, 0x30, 0x32, 0x33, 0x34, 0x35]
# Columns of the debug tables: a number is an index into that table, a list one of several.
COLUMNS = {
    0x30: ["blob", "guid", "blob", "guid"],
    0x31: [0x30, "blob"],
    0x32: [0x06, 0x35, 0x33, 0x34, "u32", "u32"],
    0x33: ["u16", "u16", "string"],
    0x34: ["string", "blob"],
    0x35: [0x35, "blob"],
    0x36: [0x06, 0x06],
    0x37: [CUSTOM_PARENTS, "guid", "blob"],
}


def unsigned(data, at):
    """A compressed integer: (value, bits, position behind it)."""
    first = data[at]
    if first & 0x80 == 0:
        return first, 7, at + 1
    if first & 0xC0 == 0x80:
        return int.from_bytes(data[at:at + 2], "big") & 0x3FFF, 14, at + 2
    if first & 0xE0 == 0xC0:
        return int.from_bytes(data[at:at + 4], "big") & 0x1FFFFFFF, 29, at + 4
    raise ValueError(f"no compressed integer starts with {first:#x}")


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def __bool__(self):
        return self.at < len(self.data)

    def plain(self):
        value, _, self.at = unsigned(self.data, self.at)
        return value

    def signed(self):
        value, bits, self.at = unsigned(self.data, self.at)
        return (value >> 1) - (1 << (bits - 1) if value & 1 else 0)


class Pdb:
    def __init__(self, data):
        assert data[:4] == b"BSJB", "no metadata"
        at = 16 + struct.unpack_from("<I", data, 12)[0]
        count = struct.unpack_from("<HH", data, at)[1]
        at += 4
        streams = {}
        for _ in range(count):
            offset, size = struct.unpack_from("<II", data, at)
            end = data.index(b"\0", at + 8)
            streams.setdefault(data[at + 8:end].decode(), data[offset:offset + size])
            at += 8 + (end - at - 8) // 4 * 4 + 4
        self.blobs, self.guids, self.pdb = streams.get("#Blob", b""), streams.get("#GUID", b""), streams["#Pdb"]
        self.read_rows(streams["#~"])

    def read_rows(self, tables):
        sizes, at = {}, 32
        for table in bits(struct.unpack_from("<Q", self.pdb, 24)[0]):
            sizes[table] = struct.unpack_from("<I", self.pdb, at)[0]
            at += 4
        heaps, valid = tables[6], struct.unpack_from("<Q", tables, 8)[0]
        at, counts = 24, {}
        for table in bits(valid):
            counts[table] = sizes[table] = struct.unpack_from("<I", tables, at)[0]
            at += 4
        if heaps & 0x40:
            at += 4

        def width(column):
            if isinstance(column, list):
                return 4 if max(sizes.get(table, 0) for table in column) >= 1 << 11 else 2
            if isinstance(column, int):
                return 4 if sizes.get(column, 0) >= 1 << 16 else 2
            return {"u16": 2, "u32": 4, "string": 4 if heaps & 1 else 2, "guid": 4 if heaps & 2 else 2,
                    "blob": 4 if heaps & 4 else 2}[column]

        self.rows = {}
        for table in sorted(counts):
            row = struct.Struct("<" + "".join("I" if width(column) == 4 else "H" for column in COLUMNS[table]))
            end = at + row.size * counts[table]
            self.rows[table] = list(row.iter_unpack(tables[at:end]))
            at = end

    def blob(self, offset):
        if offset == 0:
            return b""
        size, _, start = unsigned(self.blobs, offset)
        return self.blobs[start:start + size]

    def guid(self, index):
        return uuid.UUID(bytes_le=self.guids[16 * index - 16:16 * index]) if index else None

    def custom(self, tag, row, kind):
        for parent, guid, value in self.rows.get(CUSTOM, []):
            if parent == row << 5 | tag and self.guid(guid) == kind:
                return self.blob(value)
        return None

    def document_name(self, offset):
        blob = self.blob(offset)
        parts, numbers = [], Numbers(blob[1:])
        while numbers:
            parts.append(self.blob(numbers.plain()).decode())
        return blob[:1].decode().strip("\0").join(parts)

    def points(self, document, offset):
        """(IL offset, document, start line, start column, end line, end column); a hidden one has None for a line."""
        numbers = Numbers(self.blob(offset))
        if not numbers:
            return
        numbers.plain()  # the local variables' signature
        if document == 0:
            document = numbers.plain()
        il_offset, seen = None, None
        while numbers:
            delta = numbers.plain()
            if delta == 0 and il_offset is not None:
                document = numbers.plain()
                continue
            il_offset = delta if il_offset is None else il_offset + delta
            lines = numbers.plain()
            columns = numbers.signed() if lines else numbers.plain()
            if lines == 0 and columns == 0:
                yield il_offset, document, None, 0, None, 0
                continue
            if seen is None:
                seen = numbers.plain(), numbers.plain()
            else:
                seen = seen[0] + numbers.signed(), seen[1] + numbers.signed()
            yield il_offset, document, seen[0], seen[1], seen[0] + lines, seen[1] + columns


def bits(mask):
    return [bit for bit in range(64) if mask >> bit & 1]


def embedded(image):
    """The Portable PDB inside of a PE image."""
    pe = struct.unpack_from("<I", image, 60)[0]
    sections, optional = struct.unpack_from("<H", image, pe + 6)[0], struct.unpack_from("<H", image, pe + 20)[0]
    directories = pe + 24 + (112 if struct.unpack_from("<H", image, pe + 24)[0] == 0x20B else 96)
    rva, size = struct.unpack_from("<II", image, directories + 8 * 6)
    for i in range(sections):
        _, start, length, offset = struct.unpack_from("<IIII", image, pe + 24 + optional + 40 * i + 8)
        if start <= rva < start + length:
            rva += offset - start
            break
    for entry in range(rva, rva + size, 28):
        kind, length, _, offset = struct.unpack_from("<IIII", image, entry + 12)
        if kind == 17 and image[offset:offset + 4] == b"MPDB":
            data = zlib.decompress(image[offset + 8:offset + length], -15)
            assert len(data) == struct.unpack_from("<I", image, offset + 4)[0]
            return data
    raise ValueError("no Portable PDB inside")


def text_of(data):
    pdb = Pdb(data if data[:4] == b"BSJB" else embedded(data))
    lines = ["id\t" + pdb.pdb[:20].hex()]
    for row, (name, algorithm, digest, language) in enumerate(pdb.rows.get(DOCUMENT, []), 1):
        source, length = pdb.custom(TAG_DOCUMENT, row, EMBEDDED_SOURCE), "-"
        if source is not None:
            size = struct.unpack_from("<i", source)[0]
            content = zlib.decompress(source[4:], -15) if size else source[4:]
            assert size in (0, len(content)), "an embedded source of another size"
            length = len(content)
        lines.append(f"document\t{row}\t{pdb.document_name(name)}\t{pdb.guid(language) or '-'}\t"
                     f"{pdb.guid(algorithm) or '-'}\t{pdb.blob(digest).hex()}\t{length}")
    moved = dict(pdb.rows.get(MACHINE, []))
    for row, (document, offset) in enumerate(pdb.rows.get(METHOD_DEBUG, []), 1):
        for il_offset, where, line, column, end_line, end_column in pdb.points(document, offset):
            first, last = (hex(0xFEEFEE) if number is None else number for number in (line, end_line))
            place = f"{first}\t{column}\t{last}\t{end_column}"
            lines.append(f"point\t{0x06000000 | row:#010x}\t{il_offset}\t{where}\t{place}")
        if row in moved:
            lines.append(f"moved\t{0x06000000 | row:#010x}\t{0x06000000 | moved[row]:#010x}")
    link = pdb.custom(TAG_MODULE, 1, SOURCE_LINK)
    if link is not None:
        lines.append("sourcelink\t" + link.decode())
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        sys.stdout.write(text_of(file.read()))


if __name__ == "__main__":
    main()
