#pragma once
/// A symcache on its way: a file that is there from the first byte on, and what an earlier run has left of it.
#include <expected>
#include <filesystem>
#include <optional>
#include <string>

#include "base/byte_sink.hpp"
#include "client/unfinished_file.hpp"
#include "transcode/directory.hpp"

namespace symcached::client {

/// Where somebody else downloads the same, it is a file of its own, and is removed when dropped.
class IncomingFile {
 public:
  /// @param identity  of what is asked for: the same text, the same symcache as a rule
  IncomingFile(transcode::SymcacheDirectory& directory, std::string identity);

  /// What there is to go on with, and a sink for what follows it. Sinks do not outlive the file.
  struct Begun {
    Announced announced;
    std::uint64_t bytes = 0;
    ByteSink sink;
  };
  std::optional<Begun> begun();
  /// A sink that writes from the file's start; what was there before is gone.
  std::expected<ByteSink, std::string> begin(const Announced& announced);
  /// There is nothing to go on with.
  void discard();
  std::filesystem::path path() const;  ///< once it was begun

 private:
  std::expected<void, std::string> begin_job();
  ByteSink sink_from(std::uint64_t at);
  std::expected<void, std::string> append(Bytes piece);

  transcode::SymcacheDirectory& directory_;
  const std::filesystem::path parts_;
  const std::string identity_;
  std::optional<UnfinishedFile> part_;
  std::optional<transcode::JobFolder> job_;  ///< instead of a part
  Descriptor job_file_;
  std::uint64_t at_ = 0;
};

/// The folder of parts in a SymCache directory.
std::filesystem::path parts_of(const transcode::SymcacheDirectory& directory);

}  // namespace symcached::client
