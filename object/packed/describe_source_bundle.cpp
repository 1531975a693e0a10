#include "object/packed/describe_source_bundle.hpp"

#include <algorithm>
#include <vector>

#include "base/json.hpp"
#include "object/packed/source_bundle.hpp"
#include "object/text/describe_breakpad.hpp"

namespace symcached::object {
namespace {

struct FileType {
  std::string_view type;
  std::string_view feature;
};
constexpr FileType kTypes[] = {
    {"source", "sources"},
    {"minified_source", "minified-sources"},
    {"source_map", "source-maps"},
    {"indexed_ram_bundle", "ram-bundles"},
};

void describe_files(FileInfo& info, const std::vector<BundledFile>& files) {
  for (const FileType& row : kTypes)
    if (std::ranges::find(files, row.type, &BundledFile::type) != files.end()) info.features.push_back(row.feature);
}

}  // namespace

void describe_source_bundle(FileInfo& info, Bytes file) {
  if (const auto known = SourceBundle::check_version(file); !known) return void(info.error = known.error());
  const auto bundle = SourceBundle::open(file);
  if (!bundle) return void(info.trouble = bundle.error());
  const boost::json::object& manifest = bundle->manifest();
  info.debug_id = DebugId::parse(json_text(manifest, "debug_id"));
  info.code_id = json_text(manifest, "code_id");
  info.debug_file = json_text(manifest, "object_name");
  info.arch = arch_of_breakpad(json_text(manifest, "arch"));
  const std::vector<BundledFile> files = bundle->files();
  info.file_count = files.size();
  describe_files(info, files);
}

}  // namespace symcached::object
