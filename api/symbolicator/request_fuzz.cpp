#include "api/symbolicator/request.hpp"

#include "api/symbolicator/response.hpp"

/// Whatever a request holds: it is refused in one line, or answered in JSON without any module.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto parsed = api::parse_symbolicate_body(body, {});
  if (!parsed) {
    const unsigned status = parsed.error().status;
    const std::string& why = parsed.error().why;
    if ((status != 400 && status != 413 && status != 422) || why.empty() || why.find('\n') != why.npos)
      __builtin_trap();
    return 0;
  }
  const stacks::Request& request = parsed->request;
  const stacks::ModuleMap modules(request.modules);
  std::vector<stacks::ModuleState> states(request.modules.size());
  const std::vector<bool> used = modules.used(request.stacks);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (used[i]) states[i].status = stacks::ModuleStatus::missing;
  stacks::Scratch scratch;
  const std::string answer = api::completed_body(request, modules, states, scratch).text;
  if (!answer.starts_with("{\"status\":\"completed\"") || !answer.ends_with("}")) __builtin_trap();
  const auto again = api::parse_options(answer);  // for it is JSON, too
  if (!again && again.error().status == 400) __builtin_trap();
  return 0;
}
