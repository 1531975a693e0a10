#include "symcache/token_table.hpp"

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

}  // namespace

std::size_t token_length(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_word(text[n])) ++n;
  const std::size_t limit = std::min(text.size(), n + (n == 0 ? kMarksAlone : kMarksAfterWord));
  while (n < limit && !is_word(text[n])) ++n;
  return n;
}

void TokenTable::add(std::uint32_t text_id, std::string_view text) {
  if (text_id >= texts_.size()) texts_.resize(text_id + 1u);
  Extent& extent = texts_[text_id];
  if (extent.count != 0 || text.empty()) return;
  extent.first = static_cast<std::uint32_t>(uses_.size());
  while (!text.empty()) {
    const std::size_t length = token_length(text);
    const std::uint32_t token = tokens_.intern(text.substr(0, length));
    if (token >= counts_.size()) counts_.resize(token + 1u);
    ++counts_[token];
    uses_.push_back(token);
    text.remove_prefix(length);
  }
  extent.count = static_cast<std::uint32_t>(uses_.size()) - extent.first;
}

void TokenTable::number_tokens() {
  counts_.resize(tokens_.size());
  order_.resize(tokens_.size() - 1);
  std::iota(order_.begin(), order_.end(), 1u);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : tokens_.text(a) < tokens_.text(b);
  });
  numbers_.resize(tokens_.size());
  for (std::uint32_t number = 0; number < order_.size(); ++number) numbers_[order_[number]] = number;
}

void TokenTable::put(std::uint32_t text_id, ByteWriter& out) const {
  const Extent extent = text_id < texts_.size() ? texts_[text_id] : Extent{};
  out.put_uleb(extent.count);
  for (std::uint32_t i = 0; i < extent.count; ++i) out.put_uleb(numbers_[uses_[extent.first + i]]);
}

void TokenTable::put_tables(ByteWriter& offsets, ByteWriter& text) const {
  for (const std::uint32_t token : order_) {
    offsets.put(u32le(static_cast<std::uint32_t>(text.size())));
    text.put_text(tokens_.text(token));
  }
  offsets.put(u32le(static_cast<std::uint32_t>(text.size())));
  for (std::size_t i = 0; i < kTextPadding; ++i) text.put_u8(0);
}

}  // namespace symcached::symcache
