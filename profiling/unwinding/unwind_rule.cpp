#include "profiling/unwinding/unwind_rule.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/uleb_cursor.hpp"
#include "profiling/unwinding/elf_notes.hpp"
#include "profiling/unwinding/frame_entries.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;  // registers, by DWARF's numbers

/// What a register was in the caller.
struct Saved {
  enum class How : std::uint8_t { same, at_cfa, undefined, other };
  How how = How::same;
  std::int64_t offset = 0;  ///< at_cfa: from there
};

/// The rules of one place, as far as they matter here.
struct Row {
  bool is_simple = false;  ///< the CFA is a register and an offset
  std::uint64_t cfa_register = 0, cfa_offset = 0;
  Saved rbp, rsp, return_address;

  Saved* saved(std::uint64_t number) {
    if (number == kRbp) return &rbp;
    if (number == kRsp) return &rsp;
    return number == kReturnAddress ? &return_address : nullptr;
  }
};

/// Runs the instructions of an entry up to a place.
class RowProgram {
 public:
  RowProgram(const CommonEntry& common, std::uint64_t begin, std::uint64_t code)
      : common_(common), location_(begin), code_(code) {}

  /// @return nothing if an instruction is unknown, or one has something else than what is known
  std::optional<Row> run(Bytes own) {
    if (!run_all(common_.instructions)) return std::nullopt;
    initial_ = row_;
    if (!run_all(own)) return std::nullopt;
    return row_;
  }

 private:
  static constexpr std::size_t kMaxRemembered = 8;

  bool run_all(Bytes instructions) {
    UlebCursor in(instructions, 0);
    while (!in.at_end() && !done_)
      if (!step(in) || in.failed()) return false;
    return true;
  }

  bool step(UlebCursor& in) {
    const std::uint8_t whole = in.byte();
    const std::uint8_t low = whole & 0x3F;
    switch (whole & 0xC0) {
      case 0x40: return advance(low);
      case 0x80: return save_at(low, in.wide_number());
      case 0xC0: return restore(low);
      default: break;
    }
    if (low >= 0x0C && low <= 0x0F) return define_cfa(low, in);
    switch (low) {
      case 0x00: return true;                               // nop
      case 0x02: return advance(plain<std::uint8_t>(in));   // advance_loc1
      case 0x03: return advance(plain<std::uint16_t>(in));  // advance_loc2
      case 0x04: return advance(plain<std::uint32_t>(in));  // advance_loc4
      case 0x0A: return remember();
      case 0x0B: return recall();
      case 0x2E: in.wide_number(); return true;  // GNU_args_size
      default: return define_saved(low, in);
    }
  }

  bool define_cfa(std::uint8_t operation, UlebCursor& in) {
    if (operation == 0x0F) return define_cfa_by(in.bytes(in.number()));
    if (operation != 0x0E) row_.cfa_register = in.wide_number();  // def_cfa, def_cfa_register
    if (operation != 0x0D) row_.cfa_offset = in.wide_number();    // def_cfa, def_cfa_offset
    if (operation == 0x0C) row_.is_simple = true;
    return row_.is_simple;
  }

  /// An expression. That of a PLT: rsp + 8, and 8 more from the instruction of each entry on that is behind its push.
  bool define_cfa_by(Bytes expression) {
    constexpr std::array<std::uint8_t, 11> kPlt{0x77, 8, 0x80, 0, 0x3F, 0x1A, 0x30, 0x2A, 0x33, 0x24, 0x22};
    row_.is_simple = false;
    if (expression.size() != kPlt.size()) return true;
    std::uint64_t push_end = 0;
    for (std::size_t i = 0; i < kPlt.size(); ++i) {
      const auto found = static_cast<std::uint8_t>(expression[i]);
      if (i == 6 && found >= kPlt[i] && found < kPlt[i] + 16) push_end = found - kPlt[i];
      else if (found != kPlt[i]) return true;
    }
    row_.is_simple = true;
    row_.cfa_register = kRsp;
    row_.cfa_offset = 8 + ((code_ & 15) >= push_end ? 8 : 0);
    return true;
  }

  bool define_saved(std::uint8_t operation, UlebCursor& in) {
    const std::uint64_t number = in.wide_number();
    switch (operation) {
      case 0x05: return save_at(number, in.wide_number());  // offset_extended
      case 0x06: return restore(number);
      case 0x07: return save(number, {Saved::How::undefined});
      case 0x08: return save(number, {Saved::How::same});
      case 0x09: in.wide_number(); return save(number, {Saved::How::other});       // register
      case 0x11: return save_at(number, static_cast<std::uint64_t>(in.sleb()));    // offset_extended_sf
      case 0x10:                                                                   // expression
      case 0x16: in.bytes(in.number()); return save(number, {Saved::How::other});  // val_expression
      default: return false;
    }
  }

