/// bench_lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N]: how fast one thread looks addresses up in a
/// symcache, as the program does: with the names it has met before at hand. ADDRESSES: a file of hexadecimal addresses
/// from the image base, one a line. Function, file and line of every frame are touched. Prints `name=value` pairs, the
/// same as bench/peers/rust.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "bench/arguments.hpp"
#include "symbolize/module.hpp"

namespace {

using namespace symcached;

constexpr std::string_view kProgram = "bench_lookup";
constexpr std::size_t kKeptNames = std::size_t{128} << 20;  ///< as `symcached lookup` keeps

[[noreturn]] void die(std::string_view why) { bench::die(kProgram, why); }

std::optional<model::Rva> parse_address(std::string_view line) {
  const auto address = bench::parse<std::uint64_t>(line.starts_with("0x") ? line.substr(2) : line, 16);
  return address ? std::optional(model::Rva{*address}) : std::nullopt;
}

/// Each function as likely as any other, whatever its size.
void choose_addresses(const symcache::Symcache& cache, std::uint64_t count) {
  if (cache.function_count() == 0) die("the cache holds no functions");
  std::mt19937_64 random(1);
  symcache::FrameBuffer buffer;
  for (std::uint64_t tries = 0; count != 0; ++tries) {
    if (tries > 10'000'000 + 10 * count) die("too few of its functions have a size");
    const auto f = cache.function(static_cast<std::uint32_t>(random() % cache.function_count()), buffer);
    if (!f || f->size == 0) continue;
    fmt::print("{:#x}\n", f->start.value + random() % f->size);
    --count;
  }
}

/// Summed, so that nothing can be left out by the optimiser.
struct Touched {
  std::uint64_t hits = 0, frames = 0, bytes = 0, lines = 0;
};

void one_round(const symbolize::Module& module, const std::vector<model::Rva>& addresses,
               const bench::LookupOptions& options, symbolize::Answer& answer, Touched& touched) {
  for (const model::Rva address : addresses) {
    module.ask(address, {.demangle = options.demangle}, answer);
    touched.hits += answer.frames().empty() ? 0 : 1;
    touched.frames += answer.frames().size();
    for (const symbolize::Frame& frame : answer.frames()) {
      touched.bytes += frame.function.size() + frame.file.size();
      touched.lines += frame.line;
      if (options.print) fmt::print("{}\n{}:{}:{}\n", frame.function, frame.file, frame.line, frame.column);
    }
    if (options.print) fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = bench::lookup_options_of(kProgram, std::span(arguments, static_cast<std::size_t>(count)));
  const auto file = MappedFile::open(options.cache);
  if (!file) die(file.error());
  const auto module = symbolize::Module::view(file->bytes());
  if (!module) die(module.error());
  if (module->is_managed()) die("not a symcache");
  if (options.choose != 0) {
    choose_addresses(*module->symcache(), options.choose);
    return 0;
  }
  const std::vector<model::Rva> addresses = bench::read_questions(kProgram, options.questions, parse_address);
  Touched touched;
  symbolize::Answer answer(kKeptNames);
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t round = 0; round < options.rounds; ++round)
    one_round(*module, addresses, options, answer, touched);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const double lookups = static_cast<double>(options.rounds) * static_cast<double>(addresses.size());
  const auto per_lookup = [&](std::uint64_t sum) { return static_cast<double>(sum) / lookups; };
  fmt::print("seconds={:.6f} lookups_per_s={:.0f} hits={:.4f} frames={:.4f} text_bytes={:.1f} line_sum={}\n",
             taken.count(), lookups / taken.count(), per_lookup(touched.hits), per_lookup(touched.frames),
             per_lookup(touched.bytes), touched.lines);
}
