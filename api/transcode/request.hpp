#pragma once
/// What workers on other machines ask and say: text to values. Pure. Spec: docs/protocols/remote-transcoder.md.
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wpt/version.hpp"

namespace symcached::api {

inline constexpr std::size_t kMostOfWorkersBody = 16 << 10;  ///< bytes of a body in JSON

/// The requests of the protocol. All but `lease` are about one lease.
enum class WorkerRequest : std::uint8_t { lease, pdb, renew, result, failure };

struct WorkerCall {
  WorkerRequest request;
  std::string_view lease;  ///< unchecked; a part of the path
};
struct NoCall {
  std::string_view methods;  ///< that the path takes; empty: it leads nowhere
};

/// @param segments  of the path behind "/transcode"; they outlive the result
std::expected<WorkerCall, NoCall> parse_worker_call(std::string_view method, std::span<const std::string> segments);

struct LeaseRequest {
  std::string worker;  ///< 64 bytes at most, any characters
  std::vector<std::uint32_t> majors;
};
/// @param body  up to kMostOfWorkersBody. @return nothing if it is anything else
std::optional<LeaseRequest> parse_lease_request(std::string_view body);

/// Why a worker could not make a symcache. @return nothing if the body is anything else
std::optional<std::string> parse_failure(std::string_view body);

/// Of a target "...?version=3.1.0". Nothing if there is none, or more than one.
std::optional<wpt::Version> parse_result_version(std::string_view target);

}  // namespace symcached::api
