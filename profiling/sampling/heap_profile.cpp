#include <dlfcn.h>

#include <map>

#include "base/sanitizers.hpp"
#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/hooked_heap.hpp"
#include "profiling/sampling/tcmalloc.hpp"

namespace symcached::pprof {
namespace {

constexpr const char* kPreload =
    "start it with LD_PRELOAD=libsymcached_pprof.so, which samples what malloc gives, or with tcmalloc of gperftools "
    "and TCMALLOC_SAMPLE_PARAMETER=524288";

bool has(const char* name) { return ::dlsym(RTLD_DEFAULT, name) != nullptr; }

bool sanitized() { return kSanitized || has("__asan_init") || has("__tsan_init") || has("__msan_init"); }

Refusal refuse_other_allocator() {
  if (has("mallctl"))
    return {501, std::string("the program's allocator is jemalloc, which writes its profiles itself (prof.dump); or ") +
                     kPreload};
  return {501, std::string("the program's allocator keeps no account of its memory; ") + kPreload};
}

/// tcmalloc lists each sampled object, and tells nothing of those that were freed.
std::vector<Sample> merged(const std::vector<Sample>& samples) {
  std::map<std::vector<std::uintptr_t>, Sample> by_stack;
  for (const Sample& sample : samples) {
    Sample& all = by_stack[sample.stack];
    all.count += sample.count;
    all.value += sample.value;
  }
  std::vector<Sample> out;
  for (auto& [stack, sample] : by_stack) {
    sample.stack = stack;
    out.push_back(std::move(sample));
  }
  return out;
}

Answer<Profile> from_hook(HookedHeap heap) {
  if (!heap.off.empty()) return std::unexpected(Refusal{501, "memory is not sampled: " + heap.off});
  Profile profile{.kind = Kind::heap, .samples = std::move(heap.samples), .period = heap.rate};
  profile.lost = heap.lost;
  profile.start = std::chrono::system_clock::now();
  return profile;
}

}  // namespace

Answer<Profile> heap_profile() {
  if (sanitized()) return std::unexpected(Refusal{501, "the program runs under a sanitizer, which has its own malloc"});
  const auto text = tcmalloc_heap_text();
  if (text) {
    if (auto profile = parse_heap_text(*text, Kind::heap)) {
      profile->samples = merged(profile->samples);
      return *std::move(profile);
    }
  }
  if (hooked_heap != nullptr) return from_hook(hooked_heap());
  if (!text) return std::unexpected(refuse_other_allocator());
  return std::unexpected(Refusal{503,
                                 "tcmalloc samples nothing: start the program with TCMALLOC_SAMPLE_PARAMETER=524288 in "
                                 "its environment, the mean number of bytes between samples"});
}

Answer<Profile> growth_profile() {
  if (sanitized()) return std::unexpected(Refusal{501, "the program runs under a sanitizer, which has its own malloc"});
  const auto text = tcmalloc_growth_text();
  if (!text)
    return std::unexpected(Refusal{501,
                                   "only tcmalloc of gperftools keeps account of what it takes from the system, and "
                                   "the program's allocator is another one; ask for the heap instead"});
  auto profile = parse_heap_text(*text, Kind::growth);
  if (!profile) return std::unexpected(Refusal{501, "tcmalloc has no account of what it took: " + profile.error()});
  return *std::move(profile);
}

}  // namespace symcached::pprof
