#include "profiling/gzip.hpp"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace symcached::pprof {
namespace {

constexpr int kLevel = 6;

struct Free {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

}  // namespace

std::string gzip(Bytes plain) {
  const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(kLevel));
  if (compressor == nullptr) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), plain.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), plain.data(), plain.size(), out.data(), out.size()));
  return out;
}

}  // namespace symcached::pprof
