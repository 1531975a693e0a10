#include "fetch/cabinet.hpp"

#include <fmt/format.h>
#include <mspack.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace symcached::fetch {
namespace {

constexpr std::string_view kInput = "in";
constexpr std::string_view kOutput = "out";
constexpr std::uint64_t kFreeRatio = 64 << 20;  ///< bytes that may unpack from any size

/// libmspack sees files through this table of functions; `self` is the first member, so the pointers convert.
struct System {
  mspack_system functions{};
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t max_unpacked = 0;
  const ByteSink* sink = nullptr;
  std::string sink_error;
};
struct Stream {
  System* system;
  bool is_input;
  std::uint64_t at;
};

System& of(mspack_system* self) { return *reinterpret_cast<System*>(self); }
Stream& of(mspack_file* file) { return *reinterpret_cast<Stream*>(file); }

mspack_file* open_stream(mspack_system* self, const char* name, int) {
  return reinterpret_cast<mspack_file*>(new (std::nothrow) Stream{&of(self), name == kInput, 0});
}
void close_stream(mspack_file* file) { delete reinterpret_cast<Stream*>(file); }

int read_stream(mspack_file* file, void* buffer, int wanted) {
  Stream& stream = of(file);
  const System& system = *stream.system;
  if (!stream.is_input || wanted < 0) return -1;
  const std::uint64_t left = stream.at < system.size ? system.size - stream.at : 0;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, static_cast<std::uint64_t>(wanted)));
  const ssize_t n = ::pread(system.file, buffer, size, static_cast<off_t>(system.offset + stream.at));
  if (n > 0) stream.at += static_cast<std::uint64_t>(n);
  return static_cast<int>(n);
}

int write_stream(mspack_file* file, void* buffer, int count) {
  Stream& stream = of(file);
  System& system = *stream.system;
  if (stream.is_input || count < 0) return -1;
  const Bytes bytes(static_cast<const std::byte*>(buffer), static_cast<std::size_t>(count));
  if (bytes.size() > system.max_unpacked - stream.at) return -1;
  if (auto taken = (*system.sink)(bytes); !taken) {
    system.sink_error = std::move(taken.error());
    return -1;
  }
  stream.at += bytes.size();
  return count;
}

int seek_stream(mspack_file* file, off_t offset, int mode) {
  Stream& stream = of(file);
  const std::uint64_t from = mode == MSPACK_SYS_SEEK_CUR   ? stream.at
                             : mode == MSPACK_SYS_SEEK_END ? stream.system->size
                                                           : 0;
  const auto to = static_cast<std::int64_t>(from) + offset;
  if (to < 0 || static_cast<std::uint64_t>(to) > stream.system->size) return 1;
  stream.at = static_cast<std::uint64_t>(to);
  return 0;
}
off_t tell_stream(mspack_file* file) { return static_cast<off_t>(of(file).at); }
void ignore_message(mspack_file*, const char*, ...) {}
void* allocate(mspack_system*, std::size_t size) { return std::malloc(size); }
void copy_bytes(void* from, void* to, std::size_t size) { std::memcpy(to, from, size); }

std::string describe(int error) {
  switch (error) {
    case MSPACK_ERR_SIGNATURE: return "it has no cabinet header";
    case MSPACK_ERR_DATAFORMAT: return "its structure is broken";
    case MSPACK_ERR_CHECKSUM: return "a checksum is wrong";
    case MSPACK_ERR_DECRUNCH: return "its compressed data is broken";
    case MSPACK_ERR_READ:
    case MSPACK_ERR_SEEK: return "it is cut short";
    case MSPACK_ERR_WRITE: return "it unpacks to more than allowed";
    case MSPACK_ERR_NOMEMORY: return "out of memory";
    default: return fmt::format("libmspack error {}", error);
  }
}

/// The only member, if the cabinet is one we take.
std::expected<mscabd_file*, std::string> only_member(const mscabd_cabinet& cabinet, const System& system,
                                                     const Limits& limits) {
  if ((cabinet.flags & (MSCAB_HDR_PREVCAB | MSCAB_HDR_NEXTCAB)) != 0)
    return std::unexpected("it is part of a set of cabinets");
  mscabd_file* member = cabinet.files;
  if (member == nullptr) return std::unexpected("it has no member");
  if (member->next != nullptr) return std::unexpected("it has more than one member");
  if (member->length > limits.max_unpacked)
    return std::unexpected(fmt::format("it unpacks to {} bytes, allowed are {}", member->length, limits.max_unpacked));
  if (member->length > kFreeRatio && member->length / limits.max_ratio > system.size)
    return std::unexpected(
        fmt::format("it unpacks from {} to {} bytes, more than 1:{}", system.size, member->length, limits.max_ratio));
  return member;
}

}  // namespace

std::expected<void, UnpackError> unpack_cabinet(int file, std::uint64_t offset, const Limits& limits,
                                                const ByteSink& sink) {
  const auto bad = [](std::string why) { return std::unexpected(UnpackError{false, "cabinet: " + std::move(why)}); };
  struct stat info{};
  if (::fstat(file, &info) != 0 || static_cast<std::uint64_t>(info.st_size) < offset) return bad("it is cut short");
  System system;
  system.functions = {open_stream,    close_stream, read_stream, write_stream, seek_stream, tell_stream,
                      ignore_message, allocate,     std::free,   copy_bytes,   nullptr};
  system.file = file;
  system.offset = offset;
  system.size = static_cast<std::uint64_t>(info.st_size) - offset;
  system.max_unpacked = limits.max_unpacked;
  system.sink = &sink;

  using Decompressor = std::unique_ptr<mscab_decompressor, decltype(&mspack_destroy_cab_decompressor)>;
  const Decompressor cab(mspack_create_cab_decompressor(&system.functions), mspack_destroy_cab_decompressor);
  if (!cab) return std::unexpected(UnpackError{true, "out of memory"});
  mscabd_cabinet* opened = cab->open(cab.get(), kInput.data());
  if (opened == nullptr) return bad(describe(cab->last_error(cab.get())));
  const auto close = [&](mscabd_cabinet* c) { cab->close(cab.get(), c); };
  const std::unique_ptr<mscabd_cabinet, decltype(close)> cabinet(opened, close);
  const auto member = only_member(*cabinet, system, limits);
  if (!member) return bad(member.error());
  const int error = cab->extract(cab.get(), *member, kOutput.data());
  if (!system.sink_error.empty()) return std::unexpected(UnpackError{true, system.sink_error});
  if (error != MSPACK_ERR_OK) return bad(describe(error));
  return {};
}

}  // namespace symcached::fetch
