#pragma once
/// Touches everything that formats/pdb offers of a file, so that a sanitizer sees every byte it would hand out.
#include <cstdint>
#include <string>
#include <vector>

#include "formats/pdb/c13.hpp"
#include "formats/pdb/inline_site.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pdb/source_server.hpp"
#include "formats/pdb/symbols.hpp"
#include "formats/pdb/type_text.hpp"
#include "formats/pdb/types.hpp"

namespace symcached::testkit {

/// Adds up what it sees; the sum only keeps the compiler from leaving the reads out.
class PdbWalk {
 public:
  explicit PdbWalk(const pdb::File& file) : file_(file) {
    total_ += file.debug_id().age + file.info_age() + file.machine();
    for (const pdb::Contribution& c : file.contributions())
      total_ += c.size + (file.contribution_at(c.start) != nullptr) + file.rva_of(c.start).value_or(0);
    for (const pdb::OmapEntry& e : file.omap_from_source()) total_ += e.target;
    for (const pdb::SectionHeader& s : file.sections()) total_ += s.is_code();
    for (const pdb::NamedStream& named : file.named_streams()) walk(named);
    for (const pdb::ModuleInfo& module : file.modules()) walk(module);
    if (auto data = file.msf().stream(file.symbol_records(), scratch_, "walk.symbols")) symbols(*data);
    types();
  }
  std::uint64_t total() const { return total_; }

 private:
  void walk(const pdb::NamedStream& named) {
    total_ += named.name.size();
    const auto data = file_.msf().stream(named.stream, scratch_, "walk.named");
    if (!data) return;
    auto server = pdb::SourceServer::parse(as_text(*data));
    if (!server) return;
    for (const pdb::SourceServer::File& source : server->files()) total_ += server->url_of(source).has_value();
  }
  void walk(const pdb::ModuleInfo& module) {
    for (const char c : module.name) total_ += static_cast<unsigned char>(c);
    for (const char c : module.object_file) total_ += static_cast<unsigned char>(c);
    const auto data = file_.msf().stream(module.stream, scratch_, "walk.module");
    if (!data) return;
    if (const auto records = slice(*data, 4, std::uint64_t{module.symbol_bytes} - 4, "walk.symbols")) symbols(*records);
    const auto bytes =
        slice(*data, std::uint64_t{module.symbol_bytes} + module.c11_bytes, module.c13_bytes, "walk.c13");
    if (!bytes || !c13_.read(*bytes)) return;
    for (const pdb::LineTable& table : c13_.lines) {
      rows_.clear();
      if (!pdb::read_rows(table, rows_)) continue;
      for (const pdb::LineRow& row : rows_)
        total_ += row.line + file_.name_at(c13_.file_name(row.file).value_or(0)).size();
    }
    for (const pdb::InlineeLine& l : c13_.inlinees) total_ += c13_.inlinee(l.inlinee)->line;
    for (const pdb::CrossScopeImport& i : c13_.imports) total_ += i.ids.size() + file_.name_at(i.module).size();
    for (const pdb::CrossScopeExport& e : c13_.exports) total_ += e.item;
  }
  void symbols(Bytes data) {
    pdb::SymbolReader reader(data, 0);
    for (auto record = reader.next(); record && *record; record = reader.next()) {
      const pdb::SymRecord& symbol = **record;
      if (pdb::is_procedure(symbol.kind))
        if (const auto proc = pdb::read_named<pdb::ProcSym>(symbol, "walk.procedure")) total_ += proc->name.size();
      if (symbol.kind == pdb::SymKind::pub32)
        if (const auto found = pdb::read_named<pdb::PublicSym>(symbol, "walk.public")) total_ += found->name.size();
      if (symbol.kind != pdb::SymKind::inline_site || symbol.data.size() < sizeof(pdb::InlineSiteSym)) continue;
      ranges_.clear();
      if (pdb::read_inline_ranges(symbol.data.subspan(sizeof(pdb::InlineSiteSym)), 0x10000, ranges_))
        for (const pdb::InlineRange& r : ranges_) total_ += r.end - r.start;
    }
  }
  void types() {
    constexpr std::uint32_t kFew = 2000;  // each costs a walk from the nearest sample
    auto types = pdb::TypeStream::open(file_.msf(), 2);
    auto items = pdb::TypeStream::open(file_.msf(), 4);
    if (!types || !items) return;
    pdb::TypeScratch scratch;
    std::string name;
    for (std::uint32_t i = 0; i < items->count() && i < kFew; ++i) {
      name.clear();
      if (pdb::append_inlinee_name(*items, *types, items->first() + i, scratch, name)) total_ += name.size();
    }
    pdb::TypeTexts texts(*std::move(types), 1u << 20);
    for (std::uint32_t i = 0; i < texts.types().count() && i < kFew; ++i)
      if (const auto list = texts.list_of(texts.types().first() + i)) total_ += texts.parameters(*list).size();
  }

  const pdb::File& file_;
  std::uint64_t total_ = 0;
  std::vector<std::byte> scratch_;
  pdb::C13 c13_;
  std::vector<pdb::LineRow> rows_;
  std::vector<pdb::InlineRange> ranges_;
};

}  // namespace symcached::testkit
