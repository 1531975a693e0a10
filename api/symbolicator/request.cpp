#include "api/symbolicator/request.hpp"

#include <algorithm>
#include <charconv>

#include "api/symbolicator/json_members.hpp"
#include "api/symbolicator/source_request.hpp"
#include "sources/module_line.hpp"
#include "sources/source_words.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;
using stacks::Frame;
using stacks::Stack;

/// What the views of a request are of.
struct Document {
  json::monotonic_resource memory;
  json::value value;
};
using DocumentPtr = std::shared_ptr<Document>;

/// Looks at brackets and commas alone, so that nothing is allocated for what is far too much.
std::optional<BodyFault> check_size(std::string_view text) {
  std::size_t values = 1, depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      else if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    else if (c == ',') ++values;
    else if (c == ']' || c == '}') depth -= depth == 0 ? 0 : 1;
    else if (c == '[' || c == '{') {
      ++values;
      if (++depth > kMaxDepth)
        return BodyFault{413, fmt::format("arrays or objects nested more than {} deep", kMaxDepth)};
    }
  }
  if (values > kMaxValues) return BodyFault{413, fmt::format("more than {} values", kMaxValues)};
  return std::nullopt;
}

std::expected<DocumentPtr, BodyFault> parse(std::string_view text) {
  if (auto fault = check_size(text)) return std::unexpected(std::move(*fault));
  auto document = std::make_shared<Document>();
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::stream_parser parser(&document->memory, options);
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (error) return std::unexpected(BodyFault{400, fmt::format("JSON, but {} at byte {}", error.message(), read)});
  document->value = parser.release();
  return document;
}

BodyFault schema_fault(std::string why) { return {422, std::move(why)}; }
BodyFault too_many(std::string_view what, std::size_t most) {
  return {413, fmt::format("{}: more than {}", what, most)};
}

stacks::Options read_options(const json::object& from, std::string& fault) {
  JsonMembers in(from, fault);
  stacks::Options options;
  in.flag("dif_candidates", options.dif_candidates);
  in.flag("apply_source_context", options.apply_source_context);
  in.flag("extended", options.extended);
  in.flag("explain", options.explain);
  std::string_view order = "callee_first";
  in.text("frame_order", order);
  options.caller_first = order == "caller_first";
  if (!options.caller_first && order != "callee_first") in.wrong("frame_order", "wanted callee_first or caller_first");
  return options;
}

/// Reads one request. The first thing that is wrong ends it.
class RequestReader {
 public:
  explicit RequestReader(DocumentPtr document) : document_(std::move(document)) { request_.memory = document_; }

  std::expected<SymbolicateBody, BodyFault> read(const SourceRules& rules) {
    const json::object* const from = document_->value.if_object();
    if (from == nullptr) return std::unexpected(schema_fault("wanted an object"));
    JsonMembers in(*from, fault_);
    in.text("platform", request_.platform);
    in.number("signal", request_.signal);
    if (const json::array* const modules = in.array("modules")) read_modules(*modules);
    if (const json::array* const stacks = in.array("stacktraces")) read_stacks(*stacks);
    if (const json::object* const options = in.object("options")) {
      std::string fault;
      request_.options = read_options(*options, fault);
      if (!fault.empty()) in.wrong("options", fault);
    }
    if (const json::object* const scraping = in.object("scraping")) {
      std::string fault;
      read_scraping(*scraping, fault);
      if (!fault.empty()) in.wrong("scraping", fault);
    }
    const json::array* const sources = in.array("sources");
    if (too_large_) return std::unexpected(std::move(*too_large_));
    if (!fault_.empty()) return std::unexpected(schema_fault(std::move(fault_)));
    RequestedSources requested;
    if (sources != nullptr) {
      auto read = read_sources(*sources, rules);
      if (!read) return std::unexpected(std::move(read.error()));
      requested = *std::move(read);
    }
    return SymbolicateBody{std::move(request_), std::move(requested)};
  }

 private:
  bool is_over() const { return too_large_ || !fault_.empty(); }
  bool fits(const json::array& all, std::string_view what, std::size_t most) {
    if (all.size() > most && !too_large_) too_large_ = too_many(what, most);
    return all.size() <= most;
  }

