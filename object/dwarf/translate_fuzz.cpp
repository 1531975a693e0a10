/// Sections of DWARF to the model. What is left of the input are the sections of a supplementary file and of a split
/// one, and then names of symbols.
#include "object/dwarf/translate.hpp"

#include "testing/checking_sink.hpp"
#include "testing/dwarf/section_bundle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  Bytes rest;
  const dwarf::Sections sections = testkit::unpack_dwarf(std::as_bytes(std::span(data, size)), &rest);
  const dwarf::Sections supplementary = testkit::unpack_dwarf(rest, &rest);
  dwarf::Sections split = testkit::unpack_dwarf(rest, &rest);
  split.split = true;
  constexpr object::CodeRange kCode[] = {{0x100, 0x10000}, {0x400000, 0x800000}};
  object::CodeSymbols symbols;
  for (; rest.size() >= 4; rest = rest.subspan(4))
    symbols.add(
        {.address = (std::to_integer<std::uint64_t>(rest[0]) | std::to_integer<std::uint64_t>(rest[1]) << 8) * 4,
         .size = std::to_integer<std::uint64_t>(rest[2]),
         .name = as_text(rest.subspan(3, 1))});
  symbols.finish(kCode);
  testkit::CheckingSink sink;
  sink.module({.producer_kind = "dwarf"});
  [[maybe_unused]] const auto done =
      object::translate_dwarf({.sections = sections,
                               .supplementary = supplementary.info.empty() ? nullptr : &supplementary,
                               .split = std::span(&split, 1),
                               .image_base = 0x100,
                               .code = kCode,
                               .symbols = &symbols},
                              sink);
  return 0;
}
