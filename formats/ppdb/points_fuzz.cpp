/// The first byte is the method's document, the second the number of documents; the rest is the blob.
#include <cstdlib>

#include "formats/ppdb/sequence_points.hpp"

namespace {

using namespace symcached;

void check(bool holds) {
  if (!holds) std::abort();
}

/// What the decoder promises of every point it gives.
void check_promises(const ppdb::SequencePoint& p, const ppdb::SequencePoint* before, std::uint32_t documents) {
  check(p.il_offset < ppdb::kMaxIlOffset);
  check(before == nullptr || before->il_offset < p.il_offset);
  check(p.document >= 1 && p.document <= documents);
  check(p.start_line <= p.end_line && p.end_line < ppdb::kMaxLine);
  check(p.start_column < ppdb::kMaxColumn && p.end_column < ppdb::kMaxColumn);
  check(!p.hidden || (p.start_line == 0 && p.end_line == 0 && p.start_column == 0 && p.end_column == 0));
  check(p.hidden || p.start_line != p.end_line || p.start_column < p.end_column);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  ppdb::SequencePoints points(std::as_bytes(std::span(data + 2, size - 2)), data[0], data[1]);
  ppdb::SequencePoint before;
  bool first = true;
  for (ppdb::SequencePoint p; points.next(p); first = false, before = p)
    check_promises(p, first ? nullptr : &before, data[1]);
  if (points.error()) check(!points.error()->field.empty());
  return 0;
}
