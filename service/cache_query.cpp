#include "service/cache_query.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/hex.hpp"
#include "base/json.hpp"

namespace symcached::service {
namespace {

namespace json = boost::json;
using sources::FileType;
using symbolize::Contents;

struct CandidateRow {
  ModuleType module;
  FileType file;
  Contents best;
  CacheUse use = CacheUse::lookups;
  bool at_hand = false;  ///< nobody is asked for it: most such files have nothing of that use
};

/// The best first: what a debug file says, what the program itself may say, what others made of them.
constexpr auto kRows = std::to_array<CandidateRow>({
    {ModuleType::pe, FileType::pdb, Contents::lines},
    {ModuleType::pe, FileType::pe, Contents::lines},  // DWARF, as MinGW has it
    {ModuleType::pe, FileType::breakpad, Contents::breakpad},
    {ModuleType::pe_dotnet, FileType::portable_pdb, Contents::lines},
    {ModuleType::pe_dotnet, FileType::pe, Contents::lines},  // with the PDB embedded
    {ModuleType::elf, FileType::elf_debug, Contents::lines},
    {ModuleType::elf, FileType::elf_code, Contents::lines},
    {ModuleType::elf, FileType::breakpad, Contents::breakpad},
    {ModuleType::macho, FileType::mach_debug, Contents::lines},
    {ModuleType::macho, FileType::mach_code, Contents::lines},
    {ModuleType::macho, FileType::breakpad, Contents::breakpad},
    {ModuleType::wasm, FileType::wasm_debug, Contents::lines},
    {ModuleType::wasm, FileType::wasm_code, Contents::lines},

    {ModuleType::pe, FileType::pdb, Contents::lines, CacheUse::own_sources, true},
    {ModuleType::pe_dotnet, FileType::portable_pdb, Contents::lines, CacheUse::own_sources},
    {ModuleType::pe_dotnet, FileType::pe, Contents::lines, CacheUse::own_sources},

    {ModuleType::pe, FileType::source_bundle, Contents::lines, CacheUse::bundled_sources},
    {ModuleType::pe_dotnet, FileType::source_bundle, Contents::lines, CacheUse::bundled_sources},
    {ModuleType::elf, FileType::source_bundle, Contents::lines, CacheUse::bundled_sources},
    {ModuleType::macho, FileType::source_bundle, Contents::lines, CacheUse::bundled_sources},
    {ModuleType::wasm, FileType::source_bundle, Contents::lines, CacheUse::bundled_sources},
});

constexpr std::array<std::string_view, 3> kUses{"lookups", "own_sources", "bundled_sources"};  // by CacheUse

std::string_view name_of(CacheUse use) { return kUses.at(static_cast<std::size_t>(use)); }

std::optional<CacheUse> parse_use(std::string_view name) {
  const auto found = std::ranges::find(kUses, name);
  return found == kUses.end() ? std::nullopt : std::optional(static_cast<CacheUse>(found - kUses.begin()));
}

json::array to_json(const std::vector<sources::Checksum>& checksums) {
  json::array all;
  for (const sources::Checksum& checksum : checksums)
    all.push_back(json::array{checksum.algorithm, to_hex(checksum.digest)});
  return all;
}

std::vector<sources::Checksum> checksums_of(const json::object& object) {
  std::vector<sources::Checksum> all;
  const json::value* value = object.if_contains("checksums");
  if (value == nullptr || !value->is_array()) return all;
  for (const json::value& row : value->get_array()) {
    if (!row.is_array() || row.get_array().size() != 2) continue;
    const json::string *algorithm = row.get_array()[0].if_string(), *digest = row.get_array()[1].if_string();
    const auto bytes = digest == nullptr ? std::nullopt : parse_hex(*digest);
    if (algorithm != nullptr && bytes) all.push_back({std::string(*algorithm), *bytes});
  }
  return all;
}

}  // namespace

std::expected<CacheRequest, std::string> CacheRequest::of(CacheQuery query) {
  std::string why;
  for (const CandidateRow& row : kRows) {
    if (row.module != query.type || row.use != query.use) continue;
    const auto file = sources::make_request(row.file, query.module);
    if (file) return CacheRequest{std::move(query), sources::key_text(*file)};
    if (why.empty()) why = file.error();
  }
  if (why.empty()) why = "such a module's files have no sources";
  return std::unexpected(std::move(why));
}

std::vector<Candidate> CacheRequest::candidates() const {
  std::vector<Candidate> all;
  for (const CandidateRow& row : kRows) {
    if (row.module != query.type || row.use != query.use) continue;
    auto file = sources::make_request(row.file, query.module);
    if (!file) continue;
    all.push_back({fetch::wanted_of(std::move(*file), query.scope), row.best});
    all.back().wanted.at_hand = row.at_hand;
    all.back().wanted.or_native = row.file == FileType::portable_pdb && row.use == CacheUse::lookups;
  }
  return all;
}

std::vector<fetch::Wanted> CacheRequest::files() const {
  std::vector<fetch::Wanted> all;
  for (Candidate& candidate : candidates()) all.push_back(std::move(candidate.wanted));
  return all;
}

std::string to_line(const CacheQuery& query) {
  json::object object{{"type", name_of(query.type)}, {"scope", query.scope}};
  const auto add = [&](std::string_view name, std::string text) {
    if (!text.empty()) object.emplace(name, std::move(text));
  };
  add("code_file", query.module.code_file);
  add("debug_file", query.module.debug_file);
  add("code_id", query.module.code_id);
  if (query.module.debug_id) add("debug_id", query.module.debug_id->breakpad());
  if (query.use != CacheUse::lookups) object.emplace("use", name_of(query.use));
  if (!query.module.checksums.empty()) object.emplace("checksums", to_json(query.module.checksums));
  return json::serialize(object);
}

std::optional<CacheQuery> query_of_line(std::string_view line) {
  json::error_code error;
  const json::value value = json::parse({line.data(), line.size()}, error);
  if (error || !value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  const auto text_in = [&](std::string_view key) { return std::string(json_text(object, key)); };
  const auto type = sources::parse_module_type(text_in("type"));
  if (!type) return std::nullopt;
  CacheQuery query{.type = *type, .scope = text_in("scope")};
  if (const std::string use = text_in("use"); !use.empty()) {
    const auto parsed = parse_use(use);
    if (!parsed) return std::nullopt;
    query.use = *parsed;
  }
  query.module = {.code_file = text_in("code_file"),
                  .debug_file = text_in("debug_file"),
                  .code_id = text_in("code_id"),
                  .checksums = checksums_of(object)};
  if (const std::string id = text_in("debug_id"); !id.empty()) {
    query.module.debug_id = DebugId::parse(id);
    if (!query.module.debug_id) return std::nullopt;
  }
  return query;
}

}  // namespace symcached::service
