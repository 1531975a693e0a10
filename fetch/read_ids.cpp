#include "fetch/read_ids.hpp"

#include "base/mapped_file.hpp"
#include "fetch/stated_ids.hpp"

namespace symcached::fetch {
namespace {

using Ids = std::expected<std::vector<sources::FileRequest>, FileError>;

Ids read_here(int file, std::uint64_t offset, std::uint64_t size) {
  const auto mapped = MappedFile::from_descriptor(file, "file");
  if (!mapped) return std::unexpected(FileError{true, mapped.error()});
  const Read<Bytes> part = slice(mapped->bytes(), offset, size, "file");
  if (!part) return std::unexpected(FileError{false, "was truncated"});
  auto ids = stated_ids(*part);
  if (!ids) return std::unexpected(FileError{false, std::move(ids.error())});
  return std::move(*ids);
}

Task<Ids> read_ids(int file, std::uint64_t offset, std::uint64_t size) { co_return read_here(file, offset, size); }

}  // namespace

ReadIds read_ids_here() { return read_ids; }

}  // namespace symcached::fetch
