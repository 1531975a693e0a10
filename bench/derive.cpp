/// bench_derive FILE OUT: derives the cache of one .NET debug file and writes it, without companions. Prints how long
/// that took within the process as `name=value` pairs, the same as bench/peers/rust.
#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "base/mapped_file.hpp"
#include "bench/arguments.hpp"
#include "symbolize/derive.hpp"

int main(int count, char** arguments) {
  using namespace symcached;
  const auto die = [](std::string_view why) { bench::die("bench_derive", why); };
  if (count != 3) die("usage: bench_derive FILE OUT");
  const auto begin = std::chrono::steady_clock::now();
  const auto file = MappedFile::open(arguments[1]);
  if (!file) die(file.error());
  const auto derived = symbolize::derive_ppdbcache({.file = file->bytes(), .companions = {}, .release = {}});
  if (!derived) die(derived.error());
  std::ofstream out(arguments[2], std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(derived->file.data()), static_cast<std::streamsize>(derived->file.size()));
  out.close();
  if (!out) die(fmt::format("{}: could not be written", arguments[2]));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fmt::print("seconds={:.6f} bytes={}\n", taken.count(), derived->file.size());
}
