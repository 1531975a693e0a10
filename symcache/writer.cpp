#include "symcache/writer.hpp"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <compare>
#include <tuple>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/threads.hpp"
#include "symcache/format.hpp"
#include "symcache/record_writer.hpp"
#include "symcache/subprograms.hpp"
#include "symcache/text_table.hpp"

namespace symcached::symcache {
namespace {

constexpr std::size_t kGroupsPerBatch = 1024;

std::uint32_t number_of(model::StringId id) { return static_cast<std::uint32_t>(id); }

/// Address of the last byte; that of the address space for a function that would go on behind it.
std::uint64_t last_byte(const StoredFunction& f) {
  return f.start + std::min<std::uint64_t>(f.size == 0 ? 0 : f.size - 1, ~f.start);
}

/// Sections of the file being made.
struct Sections {
  ByteWriter samples, starts, records, functions, subprograms, names, files, text, module;
};

class Layout {
 public:
  Layout(const model::Module& module, const Interner& texts, FunctionStore& store, unsigned threads)
      : module_(module), texts_(texts), store_(store), threads_(threads) {}

  std::vector<std::byte> build();

 private:
  void sort_functions();
  std::strong_ordering by_text(std::uint32_t a, std::uint32_t b) const;
  std::strong_ordering by_parameters(std::uint32_t a, std::uint32_t b) const;
  std::strong_ordering contents_differ(const StoredFunction& a, const StoredFunction& b);
  std::strong_ordering calls_differ(const model::Inlinee& a, const model::Inlinee& b) const;
  std::strong_ordering rows_differ(const model::Line& a, const model::Line& b) const;
  void group_functions();
  void find_enclosing();
  void collect_subprograms();
  void order_files();
  void add_texts();
  void put_parameters();
  void put_files();
  void put_names();
  std::uint32_t name_position(std::uint32_t id);
  void put_addresses();
  void put_functions();
  void put_sections();
  void put_address(ByteWriter& out, std::uint64_t address) const;
  std::vector<std::byte> assemble();

  const model::Module& module_;
  const Interner& texts_;
  FunctionStore& store_;
  unsigned threads_;
  std::vector<FunctionGroup> groups_;
  std::uint64_t base_ = 0;
  bool wide_ = false;
  Subprograms subprograms_;
  TextTable shared_{0};
  std::vector<std::uint32_t> subprogram_order_, files_;
  std::vector<std::uint32_t> frame_subprograms_;                           // of all groups, one after the other
  std::vector<std::uint32_t> file_uses_, file_operands_, name_positions_;  // by text id
  Sections out_;

