/// Compares what is read of real Portable PDBs with what .NET says of them: testing/dotnet/README.md.
#include <gtest/gtest.h>

#include "formats/ppdb/names.hpp"
#include "formats/ppdb/reader.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/managed/ppdb_text.hpp"
#include "testing/managed/ppdb_walk.hpp"

namespace symcached::ppdb {
namespace {

using testkit::dotnet_file;
using testkit::dotnet_pdb;

TEST(Dotnet, PointsAreThoseOfSystemReflectionMetadata) {
  for (const std::string_view variant : testkit::kDotnetVariants) {
    const std::string file = dotnet_pdb(variant);
    const auto pdb = Pdb::open(as_bytes(file));
    ASSERT_TRUE(pdb) << variant;
    const auto text = testkit::ppdb_text(*pdb);
    ASSERT_TRUE(text) << variant << to_string(text.error());
    EXPECT_EQ(testkit::lines_of(*text), testkit::lines_of(dotnet_file(variant, "points.tsv"))) << variant;
  }
}

TEST(Dotnet, EmbeddedSourcesAreTheSources) {
  const std::string file = dotnet_pdb("sources");
  const auto pdb = Pdb::open(as_bytes(file));
  ASSERT_TRUE(pdb);
  int compared = 0;
  for (std::uint32_t row = 1; row <= pdb->document_count(); ++row) {
    const std::string name = pdb->document_name(row).value();
    const auto source = pdb->embedded_source(row).value();
    if (!source) continue;
    const auto text = unpack(*source);
    ASSERT_TRUE(text) << name;
    if (name.find("/obj/") != std::string::npos) continue;  // the compiler's own
    EXPECT_EQ(as_text(text->bytes()), dotnet_file("", name.substr(1))) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

TEST(Dotnet, EveryPartIsWhole) {
  for (const std::string_view variant : testkit::kDotnetVariants) {
    const std::string file = dotnet_pdb(variant);
    const auto pdb = Pdb::open(as_bytes(file));
    ASSERT_TRUE(pdb) << variant;
    bool whole = false;
    testkit::walk_everything(*pdb, whole);
    EXPECT_TRUE(whole) << variant;
    bool csharp = false;
    const auto options = pdb->compilation_options().value();
    for (const CompilationOption& option : options)
      csharp = csharp || (option.name == "language" && option.value == "C#");
    EXPECT_TRUE(csharp) << variant;
  }
}

TEST(Dotnet, TheAssemblyNamesItsPdb) {
  for (const std::string_view variant : testkit::kDotnetVariants) {
    const std::string assembly = dotnet_file(variant, "Traces.dll");
    const auto image = pe::Image::open(as_bytes(assembly));
    ASSERT_TRUE(image) << variant;
    const auto files = pe::debug_files(*image);
    ASSERT_TRUE(files) << variant;
    ASSERT_NE(files->portable(), nullptr) << variant;
    const std::string file = dotnet_pdb(variant);
    const auto pdb = Pdb::open(as_bytes(file));
    EXPECT_EQ(files->portable()->debug_id(), pdb->debug_id()) << variant;
    EXPECT_EQ(files->checksums.size(), 1u) << variant;
    const auto metadata = pe::metadata(*image).value().value();
    const auto opened = Metadata::open(metadata);
    ASSERT_TRUE(opened) << variant;
    EXPECT_EQ(opened->rows(Table::method_def), pdb->method_count()) << variant;
    EXPECT_EQ(opened->rows(Table::method_def), pdb->metadata().referenced_rows(Table::method_def)) << variant;
  }
}

/// Traces.dll of a variant and the names in it.
struct OpenAssembly {
  explicit OpenAssembly(std::string_view variant)
      : file(dotnet_file(variant, "Traces.dll")),
        metadata(Metadata::open(pe::metadata(pe::Image::open(as_bytes(file)).value()).value().value()).value()),
        names(Names::open(metadata).value()) {}
  std::string file;
  Metadata metadata;
  Names names;
};

TEST(Dotnet, FramesAreNamedAsReflectionNamesThem) {
  for (const std::string_view variant : {"debug", "release"}) {
    const OpenAssembly traces(variant);
    int frames = 0;
    for (const std::string& line : testkit::lines_of(dotnet_file(variant, "frames.jsonl"))) {
      auto frame = testkit::json_line(line);
      if (frame["assembly"] != "Traces.dll") continue;
      const auto row = static_cast<std::uint32_t>(std::stoul(frame["token"], nullptr, 16)) & 0xFFFFFF;
      EXPECT_EQ(traces.names.simple_name(row).value(), frame["method"]);
      EXPECT_EQ(traces.names.type(traces.names.declaring_type(row).value(), NameStyle::reflection).value(),
                frame["type"]);
      ++frames;
    }
    EXPECT_GT(frames, 100) << variant;
  }
}

/// What a line of a stack trace says: "   at NAME(PARAMETERS) in Traces.dll:token 0x600004e+0x4d".
TEST(Dotnet, FramesReadAsInStackTraces) {
  for (const std::string_view variant : {"debug", "release"}) {
    const OpenAssembly traces(variant);
    int frames = 0;
    for (const std::string& line : testkit::lines_of(dotnet_file(variant, "trace.txt"))) {
      constexpr std::string_view kAt = "   at ", kIn = " in Traces.dll:token ";
      const std::size_t in = line.find(kIn);
      if (!line.starts_with(kAt) || in == std::string::npos) continue;
      const auto row = static_cast<std::uint32_t>(std::stoul(line.substr(in + kIn.size()), nullptr, 16)) & 0xFFFFFF;
      // Iterators name the written method and behind it, after a +, the one that ran.
      const std::string shown = line.substr(kAt.size(), in - kAt.size());
      const std::string want =
          shown.substr(0, shown.find(")+") == std::string::npos ? shown.npos : shown.find(")+") + 1);
      EXPECT_EQ(traces.names.method(row, NameStyle::stack_trace, Parameters::listed).value(), want);
      ++frames;
    }
    EXPECT_GT(frames, 90) << variant;
  }
}

TEST(Dotnet, StateMachinesReadAsWhatAPersonWrote) {
  for (const std::string_view variant : {"debug", "release"}) {
    const OpenAssembly traces(variant);
    const std::string file = dotnet_pdb(variant);
    const auto pdb = Pdb::open(as_bytes(file));
    ASSERT_TRUE(pdb) << variant;
    EXPECT_GT(pdb->state_machine_count(), 3u) << variant;
    for (std::uint32_t i = 0; i < pdb->state_machine_count(); ++i) {
      const StateMachine machine = pdb->state_machine(i);
      EXPECT_EQ(traces.names.readable(machine.move_next).value(), traces.names.readable(machine.kickoff).value());
    }
    EXPECT_GT(traces.names.method_count(), 50u) << variant;
    for (std::uint32_t row = 1; row <= traces.names.method_count(); ++row) {
      const std::string name = traces.names.readable(row).value();
      const bool constructor = name.ends_with("ctor");  // of a closure
      EXPECT_TRUE(constructor || name.find("__") == std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace symcached::ppdb
