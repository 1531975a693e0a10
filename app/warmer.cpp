#include "app/warmer.hpp"

#include <algorithm>
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

/// A failure says more than that nothing is there.
WarmOutcome Warmer::warm(const sources::ModuleIds& module) {
  std::optional<WarmOutcome> worst;
  for (const ModuleType type : types_of(module)) {
    WarmOutcome outcome = warm(module, type);
    if (outcome.kind == Kind::there || outcome.kind == Kind::made) return outcome;
    if (!worst || worst->kind == Kind::missing) worst = std::move(outcome);
  }
  return *worst;
}

}  // namespace symcached::app
