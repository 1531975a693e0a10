#include "profiling/naming/symbol_naming.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/path_text.hpp"
#include "profiling/naming/jit_map.hpp"

namespace symcached::pprof {
namespace {

class SymbolNaming final : public Naming {
 public:
  explicit SymbolNaming(SymbolNamingOptions options)
      : modules_(std::move(options.modules)), cache_(std::move(options.cache)), jit_(std::move(options.jit_map)) {}

  std::vector<std::vector<NamedFrame>> name(std::span<const std::uintptr_t> addresses, NamingOptions) override {
    const Places places = places_of(addresses, modules_);
    const auto is_generated = [](const CodeMapping* m) {
      return m != nullptr && m->kind == CodeMapping::Kind::generated;
    };
    if (std::ranges::any_of(places.of, is_generated)) jit_.refresh();
    std::unordered_map<const CodeMapping*, std::shared_ptr<const ModuleSymbols>> symbols;
    std::vector<std::vector<NamedFrame>> out(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const CodeMapping* mapping = places.of[i];
      if (mapping == nullptr) continue;
      if (is_generated(mapping)) {
        out[i].push_back({.function = generated_name(*mapping, addresses[i])});
        continue;
      }
      auto& known = symbols[mapping];
      if (known == nullptr) known = cache_.get(*mapping);
      out[i].push_back({.function = known->name(*mapping, addresses[i])});
    }
    return out;
  }

  std::size_t symbol_count() override {
    const auto mappings = modules_.recent();
    for (const CodeMapping& mapping : *mappings) {
      if (const std::size_t count = cache_.symbol_count(); count != 0) return count;
      if (mapping.kind != CodeMapping::Kind::generated) cache_.get(mapping);
    }
    return cache_.symbol_count();
  }

 private:
  std::string generated_name(const CodeMapping& mapping, std::uintptr_t address) {
    std::string name = jit_.name(address);
    return name.empty() ? unknown_name(last_path_part(mapping.path)) : name;
  }

  ModuleLists modules_;
  SymbolCache cache_;
  JitMap jit_;
};

}  // namespace

Places places_of(std::span<const std::uintptr_t> addresses, const ModuleLists& modules) {
  Places out{modules.recent(), {}};
  const auto find_all = [&] {
    out.of.clear();
    out.of.reserve(addresses.size());
    for (const std::uintptr_t address : addresses) out.of.push_back(find_mapping(*out.list, address));
  };
  find_all();
  const auto may_be_stale = [](const CodeMapping* m) {
    return m == nullptr || m->kind == CodeMapping::Kind::generated;
  };
  if (std::ranges::any_of(out.of, may_be_stale)) {
    out.list = modules.refreshed();
    find_all();
  }
  return out;
}

std::unique_ptr<Naming> symbol_table_naming(SymbolNamingOptions options) {
  return std::make_unique<SymbolNaming>(std::move(options));
}

std::unique_ptr<Naming> symbol_table_naming() { return symbol_table_naming(SymbolNamingOptions{}); }

}  // namespace symcached::pprof
