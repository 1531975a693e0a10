#include "object/macho/debug_map.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "object/common/forked_sinks.hpp"
#include "object/common/wrapping_sink.hpp"
#include "object/dwarf/in_macho.hpp"
#include "object/macho/symbols.hpp"

namespace symcached::object {
namespace {

/// Where the linker put a run of an object's code.
struct Move {
  std::uint64_t from = 0;  ///< address in the object
  std::uint64_t to = 0;    ///< address in the image
  std::uint64_t size = 0;
};

/// Moves functions to where they are in the image; code that is not in the image is dropped.
class MovingSink : public WrappingSink {
 public:
  MovingSink(model::ModuleSink& inner, std::span<const Move> moves, std::uint64_t image_base)
      : WrappingSink(inner), moves_(moves), image_base_(image_base) {}
  MovingSink(std::unique_ptr<model::ModuleSink> inner, std::span<const Move> moves, std::uint64_t image_base)
      : WrappingSink(std::move(inner)), moves_(moves), image_base_(image_base) {}

  void function(const model::Function& function) override {
    // Names without lines are left to the image's own symbols.
    if (function.kind == model::SymbolKind::public_symbol && function.lines.empty()) return;
    const Move* const move = move_of(function.start.value);
    if (move == nullptr) return;
    // Lines without an entry: a function in assembly if it starts one, else what fills the room behind one.
    if (function.kind == model::SymbolKind::public_symbol && function.start.value != move->from) return;
    model::Function moved = function;
    moved.start = {moved_to(*move, function.start.value)};
    const std::uint64_t left = move->size - (function.start.value - move->from);
    moved.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(function.size, left));
    const auto outside = std::ranges::lower_bound(function.lines, moved.size, {}, &model::Line::offset);
    moved.lines = function.lines.first(static_cast<std::size_t>(outside - function.lines.begin()));
    if (function.kind == model::SymbolKind::cold_part) {
      const Move* const parent = move_of(function.parent.value);
      if (parent == nullptr) moved.kind = model::SymbolKind::function;
      moved.parent = {parent == nullptr ? 0 : moved_to(*parent, function.parent.value)};
    }
    covered_.push_back({moved.start.value + image_base_, moved.start.value + image_base_ + moved.size});
    WrappingSink::function(moved);
  }
  std::vector<CodeRange>& covered() { return covered_; }

 protected:
  std::unique_ptr<WrappingSink> wrap(std::unique_ptr<model::ModuleSink> inner) override {
    return std::make_unique<MovingSink>(std::move(inner), moves_, image_base_);
  }
  void take(WrappingSink& part) override {
    const auto& theirs = static_cast<MovingSink&>(part).covered_;
    covered_.insert(covered_.end(), theirs.begin(), theirs.end());
  }

 private:
  const Move* move_of(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(moves_, address, {}, &Move::from);
    if (after == moves_.begin()) return nullptr;
    const Move& move = *std::prev(after);
    return address - move.from < move.size ? &move : nullptr;
  }
  std::uint64_t moved_to(const Move& move, std::uint64_t address) const {
    return move.to + (address - move.from) - image_base_;
  }

  std::span<const Move> moves_;
  std::uint64_t image_base_;
  std::vector<CodeRange> covered_;
};

/// The functions of all entries of the map that name one object file.
struct Group {
  std::string_view path;
  std::uint64_t modified = 0;
  std::vector<const macho::MappedObject*> entries;
};

std::vector<Group> groups_of(const DebugMapInput& input) {
  std::vector<Group> groups;
  std::unordered_map<std::string_view, std::size_t> by_path;
  for (const macho::MappedObject& object : input.map.objects) {
    if (object.function_count == 0 || !input.objects.has(object.path)) continue;
    const auto [at, is_new] = by_path.try_emplace(object.path, groups.size());
    if (is_new) groups.push_back({object.path, object.modified, {}});
    groups[at->second].entries.push_back(&object);
  }
  return groups;
}

/// By rising address in the object; no two overlap.
std::vector<Move> moves_of(const DebugMapInput& input, const Group& group, const macho::Symbols& symbols,
                           std::span<const CodeRange> code) {
  std::unordered_map<std::string_view, std::uint64_t> addresses;
  std::vector<std::uint64_t> starts;
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    const macho::Symbol symbol = symbols.at(i);
    if (!symbol.is_defined() || symbol.name.empty() || is_temporary(symbol.name)) continue;
    addresses.try_emplace(symbol.name, symbol.value);
    starts.push_back(symbol.value);
  }
  for (const CodeRange& range : code) starts.push_back(range.end);
  std::ranges::sort(starts);
  std::vector<Move> moves;
  for (const macho::MappedObject* object : group.entries)
    for (const macho::MappedFunction& function : input.map.of(*object)) {
      const auto at = addresses.find(function.name);
      if (at == addresses.end() || function.address < input.image.image_base()) continue;
      const auto end = std::ranges::upper_bound(starts, at->second);
      const std::uint64_t room = end == starts.end() ? 0 : *end - at->second;
      moves.push_back({at->second, function.address, function.size == 0 ? room : std::min(room, function.size)});
    }
  std::ranges::sort(moves, {}, [](const Move& m) { return std::pair(m.from, m.to); });
  const auto twice = std::ranges::unique(moves, {}, &Move::from);
  moves.erase(twice.begin(), twice.end());
  return moves;
}

