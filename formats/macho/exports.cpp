#include "formats/macho/exports.hpp"

#include <algorithm>
#include <string_view>

#include "base/uleb_cursor.hpp"

namespace symcached::macho {
namespace {

constexpr std::uint64_t kKindMask = 3, kRegular = 0;
constexpr std::uint64_t kReexport = 8;
constexpr std::size_t kLongestExport = 1u << 16;
constexpr std::uint64_t kNameBytesPerTrieByte = 64;

struct TrieNode {
  std::uint64_t at = 0;
  std::size_t prefix = 0;  ///< bytes of the name that lead to the parent
  std::string_view edge;   ///< and those from there
};

class TrieReader {
 public:
  explicit TrieReader(Bytes trie)
      : trie_(trie), work_left_(trie.size()), name_bytes_left_(trie.size() * kNameBytesPerTrieByte) {}

  Read<std::vector<Export>> run() {
    if (!trie_.empty()) open_.push_back({});
    while (!open_.empty()) {
      const TrieNode node = open_.back();
      open_.pop_back();
      if (node.edge.size() >= work_left_) return too_large("macho.exports_trie.nodes", node.at, trie_.size(), 0);
      work_left_ -= node.edge.size() + 1;
      name_.resize(node.prefix);
      name_ += node.edge;
      if (auto ok = visit(node.at); !ok) return std::unexpected(ok.error());
    }
    return std::move(exports_);
  }

 private:
  Read<void> visit(std::uint64_t at);
  Read<void> terminal(UlebCursor in, std::uint64_t at);

  Bytes trie_;
  std::uint64_t work_left_;  ///< nodes, and bytes of their edges: each stands in the trie once
  std::uint64_t name_bytes_left_;
  std::vector<TrieNode> open_;  // the next one last
  std::string name_;
  std::vector<Export> exports_;
};

Read<void> TrieReader::visit(std::uint64_t at) {
  UlebCursor in(trie_, at);
  const std::uint64_t terminal_size = in.wide_number();
  if (in.failed() || terminal_size > trie_.size() - in.position())
    return truncated("macho.exports_trie", at, terminal_size, trie_.size());
  if (terminal_size != 0)
    if (auto ok = terminal(UlebCursor(in.bytes(terminal_size), 0), at); !ok) return ok;
  const std::size_t first = open_.size();
  for (std::uint8_t left = in.byte(); left != 0; --left) {
    const std::string_view rest = as_text(trie_.subspan(in.position()));
    const std::size_t length = rest.substr(0, kLongestExport).find('\0');
    if (length == rest.npos || name_.size() + length > kLongestExport)
      return bad_value("macho.exports_trie.edge", at, length);
    in.bytes(length + 1);
    open_.push_back({in.wide_number(), name_.size(), rest.substr(0, length)});
  }
  if (in.failed()) return truncated("macho.exports_trie", at, 1, 0);
  std::ranges::reverse(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
  return {};
}

Read<void> TrieReader::terminal(UlebCursor in, std::uint64_t at) {
  const std::uint64_t flags = in.wide_number();
  const std::uint64_t offset = in.wide_number();
  if (in.failed()) return truncated("macho.exports_trie.terminal", at, 2, 0);
  if ((flags & kKindMask) != kRegular || (flags & kReexport) != 0) return {};
  if (name_.size() > name_bytes_left_) return too_large("macho.exports_trie.names", at, name_.size(), name_bytes_left_);
  name_bytes_left_ -= name_.size();
  exports_.push_back({name_, offset});
  return {};
}

}  // namespace

Read<std::vector<Export>> read_exports(Bytes trie) { return TrieReader(trie).run(); }

}  // namespace symcached::macho
