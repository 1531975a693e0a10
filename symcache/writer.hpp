#pragma once
/// Collects a module's functions and writes them as a symcache.
#include <cstddef>
#include <string>
#include <vector>

#include "model/module.hpp"
#include "symcache/format.hpp"
#include "symcache/function_store.hpp"
#include "symcache/interner.hpp"

namespace symcached::symcache {

/// Same functions in any order: same bytes. Memory until finish(): about 10 bytes per row and inlined call, and each
/// text once; during finish() the file too.
class Writer final : public model::ModuleSink {
 public:
  explicit Writer(Columns columns = Columns::keep) : columns_(columns), store_(columns) {}

  model::StringId intern(std::string_view text) override {
    return model::StringId{texts_.intern(text.substr(0, kMaxTextSize))};
  }
  model::StringId with_parameters(model::StringId name, model::StringId parameters) override {
    return model::StringId{
        texts_.with_parameters(static_cast<std::uint32_t>(name), static_cast<std::uint32_t>(parameters))};
  }
  void module(const model::Module& module) override { module_ = module; }
  void function(const model::Function& function) override { store_.add(function); }
  std::unique_ptr<model::ModuleSink> fork() override { return std::make_unique<Writer>(columns_); }
  /// @param part  a Writer of fork()
  void join(std::unique_ptr<model::ModuleSink> part) override;

  /// @param threads  to work with; the bytes are the same for any number
  std::vector<std::byte> finish(unsigned threads = 1) &&;

 private:
  Columns columns_;
  model::Module module_;
  Interner texts_;
  FunctionStore store_;
};

}  // namespace symcached::symcache
