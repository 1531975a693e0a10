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
                        .packed = packed_.size(),
                        .frame_count = static_cast<std::uint32_t>(f.inlinees.size()),
                        .row_count = static_cast<std::uint32_t>(lines.size()),
                        .language = f.language,
                        .kind = f.kind});
  for (const model::Inlinee& i : f.inlinees) {
    packed_.put_uleb(i.caller + 1u);  // kNoInlinee becomes 0
    packed_.put_uleb(number_of(i.name));
    packed_.put_uleb(number_of(i.call_file));
    packed_.put_uleb(i.call_line);
    packed_.put_uleb(i.call_column);
    has_columns_ |= i.call_column != 0;
  }
  std::uint32_t offset = 0;
  for (const model::Line& l : lines) {
    packed_.put_uleb(l.offset - std::exchange(offset, l.offset));
    packed_.put_uleb(l.inlinee + 1u);
    packed_.put_uleb(number_of(l.file));
    packed_.put_uleb(l.line);
    packed_.put_uleb(l.column);
    has_columns_ |= l.column != 0;
    offset_bits_ |= l.offset;
  }
}

void FunctionStore::unpack(const StoredFunction& f, std::vector<model::Inlinee>& frames,
                           std::vector<model::Line>& rows) const {
  UlebCursor in(packed_.bytes(), f.packed);
  frames.resize(f.frame_count);
  for (model::Inlinee& i : frames) {
    i.caller = in.number() - 1u;
    i.name = model::StringId{in.number()};
    i.call_file = model::StringId{in.number()};
    i.call_line = in.number();
    i.call_column = in.number();
  }
  rows.resize(f.row_count);
  std::uint32_t offset = 0;
  for (model::Line& l : rows) {
    l.offset = offset += in.number();
    l.inlinee = in.number() - 1u;
    l.file = model::StringId{in.number()};
    l.line = in.number();
    l.column = in.number();
  }
}

}  // namespace symcached::symcache
