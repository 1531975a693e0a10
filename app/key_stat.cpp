#include "app/key_stat.hpp"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/pdb_key.hpp"
#include "app/user_agent.hpp"
#include "base/utf8.hpp"
#include "client/symcache_client.hpp"
#include "config/address.hpp"
#include "fetch/small_answer.hpp"
#include "net/run_task.hpp"
#include "sources/path_words.hpp"

namespace symcached::app {
namespace {

namespace json = boost::json;
template <class T>
using OrWhy = std::expected<T, std::string>;

constexpr std::size_t kMostOfAnswer = 4 << 20;  ///< bytes
constexpr std::size_t kMostOfError = 512;

/// Where a server with this configuration listens, for a client on the same machine.
OrWhy<std::string> url_of(const config::Config& config) {
  const auto address = config::parse_address(config.bind);
  if (!address || address->port == 0) return std::unexpected("give --server: bind names no port");
  std::string host = address->host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  return fmt::format("{}://{}:{}", config.tls.certificate.empty() ? "http" : "https",
                     host.find(':') != host.npos ? "[" + host + "]" : host, address->port);
}

struct Server {
  std::string url;    ///< without a slash at its end; may hold credentials
  std::string shown;  ///< without
  http::Headers headers;
};

OrWhy<Server> server_of(const KeyQuestion& question, const config::Config& config) {
  auto url = question.server.empty() ? url_of(config) : question.server;
  if (!url) return std::unexpected(std::move(url.error()));
  while (url->ends_with('/')) url->pop_back();
  Server server{*url, escaped(sources::without_credentials(*url)), {}};
  for (const std::string& line : question.headers) {
    auto header = parse_header(line);
    if (!header) return std::unexpected("--header: write \"Name: value\"");
    server.headers.push_back(std::move(*header));
  }
  return server;
}

/// @return an object; nothing if the server has none of that format
OrWhy<std::optional<json::object>> ask(fetch::HttpClient& client, const Server& server, std::string_view below,
                                       const client::SymcacheKey& key) {
  fetch::HttpRequest request{.url = fmt::format("{}{}/{}/{}/{}", server.url, below, http::percent_encode(key.pdb_name),
                                                key.id.guid.hex_upper(), key.id.age),
                             .headers = server.headers};
  request.keep_other_body = kMostOfError;
  const fetch::SmallAnswer answer = run_task(fetch::ask_small(client, std::move(request), kMostOfAnswer));
  const fetch::HttpResult& result = answer.result;
  if (result.answered(404)) return std::nullopt;
  if (result.end != fetch::HttpResult::End::answered) return std::unexpected(result.error);
  if (result.head.status != 200) {
    const std::string_view line = std::string_view(result.other_body).substr(0, result.other_body.find('\n'));
    return std::unexpected(fmt::format("HTTP status {}{}{}", result.head.status, line.empty() ? "" : ": ", line));
  }
  boost::system::error_code error;
  json::value value = json::parse(answer.body, error);
  if (error || !value.is_object()) return std::unexpected("it answers something else: is it another server?");
  return std::move(value.get_object());
}

// --- Text. What a server says may be anything. ----------------------------------------------------------------------

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr) return "";
  if (value->is_string()) return escaped(std::string_view(value->get_string().data(), value->get_string().size()));
  return json::serialize(*value);
}

bool is_true(const json::object& object, std::string_view key) { return text_of(object, key) == "true"; }

/// "unavailable, tried again in 60 s: HTTP status 503"
std::string state_of(const json::object& object) {
  std::string text = text_of(object, "state");
  if (is_true(object, "outdated")) text += ", of an older version";
  if (is_true(object, "under_way")) text += ", being made";
  if (const std::string in = text_of(object, "retry_in"); !in.empty()) text += ", tried again in " + in + " s";
  if (const std::string why = text_of(object, "why"); !why.empty()) text += ": " + why;
  return text;
}

/// Calls `print` with each object of an array.
template <class Print>
void for_each(const json::object& object, std::string_view key, const Print& print) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr || !value->is_array()) return;
  for (const json::value& row : value->get_array())
    if (row.is_object()) print(row.get_object());
}

void print_sources(const json::object& status) {
  for_each(status, "sources", [](const json::object& source) {
    fmt::print("  source {}, {}: {}\n", text_of(source, "source"), text_of(source, "file"), state_of(source));
  });
}

void print_open(const json::object& status) {
  fmt::print("open format: {}\n", state_of(status));
  if (status.contains("size")) fmt::print("  {} bytes, {}\n", text_of(status, "size"), text_of(status, "holds"));
  print_sources(status);
}

void print_microsoft(const json::object& status) {
  fmt::print("Microsoft's format:\n");
  for_each(status, "symcaches", [](const json::object& symcache) {
    fmt::print("  version {}: {} bytes, {}\n", text_of(symcache, "version"), text_of(symcache, "size"),
               text_of(symcache, "path"));
  });
  for_each(status, "transcoders", [](const json::object& tool) {
    fmt::print("  transcoder of version {}: {}\n", text_of(tool, "version"), state_of(tool));
  });
  print_sources(status);
}

}  // namespace

int print_key_stat(std::string_view command, const KeyQuestion& question, const config::Config& config, bool as_json) {
  const auto fail = [&](const std::string& why) {
    complain(command, why);
    return kCouldNot;
  };
  const auto key = pdb_key_of(question.pdb[0], question.pdb[1], question.pdb.size() > 2 ? &question.pdb[2] : nullptr);
  if (!key) {
    complain(command, key.error());
    return kWrongUsage;
  }
  const auto server = server_of(question, config);
  if (!server) return fail(server.error());
  fetch::HttpClient client(client::usual_limits(), std::string(kUserAgent));
  const auto open = ask(client, *server, "/open/status", *key);
  if (!open)
    return fail(fmt::format("cannot ask the server at {}: {}; what its directory has, cache ls says", server->shown,
                            open.error()));
  if (!*open)
    return fail(fmt::format("no PDB can be asked for by the name {}, or the server is another", key->pdb_name));
  const auto microsoft = ask(client, *server, "/status", *key);
  if (!microsoft) return fail(microsoft.error());
  if (as_json) {
    json::object out{{"server", server->shown}, {"open", **open}};
    if (*microsoft) out["microsoft"] = **microsoft;
    fmt::print("{}\n", json::serialize(out));
    return kDone;
  }
  fmt::print("{}, as {} says\n", text_of(**open, "key"), server->shown);
  print_open(**open);
  if (*microsoft) print_microsoft(**microsoft);
  return kDone;
}

}  // namespace symcached::app
