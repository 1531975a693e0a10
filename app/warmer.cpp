#include "app/warmer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "net/run_task.hpp"

namespace symcached::app {
namespace {

using service::ModuleType;
using Kind = WarmOutcome::Kind;

constexpr std::chrono::hours kHold{24 * 365};  ///< downloads and conversions have limits of their own

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_portable(const sources::ModuleIds& module) {
  return !module.checksums.empty() || (module.debug_id && module.debug_id->age == sources::kNoStamp);
}

WarmOutcome outcome_of(const service::Outcome& outcome, store::TimePoint started) {
  const auto failed = [](std::string why) { return WarmOutcome{Kind::failed, std::move(why)}; };
  return std::visit(
      overloaded{[&](const service::Ready& ready) {
                   const store::Head& head = ready.entry->head();
                   if (const std::string& why = ready.entry->not_kept(); !why.empty())
                     return failed("not kept: " + why);
                   const Kind kind = head.created < started ? Kind::there : Kind::made;
                   return WarmOutcome{kind, {}, head.quality};
                 },
                 [](const service::Absent&) { return WarmOutcome{Kind::missing, "not found in any source"}; },
                 [&](const service::Failed& f) { return failed(f.why); },
                 [&](const service::Pending&) { return failed("the work was not done in time"); },
                 [&](const service::Overloaded&) {
                   return failed("more modules at once than limits.max_held or max_queued allow");
                 },
                 [&](const service::Unable& u) { return failed(u.why); }},
      outcome);
}

/// What says the most of a module: that it was made, or is there, or what failed.
int weight(Kind kind) {
  constexpr std::array kWeights{Kind::missing, Kind::failed, Kind::there, Kind::made};
  return static_cast<int>(std::ranges::find(kWeights, kind) - kWeights.begin());
}

/// Of two kinds that a module may be.
WarmOutcome together(WarmOutcome one, WarmOutcome other) {
  const store::Quality best = std::max(one.quality, other.quality);
  WarmOutcome both = weight(other.kind) > weight(one.kind) ? std::move(other) : std::move(one);
  both.quality = best;
  return both;
}

}  // namespace

std::vector<ModuleType> types_of(const sources::ModuleIds& module) {
  const std::string code = lower_ascii(module.code_name()), debug = lower_ascii(module.debug_name());
  const auto is_named = [&](std::initializer_list<std::string_view> endings) {
    return ends_with_any(code, endings) || ends_with_any(debug, endings);
  };
  if (is_named({".wasm"})) return {ModuleType::wasm};
  if (is_portable(module)) return {ModuleType::pe_dotnet, ModuleType::pe};
  if (is_named({".pdb", ".dll", ".exe", ".sys"}) || module.image()) return {ModuleType::pe, ModuleType::pe_dotnet};
  if (is_named({".so", ".debug"}) || code.find(".so.") != code.npos) return {ModuleType::elf};
  if (is_named({".dylib"})) return {ModuleType::macho};
  if (module.uuid()) return {ModuleType::macho, ModuleType::elf};
  return {ModuleType::elf, ModuleType::macho, ModuleType::pe};
}

WarmOutcome Warmer::warm(const sources::ModuleIds& module, ModuleType type) {
  return outcome_of(run_task(service_.find({.type = type, .module = module}, kHold)), started_);
}

/// Files of two kinds may have the ids of one module, and each is a cache of its own.
WarmOutcome Warmer::warm(const sources::ModuleIds& module) {
  std::optional<WarmOutcome> all;
  for (const ModuleType type : types_of(module)) {
    WarmOutcome outcome = warm(module, type);
    all = all ? together(std::move(*all), std::move(outcome)) : std::move(outcome);
  }
  return *all;
}

}  // namespace symcached::app
