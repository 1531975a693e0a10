#pragma once
/// The pages that are profiles: from parameters to samplers, and from what these saw to a body.
#include "profiling/page.hpp"
#include "profiling/query.hpp"
#include "profiling/sources.hpp"

namespace symcached::pprof {

/// What a page gives if neither ?debug=1 nor a header Accept asks for another form.
enum class Form : std::uint8_t { legacy, proto, text };

struct ProfileRequest {
  Query query;
  Form form;
  std::string_view name;  ///< of the page, as clients may call the file
  std::stop_token stop;
  bool head_only;  ///< HEAD: parameters are checked, but nothing is sampled
};

PageResponse cpu_page(ProfileRequest request, const Sources& sources);
PageResponse pmu_page(ProfileRequest request, const Sources& sources);
PageResponse heap_page(ProfileRequest request, const Sources& sources);
PageResponse allocs_page(ProfileRequest request, const Sources& sources);
PageResponse growth_page(ProfileRequest request, const Sources& sources);
PageResponse contention_page(ProfileRequest request, const Sources& sources);
PageResponse threads_page(ProfileRequest request, const Sources& sources);

}  // namespace symcached::pprof
