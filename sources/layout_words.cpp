#include "sources/layout_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"
#include "ids/guid.hpp"

namespace symcached::sources {
namespace {

constexpr std::size_t kGuidDigits = 32, kNumberDigits = 8, kPaddedDigits = 40;
constexpr std::size_t kSplitAt[] = {4, 8, 12, 16, 20};  ///< a '/' goes before these digits

constexpr auto kWords = std::to_array<WordRow>({
    {Word::debug_file, "debug_file", Shape::name},
    {Word::debug_file_lower, "debug_file:lower", Shape::name},
    {Word::code_file, "code_file", Shape::name},
    {Word::code_file_lower, "code_file:lower", Shape::name},
    {Word::sym_file, "sym_file", Shape::name},
    {Word::bundle_file, "bundle_file", Shape::name},
    {Word::guid_upper, "guid:upper", Shape::guid},
    {Word::guid_lower, "guid:lower", Shape::guid},
    {Word::age_upper, "age:upper", Shape::number},
    {Word::age_lower, "age:lower", Shape::number},
    {Word::timestamp_upper, "timestamp:upper", Shape::stamp},
    {Word::timestamp_lower, "timestamp:lower", Shape::stamp},
    {Word::size_upper, "size:upper", Shape::number},
    {Word::size_lower, "size:lower", Shape::number},
    {Word::build_id, "build_id", Shape::hex},
    {Word::build_id_20, "build_id:20", Shape::hex},
    {Word::build_id_start, "build_id:2", Shape::two_digits},
    {Word::build_id_rest, "build_id:rest", Shape::hex},
    {Word::uuid, "uuid", Shape::guid},
    {Word::uuid_start, "uuid:2", Shape::two_digits},
    {Word::uuid_rest, "uuid:rest", Shape::hex},
    {Word::uuid_split, "uuid:split", Shape::split},
    {Word::id_start, "id:2", Shape::two_digits},
    {Word::id_rest, "id:rest", Shape::hex},
    {Word::code_id, "code_id", Shape::hex},
    {Word::code_id_upper, "code_id:upper", Shape::hex},
});

std::string upper_hex(std::string_view digits) {
  std::string upper(digits);
  for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

bool is_pdb(FileType type) { return type == FileType::pdb || type == FileType::portable_pdb; }

/// Without the extension given, in any case; without any if none is given.
std::string_view without_extension(std::string_view name, std::string_view extension) {
  if (!extension.empty())
    return lower_ascii(name).ends_with(extension) ? name.substr(0, name.size() - extension.size()) : name;
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

/// The code id as a build id: of Breakpad files and source bundles it may also be that of a PE image.
std::string_view build_id_of(const FileRequest& request) {
  const std::string_view id = request.module.code_id;
  switch (request.type) {
    case FileType::elf_code:
    case FileType::elf_debug:
    case FileType::wasm_code:
    case FileType::wasm_debug: return id;
    case FileType::breakpad:
    case FileType::source_bundle: return id.size() >= kGuidDigits ? id : std::string_view();
    default: return {};
  }
}

std::optional<std::uint32_t> parse_number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

const WordRow* find_word(std::string_view text) {
  const auto row = std::ranges::find(kWords, text, &WordRow::text);
  return row == kWords.end() ? nullptr : &*row;
}

Words::Words(const FileRequest& request) {
  add_names(request);
  if (const auto id = request.debug_id()) add_debug_id(*id, request.type == FileType::portable_pdb);
  add_code_id(request);
}

std::optional<std::string_view> Words::find(Word word) const {
  const auto found = std::ranges::find(known_, word, &std::pair<Word, std::string>::first);
  return found == known_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

void Words::add(Word word, std::string text) {
  if (!text.empty()) known_.emplace_back(word, std::move(text));
}

void Words::add_names(const FileRequest& request) {
  const std::string code(request.module.code_name());
  std::string debug(request.module.debug_name());
  if (debug.empty() && !is_pdb(request.type)) debug = code;
  add(Word::code_file, code);
  add(Word::code_file_lower, lower_ascii(code));
  if (debug.empty()) return;
  add(Word::debug_file, debug);
  add(Word::debug_file_lower, lower_ascii(debug));
  add(Word::sym_file, fmt::format("{}.sym", without_extension(debug, ".pdb")));
  add(Word::bundle_file, fmt::format("{}.src.zip", without_extension(debug, "")));
}

void Words::add_debug_id(const DebugId& id, bool is_portable) {
  add(Word::guid_upper, id.guid.hex_upper());
  add(Word::guid_lower, id.guid.hex_lower());
  if (is_portable && id.age == kNoStamp) return;
  add(Word::age_upper, fmt::format("{:X}", id.age));
  add(Word::age_lower, fmt::format("{:x}", id.age));
  const std::string whole = fmt::format("{}{:x}", id.guid.hex_lower(), id.age);
  add(Word::id_start, whole.substr(0, 2));
  add(Word::id_rest, whole.substr(2));
}

void Words::add_code_id(const FileRequest& request) {
  const ModuleIds& module = request.module;
  add(Word::code_id, module.code_id);
  add(Word::code_id_upper, upper_hex(module.code_id));
  if (const auto image = module.image()) {
    add(Word::timestamp_upper, fmt::format("{:08X}", image->timestamp));
    add(Word::timestamp_lower, fmt::format("{:08x}", image->timestamp));
    add(Word::size_upper, fmt::format("{:X}", image->size));
    add(Word::size_lower, fmt::format("{:x}", image->size));
  }
  if (const std::string id(build_id_of(request)); id.size() > 2) {
    add(Word::build_id, id);
    add(Word::build_id_20, id + std::string(id.size() < kPaddedDigits ? kPaddedDigits - id.size() : 0, '0'));
    add(Word::build_id_start, id.substr(0, 2));
    add(Word::build_id_rest, id.substr(2));
  }
  if (const auto uuid = module.uuid()) {
    const std::string digits = uuid->hex_lower();
    add(Word::uuid, digits);
    add(Word::uuid_start, digits.substr(0, 2));
    add(Word::uuid_rest, digits.substr(2));
    std::string split = uuid->hex_upper();
    for (std::size_t i = 0; i < std::size(kSplitAt); ++i) split.insert(kSplitAt[i] + i, "/");
    add(Word::uuid_split, std::move(split));
  }
}

std::optional<std::string_view> take_word(Shape shape, std::string_view behind, std::string_view& path) {
  std::size_t least = 1, most = kMaxCodeId;
  switch (shape) {
    case Shape::name: {
      const std::string_view segment = path.substr(0, path.find('/'));
      if (segment.size() <= behind.size() || !segment.ends_with(behind)) return std::nullopt;
      const std::string_view name = segment.substr(0, segment.size() - behind.size());
      path.remove_prefix(name.size());
      return name;
    }
    case Shape::split: {
      const std::size_t size = kGuidDigits + std::size(kSplitAt);
      if (path.size() < size) return std::nullopt;
      const std::string_view text = path.substr(0, size);
      path.remove_prefix(size);
      return text;
    }
    case Shape::guid: least = most = kGuidDigits; break;
    case Shape::stamp: least = most = kNumberDigits; break;
    case Shape::two_digits: least = most = 2; break;
    case Shape::number: most = kNumberDigits; break;
    case Shape::hex: break;
  }
  std::size_t n = 0;
  while (n < path.size() && n < most && hex_digit(path[n])) ++n;
  if (n < least) return std::nullopt;
  const std::string_view digits = path.substr(0, n);
  path.remove_prefix(n);
  return digits;
}

ModuleIds module_of(const std::vector<std::pair<Word, std::string_view>>& words) {
  ModuleIds module;
  std::string id, uuid;
  std::optional<Guid> guid;
  std::optional<std::uint32_t> age;
  for (const auto& [word, text] : words) {
    switch (word) {
      case Word::debug_file:
      case Word::debug_file_lower: module.debug_file = text; break;
      case Word::code_file:
      case Word::code_file_lower: module.code_file = text; break;
      case Word::guid_upper:
      case Word::guid_lower: guid = Guid::parse(text); break;
      case Word::age_upper:
      case Word::age_lower: age = parse_number(text); break;
      case Word::id_start:
      case Word::id_rest: id += text; break;
      case Word::uuid_split:
        uuid = text;
        std::erase(uuid, '/');
        module.code_id = lower_ascii(uuid);
        break;
      case Word::sym_file:
      case Word::bundle_file: break;  // follow from debug_file
      default: module.code_id += lower_ascii(text);
    }
  }
  if (guid) module.debug_id = DebugId{*guid, age.value_or(kNoStamp)};
  if (id.size() > kGuidDigits) module.debug_id = DebugId::parse(id);
  return module;
}

}  // namespace symcached::sources
