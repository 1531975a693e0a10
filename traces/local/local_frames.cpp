#include "traces/local/local_frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/threads.hpp"
#include "formats/elf/reader.hpp"
#include "model/managed_module.hpp"
#include "object/elf/symbols.hpp"
#include "symbolize/contents.hpp"

namespace symcached::traces {
namespace {

namespace fs = std::filesystem;
using stacks::Trouble;

constexpr std::size_t kMostFilesOfOneBuild = 4;  ///< that are opened to see which one knows most

std::vector<fs::path> directories_of(const std::vector<fs::path>& places) {
  std::vector<fs::path> directories;
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::is_directory(place, ignored)) directories.push_back(place);
  return directories;
}

std::vector<ResolvedFrame> frames_of(const symbolize::Answer& answer) {
  std::vector<ResolvedFrame> frames;
  for (const symbolize::Frame& frame : answer.frames())
    frames.push_back(
        {std::string(frame.function), std::string(frame.file), frame.line, frame.column, frame.is_inlined});
  return frames;
}

/// The same place in the sources.
bool are_alike(const Resolved& a, const Resolved& b) {
  return !a.frames.empty() && !b.frames.empty() && !a.frames.front().file.empty() &&
         std::ranges::equal(a.frames, b.frames, [](const ResolvedFrame& x, const ResolvedFrame& y) {
           return x.file == y.file && x.line == y.line && x.function == y.function;
         });
}

bool has_symbols(Bytes file) {
  const auto opened = elf::File::open(file);
  return opened && opened->section(elf::SectionType::symtab) != nullptr;
}

std::string title_of(const FrameQuestion& question) {
  const std::string& id = question.build_id;
  if (question.module.empty()) return id.empty() ? "a module without a name" : id;
  return id.empty() ? question.module : fmt::format("{} ({})", question.module, id);
}

}  // namespace

LocalFrames::LocalFrames(LocalOptions options)
    : options_(std::move(options)),
      files_(options_.places),
      managed_(directories_of(options_.places), options_.fetch_pdb) {
  for (const fs::path& directory : directories_of(options_.places))
    options_.debug_folders.push_back(directory.string());
}

void LocalFrames::resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) {
  for (std::size_t i = 0; i < questions.size(); ++i) answers[i] = answer(questions[i]);
}

