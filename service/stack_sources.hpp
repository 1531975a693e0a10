#pragma once
/// The use-case: sources of the modules of stack traces, found and opened.
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/task.hpp"
#include "service/cache_service.hpp"
#include "service/candidates.hpp"
#include "service/recently_used.hpp"
#include "service/request_texts.hpp"
#include "service/source_files.hpp"
#include "stacks/source_context.hpp"

namespace symcached::service {

/// Safe to use from any thread. Its tasks run on threads that may wait for the disk.
class StackSources {
 public:
  /// All outlive it. @param files  null: nothing is fetched from where debug files say that it is
  StackSources(CacheService& service, Candidates& candidates, SourceFiles* files)
      : service_(service), candidates_(candidates), files_(files) {}

  /// Of modules that were found: what their debug files hold or know, source bundles, and what those link to. Tells in
  /// `states` who has any, and what was fetched. What is passed by reference lives until the task is done.
  /// @return the sources; null: there are none
  Task<std::unique_ptr<stacks::SourceTexts>> find(const stacks::Request& request, const stacks::ModuleMap& map,
                                                  std::span<stacks::ModuleState> states, std::string scope,
                                                  SharedSources sources);

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    SharedTable table;  ///< null: there is none
    Clock::time_point look_again;
  };
  /// What a module has of one use; filled in when it was looked for.
  struct Place {
    std::size_t module;
    SharedTable table;
  };

  Task<std::unique_ptr<RequestTexts>> open(const stacks::Request& request, std::span<stacks::ModuleState> states,
                                           std::string scope, SharedSources sources);
  Task<SharedTable> look(CacheQuery query, std::string name, SharedSources sources);
  Task<void> fetch(const stacks::Request& request, std::span<stacks::ModuleState> states, std::string scope,
                   std::vector<RequestTexts::Linked> linked);
  Task<SourceFileAnswer> get(SourceFileOrder order);

  CacheService& service_;
  Candidates& candidates_;
  SourceFiles* const files_;
  RecentlyUsed<Known> tables_{64u << 20};
  LinesMemory lines_{64u << 20};
};

}  // namespace symcached::service
