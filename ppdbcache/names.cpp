#include "ppdbcache/names.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "base/buffer.hpp"
#include "base/uleb_cursor.hpp"
#include "ppdbcache/run_decoder.hpp"

namespace symcached::ppdbcache {
namespace {

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kMostProbes =
    16;  ///< a text that is not found by then is put down again: no file makes us search

}  // namespace

/// Compiler-made members ("C.<Load>d__3.MoveNext") are cut before the "<", so that they share the scope of C; others
/// behind the last dot that has something behind it ("C" + ".ctor").
MethodName cut_name(std::string_view name) {
  std::size_t cut = name.find('<');  // rarer than dots, so sooner known not to be there
  while (cut != std::string_view::npos && (cut == 0 || name[cut - 1] != '.')) cut = name.find('<', cut + 1);
  cut = cut != std::string_view::npos ? cut - 1 : name.rfind('.');
  if (cut == std::string_view::npos) return {{}, name};
  if (cut > 0 && name[cut - 1] == '.') --cut;
  return {name.substr(0, cut + 1), name.substr(cut + 1)};
}

std::uint32_t NameReader::row_limit() const {
  return s_.width == 0 ? 0 : static_cast<std::uint32_t>((s_.names.size() - kPadding) / s_.width);
}

std::uint32_t NameReader::position_of(std::uint32_t row) const {
  const std::uint32_t bits = load32(s_.names.data() + std::size_t{row} * s_.width);
  return s_.width == 4 ? bits : bits & low_bits(8 * s_.width);
}

bool NameReader::read_text(std::uint32_t position, std::string_view& out) const {
  UlebCursor in(s_.text, position);
  const std::uint32_t length = in.number();
  out = as_text(in.bytes(length));
  return !in.failed();
}

MethodName NameReader::name(std::uint32_t row) const {
  if (row >= row_limit()) return {};
  const std::uint32_t position = position_of(row);
  if (position == 0 || row / kRowsPerBlock >= s_.blocks.size()) return {};
  const NameBlock& block = s_.blocks[row / kRowsPerBlock];
  const std::uint64_t up_to_row = ~std::uint64_t{0} >> (kRowsPerBlock - 1 - row % kRowsPerBlock);
  const std::uint64_t scope =
      std::uint64_t{block.first_scope} + static_cast<unsigned>(std::popcount(block.changes & up_to_row));
  MethodName name;
  if (scope == 0 || scope > s_.scopes.size() || !read_text(s_.scopes[scope - 1], name.scope)) return {};
  return read_text(position, name.own) ? name : MethodName{};
}

Read<void> NameReader::verify() const {
  std::vector<bool> begins(s_.text.size());
  for (UlebCursor in(s_.text, 0); !in.at_end();) {
    const std::size_t here = in.position();
    begins[here] = true;
    in.bytes(in.number());
    if (in.failed()) return bad_value("ppdbcache.text", here, here);
  }
  const auto is_text = [&](std::uint32_t position) { return position < begins.size() && begins[position]; };
  for (std::size_t i = 0; i < s_.scopes.size(); ++i)
    if (!is_text(s_.scopes[i])) return bad_value("ppdbcache.scopes", i * 4, s_.scopes[i]);
  std::uint64_t scopes = 0;
  for (std::size_t i = 0; i < s_.blocks.size(); ++i) {
    if (s_.blocks[i].first_scope != scopes)
      return bad_value("ppdbcache.name_blocks", i * sizeof(NameBlock), s_.blocks[i].first_scope, scopes);
    scopes += static_cast<unsigned>(std::popcount(std::uint64_t{s_.blocks[i].changes}));
  }
  if (scopes != s_.scopes.size()) return bad_value("ppdbcache.scopes", 0, s_.scopes.size(), scopes);
  for (std::uint32_t row = 0; row < row_limit(); ++row) {
    const std::uint32_t position = position_of(row);
    if (position != 0 && (row == 0 || !is_text(position) || (name(row).empty())))
      return bad_value("ppdbcache.names", std::uint64_t{row} * s_.width, position);
  }
  return {};
}

void NameWriter::put(std::uint32_t row, std::string_view name) {
  const MethodName cut = cut_name(name.substr(0, kMaxTextSize));
  if (text_.size() == 0) text_.put_uleb(0);  // position 0: no name
  const bool same_scope = scope_ != 0 && text_at(scope_) == cut.scope;
  const std::uint32_t scope = same_scope ? scope_ : intern(cut.scope);
  while (row / kRowsPerBlock > block_) close_block();
  if (scope != scope_) {
    changes_ |= std::uint64_t{1} << row % kRowsPerBlock;
    scopes.put(u32le(scope));
    scope_ = scope;
  }
  positions_.resize(row + 1u);
  positions_[row] = intern(cut.own);
}

std::string_view NameWriter::text_at(std::uint32_t position) const {
  UlebCursor in(text_.bytes(), position);
  return as_text(in.bytes(in.number()));
}

std::uint32_t NameWriter::intern(std::string_view text) {
  if (used_ * 2 >= slots_.size()) grow();
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
  const std::size_t mask = slots_.size() - 1;
  Slot* free = nullptr;
  for (std::size_t i = 0; i < kMostProbes && free == nullptr; ++i) {
    Slot& slot = slots_[(hash + i) & mask];
    if (slot.position == 0) free = &slot;
    else if (slot.hash == hash && text_at(slot.position) == text) return slot.position;
  }
  const auto position = static_cast<std::uint32_t>(text_.size());
  if (free != nullptr) {
    *free = {hash, position};
    ++used_;
  }
  text_.put_uleb(text.size());
  text_.put_text(text);
  return position;
}

void NameWriter::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max(kFirstSlots, slots_.size() * 2)));
  const std::size_t mask = slots_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.position == 0) continue;
    for (std::size_t i = 0; i < kMostProbes; ++i) {
      Slot& to = slots_[(slot.hash + i) & mask];
      if (to.position != 0) continue;
      to = slot;
      ++used_;
      break;
    }
  }
}

void NameWriter::close_block() {
  blocks.put(NameBlock{changes_, scopes_before_});
  scopes_before_ += static_cast<std::uint32_t>(std::popcount(std::exchange(changes_, 0)));
  ++block_;
}

void NameWriter::finish() {
  if (!empty()) close_block();
}

std::uint32_t NameWriter::width() const {
  if (empty()) return 0;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(text_.size()));
  return std::max<std::uint32_t>(1, (bits + 7) / 8);
}

void NameWriter::put_names(ByteWriter& out) const {
  if (empty()) return;
  const std::uint32_t bytes = width();
  Buffer entries(positions_.size() * bytes + kPadding);  // an entry is stored as 4 bytes, the next one overwrites
  std::byte* to = entries.data();
  for (const std::uint32_t position : positions_) {
    const u32le value(position);
    std::memcpy(to, &value, sizeof value);
    to += bytes;
  }
  std::memset(to, 0, kPadding);
  out.put_bytes(entries.bytes());
}

}  // namespace symcached::ppdbcache
