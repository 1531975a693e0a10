#include "fetch/glimpse.hpp"

/// The first byte says how much of the file's start is known.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const Bytes file = std::as_bytes(std::span(data, size)).subspan(1);
  const fetch::FilePart start{0, file.size() * data[0] / 255};
  std::vector<fetch::FilePart> known{start};
  while (known.size() < fetch::kMaxGlimpseParts) {
    const fetch::Glimpse glimpse = fetch::glimpse_of(file, known);
    if (fetch::Glimpse::parse(glimpse.text()) != glimpse) __builtin_trap();
    if (!glimpse.more) break;
    if (glimpse.more->size > file.size() || glimpse.more->offset > file.size() - glimpse.more->size) __builtin_trap();
    known.push_back(*glimpse.more);
  }
  static_cast<void>(fetch::Glimpse::parse(as_text(file)));
  return 0;
}
