#include "formats/macho/uuid_map.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace symcached::macho {
namespace {

constexpr std::string_view kOriginalUuid = "DBGOriginalUUID";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// The elements of a text in XML, one tag after the other. No entities: neither the key nor a UUID needs any.
class Tags {
 public:
  struct Tag {
    enum class Kind : std::uint8_t { start, end, empty } kind;
    std::string_view name;
    std::string_view text;  ///< end: what stands before it, back to the tag before
  };

  explicit Tags(std::string_view text) : all_(text) {}

  std::size_t at() const { return at_; }
  /// Nothing at the end of the text.
  Read<std::optional<Tag>> next() {
    for (;;) {
      const std::size_t open = all_.find('<', at_);
      if (open == std::string_view::npos) return std::nullopt;
      const std::string_view before = all_.substr(at_, open - at_);
      at_ = open;
      const std::string_view rest = all_.substr(open);
      if (const std::string_view end = end_of_aside(rest); !end.empty()) {
        SC_TRY([[maybe_unused]] const auto skipped, up_to(end));
        continue;
      }
      if (rest.starts_with("<!")) return bad_value("plist.markup", open, 0);  // CDATA, for one
      SC_TRY(std::string_view inside, up_to(">"));
      inside.remove_prefix(1);
      Tag tag{Tag::Kind::start, {}, {}};
      if (inside.starts_with('/')) {
        tag = {Tag::Kind::end, {}, before};
        inside.remove_prefix(1);
      } else if (inside.ends_with('/')) {
        tag.kind = Tag::Kind::empty;
        inside.remove_suffix(1);
      }
      tag.name = inside.substr(0, inside.find_first_of(kBlanks));
      return tag;
    }
  }

 private:
  /// What ends something that is no element, if that stands there: a declaration, a comment, the document's type.
  static std::string_view end_of_aside(std::string_view text) {
    if (text.starts_with("<?")) return "?>";
    if (text.starts_with("<!--")) return "-->";
    return text.starts_with("<!DOCTYPE") ? ">" : "";
  }

  /// The text up to `end`, behind which it goes on.
  Read<std::string_view> up_to(std::string_view end) {
    const std::size_t found = all_.find(end, at_);
    if (found == std::string_view::npos) return truncated("plist.tag", at_, all_.size() - at_ + 1, all_.size() - at_);
    const std::string_view text = all_.substr(at_, found - at_);
    at_ = found + end.size();
    return text;
  }

  std::string_view all_;
  std::size_t at_ = 0;
};

}  // namespace

Read<Guid> read_original_uuid(Bytes property_list) {
  constexpr std::string_view kParents[] = {"plist", "dict"};  // of keys and their values
  constexpr std::size_t kDepth = std::size(kParents);
  using Kind = Tags::Tag::Kind;
  Tags tags(as_text(property_list));
  std::size_t depth = 0;  // elements that are open
  bool is_next = false;   // the key was the one wanted
  for (;;) {
    const std::size_t at = tags.at();
    SC_TRY(const auto tag, tags.next());
    if (!tag) return bad_value("plist.DBGOriginalUUID", property_list.size(), 0);
    if (tag->kind == Kind::start) {
      if (depth < kDepth && tag->name != kParents[depth]) return bad_value("plist.element", at, 0);
      ++depth;
      continue;
    }
    if (tag->kind == Kind::end && depth-- == 0) return bad_value("plist.element", at, 0);
    if (depth != kDepth) continue;
    if (is_next) {
      const auto uuid = tag->name == "string" ? Guid::parse(trimmed(tag->text)) : std::nullopt;
      if (!uuid) return bad_value("plist.DBGOriginalUUID", at, 0);
      return *uuid;
    }
    is_next = tag->name == "key" && trimmed(tag->text) == kOriginalUuid;
  }
}

}  // namespace symcached::macho
