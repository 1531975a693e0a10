/// ppdb_points FILE: all that a Portable PDB, or an assembly with one inside, says, as testing/ppdb_text.hpp writes it.
/// ppdb_points --time FILE: milliseconds to decode all points, the best of 20 rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "base/mapped_file.hpp"
#include "formats/pe/managed.hpp"
#include "testing/managed/ppdb_text.hpp"

namespace {

using namespace symcached;

Read<Buffer> unpacked(Bytes assembly) {
  SC_TRY(const auto image, pe::Image::open(assembly));
  SC_TRY(const auto files, pe::debug_files(image));
  if (!files.embedded) return unsupported("no Portable PDB inside of this assembly", 0);
  return pe::unpack(*files.embedded);
}

Read<std::string> timed(const ppdb::Pdb& pdb) {
  double best = 1e9;
  std::uint64_t methods = 0, count = 0, sum = 0;
  for (int round = 0; round < 20; ++round) {
    methods = count = 0;
    const auto start = std::chrono::steady_clock::now();
    const auto walked = pdb.for_each_method([&](std::uint32_t, ppdb::SequencePoints& points) {
      ++methods;
      for (ppdb::SequencePoint p; points.next(p); ++count) sum += p.il_offset + p.start_line + p.end_column;
    });
    if (!walked) return std::unexpected(walked.error());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return fmt::format("{:.3f} ms, {} points in {} methods, {:.1f} ns each ({:x})\n", best, count, methods,
                     best * 1e6 / static_cast<double>(count), sum);
}

Read<std::string> run(Bytes file, bool time) {
  Buffer owned;
  if (!ppdb::is_metadata(file)) {
    SC_TRY(owned, unpacked(file));
    file = owned.bytes();
  }
  SC_TRY(const auto pdb, ppdb::Pdb::open(file));
  return time ? timed(pdb) : testkit::ppdb_text(pdb);
}

}  // namespace

int main(int argc, char** argv) {
  const bool time = argc > 1 && std::string_view(argv[1]) == "--time";
  if (argc != (time ? 3 : 2)) return std::fputs("usage: ppdb_points [--time] FILE\n", stderr), 2;
  const auto file = MappedFile::open(argv[argc - 1]);
  if (!file) return std::fprintf(stderr, "%s\n", file.error().c_str()), 1;
  const auto text = run(file->bytes(), time);
  if (!text) return std::fprintf(stderr, "%s: %s\n", argv[argc - 1], to_string(text.error()).c_str()), 1;
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}
