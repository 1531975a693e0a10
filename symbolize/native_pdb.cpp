#include "symbolize/native_pdb.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mapped_file.hpp"
#include "base/path_text.hpp"
#include "object/identify.hpp"
#include "object/managed/files.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;
using object::FileInfo;
using object::FileKind;

bool has_feature(const FileInfo& info, std::string_view feature) {
  return std::ranges::find(info.features, feature) != info.features.end();
}

}  // namespace

NativePdb find_native_pdb(const fs::path& file, Bytes bytes, SeenFiles* seen) {
  if (object::identify(bytes) != FileKind::pe || object::is_managed(bytes)) return {};
  const FileInfo image = object::describe(bytes);
  const auto link = std::ranges::find(image.links, FileKind::pdb, &object::Link::kind);
  if (link == image.links.end() || has_feature(image, "dwarf")) return {};
  const std::string name(last_path_part(link->path));
  NativePdb result;
  for (const fs::path& place : {file.parent_path() / name, fs::path(file).replace_extension(".pdb")}) {
    std::error_code error;
    if (seen != nullptr) seen->note(place);
    if (!place.has_filename() || !fs::is_regular_file(place, error)) continue;
    const auto mapped = MappedFile::open(place);
    if (!mapped || object::identify(mapped->bytes()) != FileKind::pdb) continue;
    const FileInfo pdb = object::describe(mapped->bytes());
    if (pdb.debug_id && pdb.debug_id->dashed() == link->debug_id) return {place, {}};
    if (result.warning.empty())
      result.warning = fmt::format("{} does not match {} and was not used", place.string(), file.string());
  }
  if (result.warning.empty())
    result.warning = fmt::format("{}: its PDB, {}, is not beside it; only the image's own symbols are known",
                                 file.string(), name.empty() ? "whose name is not recorded" : name);
  return result;
}

}  // namespace symcached::symbolize
