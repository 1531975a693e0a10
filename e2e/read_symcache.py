"""A reader of symcaches made from docs/formats/symcache.md alone: the proof that the page is right. Slow and small."""
import bisect
import struct

SECTIONS = "samples starts records functions subprograms names files shared module".split()
COLUMNS, WIDE, WIDE_RUNS, PARAMETERS = 1, 2, 4, 8
LANGUAGE, LINKAGE_NAME, ALIASES, PARENT, ENCLOSED, RESTARTS = 0x80, 0x04, 0x08, 0x10, 0x20, 0x40


class Cursor:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        return signed(self.number())

    def c_string(self):
        start, self.at = self.at, self.data.index(b"\0", self.at) + 1
        return self.data[start:self.at - 1].decode()


def signed(z):
    return -(z >> 1) - 1 if z & 1 else z >> 1


class Symcache:
    def __init__(self, data):
        magic, version, self.flags, _, self.unit = struct.unpack_from("<8sIBBB", data)
        assert (magic, version) == (b"symcache", 3)
        self.count, self.base = struct.unpack_from("<IQ", data, 52)
        for i, name in enumerate(SECTIONS):
            offset, size = struct.unpack_from("<QQ", data, 64 + 16 * i)
            setattr(self, name, data[offset:offset + size])
        code = "<%dQ" if self.flags & WIDE else "<%dI"
        self.start = [self.base + start for start in struct.unpack(code % self.count, self.starts)]
        self.record_at = [*struct.unpack(f"<{self.count}I", self.records), len(self.functions)]

    def sections(self):
        """(name, address, size) of the sections with code of a relocatable file"""
        cursor, found = Cursor(self.module), []
        cursor.c_string(), cursor.c_string()  # kind and name of the original
        if cursor.at < len(self.module):
            for _ in range(cursor.number()):
                address, size = cursor.number(), cursor.number()
                found.append((cursor.c_string(), address, size))
        return found

    def text(self, cursor):
        parts = []
        for _ in range(cursor.number()):
            if self.flags & WIDE_RUNS:
                length, at = struct.unpack_from("<BI", cursor.data, cursor.at)
                cursor.at += 5
            else:
                run = struct.unpack_from("<I", cursor.data, cursor.at)[0]
                length, at = run & 255, run >> 8
                cursor.at += 4
            parts.append(self.shared[at:at + length])
        return b"".join(parts).decode()

    def subprogram(self, position):
        """file operand, base line, name"""
        cursor = Cursor(self.subprograms, position)
        file, line = cursor.number(), cursor.number()
        if self.flags & PARAMETERS:
            cursor.number()
        return file, line, self.text(cursor)

    def parameters(self, position):
        cursor = Cursor(self.subprograms, position)
        _, _, position = cursor.number(), cursor.number(), cursor.number() if self.flags & PARAMETERS else 0
        return self.text(Cursor(self.names, position))

    def file(self, operand, own):
        operand = operand or own
        if operand == 1:
            return ""
        return self.text(Cursor(self.names, struct.unpack_from("<I", self.files, 4 * (operand - 2))[0]))

    def function(self, index):
        """size, subprogram, enclosing, restarts, program"""
        cursor = Cursor(self.functions[self.record_at[index]:self.record_at[index + 1]])
        flags, size, subprogram = cursor.byte(), cursor.number(), cursor.number()
        if flags & LANGUAGE:
            cursor.byte()
        if flags & LINKAGE_NAME:
            cursor.number()
        if flags & ALIASES:
            length = cursor.number()
            cursor.at += length
        if flags & PARENT:
            cursor.signed()
        enclosing = cursor.number() if flags & ENCLOSED else 0
        count = cursor.number() if flags & RESTARTS else 0
        restarts = list(struct.iter_unpack("<II", cursor.data[cursor.at:cursor.at + 8 * count]))
        return size, subprogram, enclosing, restarts, cursor.data[cursor.at + 8 * count:]

    def function_names(self, index):
        """All names of the function, its own first."""
        cursor = Cursor(self.functions[self.record_at[index]:self.record_at[index + 1]])
        flags, _, subprogram = cursor.byte(), cursor.number(), cursor.number()
        found = [self.subprogram(subprogram)[2]]
        if flags & LANGUAGE:
            cursor.byte()
        if flags & LINKAGE_NAME:
            cursor.number()
        size = cursor.number() if flags & ALIASES else 0
        end = cursor.at + size
        while cursor.at < end:
            name, _ = cursor.number(), cursor.number()
            found.append(self.text(Cursor(self.names, name)))
        return found

    def definition(self, cursor):
        """subprogram, caller, call's file, line, column"""
        here = cursor.at
        subprogram, distance, call = cursor.number(), cursor.number(), cursor.number()
        file = cursor.number() if call & 1 else 0
        column = cursor.number() if self.flags & COLUMNS else 0
        return subprogram, here - distance if distance else 0, file, signed(call >> 1), column

    def rows(self, program, position=0, first_offset=None):
        cursor = Cursor(program, position)
        offset = frame = file = line = column = 0
        new_file = None
        while cursor.at < len(program):
            b = cursor.byte()
            if b == 225:
                self.definition(cursor)
                continue
            if b == 226:
                new_file = cursor.number()
                continue
            if b < 128:
                offset, line = offset + b % 8 + 1, line + b // 8 - 4
            elif b == 224:
                offset, line = offset + cursor.number(), line + cursor.signed()
            else:
                offset += (b >> 1 & 15) or cursor.number()
                here, operation = cursor.at, b >> 5 & 3
                if operation == 0:
                    self.definition(cursor)
                    frame, file, line, column = here, 0, 0, 0
                elif operation == 1:
                    _, frame, file, line, column = self.definition(Cursor(program, frame))
                else:
                    distance = cursor.number()
                    frame, file, line, column = here - distance if distance else 0, 0, 0, 0
                line += 0 if b & 1 else cursor.signed()
            file, new_file = file if new_file is None else new_file, None
            column += cursor.signed() if self.flags & COLUMNS else 0
            offset, first_offset = offset if first_offset is None else first_offset, None
            yield offset, frame, file, line, column

    def lookup(self, address):
        """(name, file, line, column) of each frame, innermost first; empty: a miss"""
        index = bisect.bisect_right(self.start, address) - 1
        if index < 0:
            return []
        while True:
            size, own, enclosing, restarts, program = self.function(index)
            if address < self.start[index] + size:
                break
            if not enclosing:
                return []
            index -= enclosing
        target, row, begin = (address - self.start[index]) // self.unit, None, (None, 0)
        begin = max((r for r in restarts if r[0] <= target), default=begin)
        for row_here in self.rows(program, begin[1], begin[0]):
            if row_here[0] > target:
                break
            row = row_here
        if row is None:
            return [(self.subprogram(own)[2], "", 0, 0)]
        frames, (_, frame, file, line, column) = [], row
        while True:
            definition = self.definition(Cursor(program, frame)) if frame else (own, None, 0, 0, 0)
            own_file, base_line, name = self.subprogram(definition[0])
            frames.append((name, self.file(file, own_file), (base_line + line) % 2**32, column))
            if not frame:
                return frames
            _, frame, file, line, column = definition
