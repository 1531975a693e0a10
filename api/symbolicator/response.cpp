#include "api/symbolicator/response.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "api/symbolicator/explanations.hpp"
#include "base/json_text.hpp"

namespace symcached::api {
namespace {

using stacks::Frame;

constexpr std::size_t kBytesPerFrame = 400;  ///< about what one takes, to begin with

void put_number(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

/// `"0x1f"`
void put_address(std::string& out, std::uint64_t value) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  out += "\"0x";
  out.append(digits.data(), end);
  out += '"';
}

void put_flag(std::string& out, bool value) { out += value ? "true" : "false"; }

// Members; `key` is all that stands in front of the value: `,"key":`
void put_if(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += key;
  append_json_text(text, out);
}
void put_if(std::string& out, std::string_view key, std::optional<bool> value) {
  if (!value) return;
  out += key;
  put_flag(out, *value);
}
template <class Number>
void put_number_if(std::string& out, std::string_view key, std::optional<Number> value) {
  if (!value) return;
  out += key;
  put_number(out, *value);
}
void put_address_if(std::string& out, std::string_view key, std::optional<std::uint64_t> value) {
  if (!value) return;
  out += key;
  put_address(out, *value);
}
template <class Texts>
void put_list_if(std::string& out, std::string_view key, const Texts& texts) {
  if (texts.empty()) return;
  out += key;
  char before = '[';
  for (const auto& text : texts) {
    out += before;
    append_json_text(text, out);
    before = ',';
  }
  out += ']';
}

void put_place(std::string& out, const Frame& frame) {
  put_if(out, R"(,"package":)", frame.package);
  put_if(out, R"(,"lang":)", frame.lang);
  put_if(out, R"(,"symbol":)", frame.symbol);
  put_address_if(out, R"(,"sym_addr":)", frame.sym_addr);
  put_if(out, R"(,"function":)", frame.function);
  put_if(out, R"(,"filename":)", frame.filename);
  put_if(out, R"(,"abs_path":)", frame.abs_path);
  put_number_if(out, R"(,"lineno":)", frame.lineno);
}

void put_source(std::string& out, const Frame& frame) {
  if (frame.pre_context != nullptr) put_list_if(out, R"(,"pre_context":)", *frame.pre_context);
  if (frame.context_line) {
    out += R"(,"context_line":)";
    append_json_text(*frame.context_line, out);
  }
  if (frame.post_context != nullptr) put_list_if(out, R"(,"post_context":)", *frame.post_context);
  put_if(out, R"(,"source_link":)", frame.source_link);
}

void put_details(std::string& out, const stacks::FrameDetails& details) {
  out += R"(,"original_instruction_addr":)";
  put_address(out, details.original_instruction_addr);
  put_number_if(out, R"(,"function_offset":)", details.function_offset);
  put_number_if(out, R"(,"function_size":)", details.function_size);
  if (details.column != 0) put_number_if(out, R"(,"colno":)", std::optional(details.column));
  put_list_if(out, R"(,"aliases":)", details.aliases);
  put_if(out, R"(,"confidence":)", details.confidence);
}

void put_features(std::string& out, const stacks::Features& features) {
  out += R"({"has_debug_info":)";
  put_flag(out, features.has_debug_info);
  out += R"(,"has_unwind_info":)";
  put_flag(out, features.has_unwind_info);
  out += R"(,"has_symbols":)";
  put_flag(out, features.has_symbols);
  out += R"(,"has_sources":)";
  put_flag(out, features.has_sources);
  out += '}';
}

void put_use(std::string& out, std::string_view key, const std::optional<stacks::UseStatus>& use) {
  if (!use) return;
  out += key;
  put_if(out, R"({"status":)", name_of(use->kind));
  put_if(out, R"(,"details":)", use->details);
  out += '}';
}

void put_candidate(std::string& out, const stacks::CandidateInfo& candidate) {
  out += R"({"source":)";
  append_json_text(candidate.source, out);
  out += R"(,"location":)";
  append_json_text(candidate.location, out);
  put_if(out, R"(,"download":{"status":)", name_of(candidate.download));
  if (candidate.features) {
    out += R"(,"features":)";
    put_features(out, *candidate.features);
  }
  put_if(out, R"(,"details":)", candidate.details);
  out += '}';
  put_use(out, R"(,"unwind":)", candidate.unwind);
  put_use(out, R"(,"debug":)", candidate.debug);
  out += '}';
}

void put_module(std::string& out, const stacks::ModuleInfo& module, std::optional<std::uint64_t> size,
                const stacks::ModuleState& state, bool with_candidates) {
  put_if(out, R"({"debug_status":)", name_of(state.status));
  if (state.unwind_status) put_if(out, R"(,"unwind_status":)", name_of(*state.unwind_status));
  out += R"(,"features":)";
  put_features(out, state.features);
  put_if(out, R"(,"arch":)", state.arch());
  put_if(out, R"(,"type":)", module.type ? name_of(*module.type) : "unknown");
  put_if(out, R"(,"code_id":)", module.ids.code_id);
  put_if(out, R"(,"code_file":)", module.ids.code_file);
  if (module.ids.debug_id) put_if(out, R"(,"debug_id":)", module.ids.debug_id->dashed());
  put_if(out, R"(,"debug_file":)", module.ids.debug_file);
  put_if(out, R"(,"debug_checksum":)", module.debug_checksum);
  out += R"(,"image_addr":)";
  put_address(out, module.image_addr);
  put_number_if(out, R"(,"image_size":)", size);
  if (with_candidates && !state.candidates.empty()) {
    out += R"(,"candidates":)";
    char before = '[';
    for (const stacks::CandidateInfo& candidate : state.candidates) {
      out += before;
      put_candidate(out, candidate);
      before = ',';
    }
    out += ']';
  }
  out += '}';
}

std::size_t frames_of(const stacks::Request& request) {
  std::size_t frames = 0;
  for (const stacks::Stack& stack : request.stacks) frames += stack.frames.size();
  return frames;
}

}  // namespace

ResponseWriter::ResponseWriter(const stacks::Request& request, const ResponseShape& shape)
    : request_(request), limit_(shape.limit) {
  out_.reserve(frames_of(request) * kBytesPerFrame);
  out_ += '{';
  out_ += shape.status;
  out_ += ',';
  out_ += shape.before;
  if (request.signal) {
    put_number_if(out_, R"("signal":)", request.signal);
    out_ += ',';
  }
  out_ += R"("stacktraces":[)";
}

void ResponseWriter::begin_stack(const stacks::Stack& stack) {
  if (!first_stack_) out_ += ',';
  first_stack_ = false;
  first_frame_ = true;
  out_ += '{';
  const std::size_t start = out_.size();
  put_number_if(out_, R"(,"thread_id":)", stack.thread_id);
  put_if(out_, R"(,"thread_name":)", stack.thread_name);
  put_if(out_, R"(,"is_requesting":)", stack.is_requesting);
  if (stack.has_registers) {
    out_ += R"(,"registers":{)";
    for (const stacks::Register& r : stack.registers) {
      if (out_.back() != '{') out_ += ',';
      append_json_text(r.name, out_);
      out_ += ':';
      put_address(out_, r.value);
    }
    out_ += '}';
  }
  out_ += R"(,"frames":[)";
  out_.erase(start, 1);  // the first comma
}

void ResponseWriter::frame(const stacks::OutFrame& out) {
  if (!first_frame_) out_ += ',';
  first_frame_ = false;
  ++counts_[static_cast<std::size_t>(out.status)];
  const Frame& frame = out.frame;
  out_ += R"({"status":")";
  out_ += name_of(out.status);
  out_ += R"(","original_index":)";
  put_number(out_, out.original_index);
  put_if(out_, R"(,"platform":)", frame.platform);
  if (frame.relative_to) {
    out_ += R"(,"addr_mode":"rel:)";
    put_number(out_, *frame.relative_to);
    out_ += '"';
  }
  out_ += R"(,"instruction_addr":)";
  put_address(out_, frame.instruction_addr);
  put_if(out_, R"(,"adjust_instruction_addr":)", frame.adjust_instruction_addr);
  put_address_if(out_, R"(,"function_id":)", frame.function_id);
  put_place(out_, frame);
  put_source(out_, frame);
  put_if(out_, R"(,"in_app":)", frame.in_app);
  if (frame.trust != stacks::Trust::none) put_if(out_, R"(,"trust":)", name_of(frame.trust));
  if (out.details != nullptr) put_details(out_, *out.details);
  out_ += '}';
}

