#include "symbolize/user_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "symbolize/open_module.hpp"
#include "symbolize/seen_files.hpp"
#include "testing/dwarf/tiny.hpp"
#include "testing/elf/image.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;

TEST(KeptRecord, ComesBackAsItWasWritten) {
  const KeptRecord record{
      .seen = {{.path = "/a/b", .is_there = true, .size = 7, .inode = 9, .modified_ns = -5}, {.path = "/no\nthing"}},
      .warnings = {"a: b", ""}};
  const std::string symcache = "any bytes";
  std::vector<std::byte> payload(as_bytes(symcache).begin(), as_bytes(symcache).end());
  const auto behind = write_kept_record(record);
  payload.insert(payload.end(), behind.begin(), behind.end());
  const auto kept = read_kept_symcache(payload);
  ASSERT_TRUE(kept) << to_string(kept.error());
  EXPECT_EQ(as_text(kept->symcache), symcache);
  EXPECT_EQ(kept->record, record);
  for (std::size_t n = 0; n < behind.size(); ++n)
    EXPECT_FALSE(read_kept_symcache(Bytes(payload).first(symcache.size() + n))) << n;
  for (std::size_t n = 1; n < behind.size(); ++n)
    EXPECT_FALSE(read_kept_symcache(Bytes(payload).last(n))) << n << " bytes of the record";
}

constexpr std::uint64_t kCode = 0x1000, kSize = 0x100;

struct Program {
  std::string name;              ///< of its function
  std::string_view id = "same";  ///< of the build; empty: none
  bool has_dwarf = true;         ///< otherwise a symbol table
  std::string_view debug_link = {};
};

std::string elf_of(const Program& program) {
  const elf::Layout layout{};
  testkit::ElfImage image;
  image.sections.push_back({.name = ".text",
                            .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
                            .address = kCode,
                            .data = std::vector<std::byte>(kSize)});
  if (!program.id.empty()) {
    std::string id(20, '.');
    id.replace(0, program.id.size(), program.id);
    image.sections.push_back({.name = ".note",
                              .type = elf::SectionType::note,
                              .data = testkit::elf_note(layout, "GNU", elf::kNoteBuildId, as_bytes(id)),
                              .alignment = 4});
  }
  if (program.has_dwarf) {
    const auto dwarf = testkit::tiny_dwarf({{program.name, kCode, kSize}}, 8);
    image.sections.push_back({.name = ".debug_info", .data = dwarf.info});
    image.sections.push_back({.name = ".debug_abbrev", .data = dwarf.abbrev});
  }
  if (!program.debug_link.empty())
    image.sections.push_back({.name = ".gnu_debuglink",
                              .data = testkit::ElfBytes(layout).c_string(program.debug_link).align(4).u32(0).finish()});
  return std::string(as_text(assemble(image)));
}

