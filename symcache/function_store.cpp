#include "symcache/function_store.hpp"

#include "base/uleb_cursor.hpp"

namespace symcached::symcache {
namespace {

std::uint32_t number_of(model::StringId id) { return static_cast<std::uint32_t>(id); }

}  // namespace

void FunctionStore::add(const model::Function& f) {
  auto lines = f.lines;
  while (!lines.empty() && lines.back().offset >= f.size) lines = lines.first(lines.size() - 1);  // cover no byte
  functions_.push_back({.start = f.start.value,
                        .parent = f.parent.value,
                        .size = f.size,
                        .rank = f.rank,
                        .name = number_of(f.name),
                        .linkage_name = number_of(f.linkage_name),
                        .packed = parts_[0].packed.size(),
                        .frame_count = static_cast<std::uint32_t>(f.inlinees.size()),
                        .row_count = static_cast<std::uint32_t>(lines.size()),
                        .language = f.language,
                        .kind = f.kind});
  ByteWriter& packed = parts_[0].packed;
  for (const model::Inlinee& i : f.inlinees) {
    packed.put_uleb(i.caller + 1u);  // kNoInlinee becomes 0
    packed.put_uleb(number_of(i.name));
    packed.put_uleb(number_of(i.call_file));
    packed.put_uleb(i.call_line);
    packed.put_uleb(i.call_column);
    has_columns_ |= i.call_column != 0;
  }
  std::uint32_t offset = 0;
  for (const model::Line& l : lines) {
    packed.put_uleb(l.offset - std::exchange(offset, l.offset));
    packed.put_uleb(l.inlinee + 1u);
    packed.put_uleb(number_of(l.file));
    packed.put_uleb(l.line);
    packed.put_uleb(l.column);
    has_columns_ |= l.column != 0;
    offset_bits_ |= l.offset;
  }
}

void FunctionStore::join(FunctionStore&& other, std::vector<std::uint32_t> ids) {
  const auto part = static_cast<std::uint32_t>(parts_.size());
  parts_.push_back({std::move(other.parts_[0].packed), std::move(ids)});
  const std::vector<std::uint32_t>& mine = parts_.back().ids;
  functions_.reserve(functions_.size() + other.functions_.size());
  for (StoredFunction f : other.functions_) {
    f.part = part;
    f.name = mine[f.name];
    f.linkage_name = mine[f.linkage_name];
    functions_.push_back(f);
  }
  has_columns_ |= other.has_columns_;
  offset_bits_ |= other.offset_bits_;
}

void FunctionStore::unpack(const StoredFunction& f, std::vector<model::Inlinee>& frames,
                           std::vector<model::Line>& rows) const {
  const Part& part = parts_[f.part];
  UlebCursor in(part.packed.bytes(), f.packed);
  const auto text = [&]() {
    const std::uint32_t id = in.number();
    return model::StringId{part.ids.empty() ? id : part.ids[id]};
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
