#include "object/elf/partial.hpp"

#include <optional>

#include "testing/checking_sink.hpp"

/// Asks for the address that the first 4 bytes state, in the file behind them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes all = std::as_bytes(std::span(data, size));
  const auto address = read_at<u32le>(all, 0, "address");
  if (!address) return 0;
  const auto partial = object::PartialElf::open({.file = all.subspan(4)}, true);
  if (!partial || *partial == nullptr) return 0;
  std::optional<testkit::CheckingSink> sink;
  for (int i = 0; i < 2; ++i)
    (void)(*partial)->translate_at({*address}, [&]() -> model::ModuleSink& { return sink.emplace(); });
  return 0;
}
