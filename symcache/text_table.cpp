#include "symcache/text_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "symcache/format.hpp"

namespace symcached::symcache {
namespace {

constexpr std::size_t kHashed = 8;            ///< bytes that must agree for a match to be looked at
constexpr std::uint32_t kShortestMatch = 14;  ///< a shorter one costs more as a run than it saves
constexpr std::size_t kMostRuns = 6;          ///< of a text; one that needs more is put down whole, for others to use
constexpr unsigned kMinHashBits = 10, kMaxHashBits = 18;  ///< larger tables leave the processor's cache

std::uint64_t load(const char* from) {
  std::uint64_t value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}

/// Of bits that TextTable::slot_of does not take.
std::uint32_t check_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 14); }

/// How many bytes agree, up to `most`.
std::uint32_t common_length(const char* a, const char* b, std::size_t most) {
  std::size_t n = 0;
  for (; n + 8 <= most; n += 8)
    if (const std::uint64_t differ = load(a + n) ^ load(b + n); differ != 0)
      return static_cast<std::uint32_t>(n + static_cast<unsigned>(std::countr_zero(differ)) / 8);
  while (n < most && a[n] == b[n]) ++n;
  return static_cast<std::uint32_t>(n);
}

}  // namespace

TextTable::TextTable(std::size_t bytes)
    : hash_bits_(std::clamp(static_cast<unsigned>(std::bit_width(bytes)), kMinHashBits, kMaxHashBits)),
      places_(std::size_t{1} << hash_bits_) {}

std::uint64_t TextTable::hash_of(const char* from) const { return load(from) * 0x9E3779B97F4A7C15u; }

void TextTable::add(std::uint32_t text_id, std::string_view text) {
  if (text_id >= texts_.size()) texts_.resize(std::max<std::size_t>(text_id + 1u, texts_.size() * 2));
  Extent& extent = texts_[text_id];
  if (extent.count != 0 || text.empty()) return;
  find_runs(text);
  if (found_.size() > kMostRuns) found_.assign(1, {0, static_cast<std::uint32_t>(text.size()), true});
  extent.first = static_cast<std::uint32_t>(runs_.size());
  for (Run run : found_) {
    if (run.is_new) run.at = append(text.substr(run.at, run.length));
    for (; run.length > kLongestRunOfText; run.at += kLongestRunOfText, run.length -= kLongestRunOfText)
      runs_.push_back({run.at, kLongestRunOfText});
    runs_.push_back(run);
  }
  extent.count = static_cast<std::uint32_t>(runs_.size()) - extent.first;
}

/// Greedy: the first match that is long enough is taken, and reaches back as far as it goes.
void TextTable::find_runs(std::string_view text) {
  found_.clear();
  std::size_t done = 0;  // bytes of `text` that are in found_
  const auto take_new = [&](std::size_t end) {
    if (end > done) found_.push_back({static_cast<std::uint32_t>(done), static_cast<std::uint32_t>(end - done), true});
  };
  for (std::size_t at = 0; at + kHashed <= text.size();) {
    std::uint32_t length = 0;
    std::uint32_t place = find_match(text, at, length);
    if (length < kShortestMatch) {
      ++at;
      continue;
    }
    for (; at > done && place > 0 && text[at - 1] == shared_[place - 1]; --at, --place) ++length;
    take_new(at);
    found_.push_back({place, length});
    done = at += length;
  }
  take_new(text.size());
}

std::uint32_t TextTable::find_match(std::string_view text, std::size_t at, std::uint32_t& length) const {
  const std::uint64_t hash = hash_of(text.data() + at);
  const Place known = places_[slot_of(hash)];
  if (known.next == 0 || known.check != check_of(hash)) return 0;
  const std::uint32_t place = known.next - 1;
  length = common_length(text.data() + at, shared_.data() + place, std::min(text.size() - at, shared_.size() - place));
  return place;
}

std::uint32_t TextTable::append(std::string_view text) {
  const auto at = static_cast<std::uint32_t>(shared_.size());
  shared_.insert(shared_.end(), text.begin(), text.end());
  for (; hashed_ + kHashed <= shared_.size(); ++hashed_) {
    const std::uint64_t hash = hash_of(shared_.data() + hashed_);
    places_[slot_of(hash)] = {static_cast<std::uint32_t>(hashed_ + 1), check_of(hash)};
  }
  return at;
}

bool TextTable::has_wide_runs() const { return shared_.size() > kNarrowText; }

void TextTable::put(std::uint32_t text_id, ByteWriter& out) const {
  const Extent extent = text_id < texts_.size() ? texts_[text_id] : Extent{};
  out.put_uleb(extent.count);
  for (const Run& run : std::span(runs_).subspan(extent.first, extent.count)) {
    if (has_wide_runs()) out.put(WideTextRun{u8le(static_cast<std::uint8_t>(run.length)), u32le(run.at)});
    else out.put(u32le(run.at << 8 | run.length));
  }
}

void TextTable::put_shared(ByteWriter& out) const {
  out.put_text({shared_.data(), shared_.size()});
  for (std::size_t i = 0; i < kTextPadding; ++i) out.put_u8(0);
}

}  // namespace symcached::symcache
