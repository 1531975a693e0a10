#include "profiling/naming/modules.hpp"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "profiling/naming/hex_number.hpp"
#include "profiling/naming/loaded_objects.hpp"
#include "profiling/naming/process_maps.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxGenerated = 4096;
constexpr char kThisProgram[] = "/proc/self/exe";

bool has_place(const MappedModule& module, std::uintptr_t begin, std::uintptr_t end) {
  return module.begin < end && begin < module.end;
}

const MapsLine* line_at(const std::vector<MapsLine>& maps, std::uintptr_t address) {
  const auto next = std::ranges::upper_bound(maps, address, {}, &MapsLine::begin);
  return next == maps.begin() || std::prev(next)->end <= address ? nullptr : &*std::prev(next);
}

std::string program_path() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink(kThisProgram, path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return path;
}

/// A file that a line of the maps shows: by its path, and by the kernel's own link, for which rights are needed.
void set_file(CodeMapping& mapping, const MapsLine& line) {
  const bool is_deleted = line.path.ends_with(kDeleted);
  mapping.module.path = line.path;
  mapping.path = line.path.substr(0, line.path.size() - (is_deleted ? kDeleted.size() : 0));
  mapping.inode = line.inode;
  if (line.is_file() && !is_deleted) mapping.files.push_back(line.path);
  mapping.files.push_back("/proc/self/map_files/" + hex_number(line.begin) + "-" + hex_number(line.end));
}

CodeMapping mapping_of(const LoadedObject& object, const LoadedSegment& code, bool is_program,
                       const std::vector<MapsLine>& maps) {
  CodeMapping out{.module = {code.begin, code.end, code.file_offset, {}, object.build_id}};
  const MapsLine* line = line_at(maps, code.begin);
  if (line != nullptr && line->path.starts_with('/')) {
    set_file(out, *line);
  } else {  // such as code that was copied to large pages
    out.path = out.module.path = is_program ? program_path() : object.name;
    if (!out.path.empty()) out.files.push_back(out.path);
  }
  if (is_program) out.files.emplace_back(kThisProgram);
  return out;
}

std::optional<CodeMapping> vdso(const std::vector<MapsLine>& maps) {
  const std::uintptr_t begin = ::getauxval(AT_SYSINFO_EHDR);
  const MapsLine* line = begin == 0 ? nullptr : line_at(maps, begin);
  if (line == nullptr) return std::nullopt;
  return CodeMapping{.module = {begin, line->end, 0, "/vdso", {}}, .kind = CodeMapping::Kind::vdso, .path = "vdso"};
}

/// Executable memory that is no loaded object: files that the program mapped itself, and code that it generated.
class OtherCode {
 public:
  explicit OtherCode(CodeMappings& known) : known_(known), loaded_(known.size()) {}

  void add(const MapsLine& line) {
    if (line.begin > ~std::uintptr_t{0} / 2) return;  // the kernel's: [vsyscall]
    std::uintptr_t begin = line.begin;
    for (std::size_t i = 0; i < loaded_ && begin < line.end; ++i) {  // by address
      const MappedModule& module = known_[i].module;
      if (!has_place(module, begin, line.end)) continue;
      add_part(line, begin, std::max(begin, module.begin));
      begin = std::max(begin, module.end);
    }
    add_part(line, begin, line.end);
  }

 private:
  void add_part(const MapsLine& line, std::uintptr_t begin, std::uintptr_t end) {
    if (begin >= end) return;
    if (line.is_file()) {
      CodeMapping file{.module = {begin, end, line.offset + (begin - line.begin), {}, {}}};
      set_file(file, line);
      known_.push_back(std::move(file));
      return;
    }
    const bool goes_on = known_.size() > loaded_ && known_.back().kind == CodeMapping::Kind::generated &&
                         known_.back().module.end == begin && last_path_ == line.path;
    last_path_ = line.path;
    if (goes_on) {
      known_.back().module.end = end;
    } else if (++generated_ <= kMaxGenerated) {
      const bool has_path = line.path.starts_with('/');
      known_.push_back({.module = {begin, end, line.offset, has_path ? line.path : "/anon/" + hex_number(begin), {}},
                        .kind = CodeMapping::Kind::generated,
                        .path = has_path ? line.path : "anon"});
    }
  }

  CodeMappings& known_;
  std::size_t loaded_, generated_ = 0;
  std::string last_path_;
};

void sort_by_address(CodeMappings& mappings, std::size_t from) {
  std::ranges::sort(mappings.begin() + static_cast<std::ptrdiff_t>(from), mappings.end(), {},
                    [](const CodeMapping& m) { return m.module.begin; });
}

/// The program first, then the others by address. Nothing overlaps.
CodeMappings look_around() {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::vector<MapsLine> maps = read_maps();
  CodeMappings out;
  const auto add = [&](CodeMapping mapping) {
    const auto is_there = [&](const CodeMapping& m) {
      return has_place(m.module, mapping.module.begin, mapping.module.end);
    };
    if (mapping.module.end > mapping.module.begin && std::ranges::none_of(out, is_there))
      out.push_back(std::move(mapping));
  };
  if (auto kernels = vdso(maps)) add(*std::move(kernels));
  for (const LoadedObject& object : objects)
    for (const LoadedSegment& code : object.code) add(mapping_of(object, code, &object == objects.data(), maps));

  const std::uintptr_t program =
      objects.empty() || objects.front().code.empty() ? 0 : objects.front().code.front().begin;
  sort_by_address(out, 0);
  OtherCode others(out);
  for (const MapsLine& line : maps)
    if (line.is_executable) others.add(line);
  sort_by_address(out, 0);
  const auto first = std::ranges::find(out, program, [](const CodeMapping& m) { return m.module.begin; });
  if (first != out.end()) std::rotate(out.begin(), first, std::next(first));
  return out;
}

