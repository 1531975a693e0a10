/// Checks a whole symcache. Every byte is read once or twice, whatever a hostile file makes point where.
#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "symcache/function_record.hpp"
#include "symcache/reader.hpp"

namespace symcached::symcache {

class Verifier {
 public:
  explicit Verifier(const Symcache& cache) : cache_(cache) {}
  Read<void> run();

 private:
  Read<void> check_checksum() const;
  Read<void> list_names();
  Read<void> list_subprograms();
  Read<void> check_files() const;
  Read<void> check_sections() const;
  template <class Address>
  Read<void> check_addresses() const;
  Read<void> check_function(std::uint32_t index);
  bool check_aliases(Bytes aliases) const;
  Read<void> check_rows(std::uint32_t index, const FunctionRecord& record);
  bool check_frame(const RowDecoder& decoder, std::uint32_t position);
  bool skip_text(UlebCursor& in) const;
  template <class Run>
  bool skip_runs(UlebCursor& in) const;
  bool is_file(std::uint32_t operand) const { return operand < kFirstFile + std::uint64_t{cache_.files_.size()}; }
  bool is_name(std::uint32_t position) const { return position < name_at_.size() && name_at_[position]; }
  bool is_subprogram(std::uint32_t position) const {
    return position < subprogram_at_.size() && subprogram_at_[position];
  }

  const Symcache& cache_;
  std::vector<bool> name_at_, subprogram_at_;  // by position in their sections: one begins here
  std::vector<bool> frame_checked_;            // by position in the current program
};

Read<void> Verifier::run() {
  if (auto ok = check_checksum(); !ok) return ok;
  if (auto ok = list_names(); !ok) return ok;
  if (auto ok = list_subprograms(); !ok) return ok;
  if (auto ok = check_files(); !ok) return ok;
  if (auto ok = check_sections(); !ok) return ok;
  const bool wide = (cache_.header_.flags & kWideAddresses) != 0;
  if (auto ok = wide ? check_addresses<u64le>() : check_addresses<u32le>(); !ok) return ok;
  for (std::uint32_t i = 0; i < cache_.function_count(); ++i)
    if (auto ok = check_function(i); !ok) return ok;
  return {};
}

Read<void> Verifier::check_checksum() const {
  const std::uint64_t stated = cache_.header_.payload_checksum;
  const std::uint64_t actual = XXH3_64bits(cache_.payload_.data(), cache_.payload_.size());
  if (actual != stated) return bad_value("symcache.payload_checksum", 24, stated, actual);
  return {};
}

bool Verifier::skip_text(UlebCursor& in) const {
  return (cache_.header_.flags & kWideRuns) != 0 ? skip_runs<WideTextRun>(in) : skip_runs<TextRun>(in);
}

template <class Run>
bool Verifier::skip_runs(UlebCursor& in) const {
  const std::size_t limit = cache_.text_.size() - kTextPadding;
  const std::uint32_t count = in.number();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const auto run = read_at<Run>(in.bytes(sizeof(Run)), 0, "symcache.run");
    if (!run || length_of(*run) == 0 || place_of(*run) > limit || length_of(*run) > limit - place_of(*run))
      return false;
  }
  return !in.failed();
}

Read<void> Verifier::list_names() {
  name_at_.assign(cache_.names_.size(), false);
  for (UlebCursor in(cache_.names_, 0); !in.at_end();) {
    const std::size_t here = in.position();
    name_at_[here] = true;
    if (!skip_text(in)) return bad_value("symcache.names", here, here);
  }
  return {};
}

Read<void> Verifier::list_subprograms() {
  subprogram_at_.assign(cache_.subprograms_.size(), false);
  for (UlebCursor in(cache_.subprograms_, 0); !in.at_end();) {
    const std::size_t here = in.position();
    subprogram_at_[here] = true;
    const std::uint32_t file = in.number();
    in.number();  // base line
    if ((cache_.header_.flags & kHasParameters) != 0)
      if (const std::uint32_t parameters = in.number(); !is_name(parameters))
        return bad_value("symcache.subprograms.parameters", here, parameters);
    if (file == kOwnFile || !is_file(file) || !skip_text(in)) return bad_value("symcache.subprograms", here, file);
  }
  return {};
}

