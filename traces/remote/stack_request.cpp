#include "traces/remote/stack_request.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <unordered_map>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "model/managed_module.hpp"

namespace symcached::traces {
namespace {

namespace json = boost::json;
using sources::ModuleType;
using stacks::Trouble;

constexpr std::uint64_t kImageSpan = std::uint64_t{1} << 36;  ///< bytes; images lie so far apart, and end before that
constexpr std::size_t kUuidDigits = 32;

bool is_of_windows(std::string_view name) {
  for (const std::string_view extension : {".exe", ".dll", ".sys", ".pdb"})
    if (name.ends_with(extension)) return true;
  return false;
}

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

/// Modules lie where no other one does; frames are offsets in them.
json::object module_json(const FrameQuestion& question, std::size_t index) {
  const sources::ModuleIds ids = remote_ids(question);
  json::object module{{"type", name_of(remote_type(question))}, {"image_addr", hex(kImageSpan * (index + 1))}};
  if (!ids.code_file.empty()) module["code_file"] = valid_utf8(ids.code_file);
  if (!ids.debug_file.empty()) module["debug_file"] = valid_utf8(ids.debug_file);
  if (!ids.code_id.empty()) module["code_id"] = ids.code_id;
  if (ids.debug_id) module["debug_id"] = ids.debug_id->dashed();
  return module;
}

json::object frame_json(const FrameQuestion& question, std::size_t module) {
  json::object frame{{"addr_mode", fmt::format("rel:{}", module)},
                     {"instruction_addr", hex(remote_place(question).value_or(0))},
                     {"adjust_instruction_addr", false}};
  if (question.kind == NumberKind::token) frame["function_id"] = hex(question.value & model::kMaxMethodRow);
  return frame;
}

}  // namespace

std::expected<std::uint64_t, Trouble> remote_place(const FrameQuestion& question) {
  if (question.build_id.empty() && !question.debug_id) return std::unexpected(Trouble::no_id);
  if (question.kind == NumberKind::token) return question.il_offset;
  if (question.kind == NumberKind::named || question.kind == NumberKind::runtime)
    return std::unexpected(Trouble::no_map);
  const std::uint64_t place = question.image_offset.value_or(question.other_offset.value_or(question.value));
  const std::uint64_t step = question.subtract ? 1 : 0;
  if (place < step || place >= kImageSpan) return std::unexpected(Trouble::no_map);
  return place - step;
}

bool is_sure(const FrameQuestion& question) {
  return question.kind == NumberKind::image || question.image_offset || question.kind == NumberKind::token;
}

ModuleType remote_type(const FrameQuestion& question) {
  if (question.kind == NumberKind::token) return ModuleType::pe_dotnet;
  const std::string name = lower_ascii(question.module);
  if (is_of_windows(name)) return ModuleType::pe;
  const bool is_so = name.ends_with(".so") || name.find(".so.") != name.npos;
  if (question.build_id.size() == kUuidDigits && !is_so) return ModuleType::macho;
  return ModuleType::elf;
}

sources::ModuleIds remote_ids(const FrameQuestion& question) {
  sources::ModuleIds ids{.code_file = question.module,
                         .debug_file = question.module,
                         .code_id = question.build_id,
                         .debug_id = question.debug_id};
  if (!ids.debug_id && !ids.code_id.empty()) {
    ids.debug_id = remote_type(question) == ModuleType::macho ? DebugId::parse(ids.code_id)
                                                              : sources::debug_id_of_build_id(ids.code_id);
  }
  const std::string name = lower_ascii(ids.debug_file);
  const bool is_image = is_of_windows(name) && !name.ends_with(".pdb");
  if (is_image) ids.debug_file.replace(ids.debug_file.size() - 4, 4, ".pdb");
  return ids;
}

std::string module_key(const FrameQuestion& question) {
  return fmt::format("{}\n{}\n{}\n{}", name_of(remote_type(question)), question.module, question.build_id,
                     question.debug_id ? question.debug_id->breakpad() : "");
}

StackRequest stack_request(std::span<const FrameQuestion> questions, std::span<const std::size_t> asked,
                           bool with_explanations) {
  StackRequest request;
  json::array modules, frames;
  std::unordered_map<std::string, std::size_t> known;
  for (const std::size_t index : asked) {
    const FrameQuestion& question = questions[index];
    std::string key = module_key(question);
    const bool is_new = !known.contains(key);
    if (request.frames.size() == kBatchFrames || (is_new && known.size() == kBatchModules)) break;
    const std::size_t module = known.try_emplace(std::move(key), known.size()).first->second;
    if (is_new) {
      modules.push_back(module_json(question, module));
      request.modules.push_back(index);
    }
    frames.push_back(frame_json(question, module));
    request.frames.push_back(index);
  }
  json::object options{{"apply_source_context", false}, {"extended", true}};
  if (with_explanations) options["explain"] = options["dif_candidates"] = true;
  request.body = json::serialize(json::object{{"stacktraces", json::array{json::object{{"frames", std::move(frames)}}}},
                                              {"modules", std::move(modules)},
                                              {"options", std::move(options)}});
  return request;
}

}  // namespace symcached::traces