class Kept : public testing::Test {
 protected:
  UserCacheOptions options() const { return {.directory = folder_.path() / "cache", .min_file_size = 0}; }
  /// "made <function>" or "kept <function>", or what is wrong.
  std::string open(const fs::path& path, const UserCacheOptions& cache_options) const {
    UserCache cache(cache_options);
    auto opened = OpenedModule::open(folder_.path() / path, {.far = {.debug_folders = folders_}, .cache = &cache});
    if (!opened) return opened.error();
    Answer answer;
    opened->module().ask(model::Rva{kCode}, {}, answer);
    const std::string function = answer.frames().empty() ? "??" : std::string(answer.frames().front().function);
    return (opened->is_from_cache() ? "kept " : "made ") + function;
  }
  std::string open(const fs::path& path) const { return open(path, options()); }
  std::size_t entries() const {
    std::size_t count = 0;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache/kept_symcaches", error))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  /// Into the past, so that a change is not hidden by the clock's grain.
  void age(const fs::path& path) const {
    fs::last_write_time(folder_.path() / path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  TempFolder folder_;
  std::vector<std::string> folders_{(folder_.path() / "debug").string()};
};

TEST_F(Kept, ByBuildIdWhateverThePlace) {
  folder_.write("a", elf_of({.name = "main"}));
  EXPECT_EQ(open("a"), "made main");
  EXPECT_EQ(open("a"), "kept main");
  folder_.write("elsewhere/b", elf_of({.name = "main"}));
  EXPECT_EQ(open("elsewhere/b"), "kept main");
  folder_.write("a", elf_of({.name = "rebuilt", .id = "other"}));
  EXPECT_EQ(open("a"), "made rebuilt");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Kept, OneBuildIdDoesNotMakeFilesTheSame) {
  folder_.write("a", elf_of({.name = "longer_name"}));
  folder_.write("b", elf_of({.name = "name"}));
  EXPECT_EQ(open("a"), "made longer_name");
  EXPECT_EQ(open("b"), "made name");
}

TEST_F(Kept, WithoutBuildIdByPathSizeAndTime) {
  folder_.write("a", elf_of({.name = "first", .id = ""}));
  age("a");
  EXPECT_EQ(open("a"), "made first");
  EXPECT_EQ(open("a"), "kept first");
  folder_.write("b", elf_of({.name = "first", .id = ""}));
  EXPECT_EQ(open("b"), "made first");
  folder_.write("a", elf_of({.name = "other", .id = ""}));  // as long
  EXPECT_EQ(open("a"), "made other");
}

TEST_F(Kept, NotLongerThanTheFilesItWasMadeWith) {
  const std::string program = elf_of({.name = "", .has_dwarf = false, .debug_link = "a.debug"});
  folder_.write("a", program);
  EXPECT_EQ(open("a"), "made ??");
  EXPECT_EQ(open("a"), "kept ??");
  std::string rest = "616d65";
  for (int i = 0; i < 16; ++i) rest += "2e";
  folder_.write("debug/.build-id/73/" + rest + ".debug", elf_of({.name = "installed"}));
  EXPECT_EQ(open("a"), "made installed") << "there was none at that place";
  EXPECT_EQ(open("a"), "kept installed");
  folder_.write(".debug/a.debug", elf_of({.name = "not_asked_for"}));
  EXPECT_EQ(open("a"), "kept installed");
  fs::remove_all(folder_.path() / "debug");
  EXPECT_EQ(open("a"), "made not_asked_for");
  folder_.write("x/a", program);
  EXPECT_EQ(open("x/a"), "made ??") << "there is another file beside it";
  EXPECT_EQ(open("a"), "kept not_asked_for");
  folders_.clear();
  EXPECT_EQ(open("a"), "made not_asked_for") << "other folders are searched";
}

TEST_F(Kept, NeverInTheWay) {
  folder_.write("a", elf_of({.name = "main"}));
  UserCacheOptions bad = options();
  folder_.write("full/of", "other things");
  bad.directory = folder_.path() / "full";
  EXPECT_EQ(open("a", bad), "made main");
  EXPECT_EQ(open("a", bad), "made main");
  bad.directory = folder_.path() / "a/is/a/file";
  EXPECT_EQ(open("a", bad), "made main");
  EXPECT_EQ(open("a"), "made main");
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache/kept_symcaches"))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() - 1);
  EXPECT_EQ(open("a"), "made main") << "cut";
  EXPECT_EQ(open("a"), "kept main");
  fs::remove_all(folder_.path() / "cache");
  EXPECT_EQ(open("a"), "made main") << "deleted";
  UserCacheOptions large = options();
  large.min_file_size = 1u << 20;
  EXPECT_EQ(open("a", large), "made main") << "small files are not looked for";
}

TEST_F(Kept, WithinTheLimit) {
  UserCacheOptions tight = options();
  tight.max_size = 2 * 8192;  // an entry has a page for its head, and less than one for its payload
  for (const std::string name : {"a", "b", "c"}) {
    folder_.write(name, elf_of({.name = name, .id = name}));
    EXPECT_EQ(open(name, tight), "made " + name);
  }
  EXPECT_EQ(entries(), 2U);
  EXPECT_EQ(open("c", tight), "kept c");
  tight.max_size = 0;
  EXPECT_EQ(open("c", tight), "made c");
}

TEST_F(Kept, OneProcessMakesIt) {
  folder_.write("a", elf_of({.name = "main"}));
  const auto mapped = MappedFile::open(folder_.path() / "a");
  const FileKey key = file_key_of(folder_.path() / "a", mapped->bytes(), {});
  UserCache one(options()), other(options());
  {
    const auto lock = one.try_lock(key);
    EXPECT_TRUE(lock);
    EXPECT_FALSE(other.try_lock(key));
  }
  EXPECT_TRUE(other.try_lock(key));
}

}  // namespace
}  // namespace symcached::symbolize
