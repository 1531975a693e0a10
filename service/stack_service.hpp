#pragma once
/// The use-case: the modules of stack traces, found and opened.
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/task.hpp"
#include "service/cache_service.hpp"
#include "service/candidates.hpp"
#include "service/open_modules.hpp"
#include "service/stack_sources.hpp"
#include "stacks/symbolicate.hpp"

namespace symcached::service {

struct StackOptions {
  std::uint64_t memory = std::uint64_t{256} << 20;    ///< bytes of caches kept open
  std::chrono::milliseconds download_limit{300'000};  ///< of a download, for texts
  SourceFiles* source_files = nullptr;                ///< null: Source Link is told, and not followed. Outlives it
};

/// For as long as an answer is made.
struct FoundModules {
  std::vector<stacks::ModuleState> states;     ///< one for each module of the request
  std::vector<OpenModule> open;                ///< what they point to
  std::unique_ptr<stacks::SourceTexts> texts;  ///< lines around frames; null: none are wanted, or known
};

struct StackStats {
  OpenModuleStats open;
  std::uint64_t candidates_asked = 0;  ///< places
};

/// Opens a source as a request describes it. @return the source, or what is wrong with the description
using OpenSource =
    std::function<std::expected<std::unique_ptr<fetch::Source>, std::string>(const sources::SourceConfig&)>;

/// Safe to use from any thread. Its tasks run on threads that may wait for the disk.
class StackService {
 public:
  /// `service` outlives it.
  StackService(CacheService& service, OpenSource open_source, StackOptions options)
      : service_(service),
        open_source_(std::move(open_source)),
        candidates_(service.originals(), service.features(), options.download_limit),
        modules_(options.memory),
        texts_(service, candidates_, options.source_files) {}

  /// Those of a request; what cannot be opened is left out. @param wanted  null: those of the server
  SharedSources sources_of(const std::vector<sources::SourceConfig>* wanted) const;
  /// A module of the request, as soon as it was looked for. Called from any thread.
  using Tell = std::function<void(std::size_t module, const stacks::ModuleState& state, OpenModule open)>;
  /// All modules that frames lead into, side by side.
  Task<FoundModules> find(const stacks::Request& request, const stacks::ModuleMap& map, std::string scope,
                          SharedSources sources, Tell tell = {});
  StackStats stats() const { return {modules_.stats(), candidates_.asked()}; }

 private:
  struct One {
    stacks::ModuleState state;
    OpenModule open;
  };
  Task<One> find_and_tell(CacheQuery query, SharedSources sources, stacks::Options options, std::size_t module,
                          Tell tell);
  Task<One> find_one(CacheQuery query, SharedSources sources, stacks::Options options);
  Task<One> look(CacheQuery query, SharedSources sources);

  CacheService& service_;
  const OpenSource open_source_;
  Candidates candidates_;
  OpenModules modules_;
  StackSources texts_;
};

}  // namespace symcached::service