  // of the current function
  std::vector<model::Inlinee> frames_;
  std::vector<model::Line> rows_;
};

std::vector<std::byte> Layout::build() {
  sort_functions();
  group_functions();
  find_enclosing();
  collect_subprograms();
  subprogram_order_ = subprograms_.order();
  order_files();
  add_texts();
  put_parameters();
  put_files();
  put_names();
  subprograms_.lay_out(subprogram_order_, {texts_, shared_, file_operands_, name_positions_}, out_.subprograms);
  put_addresses();
  put_functions();
  shared_.put_shared(out_.text);
  for (const std::string* text : {&module_.producer_kind, &module_.debug_file}) {
    out_.module.put_text(std::string_view(*text).substr(0, text->find('\0')));
    out_.module.put_u8(0);
  }
  put_sections();
  return assemble();
}

/// Of linked files, which have none here, nothing is written.
void Layout::put_sections() {
  if (module_.sections.empty()) return;
  out_.module.put_uleb(module_.sections.size());
  for (const model::CodeSection& section : module_.sections) {
    out_.module.put_uleb(section.start.value);
    out_.module.put_uleb(section.size);
    out_.module.put_text(std::string_view(section.name).substr(0, section.name.find('\0')));
    out_.module.put_u8(0);
  }
}

/// A total order, so that neither arrival nor text ids leave a trace.
void Layout::sort_functions() {
  const auto before_names = [](const StoredFunction& f) { return std::tuple(f.rank, f.kind, f.size); };
  const auto behind_names = [](const StoredFunction& f) {
    return std::tuple(f.language, f.row_count, f.frame_count, f.parent);
  };
  const auto order = [&](const StoredFunction& a, const StoredFunction& b) -> std::strong_ordering {
    if (const auto by = before_names(a) <=> before_names(b); by != 0) return by;
    if (const auto by = by_text(a.name, b.name); by != 0) return by;
    if (const auto by = by_text(a.linkage_name, b.linkage_name); by != 0) return by;
    if (const auto by = behind_names(a) <=> behind_names(b); by != 0) return by;
    return contents_differ(a, b);
  };
  std::ranges::sort(store_.functions(), [&](const StoredFunction& a, const StoredFunction& b) {
    return a.start != b.start ? a.start < b.start : order(a, b) < 0;
  });
}

/// Equal texts have one id, and are not looked at. Parameters do not count.
std::strong_ordering Layout::by_text(std::uint32_t a, std::uint32_t b) const {
  return a == b ? std::strong_ordering::equal : texts_.text(a) <=> texts_.text(b);
}

std::strong_ordering Layout::by_parameters(std::uint32_t a, std::uint32_t b) const {
  return a == b ? std::strong_ordering::equal : by_text(texts_.parameters(a), texts_.parameters(b));
}

/// Orders functions that agree in all but their rows and calls, by these. Rare: the same code described twice.
std::strong_ordering Layout::contents_differ(const StoredFunction& a, const StoredFunction& b) {
  std::vector<model::Inlinee> other_frames;
  std::vector<model::Line> other_rows;
  store_.unpack(a, frames_, rows_);
  store_.unpack(b, other_frames, other_rows);
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (const auto order = calls_differ(frames_[i], other_frames[i]); order != 0) return order;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (const auto order = rows_differ(rows_[i], other_rows[i]); order != 0) return order;
  return by_parameters(a.name, b.name);
}

std::strong_ordering Layout::calls_differ(const model::Inlinee& a, const model::Inlinee& b) const {
  if (const auto order = a.caller <=> b.caller; order != 0) return order;
  if (const auto order = by_text(number_of(a.name), number_of(b.name)); order != 0) return order;
  if (const auto order = by_text(number_of(a.call_file), number_of(b.call_file)); order != 0) return order;
  const auto place = [](const model::Inlinee& i) { return std::tuple(i.call_line, i.call_column); };
  if (const auto order = place(a) <=> place(b); order != 0) return order;
  return by_parameters(number_of(a.name), number_of(b.name));
}

std::strong_ordering Layout::rows_differ(const model::Line& a, const model::Line& b) const {
  const auto place = [](const model::Line& l) { return std::tuple(l.offset, l.line, l.column); };
  if (const auto order = place(a) <=> place(b); order != 0) return order;
  if (const auto order = by_text(number_of(a.file), number_of(b.file)); order != 0) return order;
  return a.inlinee <=> b.inlinee;
}

void Layout::group_functions() {
  const std::span<const StoredFunction> all = store_.functions();
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].start == all[i].start) ++end;
    groups_.push_back({&all[i], all.subspan(i + 1, end - i - 1)});
    i = end;
  }
  if (groups_.empty()) return;
  base_ = groups_.front().primary->start;
  wide_ = groups_.back().primary->start - base_ > 0xFFFFFFFF;
}

void Layout::find_enclosing() {
  std::vector<std::size_t> open;  // groups that may go on behind the current one: each ends before the one below it
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto last_of = [&](std::size_t g) { return last_byte(*groups_[g].primary); };
    while (!open.empty() && last_of(open.back()) <= last_of(i)) open.pop_back();
    if (!open.empty()) groups_[i].enclosing_distance = static_cast<std::uint32_t>(i - open.back());
    open.push_back(i);
  }
}

