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
#include "stacks/explain.hpp"
#include "symbolize/managed_modules.hpp"
#include "symbolize/open_module.hpp"
#include "traces/frame_source.hpp"
#include "traces/local/geometry.hpp"
#include "traces/local/looked_places.hpp"
#include "traces/local/module_files.hpp"
#include "traces/local/name_index.hpp"

namespace symcached::traces {

/// A file from elsewhere.
struct FetchedFile {
  MappedFile mapped;
  Bytes bytes;  ///< in `mapped`
};
struct NoFile {
  std::string why;                           ///< a sentence
  std::vector<stacks::CandidateInfo> asked;  ///< where it was looked for
};
/// Asked for a debug file by ids.
using FetchFile = std::function<std::expected<FetchedFile, NoFile>(const sources::ModuleIds& module)>;

struct LocalOptions {
  std::vector<std::filesystem::path> places;  ///< files and directories with programs and debug files
  std::vector<std::string> debug_folders;     ///< as symbolize::kDebugFolder
  std::vector<std::string> symbol_maps = {};  ///< as symbolize::FarPlaces has them
  FetchFile fetch = {};                       ///< empty: nobody is asked
  symbolize::FetchPdb fetch_pdb = {};         ///< for .NET; empty: nobody is asked
  symbolize::UserCache* cache = nullptr;      ///< as symbolize::OpenOptions has it; outlives the frames
};

/// Each module is looked for and opened once, when it is first asked about, and stays open.
class LocalFrames final : public FrameSource {
 public:
  explicit LocalFrames(LocalOptions options);

  /// Cost: a few microseconds a question; opening a module costs what symbolize::derive_symcache() says.
  void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) override;

  /// One sentence for each module that was asked for and not found or not used, in alphabetical order.
  std::vector<std::string> complaints() const;
  /// Of modules that left questions without names or lines, by name.
  std::vector<stacks::ModuleExplanation> explanations() const;

 private:
  struct LocalModule {
    Status status = Status::no_debug_file;
    std::string why;         ///< there is none
    std::size_t builds = 0;  ///< ambiguous: how many
    std::optional<symbolize::OpenedModule> opened;
    Geometry geometry;
    std::filesystem::path symbols;   ///< file with a symbol table; empty: none has one
    std::optional<NameIndex> names;  ///< made when it is first needed

    // For explanations.
    std::string name;
    sources::ModuleIds ids;
    std::string no_use;                                 ///< why a file that was found was not
    std::vector<stacks::CandidateInfo> looked;          ///< where its files were looked for
    std::map<stacks::Trouble, std::uint64_t> troubles;  ///< how many questions
  };
  LocalModule& module_of(const FrameQuestion& question);
  void look_for(const FrameQuestion& question, LocalModule& module);
  void open_best(std::vector<std::filesystem::path> files, LocalModule& module) const;
  void fetch(const FrameQuestion& question, LocalModule& module) const;
  static NameIndex index_of(const LocalModule& module);
  Resolved answer(const FrameQuestion& question);
  Resolved answer_in(const FrameQuestion& question, LocalModule& module);
  static std::optional<stacks::Trouble> trouble_of(const LocalModule& module, const Resolved& resolved);
  Resolved answer_named(const FrameQuestion& question, LocalModule& module);
  Resolved answer_token(const FrameQuestion& question);
  Resolved answer_at(const LocalModule& module, model::Rva rva, Status status, bool subtract);

  LocalOptions options_;
  ModuleFiles files_;
  symbolize::ManagedModules managed_;
  std::map<std::string, LocalModule> modules_;
  std::map<std::string, std::uint64_t> managed_troubles_;  // how many questions of a module without answers
  symbolize::Answer answer_;                               // memory, used again and again
};

}  // namespace symcached::traces
