#pragma once
/// What a translator hands to the model, as lines of text that a test can compare.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/module.hpp"

namespace symcached::object {

/// `1000+20 run [?run@@YAXXZ] thunk of 2000 | 0 a.h:5 leaf < a.cpp:11 | 8 -`: start and size in hex, name, decorated
/// name, kind where it is not a plain function, parent, then each row: offset in hex, file:line:column, the inlined
/// functions from the innermost out with the place of each call. Sorted by start, best rank first.
class ModelText : public model::ModuleSink {
 public:
  model::StringId intern(std::string_view text) override {
    const auto [at, added] = ids_.try_emplace(std::string(text), strings_.size());
    if (added) strings_.push_back(at->first);
    return static_cast<model::StringId>(at->second);
  }
  model::StringId with_parameters(model::StringId name, model::StringId parameters) override {
    return intern(at(name) + at(parameters));
  }
  void module(const model::Module& module) override { module_ = module; }
  void function(const model::Function& function) override {
    functions_.push_back({{function.start.value, function.rank}, line_of(function)});
    languages_.push_back(function.language);
  }

  const model::Module& module() const { return module_; }
  const std::vector<model::Language>& languages() const { return languages_; }
  std::vector<std::string> text() {
    std::ranges::stable_sort(functions_, {}, [](const auto& f) { return f.first; });
    std::vector<std::string> lines;
    for (const auto& f : functions_) lines.push_back(f.second);
    return lines;
  }

 private:
  const std::string& at(model::StringId id) const { return strings_[static_cast<std::size_t>(id)]; }
  std::string place(model::StringId file, std::uint32_t line, std::uint32_t column) const {
    if (at(file).empty() && line == 0) return "-";
    return fmt::format("{}:{}", at(file), line) + (column != 0 ? fmt::format(":{}", column) : "");
  }
  std::string line_of(const model::Function& f) const {
    std::string out = fmt::format("{:x}+{:x} {}", f.start.value, f.size, at(f.name));
    if (f.linkage_name != model::StringId::none) out += fmt::format(" [{}]", at(f.linkage_name));
    if (f.kind != model::SymbolKind::function) out += fmt::format(" {}", model::name_of(f.kind));
    if (f.kind == model::SymbolKind::cold_part) out += fmt::format(" of {:x}", f.parent.value);
    for (const model::Line& row : f.lines) {
      out += fmt::format(" | {:x} {}", row.offset, place(row.file, row.line, row.column));
      for (std::uint32_t i = row.inlinee; i != model::kNoInlinee; i = f.inlinees[i].caller) {
        const model::Inlinee& call = f.inlinees[i];
        out += fmt::format(" {} < {}", at(call.name), place(call.call_file, call.call_line, call.call_column));
      }
    }
    return out;
  }

  model::Module module_;
  std::map<std::string, std::size_t> ids_{{"", 0}};
  std::vector<std::string> strings_{""};
  std::vector<std::pair<std::pair<std::uint64_t, std::uint32_t>, std::string>> functions_;
  std::vector<model::Language> languages_;
};

}  // namespace symcached::object
