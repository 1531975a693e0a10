#include "object/go/functions.hpp"

#include <algorithm>
#include <string>

namespace symcached::object {
namespace {

constexpr std::uint64_t kReadAgain = 8;  ///< tables are shared by functions: times the size of the program
constexpr std::uint64_t kLeastWork = 16u << 20;
constexpr std::uint64_t kFunctionWork = 64;  ///< what a sink keeps of a function
constexpr std::uint64_t kLargestFunction = 0xFFFFFFFF;
constexpr std::uint32_t kMaxGoDepth = 256;          ///< of calls inside calls
constexpr std::uint32_t kRuntimeRank = 0x80000000;  ///< of second names: behind every function
constexpr std::int32_t kNoCall = -1;

std::uint64_t size_of(const GoImage& image) {
  std::uint64_t size = 0;
  for (const GoRegion& region : image.regions()) size += region.bytes.size();
  return size;
}

std::int32_t value_at(const std::vector<GoStep>& steps, std::uint32_t offset, std::int32_t otherwise) {
  const auto step = std::ranges::upper_bound(steps, offset, {}, &GoStep::end);
  return step == steps.end() ? otherwise : step->value;
}

std::uint32_t line_of(std::int32_t value) { return value > 0 ? static_cast<std::uint32_t>(value) : 0; }

/// One table of steps, asked at rising offsets.
class StepCursor {
 public:
  explicit StepCursor(const std::vector<GoStep>& steps) : at_(steps.data()), end_(steps.data() + steps.size()) {}
  std::int32_t move_to(std::uint32_t offset) {
    while (at_ != end_ && at_->end <= offset) ++at_;
    return at_ == end_ ? kNoCall : at_->value;
  }
  std::uint32_t next(std::uint32_t otherwise) const { return at_ == end_ ? otherwise : std::min(at_->end, otherwise); }

