/// Stacks that the runtimes of Rust and Go print, and bare lists of addresses.
#include "traces/trace_state.hpp"
#include "traces/words.hpp"

namespace symcached::traces {
namespace {

///   12:     0x55bac0330134 - <unknown>
bool match_rust(std::string_view text, TraceState&, Frames& out) {
  Scan in(text);
  in.blanks();
  Frame frame{.index = in.decimal(), .adjust = Adjust::raw};
  if (!frame.index || !in.take(':') || in.blanks() == 0) return false;
  const auto address = in.hex();
  if (!address || !in.take(" - ")) return false;
  frame.value = *address;
  name_or_hole(frame, in.rest());
  out.push_back(frame);
  return true;
}

/// What Go's own stacks do not name: "non-Go function at pc=45d8b5", "PC=0x45d8b5 m=0", "[signal ... pc=0x45d8b5]"
bool match_go(std::string_view text, TraceState&, Frames& out) {
  const bool is_signal = text.starts_with("[signal ") && text.ends_with(']');
  const bool is_foreign = text.find("non-Go function at pc=") != text.npos;
  const bool is_machine = text.starts_with("PC=") && text.find(" m=") != text.npos;
  if (!is_signal && !is_foreign && !is_machine) return false;
  Scan in(text);
  if (!in.until(is_machine ? "PC=" : "pc=")) return false;
  const auto address = in.any_hex();
  if (!address) return false;
  Frame frame{.value = *address, .adjust = is_foreign ? Adjust::raw : Adjust::exact};
  put_function(frame, text.substr(text.size()), " in ");
  out.push_back(frame);
  return true;
}

/// Nothing but addresses, which a memory map in the text covers: "0x55bac0330134 0x55bac0330201".
bool match_addresses(std::string_view text, TraceState&, Frames& out) {
  constexpr std::size_t kFewestDigits = 5;
  constexpr std::size_t kMost = 256;  // of one line
  Scan in(text);
  Frames found;
  for (in.blanks(); !in.at_end(); in.blanks()) {
    const std::size_t start = in.position();
    const auto address = in.any_hex();
    if (!address || in.position() - start < kFewestDigits || found.size() == kMost) return false;
    Frame frame{.value = *address, .must_be_mapped = true};
    put_function(frame, text.substr(in.position(), 0), " ");
    found.push_back(frame);
    in.take(',');
  }
  if (found.size() > 1)
    for (Frame& frame : found) frame.adjust = Adjust::raw;
  out.insert(out.end(), found.begin(), found.end());
  return !found.empty();
}

constexpr Dialect kRuntimes[] = {
    {"rust", match_rust, Adjusting::all_raw},
    {"go", match_go, Adjusting::all_raw},
};
constexpr Dialect kAddresses[] = {
    {"addresses", match_addresses},
};

}  // namespace

std::span<const Dialect> runtime_dialects() { return kRuntimes; }
std::span<const Dialect> address_dialects() { return kAddresses; }

}  // namespace symcached::traces
