#include "config/load.hpp"
#include "config/print.hpp"

/// What is accepted is printed and read back as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::config;
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "A") return "value";
    return std::nullopt;
  };
  const Loaded loaded = parse({reinterpret_cast<const char*>(data), size}, environment);
  error_lines(loaded.report, "f");
  if (!loaded.report.errors().empty()) return 0;
  const std::string text = print(loaded.config, Secrets::shown);
  const Loaded again = parse(text, environment);
  if (!again.report.errors().empty() || print(again.config, Secrets::shown) != text) __builtin_trap();
  return 0;
}
