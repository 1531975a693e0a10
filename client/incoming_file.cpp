#include "client/incoming_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "store/files.hpp"

namespace symcached::client {
namespace {

std::unexpected<std::string> failed(const std::filesystem::path& path, std::string_view doing, int error) {
  return std::unexpected(store::failure(path, doing, error).why);
}

}  // namespace

std::filesystem::path parts_of(const transcode::SymcacheDirectory& directory) {
  return directory.path() / transcode::kOwnFolder / "parts";
}

IncomingFile::IncomingFile(transcode::SymcacheDirectory& directory, std::string identity)
    : directory_(directory), parts_(parts_of(directory)), identity_(std::move(identity)) {}

std::filesystem::path IncomingFile::path() const { return part_ ? part_->path() : job_->path() / "symcache.pending"; }

std::optional<IncomingFile::Begun> IncomingFile::begun() {
  if (!part_ && !job_)
    if (auto there = UnfinishedFile::open(parts_, identity_, UnfinishedFile::If::it_is_there))
      part_.emplace(std::move(*there));
  const auto part = part_ ? part_->part() : std::nullopt;
  if (!part) return std::nullopt;
  return Begun{part->announced, part->bytes, sink_from(part->bytes)};
}

std::expected<ByteSink, std::string> IncomingFile::begin(const Announced& announced) {
  if (!part_ && !job_)
    if (auto own = UnfinishedFile::open(parts_, identity_, UnfinishedFile::If::it_can_be_had))
      part_.emplace(std::move(*own));
  if (part_) {
    if (const int error = part_->begin(announced); error != 0) return failed(path(), "write", error);
  } else if (auto ok = begin_job(); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  return sink_from(0);
}

std::expected<void, std::string> IncomingFile::begin_job() {
  if (!job_) {
    auto job = directory_.new_job();
    if (!job) return std::unexpected(std::move(job.error().why));
    job_.emplace(std::move(*job));
    job_file_ = Descriptor(::open(path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!job_file_) return failed(path(), "create", errno);
  }
  if (::ftruncate(job_file_.get(), 0) != 0) return failed(path(), "write", errno);
  return {};
}

void IncomingFile::discard() {
  if (part_) part_->discard();
}

ByteSink IncomingFile::sink_from(std::uint64_t at) {
  at_ = at;
  return [this](Bytes piece) { return append(piece); };
}

/// What a full disk cut gives its space back.
std::expected<void, std::string> IncomingFile::append(Bytes piece) {
  const int file = part_ ? part_->descriptor() : job_file_.get();
  if (const int error = store::write_at(file, piece.data(), piece.size(), at_); error != 0) {
    discard();
    return failed(path(), "write", error);
  }
  at_ += piece.size();
  return {};
}

}  // namespace symcached::client
