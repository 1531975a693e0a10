#pragma once
/// A symcache that came in part, kept for the run that goes on with it.
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "client/part_state.hpp"

namespace symcached::client {

inline constexpr std::chrono::hours kOldestPart{24};  ///< since its last byte came; older ones are removed

/// Two files in a folder: NAME.pending with the bytes, NAME.state with what was announced. Whoever has one has it
/// alone, among all processes. When it is dropped it stays, if there is something to go on with.
class UnfinishedFile {
 public:
  enum class If : std::uint8_t { it_is_there, it_can_be_had };

  /// @param identity  of what is downloaded, any text
  /// @return nothing if somebody else has it now, or the folder can hold none
  static std::optional<UnfinishedFile> open(const std::filesystem::path& folder, std::string_view identity, If when);
  UnfinishedFile(UnfinishedFile&&) = default;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  /// What there is to go on with, and how much of it: 1 byte at least, and one less than announced at most, so that it
  /// is always the server who says that it is whole.
  struct Part {
    Announced announced;
    std::uint64_t bytes = 0;
  };
  std::optional<Part> part() const;
  /// Empties it. Without a state that can be resumed it does not outlive this object. @return 0, or errno
  int begin(const Announced& announced);
  /// Nothing of it is kept.
  void discard() { is_of_use_ = false; }

  int descriptor() const { return file_.get(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  UnfinishedFile(Descriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
  std::filesystem::path state_path() const;

  Descriptor file_;  ///< locked
  std::filesystem::path path_;
  bool is_of_use_ = true;
};

/// Removes what is older than kOldestPart and nobody has open.
void remove_old_parts(const std::filesystem::path& folder);

}  // namespace symcached::client
