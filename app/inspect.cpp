#include "app/commands.hpp"

namespace symcached::app {

void add_inspect(CLI::App&, int&) {}

}  // namespace symcached::app
