#include "object/unwrap.hpp"

#include <cstdlib>

#include "object/identify.hpp"
#include "object/packed/describe_source_bundle.hpp"

/// A packed file, or a source bundle.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  using namespace symcached::object;
  const Bytes file = std::as_bytes(std::span(data, size));
  const auto unwrapped = unwrap(file);
  if (unwrapped && *unwrapped) {
    const std::size_t layers = (*unwrapped)->wrappers.size();
    if (layers == 0 || layers > kMaxWrappers) std::abort();
  }
  FileInfo info;
  if (identify(file) == FileKind::source_bundle) describe_source_bundle(info, file);
  return 0;
}
