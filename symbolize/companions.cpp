#include "symbolize/companions.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/hex.hpp"
#include "base/path_text.hpp"
#include "ids/guid.hpp"
#include "object/dwarf/split_file.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;
using object::NeedFile;
using Kind = NeedFile::Kind;

constexpr std::size_t kMaxFiles = 20'000;  ///< a process may have 65,530 mappings
constexpr int kMaxRounds = 16;

bool is_found_by_id(Kind kind) {
  switch (kind) {
    case Kind::debug_link:
    case Kind::supplementary:
    case Kind::dsym:
    case Kind::uuid_map:
    case Kind::symbol_map:
    case Kind::portable_pdb:
    case Kind::assembly: return true;
    default: return false;
  }
}

/// Beside the file, or beside the bundle that it is the program of: X.app/Contents/MacOS/X has X.app.dSYM.
std::vector<fs::path> places_of_dsym(const fs::path& file) {
  constexpr int kDeepest = 4;  // Foo.framework/Versions/A/Foo
  std::vector<fs::path> places;
  fs::path of = file;
  for (int i = 0; i < kDeepest && of.has_filename(); ++i, of = of.parent_path())
    if (i == 0 || of.has_extension())
      places.push_back(fs::path(of).concat(".dSYM") / "Contents/Resources/DWARF" / file.filename());
  return places;
}

/// A UUID as it is printed, which files of Xcode's are named by; empty if it is none.
std::string printed(std::string_view uuid) {
  const auto guid = Guid::parse(uuid);
  std::string text = guid ? guid->dashed() : std::string();
  for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

/// In the folder of the dSYM, above the one with its DWARF.
std::vector<fs::path> places_of_uuid_map(const fs::path& folder, std::string_view uuid) {
  const std::string name = printed(uuid) + ".plist";
  if (name.starts_with('.')) return {};
  return {folder.parent_path() / name, folder / name};
}

/// Those that were named, then the folders where Xcode's archives have them: beside the file, or beside its dSYM.
std::vector<fs::path> places_of_symbol_map(const fs::path& folder, std::string_view uuid,
                                           std::span<const std::string> named) {
  std::vector<fs::path> places;
  for (const fs::path path : named) {
    const auto its_own = Guid::parse(path.stem().string());
    if (!its_own || its_own == Guid::parse(uuid)) places.push_back(path);
  }
  const std::string name = printed(uuid) + ".bcsymbolmap";
  if (name.starts_with('.')) return places;
  std::vector<fs::path> bases{folder};
  if (const fs::path resources = folder.parent_path(); resources.filename() == "Resources")
    bases.push_back(resources.parent_path().parent_path().parent_path());
  for (const fs::path& base : bases) {
    places.push_back(base / name);
    places.push_back(base / "BCSymbolMaps" / name);
    places.push_back(base.parent_path() / "BCSymbolMaps" / name);
  }
  return places;
}

/// The library of "lib.a(x.o)".
fs::path without_member(const std::string& path) {
  const std::size_t open = path.ends_with(')') ? path.rfind('(') : path.npos;
  return path.substr(0, open);
}

/// An object file that was compiled again since it was linked says nothing of the program. Members of libraries have
/// their own times, in the library.
bool is_too_new(const NeedFile& need, const fs::path& place) {
  if (need.kind != Kind::debug_map || need.modified == 0 || need.path.ends_with(')')) return false;
  std::error_code error;
  const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(place, error));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  return error || static_cast<std::uint64_t>(seconds) != need.modified;
}

/// A path as recorded has no NUL and not the length of a novel.
bool usable(const std::string& path) { return path.size() < 4096 && path.find('\0') == path.npos; }

}  // namespace

