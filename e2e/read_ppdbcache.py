"""A reader of ppdbcaches made from docs/formats/ppdbcache.md alone: the proof that the page is right. Slow, small."""
import struct

from read_symcache import Cursor

SECTIONS = "points blocks large documents paths kickoffs move_nexts name_blocks names scopes text".split()
IL_OFFSET, DOCUMENT, WIDE, LARGE = 1, 2, 4, 8


class Ppdbcache:
    def __init__(self, data):
        magic, version, self.name_width = struct.unpack_from("<8sIB", data)
        assert (magic, version) == (b"ppdbcach", 1)
        counts = struct.unpack_from("<IIII", data, 52)
        self.method_count, self.point_count = counts[:2]
        for i, name in enumerate(SECTIONS):
            offset, size = struct.unpack_from("<QQ", data, 80 + 16 * i)
            setattr(self, name, data[offset : offset + size])
        self.kickoffs = pairs(self.kickoffs, counts[2])
        self.move_nexts = pairs(self.move_nexts, counts[3])

    def document(self, number):
        starts = [at for at, _ in struct.iter_unpack("<IB", self.documents)] + [len(self.paths)]
        return self.paths[starts[number] : starts[number + 1]].decode()

    def method_points(self, row):
        """All points of a method: IL offset, document, line, column."""
        block, bit = divmod(row, 64)
        if 16 * block >= len(self.blocks):
            return []
        present, position, document = struct.unpack_from("<QII", self.blocks, 16 * block)
        if not present >> bit & 1:
            return []
        count, before = present.bit_count(), (present & ((1 << bit) - 1)).bit_count()
        lengths = self.points[position : position + count]
        start = position + count + sum(lengths[:before])
        method = self.points[start : start + lengths[before]]
        if not method[0] & LARGE:
            return list(run(method, document))
        at = Cursor(method, 3).number()
        (runs,) = struct.unpack_from("<I", self.large, at)
        ends = [struct.unpack_from("<II", self.large, at + 4 + 8 * i)[1] for i in range(runs)]
        first = at + 4 + 8 * runs
        parts = [self.large[first + a : first + b] for a, b in zip([0] + ends, ends)]
        return [point for part in parts for point in run(part, document)]

    def name(self, row):
        entry = self.names[row * self.name_width : (row + 1) * self.name_width]
        if row >= (len(self.names) - 8) // max(1, self.name_width) or not any(entry):
            return ""
        changes, first = struct.unpack_from("<QI", self.name_blocks, 12 * (row // 64))
        scope = first + (changes & ((2 << row % 64) - 1)).bit_count()
        return self.text_at(struct.unpack_from("<I", self.scopes, 4 * (scope - 1))[0]) + self.text_at(
            int.from_bytes(entry, "little")
        )

    def text_at(self, position):
        cursor = Cursor(self.text, position)
        length = cursor.number()
        return self.text[cursor.at : cursor.at + length].decode()

    def lookup(self, row, il_offset):
        """Document, line, column and name; None if there is no point at or before the offset."""
        points = [p for p in self.method_points(row) if p[0] <= il_offset]
        if not points:
            return None
        _, document, line, column = points[-1]
        return self.document(document), line, column, self.name(self.kickoffs.get(row, 0)) or self.name(row)


def run(data, document):
    head = int.from_bytes(data[:3], "little")
    cursor = Cursor(data, 3)
    offset = cursor.number() if head & IL_OFFSET else 0
    document += cursor.signed() if head & DOCUMENT else 0
    line, column = (cursor.number(), cursor.number()) if head & WIDE else (head >> 11, head >> 4 & 127)
    yield offset, document, line, column
    while cursor.at < len(data):
        bits = int.from_bytes(data[cursor.at : cursor.at + 3], "little")
        if not bits & 1:
            cursor.at += 2
            offset, line, column = offset + (bits >> 1 & 31) + 1, line + (bits >> 6 & 7) - 3, bits >> 9 & 127
        elif bits >> 1 & 255:
            cursor.at += 3
            offset, line, column = offset + (bits >> 1 & 255), line + (bits >> 9 & 63) - 32, bits >> 15
        else:
            cursor.at += 2
            offset, line, column = offset + cursor.number(), line + cursor.signed(), cursor.number()
            document += cursor.signed() if bits >> 9 & 1 else 0
        yield offset, document, line % 2**32, column


def pairs(section, count):
    groups = (count + 15) // 16
    found, steps = {}, Cursor(section, 12 * groups)
    for i in range(count):
        if i % 16 == 0:
            key, value, _ = struct.unpack_from("<III", section, i // 16 * 12)
        else:
            key, value = key + steps.number(), value + steps.signed()
        found[key] = value
    return found
