#include "profiling/legacy.hpp"

#include <fmt/format.h>

#include <cstring>

namespace symcached::pprof {
namespace {

/// Old readers take a stack of one line of text at most 64 KiB long; kMaxFrames of 19 characters are far below.
static_assert(kMaxFrames * 19 < (64 << 10));

void append_stack(std::string& out, const Sample& sample) {
  out += " @";
  for (const std::uintptr_t address : sample.stack) fmt::format_to(std::back_inserter(out), " {:#x}", address);
  out += '\n';
}

/// The words are of this machine, as the clients expect them.
void append_word(std::string& out, std::uint64_t word) {
  const auto native = static_cast<std::uintptr_t>(word);
  out.append(reinterpret_cast<const char*>(&native), sizeof(native));
}

/// @param clock_ns  between samples
std::uint64_t period_us(std::int64_t clock_ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, clock_ns / 1000));
}

/// Clients multiply the counts by this and call it time, so only clocks may have more than 1.
std::uint64_t cpu_period(const Profile& profile) {
  const bool is_clock =
      profile.kind == Kind::cpu || profile.event.starts_with("cpu-clock") || profile.event.starts_with("task-clock");
  return is_clock ? period_us(profile.period) : 1;
}

std::string cpu(const Profile& profile, std::span<const MappedModule> modules) {
  std::string out;
  for (const std::uint64_t word :
       {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{0}, cpu_period(profile), std::uint64_t{0}})
    append_word(out, word);
  for (const Sample& s : profile.samples) {
    if (s.stack.empty() || s.stack.front() == 0 || s.count <= 0) continue;  // what ends the file for google-pprof
    append_word(out, static_cast<std::uint64_t>(s.count));
    append_word(out, s.stack.size());
    for (const std::uintptr_t address : s.stack) append_word(out, address);
  }
  for (const std::uint64_t word : {0, 1, 0}) append_word(out, word);
  return out + maps_text(modules);
}

/// In use, and all that was ever allocated; the former twice where the latter is not known.
struct Amounts {
  std::int64_t count, bytes, all_count, all_bytes;
};

Amounts amounts_of(const Sample& s) {
  const bool knows_all = s.allocated_count != 0 || s.allocated_bytes != 0;
  return {s.count, s.value, knows_all ? s.allocated_count : s.count, knows_all ? s.allocated_bytes : s.value};
}

void append_amounts(std::string& out, const Amounts& a) {
  fmt::format_to(std::back_inserter(out), "{:6}: {:8} [{:6}: {:8}]", a.count, a.bytes, a.all_count, a.all_bytes);
}

/// @param type  what stands behind the '@' of the first line
std::string memory(const Profile& profile, std::span<const MappedModule> modules, std::string_view type) {
  Amounts sum{};
  std::string rows;
  for (const Sample& s : profile.samples) {
    const Amounts a = amounts_of(s);
    if (a.count <= 0 && a.bytes != 0) continue;  // a block of no object, which no client takes
    sum = {sum.count + a.count, sum.bytes + a.bytes, sum.all_count + a.all_count, sum.all_bytes + a.all_bytes};
    append_amounts(rows, a);
    append_stack(rows, s);
  }
  std::string out = "heap profile: ";
  append_amounts(out, sum);
  return out + fmt::format(" @ {}\n", type) + rows + "\nMAPPED_LIBRARIES:\n" + maps_text(modules);
}

std::string contention(const Profile& profile, std::span<const MappedModule> modules) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(profile.duration).count();
  // No other keys, and no other heading of the maps: `go tool pprof` refuses them.
  std::string out = fmt::format(
      "--- contentionz 1 ---\ncycles/second = 1000000000\nsampling period = {}\nms since reset = {}\n"
      "discarded samples = {}\n",
      std::max<std::int64_t>(1, profile.period), ms, profile.lost);
  for (const Sample& s : profile.samples) {
    fmt::format_to(std::back_inserter(out), "{:8} {:8}", s.value, s.count);
    append_stack(out, s);
  }
  return out + "--- Memory map: ---\n" + maps_text(modules);
}

/// A name that every client takes for the name of a module.
std::string shown_path(const std::string& path) {
  std::string shown = path;
  if (shown.empty() || shown.front() == '[') {
    std::erase_if(shown, [](char c) { return c == '[' || c == ']'; });
    shown.insert(0, "/anon/");
  }
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return shown;
}

}  // namespace

std::string maps_text(std::span<const MappedModule> modules) {
  std::string out;
  for (const MappedModule& m : modules)
    fmt::format_to(std::back_inserter(out), "{:08x}-{:08x} r-xp {:08x} 00:00 0          {}\n", m.begin, m.end,
                   m.file_offset, shown_path(m.path));
  return out;
}

std::string legacy(const Profile& profile, std::span<const MappedModule> modules) {
  switch (profile.kind) {
    case Kind::heap:
      return memory(profile, modules, fmt::format("heap_v2/{}", std::max<std::int64_t>(1, profile.period)));
    case Kind::growth: return memory(profile, modules, "growth");
    case Kind::contention: return contention(profile, modules);
    case Kind::cpu:
    case Kind::pmu:
    case Kind::threads: break;
  }
  return cpu(profile, modules);
}

}  // namespace symcached::pprof
