#pragma once
/// For tests: sources that answer at once, from tables.
#include <map>
#include <memory>
#include <string>

#include "profiling/sources.hpp"

namespace symcached::pprof {

/// Frames by exact address.
class FakeNaming : public Naming {
 public:
  std::map<std::uintptr_t, std::vector<NamedFrame>> known;

  std::vector<std::vector<NamedFrame>> name(std::span<const std::uintptr_t> addresses, NamingOptions) override {
    std::vector<std::vector<NamedFrame>> named;
    for (const std::uintptr_t address : addresses) {
      const auto found = known.find(address);
      named.push_back(found == known.end() ? std::vector<NamedFrame>() : found->second);
    }
    return named;
  }
  std::size_t symbol_count() override { return known.size(); }
};

/// 0x1000..0x3000 is /bin/app, 0x7000..0x8000 the vdso.
inline std::vector<MappedModule> fake_modules() {
  return {{0x1000, 0x3000, 0x400, "/bin/app", "abcd"}, {0x7000, 0x8000, 0, "[vdso]", ""}};
}

inline std::shared_ptr<FakeNaming> fake_naming() {
  auto naming = std::make_shared<FakeNaming>();
  naming->known[0x1100] = {{"inner", "/src/a.h", 7, 5}, {"_ZN2ns5outerEv", "/src/a.cpp", 20, 10}};
  naming->known[0x2000] = naming->known[0x1fff] = {{"main", "/src/a.cpp", 99, 90}};
  return naming;
}

/// Every sampler gives `profile` as its own kind; those that take time note how long they were asked for.
struct FakeSources {
  Profile profile = {.samples = {{.stack = {0x1100, 0x2000}, .count = 3, .value = 30'000'000}}};
  std::chrono::milliseconds asked{0};
  CpuOptions cpu_options;
  PmuOptions pmu_options;

  Sources sources() {
    const auto give = [this](Kind kind) -> Answer<Profile> {
      Profile made = profile;
      made.kind = kind;
      return made;
    };
    return {
        .cpu = [=, this](CpuOptions options, std::stop_token) { return cpu_options = options, give(Kind::cpu); },
        .pmu = [=, this](PmuOptions options, std::stop_token) { return pmu_options = options, give(Kind::pmu); },
        .events = [] { return std::vector<std::string>{"cpu-clock", "page-faults"}; },
        .heap = [=] { return give(Kind::heap); },
        .growth = []() -> Answer<Profile> { return std::unexpected(Refusal{501, "no account\nof memory"}); },
        .contention = [=, this](std::optional<std::chrono::milliseconds> duration,
                                std::stop_token) { return asked = duration.value_or(asked), give(Kind::contention); },
        .threads = [=] { return give(Kind::threads); },
        .modules = fake_modules,
        .naming = fake_naming()};
  }
};

}  // namespace symcached::pprof
