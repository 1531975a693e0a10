// A server with cpp-httplib that has profiles among its own pages. It prints its port and ends with its standard input.
#include <cstdio>
#include <symcached/pprof_httplib.hpp>
#include <thread>

int main() {
  httplib::Server server;
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("my own page\n", "text/plain");
  });
  symcached::pprof::add_pages(server);
  std::printf("%d\n", server.bind_to_any_port("127.0.0.1"));
  std::fflush(stdout);
  std::thread serving([&] { server.listen_after_bind(); });
  while (std::getchar() != EOF) {
  }
  server.stop();
  serving.join();
}
