#include "object/text/translate_breakpad.hpp"

#include <algorithm>

#include "formats/breakpad/names.hpp"
#include "formats/breakpad/reader.hpp"
#include "ids/breakpad_id.hpp"
#include "object/common/work_budget.hpp"
#include "object/text/breakpad_frames.hpp"
#include "object/text/describe_breakpad.hpp"

namespace symcached::object {
namespace {

using breakpad::RecordKind;

constexpr std::uint32_t kRankOfPublic = 0xFFFFFFFF;
constexpr std::uint32_t kMaxLine = 0xFFFFFF;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kReleaseEvery = 16u << 20;  ///< bytes of text
/// Steps through rows and calls of all functions. A row takes ten bytes of text, and real calls are few levels deep.
constexpr std::uint64_t kStepsPerByte = 2, kStepsOfAnyFile = 1u << 16;

std::uint64_t end_of(std::uint64_t address, std::uint64_t size) { return address + std::min(size, ~address); }
std::uint32_t in_32_bits(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xFFFFFFFF));
}

/// Numbered names, handed to the sink when first asked for.
class Strings {
 public:
  Strings(const breakpad::NumberedNames& names, model::ModuleSink& sink)
      : names_(names), sink_(sink), ids_(names.size(), kUnasked) {}
  model::StringId operator[](std::uint32_t number) {
    const std::uint32_t index = names_.find(number);
    if (index == breakpad::NumberedNames::kNone) return model::StringId::none;
    if (ids_[index] == kUnasked) ids_[index] = sink_.intern(names_[index]);
    return ids_[index];
  }

 private:
  static constexpr model::StringId kUnasked{0xFFFFFFFF};
  const breakpad::NumberedNames& names_;
  model::ModuleSink& sink_;
  std::vector<model::StringId> ids_;
};

class BreakpadTranslator {
 public:
  BreakpadTranslator(const Original& original, const breakpad::Names& names, model::ModuleSink& sink)
      : original_(original),
        reader_(original.file),
        files_(names.files, sink),
        origins_(names.origins, sink),
        sink_(sink),
        budget_(original.file.size() * kStepsPerByte + kStepsOfAnyFile) {}

  Read<void> run();

 private:
  struct Named {  ///< a PUBLIC, or a FUNC that states no size
    std::uint64_t address;
    std::string_view name;
  };
  struct Covered {
    std::uint64_t start, end;
    model::StringId name;
  };

  Read<void> inline_call();
  Read<void> open_function();
  Read<void> close_function();
  void publics();
  void emit_public(const Named& symbol, std::uint64_t next, const Covered* function_there);
  void release();

  const Original& original_;
  breakpad::Reader reader_;
  Strings files_, origins_;
  model::ModuleSink& sink_;

  bool in_function_ = false;
  model::Function function_;
  BreakpadFrames frames_;
  WorkBudget budget_;
  std::uint32_t order_ = 0;  ///< of the FUNC: of two with one start the first is the name
  std::vector<Covered> covered_;
  std::vector<Named> publics_;
  std::uint64_t code_end_ = 0;
  std::uint64_t released_ = 0;
};

Read<void> BreakpadTranslator::run() {
  for (;;) {
    SC_TRY(const RecordKind kind, reader_.next());
    switch (kind) {
      case RecordKind::line:
        if (const breakpad::LineRecord& l = reader_.line(); in_function_)
          frames_.add_line(l.address, l.size, l.line <= kMaxLine ? l.line : 0, files_[l.file]);
        break;
      case RecordKind::func:
        if (auto ok = open_function(); !ok) return ok;
        break;
      case RecordKind::inline_call:
        if (auto ok = inline_call(); !ok) return ok;
        break;
      case RecordKind::public_symbol:
        publics_.push_back({reader_.public_symbol().address, reader_.public_symbol().name});
        break;
      case RecordKind::stack:
        code_end_ = std::max(code_end_, end_of(reader_.stack().address, reader_.stack().size));
        break;
      case RecordKind::end:
        if (auto ok = close_function(); !ok) return ok;
        publics();
        return {};
      case RecordKind::module:
      case RecordKind::info:
      case RecordKind::file:
      case RecordKind::inline_origin:
      case RecordKind::other: break;
    }
    release();
  }
}

