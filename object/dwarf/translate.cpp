#include "object/dwarf/translate.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "object/common/forked_sinks.hpp"
#include "object/dwarf/functions.hpp"
#include "object/dwarf/units.hpp"

namespace symcached::object {
namespace {

/// What a thread makes of its units does not depend on which it gets.
class Workers {
 public:
  Workers(const DwarfInput& input, const DwarfFiles& files, UnitQueue& units)
      : input_(input), files_(files), units_(units), budget_(translation_work(files)) {}

  Read<void> run(model::ModuleSink& sink) {
    const std::size_t threads = std::min<std::size_t>(units_.useful_threads(), input_.threads);
    run_on_forks(sink, threads, [&](model::ModuleSink& part) { work(part); });
    if (error_) return std::unexpected(*error_);
    return {};
  }

  std::vector<CodeRange> covered() {
    std::ranges::sort(covered_, {}, [](const CodeRange& r) { return std::pair(r.start, r.end); });
    return std::move(covered_);
  }

 private:
  void work(model::ModuleSink& sink) {
    try {
      translate_units(sink);
    } catch (...) {  // no memory: the others need not go on
      stop_ = true;
      throw;
    }
  }
  void translate_units(model::ModuleSink& sink) {
    DwarfFunctions functions(input_, files_, budget_, sink);
    UnitBatch batch;
    while (!stop_.load(std::memory_order_relaxed)) {
      const auto more = units_.next(batch);
      if (!more) fail(batch.first, more.error());
      if (!more || !*more) break;
      for (std::size_t i = 0; i < batch.units.size(); ++i)
        if (const auto ok = functions.unit(batch.sections, batch.units[i], batch.first + i); !ok)
          return fail(batch.first + i, ok.error());
    }
    const std::lock_guard lock(mutex_);
    covered_.insert(covered_.end(), functions.covered().begin(), functions.covered().end());
  }
  /// Keeps the error of the first unit that has one, whoever meets it.
  void fail(std::size_t unit, const ReadError& error) {
    const std::lock_guard lock(mutex_);
    if (unit < failed_unit_) {
      failed_unit_ = unit;
      error_ = error;
    }
    stop_ = true;
  }

  const DwarfInput& input_;
  const DwarfFiles& files_;
  UnitQueue& units_;
  WorkBudget budget_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::vector<CodeRange> covered_;
  std::size_t failed_unit_ = ~std::size_t{0};
  std::optional<ReadError> error_;
};

}  // namespace

std::vector<CodeRange> merged(std::span<const CodeRange> ranges) {
  std::vector<CodeRange> sorted(ranges.begin(), ranges.end());
  std::ranges::sort(sorted, {}, &CodeRange::start);
  std::vector<CodeRange> merged;
  for (const CodeRange& range : sorted)
    if (merged.empty() || range.start > merged.back().end) merged.push_back(range);
    else merged.back().end = std::max(merged.back().end, range.end);
  return merged;
}

Read<void> translate_dwarf(const DwarfInput& unsorted, model::ModuleSink& sink) {
  const std::vector<CodeRange> code = merged(unsorted.code);
  DwarfInput input = unsorted;
  input.code = code;
  SC_TRY(const DwarfFiles files, DwarfFiles::open(input));
  SC_TRY(UnitQueue units, UnitQueue::open(input, files));
  Workers workers(input, files, units);
  if (auto ok = workers.run(sink); !ok) return ok;
  if (input.symbols != nullptr) input.symbols->emit(sink, input.image_base, workers.covered());
  return {};
}

}  // namespace symcached::object
