/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
#include <gtest/gtest.h>

#include "testing/managed/assembly.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/managed/portable_pdb.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::ppdb {
namespace {

using testkit::Section;
using testkit::StoredInput;

std::vector<std::byte> damaged(const Section& whole, std::string_view label, std::uint32_t value) {
  auto bytes = whole.finish();
  testkit::patch(bytes, whole.at(label), u32le(value));
  return bytes;
}

TEST(PpdbFuzzCorpus, Pdbs) {
  testkit::PortablePdb wide = testkit::rich_pdb_spec(), unsorted = wide;
  wide.heap_sizes = 0x47;
  unsorted.documents_first = true;
  unsorted.machines = {{5, 4}, {3, 2}};
  const Section rich = assemble(testkit::rich_pdb_spec());
  const StoredInput inputs[] = {
      {"rich.bin", rich.finish()},
      {"wide_indexes.bin", assemble(wide).finish()},
      {"unsorted.bin", assemble(unsorted).finish()},
      {"empty.bin", assemble(testkit::PortablePdb{}).finish()},
      {"one_point.bin",
       assemble(testkit::PortablePdb{.documents = {{.name = "a.cs"}}, .methods = {{{testkit::point(0, 1, 1, 1, 2)}}}})
           .finish()},
      {"many_rows.bin", damaged(rich, "row_counts", 0xFFFFFF)},
      {"assembly.bin", testkit::rich_assembly().finish()},
  };
  testkit::expect_stored("formats/ppdb/fuzz_corpus/reader_fuzz", inputs);
}

TEST(PpdbFuzzCorpus, Points) {
  const auto input = [](std::vector<SequencePoint> points) {
    const auto [blob, document] = testkit::encode_points({std::move(points)});
    return Section().u8(static_cast<std::uint8_t>(document)).u8(3).bytes(blob).finish();
  };
  using testkit::hidden, testkit::point;
  const StoredInput inputs[] = {
      {"plain.bin", input({point(0, 10, 5, 10, 6), point(1, 11, 9, 12, 3), point(7, 9, 300, 9, 301)})},
      {"hidden.bin", input({hidden(0), point(3, 1, 1, 2, 1), hidden(500)})},
      {"documents.bin", input({point(0, 1, 1, 1, 9), point(4, 2, 1, 2, 9, 3), hidden(9, 2), point(12, 3, 1, 3, 9, 2)})},
      {"limits.bin", input({point(0, 1, 1, 1, 2), point(kMaxIlOffset - 1, 0x0FFFFFFF, 0xFFFE, 0x1FFFFFFF, 0)})},
      {"document_at_end.bin", Section().u8(1).u8(3).u8(0).u8(0).u8(1).u8(1).u8(1).u8(1).u8(0).u8(2).finish()},
  };
  testkit::expect_stored("formats/ppdb/fuzz_corpus/points_fuzz", inputs);
}

TEST(PpdbFuzzCorpus, Names) {
  testkit::Assembly pointers = testkit::rich_assembly_spec(), types = pointers, loop = pointers;
  pointers.pointers = true;
  types.types[1].methods[0].parameters = {
      Section().u8(0x14).u8(0x0F).u8(0x08).u8(2).u8(1).u8(4).u8(0).finish(),
      Section().u8(0x15).u8(0x12).u8(5).u8(1).u8(0x1D).u8(0x0E).finish(),
      Section().u8(0x1B).u8(0).u8(1).u8(1).u8(0x10).u8(0x18).finish(),
      Section().u8(0x12).u8(6).finish(),
      Section().u8(0x1F).u8(5).u8(0x1E).u8(0).finish(),
  };
  loop.types[1].enclosing = 4;
  const StoredInput inputs[] = {
      {"rich.bin", testkit::rich_assembly().finish()},
      {"pointers.bin", testkit::assemble(pointers).finish()},
      {"types.bin", testkit::assemble(types).finish()},
      {"loop.bin", testkit::assemble(loop).finish()},
  };
  testkit::expect_stored("formats/ppdb/fuzz_corpus/names_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::ppdb
