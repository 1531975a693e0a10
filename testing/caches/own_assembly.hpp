#pragma once
/// Assemblies that own what they hold, for tests of the ppdbcache: made at random, written, and asked the plain way.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/managed_module.hpp"
#include "ppdbcache/reader.hpp"
#include "ppdbcache/writer.hpp"
#include "testing/number_sources.hpp"

namespace symcached::testkit {

struct OwnMethod {
  std::uint32_t row = 1;
  std::string name;
  std::uint32_t kickoff = 0;
  std::vector<model::ManagedPoint> points;
};

struct OwnAssembly {
  DebugId debug_id;
  std::vector<std::pair<std::string, model::Language>> documents;
  std::vector<OwnMethod> methods;  ///< by rising row
};

struct OwnPlace {
  std::string document;
  std::uint32_t line = 0, column = 0;
  model::Language language = model::Language::unknown;
  std::string method;
  bool operator==(const OwnPlace&) const = default;
};

inline Read<std::vector<std::byte>> try_to_write(const OwnAssembly& assembly) {
  ppdbcache::Writer writer;
  writer.module({assembly.debug_id});
  for (const auto& [path, language] : assembly.documents) writer.document({path, language});
  for (const OwnMethod& m : assembly.methods) writer.method({m.row, m.name, m.kickoff, m.points});
  return std::move(writer).finish();
}

/// Empty if the assembly breaks a rule.
inline std::vector<std::byte> write(const OwnAssembly& assembly) {
  auto file = try_to_write(assembly);
  return file ? *std::move(file) : std::vector<std::byte>();
}

inline const OwnMethod* method_at(const OwnAssembly& assembly, std::uint32_t row) {
  for (const OwnMethod& m : assembly.methods)
    if (m.row == row) return &m;
  return nullptr;
}

inline std::optional<OwnPlace> place_at(const OwnAssembly& assembly, std::uint32_t row, std::uint32_t il_offset) {
  const OwnMethod* const method = method_at(assembly, row);
  const model::ManagedPoint* last = nullptr;
  if (method == nullptr) return std::nullopt;
  for (const model::ManagedPoint& p : method->points)
    if (p.il_offset <= il_offset) last = &p;
  if (last == nullptr) return std::nullopt;
  const OwnMethod* const kickoff = method->kickoff != 0 ? method_at(assembly, method->kickoff) : nullptr;
  const auto& [path, language] = assembly.documents[last->document];
  return OwnPlace{path, last->line, last->column, language,
                  kickoff != nullptr && !kickoff->name.empty() ? kickoff->name : method->name};
}

inline std::optional<OwnPlace> owned(const std::optional<ppdbcache::Place>& place) {
  if (!place) return std::nullopt;
  return OwnPlace{std::string(place->document), place->line, place->column, place->language, place->method.text()};
}

/// The lowest row that names `row` as its kick-off method; 0 = none.
inline std::uint32_t move_next_of(const OwnAssembly& assembly, std::uint32_t row) {
  for (const OwnMethod& m : assembly.methods)
    if (m.kickoff == row) return m.row;
  return 0;
}

/// Makes assemblies from any source of numbers with `below(bound)`: random ones in tests, a fuzzer's bytes.
template <class Source>
class AssemblyMaker {
 public:
  explicit AssemblyMaker(Source& source) : source_(source) {}

  OwnAssembly assembly(std::uint32_t method_count) {
    OwnAssembly all;
    all.debug_id.age = below(100);
    for (std::uint32_t n = 1 + below(below(8) == 0 ? 300 : 5), i = 0; i < n; ++i) {
      const std::string path = "/src/" + std::to_string(i) + std::string(below(9), 'x') + ".cs";
      all.documents.emplace_back(path, static_cast<model::Language>(below(15)));
    }
    const bool named = below(2) == 0;
    std::uint32_t document = 0, row = 0;
    for (std::uint32_t i = 0; i < method_count; ++i) {
      row += below(12) == 0 ? 1 + below(300) : 1;
      if (below(8) == 0) document = below(static_cast<std::uint32_t>(all.documents.size()));
      OwnMethod m{.row = row};
      if (named && below(10) != 0) m.name = name();
      if (below(6) == 0) m.kickoff = 1 + below(row + 100);
      if (below(4) != 0) add_points(m, document, static_cast<std::uint32_t>(all.documents.size()));
      all.methods.push_back(std::move(m));
    }
    return all;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return source_.below(bound); }

  std::string name() {
    static constexpr const char* kScopes[] = {"", "N.C.", "N.C.", "N.Other`1.Inner."};
    static constexpr const char* kNames[] = {".ctor", "Run", "Map[T]", "<Load>d__3.MoveNext",
                                             "System.IDisposable.Dispose"};
    std::string text = kScopes[below(4)];  // statement by statement: operands of + come in any order
    text += kNames[below(5)];
    if (below(3) == 0) text += std::to_string(below(500));
    return text;
  }

  void add_points(OwnMethod& m, std::uint32_t document, std::uint32_t documents) {
    const std::uint32_t count = 1 + below(below(10) == 0 ? 200 : 8);
    const bool wild = below(8) == 0;
    model::ManagedPoint p{.document = document, .line = 10 + below(5000), .column = 1 + below(40)};
    if (below(5) == 0) p.il_offset = below(wild ? 100000 : 40);
    for (std::uint32_t i = 0; i < count; ++i) {
      m.points.push_back(p);
      const std::uint32_t step = 1 + below(below(6) == 0 ? 300 : 30);
      p.il_offset += wild && below(9) == 0 ? step * 100000 : step;
      p.line += below(6) == 0 ? below(80) - 40 : below(7) - 2;
      p.column = below(below(6) == 0 ? 600 : 90);
      if (!wild) continue;
      if (below(4) == 0) p.document = below(documents);
      if (below(4) == 0) p.line = 0xFFFFFFFF - below(0xFFFFFFFF);
      if (below(4) == 0) p.column = 0xFFFFFFFF - below(0xFFFFFFFF);
    }
  }

  Source& source_;
};

}  // namespace symcached::testkit
