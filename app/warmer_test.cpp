#include "app/warmer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace symcached::app {
namespace {

const Guid kGuid = *Guid::parse("3249D99D0C4049318610F4E4FB0B6936");

std::string types_text(const sources::ModuleIds& module) {
  std::string text;
  for (const service::ModuleType type : types_of(module))
    text += (text.empty() ? "" : " ") + std::string(name_of(type));
  return text;
}

TEST(TypesOf, FollowFromNamesAndIds) {
  struct Row {
    std::string_view why;
    sources::ModuleIds module;
    std::string_view want;
  };
  const Row rows[] = {
      {"a PDB", {.debug_file = "c:\\b\\App.PDB", .debug_id = DebugId{kGuid, 1}}, "pe pe_dotnet"},
      {"a program of Windows", {.code_file = "a.exe", .code_id = "5ab380779000"}, "pe pe_dotnet"},
      {"time stamp and size", {.code_id = "5ab380779000"}, "pe pe_dotnet"},
      {"a Portable PDB's key", {.debug_file = "a.pdb", .debug_id = DebugId{kGuid, sources::kNoStamp}}, "pe_dotnet pe"},
      {"a checksum", {.debug_file = "a.pdb", .checksums = {{"SHA256", {}}}}, "pe_dotnet pe"},
      {"a library", {.code_file = "/usr/lib/libm.so.6", .code_id = std::string(40, 'a')}, "elf"},
      {"a library with a short id", {.code_file = "libm.so", .code_id = std::string(32, 'a')}, "elf"},
      {"a library of Apple", {.code_file = "/usr/lib/libz.dylib", .code_id = std::string(32, 'a')}, "macho"},
      {"a UUID", {.code_file = "app", .code_id = std::string(32, 'a')}, "macho elf"},
      {"a debug id of age 0", {.debug_file = "app", .debug_id = DebugId{kGuid, 0}}, "macho elf"},
      {"a build id", {.code_file = "app", .code_id = std::string(40, 'a')}, "elf macho pe"},
      {"WebAssembly", {.code_file = "app.wasm", .code_id = std::string(32, 'a')}, "wasm"},
  };
  for (const Row& r : rows) EXPECT_EQ(types_text(r.module), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::app
