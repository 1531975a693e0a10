#include "fetch/stated_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "fetch/sniff.hpp"
#include "formats/breakpad/reader.hpp"
#include "formats/elf/reader.hpp"
#include "formats/macho/fat.hpp"
#include "formats/macho/reader.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pe/reader.hpp"
#include "formats/ppdb/reader.hpp"
#include "formats/wasm/reader.hpp"
#include "ids/guid.hpp"

namespace symcached::fetch {
namespace {

using sources::FileRequest;
using sources::FileType;
using sources::ModuleIds;
using Stated = std::vector<FileRequest>;

constexpr std::string_view kNothing = "-";

bool has_section(const elf::File& file, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    const elf::Section* found = file.section(name);
    return found != nullptr && found->type != elf::SectionType::nobits;
  });
}

/// A stripped program has code, a debug file has symbols, and both may be one file. Of a file without code, those that
/// a program needs to run count, too.
Read<Stated> of_elf(Bytes bytes) {
  SC_TRY(const elf::File file, elf::File::open(bytes));
  const ModuleIds ids{.code_id = file.code_id(), .debug_id = file.debug_id()};
  Stated stated;
  const auto has_code = [](const elf::Section& s) { return s.is_code() && s.type != elf::SectionType::nobits; };
  const bool is_program = std::ranges::any_of(file.sections(), has_code) || file.sections().empty();
  if (is_program) stated.push_back({FileType::elf_code, ids});
  const bool has_dynamic = !is_program && has_section(file, {".dynsym"});
  if (has_dynamic ||
      has_section(file, {".debug_info", ".zdebug_info", ".symtab", ".debug_line", ".zdebug_line", ".gnu_debugdata"}))
    stated.push_back({FileType::elf_debug, ids});
  return stated;
}

Read<void> add_mach(Bytes bytes, Stated& stated) {
  SC_TRY(const macho::File file, macho::File::open(bytes));
  if (!file.uuid()) return {};
  const bool is_debug = file.header().type == macho::FileType::dsym;
  stated.push_back({is_debug ? FileType::mach_debug : FileType::mach_code,
                    {.code_id = file.uuid()->hex_lower(), .debug_id = DebugId{*file.uuid(), 0}}});
  return {};
}

/// Parts that are no Mach-O files, libraries for one, say nothing.
Read<Stated> of_mach(Bytes bytes) {
  Stated stated;
  if (!macho::is_fat(bytes)) {
    if (const auto added = add_mach(bytes, stated); !added) return std::unexpected(added.error());
    return stated;
  }
  SC_TRY(const auto slices, macho::read_fat(bytes));
  for (const macho::Slice& slice : slices) static_cast<void>(add_mach(slice.file, stated));
  return stated;
}

Read<Stated> of_wasm(Bytes bytes) {
  SC_TRY(const wasm::Module module, wasm::Module::open(bytes));
  const ModuleIds ids{.code_id = to_hex(module.build_id())};
  Stated stated;
  if (module.code_offset() != 0) stated.push_back({FileType::wasm_code, ids});
  if (module.find_custom(".debug_info") != nullptr || module.find_custom("name") != nullptr)
    stated.push_back({FileType::wasm_debug, ids});
  return stated;
}

Read<Stated> of_breakpad(Bytes bytes) {
  SC_TRY(const breakpad::ModuleRecord record, breakpad::read_module(bytes));
  const auto id = DebugId::parse(record.id);
  return id ? Stated{{FileType::breakpad, {.debug_id = id}}} : Stated();
}

Read<Stated> of_image(Bytes bytes) {
  SC_TRY(const pe::Image image, pe::Image::open(bytes));
  const sources::ImageId id{image.coff().timestamp, image.header().image_size};
  return Stated{{FileType::pe, {.code_id = id.code_id()}}};
}

Read<Stated> of_pdb(Bytes bytes) {
  SC_TRY(const pdb::File file, pdb::File::open(bytes));
  return Stated{{FileType::pdb, {.debug_id = file.debug_id()}}};
}

Read<Stated> of_portable_pdb(Bytes bytes) {
  SC_TRY(const ppdb::Pdb file, ppdb::Pdb::open(bytes));
  return Stated{{FileType::portable_pdb, {.debug_id = file.debug_id()}}};
}