void Layout::collect_subprograms() {
  file_uses_.assign(texts_.size(), 0);
  for (FunctionGroup& group : groups_) {
    store_.unpack(*group.primary, frames_, rows_);
    group.first_frame = frame_subprograms_.size();
    const auto subprograms = subprograms_.collect(group.primary->name, frames_, rows_);
    frame_subprograms_.insert(frame_subprograms_.end(), subprograms.begin(), subprograms.end());
    for (const model::Line& row : rows_) ++file_uses_[static_cast<std::uint32_t>(row.file)];
    for (const model::Inlinee& call : frames_) ++file_uses_[static_cast<std::uint32_t>(call.call_file)];
  }
}

void Layout::order_files() {
  for (std::uint32_t id = 1; id < file_uses_.size(); ++id)
    if (file_uses_[id] != 0) files_.push_back(id);
  std::ranges::sort(files_, [&](std::uint32_t a, std::uint32_t b) {
    return file_uses_[a] != file_uses_[b] ? file_uses_[a] > file_uses_[b] : texts_.text(a) < texts_.text(b);
  });
}

/// In an order that does not depend on text ids, what lookups read most first.
void Layout::add_texts() {
  const auto each = [&](const auto& use) {
    for (const std::uint32_t file : files_) use(file);
    for (const std::uint32_t index : subprogram_order_) {
      use(texts_.name(subprograms_.at(index).name));
      use(texts_.parameters(subprograms_.at(index).name));
    }
    for (const StoredFunction& f : store_.functions()) {
      use(texts_.name(f.name));
      use(f.linkage_name);
    }
  };
  std::size_t bytes = 0;
  each([&](std::uint32_t id) { bytes += texts_.text(id).size(); });
  shared_ = TextTable(bytes);
  each([&](std::uint32_t id) { shared_.add(id, texts_.text(id)); });
  name_positions_.assign(texts_.size(), 0);
  out_.names.put_uleb(0);  // position 0: the empty text
}

std::uint32_t Layout::name_position(std::uint32_t id) {
  const std::uint32_t text = texts_.name(id);
  if (text == 0) return 0;
  if (name_positions_[text] == 0) {
    name_positions_[text] = static_cast<std::uint32_t>(out_.names.size());
    shared_.put(text, out_.names);
  }
  return name_positions_[text];
}

/// The most used ones first: subprograms refer to them by position.
void Layout::put_parameters() {
  if (!texts_.has_parameters()) return;
  std::vector<std::uint32_t> uses(texts_.size()), used;
  for (const Subprogram& s : subprograms_.all())
    if (const std::uint32_t id = texts_.parameters(s.name); id != 0 && uses[id]++ == 0) used.push_back(id);
  std::ranges::sort(used, [&](std::uint32_t a, std::uint32_t b) {
    return uses[a] != uses[b] ? uses[a] > uses[b] : texts_.text(a) < texts_.text(b);
  });
  for (const std::uint32_t id : used) name_position(id);
}

void Layout::put_files() {
  file_operands_.assign(texts_.size(), kNoFile);
  for (std::uint32_t i = 0; i < files_.size(); ++i) {
    file_operands_[files_[i]] = kFirstFile + i;
    out_.files.put(u32le(name_position(files_[i])));
  }
}

void Layout::put_address(ByteWriter& out, std::uint64_t address) const {
  if (wide_) out.put(u64le(address - base_));
  else out.put(u32le(static_cast<std::uint32_t>(address - base_)));
}

/// Gives names that records refer to their positions, in the records' order.
void Layout::put_names() {
  for (const FunctionGroup& group : groups_) {
    name_position(group.primary->linkage_name);
    for (const StoredFunction& alias : group.aliases) {
      name_position(alias.name);
      name_position(alias.linkage_name);
    }
  }
}

