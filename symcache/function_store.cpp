#include "symcache/function_store.hpp"

#include "base/uleb_cursor.hpp"

namespace symcached::symcache {
namespace {

constexpr std::size_t kChunk = 1u << 20;  ///< bytes

std::uint32_t number_of(model::StringId id) { return static_cast<std::uint32_t>(id); }

}  // namespace

void FunctionStore::add(const model::Function& f) {
  auto lines = f.lines;
  while (!lines.empty() && lines.back().offset >= f.size) lines = lines.first(lines.size() - 1);  // cover no byte
  if (chunks_.empty() || chunks_.back().ids != 0 || chunks_.back().packed.size() >= kChunk) {
    chunks_.emplace_back();
    chunks_.back().packed.reserve(kChunk + kChunk / 16);
  }
  functions_.push_back({.start = f.start.value,
                        .parent = f.parent.value,
                        .size = f.size,
                        .rank = f.rank,
                        .name = number_of(f.name),
                        .linkage_name = number_of(f.linkage_name),
                        .chunk = static_cast<std::uint32_t>(chunks_.size() - 1),
                        .packed = static_cast<std::uint32_t>(chunks_.back().packed.size()),
                        .frame_count = static_cast<std::uint32_t>(f.inlinees.size()),
                        .row_count = 0,
                        .language = f.language,
                        .kind = f.kind});
  ByteWriter& packed = chunks_.back().packed;
  const bool drops = columns_ == Columns::drop;
  for (const model::Inlinee& i : f.inlinees) {
    packed.put_uleb(i.caller + 1u);  // kNoInlinee becomes 0
    packed.put_uleb(number_of(i.name));
    packed.put_uleb(number_of(i.call_file));
    packed.put_uleb(i.call_line);
    packed.put_uleb(drops ? 0 : i.call_column);
    has_columns_ |= i.call_column != 0 && !drops;
  }
  const model::Line* before = nullptr;  // of the rows that are kept
  for (const model::Line& l : lines) {
    if (drops && before != nullptr && before->inlinee == l.inlinee && before->file == l.file && before->line == l.line)
      continue;
    add_row(l, before == nullptr ? 0 : before->offset, packed);
    before = &l;
    ++functions_.back().row_count;
  }
}

void FunctionStore::add_row(const model::Line& row, std::uint32_t offset_before, ByteWriter& packed) {
  const bool drops = columns_ == Columns::drop;
  packed.put_uleb(row.offset - offset_before);
  packed.put_uleb(row.inlinee + 1u);
  packed.put_uleb(number_of(row.file));
  packed.put_uleb(row.line);
  packed.put_uleb(drops ? 0 : row.column);
  has_columns_ |= row.column != 0 && !drops;
  offset_bits_ |= row.offset;
}

void FunctionStore::join(FunctionStore&& other, std::vector<std::uint32_t> ids) {
  const auto first_chunk = static_cast<std::uint32_t>(chunks_.size());
  for (Chunk& chunk : other.chunks_)
    chunks_.push_back({std::move(chunk.packed), static_cast<std::uint32_t>(ids_.size())});
  functions_.reserve(functions_.size() + other.functions_.size());
  for (StoredFunction f : other.functions_) {
    f.chunk += first_chunk;
    f.name = ids[f.name];
    f.linkage_name = ids[f.linkage_name];
    functions_.push_back(f);
  }
  ids_.push_back(std::move(ids));
  has_columns_ |= other.has_columns_;
  offset_bits_ |= other.offset_bits_;
}

void FunctionStore::unpack(const StoredFunction& f, std::vector<model::Inlinee>& frames,
                           std::vector<model::Line>& rows) const {
  const Chunk& chunk = chunks_[f.chunk];
  const std::vector<std::uint32_t>& ids = ids_[chunk.ids];
  UlebCursor in(chunk.packed.bytes(), f.packed);
  const auto text = [&]() {
    const std::uint32_t id = in.number();
    return model::StringId{ids.empty() ? id : ids[id]};
  };
  frames.resize(f.frame_count);
  for (model::Inlinee& i : frames) {
    i.caller = in.number() - 1u;
    i.name = text();
    i.call_file = text();
    i.call_line = in.number();
    i.call_column = in.number();
  }
  rows.resize(f.row_count);
  std::uint32_t offset = 0;
  for (model::Line& l : rows) {
    l.offset = offset += in.number();
    l.inlinee = in.number() - 1u;
    l.file = text();
    l.line = in.number();
    l.column = in.number();
  }
}

}  // namespace symcached::symcache
