/// Frames of .NET, as Exception.ToString() prints them. Without a PDB at hand, and with ShowILOffsets on, a frame reads
///   at App.Shop.Buy[T](T what, Int32 count) in app.dll:token 0x6000004+0x1a
/// and with one
///   at App.Shop.Buy[T](T what, Int32 count) in /src/Shop.cs:line 12
#include "model/managed_module.hpp"
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

constexpr std::string_view kIn = " in ", kToken = ":token 0x";

/// Whether a debug file may speak of it: async methods and iterators are printed under the name and the token of the
/// method a person wrote; of the members of their state machines, `+MoveNext()` is known and others are not.
/// @param method  "   at Flow.Items(Int32 n)+MoveNext()"
bool may_be_known(std::string_view method) {
  if (method.ends_with("+MoveNext()")) return true;
  return method.rfind(")+") == method.npos;  // behind the parameters; names of nested types have no parentheses
}

/// A frame of a dynamic method has a token of another table, and is none.
bool match_token(std::string_view text, TraceState&, Frames& out) {
  const std::size_t token = text.rfind(kToken);
  if (token == text.npos) return false;
  const std::size_t in = text.substr(0, token).rfind(kIn);
  Scan numbers(text.substr(token + kToken.size()));
  const auto method = numbers.bare_hex();
  if (in == text.npos || !method || !numbers.take('+')) return false;
  const auto il_offset = numbers.hex();
  if (!il_offset || !numbers.at_end() || *method > 0xFFFFFFFF || *il_offset > 0xFFFFFFFF) return false;
  if (!model::is_method_token(static_cast<std::uint32_t>(*method))) return false;
  const std::size_t module = in + kIn.size();
  Frame frame{.module = text.substr(module, token - module),
              .kind = NumberKind::token,
              .value = *method,
              .il_offset = static_cast<std::uint32_t>(*il_offset),
              .adjust = Adjust::done,
              .is_resolved = !may_be_known(text.substr(0, in))};
  put_function(frame, text.substr(module));
  out.push_back(frame);
  return true;
}

constexpr Dialect kManaged[] = {
    {".NET", match_token, Adjusting::done, Rewriting::dotnet},
};

}  // namespace

std::span<const Dialect> managed_dialects() { return kManaged; }

}  // namespace symcached::traces
