#include "store/entry_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include "store/reading.hpp"

namespace symcached::store {
namespace {

constexpr std::uint64_t kFreedAtOnce = std::uint64_t{64} << 20;  ///< bytes, at least, when the disk is full
constexpr std::uint64_t kMostAhead = std::uint64_t{4} << 20;     ///< bytes that are claimed before they come

/// A descriptor that cannot be written to: others, and worker processes, get it.
Descriptor reopened(int file) {
  return Descriptor(::open(fmt::format("/proc/self/fd/{}", file).c_str(), O_RDONLY | O_CLOEXEC));
}

bool is_same_file(int a, int b) {
  struct stat first{}, second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// Whether both stand for the same bytes under the same key, and say the same of them.
bool is_twin(const Head& a, const Head& b) {
  return a.state == b.state && a.quality == b.quality && a.payload_size == b.payload_size &&
         a.payload_sha256 == b.payload_sha256 && a.key == b.key && a.identity == b.identity;
}

/// Of an entry that is used now.
Account account_of(const Head& head, std::uint32_t blocks) {
  return {.blocks = blocks,
          .last_use = static_cast<std::uint32_t>(std::time(nullptr)),
          .cost_ms = head.cost_ms,
          .content = head.content,
          .absent = head.state == State::absent};
}

}  // namespace

bool Parts::free_up(int error, std::uint64_t bytes) const {
  return quotas && (error == ENOSPC || error == EDQUOT) && quotas->free_up(std::max(bytes, kFreedAtOnce));
}

std::unexpected<std::string> EntryWriter::failed(Failure failure) const {
  parts_->space.failed(failure);
  return std::unexpected(std::move(failure.why));
}

std::expected<void, std::string> EntryWriter::write_at_offset(Bytes data, std::uint64_t offset) {
  int error = write_at(descriptor(), data.data(), data.size(), offset);
  if (error != 0 && has_room_ && parts_->free_up(error, 2 * size_ + data.size()))
    error = write_at(descriptor(), data.data(), data.size(), offset);
  if (error != 0) return failed(failure(parts_->files->path(name_), "write", error));
  return {};
}

/// For so many bytes of payload in all, and then a bit more at a time.
void EntryWriter::claim_ahead(std::uint64_t bytes) {
  const std::uint64_t written = kPayloadOffset + size_, wanted = kPayloadOffset + bytes;
  if (!parts_->quotas || !has_room_ || wanted <= claim_.bytes()) return;
  const std::uint64_t ahead = std::min(size_ / 8, kMostAhead);
  has_room_ = parts_->quotas->claim(claim_, name_, wanted + ahead, wanted + ahead - written).has_value();
}

std::expected<void, std::string> EntryWriter::write(Bytes data) {
  claim_ahead(size_ + data.size());
  if (auto written = write_at_offset(data, kPayloadOffset + size_); !written) return written;
  hasher_.update(data);
  size_ += data.size();
  return {};
}

std::expected<void, std::string> EntryWriter::finish_head(const Provenance& made) {
  head_.payload_size = size_;
  head_.quality = made.quality;
  if (head_.state == State::file) head_.payload_sha256 = hasher_.finish();
  head_.source_sha256 = made.source;
  head_.content = content_of(made.original ? head_.payload_sha256 : made.source);
  head_.cost_ms = static_cast<std::uint32_t>(std::clamp<std::int64_t>(made.cost.count(), 0, UINT32_MAX));
  return write_at_offset(write_head(head_), 0);
}

std::shared_ptr<const Entry> link_to_twin(const Parts& parts, const std::string& name, std::uint64_t content,
                                          const std::function<bool(const Head&)>& is_same) {
  if (!parts.quotas) return nullptr;
  for (const std::string& twin : parts.quotas->twins_of(name, content)) {
    struct stat info{};
    auto file = parts.files->open(twin);
    if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    auto head = read_head_of(file->get(), static_cast<std::uint64_t>(info.st_size));
    if (!head || !*head || !is_same(**head) || !payload_holds(file->get(), **head).value_or(false)) continue;
    if (!parts.files->publish_link(twin, name)) continue;
    parts.quotas->published(name, account_of(**head, 0));
    return std::make_shared<const Entry>(std::move(*file), std::make_shared<const Head>(std::move(**head)));
  }
  return nullptr;
}

std::expected<std::shared_ptr<const Entry>, std::string> EntryWriter::publish(const Provenance& made) && {
  if (auto head = finish_head(made); !head) return std::unexpected(std::move(head.error()));
  const auto is_same = [this](const Head& head) { return is_twin(head, head_); };
  if (auto linked = made.original ? link_to_twin(*parts_, name_, head_.content, is_same) : nullptr) {
    parts_->negatives.drop(name_);
    return linked;
  }
  Descriptor reading = reopened(descriptor());
  std::string not_kept;
  if (parts_->quotas) {
    auto claimed = parts_->quotas->claim(claim_, name_, kPayloadOffset + size_, 0);
    if (!claimed) not_kept = std::move(claimed.error());
  }
  if (not_kept.empty()) {
    if (auto published = parts_->files->publish(std::move(file_), name_); !published)
      return failed(std::move(published.error()));
    if (parts_->quotas)
      parts_->quotas->published(name_, account_of(head_, blocks_of(kPayloadOffset + size_)), std::move(claim_));
  }
  parts_->space.worked();
  if (head_.state == State::file) parts_->negatives.drop(name_);
  if (not_kept.empty()) {  // by its name it is no deleted file to lsof; somebody may have replaced it already
    auto named = parts_->files->open(name_);
    if (named && (!reading || is_same_file(named->get(), reading.get()))) reading = std::move(*named);
  }
  if (!reading) return std::unexpected(failure(parts_->files->path(name_), "open", EMFILE).why);
  return std::make_shared<const Entry>(std::move(reading), std::make_shared<const Head>(std::move(head_)),
                                       std::move(not_kept));
}

}  // namespace symcached::store
