#include "auth/rules.hpp"

#include <algorithm>

#include "sources/filters.hpp"

namespace symcached::auth {

bool names(std::string_view pattern, const http::Principal& principal) {
  const bool anonymous = principal.scheme.empty();
  if (anonymous || pattern == kAnonymous) return anonymous && pattern == kAnonymous;
  if (pattern == "*" || pattern == principal.name) return true;
  if (!pattern.starts_with("*@") || principal.scheme != "kerberos") return false;
  const std::string_view realm = pattern.substr(1), name = principal.name;
  if (!name.ends_with(realm)) return false;
  const std::string_view user = name.substr(0, name.size() - realm.size());
  return !user.ends_with('\\');  // an '@' that is part of a longer realm is written with a backslash
}

bool Rules::allow(const http::Principal& principal, std::string_view pdb) const {
  const auto rule = std::ranges::find_if(
      rules_, [&](const Rule& r) { return names(r.principal, principal) && sources::matches_glob(r.pdb, pdb); });
  return rule == rules_.end() ? !principal.scheme.empty() : rule->allow;
}

bool Rules::allow_anonymous() const {
  return std::ranges::any_of(rules_, [](const Rule& r) { return r.principal == kAnonymous && r.allow; });
}

}  // namespace symcached::auth
