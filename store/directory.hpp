#pragma once
/// The cache directory: entries by name, tmp/ for what is being written, a marker that says whose it is.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "store/files.hpp"
#include "store/marker.hpp"

namespace symcached::store {

enum class TemporaryFiles : std::uint8_t {
  unnamed,  ///< O_TMPFILE where the file system has it: a killed process leaves nothing
  named,    ///< as on a file system that has it not
};

class Directory final : public Files {
 public:
  /// Creates what is missing, removes nothing. `boot` is part of the names of temporary files.
  /// @return the directory, or a sentence that says what to do
  static std::expected<std::unique_ptr<Directory>, std::string> open(std::filesystem::path directory,
                                                                     std::uint64_t boot, TemporaryFiles temporary);

  std::expected<NewFile, Failure> create() override;
  /// Links a file without a name into tmp/, renames it over whatever entry was there, syncs file and directory. Goes
  /// on when somebody deletes tmp/ or the directory of the entry meanwhile.
  std::expected<void, Failure> publish(NewFile file, const std::string& name) override;
  bool publish_link(const std::string& existing, const std::string& name) override;
  std::expected<Descriptor, int> open(const std::string& name) override;
  void remove(const std::string& name) override;
  std::size_t remove_left_overs() override;
  std::filesystem::path path(const std::string& name) const override { return directory_ / name; }
  /// Whether it still is the directory that open() adopted. Puts a deleted marker back.
  bool is_ours() { return stay_owner().has_value(); }

 private:
  Directory(std::filesystem::path directory, std::uint64_t boot, TemporaryFiles temporary, Marker marker)
      : directory_(std::move(directory)),
        tmp_(directory_ / "tmp"),
        boot_(boot),
        temporary_(temporary),
        marker_(std::move(marker)) {}

  std::expected<void, Failure> stay_owner();
  std::expected<NewFile, Failure> create(TemporaryFiles how);
  std::expected<NewFile, int> create_unnamed();
  std::expected<NewFile, int> create_named();
  int give_name(NewFile& file);
  int move_into_place(NewFile& file, const std::string& name);
  std::expected<NewFile, Failure> copy_of(const NewFile& file);

  const std::filesystem::path directory_;
  const std::filesystem::path tmp_;
  const std::uint64_t boot_;
  const TemporaryFiles temporary_;
  std::mutex mutex_;
  Marker marker_;  ///< guarded by mutex_
};

}  // namespace symcached::store