Read<void> BreakpadTranslator::inline_call() {
  const breakpad::InlineRecord& call = reader_.inline_call();
  const std::uint32_t line = call.call_line <= kMaxLine ? call.call_line : 0;
  if (in_function_) frames_.add_call(call.depth, origins_[call.origin], files_[call.call_file], line);
  breakpad::RangeReader ranges(call.ranges, reader_.offset());
  for (;;) {
    SC_TRY(const auto range, ranges.next());
    if (!range) return {};
    if (in_function_) frames_.add_call_range(range->address, range->size);
  }
}

Read<void> BreakpadTranslator::open_function() {
  if (auto ok = close_function(); !ok) return ok;
  const breakpad::FuncRecord& record = reader_.func();
  if (record.size == 0) {
    publics_.push_back({record.address, record.name});
    return {};
  }
  in_function_ = true;
  const std::uint64_t end = end_of(record.address, record.size);
  function_ = {.start = {record.address},
               .size = in_32_bits(std::max<std::uint64_t>(end - record.address, 1)),
               .name = sink_.intern(record.name),
               .rank = std::min(order_++, kRankOfPublic - 1)};
  frames_.start(record.address, function_.size);
  covered_.push_back({record.address, end, function_.name});
  code_end_ = std::max(code_end_, end);
  return {};
}

Read<void> BreakpadTranslator::close_function() {
  if (!in_function_) return {};
  in_function_ = false;
  if (!frames_.finish(budget_)) return budget_.refusal("breakpad.work", reader_.offset());
  function_.lines = frames_.lines();
  function_.inlinees = frames_.inlinees();
  sink_.function(function_);
  return {};
}

/// Each reaches to the next address that a FUNC or PUBLIC names. One inside a function says nothing new.
void BreakpadTranslator::publics() {
  std::ranges::stable_sort(publics_, {}, &Named::address);
  std::ranges::stable_sort(covered_, {}, &Covered::start);
  std::uint64_t covered_to = 0;
  std::size_t next_function = 0;
  for (std::size_t i = 0; i < publics_.size(); ++i) {
    const Named& symbol = publics_[i];
    for (; next_function < covered_.size() && covered_[next_function].start <= symbol.address; ++next_function)
      covered_to = std::max(covered_to, covered_[next_function].end);
    const Covered* const before = next_function == 0 ? nullptr : &covered_[next_function - 1];
    const bool starts_function = before != nullptr && before->start == symbol.address;
    if (!starts_function && symbol.address < covered_to) continue;
    std::size_t later = i + 1;
    if (later < publics_.size() && publics_[later].address == symbol.address)
      later = static_cast<std::size_t>(std::ranges::upper_bound(publics_, symbol.address, {}, &Named::address) -
                                       publics_.begin());
    std::uint64_t next = later < publics_.size() ? publics_[later].address : 0;
    if (next_function < covered_.size() && (next == 0 || covered_[next_function].start < next))
      next = covered_[next_function].start;
    emit_public(symbol, next, starts_function ? before : nullptr);
  }
}

/// @param next  0 = none: the code ends where that of a STACK record does, or else with the page
void BreakpadTranslator::emit_public(const Named& symbol, std::uint64_t next, const Covered* function_there) {
  const model::StringId name = sink_.intern(symbol.name);
  if (function_there != nullptr && function_there->name == name) return;
  std::uint64_t end = next;
  if (function_there != nullptr) end = function_there->end;
  else if (next == 0)
    end = code_end_ > symbol.address ? code_end_ : end_of(symbol.address, kPage - symbol.address % kPage);
  sink_.function({.start = {symbol.address},
                  .size = in_32_bits(std::max<std::uint64_t>(end - symbol.address, 1)),
                  .name = name,
                  .kind = model::SymbolKind::public_symbol,
                  .rank = kRankOfPublic});
}

void BreakpadTranslator::release() {
  if (!original_.release || reader_.offset() - released_ < kReleaseEvery) return;
  original_.release();
  released_ = reader_.offset();
}

}  // namespace

Read<void> translate_breakpad(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto module, breakpad::read_module(original.file));
  sink.module({.arch = arch_of_breakpad(module.arch),
               .debug_id = parse_breakpad_id(module.id).value_or(DebugId{}),
               .debug_file = std::string(module.name),
               .producer_kind = "breakpad"});
  SC_TRY(const auto names, breakpad::read_names(original.file));
  return BreakpadTranslator(original, names, sink).run();
}

}  // namespace symcached::object
