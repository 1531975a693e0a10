#include "fetch/file_reader.hpp"

#include "base/mapped_file.hpp"
#include "fetch/verify.hpp"

namespace symcached::fetch {
namespace {

std::expected<std::string, FileError> verify_here(const Wanted& wanted, int file, std::uint64_t offset,
                                                  std::uint64_t size) {
  const auto mapped = MappedFile::from_descriptor(file, wanted.key);
  if (!mapped) return std::unexpected(FileError{true, mapped.error()});
  const Read<Bytes> part = slice(mapped->bytes(), offset, size, "file");
  if (!part) return std::unexpected(FileError{false, "was truncated"});
  auto verified = verify(wanted, *part);
  if (!verified) return std::unexpected(FileError{false, std::move(verified.error())});
  return std::move(*verified);
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
