#pragma once
/// A sink in front of another that gives names and files back what a bitcode build hid.
#include "formats/macho/bcsymbolmap.hpp"
#include "object/common/wrapping_sink.hpp"

namespace symcached::object {

class RevealingSink : public WrappingSink {
 public:
  RevealingSink(model::ModuleSink& inner, const macho::SymbolMap& map) : WrappingSink(inner), map_(map) {}
  RevealingSink(std::unique_ptr<model::ModuleSink> inner, const macho::SymbolMap& map)
      : WrappingSink(std::move(inner)), map_(map) {}

  model::StringId intern(std::string_view text) override {
    return WrappingSink::intern(macho::is_hidden(text) ? std::string_view(map_.revealed(text)) : text);
  }

 protected:
  std::unique_ptr<WrappingSink> wrap(std::unique_ptr<model::ModuleSink> inner) override {
    return std::make_unique<RevealingSink>(std::move(inner), map_);
  }

 private:
  const macho::SymbolMap& map_;
};

}  // namespace symcached::object
