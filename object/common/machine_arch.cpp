#include "object/common/machine_arch.hpp"

#include "formats/pe/reader.hpp"

namespace symcached::object {

model::Arch arch_of_machine(std::uint16_t machine) {
  switch (pe::machine_of(machine)) {
    case pe::Machine::i386: return model::Arch::x86;
    case pe::Machine::amd64: return model::Arch::x86_64;
    case pe::Machine::arm:
    case pe::Machine::thumb:
    case pe::Machine::armnt: return model::Arch::arm;
    case pe::Machine::arm64:
    case pe::Machine::arm64ec:
    case pe::Machine::arm64x: return model::Arch::arm64;
    case pe::Machine::riscv64: return model::Arch::riscv64;
    case pe::Machine::ia64:
    case pe::Machine::unknown: break;
  }
  return model::Arch::unknown;
}

}  // namespace symcached::object
