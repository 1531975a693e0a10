/// piecewise FILE [COUNT]: compares what an ELF file is said to have at an address by its pieces with
/// what it has converted whole, at COUNT addresses spread over its code, by default at each.
/// Prints "N same, N left to the whole" and each difference. Exit status 1: there is one.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/mapped_file.hpp"
#include "formats/elf/reader.hpp"
#include "object/elf/partial.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/derive.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"

namespace {

using namespace symcached;

std::string text_at(const symcache::Symcache& cache, model::Rva rva) {
  symcache::FrameBuffer buffer;
  const auto found = cache.lookup(rva, buffer);
  if (!found) return "nothing";
  std::string text = fmt::format("{:#x}+{:#x} kind {}", found->start.value, found->size, static_cast<int>(found->kind));
  for (const symcache::Frame& frame : found->frames)
    text += fmt::format("; {} {}:{}:{}", frame.function, frame.file, frame.line, frame.column);
  return text + "; " + std::string(cache.linkage_name(*found, buffer));
}

struct Counts {
  std::size_t same = 0, other = 0, left = 0;
};

void compare(object::PartialElf& partial, const symcache::Symcache& whole, model::Rva rva, Counts& counts) {
  std::optional<symcache::Writer> writer;
  const auto done = partial.translate_at(rva, [&]() -> model::ModuleSink& { return writer.emplace(); });
  if (!done || !*done) {
    ++counts.left;
    return;
  }
  const std::vector<std::byte> bytes = std::move(*writer).finish();
  const auto piece = symcache::Symcache::open(bytes);
  const std::string ours = piece ? text_at(*piece, rva) : to_string(piece.error()), theirs = text_at(whole, rva);
  ++(ours == theirs ? counts.same : counts.other);
  if (ours != theirs && counts.other <= 20) fmt::print("{:#x}\n  piece {}\n  whole {}\n", rva.value, ours, theirs);
}

int fail(std::string_view why) {
  fmt::print(stderr, "piecewise: {}\n", why);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("FILE [COUNT]");
  const auto mapped = MappedFile::open(argv[1]);
  if (!mapped) return fail(mapped.error());
  const auto elf = elf::File::open(mapped->bytes());
  if (!elf) return fail(to_string(elf.error()));
  const std::vector<std::string> folders{symbolize::kDebugFolder};
  const auto companions = symbolize::find_companions(argv[1], mapped->bytes(), {.debug_folders = folders});
  const object::Original original{.file = mapped->bytes(), .companions = companions.all(), .threads = 2};
  const auto whole = symbolize::derive_symcache(original);
  if (!whole) return fail(whole.error());
  const auto cache = symcache::Symcache::open(whole->file);
  auto partial = object::PartialElf::open(original, true);
  if (!partial) return fail(to_string(partial.error()));
  if (*partial == nullptr) {
    fmt::print("only whole\n");
    return 0;
  }
  std::uint64_t bytes = 0;
  for (const auto& range : elf->code_ranges()) bytes += range.end - range.start;
  const std::uint64_t wanted = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : bytes;
  const std::uint64_t step = wanted == 0 || wanted >= bytes ? 1 : bytes / wanted;
  Counts counts;
  for (const auto& range : elf->code_ranges())
    for (std::uint64_t at = range.start; at < range.end; at += step)
      compare(**partial, *cache, {at - elf->image_base()}, counts);
  fmt::print("{} same, {} left to the whole, {} others\n", counts.same, counts.left, counts.other);
  return counts.other == 0 ? 0 : 1;
}
