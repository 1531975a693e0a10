#include "sources/module_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>

#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "base/path_text.hpp"
#include "sources/file_name.hpp"

namespace symcached::sources {
namespace {

constexpr std::size_t kUuidDigits = 32, kStampDigits = 8, kMinBuildId = 2;

std::string_view plain_name(std::string_view recorded) {
  const std::string_view name = last_path_part(recorded);
  return check_file_name(name) ? name : std::string_view();
}

std::optional<std::uint32_t> parse_number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

/// What a file of a type is named by.
enum class NamedBy : std::uint8_t {
  pdb,    ///< debug_file and debug_id
  image,  ///< code_file and the code_id of a PE image
  code,   ///< code_id, or else debug_id; code_file helps
  debug,  ///< debug_id, or else code_id; debug_file helps
};

NamedBy named_by(FileType type) {
  switch (type) {
    case FileType::pdb:
    case FileType::portable_pdb: return NamedBy::pdb;
    case FileType::pe: return NamedBy::image;
    case FileType::breakpad:
    case FileType::source_bundle: return NamedBy::debug;
    default: return NamedBy::code;
  }
}

std::expected<void, std::string> check_name(std::string_view recorded) {
  if (recorded.size() > kMaxRecorded)
    return std::unexpected(fmt::format("file name longer than {} bytes", kMaxRecorded));
  return check_file_name(last_path_part(recorded));
}

/// In one spelling; empty if it is none.
std::expected<std::string, std::string> tidy_code_id(std::string_view text) {
  std::string id = lower_ascii(text);
  std::erase(id, '-');
  if (!is_hex(id)) return std::unexpected("code id is not hexadecimal");
  if (id.size() > kMaxCodeId) return std::unexpected(fmt::format("code id longer than {} digits", kMaxCodeId));
  return id;
}

/// The id of a key: digits, or with dashes where only the debug id is known.
std::string key_id(const FileRequest& request) {
  const ModuleIds& m = request.module;
  const std::string debug_id = m.debug_id ? m.debug_id->dashed() : "";
  const bool code_first = named_by(request.type) == NamedBy::code;
  return code_first ? (m.code_id.empty() ? debug_id : m.code_id) : (debug_id.empty() ? m.code_id : debug_id);
}

std::string_view key_name(const FileRequest& request) {
  const std::string_view code = request.module.code_name(), debug = request.module.debug_name();
  const bool code_first = named_by(request.type) == NamedBy::code;
  return code_first ? (code.empty() ? debug : code) : (debug.empty() ? code : debug);
}

}  // namespace

std::string ImageId::code_id() const { return lower_ascii(pe_code_id(timestamp, size)); }

std::string_view ModuleIds::code_name() const { return plain_name(code_file); }
std::string_view ModuleIds::debug_name() const { return plain_name(debug_file); }

std::optional<ImageId> ModuleIds::image() const {
  if (code_id.size() <= kStampDigits || code_id.size() > 2 * kStampDigits) return std::nullopt;
  const auto timestamp = parse_number(std::string_view(code_id).substr(0, kStampDigits));
  const auto size = parse_number(std::string_view(code_id).substr(kStampDigits));
  return timestamp && size ? std::optional(ImageId{*timestamp, *size}) : std::nullopt;
}

std::optional<Guid> ModuleIds::uuid() const {
  if (code_id.size() == kUuidDigits && is_hex(code_id)) return Guid::parse(code_id);
  return code_id.empty() && debug_id && debug_id->age == 0 ? std::optional(debug_id->guid) : std::nullopt;
}

std::optional<DebugId> FileRequest::debug_id() const {
  if (module.debug_id) return module.debug_id;
  switch (type) {
    case FileType::elf_code:
    case FileType::elf_debug:
    case FileType::wasm_code:
    case FileType::wasm_debug: return debug_id_of_build_id(module.code_id);
    case FileType::mach_code:
    case FileType::mach_debug:
    case FileType::uuid_map:
    case FileType::bcsymbol_map:
      if (const auto uuid = module.uuid()) return DebugId{*uuid, 0};
      return std::nullopt;
    default:  // A code id of 16 bytes may be a UUID or a build id, and they lead to different debug ids.
      return module.code_id.size() > kUuidDigits ? debug_id_of_build_id(module.code_id) : std::nullopt;
  }
}

std::expected<FileRequest, std::string> make_request(FileType type, ModuleIds module) {
  const auto lacks = [&](std::string_view what) {
    return std::unexpected(
        fmt::format("a file of type {} is asked for by its {}, which is missing", name_of(type), what));
  };
  auto code_id = tidy_code_id(module.code_id);
  if (!code_id) return std::unexpected(std::move(code_id.error()));
  module.code_id = std::move(*code_id);
  switch (named_by(type)) {
    case NamedBy::pdb:
      if (auto named = check_name(module.debug_file); !named) return std::unexpected(std::move(named.error()));
      if (!module.debug_id) return lacks("debug id");
      break;
    case NamedBy::image:
      if (auto named = check_name(module.code_file); !named) return std::unexpected(std::move(named.error()));
      if (!module.image()) return lacks("time stamp and size");
      break;
    case NamedBy::code:
    case NamedBy::debug:
      if (module.code_id.size() < kMinBuildId && !module.debug_id) return lacks("code id or debug id");
      break;
  }
  for (std::string* recorded : {&module.code_file, &module.debug_file})
    if (recorded->size() > kMaxRecorded) recorded->clear();
  return FileRequest{type, std::move(module)};
}

std::string key_text(const FileRequest& request) {
  const ModuleIds& m = request.module;
  const std::string prefix = fmt::format("{}:", name_of(request.type));
  switch (request.type) {
    case FileType::pdb:
      return fmt::format("{}/{}", lower_ascii(m.debug_name()), m.debug_id.value_or(DebugId{}).breakpad());
    case FileType::portable_pdb:
      return fmt::format("{}{}/{}", prefix, lower_ascii(m.debug_name()),
                         m.debug_id.value_or(DebugId{}).guid.hex_upper());
    case FileType::pe: {
      const ImageId image = m.image().value_or(ImageId{});
      return fmt::format("{}{}/{}", prefix, lower_ascii(m.code_name()), pe_code_id(image.timestamp, image.size));
    }
    default: return fmt::format("{}{}/{}", prefix, lower_ascii(key_name(request)), key_id(request));
  }
}

std::optional<DebugId> debug_id_of_build_id(std::string_view build_id) {
  const auto id = build_id.size() < kMinBuildId ? std::nullopt : parse_hex(build_id);
  if (!id) return std::nullopt;
  std::array<std::uint8_t, 16> bytes{};
  const auto to_integer = [](std::byte b) { return std::to_integer<std::uint8_t>(b); };
  std::ranges::transform(*id | std::views::take(bytes.size()), bytes.begin(), to_integer);
  return DebugId{Guid::from_windows(bytes), 0};
}

}  // namespace symcached::sources
