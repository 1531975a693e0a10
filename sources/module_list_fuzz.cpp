/// Any bytes as a list of modules; what comes out keeps the bounds that its users rely on.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/bytes.hpp"
#include "sources/module_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto list = sources::parse_module_list({reinterpret_cast<const char*>(data), size});
  if (!list) return 0;
  if (list->first_unknown.size() > sources::kMostQuoted || list->first_unknown.size() > list->unknown) std::abort();
  for (const sources::ModuleIds& m : list->modules)
    if ((!m.debug_id && m.code_id.empty()) || m.code_id.size() > sources::kMaxCodeId ||
        m.code_file.size() > sources::kMaxRecorded || m.debug_file.size() > sources::kMaxRecorded)
      std::abort();
  return 0;
}
