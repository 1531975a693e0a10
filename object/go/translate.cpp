#include "object/go/translate.hpp"

#include <algorithm>

#include "object/go/functions.hpp"

namespace symcached::object {

Read<std::vector<CodeRange>> translate_go(const GoProgram& program, std::uint64_t image_base, model::ModuleSink& sink) {
  GoFunctions functions(program, image_base, sink);
  for (std::uint32_t i = 0; i < program.table().size(); ++i)
    if (!functions.emit(i)) return functions.refusal();
  std::vector<CodeRange> covered = functions.covered();
  if (!std::ranges::is_sorted(covered, {}, &CodeRange::start)) std::ranges::sort(covered, {}, &CodeRange::start);
  return covered;
}

}  // namespace symcached::object
