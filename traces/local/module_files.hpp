#pragma once
/// Finds the files of a module in directories and among given files.
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ids/guid.hpp"
#include "traces/frame_source.hpp"
#include "traces/local/file_names.hpp"

namespace symcached::traces {

/// What a file says it is.
struct FileIdentity {
  std::string code_id;              ///< as object::FileInfo has it; empty = none
  std::optional<DebugId> debug_id;  ///< none: it does not say
};

/// Whether a file is of the build that the question is about. False if it does not say what it is.
bool matches(const FileIdentity& file, const FrameQuestion& question);

class ModuleFiles {
 public:
  /// @param places  files, and directories, which are searched with what is below them. The root directory is not:
  ///                in it, only paths of the trace are looked up.
  explicit ModuleFiles(const std::vector<std::filesystem::path>& places);

  struct Found {
    /// ok: the ids of the trace are those of the files; unverified: there is only the name, and files of one build
    /// alone have it; else why there is none.
    Status status = Status::no_debug_file;
    std::vector<std::filesystem::path> files;  ///< of one build, the one that was named first
    std::size_t builds = 0;                    ///< ambiguous: how many
    /// Files that were not taken, and why: "id is AB, expected CD". Not more than a few.
    std::vector<std::pair<std::filesystem::path, std::string>> others = {};
  };
  /// By id, then by path, then by name. A question without a module means the only file given, if there is only one.
  /// Cost: what a question names is opened and described, once per file; the first search by name lists all
  /// directories, at most kMaxEntries files.
  Found find(const FrameQuestion& question);

  static constexpr std::size_t kMaxEntries = 200'000;

 private:
  using Paths = std::vector<std::filesystem::path>;
  Paths by_build_id(const FrameQuestion& question) const;
  Paths by_path(const std::string& module) const;
  /// What the likeliest name leads to, then what the next one does, and so on.
  std::vector<Paths> by_name(const std::string& module);
  Found find_by_id(const FrameQuestion& question, const Paths& candidates);
  Found find_by_name(const std::vector<Paths>& levels);
  const FileIdentity& identity_of(const std::filesystem::path& path);
  void list_directories();

  Paths files_, directories_;
  bool is_listed_ = false;
  std::vector<std::pair<std::string, std::filesystem::path>> listed_;  // by name in lower case
  std::map<std::filesystem::path, FileIdentity> identities_;
};

}  // namespace symcached::traces
