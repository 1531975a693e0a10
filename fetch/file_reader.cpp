#include "fetch/file_reader.hpp"

#include "base/mapped_file.hpp"
#include "fetch/stated_ids.hpp"
#include "fetch/verify.hpp"

namespace symcached::fetch {
namespace {

struct Part {
  MappedFile mapped;
  Bytes bytes;
};

std::expected<Part, FileError> map_part(int file, std::uint64_t offset, std::uint64_t size) {
  auto mapped = MappedFile::from_descriptor(file, "file");
  if (!mapped) return std::unexpected(FileError{true, std::move(mapped.error())});
  const Read<Bytes> part = slice(mapped->bytes(), offset, size, "file");
  if (!part) return std::unexpected(FileError{false, "was truncated"});
  return Part{std::move(*mapped), *part};
}

std::expected<std::string, FileError> verify_here(const Wanted& wanted, int file, std::uint64_t offset,
                                                  std::uint64_t size) {
  const auto part = map_part(file, offset, size);
  if (!part) return std::unexpected(part.error());
  auto verified = verify(wanted, part->bytes);
  if (!verified) return std::unexpected(FileError{false, std::move(verified.error())});
  return std::move(*verified);
}

std::expected<FileReader::Ids, FileError> state_ids_here(int file, std::uint64_t offset, std::uint64_t size) {
  const auto part = map_part(file, offset, size);
  if (!part) return std::unexpected(part.error());
  auto ids = stated_ids(part->bytes);
  if (!ids) return std::unexpected(FileError{false, std::move(ids.error())});
  return std::move(*ids);
}

std::expected<Glimpse, FileError> glimpse_here(int file, std::span<const FilePart> known) {
  const auto mapped = MappedFile::from_descriptor(file, "file");
  if (!mapped) return std::unexpected(FileError{true, mapped.error()});
  return glimpse_of(mapped->bytes(), known);
}

class ReaderHere : public FileReader {
 public:
  Task<std::expected<void, FileError>> unpack(Wrapper wrapper, int file, std::uint64_t offset, Limits limits,
                                              ByteSink sink) override {
    co_return fetch::unpack(wrapper, file, offset, limits, sink);
  }
  Task<std::expected<std::string, FileError>> verify(Wanted wanted, int file, std::uint64_t offset,
                                                     std::uint64_t size) override {
    co_return verify_here(wanted, file, offset, size);
  }
  Task<std::expected<Ids, FileError>> state_ids(int file, std::uint64_t offset, std::uint64_t size) override {
    co_return state_ids_here(file, offset, size);
  }
  Task<std::expected<Glimpse, FileError>> glimpse(int file, std::vector<FilePart> known) override {
    co_return glimpse_here(file, known);
  }
};

}  // namespace

FileReader& reader_of_this_process() {
  static ReaderHere reader;
  return reader;
}

}  // namespace symcached::fetch
