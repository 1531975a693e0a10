/// Input: any file. Opening it through the C functions and asking it never crashes; what it answers is within its
/// limits, a cache that comes of it opens, and says the same.
#include <symcached/symcached.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

struct Close {
  void operator()(symcached_module* module) const { symcached_close(module); }
  void operator()(symcached_answer* answer) const { symcached_answer_free(answer); }
};
using Module = std::unique_ptr<symcached_module, Close>;
using Answer = std::unique_ptr<symcached_answer, Close>;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Reads every byte of an answer.
std::size_t weight(const symcached_answer* answer, int count) {
  std::size_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const symcached_frame& frame = symcached_frames(answer)[i];
    require((frame.is_inlined != 0) == (i + 1 != count));
    for (const symcached_text& text : {frame.function, frame.file, frame.language})
      for (std::size_t at = 0; at < text.size; ++at) sum += static_cast<unsigned char>(text.data[at]);
    sum += frame.line + frame.column + frame.function_start + frame.function_size;
  }
  return sum;
}

int ask(const symcached_module* module, std::uint64_t place, std::uint32_t flags, symcached_answer* answer) {
  if (symcached_is_managed(module) == 0) return symcached_lookup(module, place, flags, answer);
  return symcached_lookup_method(module, static_cast<std::uint32_t>(place % 200),
                                 static_cast<std::uint32_t>(place / 64), flags, answer);
}

void ask_both(const symcached_module* module, const symcached_module* again, std::uint64_t place, std::uint32_t flags) {
  static const Answer one(symcached_answer_new()), other(symcached_answer_new());
  const int count = ask(module, place, flags, one.get());
  require(count >= 0 && count <= 512);
  require(ask(again, place, flags, other.get()) == count);
  require(weight(one.get(), count) == weight(other.get(), count));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  symcached_open_options options{};
  options.struct_size = sizeof(options);
  options.max_unpacked = std::uint64_t{16} << 20;
  char why[64] = "";
  const Module module(symcached_open_bytes(data, size, &options, why, sizeof(why)));
  if (!module) {
    require(*why != '\0' && std::memchr(why, '\0', sizeof(why)) != nullptr);
    return 0;
  }
  std::size_t cache_size = 0;
  const void* const cache = symcached_cache(module.get(), &cache_size);
  const Module again(symcached_open_bytes(cache, cache_size, &options, why, sizeof(why)));
  require(again != nullptr && std::strcmp(symcached_debug_id(module.get()), symcached_debug_id(again.get())) == 0);
  std::uint64_t base = 0;
  symcached_image_base(module.get(), &base);
  std::uint32_t flags = 0;
  for (std::uint64_t place = 0; place < 0x8000; place += 1 + place / 32)
    ask_both(module.get(), again.get(), place, flags++ % 32);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size && at < 512; at += sizeof(std::uint64_t)) {
    std::uint64_t place = 0;
    std::memcpy(&place, data + at, sizeof(place));
    ask_both(module.get(), again.get(), place, 0);
  }
  return 0;
}
