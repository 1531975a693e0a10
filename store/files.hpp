#pragma once
/// Where the files of a store lie: a directory that several programs share, or nowhere by name.
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace symcached::store {

/// What a call to the system ended in.
struct Failure {
  int error;        ///< errno
  std::string why;  ///< one line: what was tried on which file, and errno's text
};

/// `error` put into words: "/cache/tmp: could not write it: No space left on device".
Failure failure(const std::filesystem::path& path, std::string_view doing, int error);

/// For reading; waits for no device, and follows no symbolic link at the end. @return the file, or errno
std::expected<Descriptor, int> open_file(const std::string& path);

/// A file that is no entry yet; removed when dropped.
class NewFile {
 public:
  explicit NewFile(Descriptor file, std::filesystem::path name = {}) : file_(std::move(file)), name_(std::move(name)) {}
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  int descriptor() const { return file_.get(); }  ///< open for reading and writing
  Descriptor take() { return std::move(file_); }
  const std::filesystem::path& name() const { return name_; }  ///< empty: none, and it is gone when it is closed
  void set_name(std::filesystem::path name) { name_ = std::move(name); }
  void forget_name() { name_.clear(); }  ///< what it was called is not ours to remove any more

 private:
  Descriptor file_;
  std::filesystem::path name_;
};

/// Names of entries are relative: "symcaches/v1/global/ab/cdef...". Safe to use from any thread.
class Files {
 public:
  virtual ~Files() = default;
  virtual std::expected<NewFile, Failure> create() = 0;
  /// Makes `file` what `name` stands for, safe on disk, at once or not at all.
  virtual std::expected<void, Failure> publish(NewFile file, const std::string& name) = 0;
  /// Makes `name` another name of the entry `existing`, at once or not at all. @return whether it is
  virtual bool publish_link(const std::string& existing, const std::string& name) {
    static_cast<void>(existing), static_cast<void>(name);
    return false;
  }
  /// A descriptor of its own for reading, or errno. Cost: one call to the system.
  virtual std::expected<Descriptor, int> open(const std::string& name) = 0;
  virtual void remove(const std::string& name) = 0;
  /// Removes what killed runs left behind. @return how many files that were
  virtual std::size_t remove_left_overs() { return 0; }
  /// For messages and tests.
  virtual std::filesystem::path path(const std::string& name) const = 0;
};

/// Writes all of `size` bytes. @return 0, or errno
int write_at(int file, const void* data, std::size_t size, std::uint64_t offset);

}  // namespace symcached::store
