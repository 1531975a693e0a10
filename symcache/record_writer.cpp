#include "symcache/record_writer.hpp"

namespace symcached::symcache {

void RecordWriter::put(const FunctionGroup& group, ByteWriter& out) {
  const StoredFunction& f = *group.primary;
  encode_rows(group);
  const bool is_cold = f.kind == model::SymbolKind::cold_part;
  const bool has_language = f.language != model::Language::unknown;
  std::uint8_t flags = static_cast<std::uint8_t>(f.kind);
  if (f.linkage_name != 0) flags |= kHasLinkageName;
  if (!group.aliases.empty()) flags |= kHasAliases;
  if (is_cold) flags |= kHasParent;
  if (group.enclosing_distance != 0) flags |= kIsEnclosed;
  if (!encoder_.restarts().empty()) flags |= kHasRestarts;
  if (has_language) flags |= kHasLanguage;
  out.put_u8(flags);
  out.put_uleb(f.size);
  out.put_uleb(sources_.subprograms.at(sources_.frame_subprograms[group.first_frame]).position);
  if (has_language) out.put_u8(static_cast<std::uint8_t>(f.language));
  if (f.linkage_name != 0) out.put_uleb(sources_.name_positions[f.linkage_name]);
  if (!group.aliases.empty()) put_aliases(group, out);
  if (is_cold) out.put_uleb(zigzag(static_cast<std::int64_t>(f.start - f.parent)));
  if (group.enclosing_distance != 0) out.put_uleb(group.enclosing_distance);
  if (!encoder_.restarts().empty()) {
    out.put_uleb(encoder_.restarts().size());
    for (const Restart& restart : encoder_.restarts()) out.put(restart);
  }
  out.put_bytes(encoder_.program());
}

/// Stated with their size in bytes, so that a lookup steps over the thousands of names that folding leaves.
void RecordWriter::put_aliases(const FunctionGroup& group, ByteWriter& out) const {
  ByteWriter names;
  for (const StoredFunction& alias : group.aliases) {
    names.put_uleb(sources_.name_positions[sources_.texts.name(alias.name)]);
    names.put_uleb(sources_.name_positions[alias.linkage_name]);
  }
  out.put_uleb(names.size());
  out.put_bytes(names.bytes());
}

std::uint32_t RecordWriter::file_operand(model::StringId file, const Subprogram& seen_from) const {
  const auto text = static_cast<std::uint32_t>(file);
  return text == seen_from.file ? std::uint32_t{kOwnFile} : sources_.file_operands[text];
}

void RecordWriter::encode_rows(const FunctionGroup& group) {
  sources_.store.unpack(*group.primary, frames_, rows_);
  const auto subprogram_of = [&](std::uint32_t inlinee) -> const Subprogram& {
    return sources_.subprograms.at(sources_.frame_subprograms[group.first_frame + (inlinee + 1u)]);
  };
  encoded_frames_.clear();
  for (std::uint32_t i = 0; i < frames_.size(); ++i) {
    const Subprogram& caller = subprogram_of(frames_[i].caller);
    encoded_frames_.push_back({.caller = frames_[i].caller,
                               .subprogram = subprogram_of(i).position,
                               .call_file = file_operand(frames_[i].call_file, caller),
                               .call_line = std::int64_t{frames_[i].call_line} - caller.base_line,
                               .call_column = frames_[i].call_column});
  }
  encoded_rows_.clear();
  for (const model::Line& row : rows_) {
    const Subprogram& frame = subprogram_of(row.inlinee);
    encoded_rows_.push_back({.offset = row.offset / unit_,
                             .frame = row.inlinee,
                             .file = file_operand(row.file, frame),
                             .line = std::int64_t{row.line} - frame.base_line,
                             .column = row.column});
  }
  encoder_.encode(encoded_rows_, encoded_frames_);
}

}  // namespace symcached::symcache
