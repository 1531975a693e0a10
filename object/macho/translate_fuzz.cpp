/// A whole Mach-O file to the model, with itself as every file that it needs.
#include "object/macho/translate.hpp"

#include "object/macho/describe.hpp"
#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto bytes = std::as_bytes(std::span(data, size));
  object::FileInfo info;
  object::describe_macho(info, bytes);
  std::vector<object::Companion> companions;
  for (const object::NeedFile& need : object::needed_files_macho(bytes, {}))
    if (companions.size() < 16) companions.push_back({need, bytes});
  constexpr std::string_view kMap = "BCSymbolMap Version: 2.0\nfirst\n\1-[A b]\n/src/a.m\n";
  companions.push_back({{.kind = object::NeedFile::Kind::symbol_map}, as_bytes(kMap)});
  static_cast<void>(object::needed_files_macho(bytes, companions));
  testkit::CheckingSink sink;
  [[maybe_unused]] const auto done = object::translate_macho({.file = bytes, .companions = companions}, sink);
  return 0;
}
