#include "formats/ar/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto archive = ar::read_archive(std::as_bytes(std::span(data, size)));
  if (!archive) return 0;
  volatile std::size_t total = 0;
  for (const ar::Member& member : archive->members) {
    for (const char c : member.name) total = total + static_cast<unsigned char>(c);
    for (const std::byte b : member.file) total = total + std::to_integer<std::size_t>(b);
  }
  return 0;
}
