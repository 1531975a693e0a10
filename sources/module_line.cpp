#include "sources/module_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "base/path_text.hpp"
#include "ids/guid.hpp"

namespace symcached::sources {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kGuidDigits = 32, kDashedGuid = 36, kSha1Digits = 40;
constexpr std::size_t kStampDigits = 8;
constexpr std::size_t kLeastCodeId = kStampDigits + 1;  ///< digits; fewer may be a word such as "feed"
constexpr std::size_t kMaxColumns = 16;
constexpr std::string_view kCodeView = "[RSDS] PdbSig: ";

constexpr std::string_view trim(std::string_view text, std::string_view what = kBlanks) {
  const std::size_t first = text.find_first_not_of(what);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(what) - first + 1);
}

std::optional<std::uint32_t> parse_number(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

// --- What a name says of the ids beside it --------------------------------------------------------------------------

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> extensions) {
  const std::string lower = lower_ascii(name);
  return std::ranges::any_of(extensions, [&](std::string_view e) { return std::string_view(lower).ends_with(e); });
}
bool is_pdb(std::string_view name) { return ends_with_any(name, {".pdb"}); }
bool is_image(std::string_view name) { return ends_with_any(name, {".dll", ".exe", ".sys", ".drv", ".ocx", ".efi"}); }
bool is_debug_file(std::string_view name) { return is_pdb(name) || ends_with_any(name, {".debug", ".dbg", ".sym"}); }

/// Puts an id into its place. Forty digits are a build id, or a GUID and eight digits of age; which, the name tells.
/// @return whether it is an id
bool put_id(ModuleIds& module, std::string_view name, std::string_view text) {
  const bool windows = is_pdb(name) || is_image(name);
  const auto stated = parse_stated_id(text);
  const bool bare = is_hex(text);
  const bool may_be_build_id = bare && (text.size() == kGuidDigits || text.size() == kSha1Digits) && !windows;
  if (stated && !may_be_build_id && !module.debug_id) {
    module.debug_id = stated->id;
    if (windows && !stated->has_age) module.debug_id->age = 1;  // as docs/protocols/symcache-http.md has it
    return true;
  }
  const bool has_prefix = text.starts_with("0x") || text.starts_with("0X");
  if (has_prefix || text.size() < kLeastCodeId || !module.code_id.empty()) return false;
  auto code_id = bare ? parse_code_id(text) : std::nullopt;
  if (code_id) module.code_id = std::move(*code_id);
  return code_id.has_value();
}

/// @return whether that makes a module: one of its ids is known, and a PDB's is its debug id
bool put_name(ModuleIds& module, std::string_view name) {
  name = trim(name, "\"");
  if (name.empty() || name.size() > kMaxRecorded) return false;
  (is_debug_file(name) ? module.debug_file : module.code_file) = name;
  return module.debug_id || (!module.code_id.empty() && !is_pdb(name));
}

// --- xperf: 0x4da89d03, 0x00bcb000, "client.dll", "[RSDS] PdbSig: {...}; Age: 753; Pdb: c:\client.pdb" ---------------

/// Columns between commas, which count for nothing within quotes.
std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= line.size() && columns.size() < kMaxColumns; ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    columns.push_back(trim(trim(line.substr(start, i - start)), "\""));
    start = i + 1;
  }
  return columns;
}

bool put_code_view(ModuleIds& module, std::string_view record) {
  constexpr std::string_view kAge = "; Age: ", kPdb = "; Pdb: ";
  const std::size_t age = record.find(kAge), pdb = record.find(kPdb);
  if (!record.starts_with(kCodeView) || age == record.npos || pdb == record.npos || pdb < age) return false;
  const auto guid = Guid::parse(trim(record.substr(kCodeView.size(), age - kCodeView.size())));
  const auto number =
      parse_number(record.substr(age + kAge.size(), pdb - age - kAge.size()), 10);  // decimal, alone here
  const std::string_view path = record.substr(pdb + kPdb.size());
  if (!guid || !number || path.empty() || path.size() > kMaxRecorded) return false;
  module.debug_id = DebugId{*guid, *number};
  module.debug_file = path;
  return true;
}

bool put_image(ModuleIds& module, std::span<const std::string_view> columns) {
  if (columns.size() < 3 || !columns[0].starts_with("0x") || !columns[1].starts_with("0x")) return false;
  const auto timestamp = parse_number(columns[0].substr(2), 16), size = parse_number(columns[1].substr(2), 16);
  if (!timestamp || !size || columns[2].empty() || columns[2].size() > kMaxRecorded) return false;
  module.code_id = lower_ascii(pe_code_id(*timestamp, *size));
  module.code_file = columns[2];
  return true;
}

