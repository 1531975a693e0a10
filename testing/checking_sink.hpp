#pragma once
/// A sink for fuzz targets and torture: keeps nothing, counts, and aborts where the model's promises are broken.
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "model/module.hpp"

namespace symcached::testkit {

class CheckingSink : public model::ModuleSink {
 public:
  model::StringId intern(std::string_view text) override {
    text_bytes += text.size();
    if (text.empty()) return model::StringId::none;
    return static_cast<model::StringId>(1 + std::hash<std::string_view>()(text) % 0xFFFFFFFE);
  }
  void module(const model::Module& module) override { promise(!module.producer_kind.empty() && modules++ == 0); }
  void function(const model::Function& function) override {
    ++functions;
    rows += function.lines.size();
    inlinees += function.inlinees.size();
    promise(function.size != 0 && modules == 1);
    for (std::size_t i = 0; i < function.lines.size(); ++i) {
      const model::Line& line = function.lines[i];
      promise(line.offset <= function.size);
      promise(i == 0 || function.lines[i - 1].offset < line.offset);
      promise(line.inlinee == model::kNoInlinee || line.inlinee < function.inlinees.size());
    }
    for (std::size_t i = 0; i < function.inlinees.size(); ++i)
      promise(function.inlinees[i].caller == model::kNoInlinee || function.inlinees[i].caller < i);
  }
  std::uint64_t modules = 0, functions = 0, rows = 0, inlinees = 0, text_bytes = 0;

 private:
  static void promise(bool kept) {
    if (!kept) std::abort();
  }
};

}  // namespace symcached::testkit
