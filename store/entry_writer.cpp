#include "store/entry_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace symcached::store {
namespace {

std::unexpected<std::string> failed(const std::filesystem::path& path, std::string_view doing) {
  return std::unexpected(fmt::format("{}: could not {} it: {}", path.string(), doing, std::strerror(errno)));
}

bool write_at(int file, Bytes data, std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(file, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool sync_folder(const std::filesystem::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && ::fsync(opened.get()) == 0;
}

}  // namespace

EntryWriter::EntryWriter(Descriptor file, std::filesystem::path temporary, std::filesystem::path target, Head head)
    : file_(std::move(file)), temporary_(std::move(temporary)), target_(std::move(target)), head_(std::move(head)) {}

EntryWriter::EntryWriter(EntryWriter&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)),
      head_(std::move(other.head_)),
      hasher_(std::move(other.hasher_)),
      size_(other.size_) {}

EntryWriter::~EntryWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::expected<void, std::string> EntryWriter::write(Bytes data) {
  if (!write_at(file_.get(), data, kPayloadOffset + size_)) return failed(temporary_, "write");
  hasher_.update(data);
  size_ += data.size();
  return {};
}

std::expected<void, std::string> EntryWriter::publish() && {
  head_.payload_size = size_;
  if (head_.state == State::file) head_.payload_sha256 = hasher_.finish();
  if (!write_at(file_.get(), write_head(head_), 0)) return failed(temporary_, "write");
  if (::fsync(file_.get()) != 0) return failed(temporary_, "sync");
  std::error_code error;
  std::filesystem::create_directories(target_.parent_path(), error);
  if (error) return std::unexpected(fmt::format("{}: {}", target_.parent_path().string(), error.message()));
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(target_, "publish");
  temporary_.clear();
  if (!sync_folder(target_.parent_path())) return failed(target_.parent_path(), "sync");
  return {};
}

}  // namespace symcached::store
