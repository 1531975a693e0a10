#include "api/proxy/request.hpp"

#include <cstdint>
#include <string_view>

#include "net/http.hpp"

/// The target of a request, without `/proxy`. What it names can be asked for again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto segments = http::path_segments({reinterpret_cast<const char*>(data), size});
  const auto file = segments ? api::parse_proxy_path(*segments) : std::nullopt;
  if (file && !sources::make_request(file->type, file->module)) __builtin_trap();
  return 0;
}