struct ReaderRow {
  Content content;
  Read<Stated> (*read)(Bytes file);
};
constexpr auto kReaders = std::to_array<ReaderRow>({
    {Content::elf, of_elf},
    {Content::mach, of_mach},
    {Content::wasm, of_wasm},
    {Content::breakpad, of_breakpad},
    {Content::image, of_image},
    {Content::pdb, of_pdb},
    {Content::portable_pdb, of_portable_pdb},
});

bool same_guid(const std::optional<DebugId>& stated, const std::optional<DebugId>& wanted) {
  return stated && wanted && stated->guid == wanted->guid;
}

/// Keys of SSQP fill short build ids with zeros.
bool same_build_id(std::string_view stated, std::string_view wanted) {
  const auto is_zero = [](char c) { return c == '0'; };
  return !stated.empty() && wanted.starts_with(stated) && std::ranges::all_of(wanted.substr(stated.size()), is_zero);
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::optional<FileRequest> parse_line(std::string_view line) {
  const auto type = sources::parse_file_type(next_word(line));
  const std::string_view code_id = next_word(line), debug_id = next_word(line);
  if (!type || !line.empty() || code_id.empty() || debug_id.empty()) return std::nullopt;
  ModuleIds ids;
  if (code_id != kNothing) ids.code_id = code_id;
  if (debug_id != kNothing && !(ids.debug_id = DebugId::parse(debug_id))) return std::nullopt;
  if (!is_lower_hex(ids.code_id) || ids.code_id.size() > sources::kMaxCodeId) return std::nullopt;
  return FileRequest{*type, std::move(ids)};
}

}  // namespace

std::expected<Stated, std::string> stated_ids(Bytes file) {
  const Content content = sniff(file.first(std::min(file.size(), kSniffSize)));
  const auto row = std::ranges::find(kReaders, content, &ReaderRow::content);
  if (row == kReaders.end()) return Stated();
  auto stated = row->read(file);
  if (!stated) return std::unexpected("cannot be read: " + to_string(stated.error()));
  std::erase_if(*stated, [](const FileRequest& s) {
    return (s.module.code_id.empty() && !s.module.debug_id) || s.module.code_id.size() > sources::kMaxCodeId;
  });
  if (stated->size() > kMaxStated) stated->resize(kMaxStated);
  return std::move(*stated);
}

bool answers(const FileRequest& stated, const FileRequest& wanted) {
  switch (wanted.type) {
    case FileType::pdb: return stated.type == wanted.type && stated.module.debug_id == wanted.module.debug_id;
    case FileType::portable_pdb: {
      const bool any_stamp = wanted.module.debug_id && wanted.module.debug_id->age == sources::kNoStamp;
      return stated.type == wanted.type && same_guid(stated.module.debug_id, wanted.module.debug_id) &&
             (any_stamp || stated.module.debug_id->age == wanted.module.debug_id->age);
    }
    case FileType::pe: return stated.type == wanted.type && stated.module.image() == wanted.module.image();
    case FileType::breakpad: return stated.type == wanted.type && stated.module.debug_id == wanted.debug_id();
    default:
      if (wanted.module.code_id.empty()) return same_guid(stated.debug_id(), wanted.module.debug_id);
      return same_build_id(stated.module.code_id, wanted.module.code_id);
  }
}

std::string to_text(const Stated& stated) {
  std::string text;
  for (const FileRequest& one : stated)
    text += fmt::format("{} {} {}\n", sources::name_of(one.type),
                        one.module.code_id.empty() ? kNothing : one.module.code_id,
                        one.module.debug_id ? one.module.debug_id->breakpad() : std::string(kNothing));
  return text;
}

std::optional<Stated> parse_stated(std::string_view text) {
  Stated stated;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || stated.size() == kMaxStated) return std::nullopt;
    auto one = parse_line(text.substr(0, end));
    if (!one) return std::nullopt;
    stated.push_back(std::move(*one));
    text.remove_prefix(end + 1);
  }
  return stated;
}

}  // namespace symcached::fetch
