#include "symcache/piece_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "symcache/format.hpp"

namespace symcached::symcache {
namespace {

constexpr std::size_t kMarksAfterWord = 3;
constexpr std::size_t kMarksAlone = 8;

constexpr std::array<bool, 256> kIsWord = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 256; ++c)
    table[c] =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$' || c >= 0x80;
  return table;
}();

bool is_word(char c) { return kIsWord[static_cast<unsigned char>(c)]; }

std::size_t word_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_word(text[n])) ++n;
  const std::size_t limit = std::min(text.size(), n + (n == 0 ? kMarksAlone : kMarksAfterWord));
  while (n < limit && !is_word(text[n])) ++n;
  return n;
}

/// Through the last `::` that is not inside template arguments; all of it if there is none.
std::size_t scope_length(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 2;) {
    if (name[i] == '>') ++depth;
    else if (name[i] == '<') --depth;
    else if (depth <= 0 && name[i - 1] == ':' && name[i - 2] == ':') return i;
  }
  return name.size();
}

}  // namespace

std::size_t piece_length(std::string_view text, TextRole role) {
  switch (role) {
    case TextRole::name: return scope_length(text);
    case TextRole::file: {
      const std::size_t separator = text.substr(0, text.size() - 1).find_last_of("/\\");
      return separator == std::string_view::npos ? text.size() : separator + 1;
    }
    case TextRole::linkage: break;
  }
  return word_length(text);
}

void PieceTable::add(std::uint32_t text_id, std::string_view text, TextRole role) {
  if (text_id >= texts_.size()) texts_.resize(text_id + 1u);
  Extent& extent = texts_[text_id];
  if (extent.count != 0 || text.empty()) return;
  extent.first = static_cast<std::uint32_t>(uses_.size());
  while (!text.empty()) {
    const bool whole = role != TextRole::linkage && uses_.size() != extent.first;  // names and files have two pieces
    const std::size_t length = whole ? text.size() : piece_length(text, role);
    const std::uint32_t piece = pieces_.intern(text.substr(0, length));
    if (piece >= counts_.size()) counts_.resize(piece + 1u);
    ++counts_[piece];
    uses_.push_back(piece);
    text.remove_prefix(length);
  }
  extent.count = static_cast<std::uint32_t>(uses_.size()) - extent.first;
}

void PieceTable::number_pieces() {
  counts_.resize(pieces_.size());
  order_.resize(pieces_.size() - 1);
  std::iota(order_.begin(), order_.end(), 1u);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : pieces_.text(a) < pieces_.text(b);
  });
  numbers_.resize(pieces_.size());
  for (std::uint32_t number = 0; number < order_.size(); ++number) numbers_[order_[number]] = number;
}

void PieceTable::put(std::uint32_t text_id, ByteWriter& out) const {
  const Extent extent = text_id < texts_.size() ? texts_[text_id] : Extent{};
  out.put_uleb(extent.count);
  for (std::uint32_t i = 0; i < extent.count; ++i) out.put_uleb(numbers_[uses_[extent.first + i]]);
}

void PieceTable::put_tables(ByteWriter& offsets, ByteWriter& text) const {
  for (const std::uint32_t piece : order_) {
    offsets.put(u32le(static_cast<std::uint32_t>(text.size())));
    text.put_text(pieces_.text(piece));
  }
  offsets.put(u32le(static_cast<std::uint32_t>(text.size())));
  for (std::size_t i = 0; i < kTextPadding; ++i) text.put_u8(0);
}

}  // namespace symcached::symcache
