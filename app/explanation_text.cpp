#include "app/explanation_text.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/utf8.hpp"

namespace symcached::app {
namespace {

namespace json = boost::json;
using stacks::CandidateInfo;

constexpr std::size_t kMostPlaces = 20;  ///< of one module, in text

json::object place_json(const CandidateInfo& place) {
  json::object object{{"source", valid_utf8(place.source)},
                      {"location", valid_utf8(place.location)},
                      {"status", name_of(place.download)}};
  if (!place.heard().empty()) object["details"] = valid_utf8(place.heard());
  return object;
}

json::object explanation_json(const stacks::ModuleExplanation& explanation) {
  json::object object;
  if (!explanation.module.empty()) object["module"] = valid_utf8(explanation.module);
  if (explanation.frames != 0) object["places"] = explanation.frames;
  object["reason"] = valid_utf8(explanation.advice.reason);
  object["fix"] = valid_utf8(explanation.advice.fix);
  json::array asked;
  for (const CandidateInfo& place : explanation.asked) asked.push_back(place_json(place));
  if (!asked.empty()) object["asked"] = std::move(asked);
  return object;
}

}  // namespace

std::vector<std::string> lines_of(const stacks::ModuleExplanation& explanation) {
  const std::string& module = explanation.module;
  const std::string places = explanation.frames == 0 ? "" : fmt::format(" ({} places)", explanation.frames);
  std::vector<std::string> lines{
      fmt::format("{}{}: {}", module.empty() ? "no module" : module, places, explanation.advice.reason)};
  for (const CandidateInfo& place : explanation.asked) {
    if (lines.size() > kMostPlaces) {
      lines.push_back(fmt::format("  and {} more places", explanation.asked.size() + 1 - lines.size()));
      break;
    }
    lines.push_back(fmt::format("  {}: {}{}{}", place.location, text_of(place.download),
                                place.heard().empty() ? "" : ": ", place.heard()));
  }
  lines.push_back("  fix: " + explanation.advice.fix);
  return lines;
}

std::string json_of(std::span<const stacks::ModuleExplanation> explanations) {
  json::array all;
  for (const stacks::ModuleExplanation& one : explanations) all.push_back(explanation_json(one));
  return json::serialize(json::object{{"explanations", std::move(all)}});
}

}  // namespace symcached::app
