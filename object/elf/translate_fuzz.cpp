#include "object/elf/translate.hpp"
#include "testing/checking_sink.hpp"

/// The file is its own companion in every role, so that what refers to another file is followed, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes file = std::as_bytes(std::span(data, size));
  std::vector<object::Companion> companions;
  for (const object::NeedFile& need : object::needed_files_elf(file, {})) companions.push_back({need, file});
  companions.push_back({{.kind = object::NeedFile::Kind::split_package}, file});
  testkit::CheckingSink sink;
  (void)object::translate_elf({.file = file, .companions = companions}, sink);
  return 0;
}
