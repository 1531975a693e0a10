#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/utf8.hpp"
#include "traces/render.hpp"

namespace symcached::traces {
namespace {

namespace json = boost::json;

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

json::array frames_of(const Resolved& answer) {
  json::array all;
  for (const ResolvedFrame& frame : answer.frames) {
    json::object one{{"function", valid_utf8(frame.function)}};
    if (!frame.file.empty()) one["file"] = valid_utf8(frame.file);
    if (frame.line != 0) one["line"] = frame.line;
    if (frame.column != 0) one["column"] = frame.column;
    one["inlined"] = frame.is_inlined;
    all.push_back(std::move(one));
  }
  return all;
}

/// What the line itself says of the place.
void put_place(json::object& object, const AnsweredFrame& answered) {
  const Frame& frame = *answered.frame;
  const auto address = frame.kind == NumberKind::runtime ? frame.value : frame.address;
  if (address) object["address"] = hex(*address);
  if (frame.kind == NumberKind::named) object["function"] = valid_utf8(frame.function);
  if (frame.kind == NumberKind::token) {
    object["token"] = fmt::format("{:#010x}", frame.value);
    object["il_offset"] = frame.il_offset;
  } else if (frame.kind != NumberKind::runtime) {
    object["offset"] = hex(frame.value);
  }
  if (frame.size) object["size"] = hex(*frame.size);
}

json::object object_of(const AnsweredLine& line, const AnsweredFrame& answered) {
  const Frame& frame = *answered.frame;
  json::object object{{"line", line.number}, {"dialect", frame.dialect->name}};
  if (!line.thread.empty()) object["thread"] = valid_utf8(line.thread);
  if (frame.index) object["index"] = *frame.index;
  if (answered.question != nullptr) {
    const FrameQuestion& question = *answered.question;
    if (!question.module.empty()) object["module"] = valid_utf8(question.module);
    if (!question.build_id.empty()) object["build_id"] = question.build_id;
    if (question.debug_id) object["debug_id"] = question.debug_id->dashed();
  } else if (!frame.module.empty()) {
    object["module"] = valid_utf8(frame.module);
  }
  put_place(object, answered);
  object["kind"] = letter_of(frame.kind);
  object["adjust"] = name_of(frame.adjust.value_or(Adjust::raw));
  if (answered.answer == nullptr) {
    object["status"] = "resolved";
    return object;
  }
  if (answered.answer->lookup) object["lookup"] = hex(*answered.answer->lookup);
  object["status"] = name_of(answered.answer->status);
  if (answered.answer->status == Status::ambiguous) object["ambiguous"] = answered.answer->candidates;
  object["frames"] = frames_of(*answered.answer);
  return object;
}

}  // namespace

void append_json(const AnsweredLine& line, std::string& out, bool& is_first) {
  for (const AnsweredFrame& answered : line.frames) {
    out += is_first ? "\n" : ",\n";
    is_first = false;
    out += json::serialize(object_of(line, answered));
  }
}

}  // namespace symcached::traces
