/// s3_get NAME=VALUE...: asks a bucket for one key and prints what came of it, for s3_test.py.
/// endpoint, bucket, prefix, region, access, secret: the bucket; key: the file, written to standard output.
/// how: get, head or peek; ca_file, insecure=1: TLS; part: bytes of a part, of files twice as large.
/// Standard error: "<end> <status> <meaning> requests=<n> sha256=<hex>", end and meaning as their numbers.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/hex.hpp"
#include "fetch/answers.hpp"
#include "fetch/download.hpp"
#include "fetch/s3_endpoint.hpp"
#include "net/run_task.hpp"
#include "store/sha256.hpp"

namespace {

using namespace symcached;
using Arguments = std::map<std::string, std::string>;

void print(const fetch::HttpResult& result, unsigned requests, std::string_view content) {
  const auto meaning = fetch::meaning_of(result.head.status, result.other_body, result.head.error_code);
  std::fwrite(content.data(), 1, content.size(), stdout);
  fmt::print(stderr, "{} {} {} requests={} sha256={} {}\n", static_cast<int>(result.end), result.head.status,
             static_cast<int>(meaning), requests, to_hex(store::sha256(as_bytes(content))), result.error);
}

}  // namespace

int main(int count, char** values) {
  Arguments given;
  for (int i = 1; i < count; ++i) {
    const std::string one = values[i];
    given[one.substr(0, one.find('='))] = one.substr(std::min(one.find('=') + 1, one.size()));
  }
  sources::S3Place place{.bucket = given["bucket"], .prefix = given["prefix"], .endpoint = given["endpoint"]};
  place.region = given["region"];
  place.path_style = true;
  place.access_key = given["access"];
  place.secret_key = given["secret"];
  sources::NetworkRules network;
  network.ca_file = given["ca_file"];
  network.accept_invalid_certs = given["insecure"] == "1";
  fetch::DownloadRules rules;
  rules.max_attempts = 2;
  if (const auto part = std::strtoull(given["part"].c_str(), nullptr, 10); part != 0) {
    rules.part = part;
    rules.split_from = 2 * part;
  }
  fetch::HttpClient client(fetch::Limits(), "s3_get");
  fetch::HostHealth hosts;
  fetch::S3Endpoint endpoint(place, client);
  fetch::Downloader downloader(client, hosts, endpoint, network, rules);
  if (given["how"] == "peek") {
    const auto peeked = run_task(downloader.peek(given["key"], {}, {.offset = 0, .size = 16}));
    print(peeked.result, 1, peeked.bytes);
  } else if (given["how"] == "head") {
    const auto done = run_task(downloader.head(given["key"], {}));
    print(done.result, done.requests, {});
  } else {
    std::string content;
    const auto done = run_task(downloader.get(given["key"], {}, [&](const fetch::HttpHead&) {
      content.clear();
      return std::expected<ByteSink, std::string>([&](Bytes piece) -> std::expected<void, std::string> {
        content += as_text(piece);
        return {};
      });
    }));
    print(done.result, done.requests, content);
  }
  return 0;
}
