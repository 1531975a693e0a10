#include "stacks/call_address.hpp"

#include <algorithm>

namespace symcached::stacks {
namespace {

struct ArchRow {
  model::Arch arch;
  std::uint64_t instruction_size;  ///< 1: of any size
  std::string_view instruction_register;
};
constexpr ArchRow kArchs[] = {
    {model::Arch::x86, 1, "eip"},  {model::Arch::x86_64, 1, "rip"}, {model::Arch::arm, 2, "pc"},
    {model::Arch::arm64, 4, "pc"}, {model::Arch::wasm32, 4, ""},    {model::Arch::ppc64, 8, "srr0"},
    {model::Arch::riscv64, 1, ""}, {model::Arch::s390x, 1, ""},     {model::Arch::unknown, 1, ""},
};

const ArchRow& row_of(model::Arch arch) {
  const auto* const row = std::ranges::find(kArchs, arch, &ArchRow::arch);
  return row == std::end(kArchs) ? *std::prev(std::end(kArchs)) : *row;
}

/// SIGILL, SIGBUS and SIGSEGV, as Mach numbers them.
constexpr std::uint32_t kCrashSignals[] = {4, 10, 11};

}  // namespace

std::uint64_t aligned(model::Arch arch, std::uint64_t address) {
  return address - address % row_of(arch).instruction_size;
}

std::uint64_t instruction_before(model::Arch arch, std::uint64_t address) {
  return aligned(arch, address) - row_of(arch).instruction_size;
}

std::string_view instruction_register(model::Arch arch) { return row_of(arch).instruction_register; }

CallAddresses::CallAddresses(const Stack& stack, std::optional<std::uint32_t> signal)
    : stack_(stack),
      is_crash_signal_(signal && std::ranges::find(kCrashSignals, *signal) != std::end(kCrashSignals)),
      client_adjusts_(
          std::ranges::any_of(stack.frames, [](const Frame& f) { return f.adjust_instruction_addr.has_value(); })) {}

bool CallAddresses::is_returned_to(const Frame& frame, std::size_t depth, model::Arch arch,
                                   std::uint64_t address) const {
  if (frame.adjust_instruction_addr) return *frame.adjust_instruction_addr;
  if (client_adjusts_ || depth > 0) return true;
  if (!is_crash_signal_) return false;
  const std::string_view name = instruction_register(arch);
  const auto at = std::ranges::find(stack_.registers, name, &Register::name);
  return !name.empty() && at != stack_.registers.end() && at->value != address;
}

std::uint64_t CallAddresses::of(const Frame& frame, std::size_t depth, model::Arch arch, std::uint64_t address) const {
  return is_returned_to(frame, depth, arch, address) ? instruction_before(arch, address) : aligned(arch, address);
}

}  // namespace symcached::stacks
