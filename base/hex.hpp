#pragma once
/// Bytes as hexadecimal digits.
#include <string>

#include "base/bytes.hpp"

namespace symcached {

std::string to_hex(Bytes data);  ///< lower case, two digits a byte

}  // namespace symcached
