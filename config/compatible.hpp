#pragma once
/// The keys of Symbolicator's configuration file.
#include "config/row.hpp"

namespace symcached::config {

/// Those that mean the same as one of ours, and those that mean nothing here.
OtherKeys symbolicator_keys();

}  // namespace symcached::config
