#pragma once
/// Breakpad's text symbols, record by record. Spec: docs/symbol_files.md of Breakpad; docs/formats/breakpad.md.
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::breakpad {

inline constexpr std::uint32_t kNoFile = 0xFFFFFFFF;

/// The first line. Texts here and below are views into the input.
struct ModuleRecord {
  std::string_view os;    ///< "Linux", "mac", "windows"
  std::string_view arch;  ///< "x86_64"
  std::string_view id;    ///< 32 hex digits of a GUID and the age in hex, most often
  std::string_view name;  ///< of the executable or debug file, no directories
};
struct InfoRecord {
  std::string_view key;  ///< "CODE_ID", "GENERATOR", "URL"
  std::string_view value;
};
/// FILE and INLINE_ORIGIN: a name that others call by its number.
struct NameRecord {
  std::uint32_t number = 0;
  std::string_view name;
};
/// Addresses count from the image base everywhere.
struct FuncRecord {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t parameter_size = 0;  ///< bytes on the stack; 0 where old files leave it out
  bool multiple = false;             ///< several functions share these bytes, one of them is named
  std::string_view name;
};
struct PublicRecord {
  std::uint64_t address = 0;
  std::uint64_t parameter_size = 0;
  bool multiple = false;
  std::string_view name;
};
struct LineRecord {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t line = 0;
  std::uint32_t file = kNoFile;  ///< number of a FILE record
};
struct InlineRecord {
  std::uint32_t depth = 0;  ///< 0: called from the function itself; else from the call one less deep at the same bytes
  std::uint32_t call_line = 0;
  std::uint32_t call_file = kNoFile;
  std::uint32_t origin = 0;  ///< number of an INLINE_ORIGIN record
  std::string_view ranges;   ///< pairs of address and size, for RangeReader
};
/// STACK WIN and STACK CFI: only what code they are about.
struct StackRecord {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0 for the rules inside a STACK CFI INIT
};

struct Range {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

/// What the line just read is; `end` comes once, behind the last line.
enum class RecordKind : std::uint8_t {
  end,
  module,
  info,
  file,
  func,
  line,
  inline_origin,
  inline_call,
  public_symbol,
  stack,
  other  ///< a record this reader does not know: newer than it
};

/// Cursor over the lines. Blank lines are stepped over; lines end in LF or CR LF; blanks before the end are no part of
/// a name; several blanks separate fields as one does.
/// Cost: one pass, no allocation.
class Reader {
 public:
  explicit Reader(Bytes text) : text_(as_text(text)) {}

  /// @return the kind of the next record, which the accessor of that kind then gives; an error if it is a record of a
  ///         known kind that lacks a field or has none that can be read
  Read<RecordKind> next();
  std::uint64_t offset() const { return offset_; }  ///< of the line that was read last

  const ModuleRecord& module() const { return module_; }
  const InfoRecord& info() const { return info_; }
  const NameRecord& name() const { return name_; }  ///< file, inline_origin
  const FuncRecord& func() const { return func_; }
  const PublicRecord& public_symbol() const { return public_; }
  const LineRecord& line() const { return line_; }
  const InlineRecord& inline_call() const { return inline_; }
  const StackRecord& stack() const { return stack_; }

 private:
  Read<RecordKind> keyword(std::string_view line);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
  ModuleRecord module_;
  InfoRecord info_;
  NameRecord name_;
  FuncRecord func_;
  PublicRecord public_;
  LineRecord line_;
  InlineRecord inline_;
  StackRecord stack_;
};

/// The ranges of an INLINE record, one after the other.
class RangeReader {
 public:
  /// @param offset  of the line in the file, for errors
  RangeReader(std::string_view text, std::uint64_t offset) : text_(text), offset_(offset) {}
  /// @return nothing behind the last one
  Read<std::optional<Range>> next();

 private:
  std::string_view text_;
  std::uint64_t offset_;
};

/// The MODULE record, which must be the first line.
Read<ModuleRecord> read_module(Bytes text);

}  // namespace symcached::breakpad
