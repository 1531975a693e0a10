#include "formats/ppdb/written_names.hpp"

#include <algorithm>

namespace symcached::ppdb {
namespace {

constexpr std::string_view kLambda = "<lambda>";
constexpr unsigned kMaxDepth = 16;  ///< lambdas in lambdas whose names hold each other's

/// "<inner>rest" with the brackets in balance. C# names what it makes for `inner` so.
struct Bracketed {
  std::string_view inner, rest;
};
bool split(std::string_view name, Bracketed& out) {
  if (!name.starts_with('<')) return false;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (depth != 0) continue;
    out = {name.substr(1, i - 1), name.substr(i + 1)};
    return true;
  }
  return false;
}

std::string_view without_arity(std::string_view name) { return name.substr(0, name.find('`')); }

/// F# calls a closure after what it is bound to and its line: "work@12-1".
std::string_view before_line(std::string_view name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == name.size()) return {};
  const std::string_view digits = without_arity(name.substr(at + 1));
  const bool lines = std::ranges::all_of(digits, [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
  return lines ? name.substr(0, at) : std::string_view();
}

constexpr std::string_view kVbMachine = "VB$StateMachine_", kVbClosure = "_Closure$__", kVbLambda = "_Lambda$__";

/// A type that only holds what a lambda captured.
bool is_closure(std::string_view type) { return type.starts_with("<>c") || type.starts_with(kVbClosure); }

/// The method whose body a type runs step by step: inner is empty for other types. rest has the type's own parameters.
Bracketed machine_of(std::string_view type) {
  Bracketed made{};
  if (type.starts_with(kVbMachine)) {
    const std::string_view numbered = type.substr(kVbMachine.size());
    const std::size_t number = numbered.find('_');
    if (number != std::string_view::npos) made.inner = without_arity(numbered.substr(number + 1));
  } else if (!split(type, made) || !made.rest.starts_with('d')) {
    made.inner = {};
  }
  return made;
}

void put_method(std::vector<std::string>& out, std::string_view name, unsigned depth) {
  Bracketed made;
  if (name.starts_with(kVbLambda)) return out.emplace_back(kLambda), void();
  if (depth >= kMaxDepth || !split(name, made) || made.inner.empty()) return out.emplace_back(name), void();
  put_method(out, made.inner, depth + 1);
  if (made.rest.starts_with("b__")) out.emplace_back(kLambda);
  if (!made.rest.starts_with("g__")) return;
  const std::string_view local = made.rest.substr(3);
  out.emplace_back(local.substr(0, local.find('|')));
}

}  // namespace

std::vector<std::string> written_parts(const std::vector<std::string>& types, std::string_view method) {
  std::vector<std::string> out;
  const bool made = method.starts_with('<') || method.starts_with(kVbLambda);
  for (const std::string& type : types) {
    if (is_closure(type) && (made || &type != &types.back())) continue;  // what is not made for a lambda stays in it
    if (const Bracketed body = machine_of(type); !body.inner.empty()) {
      put_method(out, body.inner, 0);
      if (const std::size_t own = body.rest.find('<'); own != std::string_view::npos)
        out.back() += body.rest.substr(own);
      return out;
    }
    if (const std::string_view bound = before_line(type); !bound.empty()) {
      out.emplace_back(bound);
      return out;
    }
    out.push_back(type);
  }
  put_method(out, method, 0);
  return out;
}

}  // namespace symcached::ppdb
