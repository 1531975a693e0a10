#include "service/key_status.hpp"

#include <fmt/format.h>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

Severity severity_of(const store::Negative& negative) {
  return std::visit(
      overloaded{[](const store::Absent&) { return Severity::debug; },
                 [](const store::NotWhole&) { return Severity::info; }, [](const auto&) { return Severity::warning; }},
      negative);
}

}  // namespace

std::string_view state_name(const store::Negative& negative) {
  using Name = std::string_view;
  return std::visit(overloaded{[](const store::Absent&) -> Name { return "absent"; },
                               [](const store::Malformed&) -> Name { return "unusable"; },
                               [](const store::Unsupported&) -> Name { return "not supported"; },
                               [](const store::NotWhole&) -> Name { return "incomplete"; },
                               [](const store::Crashed&) -> Name { return "not converted"; },
                               [](const store::TimedOut&) -> Name { return "timed out"; },
                               [](const store::Forbidden&) -> Name { return "forbidden"; },
                               [](const store::RateLimited&) -> Name { return "rate limited"; },
                               [](const store::Unavailable&) -> Name { return "unavailable"; }},
                    negative);
}

std::string_view why_of(const store::Negative& negative) {
  return std::visit(overloaded{[](const store::Absent&) { return std::string_view(); },
                               [](const store::Failing& failing) { return std::string_view(failing.why); }},
                    negative);
}

void tell(const Log& log, std::string_view key, const store::Negative& negative) {
  const std::string_view why = why_of(negative);
  log(severity_of(negative),
      fmt::format("{} {}: {}", state_name(negative), key, why.empty() ? "no source has it" : why));
}

}  // namespace symcached::service
