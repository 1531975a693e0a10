#include "service/worker_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/overloaded.hpp"

namespace symcached::service {

std::expected<std::shared_ptr<const Descriptor>, fetch::FileError> reopen(int file) {
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  auto own = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!*own) return std::unexpected(fetch::FileError{true, std::strerror(errno)});
  return own;
}

std::expected<std::string, fetch::FileError> note_of(const worker::Result& result) {
  using Note = std::expected<std::string, fetch::FileError>;
  const auto bad = [](std::string why) -> Note { return std::unexpected(fetch::FileError{false, std::move(why)}); };
  const auto ours = [](std::string why) -> Note { return std::unexpected(fetch::FileError{true, std::move(why)}); };
  return std::visit(overloaded{[](const worker::Done& d) { return Note(d.note); },
                               [&](const worker::Refused& r) { return bad(r.why); },
                               [&](const worker::Died& d) { return bad("the worker " + d.why); },
                               [&](const worker::Changed& c) { return bad(c.why); },
                               [&](const worker::SinkFailed& s) { return ours(s.why); },
                               [&](const worker::NotRun& n) { return ours(n.why); }},
                    result);
}

}  // namespace symcached::service
