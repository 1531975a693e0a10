/// symcached_fetch() of symcached.h over client/.
#include <symcached/symcached.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "client/symcache_client.hpp"
#include "library/fetched.hpp"

namespace client = symcached::client;

namespace {

using symcached::library::Fetched;
using symcached::library::kUsualTimeout;

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

std::chrono::milliseconds timeout_of(const symcached_fetch_options& options) {
  return options.timeout_ms == 0 ? kUsualTimeout : std::chrono::milliseconds(options.timeout_ms);
}

std::expected<client::ServerPlace, std::string> server_of(const char* url, const symcached_fetch_options& options) {
  client::ServerPlace place{{.url = url}, client::usual_version(url)};
  place.http.user = text_or_empty(options.user);
  place.http.password = text_or_empty(options.password);
  place.http.bearer_token = text_or_empty(options.bearer_token);
  place.http.negotiate = options.negotiate != 0;
  if (options.version == nullptr) return place;
  const auto version = symcached::wpt::Version::parse(options.version);
  if (!version) return std::unexpected("the version is not of the form 3.1.0");
  place.version = *version;
  return place;
}

Fetched result_of(const client::Outcome& outcome) {
  if (const auto* kept = std::get_if<client::Kept>(&outcome)) return {SYMCACHED_FETCHED, kept->path.string()};
  if (const auto* not_kept = std::get_if<client::NotKept>(&outcome))
    return {not_kept->is_unfinished ? SYMCACHED_NOT_YET : SYMCACHED_FETCH_FAILED, not_kept->why};
  return {SYMCACHED_NOT_THERE, "the server does not have this symcache and cannot make it"};
}

Fetched fetch(const char* url, const char* pdb_name, const char* pdb_guid, std::uint32_t pdb_age, const char* directory,
              const symcached_fetch_options& options) {
  const auto guid = symcached::Guid::parse(pdb_guid);
  if (!guid) return {SYMCACHED_FETCH_FAILED, "the id is no GUID"};
  auto server = server_of(url, options);
  if (!server) return {SYMCACHED_FETCH_FAILED, std::move(server.error())};
  client::ClientOptions all{.directory = directory, .patience = timeout_of(options)};
  all.user_agent = "libsymcached/" SYMCACHED_VERSION;
  all.places.push_back({std::move(*server)});
  const auto opened = client::SymcacheClient::open(std::move(all));
  if (!opened) return {SYMCACHED_FETCH_FAILED, opened.error()};
  return result_of((*opened)->fetch_within({pdb_name, {*guid, pdb_age}}, timeout_of(options)));
}

}  // namespace

int symcached_fetch(const char* url, const char* pdb_name, const char* pdb_guid, std::uint32_t pdb_age,
                    const char* directory, const symcached_fetch_options* options, char* path, std::size_t path_size,
                    char* error, std::size_t error_size) {
  return symcached::library::tell_fetched("the symcache", {path, path_size, error, error_size}, [&] {
    return fetch(url, pdb_name, pdb_guid, pdb_age, directory, symcached::whole(options));
  });
}