Read<void> Verifier::check_files() const {
  for (std::size_t i = 0; i < cache_.files_.size(); ++i)
    if (!is_name(cache_.files_[i])) return bad_value("symcache.files", i * 4, cache_.files_[i]);
  return {};
}

Read<void> Verifier::check_sections() const {
  if (cache_.sections_.empty()) return {};
  const std::uint32_t stated = UlebCursor(cache_.sections_, 0).number();
  const std::size_t found = cache_.sections().size();
  if (found != stated) return bad_value("symcache.module.sections", 0, found, stated);
  return {};
}

template <class Address>
Read<void> Verifier::check_addresses() const {
  const auto* starts = reinterpret_cast<const Address*>(cache_.starts_.data());
  const auto* samples = reinterpret_cast<const Address*>(cache_.samples_.data());
  for (std::uint32_t i = 0; i < cache_.function_count(); ++i) {
    if (i != 0 && starts[i - 1] >= starts[i]) return bad_value("symcache.starts", i * sizeof(Address), starts[i]);
    if (i % kStartsPerSample == 0 && samples[i / kStartsPerSample] != starts[i])
      return bad_value("symcache.samples", i / kStartsPerSample * sizeof(Address), samples[i / kStartsPerSample],
                       starts[i]);
  }
  return {};
}

Read<void> Verifier::check_function(std::uint32_t index) {
  FunctionRecord record;
  if (!cache_.read_record(index, record)) return bad_value("symcache.function", index, index);
  if (!is_subprogram(record.subprogram)) return bad_value("symcache.function.name", index, record.subprogram);
  if ((record.flags & kHasLinkageName) != 0 && !is_name(record.linkage_name))
    return bad_value("symcache.function.linkage_name", index, record.linkage_name);
  if (!check_aliases(record.aliases)) return bad_value("symcache.function.aliases", index, record.aliases.size());
  if (record.enclosing_distance > index)
    return bad_value("symcache.function.enclosing", index, record.enclosing_distance, index);
  return check_rows(index, record);
}

bool Verifier::check_aliases(Bytes aliases) const {
  for (UlebCursor in(aliases, 0); !in.at_end();) {
    const std::uint32_t name = in.number(), linkage_name = in.number();
    if (in.failed() || !is_name(name) || !is_name(linkage_name)) return false;
  }
  return true;
}

/// Rows one after the other; where a restart stands, decoding from there must give the same row.
Read<void> Verifier::check_rows(std::uint32_t index, const FunctionRecord& record) {
  RowDecoder rows(record.program, cache_.has_columns());
  frame_checked_.assign(record.program.size() + 1, false);
  auto restart = record.restarts.begin();
  std::size_t run = 0;
  std::uint64_t next_offset = 0;
  for (RowState state;; ++run) {
    const std::size_t here = rows.position();
    if (!rows.next(state)) break;
    if (state.offset < next_offset) return bad_value("symcache.function.row_offset", index, state.offset, next_offset);
    next_offset = state.offset + 1;
    if (restart != record.restarts.end() && restart->position == here) {
      RowDecoder again(record.program, cache_.has_columns());
      again.restart_at(*restart++);
      RowState row;
      if (!again.next(row) || row != state) return bad_value("symcache.function.restart", index, here);
      run = 0;
    }
    if (run >= kLongestRun) return bad_value("symcache.function.run", index, run, kLongestRun);
    if (!is_file(state.file) || !check_frame(rows, state.frame))
      return bad_value("symcache.function.frames", index, state.offset);
  }
  if (rows.failed()) return bad_value("symcache.function.rows", index, next_offset);
  if (restart != record.restarts.end()) return bad_value("symcache.function.restart", index, restart->position);
  return {};
}

/// The frame and its callers, up to one seen before.
bool Verifier::check_frame(const RowDecoder& decoder, std::uint32_t position) {
  while (position != 0) {
    if (position >= frame_checked_.size()) return false;
    if (frame_checked_[position]) return true;
    FrameDefinition frame;
    if (!decoder.definition(position, frame) || !is_subprogram(frame.subprogram) || !is_file(frame.call_file))
      return false;
    frame_checked_[position] = true;
    position = frame.caller;
  }
  return true;
}

Read<void> Symcache::verify() const { return Verifier(*this).run(); }

}  // namespace symcached::symcache
