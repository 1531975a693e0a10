#include "app/write_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace symcached::app {

namespace fs = std::filesystem;

std::expected<void, std::string> write_file(const fs::path& path, Bytes bytes) {
  const fs::path unfinished = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  {
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    if (!out) {
      std::error_code ignored;
      fs::remove(unfinished, ignored);
      return std::unexpected(fmt::format("{}: cannot write {} bytes; is the disk full or the directory read-only?",
                                         path.string(), bytes.size()));
    }
  }
  std::error_code error;
  fs::rename(unfinished, path, error);
  if (!error) return {};
  const std::string why = error.message();
  fs::remove(unfinished, error);
  return std::unexpected(fmt::format("{}: cannot put it in place: {}", path.string(), why));
}

}  // namespace symcached::app
