#pragma once
/// The kinds of files that sources have, in the words of Symbolicator's configuration.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace symcached::sources {

enum class FileType : std::uint8_t {
  pe,
  pdb,           ///< of native code
  portable_pdb,  ///< of .NET
  elf_code,
  elf_debug,
  mach_code,
  mach_debug,  ///< the Mach-O file inside of a dSYM
  wasm_code,
  wasm_debug,
  breakpad,
  source_bundle,
  uuid_map,      ///< PropertyList: from the UUID of a bitcode build to the original one
  bcsymbol_map,  ///< names that a bitcode build hid
};

struct FileTypeRow {
  FileType type;
  std::string_view name;  ///< as configurations have it
};
inline constexpr auto kFileTypes = std::to_array<FileTypeRow>({
    {FileType::pe, "pe"},
    {FileType::pdb, "pdb"},
    {FileType::portable_pdb, "portablepdb"},
    {FileType::elf_code, "elf_code"},
    {FileType::elf_debug, "elf_debug"},
    {FileType::mach_code, "mach_code"},
    {FileType::mach_debug, "mach_debug"},
    {FileType::wasm_code, "wasm_code"},
    {FileType::wasm_debug, "wasm_debug"},
    {FileType::breakpad, "breakpad"},
    {FileType::source_bundle, "sourcebundle"},
    {FileType::uuid_map, "uuidmap"},
    {FileType::bcsymbol_map, "bcsymbolmap"},
});

std::string_view name_of(FileType type);
std::optional<FileType> parse_file_type(std::string_view name);

}  // namespace symcached::sources
