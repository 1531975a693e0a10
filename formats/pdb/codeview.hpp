#pragma once
/// Record layouts and constants of CodeView as MSVC, clang and lld write them into PDBs.
/// Spec: docs/formats/pdb.md. All integers little-endian, no alignment.
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/endian.hpp"

namespace symcached::pdb {

/// Index of a type (TPI) or an item (IPI); the first record has 0x1000.
using TypeIndex = std::uint32_t;

enum class SymKind : std::uint16_t {
  end = 0x0006,
  frame_proc = 0x1012,
  obj_name = 0x1101,
  thunk32 = 0x1102,
  block32 = 0x1103,
  with32 = 0x1104,
  label32 = 0x1105,
  pub32 = 0x110e,
  lproc32 = 0x110f,
  gproc32 = 0x1110,
  compile2 = 0x1116,
  gmanproc = 0x112a,
  lmanproc = 0x112b,
  trampoline = 0x112c,
  sep_code = 0x1132,
  compile3 = 0x113c,
  lproc32_id = 0x1146,
  gproc32_id = 0x1147,
  inline_site = 0x114d,
  inline_site_end = 0x114e,
  proc_id_end = 0x114f,
  lproc32_dpc = 0x1155,
  lproc32_dpc_id = 0x1156,
  inline_site2 = 0x115d,
};

/// The head of every symbol and type record. `length` counts what follows itself.
struct RecordHead {
  u16le length;
  u16le kind;
};
static_assert(sizeof(RecordHead) == 4);

struct ProcSym {            ///< S_GPROC32 and kin; the name follows
  u32le parent, end, next;  ///< offsets in the module's symbol stream
  u32le code_size;
  u32le debug_start, debug_end;
  u32le type;  ///< TPI type, or IPI item in the _ID forms
  u32le offset;
  u16le segment;  ///< 1-based section; 0 = the linker discarded the function
  u8le flags;
};
static_assert(sizeof(ProcSym) == 35 && offsetof(ProcSym, offset) == 28);

struct ThunkSym {  ///< S_THUNK32; name and variant follow
  u32le parent, end, next;
  u32le offset;
  u16le segment;
  u16le length;
  u8le ordinal;
};
static_assert(sizeof(ThunkSym) == 21);

struct SepCodeSym {  ///< S_SEPCODE: code of a function placed away from it
  u32le parent, end;
  u32le length;
  u32le flags;
  u32le offset;
  u32le parent_offset;
  u16le segment;
  u16le parent_segment;
};
static_assert(sizeof(SepCodeSym) == 28);

struct LabelSym {  ///< S_LABEL32; the name follows
  u32le offset;
  u16le segment;
  u8le flags;
};
static_assert(sizeof(LabelSym) == 7);

struct TrampolineSym {  ///< S_TRAMPOLINE: an incremental-link jump
  u16le type;
  u16le size;
  u32le thunk_offset, target_offset;
  u16le thunk_segment, target_segment;
};
static_assert(sizeof(TrampolineSym) == 16);

struct InlineSiteSym {  ///< S_INLINESITE; S_INLINESITE2 has a u32 count next; the annotations follow
  u32le parent, end;
  u32le inlinee;  ///< IPI item, or a cross-scope id (bit 31)
};
static_assert(sizeof(InlineSiteSym) == 12);

struct CompileSym {  ///< the start of S_COMPILE2 and S_COMPILE3
  u32le flags;       ///< bits 0-7: language; bit 10: LTCG
  u16le machine;
};
static_assert(sizeof(CompileSym) == 6);

struct PublicSym {  ///< S_PUB32; the name follows
  u32le flags;      ///< bit 0: code, bit 1: function
  u32le offset;
  u16le segment;
};
static_assert(sizeof(PublicSym) == 10);

enum class SubsectionKind : std::uint32_t {
  lines = 0xf2,
  file_checksums = 0xf4,
  inlinee_lines = 0xf6,
  cross_scope_imports = 0xf7,
  cross_scope_exports = 0xf8,
};

struct SubsectionHead {
  u32le kind;  ///< bit 31: to be ignored
  u32le length;
};
static_assert(sizeof(SubsectionHead) == 8);

struct LinesHead {
  u32le offset;
  u16le segment;
  u16le flags;  ///< bit 0: columns follow the lines of each block
  u32le code_size;
};
static_assert(sizeof(LinesHead) == 12);

struct LinesBlockHead {
  u32le file;  ///< offset in the module's file checksums
  u32le line_count;
  u32le block_size;  ///< bytes, with this head
};
static_assert(sizeof(LinesBlockHead) == 12);

struct LineEntry {
  u32le offset;  ///< from LinesHead::offset
  u32le packed;  ///< bits 0-23: first line; 24-30: lines to the last; 31: statement
  std::uint32_t line() const { return packed & 0xFFFFFF; }
};
static_assert(sizeof(LineEntry) == 8);

struct ColumnEntry {
  u16le start, end;
};
static_assert(sizeof(ColumnEntry) == 4);

struct InlineeLine {
  u32le inlinee;  ///< as in InlineSiteSym
  u32le file;     ///< offset in the module's file checksums
  u32le line;
};
static_assert(sizeof(InlineeLine) == 12);

struct FileChecksumHead {
  u32le name;  ///< offset in /names
  u8le size;   ///< bytes of the checksum that follows
  u8le kind;   ///< 0 none, 1 MD5, 2 SHA-1, 3 SHA-256
};
static_assert(sizeof(FileChecksumHead) == 6);

struct CrossScopeImportHead {
  u32le module;  ///< offset in /names of the exporting module's name
  u32le count;   ///< ids that follow
};
static_assert(sizeof(CrossScopeImportHead) == 8);

struct CrossScopeExport {
  u32le local;  ///< id in the exporting module
  u32le item;   ///< id in the IPI stream
};
static_assert(sizeof(CrossScopeExport) == 8);

enum class Leaf : std::uint16_t {
  modifier = 0x1001,
  pointer = 0x1002,
  procedure = 0x1008,
  mfunction = 0x1009,
  arglist = 0x1201,
  array = 0x1503,
  class_ = 0x1504,
  structure = 0x1505,
  union_ = 0x1506,
  enum_ = 0x1507,
  interface = 0x1519,
  func_id = 0x1601,
  mfunc_id = 0x1602,
  string_id = 0x1605,
};

struct FuncIdLeaf {  ///< LF_FUNC_ID and LF_MFUNC_ID; the name follows
  u32le scope;       ///< LF_FUNC_ID: an IPI item or 0; LF_MFUNC_ID: a TPI type
  u32le type;
};
static_assert(sizeof(FuncIdLeaf) == 8);

struct ModifierLeaf {
  u32le type;
  u16le flags;  ///< bit 0: const
};
static_assert(sizeof(ModifierLeaf) == 6);

struct PointerLeaf {  ///< pointers to members go on
  u32le type;
  u32le attributes;  ///< bits 5-7: PointerMode; bit 10: const; bits 13-18: bytes it takes
};
static_assert(sizeof(PointerLeaf) == 8);
enum class PointerMode : std::uint8_t { pointer = 0, reference = 1, data_member = 2, member_function = 3, rvalue = 4 };

struct ProcedureLeaf {
  u32le result;
  u8le convention, attributes;
  u16le parameter_count;
  u32le arguments;  ///< LF_ARGLIST
};
static_assert(sizeof(ProcedureLeaf) == 12);

struct MemberFunctionLeaf {
  u32le result;
  u32le scope;      ///< the class
  u32le this_type;  ///< 0: static
  u8le convention, attributes;
  u16le parameter_count;
  u32le arguments;  ///< LF_ARGLIST
  u32le adjustment;
};
static_assert(sizeof(MemberFunctionLeaf) == 24);

struct ArrayLeaf {  ///< a number follows, the bytes of the whole array
  u32le element;
  u32le index;
};
static_assert(sizeof(ArrayLeaf) == 8);

struct TypeProperties {  ///< the start of classes, structures, interfaces, unions and enums
  u16le count;
  u16le properties;  ///< bit 7: a declaration; bit 9: the decorated name follows the name
};
static_assert(sizeof(TypeProperties) == 4);

struct EnumLeaf {  ///< the name follows
  u16le count, properties;
  u32le underlying;
  u32le fields;
};
static_assert(sizeof(EnumLeaf) == 12);

/// Line numbers that are marks for the debugger, not source lines.
inline constexpr std::uint32_t kAlwaysStepInto = 0xFEEFEE;
inline constexpr std::uint32_t kNeverStepInto = 0xF00F00;

}  // namespace symcached::pdb
