#include "profiling/unwinding/frame_entries.hpp"

#include "base/uleb_cursor.hpp"
#include "profiling/unwinding/elf_notes.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint8_t kFormat = 0x0F, kBase = 0x70;
constexpr std::uint8_t kWord = 0x00, kU16 = 0x02, kU32 = 0x03, kU64 = 0x04, kS16 = 0x0A, kS32 = 0x0B, kS64 = 0x0C;
constexpr std::uint8_t kAbsolute = 0x00, kFromHere = 0x10;

template <class T>
std::optional<std::uint64_t> number(Bytes data, std::uint64_t at) {
  const auto value = elf_record<T>(data, at);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(*value));
}

/// The letters of an augmentation, and the data that they stand for.
void read_augmentation(std::string_view letters, Bytes data, CommonEntry& out) {
  UlebCursor in(data, 0);
  std::uint8_t pointers = kWord;
  out.is_complete = true;
  for (const char letter : letters) {
    if (letter == 'R') {
      pointers = in.byte();
    } else if (letter == 'L') {
      in.byte();
    } else if (letter == 'P') {
      const std::size_t size = pointer_size(in.byte());
      if (size == 0) return;
      in.bytes(size);
    } else if (letter == 'S') {
      out.is_signal = true;
    } else {
      out.is_complete = false;
      if (letter != 'B') break;
    }
  }
  if (!in.failed()) out.pointers = pointers;
}

}  // namespace

std::size_t pointer_size(std::uint8_t encoding) {
  switch (encoding & kFormat) {
    case kWord: return sizeof(void*);
    case kU16:
    case kS16: return 2;
    case kU32:
    case kS32: return 4;
    case kU64:
    case kS64: return 8;
    default: return 0;
  }
}

std::optional<std::uint64_t> pointer_number(Bytes data, std::uint64_t at, std::uint8_t encoding) {
  switch (encoding & kFormat) {
    case kWord: return number<std::uintptr_t>(data, at);
    case kU16: return number<std::uint16_t>(data, at);
    case kU32: return number<std::uint32_t>(data, at);
    case kU64:
    case kS64: return number<std::int64_t>(data, at);
    case kS16: return number<std::int16_t>(data, at);
    case kS32: return number<std::int32_t>(data, at);
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> pointer_at(Bytes data, std::uint64_t at, std::uint8_t encoding, std::uint64_t address) {
  const std::uint8_t base = encoding & kBase;
  if (encoding == kOmittedPointer || (base != kAbsolute && base != kFromHere)) return std::nullopt;
  auto value = pointer_number(data, at, encoding);
  if (value && base == kFromHere) *value += address + at;
  return value;
}

Bytes FrameEntry::body(Bytes frames) const {
  return frames.subspan(static_cast<std::size_t>(start + 4), static_cast<std::size_t>(end - start - 4));
}

std::optional<FrameEntry> frame_entry_at(Bytes frames, std::uint64_t at) {
  const auto short_size = elf_record<std::uint32_t>(frames, at);
  if (!short_size || *short_size == 0) return std::nullopt;
  std::uint64_t size = *short_size, start = at + 4;
  if (size == 0xFFFFFFFF) {
    const auto long_size = elf_record<std::uint64_t>(frames, start);
    if (!long_size) return std::nullopt;
    size = *long_size;
    start += 8;
  }
  const auto id = elf_record<std::uint32_t>(frames, start);
  if (!id || size < 4 || size > frames.size() - start) return std::nullopt;
  return FrameEntry{start, start + size, *id};
}

CommonEntry read_common_entry(Bytes body) {
  CommonEntry out;
  UlebCursor in(body, 0);
  const std::uint8_t version = in.byte();
  const std::size_t text = in.position();
  while (!in.failed() && in.byte() != 0) {
  }
  if (in.failed() || (version != 1 && version != 3)) return out;
  const std::string_view augmentation = as_text(body.subspan(text, in.position() - text - 1));
  out.has_data = augmentation.starts_with('z');
  if (!out.has_data && !augmentation.empty()) return out;
  out.code_step = in.wide_number();
  out.data_step = in.sleb();
  out.return_register = version == 1 ? in.byte() : in.wide_number();
  const Bytes data = out.has_data ? in.bytes(in.number()) : Bytes();
  if (in.failed()) return out;
  out.instructions = body.subspan(in.position());
  read_augmentation(augmentation.substr(out.has_data ? 1 : 0), data, out);
  return out;
}

}  // namespace symcached::pprof