/// A record needs nothing of the others, so threads write runs of them.
void Layout::put_functions() {
  struct Batch {
    std::span<const FunctionGroup> groups;
    ByteWriter records;
    std::vector<std::uint32_t> sizes;
  };
  const RecordSources sources{store_, subprograms_, frame_subprograms_, file_operands_, name_positions_, texts_};
  std::vector<Batch> batches;
  for (std::span<const FunctionGroup> rest = groups_; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), kGroupsPerBatch);
    batches.push_back({rest.first(count), {}, {}});
    rest = rest.subspan(count);
  }
  std::atomic<std::size_t> next = 0;
  run_on_threads(std::min<std::size_t>(threads_, batches.size()), [&](std::size_t) {
    RecordWriter writer(sources);
    for (std::size_t i = 0; (i = next.fetch_add(1)) < batches.size();)
      for (const FunctionGroup& group : batches[i].groups) {
        const std::size_t before = batches[i].records.size();
        writer.put(group, batches[i].records);
        batches[i].sizes.push_back(static_cast<std::uint32_t>(batches[i].records.size() - before));
      }
  });
  std::uint64_t position = 0;
  for (Batch& batch : batches) {
    for (const std::uint32_t size : batch.sizes)
      out_.records.put(u32le(static_cast<std::uint32_t>(std::exchange(position, position + size))));
    out_.functions.put_bytes(batch.records.bytes());
    batch.records = ByteWriter();
  }
}

void Layout::put_addresses() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i % kStartsPerSample == 0) put_address(out_.samples, groups_[i].primary->start);
    put_address(out_.starts, groups_[i].primary->start);
  }
}

std::vector<std::byte> Layout::assemble() {
  Header header{};
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.flags = static_cast<std::uint8_t>((store_.has_columns() ? kHasColumns : 0) | (wide_ ? kWideAddresses : 0) |
                                           (shared_.has_wide_runs() ? kWideRuns : 0) |
                                           (texts_.has_parameters() ? kHasParameters : 0));
  header.arch = static_cast<std::uint8_t>(module_.arch);
  header.offset_unit = static_cast<std::uint8_t>(store_.offset_unit());
  header.guid = module_.debug_id.guid.bytes;
  header.age = module_.debug_id.age;
  header.function_count = static_cast<std::uint32_t>(groups_.size());
  header.base = base_;
  const std::pair<Section*, ByteWriter*> sections[] = {{&header.samples, &out_.samples},
                                                       {&header.starts, &out_.starts},
                                                       {&header.records, &out_.records},
                                                       {&header.functions, &out_.functions},
                                                       {&header.subprograms, &out_.subprograms},
                                                       {&header.names, &out_.names},
                                                       {&header.files, &out_.files},
                                                       {&header.text, &out_.text},
                                                       {&header.module, &out_.module}};
  std::size_t end = sizeof(Header);
  for (const auto& [section, bytes] : sections) {
    *section = {end, bytes->size()};
    end += (bytes->size() + 7) / 8 * 8;
  }
  ByteWriter file;
  file.reserve(end);
  file.put(header);
  for (const auto& [section, bytes] : sections) {
    file.put_bytes(bytes->bytes());
    file.align(8);
    *bytes = ByteWriter();
  }
  const Bytes payload = file.bytes().subspan(sizeof(Header));
  header.payload_checksum = XXH3_64bits(payload.data(), payload.size());
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  file.patch(0, header);
  return std::move(file).finish();
}

}  // namespace

void Writer::join(std::unique_ptr<model::ModuleSink> part) {
  auto& other = static_cast<Writer&>(*part);
  std::vector<std::uint32_t> ids(other.texts_.size());
  for (std::uint32_t id = 0; id < ids.size(); ++id)
    ids[id] = other.texts_.name(id) == id
                  ? texts_.intern(other.texts_.text(id))
                  : texts_.with_parameters(ids[other.texts_.name(id)], ids[other.texts_.parameters(id)]);
  store_.join(std::move(other.store_), std::move(ids));
}

std::vector<std::byte> Writer::finish(unsigned threads) && { return Layout(module_, texts_, store_, threads).build(); }

}  // namespace symcached::symcache
