#pragma once
/// One row for each kind of file: how it is told, described, unpacked and translated. A kind is added here.
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/module.hpp"
#include "object/common/file_info.hpp"
#include "object/common/original.hpp"
#include "object/packed/unpack.hpp"

namespace symcached::object {

struct KindRow {
  FileKind kind = FileKind::unknown;
  std::string_view name;                        ///< as commands and JSON show it: "portable_pdb"
  std::array<std::string_view, 4> magics = {};  ///< what such a file starts with: any of those that are not empty

  // Null: there is none of it for such files.
  bool (*looks_like)(Bytes file) = nullptr;  ///< where no magic tells; asked when no magic of any kind fits
  void (*describe)(FileInfo& info, Bytes file) = nullptr;
  UnpackedOrWhy (*unpack)(Bytes packed, std::uint64_t limit, Choose choose) = nullptr;  ///< of wrappers
  Read<void> (*translate)(const Original& original, model::ModuleSink& sink) = nullptr;
  std::vector<NeedFile> (*needed_files)(Bytes file, std::span<const Companion> companions) = nullptr;
  std::optional<std::uint64_t> (*image_base)(Bytes file) = nullptr;
};

/// All rows; that of a kind is at its number.
std::span<const KindRow> kind_rows();
/// Of a number that is no kind: the row of `unknown`.
const KindRow& row_of(FileKind kind);

}  // namespace symcached::object
