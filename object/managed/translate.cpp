#include "object/managed/translate.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "object/managed/files.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kWindowsPdbRefused =
    "a Windows PDB for a .NET module, which is unsupported (pe.debug_directory); build it with "
    "DebugType=portable, or convert the PDB with Pdb2Pdb";
/// Bytes of all names together: methods may share long ones.
constexpr std::uint64_t kNamesPerByte = 64, kNamesFloor = 16u << 20;

model::Language language_of(ppdb::Language language) {
  switch (language) {
    case ppdb::Language::csharp: return model::Language::csharp;
    case ppdb::Language::visual_basic: return model::Language::visual_basic;
    case ppdb::Language::fsharp: return model::Language::fsharp;
    case ppdb::Language::unknown: break;
  }
  return model::Language::unknown;
}

class ManagedTranslator {
 public:
  ManagedTranslator(const ManagedFiles& files, std::uint64_t size, model::ManagedSink& sink)
      : files_(files), sink_(sink), name_bytes_left_(size * kNamesPerByte + kNamesFloor) {}

  Read<void> run();

 private:
  Read<void> documents(const ppdb::Pdb& pdb);
  Read<void> with_lines(const ppdb::Pdb& pdb);
  /// Methods up to `row` that have no points, but a name or a kick-off method.
  Read<void> without_points(std::uint32_t row);
  Read<void> emit(std::uint32_t row);
  Read<void> name(std::uint32_t row);

  const ManagedFiles& files_;
  model::ManagedSink& sink_;
  std::uint64_t name_bytes_left_;
  std::vector<std::uint32_t> documents_;      // the sink's numbers, by row less 1
  std::vector<ppdb::StateMachine> machines_;  // by move_next, each once
  std::size_t machine_ = 0;                   // the first that is not below next_
  std::uint32_t next_ = 1;                    // row of the method to come
  std::vector<model::ManagedPoint> points_;   // of the method at hand
  std::string name_;
};

Read<void> ManagedTranslator::run() {
  sink_.module({.debug_id = files_.debug_id()});
  if (const ppdb::Pdb* pdb = files_.pdb())
    if (auto ok = with_lines(*pdb); !ok) return ok;
  return without_points(files_.names() != nullptr ? files_.names()->method_count() + 1 : model::kMaxMethodRow + 1);
}

Read<void> ManagedTranslator::documents(const ppdb::Pdb& pdb) {
  SC_TRY(const auto documents, pdb.documents());
  documents_.reserve(documents.size());
  for (const ppdb::Document& document : documents)
    documents_.push_back(sink_.document({.path = document.name, .language = language_of(document.language)}));
  return {};
}

Read<void> ManagedTranslator::with_lines(const ppdb::Pdb& pdb) {
  if (auto ok = documents(pdb); !ok) return ok;
  for (std::uint32_t i = 0; i < pdb.state_machine_count(); ++i) {
    const ppdb::StateMachine machine = pdb.state_machine(i);
    if (machine.move_next == 0 || machine.kickoff == 0) continue;
    if (machine.move_next <= model::kMaxMethodRow && machine.kickoff <= model::kMaxMethodRow)
      machines_.push_back(machine);
  }
  std::ranges::stable_sort(machines_, {}, &ppdb::StateMachine::move_next);
  const auto repeated = std::ranges::unique(machines_, {}, &ppdb::StateMachine::move_next);
  machines_.erase(repeated.begin(), repeated.end());

  Read<void> result;
  const auto walked = pdb.for_each_method([&](std::uint32_t row, ppdb::SequencePoints& points) {
    if (!result || row > model::kMaxMethodRow) return;
    if (result = without_points(row); !result) return;
    points_.clear();
    for (ppdb::SequencePoint p; points.next(p);)
      if (!p.hidden && p.document != 0 && p.document <= documents_.size())
        points_.push_back({p.il_offset, documents_[p.document - 1], p.start_line, p.start_column});
    result = emit(row);
  });
  if (!walked) return walked;
  return result;
}

Read<void> ManagedTranslator::without_points(std::uint32_t row) {
  points_.clear();
  const bool has_names = files_.names() != nullptr;
  while (next_ < row) {
    if (!has_names) {  // straight to the next state machine
      if (machine_ == machines_.size() || machines_[machine_].move_next >= row) return {};
      next_ = machines_[machine_].move_next;
    }
    if (auto ok = emit(next_); !ok) return ok;
  }
  return {};
}

Read<void> ManagedTranslator::emit(std::uint32_t row) {
  while (machine_ < machines_.size() && machines_[machine_].move_next < row) ++machine_;
  const bool is_machine = machine_ < machines_.size() && machines_[machine_].move_next == row;
  if (auto ok = name(row); !ok) return ok;
  next_ = row + 1;
  sink_.method(
      {.row = row, .name = name_, .kickoff = is_machine ? machines_[machine_++].kickoff : 0, .points = points_});
  return {};
}

/// As .NET writes it; what the compiler made up (`<>c.<Main>b__0_0`) as the person who wrote the code would. A name
/// that cannot be read is none: lines are of use without it.
Read<void> ManagedTranslator::name(std::uint32_t row) {
  name_.clear();
  const ppdb::Names* names = files_.names();
  if (names == nullptr || row > names->method_count()) return {};
  auto text = names->method(row, ppdb::NameStyle::stack_trace, ppdb::Parameters::none);
  if (text && text->find('<') != text->npos) text = names->readable(row);
  if (!text) return {};
  if (text->size() > name_bytes_left_) return too_large("ppdb.method.name", row, text->size(), name_bytes_left_);
  name_bytes_left_ -= text->size();
  name_ = *std::move(text);
  return {};
}

}  // namespace

Read<void> translate_managed(const Original& original, model::ManagedSink& sink) {
  SC_TRY(const auto files, ManagedFiles::open(original.file, original.companions));
  const pe::DebugFiles& debug = files.debug_files();
  if (files.pdb() == nullptr && debug.portable() == nullptr && !debug.code_views.empty())
    return unsupported(kWindowsPdbRefused, 0);
  std::uint64_t size = original.file.size();
  for (const Companion& companion : original.companions) size += companion.file.size();
  return ManagedTranslator(files, size, sink).run();
}

}  // namespace symcached::object
