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
using symcached::library::timeout_of;

std::expected<client::ServerPlace, std::string> server_of(const char* url, const symcached_fetch_options& options) {
  client::ServerPlace place{symcached::library::login_of(options), client::usual_version(url)};
  place.http.url = url;
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
