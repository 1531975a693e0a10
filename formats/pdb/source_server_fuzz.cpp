/// Any bytes as a `srcsrv` stream: what comes of its entries are URLs of http or https, of limited length.
#include "formats/pdb/source_server.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  auto server = pdb::SourceServer::parse(as_text(std::as_bytes(std::span(data, size))));
  if (!server) return 0;
  for (const pdb::SourceServer::File& file : server->files()) {
    if (file.path.empty()) std::abort();
    const auto url = server->url_of(file);
    if (!url) continue;
    if (url->size() > 3 * pdb::kMaxSourceServerTarget || (url->front() != 'h' && url->front() != 'H')) std::abort();
    for (const char c : *url)
      if (c <= ' ' || c > '~' || c == '*' || c == '\\') std::abort();
  }
  return 0;
}
