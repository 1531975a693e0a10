#include <algorithm>
#include <limits>

#include "formats/dwarf/constants.hpp"
#include "formats/dwarf/cursor.hpp"
#include "formats/dwarf/line.hpp"
#include "formats/dwarf/line_constants.hpp"

namespace symcached::dwarf {
namespace {

/// How much text a header may refer to, for each byte of its own.
constexpr std::size_t kNameBytesPerByte = 256;

std::uint32_t saturated(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

template <bool Big>
class HeaderReader {
 public:
  HeaderReader(const Sections& sections, std::uint64_t offset, std::uint64_t str_offsets_base, LineHeader& out)
      : sections_(sections), str_offsets_base_(str_offsets_base), offset_(offset), out_(out) {}

  Read<void> read() {
    Cursor<Big> in(sections_.line, offset_);
    const InitialLength unit = in.initial_length();
    const std::size_t unit_at = in.position();
    if (in.failed()) return truncated("dwarf.line.unit_length", offset_, 4, sections_.line.size() - unit_at);
    if (unit.length > in.left()) return truncated("dwarf.line.unit_length", offset_, unit.length, in.left());
    out_.offset_size = unit.offset_size;
    out_.next = unit_at + unit.length;
    in = Cursor<Big>(sections_.line.first(static_cast<std::size_t>(out_.next)), unit_at);

    out_.version = in.u16();
    if (in.failed() || out_.version < 2 || out_.version > 5)
      return bad_value("dwarf.line.version", unit_at, out_.version, 5);
    if (out_.version >= 5) {
      out_.address_size = in.u8();
      in.skip(1);  // the size of a segment selector, which only addresses of other tables have
    }
    const std::uint64_t header_length = in.offset(unit.offset_size);
    if (in.failed() || header_length > in.left())
      return truncated("dwarf.line.header_length", unit_at, header_length, in.left());
    out_.program_offset = in.position() + header_length;
    out_.program = in.rest().subspan(static_cast<std::size_t>(header_length));
    in_ = Cursor<Big>(sections_.line.first(static_cast<std::size_t>(out_.program_offset)), in.position());
    if (const auto read = read_parameters(); !read) return read;
    name_bytes_left_ = kMaxLineNameSize + kNameBytesPerByte * static_cast<std::size_t>(header_length);
    return out_.version >= 5 ? read_described_tables() : read_plain_tables();
  }

 private:
  Read<void> failure(std::string_view field) const { return bad_value(field, offset_, 0); }

  Read<void> read_parameters() {
    out_.minimum_instruction_length = in_.u8();
    out_.maximum_operations = out_.version >= 4 ? in_.u8() : std::uint8_t{1};
    out_.default_is_stmt = in_.u8() != 0;
    out_.line_base = static_cast<std::int8_t>(in_.u8());
    out_.line_range = in_.u8();
    out_.opcode_base = in_.u8();
    if (out_.opcode_base == 0) return failure("dwarf.line.opcode_base");
    out_.standard_opcode_lengths = in_.bytes(out_.opcode_base - 1u);
    if (in_.failed()) return failure("dwarf.line.standard_opcode_lengths");
    return {};
  }

  /// Versions 2 to 4. A table that the end of the header cuts between two entries is taken as it is.
  Read<void> read_plain_tables() {
    out_.directories.emplace_back();
    while (!in_.at_end()) {
      const std::string_view name = in_.c_string();
      if (name.empty()) break;
      out_.directories.push_back(name);
    }
    out_.files.emplace_back();
    while (!in_.at_end()) {
      LineFile file{.name = in_.c_string()};
      if (file.name.empty()) break;
      file.directory = saturated(in_.uleb());
      in_.skip_leb();  // time stamp
      in_.skip_leb();  // size
      out_.files.push_back(file);
    }
    return in_.failed() ? failure("dwarf.line.file_names") : Read<void>();
  }

  Read<void> read_described_tables() {
    read_format();
    std::uint64_t count = entry_count();
    out_.directories.reserve(static_cast<std::size_t>(count));
    for (; count != 0 && !in_.failed(); --count) out_.directories.push_back(read_entry().name);
    if (in_.failed()) return failure("dwarf.line.directories");
    read_format();
    count = entry_count();
    out_.files.reserve(static_cast<std::size_t>(count));
    for (; count != 0 && !in_.failed(); --count) out_.files.push_back(read_entry());
    return in_.failed() ? failure("dwarf.line.file_names") : Read<void>();
  }

  struct Field {
    std::uint64_t content;
    Form form;
  };
  void read_format() {
    field_count_ = in_.u8();
    for (Field& field : fields()) {
      field.content = in_.uleb();
      const std::uint64_t form = in_.uleb();
      if (form > 0xFFFF) in_.fail();
      field.form = static_cast<Form>(form);
    }
  }
  /// Each field takes at least a byte, so that the bytes left limit the count.
  std::uint64_t entry_count() {
    const std::uint64_t count = in_.uleb();
    if (count != 0 && (field_count_ == 0 || count > in_.left() / field_count_)) return in_.fail(), 0;
    return count;
  }
  LineFile read_entry() {
    LineFile entry;
    for (const Field& field : fields()) {
      if (field.content == DW_LNCT_path) entry.name = read_text(field.form);
      else if (field.content == DW_LNCT_directory_index) entry.directory = saturated(read_number(field.form));
      else skip(field.form);
    }
    return entry;
  }

  std::string_view read_text(Form form) {
    switch (form) {
      case Form::string: return in_.c_string();
      case Form::line_strp: return referred(sections_.line_str, in_.offset(out_.offset_size));
      case Form::strp: return referred(sections_.str, in_.offset(out_.offset_size));
      case Form::strx: return indexed_text(in_.uleb());
      case Form::strx1: return indexed_text(in_.u8());
      case Form::strx2: return indexed_text(in_.u16());
      case Form::strx3: return indexed_text(in_.u24());
      case Form::strx4: return indexed_text(in_.u32());
      default: return skip(form), std::string_view();  // in a supplementary file
    }
  }
  /// Entries of two bytes may all refer to long texts, which are looked through for their ends.
  std::string_view referred(Bytes section, std::uint64_t offset) {
    if (offset >= section.size()) return {};
    const Bytes rest = section.subspan(static_cast<std::size_t>(offset));
    const auto* first = reinterpret_cast<const char*>(rest.data());
    const std::size_t limit = std::min({rest.size(), kMaxLineNameSize + 1, name_bytes_left_});
    const void* nul = std::memchr(first, 0, limit);
    const std::size_t size = nul == nullptr ? limit : static_cast<std::size_t>(static_cast<const char*>(nul) - first);
    name_bytes_left_ -= size;
    return nul == nullptr ? std::string_view() : std::string_view(first, size);
  }
  std::string_view indexed_text(std::uint64_t index) {
    const std::uint64_t size = sections_.str_offsets.size();
    if (str_offsets_base_ > size || index >= (size - str_offsets_base_) / out_.offset_size) return {};
    Cursor<Big> entry(sections_.str_offsets, str_offsets_base_ + index * out_.offset_size);
    return referred(sections_.str, entry.offset(out_.offset_size));
  }
  std::uint64_t read_number(Form form) {
    switch (form) {
      case Form::udata: return in_.uleb();
      case Form::data1: return in_.u8();
      case Form::data2: return in_.u16();
      case Form::data4: return in_.u32();
      case Form::data8: return in_.u64();
      default: return skip(form), 0;
    }
  }
  /// Fails for a form that has no place here: its size is not known.
  void skip(Form form) {
    switch (form) {
      case Form::data1:
      case Form::flag:
      case Form::strx1: return in_.skip(1);
      case Form::data2:
      case Form::strx2: return in_.skip(2);
      case Form::strx3: return in_.skip(3);
      case Form::data4:
      case Form::strx4: return in_.skip(4);
      case Form::data8: return in_.skip(8);
      case Form::data16: return in_.skip(16);
      case Form::udata:
      case Form::sdata:
      case Form::strx: return in_.skip_leb();
      case Form::line_strp:
      case Form::strp:
      case Form::strp_sup:
      case Form::gnu_strp_alt:
      case Form::sec_offset: return in_.skip(out_.offset_size);
      case Form::string: in_.c_string(); return;
      case Form::block: return in_.skip(in_.uleb());
      case Form::block1: return in_.skip(in_.u8());
      case Form::block2: return in_.skip(in_.u16());
      case Form::block4: return in_.skip(in_.u32());
      default: return in_.fail();
    }
  }
  std::span<Field> fields() { return std::span(fields_).first(field_count_); }

  const Sections& sections_;
  std::uint64_t str_offsets_base_, offset_;
  LineHeader& out_;
  std::size_t name_bytes_left_ = 0;
  Cursor<Big> in_;  ///< ends where the program begins
  std::array<Field, 255> fields_;
  std::uint8_t field_count_ = 0;
};

}  // namespace

Read<void> read_line_header(const Sections& sections, std::uint64_t offset, LineHeader& out,
                            std::uint64_t str_offsets_base) {
  auto directories = std::move(out.directories);
  auto files = std::move(out.files);
  directories.clear();
  files.clear();
  out = LineHeader{.directories = std::move(directories), .files = std::move(files)};
  if (sections.big_endian) return HeaderReader<true>(sections, offset, str_offsets_base, out).read();
  return HeaderReader<false>(sections, offset, str_offsets_base, out).read();
}

}  // namespace symcached::dwarf
