#include "base/mspack.hpp"

#include <fmt/format.h>
#include <mspack.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace symcached::mspack {
namespace {

constexpr const char* kInput = "in";
constexpr const char* kOutput = "out";

/// libmspack sees files through this table of functions; `functions` is the first member, so the pointers convert.
struct System {
  mspack_system functions{};
  Bytes file;
  std::uint64_t limit = 0;  ///< of unpacked bytes
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
  const bool is_input = std::strcmp(name, kInput) == 0;
  return reinterpret_cast<mspack_file*>(new (std::nothrow) Stream{&of(self), is_input, 0});
}
void close_stream(mspack_file* file) { delete reinterpret_cast<Stream*>(file); }

int read_stream(mspack_file* file, void* buffer, int wanted) {
  Stream& stream = of(file);
  if (!stream.is_input || wanted < 0) return -1;
  const Bytes left = stream.system->file.subspan(static_cast<std::size_t>(stream.at));
  const std::size_t size = std::min(left.size(), static_cast<std::size_t>(wanted));
  if (size != 0) std::memcpy(buffer, left.data(), size);
  stream.at += size;
  return static_cast<int>(size);
}

int write_stream(mspack_file* file, void* buffer, int count) {
  Stream& stream = of(file);
  System& system = *stream.system;
  if (stream.is_input || count < 0) return -1;
  const Bytes bytes(static_cast<const std::byte*>(buffer), static_cast<std::size_t>(count));
  if (bytes.size() > system.limit - stream.at) return -1;
  if (auto taken = (*system.sink)(bytes); !taken) {
    system.sink_error = std::move(taken.error());
    return -1;
  }
  stream.at += bytes.size();
  return count;
}

int seek_stream(mspack_file* file, off_t offset, int mode) {
  Stream& stream = of(file);
  const std::uint64_t size = stream.system->file.size();
  const std::uint64_t from = mode == MSPACK_SYS_SEEK_CUR ? stream.at : mode == MSPACK_SYS_SEEK_END ? size : 0;
  if (offset < 0 ? from < -static_cast<std::uint64_t>(offset) : size - from < static_cast<std::uint64_t>(offset))
    return 1;
  stream.at = from + static_cast<std::uint64_t>(offset);
  return 0;
}
off_t tell_stream(mspack_file* file) { return static_cast<off_t>(of(file).at); }
void ignore_message(mspack_file*, const char*, ...) {}
/// Zeroed: of a KWAJ header that breaks off, libmspack frees pointers it has not set yet.
void* allocate(mspack_system*, std::size_t size) { return std::calloc(1, size); }
void copy_bytes(void* from, void* to, std::size_t size) { std::memcpy(to, from, size); }

System system_over(Bytes file) {
  System system;
  system.functions = {open_stream,    close_stream, read_stream, write_stream, seek_stream, tell_stream,
                      ignore_message, allocate,     std::free,   copy_bytes,   nullptr};
  system.file = file;
  return system;
}

std::string describe(int error) {
  switch (error) {
    case MSPACK_ERR_SIGNATURE: return "unexpected header";
    case MSPACK_ERR_DATAFORMAT: return "malformed structure";
    case MSPACK_ERR_CHECKSUM: return "checksum mismatch";
    case MSPACK_ERR_DECRUNCH: return "corrupt compressed data";
    case MSPACK_ERR_READ:
    case MSPACK_ERR_SEEK: return "truncated";
    case MSPACK_ERR_WRITE: return "decompresses to more than allowed";
    case MSPACK_ERR_NOMEMORY: return "out of memory";
    default: return fmt::format("libmspack error {}", error);
  }
}

std::expected<void, Failure> outcome(System& system, int error) {
  system.sink = nullptr;
  if (!system.sink_error.empty()) return std::unexpected(Failure{true, std::exchange(system.sink_error, {})});
  if (error != MSPACK_ERR_OK) return std::unexpected(Failure{false, describe(error)});
  return {};
}

template <class Decompressor>
std::expected<void, Failure> expand_with(Decompressor* made, void (*destroy)(Decompressor*), System& system) {
  const std::unique_ptr<Decompressor, void (*)(Decompressor*)> decompressor(made, destroy);
  if (!decompressor) return std::unexpected(Failure{false, "out of memory"});
  auto* const header = made->open(made, kInput);
  if (header == nullptr) return outcome(system, made->last_error(made));
  const int error = made->extract(made, header, kOutput);
  made->close(made, header);
  return outcome(system, error);
}

}  // namespace

struct Cabinet::Opened {
  System system;
  mscab_decompressor* decompressor = nullptr;
  mscabd_cabinet* cabinet = nullptr;
  std::vector<mscabd_file*> files;
  std::vector<CabinetMember> members;

  ~Opened() {
    if (cabinet != nullptr) decompressor->close(decompressor, cabinet);
    if (decompressor != nullptr) mspack_destroy_cab_decompressor(decompressor);
  }
};

std::expected<Cabinet, std::string> Cabinet::open(Bytes file) {
  auto opened = std::make_unique<Opened>();
  opened->system = system_over(file);
  opened->decompressor = mspack_create_cab_decompressor(&opened->system.functions);
  if (opened->decompressor == nullptr) return std::unexpected("out of memory");
  opened->cabinet = opened->decompressor->open(opened->decompressor, kInput);
  if (opened->cabinet == nullptr)
    return std::unexpected(describe(opened->decompressor->last_error(opened->decompressor)));
  for (mscabd_file* f = opened->cabinet->files; f != nullptr; f = f->next) {
    opened->files.push_back(f);
    opened->members.push_back({f->filename, f->length, f->offset});
  }
  return Cabinet(std::move(opened));
}

Cabinet::Cabinet(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
Cabinet::Cabinet(Cabinet&&) noexcept = default;
Cabinet& Cabinet::operator=(Cabinet&&) noexcept = default;
Cabinet::~Cabinet() = default;

bool Cabinet::is_part_of_set() const {
  return (opened_->cabinet->flags & (MSCAB_HDR_PREVCAB | MSCAB_HDR_NEXTCAB)) != 0;
}

const std::vector<CabinetMember>& Cabinet::members() const { return opened_->members; }

std::expected<void, Failure> Cabinet::extract(std::size_t member, const ByteSink& sink) {
  System& system = opened_->system;
  system.sink = &sink;
  system.limit = opened_->members[member].size;
  return outcome(system, opened_->decompressor->extract(opened_->decompressor, opened_->files[member], kOutput));
}

std::expected<void, Failure> expand(SingleFile format, Bytes file, std::uint64_t limit, const ByteSink& sink) {
  System system = system_over(file);
  system.limit = limit;
  system.sink = &sink;
  if (format == SingleFile::szdd)
    return expand_with(mspack_create_szdd_decompressor(&system.functions), mspack_destroy_szdd_decompressor, system);
  return expand_with(mspack_create_kwaj_decompressor(&system.functions), mspack_destroy_kwaj_decompressor, system);
}

}  // namespace symcached::mspack