/// No two may have the same name: `go tool pprof` takes them for one. Nor may one have none.
void make_names_unique(CodeMappings& mappings) {
  std::unordered_set<std::string> taken;
  for (CodeMapping& m : mappings) {
    if (m.module.path.empty() || m.module.path.front() == '[') m.module.path = "/unnamed/" + hex_number(m.module.begin);
    const std::string path = m.module.path;
    for (unsigned n = 2; !taken.insert(m.module.path).second; ++n) m.module.path = path + "#" + std::to_string(n);
  }
}

/// Whether the program is still where it was, and so on: what makes two mappings one.
bool is_same_place(const CodeMapping& a, const CodeMapping& b) {
  return a.module.begin == b.module.begin && a.module.end == b.module.end && a.module.build_id == b.module.build_id &&
         a.kind == b.kind && a.inode == b.inode;
}

}  // namespace

CodeMapping CodeMapping::of(MappedModule listed) {
  CodeMapping out{.module = std::move(listed)};
  out.path = out.module.path;
  out.files.push_back(out.path);
  return out;
}

const CodeMapping* find_mapping(const CodeMappings& mappings, std::uintptr_t address) {
  const auto has_it = [&](const CodeMapping& m) { return m.module.begin <= address && address < m.module.end; };
  if (mappings.empty()) return nullptr;
  if (has_it(mappings.front())) return &mappings.front();
  const auto next = std::upper_bound(mappings.begin() + 1, mappings.end(), address,
                                     [](std::uintptr_t a, const CodeMapping& m) { return a < m.module.begin; });
  return next - mappings.begin() > 1 && has_it(*std::prev(next)) ? &*std::prev(next) : nullptr;
}

ModuleLists ModuleLists::of_process() {
  return {[] { return ModuleRegistry::of_process().recent(); },
          [] { return ModuleRegistry::of_process().refreshed(); }};
}

ModuleLists ModuleLists::fixed(std::vector<MappedModule> modules) {
  auto all = std::make_shared<CodeMappings>();
  for (MappedModule& module : modules) all->push_back(CodeMapping::of(std::move(module)));
  sort_by_address(*all, all->empty() ? 0 : 1);
  const List list = [all = std::shared_ptr<const CodeMappings>(std::move(all))] { return all; };
  return {list, list};
}

ModuleRegistry& ModuleRegistry::of_process() {
  static ModuleRegistry* const registry = [] {
    static ModuleRegistry* made = new ModuleRegistry;
    ::pthread_atfork([] { made->lock(); }, [] { made->unlock(); }, [] { made->unlock(); });
    return made;
  }();
  return *registry;
}

ModuleRegistry::Generation ModuleRegistry::generation() {
  Generation now;
  look_at_objects([&](const dl_phdr_info& object) {
    now = {object.dlpi_adds, object.dlpi_subs};
    return true;
  });
  return now;
}

void ModuleRegistry::remember_unloaded(const CodeMappings& now) {
  const auto time = std::chrono::steady_clock::now();
  for (const CodeMapping& before : live_) {
    const auto is_it = [&](const CodeMapping& m) { return is_same_place(m, before); };
    if (before.kind == CodeMapping::Kind::file && std::ranges::none_of(now, is_it)) unloaded_.push_back({before, time});
  }
  CodeMappings newer = now;
  std::vector<Unloaded> kept;  // newest first: what was loaded in an older one's place hides it
  for (auto at = unloaded_.rbegin(); at != unloaded_.rend() && kept.size() < kMaxUnloaded; ++at) {
    const MappedModule& gone = at->mapping.module;
    const auto is_hidden = [&](const CodeMapping& m) { return has_place(m.module, gone.begin, gone.end); };
    if (std::ranges::any_of(newer, is_hidden)) continue;
    newer.push_back(at->mapping);
    kept.push_back(std::move(*at));
  }
  unloaded_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

std::shared_ptr<const CodeMappings> ModuleRegistry::refreshed() {
  const std::lock_guard lock(mutex_);
  generation_ = generation();
  CodeMappings now = look_around();
  remember_unloaded(now);
  live_ = now;
  for (const Unloaded& gone : unloaded_) now.push_back(gone.mapping);
  sort_by_address(now, now.empty() ? 0 : 1);
  make_names_unique(now);
  if (all_ == nullptr || *all_ != now) all_ = std::make_shared<const CodeMappings>(std::move(now));
  return all_;
}

std::shared_ptr<const CodeMappings> ModuleRegistry::recent() {
  {
    const std::lock_guard lock(mutex_);
    if (all_ != nullptr && generation() == generation_) return all_;
  }
  return refreshed();
}

std::vector<MappedModule> mapped_modules() {
  std::vector<MappedModule> out;
  const std::shared_ptr<const CodeMappings> all = ModuleRegistry::of_process().refreshed();
  for (const CodeMapping& mapping : *all) out.push_back(mapping.module);
  return out;
}

}  // namespace symcached::pprof
