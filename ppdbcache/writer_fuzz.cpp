/// Bytes become an assembly; the cache written from it must verify and answer as the assembly does.
#include <cstdio>
#include <cstdlib>

#include "testing/caches/own_assembly.hpp"

namespace {

using namespace symcached;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the ppdbcache written differs from its assembly: %s\n", what);
  std::abort();
}

void check_method(const ppdbcache::Reader& cache, const testkit::OwnAssembly& assembly, const testkit::OwnMethod& m) {
  const auto check = [&](std::uint32_t row, std::uint32_t il_offset) {
    require(testkit::owned(cache.lookup(row, il_offset)) == testkit::place_at(assembly, row, il_offset), "place");
  };
  check(m.row - 1, 9);
  check(m.row + 1, 0);
  ppdbcache::PointCursor cursor = cache.points(m.row);
  for (const model::ManagedPoint& want : m.points) {
    model::ManagedPoint point;
    require(cursor.next(point) && point == want, "points");
    check(m.row, want.il_offset - 1);
    check(m.row, want.il_offset);
  }
  model::ManagedPoint more;
  require(!cursor.next(more) && !cursor.failed(), "end of points");
  const ppdbcache::Method method = cache.method(m.row);
  require(method.name.text() == m.name && method.kickoff == m.kickoff, "method");
  if (m.kickoff != 0)
    require(cache.method(m.kickoff).move_next == testkit::move_next_of(assembly, m.kickoff), "way back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testkit::InputSource source({data, size});
  const auto assembly = testkit::AssemblyMaker(source).assembly(source.below(60));
  const auto file = testkit::write(assembly);
  const auto cache = ppdbcache::Reader::open(file);
  require(cache && cache->verify(), "open and verify");
  for (const testkit::OwnMethod& m : assembly.methods) check_method(*cache, assembly, m);
  return 0;
}
