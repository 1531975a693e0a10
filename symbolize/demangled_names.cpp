#include "symbolize/demangled_names.hpp"

#include <utility>

namespace symcached::symbolize {

void DemangledNames::trim() {
  if (young_.bytes > kKept / 2) old_ = std::exchange(young_, {});
}

std::string_view DemangledNames::of(std::string_view name, demangle::Detail detail) {
  if (demangle::scheme_of(name) == demangle::Scheme::none) return name;
  const auto which = static_cast<std::size_t>(detail);
  Names& young = young_.names[which];
  if (const auto known = young.find(name); known != young.end()) return known->second;
  Names& old = old_.names[which];
  auto entry = young.end();
  if (const auto known = old.find(name); known != old.end()) entry = young.insert(old.extract(known)).position;
  else entry = young.emplace(name, demangle::demangle(name, detail)).first;
  young_.bytes += entry->first.size() + entry->second.size() + sizeof(*entry);
  return entry->second;
}

}  // namespace symcached::symbolize
