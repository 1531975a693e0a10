#include "store/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "store/files.hpp"
#include "store/left_overs.hpp"

namespace symcached::store {
namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 20;   ///< bytes a read
constexpr std::size_t kWriteSize = std::size_t{1} << 20;  ///< bytes a write of a compaction
constexpr std::uint64_t kSpare = 1024;                    ///< records beyond twice the live ones before a compaction

}  // namespace

bool Journal::open() {
  const auto path = directory_ / kJournalName;
  const int how = mode_ == Mode::shared ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY;
  file_ = Descriptor(::open(path.c_str(), how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  read_ = size_ = 0;
  by_hash_.clear();
  hashes_.clear();
  notes_.clear();
  return static_cast<bool>(file_);
}

/// Whether nobody has replaced or deleted it.
bool Journal::is_current() const {
  struct stat info{};
  return file_ && ::fstat(file_.get(), &info) == 0 && info.st_nlink != 0;
}

void Journal::refresh(Index& index) {
  struct stat info{};
  if (!is_current() && !open()) return;
  if (::fstat(file_.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < size_) read_ = 0;  // somebody cut it
  if (size != size_) read_on(index, size);
  else if (size == 0 && index.entries() != 0) compact(index);  // a new one, for those who come after us
}

void Journal::read_on(Index& index, std::uint64_t size) {
  if (read_ == 0) index.reserve(size / sizeof(JournalRecord));
  size_ = size;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size - read_, kReadSize));
  while (read_ < size) {
    const ssize_t n = ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(read_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    const Bytes piece = Bytes(buffer).first(static_cast<std::size_t>(n));
    const std::size_t used = read_journal(piece, [&](const Said& said) { apply(index, said); });
    if (used == 0) return;
    read_ += used;
  }
}

void Journal::apply(Index& index, const Said& said) {
  if (said.event == Event::place) {
    const auto place = index.intern(said.place);
    if (!place) return;
    by_hash_[said.place_hash] = *place;
    if (hashes_.size() <= *place) hashes_.resize(*place + std::size_t{1});
    hashes_[*place] = said.place_hash;
    return;
  }
  const auto place = by_hash_.find(said.place_hash);
  if (place == by_hash_.end()) return;
  if (said.event == Event::put) index.put(place->second, said.digest, said.account);
  else index.erase(place->second, said.digest);
}

/// The hash of a place, whose text is noted first if the journal has it not.
std::uint64_t Journal::named(const Index& index, Index::PlaceId place) {
  if (hashes_.size() <= place) hashes_.resize(place + std::size_t{1});
  if (hashes_[place] != 0) return hashes_[place];
  notes_.put(place_record(index.place_text(place)));
  hashes_[place] = place_hash(index.place_text(place));
  by_hash_[hashes_[place]] = place;
  return hashes_[place];
}

void Journal::append(const Index& index, const Index::Entry& entry, bool is_gone) {
  const std::uint64_t place = named(index, entry.place);
  notes_.put(is_gone ? gone_record(place, entry.digest) : put_record(place, entry.digest, entry.account));
}

void Journal::note(const Index& index, Index::PlaceId place, const Digest& digest) {
  if (!file_ || mode_ == Mode::read_only) return;
  const auto account = index.find(place, digest);
  append(index, {place, digest, account.value_or(Account{})}, !account);
}

/// Others may have appended meanwhile; then ours are read again behind theirs, which changes nothing.
void Journal::flush(Index& index) {
  const std::size_t noted = notes_.size();
  if (noted == 0) return;
  const ssize_t written = ::write(file_.get(), notes_.bytes().data(), noted);
  notes_.clear();
  if (written <= 0) return;
  const auto end = static_cast<std::uint64_t>(::lseek(file_.get(), 0, SEEK_CUR));
  if (read_ == size_ && end == read_ + static_cast<std::uint64_t>(written)) read_ = size_ = end;
  if (end / sizeof(JournalRecord) > 2 * index.entries() + kSpare) compact(index);
}

/// Who holds the lock on a journal that is still in place may replace it; everybody else goes on appending, and what
/// they append in that instant is lost to the others until a survey.
void Journal::compact(Index& index) {
  if (mode_ == Mode::read_only || ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat info{};
  if (::fstat(file_.get(), &info) == 0 && info.st_nlink != 0) {
    read_on(index, static_cast<std::uint64_t>(info.st_size));
    const auto name = directory_ / "tmp" / temporary_name(boot_, static_cast<std::uint64_t>(::getpid()));
    Descriptor fresh = write_all(index, name);
    if (fresh && ::rename(name.c_str(), (directory_ / kJournalName).c_str()) == 0) {
      file_ = std::move(fresh);
      read_ = size_ = static_cast<std::uint64_t>(::lseek(file_.get(), 0, SEEK_END));
      return;
    }
    ::unlink(name.c_str());
  }
  ::flock(file_.get(), LOCK_UN);
}

/// @return the new journal, open for appending; nothing if it could not be written
Descriptor Journal::write_all(const Index& index, const std::filesystem::path& name) {
  ::mkdir(name.parent_path().c_str(), 0777);
  ::unlink(name.c_str());
  Descriptor file(::open(name.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return {};
  std::uint64_t at = 0;
  hashes_.clear();
  notes_.clear();
  for (std::size_t position = 0; position <= index.positions(); ++position) {
    const bool last = position == index.positions();
    if (const auto entry = last ? std::nullopt : index.at(position)) append(index, *entry, false);
    if (!last && notes_.size() < kWriteSize) continue;
    const bool written = write_at(file.get(), notes_.bytes().data(), notes_.size(), at) == 0;
    at += notes_.size();
    notes_.clear();
    if (!written) return {};
  }
  return file;
}

}  // namespace symcached::store
