/// .NET modules: what reaches the sink, and which halves of a module go together.
#include "object/managed/translate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mapped_file.hpp"
#include "object/managed/files.hpp"
#include "testing/managed/portable_pdb.hpp"
#include "testing/pe/image.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testkit::assemble;
using testkit::cli_header_of;
using testkit::hidden;
using testkit::kPeExtraRva;
using testkit::PeImage;
using testkit::point;
using testkit::PortablePdb;
using testkit::Section;

/// Everything as text, in the order it came.
class ManagedText final : public model::ManagedSink {
 public:
  void module(const model::ManagedModule& module) override { lines.push_back(module.debug_id.dashed()); }
  std::uint32_t document(const model::ManagedDocument& document) override {
    lines.push_back(fmt::format("{} {}", document.path, name_of(document.language)));
    return documents++;
  }
  void method(const model::ManagedMethod& method) override {
    std::string line = fmt::format("{} {}", method.row, method.name.empty() ? "?" : method.name);
    if (method.kickoff != 0) line += fmt::format(" of {}", method.kickoff);
    for (const model::ManagedPoint& p : method.points)
      line += fmt::format(" | {} {}:{}:{}", p.il_offset, p.document, p.line, p.column);
    lines.push_back(line);
  }
  std::vector<std::string> lines;
  std::uint32_t documents = 0;
};

std::vector<std::string> text_of(Bytes file, std::span<const Companion> companions = {}) {
  ManagedText sink;
  const auto done = translate_managed({.file = file, .companions = companions}, sink);
  return done ? sink.lines : std::vector{to_string(done.error())};
}

std::vector<std::string> text_of(const PortablePdb& pdb) { return text_of(assemble(pdb).finish()); }

constexpr std::string_view kId = "04030201-0605-0807-090a-0b0c0d0e0f10-deadbeef";

TEST(FromPpdb, DocumentsAndPoints) {
  const PortablePdb pdb{
      .documents = {{.name = "/src/a.cs"}, {.name = "C:\\b.vb", .language = "3a12d0b8-c26c-11d0-b442-00a0244a1dd2"}},
      .methods = {{{point(0, 3, 5, 3, 6), hidden(4), point(9, 4, 9, 4, 12)}},
                  {},
                  {{hidden(0)}},
                  {{point(0, 7, 1, 7, 2, 2), point(5, 8, 1, 8, 2, 1)}}}};
  EXPECT_THAT(text_of(pdb), ElementsAre(kId, "/src/a.cs c#", "C:\\b.vb visual basic", "1 ? | 0 0:3:5 | 9 0:4:9", "3 ?",
                                        "4 ? | 0 1:7:1 | 5 0:8:1"));
}

TEST(FromPpdb, StateMachines) {
  PortablePdb pdb{.documents = {{.name = "a.cs"}},
                  .methods = {{}, {}, {{point(0, 3, 5, 3, 6)}}, {}, {}, {{point(0, 9, 5, 9, 6)}}},
                  .machines = {{3, 1}, {5, 2}}};
  EXPECT_THAT(text_of(pdb), ElementsAre(kId, "a.cs c#", "3 ? of 1 | 0 0:3:5", "5 ? of 2", "6 ? | 0 0:9:5"));
  pdb.machines = {{5, 2}, {3, 1}, {3, 2}, {0, 4}, {9, 0}, {900, 4}};  // in no order, twice, without a row
  EXPECT_THAT(text_of(pdb),
              ElementsAre(kId, "a.cs c#", "3 ? of 1 | 0 0:3:5", "5 ? of 2", "6 ? | 0 0:9:5", "900 ? of 4"));
}

TEST(FromPpdb, NothingAtAll) { EXPECT_THAT(text_of(PortablePdb{}), ElementsAre(kId)); }

