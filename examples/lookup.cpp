// lookup FILE ADDRESS...: prints functions, files and lines, innermost frame first.
#include <cstdlib>
#include <iostream>
#include <symcached/symcached.hpp>

int main(int count, char** arguments) {
  std::string error = "usage: lookup FILE ADDRESS...";
  const auto module = count > 1 ? symcached::Module::open(arguments[1], &error) : std::nullopt;
  if (!module) {
    std::cerr << error << '\n';
    return 1;
  }
  symcached::Answer answer;  // reused for all addresses
  for (int i = 2; i < count; ++i) {
    const auto& frames = module->lookup(std::strtoull(arguments[i], nullptr, 16), answer);
    if (frames.empty()) std::cout << "??\n??:0:0\n";
    for (const symcached::Frame& f : frames)
      std::cout << (f.function.empty() ? "??" : f.function) << '\n'
                << (f.file.empty() ? "??" : f.file) << ':' << f.line << ':' << f.column << '\n';
    std::cout << '\n';
  }
}
