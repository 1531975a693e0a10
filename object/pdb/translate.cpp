#include "object/pdb/translate.hpp"

#include <algorithm>
#include <functional>

#include "demangle/demangle.hpp"
#include "formats/pdb/c13.hpp"
#include "formats/pdb/inline_site.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pdb/symbols.hpp"
#include "object/common/machine_arch.hpp"
#include "object/common/work_budget.hpp"
#include "object/pdb/flatten_frames.hpp"
#include "object/pdb/lines.hpp"
#include "object/pdb/omap.hpp"
#include "object/pdb/publics.hpp"
#include "object/pdb/strings.hpp"

namespace symcached::object {
namespace {

using pdb::SectionOffset;
using pdb::SymKind;

constexpr std::string_view kFastlinkRefused =
    "made with /DEBUG:FASTLINK, so it only refers to object files (pdb.info.features); convert it with mspdbcmf where "
    "it "
    "was made, or link with /DEBUG:FULL";
constexpr std::string_view kManagedRefused =
    "a Windows PDB of a .NET module, which is unsupported (pdb.symbols); build it with DebugType=portable, or convert "
    "the PDB with Pdb2Pdb";
constexpr std::uint32_t kModuleSignature = 4;
constexpr std::uint32_t kFoldedElsewhere = 1u << 31;  ///< rank of a function whose bytes another module gave
constexpr std::uint32_t kMaxSites = 1u << 24;
constexpr std::uint64_t kReleaseEvery = 16u << 20;  ///< bytes of module streams
/// Steps through the calls of all functions. The table of what real files take is in docs/formats/pdb.md, section 8.
constexpr std::uint64_t kStepsPerByte = 2, kStepsOfAnyFile = 1u << 16;

model::Language language_of(std::uint8_t cv_language) {
  switch (cv_language) {
    case 0x00: return model::Language::c;
    case 0x01: return model::Language::cpp;
    case 0x02: return model::Language::fortran;
    case 0x03: return model::Language::assembly;
    case 0x04: return model::Language::pascal;
    case 0x0a: return model::Language::csharp;
    case 0x11: return model::Language::objc;
    case 0x12: return model::Language::objcpp;
    case 0x13: return model::Language::swift;
    case 0x15: return model::Language::rust;
    case 'D': return model::Language::d;
    default: return model::Language::unknown;
  }
}

/// A procedure being read: its record and the inline sites inside it.
struct Procedure {
  struct Site {
    std::uint32_t caller;  ///< as in FrameSite
    std::uint32_t inlinee;
    Bytes annotations;
  };
  SectionOffset start;
  std::uint32_t size = 0;
  std::string_view name;
  SymKind kind{};
  pdb::TypeIndex type = 0;
  std::vector<Site> sites;  ///< [0] is the procedure itself
};

/// What stays the same from module to module, and the working memory.
class PdbTranslator {
 public:
  PdbTranslator(const pdb::File& file, PdbStrings strings, PdbPublics publics, model::ModuleSink& sink,
                const std::function<void()>& release, std::uint64_t file_bytes)
      : file_(file),
        strings_(std::move(strings)),
        publics_(std::move(publics)),
        sink_(sink),
        release_(release),
        budget_(file_bytes * kStepsPerByte + kStepsOfAnyFile) {}

  Read<void> run();

 private:
  Read<void> module(std::uint32_t index);
  Read<void> symbols(Bytes data);
  Read<void> open_scope(const pdb::SymRecord& record);
  Read<void> close_scope();
  Read<void> thunk(const pdb::SymRecord& record);
  Read<void> trampoline(const pdb::SymRecord& record);
  Read<void> separated_code(const pdb::SymRecord& record);
  Read<void> procedure();
  Read<void> inline_ranges(std::uint32_t site);
  Read<void> outer_ranges(SectionOffset start, std::uint32_t size) {
    return lines_.append_ranges(start, size, strings_, ranges_);
  }
  Read<void> publics_of_module();
  Read<void> public_without_function(PdbPublic& symbol);
  std::string_view undecorated(std::string_view public_name) const;
  Read<void> emit(SectionOffset start, model::Function function);
  void start_frames() {
    sites_.assign(1, FrameSite{});
    ranges_.clear();
  }
  bool is_ours(SectionOffset at) const {
    const pdb::Contribution* owner = file_.contribution_at(at);
    return owner == nullptr || owner->module == module_index_;
  }

