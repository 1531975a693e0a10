#include "formats/macho/debug_map.hpp"

namespace symcached::macho {
namespace {

/// The state between two stabs.
class Walk {
 public:
  void take(const Symbol& symbol) {
    switch (symbol.stab()) {
      case Stab::source: return take_source(symbol.name);
      case Stab::object: return take_object(symbol);
      case Stab::function: return take_function(symbol);
      default: return;  // included sources, variables, brackets: none tells of a function what the others do not
    }
  }
  DebugMap finish() && {
    close_function(0);
    return std::move(map_);
  }

 private:
  void take_source(std::string_view name) {
    close_function(0);
    in_object_ = false;
    if (name.empty()) folder_ = source_ = {};
    else if (name.ends_with('/')) folder_ = name;
    else source_ = name;
  }
  void take_object(const Symbol& symbol) {
    close_function(0);
    in_object_ = !symbol.name.empty();
    if (!in_object_) return;
    const auto first = static_cast<std::uint32_t>(map_.functions.size());
    map_.objects.push_back({symbol.name, symbol.value, folder_, source_, first, 0});
  }
  void take_function(const Symbol& symbol) {
    if (symbol.name.empty()) return close_function(symbol.value);
    close_function(0);
    open_ = {symbol.name, symbol.value, 0};
    is_open_ = true;
  }
  void close_function(std::uint64_t size) {
    if (!is_open_) return;
    is_open_ = false;
    if (!in_object_) return;
    open_.size = size;
    map_.functions.push_back(open_);
    ++map_.objects.back().function_count;
  }

  DebugMap map_;
  MappedFunction open_;
  std::string_view folder_, source_;
  bool is_open_ = false, in_object_ = false;
};

}  // namespace

DebugMap read_debug_map(const Symbols& symbols) {
  Walk walk;
  for (std::uint32_t i = 0; i < symbols.size(); ++i)
    if (const Symbol symbol = symbols.at(i); symbol.is_stab()) walk.take(symbol);
  return std::move(walk).finish();
}

}  // namespace symcached::macho
