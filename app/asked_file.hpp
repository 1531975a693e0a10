#pragma once
/// A file that addr2line or llvm-symbolizer is asked about: its module, and its symbols where those programs use them.
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/file_symbols.hpp"
#include "symbolize/open_module.hpp"
#include "symbolize/section_place.hpp"

namespace symcached::app {

struct AskedFileOptions {
  std::vector<std::string> debug_folders{symbolize::kDebugFolder};
  std::string split_package;  ///< of split DWARF; empty: where it is usually
  std::size_t questions = 0;  ///< how many addresses are asked for; 0: not known
  std::shared_ptr<symbolize::UserCache> cache = {};
};

class AskedFile {
 public:
  enum class Failure : std::uint8_t { not_found, folder, special, unreadable, unknown_format };
  struct Error {
    Failure failure{};
    std::string why;  ///< without the path
  };
  /// @param options  must outlive the file
  static std::expected<std::unique_ptr<AskedFile>, Error> open(const std::string& path,
                                                               const AskedFileOptions& options);

  /// @param address  as the file states it; of files that state none, such as symcaches, from the image's start
  void ask(std::uint64_t address, const symbolize::AnswerOptions& options, symbolize::Answer& out) const {
    opened_.module().ask(model::Rva{address - base_}, options, out);
  }
  /// The name that debug information has for an answer's function: without ".cold", which only the symbol table has.
  static std::string_view debug_name(std::string_view name, const symbolize::Answer& answer) {
    return answer.kind() == model::SymbolKind::cold_part ? name.substr(0, name.find('.')) : name;
  }
  /// Where the answer's function starts, as the file states it.
  std::uint64_t start_of(const symbolize::Answer& answer) const { return answer.start().value + base_; }
  std::uint64_t base() const { return base_; }

  /// In object files, where several sections start at 0: the address that ask() and symbols() have for an offset in the
  /// first section that is long enough, or in the named one. In other files the address itself.
  std::uint64_t placed(std::uint64_t offset) const;
  std::uint64_t placed(std::string_view section, std::uint64_t section_start, std::uint64_t offset) const;

  bool is_windows_image() const;
  /// Answers come from a PDB.
  bool has_pdb() const;
  /// Empty for what is no ELF file. Read when first asked for.
  symbolize::FileSymbols& symbols();
  /// Those of the separate debug file, where the file itself is stripped and has one.
  symbolize::FileSymbols& debug_symbols();

 private:
  AskedFile(std::string path, const AskedFileOptions& options, symbolize::OpenedModule opened);

  std::string path_;
  const AskedFileOptions& options_;
  symbolize::OpenedModule opened_;
  std::uint64_t base_ = 0;
  symbolize::Sections sections_;      // of object files
  symbolize::OriginalFile original_;  // viewed by symbols_
  std::optional<symbolize::FileSymbols> symbols_;
  symbolize::Companions companions_;  // viewed by debug_symbols_
  std::optional<symbolize::FileSymbols> debug_symbols_;
};

}  // namespace symcached::app
