#pragma once
/// Where unpacked and downloaded bytes go, a piece at a time.
#include <expected>
#include <functional>
#include <string>

#include "base/bytes.hpp"

namespace symcached {

/// Takes bytes in order. An error ends what gives them and is passed on.
using ByteSink = std::function<std::expected<void, std::string>(Bytes)>;

struct UnpackFailure {
  bool by_sink;  ///< the sink's error; otherwise the packed bytes are bad, or memory ran out
  std::string why;
};

}  // namespace symcached
