#pragma once
/// What a running server says of one PDB: what was tried, what came of it, when it is tried again.
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"

namespace symcached::app {

/// As given on the command line.
struct KeyQuestion {
  std::vector<std::string> pdb;      ///< name, id and perhaps age
  std::string server;                ///< URL; empty: the configured one
  std::vector<std::string> headers;  ///< "Name: value"
};

/// Asks, and prints what comes as text or as a JSON object. Errors are complained about.
/// @return ExitStatus: kCouldNot if the server does not say
int print_key_stat(std::string_view command, const KeyQuestion& question, const config::Config& config, bool json);

}  // namespace symcached::app
