/// The C functions of symcached.h over symbolize/. Everything that can throw runs inside of guarded().
#include <symcached/symcached.h>

#include <expected>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"
#include "model/managed_module.hpp"
#include "symbolize/open_module.hpp"

namespace symbolize = symcached::symbolize;

struct symcached_module {
  explicit symcached_module(symbolize::OpenedModule from)
      : opened(std::move(from)), debug_id(opened.module().debug_id().breakpad()) {}
  symbolize::OpenedModule opened;
  std::string debug_id;
};

struct symcached_answer {
  symbolize::Answer answer;
  std::vector<symcached_frame> frames;
};

namespace {

using symcached::guarded;
using symcached::put_error;
using symcached::model::Rva;

std::vector<std::string> debug_folders_of(const symcached_open_options& options) {
  if (options.debug_directory_count == 0) return {symbolize::kDebugFolder};
  return {options.debug_directories, options.debug_directories + options.debug_directory_count};
}

/// @param open  gets what symbolize/ takes
template <class Open>
symcached_module* opened(const symcached_open_options* given, char* error, std::size_t size, const Open& open) {
  return guarded<symcached_module*>(nullptr, error, size, [&]() -> symcached_module* {
    const symcached_open_options options = symcached::whole(given);
    const std::vector<std::string> folders = debug_folders_of(options);
    symbolize::OpenOptions how{.far = {.debug_folders = folders}, .threads = std::max(1u, options.threads)};
    if (options.max_unpacked != 0) how.inflate = symcached::InflateLimits::exactly(options.max_unpacked);
    auto module = open(how);
    if (module) return std::make_unique<symcached_module>(*std::move(module)).release();
    put_error(module.error(), error, size);
    return nullptr;
  });
}

symbolize::AnswerOptions answer_options_of(std::uint32_t flags) {
  symbolize::AnswerOptions options;
  if ((flags & SYMCACHED_LINKAGE_NAMES) != 0) options.names = symbolize::FunctionNames::linkage;
  if ((flags & SYMCACHED_NO_NAMES) != 0) options.names = symbolize::FunctionNames::none;
  if ((flags & SYMCACHED_NO_PARAMETERS) != 0) options.detail = symcached::demangle::Detail::no_parameters;
  options.demangle = (flags & SYMCACHED_NO_DEMANGLE) == 0;
  options.inlines = (flags & SYMCACHED_NO_INLINES) == 0;
  return options;
}

symcached_text text_of(std::string_view text) { return {text.empty() ? "" : text.data(), text.size()}; }

std::string_view language_of(const symbolize::Answer& answer) {
  using symcached::model::Language;
  return answer.language() == Language::unknown ? std::string_view() : name_of(answer.language());
}

int ask(const symcached_module* module, const symbolize::Place& place, std::uint32_t flags, symcached_answer* out) {
  if (out == nullptr) return -1;
  out->frames.clear();
  return guarded(-1, nullptr, 0, [&] {
    const symbolize::Answer& answer = out->answer;
    module->opened.module().ask(place, answer_options_of(flags), out->answer);
    const symcached_text language = text_of(language_of(answer));
    for (const symbolize::Frame& frame : answer.frames())
      out->frames.push_back({.function = text_of(frame.function),
                             .file = text_of(frame.file),
                             .language = language,
                             .function_start = answer.start().value,
                             .function_size = answer.size(),
                             .line = frame.line,
                             .column = frame.column,
                             .is_inlined = frame.is_inlined ? 1u : 0u});
    return static_cast<int>(out->frames.size());
  });
}

}  // namespace

std::uint32_t symcached_abi_version(void) { return SYMCACHED_ABI_VERSION; }
const char* symcached_version(void) { return SYMCACHED_VERSION; }

symcached_module* symcached_open(const char* path, const symcached_open_options* options, char* error,
                                 std::size_t error_size) {
  return opened(options, error, error_size,
                [&](const symbolize::OpenOptions& how) { return symbolize::OpenedModule::open(path, how); });
}

symcached_module* symcached_open_bytes(const void* bytes, std::size_t size, const symcached_open_options* options,
                                       char* error, std::size_t error_size) {
  const symcached::Bytes all(static_cast<const std::byte*>(bytes), size);
  return opened(options, error, error_size,
                [&](const symbolize::OpenOptions& how) { return symbolize::OpenedModule::from_bytes(all, how); });
}

void symcached_close(symcached_module* module) { delete module; }

int symcached_is_managed(const symcached_module* module) { return module->opened.module().is_managed() ? 1 : 0; }

const void* symcached_cache(const symcached_module* module, std::size_t* size) {
  const symcached::Bytes cache = module->opened.module().cache();
  *size = cache.size();
  return cache.data();
}

const char* symcached_debug_id(const symcached_module* module) { return module->debug_id.c_str(); }

int symcached_image_base(const symcached_module* module, std::uint64_t* base) {
  const auto stated = module->opened.stated_image_base();
  if (stated) *base = *stated;
  return stated ? 1 : 0;
}

const char* symcached_warning(const symcached_module* module, std::size_t index) {
  const std::vector<std::string>& all = module->opened.warnings();
  return index < all.size() ? all[index].c_str() : nullptr;
}

symcached_answer* symcached_answer_new(void) { return new (std::nothrow) symcached_answer; }
void symcached_answer_free(symcached_answer* answer) { delete answer; }

int symcached_lookup(const symcached_module* module, std::uint64_t address, std::uint32_t flags,
                     symcached_answer* answer) {
  return ask(module, Rva{address}, flags, answer);
}

int symcached_lookup_method(const symcached_module* module, std::uint32_t method, std::uint32_t il_offset,
                            std::uint32_t flags, symcached_answer* answer) {
  const std::uint32_t row =
      symcached::model::is_method_token(method) ? method & symcached::model::kMaxMethodRow : method;
  return ask(module, symbolize::MethodPlace{row, il_offset}, flags, answer);
}

const symcached_frame* symcached_frames(const symcached_answer* answer) { return answer->frames.data(); }
