#include "traces/local/looked_places.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"

namespace symcached::traces {
namespace {

namespace fs = std::filesystem;
using stacks::CandidateInfo;
using stacks::DownloadStatus;

/// What was looked for in a directory: a file by its id, and names.
std::vector<std::string> patterns(const FrameQuestion& question, const fs::path& directory) {
  std::vector<std::string> all;
  const std::string& id = question.build_id;
  if (id.size() > 2) all.push_back((directory / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug")).string());
  const std::string_view name = last_path_part(question.module);
  if (!name.empty()) all.push_back((directory / "**" / fmt::format("{}*", name)).string());
  return all;
}

}  // namespace

sources::ModuleIds ids_of(const FrameQuestion& question) {
  return {.code_file = question.module, .code_id = question.build_id, .debug_id = question.debug_id};
}

std::vector<CandidateInfo> looked_places(const FrameQuestion& question, std::span<const fs::path> places,
                                         const ModuleFiles::Found& found) {
  std::vector<CandidateInfo> all;
  for (const fs::path& file : found.files)
    all.push_back({.source = "--symbols", .location = file.string(), .download = DownloadStatus::ok});
  for (const auto& [file, why] : found.others)
    all.push_back(
        {.source = "--symbols", .location = file.string(), .download = DownloadStatus::malformed, .why = why});
  if (!all.empty()) return all;
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place, ignored)) all.push_back({.source = "--symbols", .location = place.string()});
    else
      for (std::string& pattern : patterns(question, place))
        all.push_back({.source = "--symbols", .location = std::move(pattern)});
  }
  return all;
}

}  // namespace symcached::traces
