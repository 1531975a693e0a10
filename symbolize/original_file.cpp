#include "symbolize/original_file.hpp"

#include <fmt/format.h>

namespace symcached::symbolize {

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
