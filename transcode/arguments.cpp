#include "transcode/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace symcached::transcode {
namespace {

enum class Spelling : std::uint8_t { here, windows };

struct Placeholder {
  std::string_view text;
  std::filesystem::path JobPlaces::* place;
  Spelling spelling;
};
constexpr std::array kPlaceholders = {
    Placeholder{"{pdb}", &JobPlaces::pdb, Spelling::here},
    Placeholder{"{pdb:windows}", &JobPlaces::pdb, Spelling::windows},
    Placeholder{"{out}", &JobPlaces::out, Spelling::here},
    Placeholder{"{out:windows}", &JobPlaces::out, Spelling::windows},
    Placeholder{"{job}", &JobPlaces::job, Spelling::here},
    Placeholder{"{job:windows}", &JobPlaces::job, Spelling::windows},
};

const Placeholder* placeholder_at(std::string_view text) {
  const auto found =
      std::ranges::find_if(kPlaceholders, [&](const Placeholder& p) { return text.starts_with(p.text); });
  return found == kPlaceholders.end() ? nullptr : &*found;
}

bool has_placeholder(std::string_view argument) {
  return std::ranges::any_of(kPlaceholders,
                             [&](const Placeholder& p) { return argument.find(p.text) != std::string_view::npos; });
}

std::string expanded(std::string_view argument, const JobPlaces& places) {
  std::string text;
  while (!argument.empty()) {
    const Placeholder* found = placeholder_at(argument);
    if (found == nullptr) {
      text += argument.front();
      argument.remove_prefix(1);
      continue;
    }
    const auto& place = places.*(found->place);
    text += found->spelling == Spelling::windows ? windows_spelling(place) : place.string();
    argument.remove_prefix(found->text.size());
  }
  return text;
}

}  // namespace

std::vector<std::string> with_places(const std::vector<std::string>& command, const JobPlaces& places) {
  std::vector<std::string> all;
  for (const std::string& argument : command) all.push_back(expanded(argument, places));
  if (std::ranges::none_of(command, has_placeholder)) {
    all.push_back("-pdb");
    all.push_back(places.pdb.string());
  }
  return all;
}

bool has_windows_paths(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](std::string_view argument) {
    return std::ranges::any_of(kPlaceholders, [&](const Placeholder& p) {
      return p.spelling == Spelling::windows && argument.find(p.text) != std::string_view::npos;
    });
  });
}

std::string check_command(const std::vector<std::string>& command) {
  if (command.empty() || command.front().empty()) return "no program; write a list: [PROGRAM, ARGUMENT]";
  for (const std::string_view argument : command)
    for (std::size_t at = argument.find('{'); at != std::string_view::npos; at = argument.find('{', at + 1))
      if (placeholder_at(argument.substr(at)) == nullptr)
        return fmt::format("\"{}\": use {{pdb}}, {{out}} or {{job}}, or {{pdb:windows}} and so on", argument);
  return {};
}

std::string windows_spelling(const std::filesystem::path& path) {
  std::string text = "Z:" + path.string();
  std::ranges::replace(text, '/', '\\');
  return text;
}

}  // namespace symcached::transcode
