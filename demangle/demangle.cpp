#include "demangle/demangle.hpp"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstring>

#include "demangle/itanium.hpp"
#include "demangle/llvm_memory.hpp"
#include "demangle/rust_legacy.hpp"

namespace symcached::demangle {
namespace {

constexpr std::size_t kMaxPunycode = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// Appends what a demangler of LLVM's gives, unless it gives nothing or passes the bounds. It gets a copy that ends in
/// a NUL: the one for D looks for it.
template <class Call>
bool append_llvm(std::string& out, std::string_view name, const Call& call) {
  const std::string terminated(name);
  const LlvmMemory memory;
  try {
    const char* const text = call(std::string_view(terminated));
    if (text == nullptr) return false;
    const std::size_t size = std::strlen(text);
    if (size > kMaxOutput) return false;
    out.append(text, size);
    return true;
  } catch (const LlvmOutOfBounds&) {
    return false;
  }
}

/// Where the parameters of an MSVC function begin; its whole size for what is no function. The last pair of parentheses
/// is theirs: what follows qualifies the function, and return types are not in the text.
std::size_t parameters_of(std::string_view text) {
  std::size_t end = text.rfind(')');
  if (end == text.npos || text.find_first_not_of(" constvolatilerestrictnoexcept_&", end + 1) != text.npos)
    return text.size();
  for (std::size_t depth = 0, i = end + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    else if (text[i] == '(' && --depth == 0) return i;
  }
  return text.size();
}

bool append_msvc(std::string& out, std::string_view name, Detail detail) {
  if (name.size() > kMaxMicrosoftInput) return false;
  int flags =
      llvm::MSDF_NoAccessSpecifier | llvm::MSDF_NoCallingConvention | llvm::MSDF_NoMemberType | llvm::MSDF_NoReturnType;
  if (detail == Detail::no_parameters) flags |= llvm::MSDF_NoVariableType;
  const std::size_t old_size = out.size();
  const bool good = append_llvm(out, name, [&](std::string_view mangled) -> const char* {
    int status = 0;
    const char* const text =
        llvm::microsoftDemangle(mangled, nullptr, &status, static_cast<llvm::MSDemangleFlags>(flags));
    return status == llvm::demangle_success ? text : nullptr;
  });
  if (good && detail == Detail::no_parameters)
    out.resize(old_size + parameters_of(std::string_view(out).substr(old_size)));
  return good;
}

/// Whether `name` may hold an identifier in Punycode (`u`, its size, its bytes) of more than kMaxPunycode bytes. LLVM
/// inserts its characters one by one, so each takes the longer the longer it is, at every reference to it.
bool has_long_punycode(std::string_view name) {
  for (std::size_t at = name.find('u'); at != name.npos; at = name.find('u', at + 1)) {
    std::size_t size = 0, i = at + 1;
    for (; i < name.size() && is_digit(name[i]) && size <= name.size(); ++i)
      size = size * 10 + static_cast<std::size_t>(name[i] - '0');
    if (size > kMaxPunycode && size <= name.size() - i) return true;
  }
  return false;
}

bool append_rust_v0(std::string& out, std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(1);
  return !has_long_punycode(name) && append_llvm(out, name, llvm::rustDemangle);
}

/// Symbol tables of ELF have names with versions: `_Z1fi@@LIB_1.2`, shown as `f(int)@@LIB_1.2`.
bool append_versioned_itanium(std::string& out, std::string_view name, Detail detail) {
  const std::string_view unversioned = name.substr(0, name.find('@'));
  if (!append_itanium(out, unversioned, detail)) return false;
  out += name.substr(unversioned.size());
  return true;
}

bool append(std::string& out, std::string_view name, Scheme scheme, Detail detail) {
  switch (scheme) {
    case Scheme::itanium: return append_versioned_itanium(out, name, detail);
    case Scheme::rust_legacy: return append_rust_legacy(out, name) || append_itanium(out, name, detail);
    case Scheme::msvc: return append_msvc(out, name, detail);
    case Scheme::rust_v0: return append_rust_v0(out, name);
    case Scheme::d:
      if (name.starts_with("__")) name.remove_prefix(1);
      return append_llvm(out, name, llvm::dlangDemangle);
    case Scheme::none:
    case Scheme::swift:
    case Scheme::objc: break;
  }
  return false;
}

}  // namespace

std::string_view name_of(Scheme scheme) {
  switch (scheme) {
    case Scheme::none: break;
    case Scheme::itanium: return "itanium";
    case Scheme::msvc: return "msvc";
    case Scheme::rust_legacy: return "rust_legacy";
    case Scheme::rust_v0: return "rust_v0";
    case Scheme::d: return "d";
    case Scheme::swift: return "swift";
    case Scheme::objc: return "objc";
  }
  return "none";
}

Scheme scheme_of(std::string_view name) {
  if (name.size() < 3) return Scheme::none;
  if (name[0] == '?') return Scheme::msvc;
  if ((name[0] == '-' || name[0] == '+') && name[1] == '[') return Scheme::objc;
  const std::size_t underscores = name.find_first_not_of('_');
  if (underscores == name.npos || underscores > 4) return Scheme::none;
  const std::string_view rest = name.substr(underscores);
  if (underscores <= 1 && rest[0] == '$' && rest.size() > 1 && (rest[1] == 's' || rest[1] == 'S')) return Scheme::swift;
  if (underscores == 0 || rest.size() < 2) return Scheme::none;
  if (rest[0] == 'Z') return is_rust_legacy(name) ? Scheme::rust_legacy : Scheme::itanium;
  if (underscores > 2) return Scheme::none;
  if (rest[0] == 'R' && is_upper(rest[1])) return Scheme::rust_v0;
  if (rest[0] == 'D' && (is_digit(rest[1]) || rest == "Dmain")) return Scheme::d;
  if (rest.starts_with("T0")) return Scheme::swift;
  return Scheme::none;
}

void demangle_append(std::string& out, std::string_view name, Detail detail) {
  const Scheme scheme = name.size() > kMaxInput ? Scheme::none : scheme_of(name);
  if (!append(out, name, scheme, detail)) out += name;
}

std::string demangle(std::string_view name, Detail detail) {
  std::string out;
  demangle_append(out, name, detail);
  return out;
}

std::string_view undecorate_win32(std::string_view name) {
  if (name.empty() || name.front() == '?') return name;
  const std::size_t at = name.rfind('@');
  const bool sized = at != name.npos && at + 1 < name.size() && std::ranges::all_of(name.substr(at + 1), is_digit);
  std::string_view plain = sized ? name.substr(0, at) : name;
  if (sized && plain.ends_with('@')) plain.remove_suffix(1);  // vectorcall puts nothing in front
  else if (plain.starts_with('_') || (sized && plain.starts_with('@'))) plain.remove_prefix(1);
  return plain.empty() ? name : plain;
}

}  // namespace symcached::demangle
