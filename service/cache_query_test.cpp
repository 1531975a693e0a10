#include "service/cache_query.hpp"

#include <gmock/gmock.h>

namespace symcached::service {
namespace {

const DebugId kId = *DebugId::parse("3249D99D0C4049318610F4E4FB0B69361");

std::string types_of(const CacheQuery& query) {
  const auto request = CacheRequest::of(query);
  if (!request) return request.error();
  std::string all;
  for (const Candidate& candidate : request->candidates())
    all += std::string(all.empty() ? "" : " ") + std::string(sources::name_of(candidate.wanted.file.type));
  return all;
}

TEST(CacheRequest, AsksForTheFilesThatItsIdsName) {
  const std::string build_id = "dfb85de42daffd09640c8fe377d572de3e168920";
  struct Row {
    std::string_view why;
    CacheQuery query;
    std::string_view types;
    std::string key;
  };
  const Row rows[] = {
      {"a PDB by name",
       {.type = ModuleType::pe, .module = {.debug_file = "crash.pdb", .debug_id = kId}},
       "pdb breakpad",
       "crash.pdb/3249D99D0C4049318610F4E4FB0B69361"},
      {"with its program",
       {.type = ModuleType::pe,
        .module = {.code_file = "crash.exe", .debug_file = "crash.pdb", .code_id = "5ab380779000", .debug_id = kId}},
       "pdb pe breakpad",
       "crash.pdb/3249D99D0C4049318610F4E4FB0B69361"},
      {"an ELF file",
       {.type = ModuleType::elf, .module = {.code_file = "libm.so", .code_id = build_id}},
       "elf_debug elf_code breakpad",
       "elf_debug:libm.so/" + build_id},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(types_of(r.query), r.types) << r.why;
    const auto request = CacheRequest::of(r.query);
    EXPECT_EQ(request ? request->key : "", r.key) << r.why;
  }
  EXPECT_FALSE(CacheRequest::of({.type = ModuleType::elf, .module = {.code_file = "libm.so"}})) << "no id";
}

TEST(CacheQuery, IsReadAsItIsWritten) {
  CacheQuery query{.type = ModuleType::pe_dotnet,
                   .module = {.code_file = "a \"b\".dll",
                              .debug_file = "a.pdb",
                              .code_id = "5ab380779000",
                              .debug_id = kId,
                              .checksums = {{"SHA256", {std::byte{1}, std::byte{0xAB}}}}},
                   .scope = "project 7",
                   .use = CacheUse::bundled_sources};
  const auto read = query_of_line(to_line(query));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->type, query.type);
  EXPECT_EQ(read->scope, query.scope);
  EXPECT_EQ(read->use, query.use);
  EXPECT_EQ(read->module, query.module);
  const auto small = query_of_line(to_line({.module = {.debug_file = "a.pdb"}}));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->module, (sources::ModuleIds{.debug_file = "a.pdb"}));
  for (const std::string_view bad :
       {"", "{", "[]", "{}", "{\"type\":1}", "{\"type\":\"pe\",\"debug_id\":\"x\"}", "{\"type\":\"pe\",\"use\":\"x\"}"})
    EXPECT_FALSE(query_of_line(bad)) << bad;
}

TEST(CacheQuery, SourcesAreCachesOfTheirOwn) {
  const sources::ModuleIds module{
      .code_file = "a.dll", .debug_file = "a.pdb", .code_id = "5ab380779000", .debug_id = kId};
  EXPECT_EQ(types_of({ModuleType::pe_dotnet, module, "global", CacheUse::own_sources}), "portablepdb pe");
  EXPECT_EQ(types_of({ModuleType::pe, module, "global", CacheUse::own_sources}), "pdb");
  EXPECT_TRUE(CacheRequest::of({ModuleType::pe, module, "global", CacheUse::own_sources})->files()[0].at_hand);
  EXPECT_FALSE(CacheRequest::of({ModuleType::pe_dotnet, module, "global", CacheUse::own_sources})->files()[0].at_hand);
  EXPECT_FALSE(CacheRequest::of({ModuleType::pe, module})->files()[0].at_hand);
  for (const ModuleType type : {ModuleType::pe, ModuleType::pe_dotnet, ModuleType::elf, ModuleType::macho})
    EXPECT_EQ(types_of({type, module, "global", CacheUse::bundled_sources}), "sourcebundle");
  EXPECT_FALSE(CacheRequest::of({ModuleType::elf, module, "global", CacheUse::own_sources}));
  EXPECT_EQ((CacheQuery{.type = ModuleType::pe, .use = CacheUse::bundled_sources}.kind()),
            symbolize::CacheKind::sourcecache);
}

}  // namespace
}  // namespace symcached::service