std::vector<fs::path> places_of(const NeedFile& need, const fs::path& file, const FarPlaces& far) {
  std::vector<fs::path> places;
  if (!usable(need.path) || !usable(need.directory)) return places;
  const fs::path folder = file.parent_path();
  const fs::path path = need.path;
  const fs::path name = path.filename();
  if ((need.kind == Kind::debug_link || need.kind == Kind::supplementary) && need.build_id.size() > 2 &&
      is_lower_hex(need.build_id))
    for (const fs::path root : far.debug_folders)
      places.push_back(root / ".build-id" / need.build_id.substr(0, 2) / (need.build_id.substr(2) + ".debug"));
  switch (need.kind) {
    case Kind::debug_link:
      if (name.empty()) break;
      places.push_back(folder / name);
      places.push_back(folder / ".debug" / name);
      for (const fs::path root : far.debug_folders) places.push_back(root / folder.relative_path() / name);
      break;
    case Kind::supplementary:
      if (name.empty()) break;
      places.push_back(folder / path);  // path alone if it is absolute
      places.push_back(folder / name);
      for (const fs::path root : far.debug_folders) places.push_back(root / ".dwz" / name);
      break;
    case Kind::split_package:
      if (!far.split_package.empty()) places.emplace_back(far.split_package);
      places.push_back(name.empty() ? fs::path(file).concat(".dwp") : folder / name);
      break;
    case Kind::split_unit:
      if (name.empty()) break;
      places.push_back(folder / need.directory / path);
      places.push_back(folder / path);
      places.push_back(folder / name);
      break;
    case Kind::debug_map:
      if (!name.empty()) places.push_back(folder / without_member(need.path));
      break;
    case Kind::dsym: return places_of_dsym(file);
    case Kind::uuid_map: return places_of_uuid_map(folder, need.build_id);
    case Kind::symbol_map: return places_of_symbol_map(folder, need.build_id, far.symbol_maps);
    case Kind::portable_pdb:
      if (const fs::path pdb = last_path_part(need.path); !pdb.empty()) places.push_back(folder / pdb);
      places.push_back(fs::path(file).replace_extension(".pdb"));
      break;
    case Kind::assembly:
      for (const char* extension : {".dll", ".exe"}) places.push_back(fs::path(file).replace_extension(extension));
      break;
    case Kind::source_map:
      if (const std::string file_name = name.string(); !name.empty())  // a URL's last part
        places.push_back(folder / file_name.substr(0, file_name.find_first_of("?#")));
      places.push_back(fs::path(file).concat(".map"));
      break;
    case Kind::external_debug:
      if (!name.empty()) places.push_back(folder / name);  // a URL's last part
      break;
  }
  return places;
}

/// Asks for needs and looks at places until there is nothing new.
class CompanionSearch {
 public:
  CompanionSearch(const fs::path& file, Bytes bytes, const FarPlaces& far, SeenFiles* seen)
      : bytes_(bytes), far_(far), seen_(seen) {
    std::error_code ignored;
    const fs::path whole = fs::canonical(file, ignored);
    referrers_.push_back(whole.empty() ? file : whole);
  }

  Companions run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      bool found = false;
      const std::size_t known = companions_.all_.size();  // what one round needs, it needs once
      for (const NeedFile& need : object::needed_files(bytes_, companions_.all_)) {
        if (companions_.files_.size() >= kMaxFiles) return std::move(companions_);
        const auto before = std::span(companions_.all_).first(known);
        if (std::ranges::find(before, need, &object::Companion::need) == before.end()) found = look_for(need) || found;
        // The units that a package holds are needed no more, and the map has another name than it seemed.
        if (found && (need.kind == Kind::split_package || need.kind == Kind::uuid_map)) break;
      }
      if (!found) break;
    }
    return std::move(companions_);
  }

 private:
  bool look_for(const NeedFile& need) {
    for (std::size_t i = 0; i < referrers_.size(); ++i)
      for (const fs::path& place : places_of(need, referrers_[i], far_))
        if (take(need, place)) return true;
    return false;
  }

  bool take(const NeedFile& need, const fs::path& place) {
    std::error_code error;
    if (seen_ != nullptr) seen_->note(place);
    if (!fs::is_regular_file(place, error) || fs::equivalent(place, referrers_.front(), error)) return false;
    if (is_too_new(need, place)) return false;
    // One library has many members, and each is a need of its own.
    if (const auto known = mapped_.find(place); known != mapped_.end()) {
      companions_.all_.push_back({need, known->second});
      return true;
    }
    auto mapped = MappedFile::open(place);
    if (!mapped) return false;
    if (need.kind == Kind::split_unit && !object::holds_split_unit(mapped->bytes(), need.dwo_id)) return false;
    companions_.all_.push_back({need, mapped->bytes()});
    // Debug files are only of use if they belong to this program; then they are needed no more.
    const bool by_id = is_found_by_id(need.kind);
    if (by_id && std::ranges::count(object::needed_files(bytes_, companions_.all_), need) != 0) {
      companions_.all_.pop_back();
      return false;
    }
    if (need.kind == Kind::debug_map) mapped_.emplace(place, mapped->bytes());
    companions_.files_.push_back(std::move(*mapped));
    // Each unit's file refers to nothing; what a debug file refers to counts from its own place.
    if (by_id) referrers_.push_back(fs::canonical(place, error));
    return true;
  }

  Bytes bytes_;
  const FarPlaces far_;
  SeenFiles* const seen_;
  std::map<fs::path, Bytes> mapped_;  ///< those of debug maps
  std::vector<fs::path> referrers_;   ///< the file itself first
  Companions companions_;
};

Companions find_companions(const fs::path& file, Bytes bytes, const FarPlaces& far, SeenFiles* seen) {
  return CompanionSearch(file, bytes, far, seen).run();
}

}  // namespace symcached::symbolize
