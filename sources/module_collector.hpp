#pragma once
/// Fills a ModuleList within its bounds.
#include <string>
#include <unordered_set>
#include <utility>

#include "sources/module_list.hpp"

namespace symcached::sources {

class ModuleCollector {
 public:
  void module(ModuleIds module) {
    std::string key;
    for (const std::string& part : {module.code_file, module.debug_file, module.code_id,
                                    module.debug_id ? module.debug_id->breakpad() : std::string()})
      (key += part) += '\0';
    if (seen_.insert(std::move(key)).second) list_.modules.push_back(std::move(module));
  }
  void unknown(std::string_view text) {
    ++list_.unknown;
    if (list_.first_unknown.size() < kMostQuoted) list_.first_unknown.emplace_back(text.substr(0, kMaxQuoted));
  }
  bool is_full() const { return list_.modules.size() >= kMaxModules; }
  ModuleList finish() && { return std::move(list_); }

 private:
  ModuleList list_;
  std::unordered_set<std::string> seen_;
};

/// @return nothing, or what is wrong with the JSON
std::expected<void, std::string> collect_json(std::string_view text, ModuleCollector& out);

}  // namespace symcached::sources
