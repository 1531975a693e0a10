#include "formats/wasm/reader.hpp"

#include <algorithm>

#include "formats/wasm/cursor.hpp"

namespace symcached::wasm {
namespace {

constexpr std::uint8_t kKindFunction = 0;
constexpr std::uint8_t kNamesOfModule = 0;
constexpr std::uint8_t kNamesOfFunctions = 1;
constexpr std::size_t kUuidSize = 16;

Cursor cursor_of(const Section& section) { return Cursor(section.data, section.offset); }

/// Bit 0: a maximum follows; bit 2: the numbers have 64 bits. Both are read alike.
Read<void> skip_limits(Cursor& in) {
  SC_TRY(const auto flags, in.byte("wasm.limits.flags"));
  SC_TRY(const auto minimum, in.wide_number("wasm.limits.minimum"));
  (void)minimum;
  if ((flags & 1) != 0) {
    SC_TRY(const auto maximum, in.wide_number("wasm.limits.maximum"));
    (void)maximum;
  }
  if ((flags & 8) != 0) {
    SC_TRY(const auto page, in.number("wasm.limits.page_size"));
    (void)page;
  }
  return {};
}

/// A value's type: one byte, or two bytes of which the second is an index of a type.
Read<void> skip_type(Cursor& in) {
  SC_TRY(const auto type, in.byte("wasm.type"));
  if (type != 0x63 && type != 0x64) return {};  // (ref null ht), (ref ht)
  SC_TRY(const auto heap_type, in.wide_number("wasm.heap_type"));
  (void)heap_type;
  return {};
}

/// What an import describes, behind its kind.
Read<void> skip_import(Cursor& in, std::uint8_t kind, std::uint64_t at) {
  switch (kind) {
    case kKindFunction: {
      SC_TRY(const auto type, in.number("wasm.import.type"));
      (void)type;
      return {};
    }
    case 1:
      if (const auto skipped = skip_type(in); !skipped) return skipped;
      return skip_limits(in);
    case 2: return skip_limits(in);
    case 3: {
      if (const auto skipped = skip_type(in); !skipped) return skipped;
      SC_TRY(const auto is_mutable, in.byte("wasm.import.mutable"));
      (void)is_mutable;
      return {};
    }
    case 4: {
      SC_TRY(const auto attribute, in.byte("wasm.import.attribute"));
      SC_TRY(const auto type, in.number("wasm.import.type"));
      (void)attribute, (void)type;
      return {};
    }
    default: return bad_value("wasm.import.kind", at, kind);
  }
}

/// The part of the name section with this id; empty if there is none.
Read<Cursor> names(const Module& module, std::uint8_t wanted) {
  const Section* const section = module.find_custom("name");
  if (section == nullptr) return Cursor({}, 0);
  Cursor in = cursor_of(*section);
  while (!in.at_end()) {
    SC_TRY(const auto id, in.byte("wasm.names.id"));
    SC_TRY(const auto size, in.number("wasm.names.size"));
    const std::uint64_t offset = in.offset();
    SC_TRY(const auto data, in.take(size, "wasm.names.size"));
    if (id == wanted) return Cursor(data, offset);
  }
  return Cursor({}, 0);
}

}  // namespace

Read<Module> Module::open(Bytes file) {
  if (!as_text(file).starts_with(kMagic)) return bad_value("wasm.magic", 0, 0);
  SC_TRY(const auto version, read_at<u32le>(file, 4, "wasm.version"));
  if (version != kVersion) return bad_value("wasm.version", 4, version, kVersion);
  Module module;
  Cursor in(file.subspan(8), 8);
  while (!in.at_end()) {
    if (module.sections_.size() == kMaxSections)
      return too_large("wasm.sections", in.offset(), kMaxSections + 1, kMaxSections);
    SC_TRY(const auto id, in.byte("wasm.section.id"));
    SC_TRY(const auto size, in.number("wasm.section.size"));
    Section section{.id = static_cast<SectionId>(id), .name = {}, .offset = in.offset(), .data = {}};
    SC_TRY(section.data, in.take(size, "wasm.section.size"));
    if (section.id == SectionId::custom) {
      Cursor custom = cursor_of(section);
      SC_TRY(section.name, custom.text("wasm.section.name"));
      section.offset = custom.offset();
      section.data = custom.rest();
    }
    module.sections_.push_back(section);
  }
  return module;
}

const Section* Module::find(SectionId id) const {
  const auto found = std::ranges::find(sections_, id, &Section::id);
  return found == sections_.end() ? nullptr : &*found;
}

const Section* Module::find_custom(std::string_view name) const {
  const auto found = std::ranges::find_if(
      sections_, [&](const Section& section) { return section.id == SectionId::custom && section.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

std::uint64_t Module::code_offset() const {
  const Section* const code = find(SectionId::code);
  return code == nullptr ? 0 : code->offset;
}

Read<std::uint32_t> Module::imported_function_count() const {
  const Section* const section = find(SectionId::import);
  if (section == nullptr) return 0;
  Cursor in = cursor_of(*section);
  SC_TRY(const auto count, in.number("wasm.imports.count"));
  std::uint32_t functions = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    SC_TRY(const auto from, in.text("wasm.import.module"));
    SC_TRY(const auto name, in.text("wasm.import.name"));
    (void)from, (void)name;
    const std::uint64_t at = in.offset();
    SC_TRY(const auto kind, in.byte("wasm.import.kind"));
    if (const auto skipped = skip_import(in, kind, at); !skipped) return std::unexpected(skipped.error());
    functions += kind == kKindFunction;
  }
  return functions;
}

Read<std::vector<Function>> Module::functions() const {
  std::vector<Function> functions;
  const Section* const section = find(SectionId::code);
  if (section == nullptr) return functions;
  Cursor in = cursor_of(*section);
  SC_TRY(const auto count, in.number("wasm.code.count"));
  for (std::uint32_t i = 0; i < count; ++i) {
    SC_TRY(const auto size, in.number("wasm.code.size"));
    functions.push_back({in.offset(), size});
    SC_TRY(const auto body, in.take(size, "wasm.code.body"));
    (void)body;
  }
  return functions;
}

Read<std::vector<FunctionName>> Module::function_names() const {
  std::vector<FunctionName> all;
  SC_TRY(Cursor in, names(*this, kNamesOfFunctions));
  if (in.at_end()) return all;
  SC_TRY(const auto count, in.number("wasm.names.count"));
  for (std::uint32_t i = 0; i < count; ++i) {
    SC_TRY(const auto index, in.number("wasm.names.index"));
    SC_TRY(const auto name, in.text("wasm.names.name"));
    all.push_back({index, name});
  }
  return all;
}

Read<std::vector<FunctionName>> Module::exported_functions() const {
  std::vector<FunctionName> all;
  const Section* const section = find(SectionId::exports);
  if (section == nullptr) return all;
  Cursor in = cursor_of(*section);
  SC_TRY(const auto count, in.number("wasm.exports.count"));
  for (std::uint32_t i = 0; i < count; ++i) {
    SC_TRY(const auto name, in.text("wasm.export.name"));
    SC_TRY(const auto kind, in.byte("wasm.export.kind"));
    SC_TRY(const auto index, in.number("wasm.export.index"));
    if (kind == kKindFunction) all.push_back({index, name});
  }
  return all;
}

Read<std::string_view> Module::module_name() const {
  SC_TRY(Cursor in, names(*this, kNamesOfModule));
  if (in.at_end()) return std::string_view();
  return in.text("wasm.names.module");
}

Bytes Module::build_id() const {
  const Section* const section = find_custom("build_id");
  if (section == nullptr) return {};
  Cursor in = cursor_of(*section);
  // Early tools wrote a bare UUID; a length in front of it would make 17 bytes.
  if (section->data.size() == kUuidSize) return section->data;
  const auto size = in.number("wasm.build_id.size");
  return size && *size == in.rest().size() ? in.rest() : section->data;
}

std::string_view Module::string_in(std::string_view name) const {
  const Section* const section = find_custom(name);
  if (section == nullptr) return {};
  return cursor_of(*section).text("wasm.custom.text").value_or(std::string_view());
}

bool Module::is_memory64() const {
  const Section* const section = find(SectionId::memory);
  if (section == nullptr) return false;
  Cursor in = cursor_of(*section);
  const auto count = in.number("wasm.memories.count");
  if (!count || *count == 0) return false;
  const auto flags = in.byte("wasm.limits.flags");
  return flags && (*flags & 4) != 0;
}

}  // namespace symcached::wasm
