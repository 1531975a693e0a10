#pragma once
/// Names in a PDB that many records share, interned once each.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_map.hpp"
#include "formats/pdb/c13.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pdb/type_text.hpp"
#include "formats/pdb/types.hpp"
#include "model/module.hpp"

namespace symcached::object {

/// Function names as we show them: `?A0x1b2c3d4e` (an anonymous namespace, as MSVC numbers them) in words.
/// @return `name` itself, or the rewritten text held in `scratch`
std::string_view readable_name(std::string_view name, std::string& scratch);

class PdbStrings {
 public:
  /// @param file_bytes  size of the file, which bounds the names
  static Read<PdbStrings> open(const pdb::File& file, std::uint64_t file_bytes, model::ModuleSink& sink);

  model::StringId function(std::string_view name) { return sink_->intern(readable_name(name, scratch_)); }
  /// With the parameters that its type has.
  /// @param kind, type  of the procedure's record
  model::StringId function(std::string_view name, pdb::SymKind kind, pdb::TypeIndex type);
  /// A source file by its offset in the module's checksums; none where that is wrong.
  model::StringId source_file(const pdb::C13& module, std::uint32_t checksum_offset);
  /// @param id  as in the inline site: an IPI item, or a cross-scope id of `module`
  /// @return    an error where names repeat each other so much that they outgrow the file
  Read<model::StringId> inlinee(const pdb::C13& module, std::uint32_t id);

 private:
  model::StringId function_of_type(std::string_view name, pdb::TypeIndex type);
  model::StringId parameters_of(pdb::TypeIndex type);
  pdb::TypeIndex type_of_item(pdb::TypeIndex item);
  PdbStrings(const pdb::File& file, model::ModuleSink& sink, pdb::TypeTexts type_texts)
      : file_(&file), sink_(&sink), type_texts_(std::move(type_texts)) {}
  Read<std::uint32_t> resolve_cross_scope(const pdb::C13& module, std::uint32_t id);
  using Exports = std::unordered_map<std::uint32_t, std::uint32_t>;  ///< local id to IPI item
  Read<const Exports*> exports_of(std::uint32_t module_name);
  Read<const Exports*> exports_of_module(std::uint32_t index);

  const pdb::File* file_;
  model::ModuleSink* sink_;
  pdb::TypeTexts type_texts_;
  pdb::TypeStream items_;
  pdb::TypeScratch type_scratch_;
  NumberMap lists_;                        // by list of parameters: the text's id
  std::vector<std::uint32_t> parameters_;  // by type: the text's id, plus 1; 0: not asked for yet
  std::string scratch_, name_;
  std::unordered_map<std::uint32_t, model::StringId> files_;     // by offset in /names
  std::vector<model::StringId> inlinees_;                        // by IPI item
  std::unordered_map<std::string, std::uint32_t> modules_;       // by lower-case name; filled when first needed
  std::unordered_map<std::uint32_t, const Exports*> exporters_;  // by offset of the module's name in /names
  std::unordered_map<std::uint32_t, Exports> exports_;           // by module
  std::uint64_t name_bytes_left_ = 0;                            // of inlinees
};

}  // namespace symcached::object
