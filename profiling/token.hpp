#pragma once
#include <string_view>

namespace symcached::pprof {

/// Whether a header Authorization carries the token: as `Bearer TOKEN`, or as the password of any user, which is what
/// clients send for http://user:TOKEN@host. Takes as long for a wrong token as for the right one.
bool carries_token(std::string_view authorization, std::string_view token);

}  // namespace symcached::pprof
