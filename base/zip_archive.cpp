#include "base/zip_archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>

namespace symcached {
namespace {

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using File = std::unique_ptr<zip_file_t, CloseFile>;

std::string take_message(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

/// Reads until `size` bytes are there or the member ends.
std::expected<std::size_t, std::string> read_up_to(zip_file_t* file, std::byte* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const zip_int64_t n = zip_fread(file, to + done, size - done);
    if (n < 0) return std::unexpected(zip_file_strerror(file));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

std::expected<ZipArchive, std::string> ZipArchive::open(Bytes file) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  if (source == nullptr) return std::unexpected(take_message(error));
  zip_t* const opened = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (opened == nullptr) {
    zip_source_free(source);
    return std::unexpected(take_message(error));
  }
  zip_error_fini(&error);
  return ZipArchive(opened);
}

std::expected<std::vector<ZipMember>, std::string> ZipArchive::members() const {
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive_.get(), 0), 0));
  if (count > kMaxMembers) return std::unexpected(fmt::format("{} members, over the limit of {}", count, kMaxMembers));
  std::vector<ZipMember> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive_.get(), i, 0, &stat) != 0) return std::unexpected(zip_strerror(archive_.get()));
    const std::string_view name = (stat.valid & ZIP_STAT_NAME) != 0 ? stat.name : "";
    if (name.ends_with('/')) continue;
    all.push_back({i, std::string(name), (stat.valid & ZIP_STAT_SIZE) != 0 ? stat.size : 0});
  }
  return all;
}

std::optional<std::uint64_t> ZipArchive::find(const char* name) const {
  const zip_int64_t at = zip_name_locate(archive_.get(), name, 0);
  return at < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(at));
}

std::expected<Buffer, std::string> ZipArchive::read(std::uint64_t index, std::uint64_t limit) const {
  zip_stat_t stat;
  if (zip_stat_index(archive_.get(), index, 0, &stat) != 0) return std::unexpected(zip_strerror(archive_.get()));
  if ((stat.valid & ZIP_STAT_SIZE) == 0) return std::unexpected("a member's size is not stated");
  if (stat.size > limit)
    return std::unexpected(fmt::format("decompresses to {} bytes, over the limit of {}", stat.size, limit));
  const File file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) return std::unexpected(zip_strerror(archive_.get()));
  Buffer plain(static_cast<std::size_t>(stat.size));
  const auto done = read_up_to(file.get(), plain.data(), plain.size());
  if (!done) return std::unexpected(done.error());
  std::byte behind{};
  const auto more = read_up_to(file.get(), &behind, 1);  // libzip compares the checksum at the end
  if (!more) return std::unexpected(more.error());
  if (*done != stat.size || *more != 0) return std::unexpected("a member's size differs from its header");
  return plain;
}

std::expected<PackedMember, std::string> ZipArchive::read_packed(std::uint64_t index, std::uint64_t limit) const {
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  using Method = PackedMember::Method;
  zip_stat_t stat;
  if (zip_stat_index(archive_.get(), index, 0, &stat) != 0) return std::unexpected(zip_strerror(archive_.get()));
  if ((stat.valid & kNeeded) != kNeeded) return std::unexpected("a member's size is not stated");
  if (stat.comp_size > limit)
    return std::unexpected(fmt::format("has {} bytes, over the limit of {}", stat.comp_size, limit));
  PackedMember member{.size = stat.size};
  if (stat.comp_method == ZIP_CM_STORE) member.method = Method::stored;
  else if (stat.comp_method == ZIP_CM_DEFLATE) member.method = Method::deflate;
  else return member;
  const File file(zip_fopen_index(archive_.get(), index, ZIP_FL_COMPRESSED));
  if (!file) return std::unexpected(zip_strerror(archive_.get()));
  member.data = Buffer(static_cast<std::size_t>(stat.comp_size));
  const auto done = read_up_to(file.get(), member.data.data(), member.data.size());
  if (!done) return std::unexpected(done.error());
  if (*done != stat.comp_size) return std::unexpected("a member is truncated");
  return member;
}

std::expected<void, UnpackFailure> ZipArchive::extract(std::uint64_t index, std::uint64_t limit,
                                                       const ByteSink& sink) const {
  constexpr std::size_t kPiece = 256 << 10;
  const auto bad = [](std::string why) { return std::unexpected(UnpackFailure{false, std::move(why)}); };
  const File file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) return bad(zip_strerror(archive_.get()));
  std::vector<std::byte> piece(kPiece);
  std::uint64_t given = 0;
  while (true) {  // libzip compares the checksum at the end
    const auto size = read_up_to(file.get(), piece.data(), piece.size());
    if (!size) return bad(size.error());
    if (*size == 0) return {};
    given += *size;
    if (given > limit) return bad(fmt::format("decompresses to more than the limit of {} bytes", limit));
    if (auto taken = sink(Bytes(piece).first(*size)); !taken)
      return std::unexpected(UnpackFailure{true, std::move(taken.error())});
  }
}

std::expected<Buffer, std::string> ZipArchive::read_start(std::uint64_t index, std::size_t count) const {
  const File file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) return std::unexpected(zip_strerror(archive_.get()));
  Buffer start(count);
  const auto done = read_up_to(file.get(), start.data(), count);
  if (!done) return std::unexpected(done.error());
  start.shrink(*done);
  return start;
}

}  // namespace symcached
