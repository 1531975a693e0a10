#include "client/incoming_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "store/files.hpp"

namespace symcached::client {

std::expected<ByteSink, std::string> IncomingFile::begin() {
  const auto failed = [&](std::string_view doing, int error) {
    return std::unexpected(store::failure(path(), doing, error).why);
  };
  if (!job_) {
    auto job = directory_.new_job();
    if (!job) return std::unexpected(std::move(job.error().why));
    job_.emplace(std::move(*job));
    file_ = Descriptor(::open(path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_) return failed("create", errno);
  }
  at_ = 0;
  if (::ftruncate(file_.get(), 0) != 0) return failed("write", errno);
  return ByteSink([this](Bytes piece) { return append(piece); });
}

std::expected<void, std::string> IncomingFile::append(Bytes piece) {
  if (const int error = store::write_at(file_.get(), piece.data(), piece.size(), at_); error != 0)
    return std::unexpected(store::failure(path(), "write", error).why);
  at_ += piece.size();
  return {};
}

}  // namespace symcached::client
