#pragma once
/// What asking for a derived cache can end in.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "net/log.hpp"
#include "store/store.hpp"

namespace symcached::service {

struct Ready {
  std::shared_ptr<const store::Entry> entry;
  bool outdated = false;  ///< of an older version
};
struct Absent {
  std::chrono::seconds retry_in;
};  ///< every source said no; they are asked again after that time
struct Failed {
  enum class Kind : std::uint8_t {
    malformed,    ///< the original is no use
    bare,         ///< it has neither debug information nor symbols
    unsupported,  ///< it is a PDB of native code, for a module of .NET
    crashed,      ///< neither could be read to its end
    not_whole,
    timed_out,
    forbidden,
    rate_limited,
    unavailable,
  };
  std::string why;
  bool lasting;            ///< the original is no use; otherwise a later try may do better
  std::uint16_t failures;  ///< not lasting: how often in a row
  std::chrono::seconds retry_in;
  Kind kind = Kind::malformed;
};
struct Pending {
  std::chrono::seconds retry_in;
};  ///< being worked on; ask again
struct Overloaded {};  ///< too many keys are being worked on, or too many requests wait
/// This machine is out of descriptors, memory, disk space or processes: nothing is known of the original.
struct Unable {
  std::string why;
  std::chrono::seconds retry_in;
};
using Outcome = std::variant<Ready, Absent, Failed, Pending, Overloaded, Unable>;

/// What those who ask now are told.
Outcome outcome_of(const store::Negative& negative);
/// What is remembered, while it counts; nothing if the sources are to be asked, or there is an entry.
/// @param absent_for  how long an absence found on disk counts
std::optional<store::Negative> counting(const store::Lookup& lookup, std::chrono::seconds absent_for);
/// The outcome an entry stands for while it counts; nothing if the sources are to be asked.
/// @param absent_for  how long an absence found on disk counts
std::optional<Outcome> known(const store::Lookup& lookup, std::chrono::seconds absent_for);

/// What is to be told when work threw. Logs `fault`. @param fault  nothing when memory ran out: nothing is allocated
/// then
Unable after_fault(const Log& log, std::string_view key, const char* fault);

}  // namespace symcached::service
