#include "symcache/reader.hpp"

#include <xxhash.h>

#include <algorithm>

#include "symcache/function_record.hpp"

namespace symcached::symcache {

void FrameBuffer::clear() {
  frames.clear();
  full_.clear();
  full_bytes_ = used_ = 0;
}

char* FrameBuffer::text(std::size_t size) {
  if (size > size_ - used_) {
    if (size > kMaxAnswerBytes - std::min(kMaxAnswerBytes, full_bytes_ + used_)) return nullptr;
    full_bytes_ += used_;
    if (chunk_) full_.push_back(std::move(chunk_));
    size_ = std::max<std::size_t>({4096, std::min(size_ * 2, kMaxAnswerBytes), size});
    chunk_ = std::make_unique_for_overwrite<char[]>(size_);
    used_ = 0;
  }
  char* const start = chunk_.get() + used_;
  used_ += size;
  return start;
}

bool is_symcache(Bytes file) { return as_text(file).starts_with(std::string_view(kMagic.data(), kMagic.size())); }

Read<Symcache> Symcache::open(Bytes file) {
  Symcache cache;
  SC_TRY(cache.header_, read_at<Header>(file, 0, "symcache.header"));
  Header& header = cache.header_;
  if (header.magic != kMagic) return bad_value("symcache.magic", 0, static_cast<std::uint8_t>(header.magic[0]), 's');
  if (header.version != kFormatVersion) return bad_value("symcache.version", 8, header.version, kFormatVersion);
  const std::uint64_t stated = std::exchange(header.header_checksum, u64le(0));
  const std::uint64_t actual = XXH3_64bits(&header, sizeof header);
  if (stated != actual) return bad_value("symcache.header_checksum", 16, stated, actual);
  if (header.offset_unit != 1 && header.offset_unit != 2 && header.offset_unit != 4)
    return bad_value("symcache.offset_unit", 14, header.offset_unit, 1);
  if (auto ok = cache.set_sections(file); !ok) return std::unexpected(ok.error());
  return cache;
}

Read<void> Symcache::set_sections(Bytes file) {
  const auto view = [&](Section Header::* section, std::string_view field) {
    return slice(file, (header_.*section).offset, (header_.*section).size, field);
  };
  const std::uint32_t count = header_.function_count;
  const std::uint64_t address_size = (header_.flags & kWideAddresses) != 0 ? 8 : 4;
  payload_ = file.subspan(sizeof(Header));
  SC_TRY(samples_, view(&Header::samples, "symcache.samples"));
  SC_TRY(starts_, view(&Header::starts, "symcache.starts"));
  if (starts_.size() != count * address_size)
    return bad_value("symcache.starts.size", 0, starts_.size(), count * address_size);
  const std::uint64_t samples = (std::uint64_t{count} + kStartsPerSample - 1) / kStartsPerSample;
  if (samples_.size() != samples * address_size)
    return bad_value("symcache.samples.size", 0, samples_.size(), samples * address_size);
  SC_TRY(const Bytes records, view(&Header::records, "symcache.records"));
  SC_TRY(records_, ByteReader(records).array<u32le>(count, "symcache.records"));
  SC_TRY(functions_, view(&Header::functions, "symcache.functions"));
  SC_TRY(subprograms_, view(&Header::subprograms, "symcache.subprograms"));
  SC_TRY(names_, view(&Header::names, "symcache.names"));
  SC_TRY(const Bytes files, view(&Header::files, "symcache.files"));
  SC_TRY(files_, ByteReader(files).array<u32le>(files.size() / 4, "symcache.files"));
  SC_TRY(text_, view(&Header::text, "symcache.text"));
  if (text_.size() < kTextPadding) return truncated("symcache.text", 0, kTextPadding, text_.size());
  SC_TRY(const Bytes module, view(&Header::module, "symcache.module"));
  ByteReader texts(module);
  SC_TRY(producer_kind_, texts.c_string("symcache.module.kind"));
  SC_TRY(debug_file_, texts.c_string("symcache.module.file"));
  sections_ = texts.rest();
  return {};
}

std::vector<SectionPlace> Symcache::sections() const {
  std::vector<SectionPlace> places;
  UlebCursor in(sections_, 0);
  if (in.at_end()) return places;
  for (std::uint32_t left = in.number(); left != 0; --left) {
    SectionPlace place;
    place.start = {in.wide_number()};
    place.size = in.wide_number();
    if (in.failed()) break;
    const std::string_view rest = as_text(sections_.subspan(in.position()));
    const std::size_t length = rest.find('\0');
    if (length == rest.npos) break;
    place.name = rest.substr(0, length);
    in.bytes(length + 1);
    places.push_back(place);
  }
  return places;
}

DebugId Symcache::debug_id() const { return {Guid{header_.guid}, header_.age}; }

std::uint64_t Symcache::start_of(std::uint32_t index) const {
  if ((header_.flags & kWideAddresses) != 0)
    return header_.base + reinterpret_cast<const u64le*>(starts_.data())[index];
  return header_.base + reinterpret_cast<const u32le*>(starts_.data())[index];
}

/// Index of the last function that starts at or before `relative`, which is not before the first one.
template <class Address>
std::uint32_t Symcache::last_start_at_or_before(std::uint64_t relative) const {
  const auto* samples = reinterpret_cast<const Address*>(samples_.data());
  std::size_t first = 0;
  // branch-free: the answer is in [first, first + left)
  for (std::size_t left = samples_.size() / sizeof(Address); left > 1;) {
    const std::size_t half = left / 2;
    first += samples[first + half] <= relative ? half : 0;
    left -= half;
  }
  const auto* starts = reinterpret_cast<const Address*>(starts_.data());
  const std::size_t begin = first * kStartsPerSample;
  const std::size_t end = std::min<std::size_t>(begin + kStartsPerSample, header_.function_count);
  std::size_t index = begin;
  for (std::size_t i = begin + 1; i < end; ++i) index += starts[i] <= relative ? 1 : 0;  // branch-free, too
  return static_cast<std::uint32_t>(index);
}

bool Symcache::read_record(std::uint32_t index, FunctionRecord& out) const {
  const std::size_t begin = records_[index];
  const std::size_t end = index + 1 < records_.size() ? std::size_t{records_[index + 1]} : functions_.size();
  if (begin > end || end > functions_.size()) return false;
  return out.read(functions_.subspan(begin, end - begin), start_of(index));
}

std::optional<Found> Symcache::lookup(model::Rva rva, FrameBuffer& out, Parameters parameters) const {
  out.clear();
  if (header_.function_count == 0 || rva.value < header_.base) return std::nullopt;
  const std::uint64_t relative = rva.value - header_.base;
  std::uint32_t index = (header_.flags & kWideAddresses) != 0 ? last_start_at_or_before<u64le>(relative)
                                                              : last_start_at_or_before<u32le>(relative);
  FunctionRecord record;
  for (std::size_t step = 0;; ++step) {
    if (!read_record(index, record) || rva.value < record.start) return std::nullopt;
    if (rva.value - record.start < record.size) break;
    if (record.enclosing_distance == 0 || record.enclosing_distance > index || step == kMaxEnclosing)
      return std::nullopt;
    index -= record.enclosing_distance;
  }
  RowState row;
  const bool has_row = find_row(record, rva.value - record.start, row);
  Found found{.start = {record.start},
              .size = record.size,
              .kind = static_cast<model::SymbolKind>(record.flags & kKindMask),
              .language = record.language,
              .linkage_position = record.linkage_name,
              .index = index};
  if (!append_frames(record, has_row ? &row : nullptr, parameters, out)) return std::nullopt;
  found.frames = out.frames;
  return found;
}

/// The last row at or before `offset`. False if there is none: before the first row, or no rows at all.
bool Symcache::find_row(const FunctionRecord& record, std::uint64_t offset, RowState& out) const {
  const std::uint64_t target = offset / header_.offset_unit;
  RowDecoder decoder(record.program, has_columns());
  const auto after =
      std::ranges::upper_bound(record.restarts, target, {}, [](const Restart& r) { return std::uint64_t{r.offset}; });
  if (after != record.restarts.begin()) decoder.restart_at(*std::prev(after));
  RowState state;
  bool found = false;
  for (std::size_t n = 0; n <= kLongestRun && decoder.next(state) && state.offset <= target; ++n) {
    out = state;
    found = true;
  }
  return found;
}

/// @param to  room for kLongestRunOfText bytes a run and kTextPadding more
template <class Run>
bool Symcache::copy_runs(const TextRuns& runs, char* to, std::size_t& size) const {
  const char* const shared = reinterpret_cast<const char*>(text_.data());
  const std::size_t limit = text_.size() - kTextPadding;
  const char* const start = to;
  for (const Run& run : std::span(reinterpret_cast<const Run*>(runs.runs), runs.count)) {
    const std::size_t at = place_of(run), length = length_of(run);
    if (at > limit || length > limit - at) return false;
    std::memcpy(to, shared + at, kTextPadding);  // a constant size is a few instructions; most runs need no more
    if (length > kTextPadding) std::memcpy(to + kTextPadding, shared + at + kTextPadding, length - kTextPadding);
    to += length;
  }
  size = static_cast<std::size_t>(to - start);
  return true;
}

/// The runs of the text that `in` stands before. Asks for the bytes of the first few.
bool Symcache::find_runs(UlebCursor& in, TextRuns& out) const {
  constexpr std::uint32_t kAskedFor = 8;
  const bool wide = (header_.flags & kWideRuns) != 0;
  out.count = in.number();
  if (out.count > kMaxTextSize) return false;
  out.runs = in.bytes(out.count * (wide ? sizeof(WideTextRun) : sizeof(TextRun))).data();
  if (in.failed()) return false;
  if (!wide)
    for (std::uint32_t i = 0; i < std::min(out.count, kAskedFor); ++i) {
      const std::size_t at = place_of(reinterpret_cast<const TextRun*>(out.runs)[i]);
      if (at < text_.size()) __builtin_prefetch(text_.data() + at);
    }
  return true;
}

bool Symcache::copy_runs(const TextRuns& runs, char* to, std::size_t& size) const {
  return (header_.flags & kWideRuns) != 0 ? copy_runs<WideTextRun>(runs, to, size) : copy_runs<TextRun>(runs, to, size);
}

bool Symcache::copy_text(const TextRuns& runs, FrameBuffer& out, std::string_view& text) const {
  if (runs.count == 0) return true;
  const std::size_t room = runs.count * std::size_t{kLongestRunOfText} + kTextPadding;
  char* const start = out.text(room);
  std::size_t size = 0;
  if (start == nullptr || !copy_runs(runs, start, size)) return false;
  out.trim(room - size);
  text = {start, size};
  return true;
}

/// Name and parameters, one behind the other.
bool Symcache::copy_name(const FramePlace& place, FrameBuffer& out, Frame& frame) const {
  if (place.parameters.count == 0) return copy_text(place.name, out, frame.function);
  const std::size_t runs = std::size_t{place.name.count} + place.parameters.count;
  const std::size_t room = runs * kLongestRunOfText + kTextPadding;
  char* const start = out.text(room);
  std::size_t name = 0, parameters = 0;
  if (start == nullptr || !copy_runs(place.name, start, name) || !copy_runs(place.parameters, start + name, parameters))
    return false;
  out.trim(room - name - parameters);
  frame.function = {start, name};
  frame.parameters = {start + name, parameters};
  return true;
}

bool Symcache::read_text(Bytes section, std::uint32_t position, FrameBuffer& out, std::string_view& text) const {
  UlebCursor in(section, position);
  TextRuns runs;
  text = {};
  return find_runs(in, runs) && copy_text(runs, out, text);
}

/// From the innermost frame outward: each frame's position is the row's, or where it calls the frame inside it.
/// All frames' memory is asked for before any of it is read, so that what the caches miss comes at the same time.
/// @param row  null: the function alone, at no known line
bool Symcache::append_frames(const FunctionRecord& record, const RowState* row, Parameters parameters,
                             FrameBuffer& out) const {
  if (!list_frames(record, row, out.places)) return false;
  for (FramePlace& place : out.places)
    if (!find_texts(place, parameters)) return false;
  for (const FramePlace& place : out.places) {
    Frame frame{.function = {}, .file = {}, .line = place.line, .column = place.column, .parameters = {}};
    if (!copy_name(place, out, frame) || !copy_text(place.path, out, frame.file)) return false;
    out.frames.push_back(frame);
  }
  return true;
}

bool Symcache::list_frames(const FunctionRecord& record, const RowState* row, std::vector<FramePlace>& out) const {
  const RowDecoder decoder(record.program, has_columns());
  out.clear();
  bool known = row != nullptr;
  for (RowState at = known ? *row : RowState{};;) {
    if (out.size() + 1 >= kMaxFrames && at.frame != 0) at = {}, known = false;
    FrameDefinition definition;
    if (at.frame == 0) definition.subprogram = record.subprogram;
    else if (!decoder.definition(at.frame, definition)) return false;
    if (definition.subprogram >= subprograms_.size()) return false;
    __builtin_prefetch(subprograms_.data() + definition.subprogram);
    out.push_back({.subprogram = definition.subprogram,
                   .file = known ? at.file : std::uint32_t{kNoFile},
                   .line = at.line,
                   .column = at.column,
                   .has_line = known});
    if (at.frame == 0) return true;
    at = {.frame = definition.caller,
          .file = definition.call_file,
          .line = definition.call_line,
          .column = definition.call_column};
  }
}

/// Reads the subprogram of a frame and asks for its texts.
bool Symcache::find_texts(FramePlace& place, Parameters parameters) const {
  UlebCursor in(subprograms_, place.subprogram);
  const std::uint32_t own_file = in.number();
  const std::uint32_t base_line = in.number();
  if (place.has_line) place.line += base_line;
  if ((header_.flags & kHasParameters) != 0) {
    const std::uint32_t position = in.number();
    if (parameters == Parameters::read && position != 0) {
      UlebCursor text(names_, position);
      if (!find_runs(text, place.parameters)) return false;
    }
  }
  if (!find_runs(in, place.name)) return false;
  if (place.file == kOwnFile) place.file = own_file;
  if (place.file == kNoFile) return true;
  if (place.file < kFirstFile || place.file - kFirstFile >= files_.size()) return false;
  UlebCursor path(names_, files_[place.file - kFirstFile]);
  return find_runs(path, place.path);
}

std::string_view Symcache::linkage_name(const Found& found, FrameBuffer& out) const {
  std::string_view text;
  return read_text(names_, found.linkage_position, out, text) ? text : std::string_view{};
}

Read<FunctionInfo> Symcache::function(std::uint32_t index, FrameBuffer& out) const {
  out.clear();
  FunctionRecord record;
  if (index >= header_.function_count || !read_record(index, record))
    return bad_value("symcache.function", index, index);
  FunctionInfo info{.start = {record.start},
                    .size = record.size,
                    .kind = static_cast<model::SymbolKind>(record.flags & kKindMask),
                    .language = record.language};
  FramePlace place{.subprogram = record.subprogram, .file = kNoFile};
  const bool named = find_texts(place, Parameters::skip) && copy_text(place.name, out, info.name) &&
                     read_text(names_, record.linkage_name, out, info.linkage_name);
  if (!named) return bad_value("symcache.function.name", index, record.subprogram);
  if ((record.flags & kHasParent) != 0)
    info.parent = model::Rva{record.start - static_cast<std::uint64_t>(record.parent_distance)};
  for (UlebCursor aliases(record.aliases, 0); !aliases.at_end();) {
    Alias alias;
    if (!read_text(names_, aliases.number(), out, alias.name) ||
        !read_text(names_, aliases.number(), out, alias.linkage_name))
      return bad_value("symcache.function.alias", index, info.aliases.size());
    info.aliases.push_back(alias);
  }
  RowDecoder rows(record.program, has_columns());
  for (RowState state; rows.next(state);) ++info.row_count;
  if (rows.failed()) return bad_value("symcache.function.rows", index, info.row_count);
  return info;
}

}  // namespace symcached::symcache
