/// Input: how many lines around, three lines, then the file. What one pass finds is what a pass for each line finds, it
/// is valid UTF-8, and it keeps to its limits.
#include "symbolize/source_context.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>

namespace {

using symcached::Bytes;

void check(const std::string& line) {
  if (line.size() > symcached::symbolize::kMaxContextLine + 3) std::abort();
  boost::system::error_code error;
  boost::json::parse(boost::json::serialize(boost::json::string(line)), error);  // takes nothing but UTF-8
  if (error) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::uint32_t lines[] = {data[1], data[2], data[3]};
  const Bytes source = std::as_bytes(std::span(data, size)).subspan(4);
  const auto contexts = symcached::symbolize::source_contexts(source, lines, data[0]);
  if (contexts.size() != std::size(lines)) std::abort();
  for (std::size_t i = 0; i < std::size(lines); ++i) {
    if (contexts[i] != symcached::symbolize::source_context(source, lines[i], data[0])) std::abort();
    if (!contexts[i]) continue;
    check(contexts[i]->line);
    for (const std::string& line : contexts[i]->before) check(line);
    for (const std::string& line : contexts[i]->after) check(line);
  }
  return 0;
}
