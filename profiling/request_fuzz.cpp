/// A request as it comes over a connection, answered by every page but from fakes.
#include "profiling/handlers.hpp"
#include "profiling/http_head.hpp"
#include "testing/pprof/fake_sources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  static FakeSources fake;
  static const Handlers handlers(fake.sources());
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto end = end_of_head(all);
  if (!end) return 0;
  const auto head = parse_head(all.substr(0, *end));
  if (!head) return 0;
  std::stop_source stopped;  // nothing is waited for
  stopped.request_stop();
  const PageResponse page = handlers.handle({.method = head->method,
                                             .target = head->target,
                                             .accept = head->accept,
                                             .authorization = head->authorization,
                                             .body = all.substr(*end),
                                             .stop = stopped.get_token()});
  if (page.status < 200 || page.status > 599) __builtin_trap();
  if (page.status >= 400 && !page.body.starts_with("%warn ")) __builtin_trap();  // what clients show
  return 0;
}
