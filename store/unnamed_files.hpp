#pragma once
/// Entries for one command: files without a name on any disk, gone with the process however it ends.
#include <deque>
#include <mutex>
#include <unordered_map>

#include "store/files.hpp"

namespace symcached::store {

class UnnamedFiles final : public Files {
 public:
  /// Descriptors held open; the entry published first is forgotten for one more.
  static constexpr std::size_t kMostKept = 512;

  /// In $TMPDIR, /tmp or /var/tmp, whichever takes such files first; otherwise in memory.
  std::expected<NewFile, Failure> create() override;
  std::expected<void, Failure> publish(NewFile file, const std::string& name) override;
  std::expected<Descriptor, int> open(const std::string& name) override;
  void remove(const std::string& name) override;
  std::filesystem::path path(const std::string& name) const override { return "(temporary) " + name; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Descriptor> kept_;
  std::deque<std::string> order_;  ///< of kept_, the oldest first
};

}  // namespace symcached::store
