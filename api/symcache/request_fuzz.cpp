#include "api/symcache/request.hpp"
#include "sources/file_name.hpp"

/// The first line is the request target, the rest a value of If-Version-Exceeds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const auto segments = http::path_segments(text.substr(0, end));
  if (!segments) return 0;
  const auto path = api::parse_symcache_path(*segments);
  if (path && !sources::check_file_name(path->pdb.pdb_name)) __builtin_trap();
  if (path && end != std::string_view::npos) {
    const http::Request request{"GET", "/", {{"If-Version-Exceeds", std::string(text.substr(end + 1))}}};
    static_cast<void>(api::parse_symcache_conditions(request, path->version));
  }
  return 0;
}
