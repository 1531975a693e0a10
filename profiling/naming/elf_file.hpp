#pragma once
/// ELF files of this process's own word size and byte order, read in bounds: headers, sections, notes.
/// Spec: System V gABI, chapters 4 and 5.
#include <link.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/naming/byte_source.hpp"
#include "profiling/unwinding/elf_notes.hpp"

namespace symcached::pprof {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0, link = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
};

/// Stated addresses are those of the file, before it is loaded anywhere.
class ElfFile {
 public:
  /// @return nothing for what is no ELF file of this kind
  /// Cost: reads the headers, and the notes for the build id.
  static std::optional<ElfFile> open(std::shared_ptr<const ByteSource> source);

  const std::vector<ElfW(Phdr)>& segments() const { return segments_; }
  /// Empty if they were stripped, or the source does not have them.
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ElfSection* section(std::string_view name) const;
  const ElfSection* section_of_type(std::uint32_t type) const;
  /// Lower-case hex; empty if there is none.
  const std::string& build_id() const { return build_id_; }

  std::optional<Buffer> read(std::uint64_t offset, std::uint64_t size) const { return source_->read(offset, size); }
  std::optional<Buffer> read(const ElfSection& section) const;

  /// Bytes from a stated address on, as far as the segment has them in the file; at most `limit`.
  std::optional<Buffer> read_from_address(std::uint64_t address, std::uint64_t limit) const;
  /// The segment with code at a stated address; null if there is none.
  const ElfW(Phdr) * code_segment(std::uint64_t address) const;
  /// The lowest stated address: where the image starts.
  std::uint64_t image_base() const;

 private:
  explicit ElfFile(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}
  void read_sections(const ElfW(Ehdr) & header);
  void read_build_id();

  std::shared_ptr<const ByteSource> source_;
  std::vector<ElfW(Phdr)> segments_;
  std::vector<ElfSection> sections_;
  std::string build_id_;
};

/// The stated address of code that lies at an offset of the file; nothing if no segment has code there.
std::optional<std::uint64_t> code_address(std::span<const ElfW(Phdr)> segments, std::uint64_t file_offset);

/// The text at an offset of a string table, up to its NUL byte; empty if there is none.
std::string_view elf_text(Bytes strings, std::uint64_t offset);

}  // namespace symcached::pprof
