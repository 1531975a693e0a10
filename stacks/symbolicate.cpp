#include "stacks/symbolicate.hpp"

#include <limits>

#include "base/path_text.hpp"
#include "model/managed_module.hpp"
#include "stacks/call_address.hpp"
#include "stacks/clean_path.hpp"

namespace symcached::stacks {
namespace {

using demangle::Detail;
using model::Language;

/// Where a frame is, before anything is known of it.
struct Position {
  const Frame* frame = nullptr;
  std::uint32_t index = 0;  ///< in the request
  std::size_t depth = 0;    ///< 0: innermost
};

/// In the words of the protocol; empty: it has none.
std::string_view word_of(Language language) {
  switch (language) {
    case Language::c: return "c";
    case Language::cpp: return "cpp";
    case Language::csharp: return "csharp";
    case Language::rust: return "rust";
    case Language::swift: return "swift";
    case Language::go: return "go";
    case Language::d: return "d";
    case Language::objc: return "objc";
    case Language::objcpp: return "objcpp";
    case Language::visual_basic: return "vb";
    case Language::fsharp: return "fsharp";
    default: return {};
  }
}

FrameStatus status_without(ModuleStatus status) {
  if (status == ModuleStatus::fetching) return FrameStatus::pending;
  return status == ModuleStatus::malformed ? FrameStatus::malformed : FrameStatus::missing;
}

/// Answers the frames of one stack.
class StackAnswerer {
 public:
  StackAnswerer(const Request& request, const ModuleMap& modules, std::span<const ModuleState> states,
                const Stack& stack, Scratch& scratch, FrameSink& sink)
      : request_(request),
        modules_(modules),
        states_(states),
        stack_(stack),
        addresses_(stack, request.signal),
        scratch_(scratch),
        sink_(sink) {}

  void run() {
    sink_.begin_stack(stack_);
    const bool ends_in_nothing = leads_nowhere_from_start();
    for (std::size_t i = 0; i < stack_.frames.size() && !sink_.is_full(); ++i) {
      const Position at = at_index(i);
      if (ends_in_nothing && at.depth + 1 == stack_.frames.size()) continue;
      scratch_.names.trim();
      answer(at);
    }
    sink_.end_stack();
  }

 private:
  Position at_index(std::size_t i) const {
    const std::size_t depth = request_.options.caller_first ? stack_.frames.size() - 1 - i : i;
    return {&stack_.frames[i], static_cast<std::uint32_t>(i), depth};
  }
  Position at_depth(std::size_t depth) const {
    return at_index(request_.options.caller_first ? stack_.frames.size() - 1 - depth : depth);
  }

  /// C libraries say of `_start` that nothing called it, in a way that not every unwinder heeds.
  bool leads_nowhere_from_start() {
    const std::size_t count = stack_.frames.size();
    if (count < 2) return false;
    if (modules_.of(*at_depth(count - 1).frame)) return false;
    const Position before = at_depth(count - 2);
    const auto module = modules_.of(*before.frame);
    if (!module) return before.frame->symbol == "_start" || before.frame->function == "_start";
    const auto found = find_native(before, *module);
    return found && found->frames.back().function == "_start";
  }

  void answer(const Position& at) {
    const auto module = modules_.of(*at.frame);
    if (!module) return fail(at, module, FrameStatus::unknown_image);
    const ModuleState& state = states_[*module];
    if (state.status != ModuleStatus::found || state.module == nullptr)
      return fail(at, module, status_without(state.status));
    if (request_.modules[*module].is_managed()) answer_managed(at, *module, *state.module);
    else answer_native(at, *module);
  }

  /// The address is looked up as `rva_`, and told as `told_address_`.
  std::optional<symcache::Found> find_native(const Position& at, std::uint32_t module) {
    const ModuleState& state = states_[module];
    const auto* const cache = state.module == nullptr ? nullptr : state.module->symcache();
    if (cache == nullptr || !set_addresses(at, request_.modules[module], cache->arch())) return std::nullopt;
    return cache->lookup(rva_, scratch_.frames, symcache::Parameters::read);
  }

  bool set_addresses(const Position& at, const ModuleInfo& info, model::Arch arch) {
    const std::uint64_t base = info.image_addr;
    std::uint64_t address = at.frame->instruction_addr;
    stays_relative_ = at.frame->relative_to && base == 0;
    if (stays_relative_) {  // of WebAssembly: nothing is known of return addresses
      rva_ = {address};
      told_address_ = original_address_ = address;
      return true;
    }
    if (at.frame->relative_to && address > std::numeric_limits<std::uint64_t>::max() - base) return false;
    if (at.frame->relative_to) address += base;
    original_address_ = address;
    told_address_ = addresses_.of(*at.frame, at.depth, arch, address);
    if (base == 0 || told_address_ < base || told_address_ > address) return false;
    rva_ = {told_address_ - base};
    return true;
  }