class StoredModules : public testing::Test {
 protected:
  static Bytes file(const char* name) {
    static std::map<std::string, MappedFile> files;
    auto& mapped = files[name];
    if (mapped.bytes().empty()) mapped = *MappedFile::open(std::string("testing/dotnet/") + name);
    return mapped.bytes();
  }
  static Companion companion(NeedFile::Kind kind, Bytes bytes) {
    return {{.kind = kind, .path = {}, .directory = {}, .build_id = {}}, bytes};
  }
  static constexpr auto kPdb = NeedFile::Kind::portable_pdb, kAssembly = NeedFile::Kind::assembly;
};

TEST_F(StoredModules, HalvesThatGoTogether) {
  struct Row {
    std::string_view why;
    const char* first;
    std::optional<Companion> second;
    bool has_lines, has_names;
  };
  std::vector<std::byte> other_checksum(file("debug/Traces.dll").begin(), file("debug/Traces.dll").end());
  const auto images = pe::Image::open(other_checksum);
  const Bytes digest = pe::debug_files(*images)->checksums.at(0).digest;
  other_checksum[static_cast<std::size_t>(digest.data() - other_checksum.data())] ^= std::byte{1};
  const Row rows[] = {
      {"a PDB alone", "debug/Traces.pdb", {}, true, false},
      {"an assembly alone", "debug/Traces.dll", {}, false, true},
      {"a PDB inside", "embedded/Traces.dll", {}, true, true},
      {"a PDB and its assembly", "debug/Traces.pdb", companion(kAssembly, file("debug/Traces.dll")), true, true},
      {"an assembly and its PDB", "debug/Traces.dll", companion(kPdb, file("debug/Traces.pdb")), true, true},
      {"an assembly of another build", "debug/Traces.pdb", companion(kAssembly, file("release/Traces.dll")), true,
       false},
      {"a PDB of another build", "debug/Traces.dll", companion(kPdb, file("release/Traces.pdb")), false, true},
      {"another checksum", "debug/Traces.pdb", companion(kAssembly, other_checksum), true, false},
      {"the wrong way round", "debug/Traces.pdb", companion(kPdb, file("debug/Traces.dll")), true, false},
      {"no assembly at all", "debug/Traces.pdb", companion(kAssembly, as_bytes("MZ, and nothing else")), true, false},
      {"no PDB at all", "debug/Traces.dll", companion(kPdb, as_bytes("BSJB")), false, true},
  };
  for (const Row& r : rows) {
    const auto text = text_of(file(r.first), r.second ? std::span(&*r.second, 1) : std::span<const Companion>());
    const auto main = std::ranges::find_if(text, [](const std::string& line) { return line.starts_with("1 "); });
    ASSERT_NE(main, text.end()) << r.why;
    EXPECT_EQ(main->starts_with("1 Program.Main"), r.has_names) << r.why << ": " << *main;
    EXPECT_EQ(main->find(" | 0 ") != main->npos, r.has_lines) << r.why << ": " << *main;
  }
}

TEST_F(StoredModules, TheOtherHalfIsAskedForUntilItIsThere) {
  const auto needs = [](Bytes bytes, std::span<const Companion> companions = {}) {
    std::vector<std::string> all;
    for (const NeedFile& need : needed_files_managed(bytes, companions))
      all.push_back(fmt::format("{} {} {}", need.kind == kPdb ? "pdb" : "assembly", need.path, need.build_id));
    return all;
  };
  const std::string id = ManagedFiles::open(file("debug/Traces.pdb"))->debug_id().dashed();
  EXPECT_THAT(needs(file("debug/Traces.pdb")), ElementsAre("assembly  " + id));
  EXPECT_THAT(needs(file("debug/Traces.dll")), ElementsAre(testing::AllOf(StartsWith("pdb "), HasSubstr(id))));
  EXPECT_THAT(needs(file("embedded/Traces.dll")), ElementsAre());
  const Companion wrong = companion(kPdb, file("release/Traces.pdb")),
                  right = companion(kPdb, file("debug/Traces.pdb"));
  EXPECT_EQ(needs(file("debug/Traces.dll"), {&wrong, 1}).size(), 1u);
  EXPECT_THAT(needs(file("debug/Traces.dll"), {&right, 1}), ElementsAre());
}

