#include "profiling/sampling/tcmalloc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>

namespace symcached::pprof {
// The C interface of gperftools has no heap samples, and MallocExtension is all virtual: what we can call by name are
// the class's own definitions, which ask the real allocator for what they print. Weak: where the program has another
// allocator they are null.
struct MallocExtension;
MallocExtension* tcmalloc_instance() __asm__("_ZN15MallocExtension8instanceEv") __attribute__((weak));
void tcmalloc_heap_sample(MallocExtension*, std::string*) __asm__(
    "_ZN15MallocExtension13GetHeapSampleEPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") __attribute__((weak));
void tcmalloc_heap_growth(MallocExtension*, std::string*) __asm__(
    "_ZN15MallocExtension19GetHeapGrowthStacksEPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")
    __attribute__((weak));

namespace {

/// Weak names that nothing defined when the program was linked are not looked for again when a library is preloaded.
template <class Function>
Function* resolve(Function* linked, const char* name) {
  return linked != nullptr ? linked : reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

std::optional<std::string> ask(void (*question)(MallocExtension*, std::string*)) {
  const auto get = resolve(tcmalloc_instance, "_ZN15MallocExtension8instanceEv");
  MallocExtension* extension = get != nullptr && question != nullptr ? get() : nullptr;
  if (extension == nullptr) return std::nullopt;
  std::string text;
  question(extension, &text);
  return text;
}

/// A cursor over one line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  template <class Number>
  bool number(Number& out, int base = 10) {
    skip("");
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out, base);
    if (read.ec != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// `1: 100 [2: 200] @`
bool read_counts(Line& line, Sample& out) {
  return line.number(out.count) && line.skip(":") && line.number(out.value) && line.skip("[") &&
         line.number(out.allocated_count) && line.skip(":") && line.number(out.allocated_bytes) && line.skip("]") &&
         line.skip("@");
}

std::optional<Sample> read_sample(std::string_view text) {
  Line line(text);
  Sample sample;
  if (!read_counts(line, sample)) return std::nullopt;
  std::uintptr_t address = 0;
  while (sample.stack.size() < kMaxFrames && line.skip("0x") && line.number(address, 16))
    sample.stack.push_back(address);
  if (sample.stack.empty() || sample.stack.front() == 0 || sample.count < 0) return std::nullopt;
  return sample;
}

}  // namespace

std::optional<std::string> tcmalloc_heap_text() {
  return ask(resolve(tcmalloc_heap_sample,
                     "_ZN15MallocExtension13GetHeapSampleEPNSt7__cxx1112basic_stringIcSt11char_"
                     "traitsIcESaIcEEE"));
}

std::optional<std::string> tcmalloc_growth_text() {
  return ask(resolve(tcmalloc_heap_growth,
                     "_ZN15MallocExtension19GetHeapGrowthStacksEPNSt7__cxx1112basic_stringIcSt11char_"
                     "traitsIcESaIcEEE"));
}

std::expected<Profile, std::string> parse_heap_text(std::string_view text, Kind kind) {
  Profile profile{.kind = kind, .start = std::chrono::system_clock::now()};
  bool begun = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!begun) {
      Line header(line);
      Sample all;
      if (!header.skip("heap profile:") || !read_counts(header, all)) continue;
      begun = true;
      if (kind == Kind::heap && (!header.skip("heap_v2/") || !header.number(profile.period) || profile.period <= 0))
        return std::unexpected("it samples nothing");
    } else if (line.empty() || line.starts_with("MAPPED_LIBRARIES")) {
      break;
    } else if (auto sample = read_sample(line)) {
      profile.samples.push_back(std::move(*sample));
    }
  }
  if (!begun) return std::unexpected("its profile has no header");
  return profile;
}

}  // namespace symcached::pprof