  void answer_native(const Position& at, std::uint32_t module) {
    const auto found = find_native(at, module);
    if (!found) return fail(at, module, FrameStatus::missing_symbol);
    const symcache::Symcache& cache = *states_[module].module->symcache();
    OutFrame out{.status = FrameStatus::symbolicated, .original_index = at.index, .module = module};
    keep_of_client(*at.frame, out.frame);
    out.frame.package = request_.modules[module].ids.code_file;
    out.frame.instruction_addr = told_address_;
    if (stays_relative_) out.frame.relative_to = at.frame->relative_to;
    if (cache.producer_kind() != "pdb") out.frame.lang = word_of(found->language);
    FrameDetails details;
    if (request_.options.extended) {
      details.original_instruction_addr = original_address_;
      out.details = &details;
    }
    const std::size_t count = found->frames.size();
    for (std::size_t i = 0; i < count && !sink_.is_full(); ++i) {
      const std::size_t inner = request_.options.caller_first ? count - 1 - i : i;
      const bool is_outermost = inner + 1 == count;
      set_place(found->frames[inner], out.frame);
      out.path = found->frames[inner].file;
      out.frame.sym_addr =
          is_outermost ? std::optional(request_.modules[module].image_addr + found->start.value) : std::nullopt;
      if (out.details != nullptr) set_details(cache, *found, found->frames[inner], is_outermost, details);
      sink_.frame(out);
    }
  }

  static void keep_of_client(const Frame& given, Frame& out) {
    out.platform = given.platform;
    out.adjust_instruction_addr = given.adjust_instruction_addr;
    out.function_id = given.function_id;
    out.trust = given.trust;
  }

  void set_place(const symcache::Frame& from, Frame& out) {
    out.symbol = from.signature();
    out.function = from.parameters.empty() ? scratch_.names.of(from.function, Detail::symbolicator) : out.symbol;
    set_file(from.file, out);
    out.lineno = from.line;
  }

  void set_file(std::string_view path, Frame& out) {
    out.abs_path = clean_path(path, scratch_.path);
    out.filename = last_path_part(out.abs_path);
  }

  void set_details(const symcache::Symcache& cache, const symcache::Found& found, const symcache::Frame& frame,
                   bool is_outermost, FrameDetails& out) {
    out.column = frame.column;
    out.confidence = frame.line != 0 || !frame.file.empty()           ? "line"
                     : found.kind == model::SymbolKind::public_symbol ? "symbol"
                                                                      : "function";
    out.function_offset.reset();
    out.function_size.reset();
    out.aliases = {};
    if (!is_outermost) return;
    out.function_offset = rva_.value - found.start.value;
    out.function_size = found.size;
    scratch_.aliases.clear();
    if (const auto info = cache.function(found.index, scratch_.alias_texts))
      for (const symcache::Alias& alias : info->aliases)
        scratch_.aliases.push_back(scratch_.names.of(alias.name, Detail::symbolicator));
    out.aliases = scratch_.aliases;
  }

  void answer_managed(const Position& at, std::uint32_t module, const symbolize::Module& answering) {
    const Frame& given = *at.frame;
    const auto* const cache = answering.ppdbcache();
    const bool is_place = cache != nullptr && given.function_id && *given.function_id <= model::kMaxMethodRow &&
                          given.instruction_addr <= std::numeric_limits<std::uint32_t>::max();
    const auto row = is_place ? static_cast<std::uint32_t>(*given.function_id) : 0;
    const auto offset = static_cast<std::uint32_t>(given.instruction_addr);
    const auto place = is_place ? cache->lookup(row, offset) : std::nullopt;
    if (!place) return fail(at, module, FrameStatus::missing_symbol);
    OutFrame out{.status = FrameStatus::symbolicated, .original_index = at.index, .module = module, .frame = given};
    out.frame.package = request_.modules[module].ids.code_file;
    out.frame.lang = word_of(place->language);
    set_file(place->document, out.frame);
    out.path = place->document;
    out.frame.lineno = place->line;
    if (given.function.empty()) {
      scratch_.method.assign(place->method.scope).append(place->method.own);
      out.frame.function = scratch_.method;
    }
    const FrameDetails details{.original_instruction_addr = given.instruction_addr,
                               .function_offset = {},
                               .function_size = {},
                               .column = place->column,
                               .aliases = {},
                               .confidence = "line"};
    if (request_.options.extended) out.details = &details;
    sink_.frame(out);
  }

  void fail(const Position& at, std::optional<std::uint32_t> module, FrameStatus status) {
    const bool leads_nowhere = status == FrameStatus::missing_symbol || status == FrameStatus::unknown_image;
    if (leads_nowhere && at.frame->trust == Trust::scan) return;
    OutFrame out{.status = status, .original_index = at.index, .module = module, .frame = *at.frame};
    if (module) out.frame.package = request_.modules[*module].ids.code_file;
    demangle_of_client(out.frame);
    sink_.frame(out);
  }

  /// A client that knows one name of a function may not know that it is mangled.
  void demangle_of_client(Frame& frame) {
    if (frame.function.empty() == frame.symbol.empty()) return;
    const std::string_view given = frame.function.empty() ? frame.symbol : frame.function;
    const std::string_view shown = scratch_.names.of(given, Detail::symbolicator);
    if (shown == given) return;
    frame.symbol = given;
    frame.function = shown;
  }

  const Request& request_;
  const ModuleMap& modules_;
  std::span<const ModuleState> states_;
  const Stack& stack_;
  const CallAddresses addresses_;
  Scratch& scratch_;
  FrameSink& sink_;

  // of the frame that is being answered
  model::Rva rva_;
  std::uint64_t told_address_ = 0, original_address_ = 0;
  bool stays_relative_ = false;
};

}  // namespace

Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

void symbolicate(const Request& request, const ModuleMap& modules, std::span<const ModuleState> states,
                 Scratch& scratch, FrameSink& sink) {
  for (const Stack& stack : request.stacks) StackAnswerer(request, modules, states, stack, scratch, sink).run();
}

}  // namespace symcached::stacks
