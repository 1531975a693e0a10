#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/write_file.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/original_file.hpp"
#include "symcache/format.hpp"
#include "wpt/file_name.hpp"
#include "wpt/path.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommand = "symcachegen";
constexpr const char* kVariable = "_NT_SYMCACHE_PATH";
constexpr wpt::Version kVersion{symcache::kProtocolVersion[0], symcache::kProtocolVersion[1],
                                symcache::kProtocolVersion[2]};

/// The folder that symcaches go to, or a sentence that says what to do.
std::expected<fs::path, std::string> output_root() {
  const char* value = std::getenv(kVariable);
  const wpt::SymcachePath path = wpt::parse_symcache_path(value == nullptr ? "" : value);
  for (const std::string& warning : path.warnings)
    complain(kCommand, fmt::format("warning: {}: {}", kVariable, warning));
  if (path.directory.empty())
    return std::unexpected(fmt::format("{} names no directory; set it to the one that symcaches go to", kVariable));
  std::error_code error;
  if (!fs::is_directory(path.directory, error))
    return std::unexpected(fmt::format("{}: {} is not a directory; create it first", kVariable, path.directory));
  return path.directory;
}

std::expected<fs::path, std::string> generate(const fs::path& pdb) {
  const auto root = output_root();
  if (!root) return root;
  const auto file = symbolize::OriginalFile::open(pdb);
  if (!file) return std::unexpected(file.error());
  const auto companions = symbolize::find_companions(pdb, file->bytes(), {});
  const auto derived = symbolize::derive_symcache({.file = file->bytes(), .companions = companions.all()});
  if (!derived) return std::unexpected(fmt::format("{}: {}", pdb.string(), derived.error()));
  const auto place = wpt::to_string(wpt::PdbPlace{{pdb.filename().string(), kVersion}, derived->debug_id});
  if (!place) return std::unexpected(fmt::format("{}: its name is too long to name a symcache after it", pdb.string()));
  const fs::path target = *root / *place;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error)
    return std::unexpected(
        fmt::format("cannot create directory {}: {}", target.parent_path().string(), error.message()));
  if (const auto ok = write_file(target, derived->file); !ok) return std::unexpected(ok.error());
  return target;
}

int run(const std::string& pdb) {
  const auto made = generate(pdb);
  if (!made) {
    complain(kCommand, made.error());
    return kCouldNot;
  }
  fmt::print("{}\n", made->string());
  return kDone;
}

constexpr const char* kFooter = R"(For programs that run Microsoft's symcachegen.exe. The symcache, in the open
format, goes to NAME/GUIDAGE/NAME-v2.1.0.symcache below the directory, where
NAME is that of the PDB file, and GUID and age are those it states.

Examples:
  _NT_SYMCACHE_PATH=/srv/symcache symcached symcachegen -pdb app.pdb
  _NT_SYMCACHE_PATH='/srv/symcache*https://server' \
      symcached symcachegen -pdb app.pdb

Exit status:
  0  the symcache was written; its path is printed
  1  it was not
  2  wrong usage

Environment:
  _NT_SYMCACHE_PATH   its first directory is where symcaches go; it must exist)";

}  // namespace

void add_symcachegen(CLI::App& app, int& status) {
  auto pdb = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(std::string(kCommand), "Convert one PDB as Microsoft's symcachegen.exe would");
  command->add_option("--pdb", *pdb, "the PDB; also written -pdb")->type_name("FILE")->required();
  command->footer(kFooter);
  command->callback([pdb, &status] { status = run(*pdb); });
}

}  // namespace symcached::app