/// Reads the object files of a map, several at a time. What comes of it does not depend on which thread reads which.
class ObjectReaders {
 public:
  explicit ObjectReaders(const DebugMapInput& input) : input_(input), groups_(groups_of(input)) {}

  Read<std::vector<CodeRange>> run(model::ModuleSink& sink) {
    const std::size_t threads =
        std::clamp<std::size_t>(input_.original.threads, 1, std::max<std::size_t>(1, groups_.size()));
    threads_each_ = static_cast<unsigned>(std::max<std::size_t>(1, input_.original.threads / threads));
    run_on_forks(sink, threads, [&](model::ModuleSink& part) { work(part); });
    if (error_) return std::unexpected(*error_);
    std::ranges::sort(covered_, {}, [](const CodeRange& r) { return std::pair(r.start, r.end); });
    return std::move(covered_);
  }

 private:
  void work(model::ModuleSink& sink) {
    std::vector<CodeRange> covered;
    for (std::size_t i = 0; (i = next_.fetch_add(1)) < failed_group_.load() && i < groups_.size();)
      if (const auto done = translate(groups_[i], sink, covered); !done) fail(i, done.error());
    const std::lock_guard lock(mutex_);
    covered_.insert(covered_.end(), covered.begin(), covered.end());
  }

  Read<void> translate(const Group& group, model::ModuleSink& sink, std::vector<CodeRange>& covered) {
    const auto object = open(group);
    if (!object || !has_dwarf(*object)) return {};
    SC_TRY(const auto dwarf, MachoDwarf::open(*object, input_.original.inflate));
    SC_TRY(const auto table, object->symbols());
    const auto code = code_ranges_of(*object);
    const auto moves = moves_of(input_, group, table, code);
    CodeSymbols symbols;
    std::deque<std::string> texts;
    if (const auto added = add_macho_symbols(*object, {}, input_.hidden, symbols, texts); !added) return added;
    symbols.finish(code);
    MovingSink moving(sink, moves, input_.image.image_base());
    const auto done = translate_dwarf(
        {.sections = dwarf.sections(), .split = {}, .code = code, .symbols = &symbols, .threads = threads_each_},
        moving);
    covered.insert(covered.end(), moving.covered().begin(), moving.covered().end());
    return done;
  }

  std::optional<macho::File> open(const Group& group) {
    const std::lock_guard lock(mutex_);  // the indexes of libraries are made as they are needed
    return input_.objects.open(group.path, group.modified);
  }

  /// Keeps the error of the first group that has one, whoever meets it.
  void fail(std::size_t group, const ReadError& error) {
    const std::lock_guard lock(mutex_);
    if (group >= failed_group_) return;
    failed_group_ = group;
    error_ = error;
  }

  const DebugMapInput& input_;
  const std::vector<Group> groups_;
  unsigned threads_each_ = 1;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> failed_group_ = ~std::size_t{0};
  std::mutex mutex_;
  std::vector<CodeRange> covered_;
  std::optional<ReadError> error_;
};

}  // namespace

Read<std::vector<CodeRange>> translate_debug_map(const DebugMapInput& input, model::ModuleSink& sink) {
  return ObjectReaders(input).run(sink);
}

}  // namespace symcached::object
