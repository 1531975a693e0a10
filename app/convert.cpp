#include "app/commands.hpp"

namespace symcached::app {

void add_convert(CLI::App&, int&) {}

}  // namespace symcached::app
