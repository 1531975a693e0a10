#include "ppdbcache/row_pairs.hpp"

#include <algorithm>

#include "model/managed_module.hpp"

namespace symcached::ppdbcache {

void put_pairs(std::span<const RowPair> pairs, ByteWriter& out) {
  ByteWriter steps;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i % kPairsPerGroup == 0) {
      out.put(PairGroup{pairs[i].key, pairs[i].value, static_cast<std::uint32_t>(steps.size())});
      continue;
    }
    steps.put_uleb(pairs[i].key - pairs[i - 1].key);
    steps.put_uleb(zigzag(std::int64_t{pairs[i].value} - pairs[i - 1].value));
  }
  out.put_bytes(steps.bytes());
}

Read<RowPairs> RowPairs::open(Bytes section, std::uint32_t count, std::string_view field) {
  RowPairs pairs;
  pairs.count_ = count;
  pairs.field_ = field;
  ByteReader in(section);
  SC_TRY(pairs.groups_, in.array<PairGroup>((std::uint64_t{count} + kPairsPerGroup - 1) / kPairsPerGroup, field));
  pairs.steps_ = in.rest();
  return pairs;
}

std::uint32_t RowPairs::find(std::uint32_t key) const {
  const auto after =
      std::ranges::upper_bound(groups_, key, {}, [](const PairGroup& g) { return std::uint32_t{g.key}; });
  if (after == groups_.begin()) return 0;
  const auto group = static_cast<std::size_t>(after - groups_.begin()) - 1;
  std::uint32_t at = groups_[group].key, value = groups_[group].value;
  UlebCursor in(steps_, groups_[group].position);
  const std::size_t more = std::min<std::size_t>(kPairsPerGroup, count_ - group * kPairsPerGroup) - 1;
  for (std::size_t i = 0; at < key && i < more; ++i) {
    at += in.number();
    value += static_cast<std::uint32_t>(in.signed_number());
  }
  return at == key && !in.failed() ? value : 0;
}

bool RowPairs::Cursor::next(RowPair& out) {
  if (given_ == pairs_.count_ || steps_.failed()) return false;
  if (given_ % kPairsPerGroup == 0) {
    const PairGroup& group = pairs_.groups_[given_ / kPairsPerGroup];
    pair_ = {group.key, group.value};
  } else {
    pair_.key += steps_.number();
    pair_.value += static_cast<std::uint32_t>(steps_.signed_number());
  }
  ++given_;
  out = pair_;
  return !steps_.failed();
}

Read<void> RowPairs::verify() const {
  const auto is_row = [](std::uint32_t row) { return row >= 1 && row <= model::kMaxMethodRow; };
  Cursor cursor = all();
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const PairGroup& group = groups_[i / kPairsPerGroup];
    if (i % kPairsPerGroup == 0 && group.position != cursor.position())
      return bad_value(field_, i / kPairsPerGroup * sizeof(PairGroup), group.position, cursor.position());
    RowPair pair;
    if (!cursor.next(pair)) return truncated(field_, cursor.position(), 2, 0);
    if (pair.key <= before || !is_row(pair.key) || !is_row(pair.value))
      return bad_value(field_, i / kPairsPerGroup * sizeof(PairGroup), pair.key, before);
    before = pair.key;
  }
  if (cursor.position() != steps_.size()) return bad_value(field_, cursor.position(), steps_.size(), cursor.position());
  return {};
}

}  // namespace symcached::ppdbcache
