#pragma once
/// Opens a symcache and answers which frames cover an address. Spec: docs/formats/symcache.md.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "model/module.hpp"
#include "symcache/format.hpp"
#include "symcache/row_decoder.hpp"
#include "symcache/text_memo.hpp"

namespace symcached::symcache {

struct Frame {
  std::string_view function;
  std::string_view file;     ///< empty = unknown
  std::uint32_t line = 0;    ///< 1-based; 0 = unknown
  std::uint32_t column = 0;  ///< 1-based; 0 = unknown
  std::string_view
      parameters;  ///< "(int, char*) const", as the name says nothing of them; empty = unknown, not asked for
  /// Where the caller may leave what it made of the name, to find it when the name is met again. Null: not kept.
  DerivedText* derived = nullptr;

  /// The name with the parameters: they stand behind it in memory.
  std::string_view signature() const { return {function.data(), function.size() + parameters.size()}; }
};

enum class Parameters : bool { skip, read };

/// Bounds of one answer. A file whose names go beyond is hostile or broken; such an answer is a miss.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxFrames = 512;     ///< deeper calls lose their outermost callers, not the function
inline constexpr std::size_t kMaxEnclosing = 256;  ///< functions one inside the other that a lookup tries

/// A string that is stored as runs.
struct TextRuns {
  const std::byte* runs = nullptr;
  std::uint32_t count = 0;
};

struct StoredSubprogram {
  std::uint32_t own_file = 0;  ///< FileOperand, never kOwnFile
  std::uint32_t base_line = 0;
  TextRuns name = {}, parameters = {};
};

/// A frame of the answer being made.
struct FramePlace {
  TextKey key = {};        ///< of the subprogram
  std::uint32_t file = 0;  ///< FileOperand
  std::uint32_t line = 0;  ///< less the base line
  std::uint32_t column = 0;
  bool has_line = false;
  KnownText* known = nullptr;  ///< null: `subprogram` is read
  StoredSubprogram subprogram = {};
};

/// Memory for answers, used again and again. What it hands out lives until its next use.
class FrameBuffer {
 public:
  static constexpr std::size_t kKept = std::size_t{8} << 20;
  /// @param kept  bytes of texts that stay from one answer to the next
  explicit FrameBuffer(std::size_t kept = kKept) : memo(kept) {}

  void clear();
  /// Copies a text to where the names are that stay.
  std::string_view keep(std::string_view text);

  std::vector<Frame> frames;
  // The reader's:
  std::vector<FramePlace> places;
  TextMemo memo;
  TextMemory texts;  ///< that do not stay
};

/// The function that holds an address. Frames innermost first, the function's own frame last.
struct Found {
  model::Rva start;
  std::uint32_t size = 0;
  model::SymbolKind kind{};
  model::Language language{};
  std::uint32_t linkage_position = 0;  ///< for Symcache::linkage_name
  std::uint32_t index = 0;             ///< for Symcache::function
  std::span<const Frame> frames;       ///< 1 to kMaxFrames
};

struct Alias {
  std::string_view name, linkage_name;
};

/// One function with everything the file holds of it, for those who list or check a whole file.
struct FunctionInfo {
  model::Rva start;
  std::uint32_t size = 0;
  model::SymbolKind kind{};
  model::Language language{};
  std::string_view name, linkage_name;
  std::optional<model::Rva> parent;
  std::vector<Alias> aliases;
  std::uint32_t row_count = 0;
};

/// A section with code of a relocatable file.
struct SectionPlace {
  std::string_view name;
  model::Rva start;
  std::uint64_t size = 0;  ///< bytes
};

struct FunctionRecord;

/// Views into the bytes, which must outlive it and everything it hands out (but texts: those lie in the FrameBuffer).
class Symcache {
 public:
  /// Checks header, header checksum and section bounds. Cost: microseconds; the payload is checked where it is read.
  static Read<Symcache> open(Bytes file);

  /// Checks the payload's checksum, then every record, row, frame and name. Cost: reads the whole file.
  Read<void> verify() const;

  DebugId debug_id() const;
  model::Arch arch() const { return static_cast<model::Arch>(std::uint8_t{header_.arch}); }
  bool has_columns() const { return (header_.flags & kHasColumns) != 0; }
  std::string_view producer_kind() const { return producer_kind_; }
  std::string_view debug_file() const { return debug_file_; }
  /// Of a relocatable file: the places of its sections with code, in the file's order. Names live as the bytes do.
  /// Cost: reads them all. A list that is damaged ends before the damage.
  std::vector<SectionPlace> sections() const;
  std::uint32_t function_count() const { return header_.function_count; }
  std::uint64_t section_size(Section Header::* section) const { return (header_.*section).size; }

  /// Frames covering one code address.
  /// @param rva  bytes from the image base; not a file offset, not a run-time address
  /// @return     nothing if no function covers `rva` (a miss is not an error)
  /// Cost: two short searches and at most kLongestRun + 1 rows decoded; texts that `out` has from earlier answers are
  /// not read again. No allocation once `out` has grown.
  std::optional<Found> lookup(model::Rva rva, FrameBuffer& out, Parameters parameters = Parameters::skip) const;

  /// The decorated name of the function found; empty if unknown or equal to the name. Lives as the frames do, which
  /// stay. Read only when asked for: it is cut small to share more, and few want it.
  std::string_view linkage_name(const Found& found, FrameBuffer& out) const;

  /// Function number `index` of function_count(), by rising address.
  Read<FunctionInfo> function(std::uint32_t index, FrameBuffer& out) const;

 private:
  friend class Verifier;
  Read<void> set_sections(Bytes file);
  template <class Address>
  std::uint32_t last_start_at_or_before(std::uint64_t relative) const;
  std::uint64_t start_of(std::uint32_t index) const;
  bool read_record(std::uint32_t index, FunctionRecord& out) const;
  bool find_row(const FunctionRecord& record, std::uint64_t offset, RowState& out) const;
  bool append_frames(const FunctionRecord& record, const RowState* row, Parameters parameters, FrameBuffer& out) const;
  bool read_text(Bytes section, std::uint32_t position, FrameBuffer& out, std::string_view& text) const;
  bool list_frames(const FunctionRecord& record, const RowState* row, Parameters parameters, FrameBuffer& out) const;
  bool read_subprogram(std::uint32_t position, Parameters parameters, StoredSubprogram& out) const;
  KnownText* remember(const FramePlace& place, FrameBuffer& out, KnownText& spare) const;
  bool path_of(std::uint32_t operand, FrameBuffer& out, std::string_view& path) const;
  bool find_runs(UlebCursor& in, TextRuns& out) const;
  template <class Run>
  bool copy_runs(const TextRuns& runs, char* to, std::size_t& size) const;
  bool copy_runs(const TextRuns& runs, char* to, std::size_t& size) const;
  bool copy_texts(const TextRuns& first, const TextRuns& second, TextMemory& memory, KnownText& made) const;

  std::uint64_t number_ = 0;  ///< of all that this process opened, for TextKey
  Header header_{};
  Bytes payload_, samples_, starts_, functions_, subprograms_, names_;
  std::span<const u32le> records_, files_;
  Bytes text_;  ///< with the padding
  Bytes sections_;
  std::string_view producer_kind_, debug_file_;
};

/// True if the bytes start as a symcache does.
bool is_symcache(Bytes file);

}  // namespace symcached::symcache
