#include "symcache/subprograms.hpp"

#include <algorithm>
#include <numeric>

#include "symcache/format.hpp"

namespace symcached::symcache {
namespace {

/// Frames are numbered from 1 here, the function itself is 0: kNoInlinee becomes 0.
std::size_t frame_of(std::uint32_t inlinee) { return inlinee + 1u; }

}  // namespace

void FrameFiles::find(std::span<const model::Inlinee> frames, std::span<const model::Line> rows) {
  files_.assign(frames.size() + 1, model::StringId::none);
  for (const model::Line& row : rows) {
    model::StringId& file = files_[frame_of(row.inlinee)];
    if (file == model::StringId::none) file = row.file;
  }
  for (std::size_t i = frames.size(); i-- > 0;) {
    model::StringId& file = files_[frame_of(frames[i].caller)];
    if (file == model::StringId::none) file = frames[i].call_file;
  }
}

std::span<const std::uint32_t> Subprograms::collect(std::uint32_t name, std::span<const model::Inlinee> frames,
                                                    std::span<const model::Line> rows) {
  files_.find(frames, rows);
  frames_.resize(frames.size() + 1);
  frames_[0] = index_of(name, files_[0]);
  for (std::size_t i = 0; i < frames.size(); ++i)
    frames_[i + 1] = index_of(static_cast<std::uint32_t>(frames[i].name), files_[i + 1]);
  for (const std::uint32_t index : frames_) ++all_[index].uses;
  for (const model::Line& row : rows) lower_base(frames_[frame_of(row.inlinee)], row.file, row.line);
  for (const model::Inlinee& call : frames) lower_base(frames_[frame_of(call.caller)], call.call_file, call.call_line);
  return frames_;
}

std::uint32_t Subprograms::index_of(std::uint32_t name, model::StringId file) {
  bool added = false;
  std::uint32_t& index = index_.at(std::uint64_t{name} << 32 | static_cast<std::uint32_t>(file), added);
  if (added) {
    index = static_cast<std::uint32_t>(all_.size());
    all_.push_back({.name = name, .file = static_cast<std::uint32_t>(file)});
  }
  return index;
}

void Subprograms::lower_base(std::uint32_t index, model::StringId file, std::uint32_t line) {
  Subprogram& s = all_[index];
  if (line != 0 && static_cast<std::uint32_t>(file) == s.file && (s.base_line == 0 || line < s.base_line))
    s.base_line = line;
}

std::vector<std::uint32_t> Subprograms::order() const {
  std::vector<std::uint32_t> order(all_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return all_[a].uses != all_[b].uses ? all_[a].uses > all_[b].uses : a < b;
  });
  return order;
}

void Subprograms::lay_out(std::span<const std::uint32_t> order, const Texts& texts, ByteWriter& out) {
  for (const std::uint32_t index : order) {
    Subprogram& s = all_[index];
    s.position = static_cast<std::uint32_t>(out.size());
    out.put_uleb(s.file == 0 ? std::uint32_t{kNoFile} : texts.file_operands[s.file]);
    out.put_uleb(s.base_line);
    if (texts.ids.has_parameters()) out.put_uleb(texts.name_positions[texts.ids.parameters(s.name)]);
    texts.runs.put(texts.ids.name(s.name), out);
  }
}

}  // namespace symcached::symcache
