#include "store/entry_writer.hpp"

#include <utility>

namespace symcached::store {

std::unexpected<std::string> EntryWriter::failed(Failure failure) const {
  parts_->space.failed(failure);
  return std::unexpected(std::move(failure.why));
}

std::expected<void, std::string> EntryWriter::write(Bytes data) {
  if (const int error = write_at(descriptor(), data.data(), data.size(), kPayloadOffset + size_); error != 0)
    return failed(failure(parts_->files->path(name_), "write", error));
  hasher_.update(data);
  size_ += data.size();
  return {};
}

std::expected<void, std::string> EntryWriter::publish() && {
  head_.payload_size = size_;
  if (head_.state == State::file) head_.payload_sha256 = hasher_.finish();
  const auto head = write_head(head_);
  if (const int error = write_at(descriptor(), head.data(), head.size(), 0); error != 0)
    return failed(failure(parts_->files->path(name_), "write", error));
  if (auto published = parts_->files->publish(std::move(file_), name_); !published)
    return failed(std::move(published.error()));
  parts_->space.worked();
  if (head_.state == State::file) parts_->negatives.drop(name_);
  return {};
}

}  // namespace symcached::store
