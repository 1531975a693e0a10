/// The C functions of pprof.h. Everything that can throw runs inside of guarded().
#include <symcached/pprof.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/guarded.hpp"
#include "profiling/server.hpp"

namespace pprof = symcached::pprof;

struct symcached_pprof_server {
  std::unique_ptr<pprof::HttpServer> server;
};
struct symcached_pprof_canceller {
  std::stop_source stop;
};
struct symcached_pprof_response {
  pprof::PageResponse page;
};

namespace {

using symcached::guarded;
using symcached::put_error;
using symcached::whole;

std::string_view view(symcached_pprof_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

pprof::ServerOptions server_options(const symcached_pprof_options& given) {
  pprof::ServerOptions options;
  if (given.address != nullptr && *given.address != '\0') options.address = given.address;
  if (given.token != nullptr) options.token = given.token;
  options.allow_remote = given.allow_remote != 0;
  if (given.max_connections != 0) options.max_connections = given.max_connections;
  return options;
}

}  // namespace

const char* symcached_pprof_version(void) { return SYMCACHED_VERSION; }

symcached_pprof_server* symcached_pprof_start(const symcached_pprof_options* options, char* error,
                                              std::size_t error_size) {
  return guarded<symcached_pprof_server*>(nullptr, error, error_size, [&]() -> symcached_pprof_server* {
    auto server = pprof::HttpServer::start(server_options(whole(options)), pprof::this_process());
    if (server) return new symcached_pprof_server{*std::move(server)};
    put_error(server.error(), error, error_size);
    return nullptr;
  });
}

std::uint16_t symcached_pprof_port(const symcached_pprof_server* server) { return server->server->port(); }

void symcached_pprof_stop(symcached_pprof_server* server) { delete server; }

symcached_pprof_canceller* symcached_pprof_canceller_new(void) {
  return guarded<symcached_pprof_canceller*>(nullptr, nullptr, 0, [] { return new symcached_pprof_canceller; });
}
void symcached_pprof_cancel(symcached_pprof_canceller* canceller) { canceller->stop.request_stop(); }
void symcached_pprof_canceller_free(symcached_pprof_canceller* canceller) { delete canceller; }

int symcached_pprof_is_page(symcached_pprof_text target) { return pprof::Handlers::is_page(view(target)) ? 1 : 0; }

symcached_pprof_response* symcached_pprof_handle(const symcached_pprof_request* request) {
  return guarded<symcached_pprof_response*>(nullptr, nullptr, 0, [&] {
    const symcached_pprof_request given = whole(request);
    pprof::PageRequest asked{
        .accept = view(given.accept), .authorization = view(given.authorization), .body = view(given.body)};
    if (given.method.size != 0) asked.method = view(given.method);
    if (given.target.size != 0) asked.target = view(given.target);
    if (given.canceller != nullptr) asked.stop = given.canceller->stop.get_token();
    const pprof::Handlers handlers(pprof::this_process(), std::string(view(given.token)));
    return new symcached_pprof_response{handlers.handle(asked)};
  });
}

int symcached_pprof_status(const symcached_pprof_response* response) { return response->page.status; }

const char* symcached_pprof_header(const symcached_pprof_response* response, std::size_t index, const char** value) {
  if (index >= response->page.headers.size()) return nullptr;
  *value = response->page.headers[index].second.c_str();
  return response->page.headers[index].first.c_str();
}

symcached_pprof_text symcached_pprof_body(const symcached_pprof_response* response) {
  return {response->page.body.data(), response->page.body.size()};
}

void symcached_pprof_response_free(symcached_pprof_response* response) { delete response; }
