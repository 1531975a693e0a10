#pragma once
/// For tests: a store's files on a machine that fails in one way.
#include <fcntl.h>

#include <cerrno>
#include <new>

#include "store/files.hpp"

namespace symcached {

struct FailingFiles : store::Files {
  int open_error = 0;                           ///< what open() ends in; 0: it opens `opens`
  std::filesystem::path opens;                  ///< opened instead of any entry
  int open_flags = O_RDONLY;                    ///< O_WRONLY: reading fails
  bool out_of_memory = false;                   ///< in open()
  int publish_error = 0;                        ///< what publish() ends in; 0: it works, and keeps nothing
  std::filesystem::path creates = "/dev/null";  ///< opened for any new file; /dev/full has no space

  std::expected<store::NewFile, store::Failure> create() override {
    Descriptor file(::open(creates.c_str(), O_RDWR | O_CLOEXEC));
    if (!file) return std::unexpected(store::failure(creates, "create", errno));
    return store::NewFile(std::move(file));
  }
  std::expected<void, store::Failure> publish(store::NewFile, const std::string& name) override {
    if (publish_error != 0) return std::unexpected(store::failure(name, "publish", publish_error));
    return {};
  }
  std::expected<Descriptor, int> open(const std::string&) override {
    if (out_of_memory) throw std::bad_alloc();
    if (open_error != 0) return std::unexpected(open_error);
    Descriptor file(::open(opens.c_str(), open_flags | O_CLOEXEC));
    if (!file) return std::unexpected(errno);
    return file;
  }
  void remove(const std::string&) override {}
  std::filesystem::path path(const std::string& name) const override { return "failing/" + name; }
};

}  // namespace symcached
