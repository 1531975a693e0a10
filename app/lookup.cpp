#include "app/commands.hpp"

namespace symcached::app {

void add_lookup(CLI::App&, int&) {}

}  // namespace symcached::app
