#include "traces/question.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "sources/module_line.hpp"

namespace symcached::traces {
namespace {

void set_ids(FrameQuestion& question, std::string_view build_id, std::string_view debug_id) {
  if (auto id = sources::parse_code_id(build_id)) question.build_id = *std::move(id);
  if (!debug_id.empty()) question.debug_id = DebugId::parse(debug_id);
}

void set_place(FrameQuestion& question, const Mapping& row, std::uint64_t address) {
  constexpr NumberKind kKinds[] = {NumberKind::file, NumberKind::image, NumberKind::link};
  question.module = row.module;
  question.kind = kKinds[static_cast<std::size_t>(row.kind)];
  question.value = address - row.start + row.at;
  if (row.image_start) question.image_offset = address - *row.image_start;
  question.function.clear();
  question.size.reset();
  if (question.build_id.empty()) set_ids(question, row.build_id, {});
}

/// Also of an address that carries a signature in its upper bits, as return addresses of arm64 do.
const Mapping* find_row(const ModuleMap& map, std::uint64_t& address) {
  constexpr std::uint64_t kLinux = (std::uint64_t{1} << 48) - 1, kApple = (std::uint64_t{1} << 39) - 1;
  for (const std::uint64_t mask : {~std::uint64_t{0}, kLinux, kApple})
    if (const Mapping* const row = map.find(address & mask)) {
      address &= mask;
      return row;
    }
  return nullptr;
}

/// In the process, where that says more than the frame's own number.
std::optional<std::uint64_t> address_of(const Frame& frame) {
  if (frame.kind == NumberKind::runtime) return frame.value;
  if (frame.kind == NumberKind::named) return frame.address;
  return std::nullopt;
}

bool is_of(const Mapping& row, std::string_view module) {
  return row.kind == Mapped::file && last_path_part(row.module) == last_path_part(module);
}

}  // namespace

FrameQuestion question_of(const Frame& frame, const TraceState& state) {
  FrameQuestion question{.module = std::string(frame.module.substr(0, kMaxModuleName)),
                         .kind = frame.kind,
                         .value = frame.value,
                         .il_offset = frame.il_offset,
                         .subtract = frame.adjust == Adjust::raw,
                         .usual_base = frame.usual_base};
  set_ids(question, frame.build_id, frame.debug_id);
  if (frame.kind == NumberKind::named) {
    question.function = frame.function;
    question.size = frame.size;
  }
  auto address = address_of(frame);
  if (frame.may_be_address)
    if (const Mapping* const row = state.map.find(frame.value); row != nullptr && is_of(*row, frame.module)) {
      question.other_offset = frame.value - row->start + row->at;
      if (question.build_id.empty()) set_ids(question, row->build_id, {});
    }
  if (address) {
    if (const Mapping* const row = find_row(state.map, *address)) {
      set_place(question, *row, *address);
    } else if (const auto bias = state.map.bias_of(frame.module); bias) {
      question.kind = NumberKind::link;
      question.value = *address - *bias;
      question.function.clear();
    }
  }
  if (question.build_id.empty() && !question.debug_id)
    if (const auto* const ids = state.ids_of(question.module)) set_ids(question, ids->build_id, ids->debug_id);
  return question;
}

std::string key_of(const FrameQuestion& question) {
  std::string key;
  key.reserve(question.module.size() + question.build_id.size() + question.function.size() + 64);
  const auto number = [&](std::uint64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  number(question.value);
  number(question.size.value_or(~std::uint64_t{0}));
  number(question.other_offset.value_or(~std::uint64_t{0}));
  number(question.image_offset.value_or(~std::uint64_t{0}));
  number(question.usual_base.value_or(~std::uint64_t{0}));
  number(question.il_offset);
  number(static_cast<std::uint64_t>(question.kind) << 1 | (question.subtract ? 1 : 0));
  number(question.module.size());
  number(question.build_id.size());
  (key += question.module) += question.build_id;
  key += question.debug_id ? question.debug_id->breakpad() : "-";
  return key += question.function;
}

}  // namespace symcached::traces
