/// The keeper of transcoders as a program, for tests that do not build symcached.
#include "transcode/keeper.hpp"

int main(int argc, char** argv) { return symcached::transcode::keep({argv + 2, argv + argc}); }
