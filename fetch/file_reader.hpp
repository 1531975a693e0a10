#pragma once
/// The one door to bytes that anybody may have made: what looks into a file is behind it, and a server puts another
/// process there.
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "fetch/glimpse.hpp"
#include "fetch/outcome.hpp"
#include "fetch/unpack.hpp"
#include "net/task.hpp"
#include "sources/module_ids.hpp"

namespace symcached::fetch {

/// Outlives every task. `file` stays open until the task is done; it may be open for writing, too, so who hands it on
/// opens it again for reading alone.
class FileReader {
 public:
  using Ids = std::vector<sources::FileRequest>;
  virtual ~FileReader() = default;

  /// As unpack() of unpack.hpp: one layer. `sink` is called from one thread at a time, any one.
  virtual Task<std::expected<void, FileError>> unpack(Wrapper wrapper, int file, std::uint64_t offset, Limits limits,
                                                      ByteSink sink) = 0;
  /// As verify() of verify.hpp, over `size` bytes from `offset` on.
  virtual Task<std::expected<std::string, FileError>> verify(Wanted wanted, int file, std::uint64_t offset,
                                                             std::uint64_t size) = 0;
  /// As stated_ids() of stated_ids.hpp, over `size` bytes from `offset` on.
  virtual Task<std::expected<Ids, FileError>> state_ids(int file, std::uint64_t offset, std::uint64_t size) = 0;
  /// As glimpse_of() of glimpse.hpp, over a file of which only the known parts are there.
  virtual Task<std::expected<Glimpse, FileError>> glimpse(int file, std::vector<FilePart> known) = 0;
};

/// Reads in this process, for commands: a file that is cut while it is read ends it.
FileReader& reader_of_this_process();

}  // namespace symcached::fetch
