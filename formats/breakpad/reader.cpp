#include "formats/breakpad/reader.hpp"

#include <cstring>

#include "formats/breakpad/fields.hpp"

namespace symcached::breakpad {
namespace {

std::unexpected<ReadError> wrong(std::string_view field, std::uint64_t line) { return bad_value(field, line, 0); }

/// The size of the parameters and the name. Files from before that size have the name at its place: a lone word that
/// does not start with a digit.
void read_tail(Fields& fields, std::uint64_t& parameter_size, std::string_view& name) {
  Fields with_size = fields;
  const std::string_view all = fields.rest();
  const auto size = with_size.hex();
  const bool is_size = size && (!with_size.at_end() || (all[0] >= '0' && all[0] <= '9'));
  parameter_size = is_size ? *size : 0;
  name = is_size ? with_size.rest() : all;
}

bool skip_multiple(Fields& fields) {
  Fields after = fields;
  if (after.word() != "m") return false;
  fields = after;
  return true;
}

Read<NameRecord> read_name(Fields fields, std::string_view number_field, std::uint64_t at) {
  const auto number = fields.decimal();
  if (!number) return wrong(number_field, at);
  return NameRecord{*number, fields.rest()};
}

Read<FuncRecord> read_func(Fields fields, std::uint64_t at) {
  FuncRecord record;
  record.multiple = skip_multiple(fields);
  const auto address = fields.hex();
  if (!address) return wrong("breakpad.func.address", at);
  const auto size = fields.hex();
  if (!size) return wrong("breakpad.func.size", at);
  record.address = *address;
  record.size = *size;
  read_tail(fields, record.parameter_size, record.name);
  return record;
}

Read<PublicRecord> read_public(Fields fields, std::uint64_t at) {
  PublicRecord record;
  record.multiple = skip_multiple(fields);
  const auto address = fields.hex();
  if (!address) return wrong("breakpad.public.address", at);
  record.address = *address;
  read_tail(fields, record.parameter_size, record.name);
  return record;
}

/// Address, size, line, and the file that some old files leave out.
Read<LineRecord> read_line(Fields fields, std::uint64_t at) {
  const auto address = fields.hex();
  if (!address) return wrong("breakpad.line.address", at);
  const auto size = fields.hex();
  if (!size) return wrong("breakpad.line.size", at);
  const auto line = fields.decimal();
  if (!line) return wrong("breakpad.line.line", at);
  LineRecord record{*address, *size, *line, kNoFile};
  if (fields.at_end()) return record;
  const auto file = fields.decimal();
  if (!file || !fields.at_end()) return wrong("breakpad.line.file", at);
  record.file = *file;
  return record;
}

Read<InlineRecord> read_inline(Fields fields, std::uint64_t at) {
  const auto depth = fields.decimal();
  if (!depth) return wrong("breakpad.inline.depth", at);
  const auto call_line = fields.decimal();
  if (!call_line) return wrong("breakpad.inline.call_line", at);
  const auto call_file = fields.decimal();
  if (!call_file) return wrong("breakpad.inline.call_file", at);
  const auto origin = fields.decimal();
  if (!origin) return wrong("breakpad.inline.origin", at);
  if (fields.at_end()) return wrong("breakpad.inline.ranges", at);
  return InlineRecord{*depth, *call_line, *call_file, *origin, fields.rest()};
}

/// STACK CFI INIT address size …; STACK CFI address …; STACK WIN type address size …
Read<StackRecord> read_stack(Fields fields, std::uint64_t at) {
  const std::string_view kind = fields.word();
  bool has_size = kind == "WIN";
  if (kind == "CFI") {
    Fields after = fields;
    has_size = after.word() == "INIT";
    if (has_size) fields = after;
  } else if (kind == "WIN") {
    fields.word();
  } else {
    return StackRecord{};
  }
  const auto address = fields.hex();
  if (!address) return wrong("breakpad.stack.address", at);
  if (!has_size) return StackRecord{*address, 0};
  const auto size = fields.hex();
  if (!size) return wrong("breakpad.stack.size", at);
  return StackRecord{*address, *size};
}

Read<ModuleRecord> read_module_line(Fields fields, std::uint64_t at) {
  ModuleRecord record;
  record.os = fields.word();
  record.arch = fields.word();
  record.id = fields.word();
  if (record.id.empty()) return wrong("breakpad.module.id", at);
  record.name = fields.rest();
  return record;
}

/// Keywords are in capitals, numbers in lower case as a rule; a word that begins with A to F may be either.
bool starts_with_number(std::string_view line) {
  if (kHexValues[static_cast<std::uint8_t>(line[0])] == kNoDigit) return false;
  return line[0] < 'A' || line[0] > 'F' || Fields(line).hex().has_value();
}

/// Keeps a record in the reader and tells its kind.
template <class Record>
Read<RecordKind> keep(Read<Record> read, Record& place, RecordKind kind) {
  if (!read) return std::unexpected(read.error());
  place = *read;
  return kind;
}

}  // namespace

Read<RecordKind> Reader::next() {
  while (at_ < text_.size()) {
    offset_ = at_;
    const char* first = text_.data() + at_;
    const void* feed = std::memchr(first, '\n', text_.size() - at_);
    const std::size_t size =
        feed == nullptr ? text_.size() - at_ : static_cast<std::size_t>(static_cast<const char*>(feed) - first);
    at_ += size + (feed == nullptr ? 0 : 1);
    const std::string_view line = without_blanks_behind({first, size});
    if (line.empty()) continue;
    if (starts_with_number(line)) return keep(read_line(Fields(line), offset_), line_, RecordKind::line);
    return keyword(line);
  }
  return RecordKind::end;
}

Read<RecordKind> Reader::keyword(std::string_view line) {
  Fields fields(line);
  const std::string_view word = fields.word();
  if (word == "STACK") return keep(read_stack(fields, offset_), stack_, RecordKind::stack);
  if (word == "FUNC") return keep(read_func(fields, offset_), func_, RecordKind::func);
  if (word == "INLINE") return keep(read_inline(fields, offset_), inline_, RecordKind::inline_call);
  if (word == "PUBLIC") return keep(read_public(fields, offset_), public_, RecordKind::public_symbol);
  if (word == "FILE") return keep(read_name(fields, "breakpad.file.number", offset_), name_, RecordKind::file);
  if (word == "INLINE_ORIGIN")
    return keep(read_name(fields, "breakpad.inline_origin.number", offset_), name_, RecordKind::inline_origin);
  if (word == "MODULE") return keep(read_module_line(fields, offset_), module_, RecordKind::module);
  if (word != "INFO") return RecordKind::other;
  info_.key = fields.word();
  info_.value = fields.rest();
  return RecordKind::info;
}

Read<std::optional<Range>> RangeReader::next() {
  Fields fields(text_);
  if (fields.at_end()) return std::nullopt;
  const auto address = fields.hex();
  if (!address) return wrong("breakpad.inline.address", offset_);
  const auto size = fields.hex();
  if (!size) return wrong("breakpad.inline.size", offset_);
  text_ = fields.rest();
  return Range{*address, *size};
}

Read<ModuleRecord> read_module(Bytes text) {
  Reader reader(text);
  SC_TRY(const RecordKind kind, reader.next());
  if (kind != RecordKind::module) return bad_value("breakpad.module", 0, 0);
  return reader.module();
}

}  // namespace symcached::breakpad