void ResponseWriter::end_stack() { out_ += "]}"; }

std::string ResponseWriter::finish(const stacks::ModuleMap& modules, std::span<const stacks::ModuleState> states,
                                   std::string_view after) && {
  if (is_full())
    return failed_body(fmt::format("the answer has more than {} bytes; ask for fewer frames at once", limit_));
  out_ += R"(],"modules":[)";
  for (std::uint32_t i = 0; i < request_.modules.size(); ++i) {
    if (i != 0) out_ += ',';
    put_module(out_, request_.modules[i], modules.size(i), states[i], request_.options.dif_candidates);
  }
  out_ += ']';
  out_ += after;
  out_ += '}';
  return std::move(out_);
}

CompletedBody completed_body(const stacks::Request& request, const stacks::ModuleMap& modules,
                             std::span<const stacks::ModuleState> states, stacks::Scratch& scratch,
                             stacks::SourceTexts* texts, stacks::WallTime now) {
  ResponseWriter writer(request);
  std::optional<stacks::ContextSink> context;
  stacks::FrameSink& sink =
      texts == nullptr ? static_cast<stacks::FrameSink&>(writer) : context.emplace(*texts, writer);
  const auto whole = [&](std::string_view after) {
    CompletedBody body{.is_failure = writer.is_full(), .frames = writer.counts()};
    body.text = std::move(writer).finish(modules, states, after);
    return body;
  };
  if (!request.options.explain) {
    symbolicate(request, modules, states, scratch, sink);
    return whole({});
  }
  stacks::GapFinder finder(request, states, sink);
  symbolicate(request, modules, states, scratch, finder);
  const auto explanations = stacks::explain(request, states, finder.gaps(), now);
  return whole(explanations_member(explanations, states, now));
}

std::string pending_members(std::string_view request_id, unsigned retry_after) {
  std::string out = R"("status":"pending","request_id":)";
  append_json_text(request_id, out);
  out += R"(,"retry_after":)";
  put_number(out, retry_after);
  return out;
}

std::string pending_body(std::string_view request_id, unsigned retry_after) {
  return '{' + pending_members(request_id, retry_after) + '}';
}

std::string failed_body(std::string_view message) {
  std::string out = R"({"status":"failed","message":)";
  append_json_text(message, out);
  out += '}';
  return out;
}

std::string timeout_body() { return R"({"status":"timeout"})"; }
std::string internal_error_body() { return R"({"status":"internal_error"})"; }

std::string error_body(std::string_view detail, std::span<const std::string> causes) {
  std::string out = R"({"detail":)";
  append_json_text(detail, out);
  put_list_if(out, R"(,"causes":)", causes);
  out += '}';
  return out;
}

}  // namespace symcached::api
