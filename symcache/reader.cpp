#include "symcache/reader.hpp"

#include <xxhash.h>

#include <algorithm>
#include <atomic>

#include "symcache/function_record.hpp"

namespace symcached::symcache {

namespace {

/// What stands in the upper half of TextKey::position, beside a position in `subprograms` or the number of a file.
enum class TextOf : std::uint64_t { name, name_and_parameters, file };

TextKey key_of(std::uint64_t cache, TextOf what, std::uint32_t position) {
  return {cache, static_cast<std::uint64_t>(what) << 32 | position};
}

TextOf text_of(Parameters parameters) {
  return parameters == Parameters::read ? TextOf::name_and_parameters : TextOf::name;
}

std::uint32_t position_of(TextKey key) { return static_cast<std::uint32_t>(key.position); }

}  // namespace

void FrameBuffer::clear() {
  frames.clear();
  texts.clear();
}

std::string_view FrameBuffer::keep(std::string_view text) {
  char* const kept = memo.memory.take(text.size());
  std::ranges::copy(text, kept);
  return {kept, text.size()};
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
  static std::atomic<std::uint64_t> opened = 0;
  cache.number_ = ++opened;
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
  __builtin_prefetch(records_.data() + begin);  // one of these is read next
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
  out.memo.begin();
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
  out.memo.prefetch(key_of(number_, text_of(parameters), record.subprogram));  // it comes while rows are decoded
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

/// Two texts, one behind the other: the name and the parameters of `made`.
bool Symcache::copy_texts(const TextRuns& first, const TextRuns& second, TextMemory& memory, KnownText& made) const {
  const std::size_t runs = std::size_t{first.count} + second.count;
  if (runs == 0) return true;
  const std::size_t room = runs * kLongestRunOfText + kTextPadding;
  if (room > kMaxAnswerBytes - std::min(kMaxAnswerBytes, memory.bytes())) return false;
  char* const start = memory.take(room);
  std::size_t name = 0, parameters = 0;
  const bool good = copy_runs(first, start, name) && copy_runs(second, start + name, parameters);
  memory.trim(good ? room - name - parameters : room);
  made.name = start;
  made.name_size = static_cast<std::uint32_t>(name);
  made.parameters_size = static_cast<std::uint32_t>(parameters);
  return good;
}

bool Symcache::read_text(Bytes section, std::uint32_t position, FrameBuffer& out, std::string_view& text) const {
  UlebCursor in(section, position);
  TextRuns runs;
  KnownText made;
  if (!find_runs(in, runs) || !copy_texts(runs, {}, out.texts, made)) return false;
  text = {made.name, made.name_size};
  return true;
}

/// From the innermost frame outward: each frame's position is the row's, or where it calls the frame inside it.
/// All frames' memory is asked for before any of it is read, so that what the caches miss comes at the same time.
/// @param row  null: the function alone, at no known line
bool Symcache::append_frames(const FunctionRecord& record, const RowState* row, Parameters parameters,
                             FrameBuffer& out) const {
  if (!list_frames(record, row, parameters, out)) return false;
  for (FramePlace& place : out.places) {
    place.known = out.memo.find(place.key);
    if (place.known == nullptr && !read_subprogram(position_of(place.key), parameters, place.subprogram)) return false;
  }
  std::size_t left = kMaxAnswerBytes;
  for (const FramePlace& place : out.places) {
    KnownText spare;
    KnownText* const known = place.known != nullptr ? place.known : remember(place, out, spare);
    if (known == nullptr) return false;
    std::string_view path(known->path, known->path_size);
    if (place.file != kOwnFile ? !path_of(place.file, out, path) : known->path_size == KnownText::kBadPath)
      return false;
    const std::size_t bytes = std::size_t{known->name_size} + known->parameters_size + path.size();
    if (bytes > left) return false;
    left -= bytes;
    out.frames.push_back({.function = {known->name, known->name_size},
                          .file = path,
                          .line = place.has_line ? place.line + known->base_line : 0,
                          .column = place.column,
                          .parameters = {known->name + known->name_size, known->parameters_size},
                          .derived = known != &spare ? &known->derived : nullptr});
  }
  return true;
}

bool Symcache::list_frames(const FunctionRecord& record, const RowState* row, Parameters parameters,
                           FrameBuffer& out) const {
  const RowDecoder decoder(record.program, has_columns());
  const TextOf what = text_of(parameters);
  out.places.clear();
  bool known = row != nullptr;
  for (RowState at = known ? *row : RowState{};;) {
    if (out.places.size() + 1 >= kMaxFrames && at.frame != 0) at = {}, known = false;
    FrameDefinition definition;
    if (at.frame == 0) definition.subprogram = record.subprogram;
    else if (!decoder.definition(at.frame, definition)) return false;
    if (definition.subprogram >= subprograms_.size()) return false;
    const FramePlace place{.key = key_of(number_, what, definition.subprogram),
                           .file = known ? at.file : std::uint32_t{kNoFile},
                           .line = at.line,
                           .column = at.column,
                           .has_line = known};
    out.memo.prefetch(place.key);
    __builtin_prefetch(subprograms_.data() + definition.subprogram);
    out.places.push_back(place);
    if (at.frame == 0) return true;
    at = {.frame = definition.caller,
          .file = definition.call_file,
          .line = definition.call_line,
          .column = definition.call_column};
  }
}

/// Asks for its texts, too.
bool Symcache::read_subprogram(std::uint32_t position, Parameters parameters, StoredSubprogram& out) const {
  UlebCursor in(subprograms_, position);
  out.own_file = in.number();
  out.base_line = in.number();
  if ((header_.flags & kHasParameters) != 0) {
    const std::uint32_t stored = in.number();
    if (parameters == Parameters::read && stored != 0) {
      UlebCursor text(names_, stored);
      if (!find_runs(text, out.parameters)) return false;
    }
  }
  return find_runs(in, out.name);
}

/// Puts the texts of what was read together.
/// @return what the memo has of it now, or `spare` if there is no room; null where the texts are wrong
KnownText* Symcache::remember(const FramePlace& place, FrameBuffer& out, KnownText& spare) const {
  if (KnownText* const known = out.memo.find(place.key)) return known;  // this answer has it twice
  const bool stays = out.memo.has_room();
  KnownText made{.key = place.key, .base_line = place.subprogram.base_line};
  if (!copy_texts(place.subprogram.name, place.subprogram.parameters, stays ? out.memo.memory : out.texts, made))
    return nullptr;
  std::string_view path;
  const bool good = path_of(place.subprogram.own_file, out, path);
  made.path = path.data();
  made.path_size = good ? static_cast<std::uint32_t>(path.size()) : KnownText::kBadPath;
  if (stays && out.memo.has_room()) return out.memo.add(made);
  spare = made;
  return &spare;
}

/// @param operand  never kOwnFile. False where there is no such file, or its path is wrong
bool Symcache::path_of(std::uint32_t operand, FrameBuffer& out, std::string_view& path) const {
  path = {};
  if (operand == kNoFile) return true;
  const std::uint32_t file = operand - kFirstFile;
  if (operand < kFirstFile || file >= files_.size()) return false;
  KnownText made{.key = key_of(number_, TextOf::file, file)};
  KnownText* known = out.memo.find(made.key);
  if (known == nullptr) {
    UlebCursor in(names_, files_[file]);
    TextRuns runs;
    const bool stays = out.memo.has_room();
    if (!find_runs(in, runs) || !copy_texts(runs, {}, stays ? out.memo.memory : out.texts, made)) return false;
    known = stays ? out.memo.add(made) : &made;
  }
  path = {known->name, known->name_size};
  return true;
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
  StoredSubprogram subprogram;
  KnownText name;
  const bool named = read_subprogram(record.subprogram, Parameters::skip, subprogram) &&
                     copy_texts(subprogram.name, {}, out.texts, name) &&
                     read_text(names_, record.linkage_name, out, info.linkage_name);
  if (!named) return bad_value("symcache.function.name", index, record.subprogram);
  info.name = {name.name, name.name_size};
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
