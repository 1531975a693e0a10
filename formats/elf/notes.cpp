#include "formats/elf/notes.hpp"

#include <algorithm>

#include "formats/elf/reader.hpp"

namespace symcached::elf {
namespace {

/// Finds the build id in notes that may overlap: together they may be no more than the file.
class BuildIdSearch {
 public:
  explicit BuildIdSearch(const File& file) : file_(file), left_(file.bytes().size()) {}

  bool in(const Read<Bytes>& notes, std::uint64_t alignment) {
    if (!notes || notes->size() > left_) return false;
    left_ -= notes->size();
    NoteReader reader(*notes, file_.layout(), alignment);
    for (Note note; reader.next(note);) {
      if (note.owner != "GNU" || note.type != kNoteBuildId || note.data.empty()) continue;
      found = note.data;
      return true;
    }
    return false;
  }
  Bytes found;

 private:
  const File& file_;
  std::uint64_t left_;
};

}  // namespace

bool NoteReader::next(Note& note) {
  const auto head = in_.take(12, "elf.note");
  if (!head) return false;
  Fields fields(head->data(), layout_);
  const std::uint32_t name_size = fields.u32(), data_size = fields.u32();
  note.type = fields.u32();
  const auto name = in_.take(name_size, "elf.note.name");
  if (!name) return false;
  note.owner = as_text(*name);
  if (!note.owner.empty() && note.owner.back() == '\0') note.owner.remove_suffix(1);
  in_.align(alignment_);
  const auto data = in_.take(data_size, "elf.note.data");
  if (!data) return false;
  note.data = *data;
  in_.align(alignment_);
  return true;
}

Bytes find_build_id(const File& file) {
  BuildIdSearch search(file);
  for (const Section& section : file.sections())
    if (section.type == SectionType::note && search.in(file.contents(section), section.alignment)) return search.found;
  for (const Segment& segment : file.segments())
    if (segment.type == kSegmentNote &&
        search.in(slice(file.bytes(), segment.offset, segment.file_size, "elf.note"), segment.alignment))
      return search.found;
  return {};
}

}  // namespace symcached::elf
