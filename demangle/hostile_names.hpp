#pragma once
/// Names made to cost a demangler time, memory or stack: for the tests and for the fuzz target's stored inputs.
#include <algorithm>
#include <string>
#include <string_view>

namespace symcached::demangle {

struct HostileShape {
  std::string_view name;
  std::string (*make)(std::size_t n);  ///< the larger `n`, the worse
};

inline std::string repeated(std::string_view text, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

/// `n` in the digits of substitutions (base 36, capitals) or of Rust's back references (base 62).
inline std::string in_base(std::size_t n, std::string_view digits) {
  std::string text;
  do text += digits[n % digits.size()];
  while ((n /= digits.size()) != 0);
  std::ranges::reverse(text);
  return text;
}

/// `S_`, `S0_`, `S1_`, ...: the substitution number `i`.
inline std::string substitution(std::size_t i) {
  return i == 0 ? "S_" : "S" + in_base(i - 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") + "_";
}

/// Rust's reference to the byte `position` after `_R`.
inline std::string back_reference(std::size_t position) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return position == 0 ? "B_" : "B" + in_base(position - 1, kDigits) + "_";
}

/// Tuples, each of two references to the one before: twice the text for each.
inline std::string rust_doubling(std::size_t n) {
  std::string name = "IC1aThhE";
  std::size_t before = 4;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t here = name.size();
    name += "T" + back_reference(before) + back_reference(before) + "E";
    before = here;
  }
  return "_R" + name + "E";
}

/// References to one identifier in Punycode.
inline std::string rust_punycode(std::size_t n) {
  return "_RIC1aNvC1bu" + std::to_string(n) + "_" + repeated("b", n) + repeated(back_reference(4), n) + "E";
}

/// Templates of `n` references to an argument that is such a template.
inline std::string msvc_templates(std::size_t n) {
  std::string inner = "?$A@" + repeated("H", n) + "@";
  for (int i = 0; i < 5; ++i) inner = "?$A@U" + inner + "@" + repeated("U1@", n) + "@";
  return "?f@@YAXU" + inner + "@@Z";
}

/// Parameters that take the one before `n` times.
inline std::string msvc_parameters(std::size_t n) {
  std::string name = "?f@@YAXP6AX" + repeated("H", n) + "@Z";
  for (char i = '0'; i < '9'; ++i) name += "P6AX" + std::string(n, i) + "@Z";
  return name + "@Z";
}

inline std::string itanium_doubling(std::size_t n) {
  std::string name = "_Z1f1AIiiE";
  for (std::size_t i = 0; i < n; ++i) name += "1AI" + substitution(2 * i + 1) + substitution(2 * i + 1) + "E";
  return name;
}

/// A tree as tall as the name is long, though no part of the name stands inside another.
inline std::string itanium_chain(std::size_t n) {
  std::string name = "_Z1fPi";
  for (std::size_t i = 0; i < n; ++i) name += "P" + substitution(i);
  return name;
}

inline constexpr HostileShape kHostileShapes[] = {
    {"pointers", [](std::size_t n) { return "_Z1f" + repeated("P", n) + "i"; }},
    {"qualifiers", [](std::size_t n) { return "_Z1f" + repeated("VK", n) + "i"; }},
    {"vendor_qualifiers", [](std::size_t n) { return "_Z1f" + repeated("U1a", n) + "i"; }},
    {"templates", [](std::size_t n) { return "_Z1f" + repeated("1AI", n) + "i" + repeated("E", n); }},
    {"nested_names", [](std::size_t n) { return "_Z1f" + repeated("N1A1BI", n) + "i" + repeated("EE", n); }},
    {"functions", [](std::size_t n) { return "_Z1f" + repeated("PFv", n) + "i" + repeated("E", n); }},
    {"expressions", [](std::size_t n) { return "_Z1fIX" + repeated("ng", n) + "Li1EEEvv"; }},
    {"braces", [](std::size_t n) { return "_Z1fIXil" + repeated("di1a", n) + "Li1EEEEvv"; }},
    {"decltypes", [](std::size_t n) { return "_Z1fI" + repeated("DTng", n) + "Li1E" + repeated("E", n) + "Evv"; }},
    {"packs", [](std::size_t n) { return "_Z1fI" + repeated("J", n) + "i" + repeated("E", n) + "Evv"; }},
    {"expansions", [](std::size_t n) { return "_Z1fIJ" + repeated("i", n) + "EEv" + repeated("DpRKT_", n); }},
    {"locals", [](std::size_t n) { return "_Z" + repeated("Z1f", n) + "v" + repeated("E1x", n); }},
    {"thunks", [](std::size_t n) { return "_Z" + repeated("Th0_", n) + "1fv"; }},
    {"lambdas", [](std::size_t n) { return "_ZN" + repeated("UlN", n) + "1aE" + repeated("E_E", n) + "v"; }},
    {"template_parameters", [](std::size_t n) { return "_ZNUl" + repeated("Tt", n) + repeated("E", n) + "vE_E"; }},
    {"parameter_packs", [](std::size_t n) { return "_ZNUl" + repeated("Tp", n) + "TyvE_E"; }},
    {"doubling", itanium_doubling},
    {"chain", itanium_chain},
    {"msvc_pointers", [](std::size_t n) { return "?f@@YAX" + repeated("PA", n) + "H@Z"; }},
    {"msvc_nesting", [](std::size_t n) { return "?f@@YAX" + repeated("U?$A@", n) + "H" + repeated("@@", n) + "@Z"; }},
    {"msvc_names", [](std::size_t n) { return repeated("??$f@", n) + "H@@YAXXZ"; }},
    {"msvc_locals", [](std::size_t n) { return repeated("?x@?1?", n) + "?f@@YAXXZ" + repeated("@4HA", n); }},
    {"msvc_templates", msvc_templates},
    {"msvc_parameters", msvc_parameters},
    {"rust_references", [](std::size_t n) { return "_RIC1a" + repeated("R", n) + "hE"; }},
    {"rust_paths", [](std::size_t n) { return "_R" + repeated("Nv", n) + "C1a" + repeated("1b", n); }},
    {"rust_doubling", rust_doubling},
    {"rust_punycode", rust_punycode},
    {"rust_escapes",
     [](std::size_t n) { return "_ZN" + std::to_string(n) + repeated("$", n) + "17h0123456789abcdefE"; }},
    {"d_names", [](std::size_t n) { return "_D" + repeated("1a", n) + "i"; }},
    {"d_references", [](std::size_t n) { return "_D1a" + repeated("Qb", n) + "i"; }},
};

}  // namespace symcached::demangle
