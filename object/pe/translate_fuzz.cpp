/// PE images and object files to the model.
#include "object/pe/translate.hpp"

#include "object/pe/translate_coff.hpp"
#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const object::Original original{std::as_bytes(std::span(data, size))};
  object::needed_files_pe(original.file, {});
  testkit::CheckingSink image_sink, object_sink;
  [[maybe_unused]] const auto image = object::translate_pe(original, image_sink);
  [[maybe_unused]] const auto object = object::translate_coff(original, object_sink);
  return 0;
}
