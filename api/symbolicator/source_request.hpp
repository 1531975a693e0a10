#pragma once
/// Sources as requests describe them.
#include <boost/json/fwd.hpp>

#include "api/symbolicator/request.hpp"

namespace symcached::api {

/// @param all  each is read for itself: one that is wrong, or of a kind that is not known here, is refused
/// @return     413 if there are too many
std::expected<RequestedSources, BodyFault> read_sources(const boost::json::array& all, const SourceRules& rules);

}  // namespace symcached::api
