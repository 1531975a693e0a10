/// bench_pprof_names FILE [--library LIB] [--inlines]: names stated addresses of FILE, given in hex on standard input,
/// as a profiled program does; frames to standard output, "FUNCTION FILE:LINE", with an empty line behind each address;
/// times to standard error as JSON: of the first answer, of the next, and until the symcache was there.
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "bench/arguments.hpp"
#include "profiling/naming/elf_file.hpp"
#include "profiling/naming/library_naming.hpp"
#include "profiling/naming/symbol_naming.hpp"

namespace {

using namespace symcached;
constexpr char kName[] = "bench_pprof_names";

/// The file as if it were loaded where it says.
pprof::MappedModule module_of(const std::string& path) {
  const auto file = pprof::ElfFile::open(pprof::FileSource::open(path));
  if (!file) bench::die(kName, path + " is no ELF file");
  const auto page = static_cast<std::uint64_t>(::getpagesize());
  for (const ElfW(Phdr) & p : file->segments())
    if (p.p_type == PT_LOAD && (p.p_flags & PF_X) != 0) {
      const std::uint64_t before = p.p_offset % page;
      return {p.p_vaddr - before, p.p_vaddr + p.p_memsz, p.p_offset - before, path, file->build_id()};
    }
  bench::die(kName, path + " has no code");
}

std::vector<std::uintptr_t> read_addresses() {
  std::vector<std::uintptr_t> out;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string_view digits = line.starts_with("0x") ? std::string_view(line).substr(2) : line;
    const auto address = bench::parse<std::uintptr_t>(digits, 16);
    if (!address) bench::die(kName, "no address: " + line);
    out.push_back(*address);
  }
  return out;
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  std::string path, library;
  bool inlines = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--inlines") inlines = true;
    else if (word == "--library" && i + 1 < argc) library = argv[++i];
    else path = word;
  }
  const std::vector<std::uintptr_t> addresses = read_addresses();
  const auto modules = pprof::ModuleLists::fixed({module_of(path)});
  const pprof::NamingOptions how{.inlines = inlines, .lines = inlines};

  const Stopwatch since_start;
  auto tables = pprof::symbol_table_naming({.modules = modules});
  pprof::LibraryNamingOptions options{.library = library, .modules = modules};
  options.cache_folder.clear();
  pprof::LibraryNaming naming(std::move(tables), std::move(options));
  naming.name(addresses, how);
  const double first = since_start.seconds();
  const bool is_ready = naming.wait_until_idle(std::chrono::minutes(30));
  const double ready = since_start.seconds();
  naming.name(std::span(addresses).first(std::min<std::size_t>(addresses.size(), 1)), how);
  const Stopwatch since_ready;
  const auto frames = naming.name(addresses, how);
  const double next = since_ready.seconds();
  fmt::print(stderr, "{{\"first\": {:.6f}, \"next\": {:.6f}, \"ready\": {:.6f}}}\n", first, next, ready);
  for (const auto& of_address : frames) {
    for (const pprof::NamedFrame& frame : of_address)
      fmt::print("{} {}:{}\n", frame.function, frame.file.empty() ? "??" : frame.file, frame.line);
    fmt::print("\n");
  }
  return is_ready ? 0 : 1;
}
