#pragma once
/// What testing/faulty_worker.cpp does on demand.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace symcached {

inline constexpr std::size_t kFaultSize = 8;  ///< bytes of each word
inline constexpr std::string_view kCrash = "FLT:CRSH", kHang = "FLT:HANG", kSpin = "FLT:SPIN", kEat = "FLT:EATM",
                                  kThrow = "FLT:THRW", kExit = "FLT:EXIT";

inline constexpr std::uint32_t kEchoJob = 1000, kRefuseJob = 1001, kFloodJob = 1002, kReadSlowlyJob = 1003,
                               kEscapeJob = 1004, kGarbageJob = 1005;

/// How to start it; the build says where it is.
inline std::vector<std::string> faulty_worker() { return {SC_FAULTY_WORKER}; }

}  // namespace symcached
