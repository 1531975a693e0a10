#include "stacks/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/path_text.hpp"

namespace symcached::stacks {
namespace {

constexpr std::size_t kMostName = 200;  ///< bytes of a name in a sentence

std::string_view short_name(std::string_view path) { return last_path_part(path).substr(0, kMostName); }

/// "app.pdb with debug id 3249…-1": what has to be put where somebody looks for it.
std::string wanted_file(const sources::ModuleIds& ids) {
  const std::string_view debug = short_name(ids.debug_file), code = short_name(ids.code_file);
  std::string file = "the debug file";
  if (!debug.empty() && debug != code) file = debug;
  else if (!code.empty()) file = fmt::format("the debug file of {}", code);
  const bool follows = !ids.code_id.empty() && ids.debug_id == sources::debug_id_of_build_id(ids.code_id);
  if (ids.debug_id && !follows) return fmt::format("{} with debug id {}", file, ids.debug_id->dashed());
  if (!ids.code_id.empty()) return fmt::format("{} with build id {}", file, ids.code_id);
  return file;
}

std::string supply(const Looked& module) {
  const std::string file = wanted_file(module.ids);
  return module.is_local ? fmt::format("give --symbols a place that has {}", file) : fmt::format("upload {}", file);
}

std::string name_of(const sources::ModuleIds& ids) {
  const std::string_view code = short_name(ids.code_file), debug = short_name(ids.debug_file);
  return std::string(!code.empty() ? code : !debug.empty() ? debug : "the module");
}

std::string when(std::optional<WallTime> then, WallTime now) {
  if (!then || *then <= now) return "ask again";
  return fmt::format("ask again in {} s", seconds_until(*then, now).count());
}

/// What says most of why there is no file: a file that is no use, then a source that may have it and cannot be heard.
int weight(const CandidateInfo& candidate) {
  switch (candidate.download) {
    case DownloadStatus::malformed: return 4;
    case DownloadStatus::error: return 3;
    case DownloadStatus::no_permission: return 2;
    case DownloadStatus::not_found: return 1;
    case DownloadStatus::ok: return 0;
  }
  return 0;
}

const CandidateInfo* weightiest(std::span<const CandidateInfo> asked) {
  const auto found = std::ranges::max_element(asked, {}, weight);
  return found == asked.end() ? nullptr : &*found;
}

std::optional<WallTime> earliest(std::span<const CandidateInfo> asked, DownloadStatus status) {
  std::optional<WallTime> time;
  for (const CandidateInfo& one : asked)
    if (one.download == status && one.retry_at && (!time || *one.retry_at < *time)) time = one.retry_at;
  return time;
}

Advice nobody_has_it(const Looked& module, WallTime now) {
  const auto has_names = [](const CandidateInfo& one) {
    return one.features && (one.features->has_debug_info || one.features->has_symbols);
  };
  if (const auto late = std::ranges::find_if(module.asked, has_names); late != module.asked.end())
    return {fmt::format("source {} has {} now, and said that it had no such file when it was asked for the module",
                        late->source, short_name(late->location)),
            when(module.retry_at, now)};
  const auto has_place = [](const CandidateInfo& one) { return one.location != kNoFilesListed; };
  if (module.asked.empty())
    return {"there is no source to ask", fmt::format("name a source that has {}", wanted_file(module.ids))};
  if (std::ranges::none_of(module.asked, has_place))
    return {"no source has a place for files of this module",
            fmt::format("name a source whose layout and filters allow for {}", wanted_file(module.ids))};
  const auto again = earliest(module.asked, DownloadStatus::not_found);
  const bool is_remembered = again && *again > now;
  const bool has_id = module.ids.debug_id || !module.ids.code_id.empty();
  return {has_id ? "no source has a debug file for this id" : "no source has a file of this name",
          fmt::format("{}{}{}", supply(module), is_remembered ? "; then " : "", is_remembered ? when(again, now) : "")};
}

Advice refused(const CandidateInfo& by) {
  const bool wants_credentials = by.details.starts_with("401");  // "401 Unauthorized"
  return {fmt::format("source {} {}{}", by.source, wants_credentials ? "demands credentials" : "does not give it away",
                      by.heard().empty() ? "" : ": " + by.heard()),
          fmt::format("give source {} credentials that may read it", by.source)};
}

Advice without_file(const Looked& module, WallTime now) {
  const CandidateInfo* const worst = weightiest(module.asked);
  if (worst == nullptr || weight(*worst) <= weight({})) {
    if (module.why.empty()) return nobody_has_it(module, now);
    return {fmt::format("the file that was found is no use: {}", module.why),
            fmt::format("{} that is whole, and of this build", supply(module))};
  }
  switch (worst->download) {
    case DownloadStatus::malformed:
      return {
          fmt::format("source {} has another file at this place, or a damaged one: {}", worst->source, worst->heard()),
          supply(module)};
    case DownloadStatus::no_permission: return refused(*worst);
    default: break;
  }
  return {fmt::format("source {} did not answer as it should: {}", worst->source, worst->heard()),
          when(earliest(module.asked, DownloadStatus::error), now)};
}

/// The file that names came from, if that is known.
std::string file_used(const Looked& module) {
  const auto used = std::ranges::find_if(module.asked, [](const CandidateInfo& one) { return one.debug.has_value(); });
  return std::string(used == module.asked.end() ? name_of(module.ids) : short_name(used->location));
}

}  // namespace

Advice advice_on(const Looked& module, WallTime now) {
  const sources::ModuleIds& ids = module.ids;
  switch (module.trouble) {
    case Trouble::no_module:
      return {"no module covers this address", "send all modules of the process, with image_addr and image_size"};
    case Trouble::no_such_module:
      return {"the frame is relative to a module that is not in the request", "send all modules, in their order"};
    case Trouble::no_map:
      return {"nothing tells which module lay at this address",
              "put a memory map into the same text, or a list of the modules with their addresses"};
    case Trouble::other_type:
      return {"nothing is known of modules of this type", "send type pe, pe_dotnet, elf, macho or wasm"};
    case Trouble::no_id:
      return {fmt::format("this module has no id that its files can be found by{}{}", module.why.empty() ? "" : ": ",
                          module.why),
              "send its debug_id and debug_file, or its code_id"};
    case Trouble::no_file: return without_file(module, now);
    case Trouble::of_windows:
      return {"there is only a Windows PDB, which is not read for .NET",
              fmt::format("build {} with DebugType portable", name_of(ids))};
    case Trouble::several:
      return {fmt::format("files of several builds have the name {}{}{}", name_of(ids), module.why.empty() ? "" : ": ",
                          module.why),
              "name the directory of the right one, or state the module's id"};
    case Trouble::own_fault: return {"the server could not do it; its log says why", when(module.retry_at, now)};
    case Trouble::not_reached:
      return {"absolute addresses do not lead into a module at 0",
              "state its image_addr, or send offsets in it with addr_mode rel:N"};
    case Trouble::outside:
      return {fmt::format("the address lies outside every function of {}", file_used(module)),
              "check image_addr; if that is right, the code there has no symbol"};
    case Trouble::other_size:
      return {fmt::format("the function has another size in {}, which is of another build", file_used(module)),
              supply(module) + " of this build"};
    case Trouble::no_method:
      return {"the frame does not say which method it is in",
              "send function_id, the method's row, and as instruction_addr the offset in its IL"};
    case Trouble::no_il_offset:
      return {"the PDB has no line of this method at or before the offset",
              "check function_id and instruction_addr, and that the PDB is of this build"};
    case Trouble::no_name:
      return {fmt::format("{} names no function at this address", file_used(module)),
              fmt::format("{} itself may have the name; supply it, too", name_of(ids))};
    case Trouble::names_only:
      return {fmt::format("{} was found but has no line information", file_used(module)),
              fmt::format("build {} with debug information, and {}", name_of(ids), supply(module))};
    case Trouble::no_line:
      return {fmt::format("the debug information in {} has no line for this address", file_used(module)),
              "build that part of the program with debug information"};
  }
  return {};
}

bool is_about_files(Trouble trouble) {
  constexpr std::array kFiles{Trouble::no_file, Trouble::of_windows, Trouble::several, Trouble::names_only,
                              Trouble::own_fault};
  return std::ranges::find(kFiles, trouble) != kFiles.end();
}

std::string_view text_of(DownloadStatus status) {
  constexpr std::array<std::string_view, 5> kTexts{"found", "no use", "refused", "not found", "no answer"};
  return kTexts.at(static_cast<std::size_t>(status));
}

std::chrono::seconds seconds_until(WallTime then, WallTime now) {
  return std::max(std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(then - now));
}

}  // namespace symcached::stacks