/// An assembly with metadata of no tables.
PeImage image_with(std::uint32_t flags, std::vector<testkit::PeDebugEntry> debug) {
  const auto metadata = assemble(PortablePdb{}).finish();
  PeImage image{.machine = 0x14C, .managed = true, .cli_rva = kPeExtraRva};
  image.extra = {{".text2", Section()
                                .u32(72)
                                .u16(2)
                                .u16(5)
                                .u32(kPeExtraRva + 72)
                                .u32(static_cast<std::uint32_t>(metadata.size()))
                                .u32(flags)
                                .zeros(52)
                                .bytes(metadata)
                                .finish()}};
  image.debug = std::move(debug);
  return image;
}

TEST(ManagedImages, WhatIsMeant) {
  const testkit::PeDebugEntry native{.data = testkit::rsds("a.pdb", 1)};
  const testkit::PeDebugEntry portable{.data = testkit::rsds("a.pdb", 1), .minor_version = pe::kPortableMinor};
  constexpr std::uint32_t kMixed = 0;
  struct Row {
    std::string_view why;
    PeImage image;
    bool want;
  };
  for (const Row& r :
       {Row{"a program", PeImage{}, false}, Row{"an assembly without a PDB", image_with(pe::kCliIlOnly, {}), true},
        Row{"with a Windows PDB", image_with(pe::kCliIlOnly, {native}), true},
        Row{"precompiled, with both", image_with(kMixed, {native, portable}), true},
        Row{"C++/CLI", image_with(kMixed, {native}), false}})
    EXPECT_EQ(is_managed(assemble(r.image).finish()), r.want) << r.why;
}

TEST(ManagedImages, AWindowsPdbIsUnsupported) {
  const auto image = assemble(image_with(pe::kCliIlOnly, {{.data = testkit::rsds("a.pdb", 1)}})).finish();
  EXPECT_THAT(text_of(image), ElementsAre(HasSubstr("a Windows PDB for a .NET module, which is unsupported")));
}

TEST(ManagedImages, APdbInsideThatIsNotAsLargeAsStated) {
  // 16 times "a", deflated
  const auto with_size = [](std::uint32_t size) {
    return assemble(image_with(pe::kCliIlOnly,
                               {{.type = pe::DebugType::embedded_portable_pdb,
                                 .data = Section().text("MPDB").u32(size).u8(0x4B).u32_big(0x4C440500).finish(),
                                 .minor_version = 0x100}}))
        .finish();
  };
  EXPECT_THAT(text_of(with_size(16)), ElementsAre(HasSubstr("(ppdb.")));  // "aaaa…" is no PDB
  for (const std::uint32_t size : {15u, 17u, 5'000u, 6'000u, 300u << 20, 0xFFFFFFFFu})
    EXPECT_THAT(text_of(with_size(size)), ElementsAre(HasSubstr("(pe.embedded_pdb"))) << size;
}

TEST(FromPpdbFuzzCorpus, IsWhatThisTestMakes) {
  const auto pair = [](const std::vector<std::byte>& first, const std::vector<std::byte>& second) {
    return Section().u32(static_cast<std::uint32_t>(first.size())).bytes(first).bytes(second).finish();
  };
  const auto pdb = assemble(PortablePdb{.documents = {{.name = "a.cs"}},
                                        .methods = {{}, {{point(0, 3, 5, 3, 6), hidden(4)}}},
                                        .machines = {{2, 1}},
                                        .source_link = "{}"})
                       .finish();
  const testkit::PeDebugEntry portable{
      .data = testkit::rsds("a.pdb", 1), .minor_version = pe::kPortableMinor, .timestamp = 0xDEADBEEF};
  const auto assembly = assemble(image_with(pe::kCliIlOnly, {portable})).finish();
  const testkit::StoredInput inputs[] = {
      {"pdb.bin", pair(pdb, {})}, {"pdb_and_assembly.bin", pair(pdb, assembly)}, {"assembly.bin", pair(assembly, pdb)}};
  testkit::expect_stored("object/managed/fuzz_corpus/translate_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
