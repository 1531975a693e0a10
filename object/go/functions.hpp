#pragma once
/// The functions of one Go program, one after the other.
#include <span>
#include <vector>

#include "base/number_map.hpp"
#include "model/module.hpp"
#include "object/common/code_symbols.hpp"
#include "object/common/work_budget.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// A value that holds up to `end`, in bytes from the function's entry.
struct GoStep {
  std::uint32_t end = 0;
  std::int32_t value = 0;
};

/// Keeps its working memory, and which texts the sink has, from one function to the next.
class GoFunctions {
 public:
  GoFunctions(const GoProgram& program, std::uint64_t image_base, model::ModuleSink& sink);

  /// @param index  of the table's list
  /// @return false: the tables were more work than any linker's can be
  bool emit(std::uint32_t index);
  const std::vector<CodeRange>& covered() const { return covered_; }
  std::unexpected<ReadError> refusal() const { return budget_.refusal("go.pclntab.work", 0); }

 private:
  void read_steps(std::uint32_t values, std::uint64_t limit, std::vector<GoStep>& out);
  void build_rows(const go::Function& function, std::uint32_t size);
  std::uint32_t inlinee_of(const go::Function& function, std::int32_t index, std::uint32_t size);
  model::Inlinee inlinee(const go::Function& function, const go::InlinedCall& call, std::uint32_t size);
  std::int32_t parent_of(std::int32_t index, std::uint32_t size) const;
  void forget_inlinees();
  model::StringId name(std::uint32_t offset);
  model::StringId file(const go::Function& function, std::int32_t number);
  void emit_runtime_name(const model::Function& function, std::string_view name);

  const GoProgram& program_;
  const go::Table& table_;
  std::uint64_t image_base_;
  model::ModuleSink& sink_;
  WorkBudget budget_;
  NumberMap names_;                   // by offset: the id
  std::vector<std::uint32_t> files_;  // by slot: the id, and one more; 0 = not read so far
  std::vector<GoStep> line_steps_, file_steps_, tree_steps_;
  go::InlineTree tree_;
  go::InlineForm tree_form_{};
  std::vector<model::Line> rows_;
  std::vector<model::Inlinee> inlinees_;
  std::vector<std::uint32_t> depths_;   // by inlinee
  std::vector<std::uint32_t> numbers_;  // by record: its inlinee and one more; 0 = none so far
  std::vector<std::int32_t> numbered_;  // records that have one
  std::vector<std::int32_t> chain_;
  std::vector<CodeRange> covered_;
};

}  // namespace symcached::object
