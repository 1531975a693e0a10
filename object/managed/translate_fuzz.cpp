#include "object/managed/translate.hpp"

#include <cstdlib>

#include "object/managed/describe.hpp"
#include "object/managed/files.hpp"
#include "ppdbcache/reader.hpp"
#include "ppdbcache/writer.hpp"

/// A Portable PDB or an assembly; behind a length of 4 bytes, the other half. What comes out keeps the sink's rules:
/// the writer takes it, and the cache is right.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  Bytes input = std::as_bytes(std::span(data, size));
  const auto length = read_at<u32le>(input, 0, "fuzz.length");
  if (!length) return 0;
  input = input.subspan(4);
  const std::size_t cut = std::min<std::size_t>(*length, input.size());
  const Bytes file = input.first(cut);
  object::FileInfo info;
  object::describe_portable_pdb(info, file);
  if (const auto image = pe::Image::open(file)) object::describe_assembly(info, *image);
  if (!object::is_managed(file)) return 0;
  const bool is_pdb = ppdb::is_metadata(file);
  const object::Companion other{
      {.kind = is_pdb ? object::NeedFile::Kind::assembly : object::NeedFile::Kind::portable_pdb,
       .path = {},
       .directory = {},
       .build_id = {}},
      input.subspan(cut)};
  (void)object::needed_files_managed(file, {&other, 1});
  ppdbcache::Writer writer;
  if (!object::translate_managed({.file = file, .companions = {&other, 1}}, writer)) return 0;
  const auto cache = std::move(writer).finish();
  if (!cache) std::abort();
  const auto reader = ppdbcache::Reader::open(*cache);
  if (!reader || !reader->verify()) std::abort();
  return 0;
}
