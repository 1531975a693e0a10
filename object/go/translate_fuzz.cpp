#include "object/go/translate.hpp"

#include "object/go/debug_id.hpp"
#include "testing/checking_sink.hpp"
#include "testing/go/program.hpp"

/// The first byte: 1 = big-endian, 2 = pointers of 4 bytes, 4 = the program is entered 0x40 bytes into its code, 8 =
/// links of Apple's loader. Then a size in two bytes and the module data, the same of inline trees, and the table.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  static const std::vector<std::byte> code(0x10000);
  ByteReader in(std::as_bytes(std::span(data, size)));
  const auto flags = in.read<u8le>("flags");
  if (!flags) return 0;
  const auto part = [&] {
    const auto bytes = in.read<u16le>("size");
    return bytes ? in.take(*bytes, "part").value_or(Bytes()) : Bytes();
  };
  object::GoImage image;
  image.container = {static_cast<std::uint8_t>((*flags & 2) != 0 ? 4 : 8), (*flags & 1) != 0};
  image.base = testkit::kGoBase;
  image.entry_point = (*flags & 4) != 0 ? testkit::kGoText + 0x40 : 0;
  image.chained_pointers = (*flags & 8) != 0;
  image.add({testkit::kGoText, code, true, false});
  image.add({testkit::kGoData, part(), false, true});
  image.add({testkit::kGoTrees, part(), false, false});
  image.add({testkit::kGoTable, in.rest(), false, false});
  image.finish();
  const auto table = go::Table::open(image.at(testkit::kGoTable), image.container, true);
  if (!table) return 0;
  const object::GoTable found{*table, testkit::kGoTable};
  (void)object::go_debug_id(image, found);
  testkit::CheckingSink sink;
  sink.module({.producer_kind = "fuzz"});
  if (const auto program = object::GoProgram::open(std::move(image), found))
    (void)object::translate_go(*program, testkit::kGoBase, sink);
  return 0;
}
