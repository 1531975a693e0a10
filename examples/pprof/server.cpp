// server ADDRESS: a program with profiles, by one line. It prints where they are and ends with its standard
// input.
#include <cstdio>
#include <symcached/pprof.hpp>

int main(int count, char** arguments) {
  symcached::pprof::Server server{{.address = count > 1 ? arguments[1] : "127.0.0.1:0"}};
  if (!server) std::fprintf(stderr, "no profiles: %s\n", server.error().c_str());
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {  // what the program is for
  }
}
