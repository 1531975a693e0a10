#include "auth/credentials.hpp"

/// Any value of an Authorization header.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  symcached::http::Request request;
  request.headers.emplace_back("Authorization", std::string(reinterpret_cast<const char*>(data), size));
  symcached::auth::credentials_of(request);
  return 0;
}
