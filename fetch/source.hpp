#pragma once
/// A place originals come from, behind one question.
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/endpoint.hpp"
#include "fetch/http_client.hpp"
#include "fetch/object_cache.hpp"
#include "fetch/outcome.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

/// Outlives every question put to it. Asked from threads that may wait for the disk.
class Source {
 public:
  virtual ~Source() = default;
  /// Path or URL, without credentials.
  virtual const std::string& name() const = 0;
  /// Name and rules: what decides its answers, but for credentials. What one source said is true of those with its key.
  virtual const std::string& key() const = 0;
  /// SourceConfig::id: sources of one name may have several.
  virtual const std::string& id() const = 0;
  /// Another number when the credentials are others: what was refused to those says nothing of these. 0: none.
  virtual std::uint64_t credentials() const = 0;
  /// What it has may be seen from every scope.
  virtual bool is_public() const = 0;
  virtual bool is_local() const = 0;  ///< identify() asks nobody but this machine
  virtual Task<Outcome> open(Wanted wanted) = 0;
  virtual sources::Layout layout() const = 0;
  /// The places where open() looks, but for those that only asking tells of: paths below its root. None: its filters
  /// leave the file out, or it is not found by a place. Asks nobody.
  virtual std::vector<std::string> places(const Wanted& wanted) = 0;
  /// Path or URL of a place, without credentials.
  virtual std::string location_of(std::string_view place) const = 0;
  /// Looks at one place alone.
  virtual Task<Outcome> open_place(Wanted wanted, std::string place) = 0;
  /// What the original is now (identity.hpp), without reading it. Empty if it is not there or cannot be told.
  /// Cost: the file's attributes, or a HEAD.
  virtual Task<std::string> identify(Wanted wanted) = 0;
  /// Drops what is kept of an original that turned out to be another one than asked for.
  virtual void forget(const Wanted& wanted) = 0;
};

/// Nothing is asked yet. @param log  for what is wrong with the place itself, once
/// @return the source, or what is wrong with the description
std::expected<std::unique_ptr<Source>, std::string> make_source(const sources::SourceConfig& config,
                                                                ObjectCache& objects, HttpClient& client, Log log = {});

/// A folder or an http(s) URL as people write it: Layout::automatic, and everybody may see what it has.
sources::SourceConfig config_of(std::string_view path_or_url);
std::expected<std::unique_ptr<Source>, std::string> make_source(std::string_view path_or_url, ObjectCache& objects,
                                                                HttpClient& client);

}  // namespace symcached::fetch
