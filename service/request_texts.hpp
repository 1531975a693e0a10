#pragma once
/// The source files that one request's frames lie in, from the sourcecaches of its modules.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "service/recently_used.hpp"
#include "service/source_files.hpp"
#include "service/source_table.hpp"
#include "stacks/source_context.hpp"

namespace symcached::service {

using SharedTable = std::shared_ptr<const SourceTable>;
using LinesMemory = RecentlyUsed<SharedLines>;

class RequestTexts final : public stacks::SourceTexts {
 public:
  /// @param tables  of each module of the request, the one that counts first
  /// @param memory  outlives it
  RequestTexts(std::vector<std::vector<SharedTable>> tables, LinesMemory& memory)
      : tables_(std::move(tables)), files_(tables_.size()), memory_(memory) {}

  /// A file that was met before is found by one look into a table; another one is read and unpacked.
  stacks::SourceText find(std::uint32_t module, std::string_view path) override;

  struct File {
    SharedLines lines;
    std::string link;
  };
  /// One of which only the link is known.
  struct Linked {
    std::uint32_t module;
    File* file;
  };
  /// Of those that were met. Whoever gets their text puts it there.
  std::vector<Linked> linked();
  bool may_link() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Files = std::unordered_map<std::string, File, Hash, std::equal_to<>>;

  File look_for(std::uint32_t module, std::string_view path);
  SharedLines lines_of(const SourceTable& table, const sourcecache::File& file);

  const std::vector<std::vector<SharedTable>> tables_;
  std::vector<Files> files_;  ///< by module, what was looked for
  LinesMemory& memory_;
};

}  // namespace symcached::service
