#include <algorithm>
#include <cstdlib>

#include "formats/ppdb/names.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  using namespace symcached::ppdb;
  const auto metadata = Metadata::open(std::as_bytes(std::span(data, size)));
  if (!metadata) return 0;
  const auto names = Names::open(*metadata);
  if (!names) return 0;
  static volatile std::size_t sink = 0;
  const auto take = [&](const Read<std::string>& name) {
    if (!name) return;
    sink = sink + name->size();
    if (name->size() > kMaxName) std::abort();
  };
  if (const auto module = names->module()) sink = sink + module->size();
  for (std::uint32_t method = 0; method <= std::min(names->method_count() + 1, 64u); ++method) {
    take(names->method(method, NameStyle::stack_trace, Parameters::listed));
    take(names->method(method, NameStyle::reflection, Parameters::listed));
    take(names->readable(method));
  }
  for (std::uint32_t type = 0; type <= std::min(metadata->rows(Table::type_def) + 1, 64u); ++type)
    take(names->type(type, NameStyle::reflection));
  return 0;
}
