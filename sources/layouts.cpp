#include "sources/layouts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sources/layout_table.hpp"
#include "sources/layout_words.hpp"

namespace symcached::sources {
namespace {

constexpr std::size_t kMostPath = 4096;  ///< bytes that are parsed

bool is_microsofts(FileType type) {
  return type == FileType::pdb || type == FileType::portable_pdb || type == FileType::pe;
}

/// Whether stores of this layout are known to be spelled in several ways.
bool has_spellings(Layout layout) {
  return layout == Layout::symstore || layout == Layout::symstore_index2 || layout == Layout::ssqp ||
         layout == Layout::native;
}

std::string_view patterns_of(Layout layout, FileType type) {
  if (layout == Layout::symstore_index2) layout = Layout::symstore;
  const auto row =
      std::ranges::find_if(kLayoutTable, [&](const LayoutRow& r) { return r.layout == layout && r.type == type; });
  return row == kLayoutTable.end() ? std::string_view() : row->patterns;
}

void split(std::string_view patterns, std::vector<std::string_view>& out) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find('|'), patterns.size());
    if (const std::string_view one = patterns.substr(0, end); std::ranges::find(out, one) == out.end())
      out.push_back(one);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
}

/// In the order to ask. Of the same rules and type always the same list, so an index into it names a spelling.
std::vector<std::string_view> patterns_of(const LayoutRules& rules, FileType type) {
  std::vector<std::string_view> all;
  split(patterns_of(rules.layout, type), all);
  if (rules.probing == Probing::first && rules.layout == Layout::automatic)
    all.resize(std::min<std::size_t>(all.size(), 1));
  if (rules.probing == Probing::all && has_spellings(rules.layout) && is_microsofts(type))
    split(patterns_of(Layout::automatic, type), all);
  return all;
}

/// Whether places after the first are other spellings of it, which not everybody is asked for.
bool ends_with_first(const LayoutRules& rules) {
  return rules.probing == Probing::first && (rules.layout == Layout::unified || rules.layout == Layout::slashsymbols);
}

/// Literal text up to the next word, cut off the front.
std::string_view take_literal(std::string_view& pattern) {
  const std::string_view literal = pattern.substr(0, pattern.find('{'));
  pattern.remove_prefix(literal.size());
  return literal;
}

/// The word that `pattern` begins with, cut off with its braces.
const WordRow& take_word(std::string_view& pattern) {
  const std::size_t end = pattern.find('}');
  const WordRow& row = *find_word(pattern.substr(1, end - 1));
  pattern.remove_prefix(end + 1);
  return row;
}

std::optional<std::string> expand(std::string_view pattern, const Words& words) {
  std::string path;
  while (true) {
    path += take_literal(pattern);
    if (pattern.empty()) return path;
    const auto text = words.find(take_word(pattern).word);
    if (!text) return std::nullopt;
    path += *text;
  }
}

/// Stores keep PDBs and images packed under the same name, with another last letter.
bool may_be_packed(FileType type, std::string_view pattern) {
  return is_microsofts(type) && (pattern.ends_with("_file}") || pattern.ends_with("_file:lower}"));
}

/// Of Portable PDBs nobody was seen to do it by plan, so that is asked only where any spelling is.
bool is_asked_packed(const LayoutRules& rules, FileType type, std::string_view pattern) {
  return may_be_packed(type, pattern) && (type != FileType::portable_pdb || rules.layout == Layout::automatic);
}

/// The letters of the first tier: two, or one when the second is a dot.
std::string with_tier(const std::string& path) {
  const bool is_one = path.size() > 1 && (path[1] == '.' || path[1] == '/');
  return path.substr(0, is_one ? 1 : 2) + "/" + path;
}

void apply(Casing casing, std::string& path) {
  if (casing == Casing::standard) return;
  for (char& c : path) {
    if (casing == Casing::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (casing == Casing::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

using Found = std::vector<std::pair<Word, std::string_view>>;

/// The words of a path that may have been made from the pattern; expanding them again tells.
std::optional<Found> match(std::string_view pattern, std::string_view path) {
  Found found;
  while (true) {
    const std::string_view literal = take_literal(pattern);
    if (!path.starts_with(literal)) return std::nullopt;
    path.remove_prefix(literal.size());
    if (pattern.empty()) return path.empty() ? std::optional(std::move(found)) : std::nullopt;
    const WordRow& row = take_word(pattern);
    std::string_view behind = pattern.substr(0, pattern.find('{'));
    behind = behind.substr(0, behind.find('/'));
    const auto text = take_word(row.shape, behind, path);
    if (!text) return std::nullopt;
    if (std::ranges::find(found, row.word, &Found::value_type::first) == found.end())
      found.emplace_back(row.word, *text);
  }
}

/// The request of a place of this pattern, if there is one.
std::optional<StoredFile> parse(FileType type, std::string_view pattern, std::string_view path) {
  const auto found = match(pattern, path);
  if (!found) return std::nullopt;
  FileRequest request{type, module_of(*found)};
  const bool has_no_age = request.module.debug_id && request.module.debug_id->age == kNoStamp;
  if (type == FileType::pdb && has_no_age) return std::nullopt;
  auto again = expand(pattern, Words(request));
  if (!again) return std::nullopt;
  if (*again == path) return StoredFile{std::move(request), Packing::plain};
  if (!may_be_packed(type, pattern)) return std::nullopt;
  again->back() = '_';
  return *again == path ? std::optional(StoredFile{std::move(request), Packing::underscore}) : std::nullopt;
}

}  // namespace

std::vector<Place> places(const LayoutRules& rules, const FileRequest& request) {
  std::vector<Place> all;
  const Words words(request);
  std::uint16_t spelling = 0;
  for (const std::string_view pattern : patterns_of(rules, request.type)) {
    auto path = expand(pattern, words);
    for (const Packing packing : {Packing::plain, Packing::underscore}) {
      const std::uint16_t number = spelling++;
      if (!path || (packing == Packing::underscore && !is_asked_packed(rules, request.type, pattern))) continue;
      std::string spelled = *path;
      if (packing == Packing::underscore) spelled.back() = '_';
      if (rules.has_tiers()) spelled = with_tier(spelled);
      apply(rules.casing, spelled);
      if (std::ranges::find(all, spelled, &Place::path) == all.end())
        all.push_back({packing, number, std::move(spelled)});
    }
    if (!all.empty() && ends_with_first(rules)) break;
  }
  return all;
}

std::vector<StoredFile> parse_place(const LayoutRules& rules, std::string_view path) {
  std::vector<StoredFile> all;
  if (path.size() > kMostPath || rules.layout == Layout::flat || rules.layout == Layout::slashsymbols) return all;
  if (rules.has_tiers()) {
    const std::string_view below = path.substr(std::min(path.find('/') + 1, path.size()));
    if (with_tier(std::string(below)) != path) return all;
    path = below;
  }
  for (const FileTypeRow& type : kFileTypes)
    for (const std::string_view pattern : patterns_of(rules, type.type)) {
      auto stored = parse(type.type, pattern, path);
      const auto is_known = [&](const StoredFile& s) { return s.file == stored->file; };
      if (stored && std::ranges::none_of(all, is_known)) all.push_back(std::move(*stored));
    }
  return all;
}

}  // namespace symcached::sources
