#include <dlfcn.h>
#include <linux/perf_event.h>

#include "profiling/sampling/pmu_event.hpp"

namespace symcached::pprof {
namespace {

// libpfm4's interface as pfm_get_os_event_encoding(3) and pfm_get_perf_event_encoding(3) describe it. Its header is
// not included, since it defines perf_event_attr, too.
struct EncodeArguments {
  perf_event_attr* attributes;
  char** full_name;
  std::size_t size;
  int index;
  int cpu;
  int flags;
  int padding;
};
static_assert(sizeof(EncodeArguments) == 40);
constexpr int kPerfEvent = 1;  // PFM_OS_PERF_EVENT
constexpr int kUserLevel = 8;  // PFM_PLM3
using Initialize = int();
using Encode = int(const char*, int, int, void*);
using ErrorText = const char*(int);

struct Library {
  Encode* encode = nullptr;
  ErrorText* error_text = nullptr;
};

Library load() {
  void* handle = ::dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {};
  const auto initialize = reinterpret_cast<Initialize*>(::dlsym(handle, "pfm_initialize"));
  const Library library{reinterpret_cast<Encode*>(::dlsym(handle, "pfm_get_os_event_encoding")),
                        reinterpret_cast<ErrorText*>(::dlsym(handle, "pfm_strerror"))};
  const bool whole = initialize != nullptr && library.encode != nullptr && library.error_text != nullptr;
  return whole && initialize() == 0 ? library : Library{};
}

}  // namespace

Answer<PmuEvent> ask_libpfm(const std::string& text) {
  static const Library library = load();  // stays loaded
  if (library.encode == nullptr)
    return std::unexpected(Refusal{400, "the event \"" + text +
                                            "\" is none that each machine has, and libpfm4, which knows the others, is "
                                            "not installed (libpfm.so.4)"});
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  EncodeArguments arguments{.attributes = &attributes, .size = sizeof(EncodeArguments)};
  const int result = library.encode(text.c_str(), kUserLevel, kPerfEvent, &arguments);
  if (result != 0)
    return std::unexpected(
        Refusal{400, "libpfm4 does not take the event \"" + text + "\": " + library.error_text(result)});
  PmuEvent event{.name = text, .type = attributes.type, .config = attributes.config};
  event.config1 = attributes.config1;
  event.config2 = attributes.config2;
  return event;
}

}  // namespace symcached::pprof