  /// Each of them an object that `read` takes.
  template <class Read>
  void each(const json::array& all, std::string_view name, const Read& read) {
    for (std::size_t i = 0; i < all.size() && !is_over(); ++i) {
      if (const json::object* const one = all[i].if_object()) {
        read(*one);
        place_fault(fault_, name, i);
      } else {
        fault_ = fmt::format("{}[{}]: wanted an object", name, i);
      }
    }
  }

  void read_modules(const json::array& all) {
    if (!fits(all, "modules", kMaxModules)) return;
    request_.modules.reserve(all.size());
    each(all, "modules", [&](const json::object& from) { read_module(from); });
  }

  void read_module(const json::object& from) {
    JsonMembers in(from, fault_);
    stacks::ModuleInfo& module = request_.modules.emplace_back();
    std::string_view type, code_id, debug_id;
    in.needed("type");
    in.text("type", type);
    in.text("code_id", code_id);
    in.text("debug_id", debug_id);
    in.text("code_file", module.ids.code_file);
    in.text("debug_file", module.ids.debug_file);
    in.text("debug_checksum", module.debug_checksum);
    in.address("image_addr", module.image_addr);
    in.address("image_size", module.image_size);
    module.type = sources::parse_module_type(type);
    module.ids.code_id = sources::parse_code_id(code_id).value_or("");
    module.ids.debug_id = DebugId::parse(debug_id);
    if (auto checksum = sources::parse_checksum(module.debug_checksum))
      module.ids.checksums.push_back(std::move(*checksum));
  }

  void read_scraping(const json::object& from, std::string& fault) {
    JsonMembers in(from, fault);
    in.flag("enabled", request_.options.fetch_sources);
    const json::array* const origins = in.array("allowed_origins");
    if (origins != nullptr && fits(*origins, "allowed_origins", kMaxOrigins)) {
      for (const json::value& origin : *origins) {
        const json::string* const text = origin.if_string();
        if (text == nullptr) return in.wrong("allowed_origins", "wanted texts");
        request_.scraping.allowed_origins.emplace_back(text->data(), text->size());
      }
    }
    const json::object* const headers = in.object("headers");
    if (headers == nullptr) return;
    if (headers->size() > kMaxScrapingHeaders) return in.wrong("headers", "too many");
    for (const auto& [name, value] : *headers) {
      const json::string* const text = value.if_string();
      if (text == nullptr || !sources::is_header(name, {text->data(), text->size()}))
        return in.wrong("headers", "one is no header of one line");
      request_.scraping.headers.emplace_back(std::string_view(name.data(), name.size()),
                                             std::string_view(text->data(), text->size()));
    }
  }

  void read_stacks(const json::array& all) {
    if (!fits(all, "stacktraces", kMaxStacks)) return;
    request_.stacks.reserve(all.size());
    each(all, "stacktraces", [&](const json::object& from) { read_stack(from); });
  }

  void read_stack(const json::object& from) {
    JsonMembers in(from, fault_);
    Stack& stack = request_.stacks.emplace_back();
    in.address("thread_id", stack.thread_id);
    in.text("thread_name", stack.thread_name);
    in.flag("is_requesting", stack.is_requesting);
    if (const json::object* const registers = in.object("registers")) read_registers(*registers, stack);
    in.needed("frames");
    const json::array* const frames = in.array("frames");
    if (frames == nullptr || is_over()) return;
    if (frames->size() > kMaxFrames - frames_) {
      too_large_ = too_many("frames", kMaxFrames);
      return;
    }
    frames_ += frames->size();
    stack.frames.resize(frames->size());
    std::size_t next = 0;
    each(*frames, "frames", [&](const json::object& one) { read_frame(one, stack.frames[next++]); });
  }

  void read_registers(const json::object& from, Stack& stack) {
    stack.has_registers = true;
    if (from.size() > kMaxRegisters) {
      too_large_ = too_many("registers", kMaxRegisters);
      return;
    }
    stack.registers.reserve(from.size());
    for (const auto& [name, value] : from) {
      const auto content = parse_address(value);
      if (!content) return place_register_fault(name);
      stack.registers.push_back({{name.data(), name.size()}, *content});
    }
    std::ranges::sort(stack.registers, {}, &stacks::Register::name);
  }
  void place_register_fault(std::string_view name) {
    if (fault_.empty()) fault_ = fmt::format("registers.{}: wanted a number of at most 64 bits", name.substr(0, 32));
  }

