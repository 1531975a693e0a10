#include "base/crc32.hpp"

#include <libdeflate.h>

namespace symcached {

std::uint32_t crc32(Bytes data) { return libdeflate_crc32(0, data.data(), data.size()); }

}  // namespace symcached
