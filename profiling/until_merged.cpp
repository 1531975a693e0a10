/// Refusals in place of the samplers and of names, which are made elsewhere at the same time. To be deleted then.
#include "profiling/collect.hpp"
#include "profiling/naming.hpp"

namespace symcached::pprof {
namespace {

std::unexpected<Refusal> not_here() { return std::unexpected(Refusal{501, "this profile is not part of this build"}); }

class NoNames : public Naming {
 public:
  std::vector<std::vector<NamedFrame>> name(std::span<const std::uintptr_t> addresses, NamingOptions) override {
    return std::vector<std::vector<NamedFrame>>(addresses.size());
  }
  std::size_t symbol_count() override { return 0; }
};

}  // namespace

Answer<Profile> cpu_profile(CpuOptions, std::stop_token) { return not_here(); }
Answer<Profile> pmu_profile(PmuOptions, std::stop_token) { return not_here(); }
std::vector<std::string> usable_events() { return {}; }
Answer<Profile> heap_profile() { return not_here(); }
Answer<Profile> growth_profile() { return not_here(); }
Answer<Profile> contention_profile(std::optional<std::chrono::milliseconds>, std::stop_token) { return not_here(); }
Answer<Profile> threads_profile() { return not_here(); }
std::unique_ptr<Naming> symbol_table_naming() { return std::make_unique<NoNames>(); }
std::vector<MappedModule> mapped_modules() { return {}; }

}  // namespace symcached::pprof
