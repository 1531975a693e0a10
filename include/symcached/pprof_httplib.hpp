#pragma once
/// The pages of libsymcached_pprof in a server that uses cpp-httplib.
///
///     httplib::Server server;
///     symcached::pprof::add_pages(server);
///
/// A profile takes one of the server's threads for as long as it is asked to.
#include <httplib.h>
#include <symcached/pprof.hpp>

namespace symcached::pprof {
inline namespace v0 {

/// Adds /pprof/, /debug/pprof/ and /symbolz to it; / stays yours.
/// @param token  that clients have to send; empty: your server decides who may ask
inline void add_pages(httplib::Server& server, std::string token = {}) {
  const auto answer = [token = std::move(token)](const httplib::Request& request, httplib::Response& response) {
    const std::string accept = request.get_header_value("Accept");
    const std::string authorization = request.get_header_value("Authorization");
    Request asked;
    asked.method = request.method;
    asked.target = request.target;
    asked.body = request.body;
    asked.accept = accept;
    asked.authorization = authorization;
    asked.token = token;
    const Response page = handle(asked);
    std::string type = "application/octet-stream";
    for (const auto& [name, value] : page.headers()) {
      if (name == "Content-Type") type = value;
      else response.headers.emplace(name, value);
    }
    response.status = page.status();
    response.set_content(std::string(page.body()), type);
  };
  for (const char* const path : {"/pprof(/.*)?", "/debug/pprof(/.*)?", "/symbolz"}) {
    server.Get(path, answer);
    server.Post(path, answer);
  }
}

}  // namespace v0
}  // namespace symcached::pprof
