#pragma once
/// From a return address to the call before it: what is there belongs to the caller, what is behind it need not.
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/module.hpp"
#include "stacks/request.hpp"

namespace symcached::stacks {

/// The address that instructions of a fixed size have around `address`; the same one for other architectures.
std::uint64_t aligned(model::Arch arch, std::uint64_t address);

/// An address in the instruction before `address`: one byte before where instructions have any size. At the very start
/// of memory it is the last one there, where no module is.
std::uint64_t instruction_before(model::Arch arch, std::uint64_t address);

/// The register that holds the current instruction; empty if not known.
std::string_view instruction_register(model::Arch arch);

/// What one stack's addresses are.
class CallAddresses {
 public:
  CallAddresses(const Stack& stack, std::optional<std::uint32_t> signal);

  /// @param depth    frames inside this one: 0 is the innermost
  /// @param address  the frame's, absolute
  /// @return         the address that the frame is looked up by
  ///
  /// All but the innermost frame are returned to. So is that one where it is the caller of a handler or of what was
  /// left out: if the signal is one of a bad instruction, and the register says that execution stopped elsewhere. A
  /// client that says of one frame what it is has thought of it: frames it is silent about are returned to.
  std::uint64_t of(const Frame& frame, std::size_t depth, model::Arch arch, std::uint64_t address) const;

 private:
  bool is_returned_to(const Frame& frame, std::size_t depth, model::Arch arch, std::uint64_t address) const;

  const Stack& stack_;
  bool is_crash_signal_;
  bool client_adjusts_;
};

}  // namespace symcached::stacks
