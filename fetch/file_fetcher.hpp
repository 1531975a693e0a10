#pragma once
/// Files from symbol servers and folders for a program that waits for them: one question after the other, sources in
/// the order given, the first usable answer counts.
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fetch/source.hpp"

namespace symcached::fetch {

/// Why there is no file.
struct NotFetched {
  enum class Kind : std::uint8_t {
    absent,       ///< every source says no
    malformed,    ///< a source has something else under that name, or the name is none
    unavailable,  ///< a source did not answer as it should; asking again may help
  } kind;
  std::string why;  ///< one line; what each source said, with "; " between

  /// What one source said, for those who explain it.
  struct Said {
    std::string source;                  ///< path or URL, without credentials
    std::vector<std::string> locations;  ///< of the file there
    Kind kind = Kind::absent;
    std::string why = {};
    bool is_forbidden = false;
    unsigned status = 0;  ///< of HTTP; 0: there was none, or it does not count
  };
  std::vector<Said> said = {};
};

/// Asks one source after the other until one has the file.
Task<std::expected<Original, NotFetched>> fetch_first(std::span<const std::unique_ptr<Source>> sources, Wanted wanted);

struct FetcherOptions {
  std::vector<std::string> symbols;  ///< folders and http(s) URLs, as make_source() takes them
  sources::HttpPlace login = {};     ///< of all that are URLs; its own URL means nothing
  std::filesystem::path cache_dir;   ///< may be that of a running server; empty: nothing is left on disk
  store::CacheKind objects;          ///< entries that files are kept as
  std::string user_agent;
  Limits limits = {};
  /// URLs are asked as debuginfod servers before they are as any other: the real one takes what others are asked for
  /// an error of its own.
  bool debuginfod_first = false;
};

/// Owns sources and cache. Calls block; not for an event loop's thread.
class FileFetcher {
 public:
  /// @return the fetcher, or what is wrong with a source or the folder. Nothing is asked yet.
  static std::expected<std::unique_ptr<FileFetcher>, std::string> open(FetcherOptions options);

  /// The file stays readable when the fetcher is gone.
  /// @param module  names and ids as files state them, unchecked. Of Portable PDBs also checksums: some servers answer
  ///                only who sends them, and what arrives is held to them
  std::expected<Original, NotFetched> fetch(sources::FileType type, sources::ModuleIds module);

 private:
  explicit FileFetcher(const FetcherOptions& options) : client_(options.limits, options.user_agent) {}

  std::unique_ptr<store::Store> store_;
  std::optional<ObjectCache> objects_;
  HttpClient client_;
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace symcached::fetch
