#include "object/translate.hpp"

#include "object/from_breakpad.hpp"
#include "object/from_coff.hpp"
#include "object/from_elf.hpp"
#include "object/from_macho.hpp"
#include "object/from_pdb.hpp"
#include "object/from_pe.hpp"
#include "object/from_perf_map.hpp"
#include "object/from_wasm.hpp"
#include "object/identify.hpp"
#include "object/managed_files.hpp"

namespace symcached::object {

std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions) {
  switch (identify(file)) {
    case FileKind::elf: return needed_files_elf(file, companions);
    case FileKind::portable_pdb: return needed_files_managed(file, companions);
    case FileKind::pe:
      return is_managed(file) ? needed_files_managed(file, companions) : needed_files_pe(file, companions);
    case FileKind::coff: return needed_files_coff(file, companions);
    case FileKind::macho:
    case FileKind::macho_fat: return needed_files_macho(file, companions);
    case FileKind::wasm: return needed_files_wasm(file, companions);
    default: return {};
  }
}

std::optional<std::uint64_t> stated_image_base(Bytes file) {
  switch (identify(file)) {
    case FileKind::elf: return image_base_elf(file);
    case FileKind::macho:
    case FileKind::macho_fat: return image_base_macho(file);
    case FileKind::wasm: return image_base_wasm(file);
    case FileKind::pe: return image_base_pe(file);
    case FileKind::coff: return 0;  // its sections state none
    default: return std::nullopt;
  }
}

namespace {

using Translator = Read<void> (*)(const Original&, model::ModuleSink&);

Read<void> from_pdb(const Original& original, model::ModuleSink& sink) {
  return translate_pdb(original.file, sink, original.release);
}

/// Null: files of this kind hold nothing to make a symcache of, or it cannot be read here.
Translator translator_of(FileKind kind) {
  switch (kind) {
    case FileKind::pdb: return from_pdb;
    case FileKind::elf: return translate_elf;
    case FileKind::breakpad: return translate_breakpad;
    case FileKind::perf_map: return translate_perf_map;
    case FileKind::pe: return translate_pe;
    case FileKind::coff: return translate_coff;
    case FileKind::macho:
    case FileKind::macho_fat: return translate_macho;
    case FileKind::wasm: return translate_wasm;
    default: return nullptr;
  }
}

}  // namespace

bool can_translate(FileKind kind) { return translator_of(kind) != nullptr; }

Read<void> translate(const Original& original, model::ModuleSink& sink) {
  const FileKind kind = identify(original.file);
  const Translator translator = translator_of(kind);
  if (translator == nullptr) return bad_value("file.kind", 0, static_cast<std::uint64_t>(kind));
  return translator(original, sink);
}

}  // namespace symcached::object