std::vector<std::string> LocalFrames::complaints() const {
  std::vector<std::string> all = managed_.complaints();
  for (const auto& [key, module] : modules_)
    if (!module.opened && !module.why.empty()) all.push_back(module.why);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

LocalFrames::LocalModule& LocalFrames::module_of(const FrameQuestion& question) {
  const std::string debug_id = question.debug_id ? question.debug_id->breakpad() : std::string();
  const auto [entry, is_new] =
      modules_.try_emplace(fmt::format("{}\n{}\n{}", question.module, question.build_id, debug_id));
  if (is_new) look_for(question, entry->second);
  return entry->second;
}

void LocalFrames::look_for(const FrameQuestion& question, LocalModule& module) {
  const ModuleFiles::Found found = files_.find(question);
  module.status = found.status;
  module.builds = found.builds;
  module.name = question.module;
  module.ids = ids_of(question);
  module.looked = looked_places(question, options_.places, found);
  if (is_found(found.status)) open_best(found.files, module);
  if (!module.opened && !is_found(module.status)) fetch(question, module);
  if (module.opened || !module.why.empty()) return;
  const std::string title = title_of(question);
  if (module.status == Status::id_mismatch)
    module.why = fmt::format("{}: only files of other builds were found; they were not used", title);
  else if (module.status == Status::ambiguous)
    module.why =
        fmt::format("{}: files of {} builds were found; name the directory of the right one", title, found.builds);
  else if (module.status != Status::no_module) module.why = fmt::format("{}: not found", title);
}

/// The file that knows most, and the file that tells where code lies in it, which may be another one. Caches come
/// first: they are there already.
void LocalFrames::open_best(std::vector<fs::path> files, LocalModule& module) const {
  std::ranges::stable_partition(files, [](const fs::path& path) { return path.extension() == ".symcache"; });
  auto best = symbolize::Contents::nothing;
  const symbolize::OpenOptions how{
      .far = {options_.debug_folders, options_.symbol_maps}, .threads = hardware_threads(), .cache = options_.cache};
  bool has_geometry = false;
  for (const fs::path& path : std::span(files).first(std::min(files.size(), kMostFilesOfOneBuild))) {
    if (const auto file = symbolize::OriginalFile::open(path)) {
      const Geometry geometry = Geometry::of(file->bytes());
      if (!has_geometry || geometry.knows_more_than(module.geometry)) module.geometry = geometry;
      has_geometry = true;
      if (module.symbols.empty() && has_symbols(file->bytes())) module.symbols = path;
    }
    if (best == symbolize::Contents::lines) continue;
    auto opened = symbolize::OpenedModule::open(path, how);
    if (!opened) {
      module.why = module.no_use = opened.error();
      continue;
    }
    const auto* const cache = opened->module().symcache();
    if (cache == nullptr) continue;
    const auto contents = symbolize::contents_of(*cache);
    if (module.opened && contents <= best) continue;
    best = contents;
    module.opened = *std::move(opened);
  }
  if (!module.opened) module.status = Status::no_debug_file;
}

void LocalFrames::fetch(const FrameQuestion& question, LocalModule& module) const {
  if (!options_.fetch || (question.build_id.empty() && !question.debug_id)) return;
  const auto file = options_.fetch({.code_file = question.module,
                                    .debug_file = question.module,
                                    .code_id = question.build_id,
                                    .debug_id = question.debug_id});
  if (!file) {
    module.why = fmt::format("{}: not found: {}", title_of(question), file.error().why);
    module.looked.insert(module.looked.end(), file.error().asked.begin(), file.error().asked.end());
    return;
  }
  auto opened = symbolize::OpenedModule::from_bytes(file->bytes, {});
  if (!opened) {
    module.why = fmt::format("{}: {}", title_of(question), opened.error());
    module.no_use = opened.error();
    return;
  }
  if (opened->module().symcache() == nullptr) return;
  module.geometry = Geometry::of(file->bytes);
  module.opened = *std::move(opened);
  module.status = Status::ok;
}

Resolved LocalFrames::answer(const FrameQuestion& question) {
  if (question.kind == NumberKind::token) {
    Resolved resolved = answer_token(question);
    if (!is_found(resolved.status)) ++managed_troubles_[question.module];
    return resolved;
  }
  LocalModule& module = module_of(question);
  Resolved resolved = answer_in(question, module);
  if (const auto trouble = trouble_of(module, resolved)) ++module.troubles[*trouble];
  return resolved;
}

std::optional<Trouble> LocalFrames::trouble_of(const LocalModule& module, const Resolved& resolved) {
  switch (resolved.status) {
    case Status::ok:
    case Status::unverified: break;
    case Status::no_module:
    case Status::no_map: return Trouble::no_map;
    case Status::ambiguous: return Trouble::several;
    case Status::id_mismatch: return module.opened ? Trouble::other_size : Trouble::no_file;
    case Status::no_debug_file: return module.opened ? Trouble::outside : Trouble::no_file;
  }
  if (resolved.frames.back().line != 0) return std::nullopt;
  const bool has_lines = symbolize::contents_of(*module.opened->module().symcache()) == symbolize::Contents::lines;
  return has_lines ? Trouble::no_line : Trouble::names_only;
}

std::vector<stacks::ModuleExplanation> LocalFrames::explanations() const {
  std::vector<stacks::ModuleExplanation> all;
  const auto add = [&](const std::string& name, std::uint64_t count, const stacks::Looked& looked) {
    const bool lists = is_about_files(looked.trouble);
    all.push_back(
        {name, count, advice_on(looked, {}),
         lists ? std::vector(looked.asked.begin(), looked.asked.end()) : std::vector<stacks::CandidateInfo>()});
  };
  for (const auto& [key, module] : modules_)
    for (const auto& [trouble, count] : module.troubles)
      add(module.name, count,
          {.trouble = trouble, .ids = module.ids, .asked = module.looked, .why = module.no_use, .is_local = true});
  for (const auto& [name, count] : managed_troubles_) {
    const std::vector<stacks::CandidateInfo> looked =
        looked_places({.module = name}, options_.places, {.status = Status::no_debug_file});
    add(name, count, {.trouble = Trouble::no_file, .ids = {.code_file = name}, .asked = looked, .is_local = true});
  }
  return all;
}

Resolved LocalFrames::answer_in(const FrameQuestion& question, LocalModule& module) {
  if (!module.opened && module.status == Status::no_module && question.kind == NumberKind::runtime)
    return {.status = Status::no_map};
  if (!module.opened)
    return {.status = is_found(module.status) ? Status::no_debug_file : module.status,
            .candidates = static_cast<std::uint32_t>(module.builds)};
  if (question.kind == NumberKind::named) return answer_named(question, module);
  const Geometry& geometry = module.geometry;
  Status status = module.status;
  auto rva = geometry.rva_of(question.kind, question.value);
  if (!rva && question.other_offset) rva = geometry.rva_of(question.kind, *question.other_offset);
  if (question.image_offset && !geometry.has_file_offsets())
    rva = geometry.rva_of(NumberKind::image, *question.image_offset);
  const bool may_be_runtime = question.kind == NumberKind::runtime || (question.kind == NumberKind::file && !rva);
  if (may_be_runtime && geometry.is_fixed() && geometry.is_code(question.value)) {
    rva = geometry.rva_of(NumberKind::link, question.value);
  } else if (question.kind == NumberKind::runtime && question.usual_base && !geometry.is_fixed()) {
    rva = geometry.rva_of(NumberKind::image, question.value - *question.usual_base);
    status = Status::unverified;
  }
  if (!rva) return {.status = may_be_runtime ? Status::no_map : Status::no_debug_file};
  return answer_at(module, *rva, status, question.subtract);
}

Resolved LocalFrames::answer_at(const LocalModule& module, model::Rva rva, Status status, bool subtract) {
  const auto* const cache = module.opened->module().symcache();
  if (cache->arch() == model::Arch::arm) rva.value &= ~std::uint64_t{1};  // says only that the code is Thumb
  if (subtract) --rva.value;
  module.opened->module().ask(rva, {}, answer_);
  Resolved resolved{.status = status, .frames = frames_of(answer_), .lookup = module.geometry.link_of(rva)};
  if (resolved.frames.empty()) resolved.status = Status::no_debug_file;
  return resolved;
}

NameIndex LocalFrames::index_of(const LocalModule& module) {
  const symcache::Symcache& cache = *module.opened->module().symcache();
  const auto file = symbolize::OriginalFile::open(module.symbols);
  if (!file) return NameIndex::of(cache, module.geometry);
  const auto opened = elf::File::open(file->bytes());
  object::CodeSymbols symbols;
  if (!opened || !object::add_elf_symbols(*opened, symbols)) return NameIndex::of(cache, module.geometry);
  symbols.finish(object::code_ranges_of(*opened));
  return NameIndex::of(symbols.all(), module.geometry);
}

Resolved LocalFrames::answer_named(const FrameQuestion& question, LocalModule& module) {
  if (!module.names) module.names = index_of(module);
  std::size_t count = 0;
  const auto places = module.names->find(question.function, question.value, question.size, count);
  if (places.empty()) return {.status = count == 0 ? Status::no_debug_file : Status::id_mismatch};
  std::vector<Resolved> answers;
  for (const NameIndex::Place& place : places)
    answers.push_back(answer_at(module, {place.start.value + question.value}, module.status, question.subtract));
  const bool all_alike = std::ranges::all_of(
      answers, [&](const Resolved& one) { return answers.size() == 1 || are_alike(one, answers.front()); });
  if (all_alike && answers.size() > 1) answers.front().lookup.reset();  // any of them may be meant
  if (all_alike) return std::move(answers.front());
  return {.status = Status::ambiguous, .candidates = static_cast<std::uint32_t>(places.size())};
}

Resolved LocalFrames::answer_token(const FrameQuestion& question) {
  const symbolize::Module* const module = managed_.find(question.module);
  if (module == nullptr) return {.status = Status::no_debug_file};
  const auto row = static_cast<std::uint32_t>(question.value) & model::kMaxMethodRow;
  module->ask(symbolize::MethodPlace{row, question.il_offset}, {}, answer_);
  Resolved resolved{.status = Status::unverified, .frames = frames_of(answer_)};
  if (resolved.frames.empty() || resolved.frames.front().file.empty()) return {.status = Status::no_debug_file};
  return resolved;
}

}  // namespace symcached::traces