 private:
  const GoStep* at_;
  const GoStep* end_;
};

}  // namespace

GoFunctions::GoFunctions(const GoProgram& program, std::uint64_t image_base, model::ModuleSink& sink)
    : program_(program),
      table_(program.table()),
      image_base_(image_base),
      sink_(sink),
      budget_(size_of(program.image()) * kReadAgain + kLeastWork),
      files_(table_.file_slots()) {}

bool GoFunctions::emit(std::uint32_t index) {
  const go::Entry entry = table_.entry(index);
  const std::uint64_t next = index + 1 < table_.size() ? table_.entry(index + 1).pc : table_.end_pc();
  const std::uint64_t address = program_.address_of(entry.pc);
  const GoRegion* const code = program_.image().region_of(address);
  if (next <= entry.pc || code == nullptr || !code->is_code || address < image_base_) return true;
  const auto function = table_.function(entry);
  if (!function) return true;
  const std::uint64_t room = code->address + code->bytes.size() - address;
  const std::uint64_t limit = std::min({next - entry.pc, room, kLargestFunction});
  read_steps(function->pcln, limit, line_steps_);
  read_steps(function->pcfile, limit, file_steps_);
  // What is between its lines' end and the next function is padding. Functions of C have no lines.
  const std::uint32_t size = line_steps_.empty() ? static_cast<std::uint32_t>(limit) : line_steps_.back().end;
  if (size == 0) return true;
  tree_steps_.clear();
  if (const auto inlined = program_.inlined(*function)) {
    tree_ = inlined->tree;
    tree_form_ = inlined->form;
    read_steps(inlined->values, size, tree_steps_);
  }
  build_rows(*function, size);
  const model::Function out{.start = {address - image_base_},
                            .size = size,
                            .name = name(function->name),
                            .language = model::Language::go,
                            .lines = rows_,
                            .inlinees = inlinees_};
  sink_.function(out);
  emit_runtime_name(out, table_.name(function->name));
  covered_.push_back({address, address + size});
  return budget_.spend(kFunctionWork + rows_.size() + inlinees_.size());
}

void GoFunctions::read_steps(std::uint32_t values, std::uint64_t limit, std::vector<GoStep>& out) {
  out.clear();
  std::uint64_t steps = 0;
  for (go::PcValues in = table_.values(values); in.next(); ++steps) {
    const auto end = static_cast<std::uint32_t>(std::min(in.end(), limit));
    if (end != 0) out.push_back({end, in.value()});
    if (in.end() >= limit || budget_.overdrawn()) break;
  }
  budget_.spend(steps);
}

void GoFunctions::build_rows(const go::Function& function, std::uint32_t size) {
  rows_.clear();
  forget_inlinees();
  if (line_steps_.empty()) return;
  StepCursor lines(line_steps_), files(file_steps_), trees(tree_steps_);
  std::int32_t file_number = kNoCall, call = kNoCall;
  model::Line row;
  for (std::uint32_t at = 0; at < size;) {
    row.offset = at;
    row.line = line_of(lines.move_to(at));
    if (const std::int32_t number = files.move_to(at); number != file_number || at == 0) {
      file_number = number;
      row.file = file(function, number);
    }
    if (const std::int32_t index = trees.move_to(at); index != call) {
      call = index;
      row.inlinee = inlinee_of(function, index, size);
    }
    const bool is_new = rows_.empty() || rows_.back().line != row.line || rows_.back().file != row.file ||
                        rows_.back().inlinee != row.inlinee;
    if (is_new) rows_.push_back(row);
    at = std::min({lines.next(size), files.next(size), trees.next(size)});
  }
}

void GoFunctions::forget_inlinees() {
  for (const std::int32_t record : numbered_) numbers_[static_cast<std::size_t>(record)] = 0;
  numbered_.clear();
  inlinees_.clear();
  depths_.clear();
}

/// The number of a record's call among those of this function; its callers get theirs first.
std::uint32_t GoFunctions::inlinee_of(const go::Function& function, std::int32_t index, std::uint32_t size) {
  const auto number_of = [&](std::int32_t record) -> std::uint32_t& {
    if (static_cast<std::size_t>(record) >= numbers_.size()) numbers_.resize(static_cast<std::size_t>(record) + 1);
    return numbers_[static_cast<std::size_t>(record)];
  };
  const auto is_record = [&](std::int32_t record) {
    return record >= 0 && static_cast<std::uint64_t>(record) < tree_.room();
  };
  chain_.clear();
  while (is_record(index) && number_of(index) == 0) {
    chain_.push_back(index);
    const std::int32_t parent = parent_of(index, size);
    index = parent < index ? parent : kNoCall;  // a record comes before those that are inlined into its call
  }
  std::uint32_t number = is_record(index) ? number_of(index) - 1 : model::kNoInlinee;
  for (; !chain_.empty(); chain_.pop_back()) {
    const std::uint32_t depth = number == model::kNoInlinee ? 1 : depths_[number] + 1;
    numbered_.push_back(chain_.back());
    if (depth > kMaxGoDepth) {
      number_of(chain_.back()) = number + 1;
      continue;
    }
    model::Inlinee one = inlinee(function, tree_[static_cast<std::uint64_t>(chain_.back())], size);
    one.caller = std::exchange(number, static_cast<std::uint32_t>(inlinees_.size()));
    number_of(chain_.back()) = number + 1;
    inlinees_.push_back(one);
    depths_.push_back(depth);
  }
  return number;
}

model::Inlinee GoFunctions::inlinee(const go::Function& function, const go::InlinedCall& call, std::uint32_t size) {
  model::Inlinee out{.name = name(call.name)};
  if (tree_form_ == go::InlineForm::places) {
    out.call_file = file(function, call.file);
    out.call_line = line_of(call.line);
  } else if (call.parent_pc >= 0 && static_cast<std::uint32_t>(call.parent_pc) < size) {
    const auto at = static_cast<std::uint32_t>(call.parent_pc);
    out.call_file = file(function, value_at(file_steps_, at, kNoCall));
    out.call_line = line_of(value_at(line_steps_, at, 0));
  }
  return out;
}

std::int32_t GoFunctions::parent_of(std::int32_t index, std::uint32_t size) const {
  const go::InlinedCall call = tree_[static_cast<std::uint64_t>(index)];
  if (tree_form_ == go::InlineForm::places) return call.parent;
  if (call.parent_pc < 0 || static_cast<std::uint32_t>(call.parent_pc) >= size) return kNoCall;
  return value_at(tree_steps_, static_cast<std::uint32_t>(call.parent_pc), kNoCall);
}

model::StringId GoFunctions::name(std::uint32_t offset) {
  bool added = false;
  std::uint32_t& known = names_.at(offset, added);
  if (added) {
    const std::string_view text = table_.name(offset);
    if (budget_.spend(text.size())) known = static_cast<std::uint32_t>(sink_.intern(text));
  }
  return model::StringId{known};
}

model::StringId GoFunctions::file(const go::Function& function, std::int32_t number) {
  const auto slot = table_.file_slot(function, number);
  if (!slot) return model::StringId::none;
  std::uint32_t& known = files_[*slot];
  if (known == 0) {
    const std::string_view text = table_.file(*slot);
    if (budget_.spend(text.size())) known = static_cast<std::uint32_t>(sink_.intern(text)) + 1;
  }
  return known == 0 ? model::StringId::none : model::StringId{known - 1};
}

/// Stack traces of Go's runtime print `main.sum[...]` for what linkers call `main.sum[go.shape.int]`.
void GoFunctions::emit_runtime_name(const model::Function& function, std::string_view name) {
  const std::size_t open = name.find('['), close = name.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  if (name.starts_with("type:") || name.starts_with("type..")) return;  // [4]string is no list of arguments
  if (name.substr(open + 1, close - open - 1) == "..." || !budget_.spend(name.size())) return;
  std::string shown(name.substr(0, open));
  shown += "[...]";
  shown += name.substr(close + 1);
  sink_.function({.start = function.start,
                  .size = function.size,
                  .name = sink_.intern(shown),
                  .language = model::Language::go,
                  .kind = model::SymbolKind::public_symbol,
                  .rank = kRuntimeRank,
                  .lines = {},
                  .inlinees = {}});
}

}  // namespace symcached::object
