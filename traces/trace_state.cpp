#include "traces/trace_state.hpp"

#include "base/path_text.hpp"

namespace symcached::traces {

void TraceState::start_thread(std::string_view name) {
  constexpr std::size_t kMaxName = 64;
  if (name != thread_) thread_ = name.substr(0, kMaxName);
  is_first_ = true;
  is_interrupted_ = false;
}

Adjust TraceState::adjust_next(Adjusting rule, std::optional<std::uint64_t> index) {
  const bool is_first = index ? *index == 0 : is_first_;
  const bool is_exact = is_first || is_interrupted_;
  is_first_ = is_interrupted_ = false;
  if (rule == Adjusting::done) return Adjust::done;
  return rule == Adjusting::all_but_first && is_exact ? Adjust::exact : Adjust::raw;
}

void TraceState::learn_ids(std::string_view module, Ids ids) {
  if (module.empty() || module.size() > kMaxModuleName || ids_.size() >= kMaxMappings) return;
  const std::string_view name = last_path_part(module);
  if (name != module) ids_.try_emplace(std::string(name), ids);
  ids_.insert_or_assign(std::string(module), std::move(ids));
}

void TraceState::add_map_row(const MapRow& row) {
  if (row.path.size() > kMaxModuleName) return;
  if (row.path != last_path_) image_start_ = row.start;
  last_path_ = row.path;
  if (!row.is_code || row.path.empty() || row.path.starts_with('[') || row.start < image_start_) return;
  map.add({row.start, row.end, Mapped::file, row.offset, last_path_, {}, image_start_});
}

const TraceState::Ids* TraceState::ids_of(std::string_view module) const {
  auto found = ids_.find(module);
  if (found == ids_.end()) found = ids_.find(last_path_part(module));
  return found == ids_.end() ? nullptr : &found->second;
}

std::string_view TraceState::keep(std::string_view text) {
  const auto known = kept_.find(text);
  if (known != kept_.end()) return *known;
  if (kept_.size() >= kMaxMappings || text.size() > kMaxModuleName) return {};
  return *kept_.emplace(text).first;
}

void TraceState::reset_process() {
  map.clear();
  ids_.clear();
  markup_modules.clear();
  start_thread({});
}

}  // namespace symcached::traces
