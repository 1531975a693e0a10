#include "app/commands.hpp"

namespace symcached::app {

void add_serve(CLI::App&, int&) {}

}  // namespace symcached::app
