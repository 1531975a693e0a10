#include "formats/sourcemap/reader.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "base/json.hpp"

namespace symcached::sourcemap {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMostSourceBytes = std::uint64_t{1} << 28;  ///< of all paths with their root
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;
constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<std::uint8_t>(kDigits[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

/// The numbers of one field list after the other: digits of 5 bits, least significant first, the lowest bit the sign.
class Mappings {
 public:
  explicit Mappings(std::string_view text) : text_(text) {}
  bool at_end() const { return at_ == text_.size() || text_[at_] == ';'; }
  bool at_comma() const { return !at_end() && text_[at_] == ','; }
  void skip() { ++at_; }
  std::size_t position() const { return at_; }
  /// @return false: no number stands here, or it has more than 32 bits
  bool number(std::int64_t& value) {
    std::uint64_t bits = 0;
    for (unsigned shift = 0; at_ < text_.size() && shift < 35; shift += 5) {
      const std::uint8_t digit = kValues[static_cast<std::uint8_t>(text_[at_])];
      if (digit == kNoDigit) return false;
      ++at_;
      bits |= std::uint64_t{digit & 0x1Fu} << shift;
      if ((digit & 0x20) != 0) continue;
      value = static_cast<std::int64_t>(bits >> 1);
      if ((bits & 1) != 0) value = -value;
      return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// What all fields count on from.
struct State {
  std::int64_t offset = 0, source = 0, line = 0, column = 0;
};

std::uint32_t one_based(std::int64_t value) {
  return value >= 0 && value < 0xFFFFFFFF ? static_cast<std::uint32_t>(value + 1) : 0;
}

/// 1, 4 or 5 numbers.
Read<Row> read_row(Mappings& in, State& state, std::size_t source_count) {
  const std::size_t at = in.position();
  std::array<std::int64_t, 5> fields{};
  std::size_t count = 0;
  while (!in.at_end() && !in.at_comma()) {
    if (count == fields.size() || !in.number(fields[count])) return bad_value("source_map.mappings", at, count);
    ++count;
  }
  if (count != 1 && count < 4) return bad_value("source_map.mappings", at, count, 4);
  state.offset += fields[0];
  if (state.offset < 0) return bad_value("source_map.mappings.column", at, 0);
  Row row{.offset = static_cast<std::uint64_t>(state.offset)};
  if (count == 1) return row;
  state.source += fields[1];
  state.line += fields[2];
  state.column += fields[3];
  if (state.source < 0 || static_cast<std::uint64_t>(state.source) >= source_count)
    return bad_value("source_map.mappings.source", at, static_cast<std::uint64_t>(state.source), source_count);
  row.source = static_cast<std::uint32_t>(state.source);
  row.line = one_based(state.line);
  row.column = one_based(state.column);
  return row;
}

/// Of the first line of generated code: a module is one line.
Read<void> read_rows(std::string_view text, SourceMap& map) {
  Mappings in(text);
  State state;
  while (!in.at_end()) {
    if (in.at_comma()) {
      in.skip();
      continue;
    }
    SC_TRY(const Row row, read_row(in, state, map.sources.size()));
    map.rows.push_back(row);
  }
  std::ranges::stable_sort(map.rows, {}, &Row::offset);
  return {};
}

Read<void> read_sources(const json::object& object, SourceMap& map) {
  const json::value* const listed = object.if_contains("sources");
  const json::array* const sources = listed == nullptr ? nullptr : listed->if_array();
  if (sources == nullptr) return bad_value("source_map.sources", 0, 0);
  std::string root(json_text(object, "sourceRoot"));
  if (!root.empty() && !root.ends_with('/')) root += '/';
  std::uint64_t left = kMostSourceBytes;
  for (const json::value& value : *sources) {
    const json::string* const text = value.if_string();  // null: the source has no name
    const std::string_view name = text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
    if (root.size() + name.size() > left) return too_large("source_map.sources", 0, kMostSourceBytes, kMostSourceBytes);
    left -= root.size() + name.size();
    const bool is_whole = name.empty() || name.starts_with('/') || name.contains("://");
    map.sources.push_back(is_whole ? std::string(name) : root + std::string(name));
  }
  return {};
}

}  // namespace

Read<SourceMap> read_source_map(Bytes file) {
  boost::system::error_code error;
  std::string_view text = as_text(file);
  if (text.starts_with(")]}'")) text.remove_prefix(std::min(text.find('\n'), text.size()));  // against inclusion
  const json::value value = json::parse({text.data(), text.size()}, error);
  const json::object* const object = error ? nullptr : value.if_object();
  if (object == nullptr) return bad_value("source_map.json", 0, 0);
  const json::value* const version = object->if_contains("version");
  if (version == nullptr || !version->is_number()) return bad_value("source_map.version", 0, 0, 3);
  if (!version->is_int64() || version->as_int64() != 3)
    return bad_value("source_map.version", 0, version->is_int64() ? static_cast<std::uint64_t>(version->as_int64()) : 0,
                     3);
  SourceMap map;
  if (auto ok = read_sources(*object, map); !ok) return std::unexpected(ok.error());
  if (auto ok = read_rows(json_text(*object, "mappings"), map); !ok) return std::unexpected(ok.error());
  return map;
}

}  // namespace symcached::sourcemap
