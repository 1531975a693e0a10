#include "profiling/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiling/demangle.hpp"
#include "profiling/profile_places.hpp"

namespace symcached::pprof {
namespace {

/// What the two numbers of a sample are.
struct Words {
  std::string_view count, value;  ///< no value: there is one number only
};

Words words_of(const Profile& profile) {
  switch (profile.kind) {
    case Kind::cpu: return {"samples", "ns"};
    case Kind::pmu: return {"samples", profile.event};
    case Kind::heap: return {"objects in use", "bytes"};
    case Kind::growth: return {"regions", "bytes"};
    case Kind::contention: return {"waits", "ns"};
    case Kind::threads: break;
  }
  return {"threads", ""};
}

std::string amounts(const Words& words, std::int64_t count, std::int64_t value) {
  if (words.value.empty()) return fmt::format("{} {}", count, words.count);
  return fmt::format("{} {}, {} {}", count, words.count, value, words.value);
}

void append_frames(std::string& out, const ProfilePlace& place) {
  if (place.frames.empty()) fmt::format_to(std::back_inserter(out), "  #  {:#x}\n", place.address);
  for (std::size_t i = 0; i < place.frames.size(); ++i) {
    const NamedFrame& frame = place.frames[i];
    fmt::format_to(std::back_inserter(out), "  #  {:#x}  {}", place.address, readable_name(frame.function));
    if (!frame.file.empty()) fmt::format_to(std::back_inserter(out), "  {}:{}", frame.file, frame.line);
    out += i + 1 < place.frames.size() ? "  (inline)\n" : "\n";
  }
}

}  // namespace

std::string profile_text(const Profile& profile, std::span<const MappedModule> modules, Naming& naming) {
  const ProfilePlaces places(profile, modules, naming);
  std::vector<const Sample*> sorted;
  std::int64_t count = 0, value = 0;
  for (const Sample& s : profile.samples) {
    sorted.push_back(&s);
    count += s.count, value += s.value;
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const Sample* s) { return std::pair(s->value, s->count); });
  const Words words = words_of(profile);
  std::string out =
      fmt::format("{} in {} stacks; lost: {}\n", amounts(words, count, value), sorted.size(), profile.lost);
  for (const Sample* s : sorted) {
    out += "\n" + amounts(words, s->count, s->value) + "\n";
    for (std::size_t depth = 0; depth < s->stack.size(); ++depth)
      append_frames(out, places.all()[places.of(*s, depth)]);
  }
  return out;
}

}  // namespace symcached::pprof
