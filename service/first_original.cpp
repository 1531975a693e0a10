#include "service/first_original.hpp"

#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fetch/verify.hpp"
#include "service/verdicts.hpp"

namespace symcached::service {
namespace {

/// The file may be another one than its place says, if that was not seen when it was fetched.
Task<std::optional<store::Negative>> verdict_on(const fetch::Original& original, const fetch::Wanted& wanted,
                                                fetch::FileReader& reader, const RetryPolicy& policy) {
  if (fetch::is_verified(wanted.file.type)) co_return std::nullopt;
  const auto stated = co_await reader.state_ids(original.file.get(), original.offset, original.size);
  if (!stated && stated.error().ours) co_return std::nullopt;
  const auto verified = stated ? fetch::verify_stated(wanted.file, *stated)
                               : std::expected<void, std::string>(std::unexpected(stated.error().why));
  if (verified) co_return std::nullopt;
  const fetch::Outcome refused = fetch::Refused{verified.error(), original.identity};
  co_return verdict_of(refused, std::nullopt, policy);
}

}  // namespace

Task<FirstOriginal> first_original(Originals& originals, fetch::FileReader& reader, fetch::Wanted wanted,
                                   SharedSources sources) {
  const RetryPolicy& policy = sources->sources.policy;
  std::vector<store::Negative> verdicts;
  for (const auto& source : sources->sources.all) {
    Originals::Answer answer = co_await originals.ask(*source, wanted, policy);
    if (auto* exhausted = std::get_if<fetch::Exhausted>(&answer)) co_return std::move(*exhausted);
    if (auto* verdict = std::get_if<store::Negative>(&answer)) verdicts.push_back(std::move(*verdict));
    auto* original = std::get_if<fetch::Original>(&answer);
    if (original == nullptr) continue;
    auto refused = co_await verdict_on(*original, wanted, reader, policy);
    if (!refused) co_return std::move(*original);
    source->forget(wanted);
    originals.refuse(*source, wanted, *refused);
    verdicts.push_back(std::move(*refused));
  }
  co_return combined(verdicts, sources->asked, policy);
}

}  // namespace symcached::service
