#include "model/module.hpp"

#include <array>

namespace symcached::model {
namespace {

template <class Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "unknown";
}

}  // namespace

std::string_view name_of(Arch arch) {
  static constexpr std::array<std::string_view, 9> kNames{"unknown", "x86",   "x86_64",  "arm",  "arm64",
                                                          "wasm32",  "ppc64", "riscv64", "s390x"};
  return pick(kNames, arch);
}

std::string_view name_of(Language language) {
  static constexpr std::array<std::string_view, 15> kNames{"unknown", "c",       "c++",    "c#",           "rust",
                                                           "swift",   "go",      "d",      "objc",         "objc++",
                                                           "asm",     "fortran", "pascal", "visual basic", "f#"};
  return pick(kNames, language);
}

std::string_view name_of(SymbolKind kind) {
  static constexpr std::array<std::string_view, 4> kNames{"function", "thunk", "public", "cold part"};
  return pick(kNames, kind);
}

}  // namespace symcached::model
