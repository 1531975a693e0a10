#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/json.hpp"
#include "sources/module_collector.hpp"
#include "sources/module_line.hpp"

namespace symcached::sources {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth =
    64;  ///< of arrays and objects, one in the other; an event's stack traces need a dozen
constexpr std::size_t kMaxChecksums = 8;

/// The first of these members that is a text, and not empty.
std::string_view text_of(const json::object& from, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::string_view text = json_text(from, name); !text.empty()) return text;
  return {};
}

std::string recorded(std::string_view path) { return path.size() <= kMaxRecorded ? std::string(path) : std::string(); }

/// Names of members: Symbolicator's first, then those of older events.
bool collect_module(const json::value& value, ModuleCollector& out) {
  const json::object* from = value.if_object();
  if (from == nullptr) return false;
  ModuleIds module;
  module.code_file = recorded(text_of(*from, {"code_file", "name"}));
  module.debug_file = recorded(text_of(*from, {"debug_file"}));
  module.code_id = parse_code_id(text_of(*from, {"code_id"})).value_or("");
  if (const auto stated = parse_stated_id(text_of(*from, {"debug_id", "id", "uuid"}))) module.debug_id = stated->id;
  if (const auto checksum = parse_checksum(text_of(*from, {"debug_checksum"}))) module.checksums.push_back(*checksum);
  if (const json::value* many = from->if_contains("checksums"); many != nullptr && many->is_array())
    for (const json::value& one : many->get_array())
      if (const json::string* text = one.if_string(); text != nullptr && module.checksums.size() < kMaxChecksums)
        if (auto checksum = parse_checksum({text->data(), text->size()}))
          module.checksums.push_back(std::move(*checksum));
  if (!module.debug_id && module.code_id.empty()) return false;
  out.module(std::move(module));
  return true;
}

/// Where the modules are; null: nowhere.
const json::array* modules_in(const json::value& value) {
  if (const json::array* all = value.if_array()) return all;
  const json::object* object = value.if_object();
  const json::value* modules = object == nullptr ? nullptr : object->if_contains("modules");
  if (modules != nullptr) return modules->if_array();
  const json::value* meta = object == nullptr ? nullptr : object->if_contains("debug_meta");
  const json::object* images = meta == nullptr ? nullptr : meta->if_object();
  const json::value* all = images == nullptr ? nullptr : images->if_contains("images");
  return all == nullptr ? nullptr : all->if_array();
}

}  // namespace

std::expected<void, std::string> collect_json(std::string_view text, ModuleCollector& out) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::stream_parser parser({}, options);
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (error) return std::unexpected(fmt::format("JSON, but {} at byte {}", error.message(), read));
  const json::value value = parser.release();
  const json::array* modules = modules_in(value);
  if (modules == nullptr)
    return std::unexpected("JSON without modules: expected an array, \"modules\" or \"debug_meta\"");
  for (const json::value& one : *modules) {
    if (out.is_full()) break;
    if (!collect_module(one, out)) out.unknown(one.is_object() ? "a module without an id" : json::serialize(one));
  }
  return {};
}

}  // namespace symcached::sources
