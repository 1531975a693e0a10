#include "formats/go/table.hpp"

#include <algorithm>

namespace symcached::go {
namespace {

constexpr std::uint32_t kNoFile = 0xFFFFFFFF;
constexpr std::uint32_t kNoFuncdata = 0xFFFFFFFF;
constexpr std::uint32_t kMostFunctions = 0x7FFFFFFF;
constexpr std::uint32_t kVoters = 64;
constexpr unsigned kMostChecked = 64;
constexpr std::size_t kWordsFrom18 = 8;  ///< P-sized words of the header, which begin at byte 8
constexpr std::size_t kWordsFrom16 = 7;

std::optional<Form> form_of(std::uint32_t magic) {
  const auto found = std::ranges::find(kMagics, magic);
  if (found == std::end(kMagics)) return std::nullopt;
  return static_cast<Form>(found - std::begin(kMagics));
}

bool fits(Bytes all, std::uint64_t at, std::uint64_t size) { return at <= all.size() && size <= all.size() - at; }

}  // namespace

PcValues::PcValues(Bytes table, std::uint32_t at, std::uint8_t quantum) : quantum_(quantum) {
  if (at >= table.size()) return;
  at_ = table.data() + at;
  behind_ = table.data() + table.size();
}

bool PcValues::varint(std::uint32_t& out) {
  out = 0;
  for (unsigned shift = 0; shift < 35 && at_ != behind_; shift += 7) {
    const auto byte = static_cast<std::uint32_t>(*at_++);
    out |= (byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool PcValues::next() {
  std::uint32_t change = 0, step = 0;
  if (at_ == behind_ || !varint(change) || (change == 0 && !first_) || !varint(step) || (step == 0 && !first_)) {
    at_ = behind_;
    return false;
  }
  first_ = false;
  value_ += (change & 1) != 0 ? ~(change >> 1) : change >> 1;
  end_ += std::uint64_t{step} * quantum_;
  return true;
}

Read<Table> Table::open(Bytes bytes, Container container, bool any_magic) {
  Table table;
  table.all_ = bytes;
  table.container_ = container;
  if (bytes.size() < 8) return truncated("go.pclntab", 0, 8, bytes.size());
  const auto magic = container.load<std::uint32_t>(bytes.data());
  const auto form = form_of(magic);
  if (!form && !any_magic) return bad_value("go.pclntab.magic", 0, magic);
  table.form_ = form.value_or(Form::go1_20);
  table.known_magic_ = form.has_value();
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  if (byte(4) != 0 || byte(5) != 0) return bad_value("go.pclntab.padding", 4, byte(4) | byte(5));
  table.quantum_ = byte(6);
  if (table.quantum_ != 1 && table.quantum_ != 2 && table.quantum_ != 4)
    return bad_value("go.pclntab.quantum", 6, table.quantum_);
  if (byte(7) != container.pointer_size)
    return bad_value("go.pclntab.pointer_size", 7, byte(7), container.pointer_size);
  const auto read = table.form_ == Form::go1_2 ? table.read_old_header() : table.read_header();
  if (!read) return std::unexpected(read.error());
  const Entry first = table.entry(0), last = table.entry(table.count_ - 1);
  if (first.pc > last.pc || last.pc > table.end_pc())
    return bad_value("go.pclntab.entry", table.functions_at_, first.pc);
  SC_TRY(const Function function, table.function(first));
  if (auto ok = table.function(last); !ok) return std::unexpected(ok.error());
  if (table.known_magic_ && !any_magic && function.entry != first.pc)
    return bad_value("go.func.entry", first.function, function.entry, first.pc);
  if (table.form_ == Form::go1_2 && !container.big_endian) table.vote_for_counts();
  return table;
}

Read<void> Table::read_old_header() {
  const std::size_t p = container_.pointer_size;
  functions_at_ = 8 + p;
  if (all_.size() < functions_at_) return truncated("go.pclntab", 0, functions_at_, all_.size());
  const std::uint64_t count = header_word(0);
  field_size_ = container_.pointer_size;
  if (count == 0 || count > kMostFunctions || (2 * count + 1) * p > all_.size() - functions_at_)
    return too_large("go.pclntab.nfunc", 8, count, (all_.size() - functions_at_) / (2 * p));
  count_ = static_cast<std::uint32_t>(count);
  names_ = paths_ = values_ = all_;
  const std::uint64_t files_word = functions_at_ + (2 * count + 1) * p;
  if (!fits(all_, files_word, 4)) return truncated("go.pclntab.files", files_word, 4, all_.size() - files_word);
  const auto files_at = container_.load<std::uint32_t>(all_.data() + files_word);
  if (!fits(all_, files_at, 4)) return bad_value("go.pclntab.files", files_word, files_at);
  const std::uint64_t slots = container_.load<std::uint32_t>(all_.data() + files_at);  // this number counts itself
  files_ = all_.subspan(files_at, std::min<std::uint64_t>(slots, (all_.size() - files_at) / 4) * 4);
  return {};
}

Read<void> Table::read_header() {
  const bool has_text = has_offsets();
  const std::size_t p = container_.pointer_size, words = has_text ? kWordsFrom18 : kWordsFrom16;
  const std::uint64_t header = 8 + words * p;
  if (all_.size() < header) return truncated("go.pclntab", 0, header, all_.size());
  const std::uint64_t count = header_word(0);
  if (has_text) text_start_ = header_word(2);
  std::uint64_t parts[5];  // of names, units, paths, values, functions
  for (unsigned i = 0; i < 5; ++i) {
    parts[i] = header_word((has_text ? 3 : 2) + i);
    if (parts[i] < (i == 0 ? header : parts[i - 1]) || parts[i] > all_.size())
      return bad_value("go.pclntab.offsets", 8, parts[i]);
  }
  field_size_ = has_text ? 4 : container_.pointer_size;
  functions_at_ = records_base_ = parts[4];
  const std::uint64_t room = (all_.size() - functions_at_) / field_size_;
  if (count == 0 || count > kMostFunctions || 2 * count + 1 > room)
    return too_large("go.pclntab.nfunc", 8, count, room / 2);
  count_ = static_cast<std::uint32_t>(count);
  names_ = all_.subspan(parts[0], parts[1] - parts[0]);
  files_ = all_.subspan(parts[1], parts[2] - parts[1]);
  paths_ = all_.subspan(parts[2], parts[3] - parts[2]);
  values_ = all_.subspan(parts[3], parts[4] - parts[3]);
  return {};
}

Read<void> Table::check_order() const {
  std::uint64_t before = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint64_t pc = entry(i).pc;
    if (pc < before) return bad_value("go.pclntab.entry", functions_at_ + std::uint64_t{2} * i * field_size_, pc);
    before = pc;
  }
  if (end_pc() < before) return bad_value("go.pclntab.end", functions_at_, end_pc());
  return {};
}

Entry Table::entry(std::uint32_t index) const {
  const std::uint64_t at = functions_at_ + std::uint64_t{2} * index * field_size_;
  const std::uint64_t record = field(at + field_size_);
  return {field(at), record > ~records_base_ ? record : records_base_ + record};
}

Read<Function> Table::function(const Entry& entry) const {
  const std::uint64_t address_size = has_offsets() ? 4 : container_.pointer_size;
  const std::uint64_t fixed = address_size + (form_ == Form::go1_2 ? 32 : form_ == Form::go1_20 ? 40 : 36);
  if (!fits(all_, entry.function, fixed))
    return truncated("go.func", entry.function, fixed,
                     all_.size() - std::min<std::uint64_t>(entry.function, all_.size()));
  const std::byte* const at = all_.data() + entry.function;
  const auto word = [&](std::size_t offset) { return container_.load<std::uint32_t>(at + address_size + offset); };
  Function function;
  function.entry = address_size == 8 ? container_.load<std::uint64_t>(at) : container_.load<std::uint32_t>(at);
  function.name = word(0);
  function.pcfile = word(16);
  function.pcln = word(20);
  function.pcdata_count = word(24);
  if (form_ != Form::go1_2) {
    function.unit = word(28);
    function.funcdata_count = static_cast<std::uint8_t>(at[fixed - 1]);
  } else {
    const std::uint32_t counts = word(28);
    function.funcdata_count = counts_last_ ? static_cast<std::uint8_t>(at[fixed - 1]) : counts;
  }
  function.pcdata = entry.function + fixed;
  if (function.pcdata_count > (all_.size() - function.pcdata) / 4)
    return too_large("go.func.npcdata", entry.function, function.pcdata_count, (all_.size() - function.pcdata) / 4);
  const std::uint64_t funcdata_size = address_size;
  function.funcdata = function.pcdata + std::uint64_t{4} * function.pcdata_count;
  if (!has_offsets()) function.funcdata = (function.funcdata + funcdata_size - 1) / funcdata_size * funcdata_size;
  const std::uint64_t room = function.funcdata > all_.size() ? 0 : (all_.size() - function.funcdata) / funcdata_size;
  if (function.funcdata_count > room)
    return too_large("go.func.nfuncdata", entry.function, function.funcdata_count, room);
  return function;
}

/// Up to Go 1.11 a small number, since then four bytes of which the last is that number.
void Table::vote_for_counts() {
  std::uint32_t whole = 0, last = 0;
  for (std::uint32_t i = 0; i < std::min(count_, kVoters); ++i) {
    const std::uint64_t at = entry(i).function + container_.pointer_size + 28;
    if (!fits(all_, at, 4)) continue;
    if (all_[at + 3] != std::byte{}) ++last;
    else if (all_[at] != std::byte{}) ++whole;
  }
  counts_last_ = last >= whole;
}

std::string_view Table::text_at(Bytes from, std::uint64_t offset) {
  if (offset >= from.size()) return {};
  const std::string_view text = as_text(from.subspan(offset, std::min<std::uint64_t>(kMaxText, from.size() - offset)));
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> Table::file_slot(const Function& function, std::int32_t number) const {
  if (number < (form_ == Form::go1_2 ? 1 : 0)) return std::nullopt;
  const std::uint64_t slot = static_cast<std::uint64_t>(number) + (form_ == Form::go1_2 ? 0 : function.unit);
  return slot < file_slots() ? std::optional(slot) : std::nullopt;
}

std::string_view Table::file(std::uint64_t slot) const {
  const auto offset = container_.load<std::uint32_t>(files_.data() + slot * 4);
  return offset == kNoFile ? std::string_view() : text_at(paths_, offset);
}

std::uint32_t Table::pcdata(const Function& function, std::uint32_t index) const {
  if (index >= function.pcdata_count) return 0;
  return container_.load<std::uint32_t>(all_.data() + function.pcdata + std::uint64_t{4} * index);
}

std::optional<std::uint64_t> Table::funcdata(const Function& function, std::uint32_t index) const {
  if (index >= function.funcdata_count) return std::nullopt;
  const std::size_t size = has_offsets() ? 4 : container_.pointer_size;
  const std::byte* const at = all_.data() + function.funcdata + std::uint64_t{index} * size;
  const std::uint64_t value = size == 8 ? container_.load<std::uint64_t>(at) : container_.load<std::uint32_t>(at);
  if (value == (has_offsets() ? kNoFuncdata : 0)) return std::nullopt;
  return value;
}

std::uint64_t Table::records_end() const {
  const auto last = function(entry(count_ - 1));
  if (!last) return all_.size();
  return last->funcdata + std::uint64_t{last->funcdata_count} * (has_offsets() ? 4u : container_.pointer_size);
}

std::optional<Table> find_table(Bytes region, Container container, bool any_magic) {
  const std::byte zero[4] = {};
  unsigned checked = 0;
  for (std::size_t at = 0; region.size() - at >= 8 && checked < kMostChecked; at += 4) {
    const std::byte* const p = region.data() + at;
    if (static_cast<std::uint8_t>(p[7]) != container.pointer_size || std::memcmp(p + 4, zero, 2) != 0) continue;
    if (static_cast<std::uint8_t>(p[6]) > 4) continue;
    if (!any_magic && !form_of(container.load<std::uint32_t>(p))) continue;
    const auto table = Table::open(region.subspan(at), container, any_magic);
    if (!table) continue;
    ++checked;
    if (table->check_order()) return *table;
  }
  return std::nullopt;
}

}  // namespace symcached::go
