#pragma once
/// Answers the frames of a trace from files on this machine.
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "sources/module_ids.hpp"
#include "symbolize/managed_modules.hpp"
#include "symbolize/open_module.hpp"
#include "traces/frame_source.hpp"
#include "traces/local/geometry.hpp"
#include "traces/local/module_files.hpp"
#include "traces/local/name_index.hpp"

namespace symcached::traces {

/// A file from elsewhere.
struct FetchedFile {
  MappedFile mapped;
  Bytes bytes;  ///< in `mapped`
};
/// Asked for a debug file by ids. @return the file, or a sentence why there is none
using FetchFile = std::function<std::expected<FetchedFile, std::string>(const sources::ModuleIds& module)>;

struct LocalOptions {
  std::vector<std::filesystem::path> places;  ///< files and directories with programs and debug files
  std::vector<std::string> debug_folders;     ///< as symbolize::kDebugFolder
  FetchFile fetch = {};                       ///< empty: nobody is asked
  symbolize::FetchPdb fetch_pdb = {};         ///< for .NET; empty: nobody is asked
};

/// Each module is looked for and opened once, when it is first asked about, and stays open.
class LocalFrames final : public FrameSource {
 public:
  explicit LocalFrames(LocalOptions options);

  /// Cost: a few microseconds a question; opening a module costs what symbolize::derive_symcache() says.
  void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) override;

  /// One sentence for each module that was asked for and not found or not used, in alphabetical order.
  std::vector<std::string> complaints() const;

 private:
  struct LocalModule {
    Status status = Status::no_debug_file;
    std::string why;         ///< there is none
    std::size_t builds = 0;  ///< ambiguous: how many
    std::optional<symbolize::OpenedModule> opened;
    Geometry geometry;
    std::filesystem::path symbols;   ///< file with a symbol table; empty: none has one
    std::optional<NameIndex> names;  ///< made when it is first needed
  };
  LocalModule& module_of(const FrameQuestion& question);
  void look_for(const FrameQuestion& question, LocalModule& module);
  void open_best(std::vector<std::filesystem::path> files, LocalModule& module) const;
  void fetch(const FrameQuestion& question, LocalModule& module) const;
  static NameIndex index_of(const LocalModule& module);
  Resolved answer(const FrameQuestion& question);
  Resolved answer_named(const FrameQuestion& question, LocalModule& module);
  Resolved answer_token(const FrameQuestion& question);
  Resolved answer_at(const LocalModule& module, model::Rva rva, Status status, bool subtract);

  LocalOptions options_;
  ModuleFiles files_;
  symbolize::ManagedModules managed_;
  std::map<std::string, LocalModule> modules_;
  symbolize::Answer answer_;  // memory, used again and again
};

}  // namespace symcached::traces
