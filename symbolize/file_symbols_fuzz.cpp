/// Any bytes as a file with symbols: what is found for an address covers it, and a name is found again.
#include <cstdlib>

#include "symbolize/file_symbols.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  symbolize::FileSymbols symbols = symbolize::FileSymbols::open(std::as_bytes(std::span(data, size)));
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0x1000}, std::uint64_t{0x1030},
                                      std::uint64_t{0x2008}, std::uint64_t{0x401000}, ~std::uint64_t{0}}) {
    const auto at = symbols.at(address);
    if (at && at->address > address) std::abort();
    if (at && symbols.named(at->name).empty()) std::abort();
    const auto before = symbols.before(address);
    if (before && before->address > address) std::abort();
  }
  (void)symbols.section(".text");
  return 0;
}
