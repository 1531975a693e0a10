/// bench_lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N]: how fast one thread looks addresses up in a
/// symcache. ADDRESSES: a file of hexadecimal addresses from the image base, one a line. Function, file and line of
/// every frame are touched. Prints `name=value` pairs, the same as bench/peers/symbolic.
#include <fmt/format.h>

#include <chrono>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "bench/arguments.hpp"
#include "demangle/demangle.hpp"
#include "symcache/reader.hpp"

namespace {

using namespace symcached;
using bench::parse;

struct Options {
  std::string cache, addresses;
  bool demangle = false, print = false;
  std::uint64_t rounds = 1, choose = 0;
};

[[noreturn]] void die(std::string_view why) { bench::die("bench_lookup", why); }

Options options_of(std::span<char*> arguments) {
  Options options;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--demangle") {
      options.demangle = true;
    } else if (argument == "--print") {
      options.print = true;
    } else if ((argument == "--rounds" || argument == "--choose") && i + 1 < arguments.size()) {
      const auto number = parse<std::uint64_t>(arguments[++i], 10);
      if (!number || *number == 0) die(fmt::format("{} wants a number", argument));
      (argument == "--rounds" ? options.rounds : options.choose) = *number;
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.size() != (options.choose == 0 ? 2 : 1))
    die("usage: bench_lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N], or bench_lookup CACHE --choose N");
  options.cache = files[0];
  if (options.choose == 0) options.addresses = files[1];
  return options;
}

std::vector<model::Rva> read_addresses(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) die(file.error());
  std::string_view text = as_text(file->bytes());
  std::vector<model::Rva> all;
  while (!text.empty()) {
    const std::string_view line = bench::take_line(text);
    const auto address = parse<std::uint64_t>(line.starts_with("0x") ? line.substr(2) : line, 16);
    if (!address) die(fmt::format("{}: \"{}\" is not a hexadecimal address", path, line));
    all.push_back({*address});
  }
  if (all.empty()) die(path + ": holds no addresses");
  return all;
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

void one_round(const symcache::Symcache& cache, const std::vector<model::Rva>& addresses, const Options& options,
               Touched& touched) {
  symcache::FrameBuffer buffer;
  std::string demangled;
  for (const model::Rva address : addresses) {
    const auto found = cache.lookup(address, buffer);
    if (found) {
      ++touched.hits;
      touched.frames += found->frames.size();
      for (const symcache::Frame& frame : found->frames) {
        std::string_view name = frame.function;
        if (options.demangle) {
          demangled.clear();
          demangle::demangle_append(demangled, name);
          name = demangled;
        }
        touched.bytes += name.size() + frame.file.size();
        touched.lines += frame.line;
        if (options.print) fmt::print("{}\n{}:{}:{}\n", name, frame.file, frame.line, frame.column);
      }
    }
    if (options.print) fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = options_of(std::span(arguments, static_cast<std::size_t>(count)).subspan(1));
  const auto file = MappedFile::open(options.cache);
  if (!file) die(file.error());
  const auto cache = symcache::Symcache::open(file->bytes());
  if (!cache) die(to_string(cache.error()));
  if (options.choose != 0) {
    choose_addresses(*cache, options.choose);
    return 0;
  }
  const std::vector<model::Rva> addresses = read_addresses(options.addresses);
  Touched touched;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t round = 0; round < options.rounds; ++round) one_round(*cache, addresses, options, touched);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const double lookups = static_cast<double>(options.rounds) * static_cast<double>(addresses.size());
  const auto per_lookup = [&](std::uint64_t sum) { return static_cast<double>(sum) / lookups; };
  fmt::print("seconds={:.6f} lookups_per_s={:.0f} hits={:.4f} frames={:.4f} text_bytes={:.1f} line_sum={}\n",
             taken.count(), lookups / taken.count(), per_lookup(touched.hits), per_lookup(touched.frames),
             per_lookup(touched.bytes), touched.lines);
}