  const pdb::File& file_;
  PdbStrings strings_;
  PdbPublics publics_;
  model::ModuleSink& sink_;
  const std::function<void()>& release_;
  std::uint64_t read_since_release_ = 0;
  bool has_managed_ = false, has_native_ = false;  ///< functions of .NET, and others

  // of the current module
  std::uint32_t module_index_ = 0;
  std::uint32_t order_ = 0;  ///< of the symbol in the module: the last one names folded code
  model::Language language_ = model::Language::unknown;
  pdb::C13 c13_;
  PdbLines lines_;
  std::vector<std::byte> scratch_;
  struct Scope {
    bool is_procedure, is_site;
  };
  std::vector<Scope> scopes_;
  bool in_procedure_ = false;
  Procedure procedure_;
  std::vector<std::uint32_t> open_sites_;
  struct Extent {
    SectionOffset start;
    std::uint32_t size;
  };
  std::vector<Extent> covered_;  ///< code of this module that has a function or thunk

  // of the current function
  std::vector<pdb::InlineRange> inline_ranges_;
  std::vector<FrameSite> sites_;
  std::vector<FrameRange> ranges_;
  FrameFlattener flattener_;
  OmapMover mover_{file_.omap_from_source()};
  WorkBudget budget_;
};

Read<void> PdbTranslator::run() {
  for (std::uint32_t i = 0; i < file_.modules().size(); ++i) {
    if (auto ok = module(i); !ok) return ok;
    if (!release_ || read_since_release_ < kReleaseEvery) continue;
    release_();
    read_since_release_ = 0;
  }
  // Publics outside every module's contributions, and all of them in a stripped PDB.
  module_index_ = kNoModule;
  language_ = model::Language::unknown;
  start_frames();
  for (PdbPublic& symbol : publics_.all())
    if (symbol.module >= file_.modules().size())
      if (auto ok = public_without_function(symbol); !ok) return ok;
  if (has_managed_ && !has_native_) return unsupported(kManagedRefused, 0);
  return {};
}

Read<void> PdbTranslator::module(std::uint32_t index) {
  const pdb::ModuleInfo& info = file_.modules()[index];
  module_index_ = index;
  order_ = 0;
  language_ = model::Language::unknown;
  covered_.clear();
  c13_ = {};
  lines_.start_module(c13_, 0);
  if (info.stream != pdb::kNoStream && file_.msf().has_stream(info.stream)) {
    SC_TRY(const pdb::ModuleData data, file_.module_data(info, scratch_));
    read_since_release_ += info.bytes();
    if (auto ok = c13_.read(data.c13); !ok) return ok;
    lines_.start_module(c13_, info.bytes());
    if (data.symbols.size() > kModuleSignature)
      if (auto ok = symbols(data.symbols.subspan(kModuleSignature)); !ok) return ok;
  }
  return publics_of_module();
}

Read<void> PdbTranslator::symbols(Bytes data) {
  scopes_.clear();
  in_procedure_ = false;
  pdb::SymbolReader reader(data, kModuleSignature);
  for (;;) {
    SC_TRY(const auto record, reader.next());
    if (!record) return {};
    Read<void> ok;
    switch (record->kind) {
      case SymKind::compile2:
      case SymKind::compile3:
        if (const auto compile = read_at<pdb::CompileSym>(record->data, 0, "pdb.compile"))
          language_ = language_of(static_cast<std::uint8_t>(compile->flags & 0xFF));
        break;
      case SymKind::trampoline: ok = trampoline(*record); break;
      default:
        if (pdb::opens_scope(record->kind)) ok = open_scope(*record);
        else if (pdb::closes_scope(record->kind)) ok = close_scope();
    }
    if (!ok) return ok;
  }
}

Read<void> PdbTranslator::open_scope(const pdb::SymRecord& record) {
  Scope scope{pdb::is_procedure(record.kind) && !in_procedure_, false};
  has_managed_ |= record.kind == SymKind::gmanproc || record.kind == SymKind::lmanproc;
  if (scope.is_procedure) {
    SC_TRY(const auto symbol, pdb::read_named<pdb::ProcSym>(record, "pdb.procedure"));
    procedure_.start = {symbol.record.segment, symbol.record.offset};
    procedure_.size = symbol.record.code_size;
    procedure_.name = symbol.name;
    procedure_.kind = record.kind;
    procedure_.type = symbol.record.type;
    procedure_.sites.assign(1, {});
    open_sites_.assign(1, kFunctionItself);
    in_procedure_ = true;
  } else if (record.kind == SymKind::inline_site || record.kind == SymKind::inline_site2) {
    ByteReader in(record.data, record.offset + sizeof(pdb::RecordHead));
    SC_TRY(const auto site, in.read<pdb::InlineSiteSym>("pdb.inline_site"));
    if (record.kind == SymKind::inline_site2)
      if (auto ok = in.skip(4, "pdb.inline_site.invocations"); !ok) return ok;
    scope.is_site = in_procedure_;
    if (in_procedure_) {
      if (procedure_.sites.size() == kMaxSites)
        return too_large("pdb.inline_sites", record.offset, kMaxSites, kMaxSites);
      procedure_.sites.push_back({open_sites_.back(), site.inlinee, in.rest()});
      open_sites_.push_back(static_cast<std::uint32_t>(procedure_.sites.size() - 1));
    }
  } else if (record.kind == SymKind::thunk32) {
    if (auto ok = thunk(record); !ok) return ok;
  } else if (record.kind == SymKind::sep_code) {
    if (auto ok = separated_code(record); !ok) return ok;
  }
  scopes_.push_back(scope);
  return {};
}

Read<void> PdbTranslator::close_scope() {
  if (scopes_.empty()) return {};  // MSVC closes some scopes that this reader has no use for
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  if (scope.is_site) open_sites_.pop_back();
  if (!scope.is_procedure) return {};
  in_procedure_ = false;
  return procedure();
}

Read<void> PdbTranslator::thunk(const pdb::SymRecord& record) {
  SC_TRY(const auto symbol, pdb::read_named<pdb::ThunkSym>(record, "pdb.thunk"));
  const SectionOffset start{symbol.record.segment, symbol.record.offset};
  start_frames();
  covered_.push_back({start, symbol.record.length});
  return emit(start,
              {.size = symbol.record.length, .name = strings_.function(symbol.name), .kind = model::SymbolKind::thunk});
}

Read<void> PdbTranslator::trampoline(const pdb::SymRecord& record) {
  SC_TRY(const auto symbol, read_at<pdb::TrampolineSym>(record.data, 0, "pdb.trampoline"));
  const SectionOffset start{symbol.thunk_segment, symbol.thunk_offset};
  const auto target = publics_.at({symbol.target_segment, symbol.target_offset});
  start_frames();
  covered_.push_back({start, symbol.size});
  return emit(start, {.size = symbol.size,
                      .name = target.empty() ? strings_.function("[thunk]")
                                             : strings_.function(undecorated(target.front().name)),
                      .kind = model::SymbolKind::thunk});
}

Read<void> PdbTranslator::separated_code(const pdb::SymRecord& record) {
  SC_TRY(const auto symbol, read_at<pdb::SepCodeSym>(record.data, 0, "pdb.separated_code"));
  const SectionOffset start{symbol.segment, symbol.offset};
  const auto parent = file_.rva_of({symbol.parent_segment, symbol.parent_offset});
  if (!in_procedure_ || !parent) return {};
  start_frames();
  if (auto ok = outer_ranges(start, symbol.length); !ok) return ok;
  covered_.push_back({start, symbol.length});
  return emit(start, {.size = symbol.length,
                      .name = strings_.function(procedure_.name, procedure_.kind, procedure_.type),
                      .kind = model::SymbolKind::cold_part,
                      .parent = {*parent}});
}

Read<void> PdbTranslator::procedure() {
  const Procedure& p = procedure_;
  ++order_;
  if (p.start.segment == 0) return {};
  const bool ours = is_ours(p.start);
  start_frames();
  if (ours) {
    covered_.push_back({p.start, p.size});
    if (auto ok = outer_ranges(p.start, p.size); !ok) return ok;
    for (std::uint32_t site = 1; site < p.sites.size(); ++site)
      if (auto ok = inline_ranges(site); !ok) return ok;
  }
  const std::string_view linkage = publics_.take_linkage_name(p.start, p.name);
  return emit(p.start, {.size = p.size,
                        .name = strings_.function(p.name, p.kind, p.type),
                        .linkage_name = linkage == p.name ? model::StringId::none : sink_.intern(linkage),
                        .rank = (ours ? 0 : kFoldedElsewhere) + (kFoldedElsewhere - 1 - order_)});
}

Read<void> PdbTranslator::inline_ranges(std::uint32_t index) {
  const Procedure::Site& site = procedure_.sites[index];
  SC_TRY(const auto name, strings_.inlinee(c13_, site.inlinee));
  sites_.push_back({site.caller, name});
  inline_ranges_.clear();
  if (auto ok = pdb::read_inline_ranges(site.annotations, procedure_.size, inline_ranges_); !ok) return ok;
  const pdb::InlineeLine* declared = c13_.inlinee(site.inlinee);
  const model::StringId own_file =
      declared != nullptr ? strings_.source_file(c13_, declared->file) : model::StringId::none;
  for (const pdb::InlineRange& r : inline_ranges_) {
    const std::int64_t line = declared != nullptr ? std::int64_t{declared->line} + r.line_delta : 0;
    ranges_.push_back({.start = r.start,
                       .end = r.end,
                       .site = index,
                       .line = static_cast<std::uint32_t>(std::clamp<std::int64_t>(line, 0, 0xFFFFFF)),
                       .column = r.column,
                       .file = r.file == pdb::kFileOfInlinee ? own_file : strings_.source_file(c13_, r.file)});
  }
  return {};
}

Read<void> PdbTranslator::publics_of_module() {
  std::ranges::sort(covered_, {}, &Extent::start);
  for (const std::uint32_t index : publics_.of_module(module_index_)) {
    PdbPublic& symbol = publics_.all()[index];
    const auto after = std::ranges::upper_bound(covered_, symbol.at, {}, &Extent::start);
    const bool covered = after != covered_.begin() && std::prev(after)->start.segment == symbol.at.segment &&
                         symbol.at.offset - std::prev(after)->start.offset < std::prev(after)->size;
    if (covered && symbol.at != std::prev(after)->start) continue;
    if (!covered && after != covered_.end() && after->start.segment == symbol.at.segment)
      symbol.size = std::min(symbol.size, after->start.offset - symbol.at.offset);
    start_frames();
    if (!covered)
      if (auto ok = outer_ranges(symbol.at, symbol.size); !ok) return ok;
    if (auto ok = public_without_function(symbol); !ok) return ok;
  }
  return {};
}

/// The name in C, where publics carry calling conventions. C++ names stay.
std::string_view PdbTranslator::undecorated(std::string_view public_name) const {
  return arch_of_machine(file_.machine()) == model::Arch::x86 ? demangle::undecorate_win32(public_name) : public_name;
}

/// Emits a public that no function took for its linkage name: as the name of its code, or as an alias there.
Read<void> PdbTranslator::public_without_function(PdbPublic& symbol) {
  if (symbol.taken || symbol.size == 0) return {};
  symbol.taken = true;
  const std::string_view name = undecorated(symbol.name);
  return emit(symbol.at, {.size = symbol.size,
                          .name = strings_.function(name),
                          .linkage_name = name == symbol.name ? model::StringId::none : sink_.intern(symbol.name),
                          .kind = model::SymbolKind::public_symbol,
                          .rank = 0xFFFFFFFF});
}

Read<void> PdbTranslator::emit(SectionOffset start, model::Function function) {
  const auto rva = file_.rva_of(start);
  if (!rva || function.size == 0) return {};
  has_native_ = true;
  if (!flattener_.flatten(sites_, ranges_, budget_)) return budget_.refusal("pdb.work", *rva);
  function.start = {*rva};
  function.language = language_;
  function.lines = flattener_.lines();
  function.inlinees = flattener_.inlinees();
  if (!file_.omap_from_source().empty()) return mover_.emit(function, sink_, budget_);
  sink_.function(function);
  return {};
}

}  // namespace

Read<void> translate_pdb(Bytes bytes, model::ModuleSink& sink, const std::function<void()>& release) {
  SC_TRY(const auto file, pdb::File::open(bytes));
  if (file.is_fastlink()) return unsupported(kFastlinkRefused, 0);
  sink.module(
      {.arch = arch_of_machine(file.machine()), .debug_id = file.debug_id(), .debug_file = {}, .producer_kind = "pdb"});
  SC_TRY(auto strings, PdbStrings::open(file, bytes.size(), sink));
  SC_TRY(auto publics, PdbPublics::open(file));
  return PdbTranslator(file, std::move(strings), std::move(publics), sink, release, bytes.size()).run();
}

}  // namespace symcached::object
