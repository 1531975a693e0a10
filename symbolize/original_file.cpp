#include "symbolize/original_file.hpp"

#include <fmt/format.h>

namespace symcached::symbolize {

std::filesystem::path debug_file_in(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path only;
  for (std::filesystem::directory_iterator at(path / "Contents/Resources/DWARF", error), end; !error && at != end;
       at.increment(error)) {
    if (!only.empty()) return path;
    only = at->path();
  }
  return only.empty() ? path : only;
}

std::expected<OriginalFile, std::string> OriginalFile::open(const std::filesystem::path& path,
                                                            const InflateLimits& limits) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return std::unexpected(std::move(mapped.error()));
  OriginalFile file;
  file.mapped_ = std::move(*mapped);
  auto unwrapped = object::unwrap(file.mapped_.bytes(), limits);
  if (!unwrapped) return std::unexpected(fmt::format("{}: {}", path.string(), unwrapped.error()));
  file.unwrapped_ = std::move(*unwrapped);
  file.inflate_ = file.unwrapped_ ? file.unwrapped_->inner : limits;
  if (file.unwrapped_) file.release_pages();
  return file;
}

}  // namespace symcached::symbolize
