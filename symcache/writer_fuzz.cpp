/// Bytes become functions; the cache written from them must verify and answer as the functions do.
#include <cstdio>
#include <cstdlib>

#include "testing/caches/own_module.hpp"

namespace {

using namespace symcached;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the symcache written differs from its functions: %s\n", what);
  std::abort();
}

void check_address(const symcache::Symcache& cache, const std::vector<testkit::OwnFunction>& functions,
                   std::uint64_t rva, symcache::FrameBuffer& buffer) {
  const auto* want = testkit::function_at(functions, rva);
  const auto found = cache.lookup({rva}, buffer, symcache::Parameters::read);
  require(found.has_value() == (want != nullptr), "hit or miss");
  if (!found) return;
  require(found->start.value == want->start && found->size == want->size && found->kind == want->kind, "extent");
  require(cache.linkage_name(*found, buffer) == want->linkage_name && found->language == want->language,
          "linkage name");
  require(testkit::owned(*found) == testkit::frames_at(*want, rva), "frames");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testkit::InputSource source({data, size});
  const std::uint32_t unit = 1u << source.below(3);
  const bool columns = source.below(2) == 0, far = source.below(8) == 0;
  auto functions = testkit::ModuleMaker(source, columns, unit, size % 2 == 0).functions(source.below(40));
  if (far && !functions.empty()) functions.back().start += std::uint64_t{source.below(0xFFFFFFFF)} << source.below(33);
  const auto file = testkit::write(functions);
  const auto cache = symcache::Symcache::open(file);
  require(cache && cache->verify(), "open and verify");
  symcache::FrameBuffer buffer;
  for (const testkit::OwnFunction& f : functions)
    for (const std::uint64_t rva : {f.start - 1, f.start, f.start + f.size / 3, f.start + f.size - 1, f.start + f.size})
      check_address(*cache, functions, rva, buffer);
  return 0;
}