  void read_frame(const json::object& from, Frame& frame) {
    JsonMembers in(from, fault_);
    in.needed("instruction_addr");
    in.address("instruction_addr", frame.instruction_addr);
    if (from.size() == 1) return;
    read_address_mode(in, frame);
    in.text("platform", frame.platform);
    in.flag("adjust_instruction_addr", frame.adjust_instruction_addr);
    in.address("function_id", frame.function_id);
    in.text("package", frame.package);
    in.text("lang", frame.lang);
    in.text("symbol", frame.symbol);
    in.address("sym_addr", frame.sym_addr);
    in.text("function", frame.function);
    in.text("filename", frame.filename);
    in.text("abs_path", frame.abs_path);
    in.number("lineno", frame.lineno);
    frame.pre_context = lines(in, "pre_context");
    in.text("context_line", frame.context_line);
    frame.post_context = lines(in, "post_context");
    in.text("source_link", frame.source_link);
    in.flag("in_app", frame.in_app);
    std::string_view trust;
    in.text("trust", trust);
    frame.trust = stacks::parse_trust(trust).value_or(stacks::Trust::none);
  }

  static void read_address_mode(JsonMembers& in, Frame& frame) {
    std::string_view mode = "abs";
    in.text("addr_mode", mode);
    if (mode == "abs") return;
    std::uint64_t module = 0;
    constexpr std::string_view kRelative = "rel:";
    const char* const end = mode.data() + mode.size();
    const bool is_relative = mode.starts_with(kRelative) && mode.size() > kRelative.size();
    if (is_relative)
      if (const auto [at, error] = std::from_chars(mode.data() + kRelative.size(), end, module);
          error == std::errc() && at == end) {
        frame.relative_to = module;
        return;
      }
    in.wrong("addr_mode", "wanted abs, or rel:N for the offset in module N");
  }

  const std::vector<std::string_view>* lines(JsonMembers& in, std::string_view key) {
    const json::array* const from = in.array(key);
    if (from == nullptr || from->empty() || is_over() || !fits(*from, key, kMaxContextLines)) return nullptr;
    std::vector<std::string_view>& all = request_.lists.emplace_back();
    all.reserve(from->size());
    for (const json::value& line : *from) {
      const json::string* const text = line.if_string();
      if (text == nullptr) in.wrong(key, "wanted texts");
      else all.emplace_back(text->data(), text->size());
    }
    return &all;
  }

  DocumentPtr document_;
  stacks::Request request_;
  std::size_t frames_ = 0;
  std::string fault_;
  std::optional<BodyFault> too_large_;
};

}  // namespace

std::expected<SymbolicateBody, BodyFault> parse_symbolicate_body(std::string_view body, const SourceRules& rules) {
  auto document = parse(body);
  if (!document) return std::unexpected(std::move(document.error()));
  return RequestReader(*std::move(document)).read(rules);
}

std::expected<RequestedSources, BodyFault> parse_sources(std::string_view text, const SourceRules& rules) {
  const auto document = parse(text);
  if (!document) return std::unexpected(document.error());
  if ((*document)->value.is_null()) return RequestedSources{};
  const json::array* const all = (*document)->value.if_array();
  if (all == nullptr) return std::unexpected(schema_fault("sources: wanted an array"));
  return read_sources(*all, rules);
}

std::expected<stacks::Options, BodyFault> parse_options(std::string_view text) {
  const auto document = parse(text);
  if (!document) return std::unexpected(document.error());
  if ((*document)->value.is_null()) return stacks::Options{};
  const json::object* const from = (*document)->value.if_object();
  if (from == nullptr) return std::unexpected(schema_fault("options: wanted an object"));
  std::string fault;
  const stacks::Options options = read_options(*from, fault);
  if (!fault.empty()) return std::unexpected(schema_fault("options." + fault));
  return options;
}

}  // namespace symcached::api