std::optional<ModuleIds> parse_xperf(std::string_view line) {
  if (!line.starts_with("0x") && line.find(kCodeView) == line.npos) return std::nullopt;
  const auto columns = columns_of(line);
  ModuleIds module;
  const bool image = put_image(module, columns);
  const bool code_view = put_code_view(module, columns.back());
  return image || code_view ? std::optional(std::move(module)) : std::nullopt;
}

bool is_xperf_heading(std::string_view line) {
  return line.ends_with("CodeView Record") || line.ends_with("OrigFileName");
}

// --- perf buildid-list: 40 digits and a path
// --------------------------------------------------------------------------

std::optional<ModuleIds> parse_build_id_first(std::string_view line) {
  const std::size_t end = line.find_first_of(kBlanks);
  const std::string_view id = line.substr(0, end);
  if (end == line.npos || !is_hex(id) || id.size() < kLeastCodeId || id.size() % 2 != 0) return std::nullopt;
  ModuleIds module{.code_id = parse_code_id(id).value_or("")};
  return put_name(module, trim(line.substr(end))) ? std::optional(std::move(module)) : std::nullopt;
}

// --- name id, name id code_id, name guid age, name/id, name/id/name
// -----------------------------------------------------

std::optional<ModuleIds> parse_key(std::string_view line) {
  const std::size_t first = line.find('/');
  if (first == line.npos || first == 0) return std::nullopt;
  const std::string_view name = line.substr(0, first), rest = line.substr(first + 1);
  const std::string_view id = rest.substr(0, rest.find('/'));
  if (id.size() < rest.size() && lower_ascii(rest.substr(id.size() + 1)) != lower_ascii(name)) return std::nullopt;
  ModuleIds module;
  return put_id(module, name, id) && put_name(module, name) ? std::optional(std::move(module)) : std::nullopt;
}

/// The last word is cut off `line`.
std::string_view take_last_word(std::string_view& line) {
  const std::size_t before = line.find_last_of(kBlanks);
  const std::string_view word = line.substr(before + 1);
  line = before == line.npos ? std::string_view() : trim(line.substr(0, before));
  return word;
}

std::optional<ModuleIds> parse_name_first(std::string_view line) {
  std::string_view name = line;
  const std::string_view last = take_last_word(name);
  std::string_view shorter = name;
  const std::string_view second = take_last_word(shorter);
  ModuleIds module;
  const auto stated = parse_stated_id(second);
  const auto age = last.size() < kLeastCodeId ? parse_number(last, 10) : std::nullopt;
  if (stated && !stated->has_age && age && !shorter.empty()) {
    module.debug_id = DebugId{stated->id.guid, *age};
    name = shorter;
  } else if (!shorter.empty() && put_id(module, shorter, second)) {
    if (!put_id(module, shorter, last)) return std::nullopt;
    name = shorter;
  } else if (!put_id(module, name, last)) {
    return std::nullopt;
  }
  return put_name(module, name) ? std::optional(std::move(module)) : std::nullopt;
}

}  // namespace

std::optional<StatedId> parse_stated_id(std::string_view text) {
  if (const auto guid = Guid::parse(text)) return StatedId{{*guid, 0}, false};
  if (text.size() <= kDashedGuid || text[8] != '-') {
    const auto id = DebugId::parse(text);
    return id ? std::optional(StatedId{*id, true}) : std::nullopt;
  }
  const auto guid = Guid::parse(text.substr(0, kDashedGuid));
  const std::string_view rest = text.substr(kDashedGuid);
  const auto age = parse_number(rest.substr(rest.front() == '-' ? 1 : 0), 16);
  return guid && age ? std::optional(StatedId{{*guid, *age}, true}) : std::nullopt;
}

std::optional<std::string> parse_code_id(std::string_view text) {
  std::string id = lower_ascii(text);
  std::erase(id, '-');
  return !id.empty() && is_hex(id) && id.size() <= kMaxCodeId ? std::optional(std::move(id)) : std::nullopt;
}

std::optional<Checksum> parse_checksum(std::string_view text) {
  constexpr std::size_t kMaxAlgorithm = 16, kMaxDigits = 128;
  const std::size_t colon = text.find(':');
  const std::string_view digits = colon == text.npos ? "" : text.substr(colon + 1);
  if (colon == 0 || colon > kMaxAlgorithm || digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  auto digest = parse_hex(digits);
  return digest ? std::optional(Checksum{std::string(text.substr(0, colon)), std::move(*digest)}) : std::nullopt;
}

ModuleLine parse_module_line(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.front() == '#' || is_xperf_heading(line)) return {LineKind::nothing};
  for (const auto parse : {parse_xperf, parse_build_id_first, parse_key, parse_name_first})
    if (auto module = parse(line)) return {LineKind::module, std::move(*module)};
  return {LineKind::unknown};
}

}  // namespace symcached::sources