  bool advance(std::uint64_t steps) {
    const std::uint64_t next = location_ + steps * common_.code_step;
    if (next < location_) return false;
    done_ = next > code_;
    location_ = next;
    return true;
  }
  bool save(std::uint64_t number, Saved how) {
    if (Saved* saved = row_.saved(number)) *saved = how;
    return true;
  }
  bool save_at(std::uint64_t number, std::uint64_t steps) {
    const std::uint64_t offset = steps * static_cast<std::uint64_t>(common_.data_step);
    return save(number, {Saved::How::at_cfa, static_cast<std::int64_t>(offset)});
  }
  bool restore(std::uint64_t number) {
    if (Saved* saved = row_.saved(number)) *saved = *initial_.saved(number);
    return true;
  }
  bool remember() {
    if (remembered_ == kMaxRemembered) return false;
    rows_[remembered_++] = row_;
    return true;
  }
  bool recall() {
    if (remembered_ == 0) return false;
    row_ = rows_[--remembered_];
    return true;
  }

  template <class T>
  static std::uint64_t plain(UlebCursor& in) {
    return elf_record<T>(in.bytes(sizeof(T)), 0).value_or(0);
  }

  const CommonEntry& common_;
  std::uint64_t location_, code_;
  bool done_ = false;  ///< what follows is for code behind the place
  Row row_, initial_;
  std::array<Row, kMaxRemembered> rows_;
  std::size_t remembered_ = 0;
};

/// The offset in the image of the entry whose function is the last that starts at or before the place.
std::optional<std::uint64_t> search(const ModuleTables& tables, std::uint64_t code) {
  constexpr std::uint8_t kCount = 0x03, kPairs = 0x3B;  // as all linkers write them: unsigned; signed, from the header
  if (tables.header > tables.image.size() || tables.image.size() - tables.header < 4) return std::nullopt;
  const Bytes header = tables.image.subspan(static_cast<std::size_t>(tables.header));
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(header[at]); };
  if (byte(0) != 1 || byte(2) != kCount || byte(3) != kPairs) return std::nullopt;
  const std::size_t before_count = 4 + pointer_size(byte(1));
  const auto count = elf_record<std::uint32_t>(header, before_count);
  if (!count || *count > (header.size() - before_count - 4) / 8) return std::nullopt;
  const Bytes pairs = header.subspan(before_count + 4);
  const std::uint64_t start = tables.address + tables.header;
  std::size_t low = 0, high = *count;  // the first that starts behind the place is among them, or at the end
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::uint64_t begin =
        start + static_cast<std::uint64_t>(std::int64_t{*elf_record<std::int32_t>(pairs, middle * 8)});
    if (begin > code) high = middle;
    else low = middle + 1;
  }
  if (low == 0) return std::nullopt;
  return tables.header + static_cast<std::uint64_t>(std::int64_t{*elf_record<std::int32_t>(pairs, low * 8 - 4)});
}

std::optional<Row> find_row(const ModuleTables& tables, std::uint64_t code) {
  const auto place = search(tables, code);
  const auto entry = place ? frame_entry_at(tables.image, *place) : std::nullopt;
  if (!entry || entry->id == 0 || entry->id > entry->start) return std::nullopt;
  const auto shared = frame_entry_at(tables.image, entry->start - entry->id);
  if (!shared || shared->id != 0) return std::nullopt;
  const CommonEntry common = read_common_entry(shared->body(tables.image));
  if (!common.is_complete || common.is_signal || common.return_register != kReturnAddress) return std::nullopt;

  const Bytes body = entry->body(tables.image);
  const std::size_t width = pointer_size(common.pointers);
  const auto begin = pointer_at(body, 0, common.pointers, tables.address + entry->start + 4);
  const auto size = pointer_number(body, width, common.pointers);
  if (width == 0 || !begin || !size || code < *begin || code - *begin >= *size) return std::nullopt;
  UlebCursor in(body, 2 * width);
  if (common.has_data) in.bytes(in.number());
  if (in.failed()) return std::nullopt;
  return RowProgram(common, *begin, code).run(body.subspan(in.position()));
}

}  // namespace

UnwindRule find_rule(const ModuleTables& tables, std::uint64_t code) noexcept {
  using How = Saved::How;
  const auto row = find_row(tables, code);
  if (!row) return {};
  if (row->return_address.how == How::undefined) return {UnwindRule::Kind::outermost};
  const bool is_usual = row->is_simple && row->return_address.how == How::at_cfa && row->return_address.offset == -8 &&
                        row->rsp.how == How::same && row->cfa_offset % 8 == 0 && row->cfa_offset <= UnwindRule::kMaxCfa;
  if (!is_usual || (row->cfa_register != kRsp && row->cfa_register != kRbp)) return {};
  UnwindRule rule{row->cfa_register == kRsp ? UnwindRule::Kind::from_rsp : UnwindRule::Kind::from_rbp,
                  static_cast<std::uint32_t>(row->cfa_offset)};
  if (row->rbp.how == How::same) return rule;
  const std::int64_t offset = row->rbp.offset;
  if (row->rbp.how != How::at_cfa || offset % 8 != 0 || offset > -16 ||
      offset < -8 * std::int64_t{UnwindRule::kMaxRbpSlot})
    return {};
  rule.rbp_slot = static_cast<std::uint32_t>(-offset / 8);
  return rule;
}

}  // namespace symcached::pprof
