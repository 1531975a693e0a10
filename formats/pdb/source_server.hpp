#pragma once
/// The `srcsrv` stream of a PDB: where a debugger gets the text of each source file. Spec: docs/source-context.md,
/// and "Language Specification 1" of Microsoft's source server.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::pdb {

inline constexpr std::string_view kSourceServerStream = "srcsrv";
inline constexpr std::uint32_t kMaxSourceServer = 16u << 20;        ///< bytes of the stream
inline constexpr std::size_t kMaxSourceServerFiles = 1u << 17;      ///< those after are left out
inline constexpr std::size_t kMaxSourceServerVariables = 1u << 12;  ///< the same
inline constexpr std::size_t kMaxSourceServerTarget = 8192;         ///< bytes of a target, and of any part of it

/// Views the text. The stream may also state a command that fetches the file (SRCSRVCMD): it means nothing here, and is
/// never run.
class SourceServer {
 public:
  struct File {
    std::string_view path;   ///< as the compiler recorded it
    std::string_view entry;  ///< the whole line: path, `*`, further fields
  };

  /// @param text  ANSI or UTF-8, at most kMaxSourceServer bytes; refused unless it lists source files
  static Read<SourceServer> parse(std::string_view text);

  /// In the order of the text. Several may have the same path.
  std::span<const File> files() const { return files_; }

  /// SRCSRVTRG, filled in for this file, where that is a URL of http or https: `\` has become `/`, and what a URL
  /// cannot have is percent-encoded.
  /// @return  unchecked: any host; nothing if the target is no URL (a folder most often), refers to what is not
  /// defined,
  ///          is nested too deeply or is too long
  /// Cost: that of writing it. All calls together do no more work than is in proportion to the text; then nothing more
  /// is returned.
  std::optional<std::string> url_of(const File& file);

 private:
  using Variables = std::map<std::string, std::string_view, std::less<>>;  ///< by name, in lower case
  class Expansion;

  void add_variable(std::string_view line);
  void add_file(std::string_view line);

  Variables variables_;
  std::vector<File> files_;
  std::uint64_t work_left_ = 0;
};

}  // namespace symcached::pdb
