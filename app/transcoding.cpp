#include "app/transcoding.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/threads.hpp"
#include "wpt/choice.hpp"
#include "wpt/media_type.hpp"
#include "wpt/version.hpp"

namespace symcached::app {
namespace {

constexpr std::chrono::milliseconds kTrusted{50};  ///< what others put into the directory is served that much later

/// Size and time of each file in a command: the program, and under Wine the program that Wine runs.
std::string identity_of(const std::vector<std::string>& command) {
  std::string identity;
  for (const std::string& argument : command) {
    struct stat info{};
    if (!argument.starts_with('/') || ::stat(argument.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    identity += fmt::format("{}{}.{}", identity.empty() ? "" : "-", info.st_size, info.st_mtim.tv_sec);
  }
  return identity;
}

transcode::TranscoderConfig program_of(const config::Transcoder& transcoder) {
  transcode::TranscoderConfig program = transcoder.program;
  program.announced = wpt::Version::parse(transcoder.version).value_or(wpt::Version());
  return program;
}

/// What workers make, one version of each major one. @return it, or what is wrong, with the key
std::expected<std::vector<wpt::Version>, std::string> remote_versions(const config::SymcacheConfig& config) {
  const auto wrong = [](std::string_view why) {
    return std::unexpected(fmt::format("symcache.remote.majors: {}", why));
  };
  if (config.remote.majors.empty()) return wrong("empty; write the versions that they make: [3.1.0]");
  std::set<std::uint32_t> taken;
  for (const auto& [major_part, transcoder] : config.transcoders) taken.insert(major_part);
  std::vector<wpt::Version> versions;
  for (const std::string& text : config.remote.majors) {
    const auto version = wpt::Version::parse(text);
    if (!version || *version < wpt::kMicrosoftMinimum)
      return wrong(fmt::format("\"{}\": write a version such as 3.1.0", text));
    if (!taken.insert(version->major_part).second)
      return wrong(fmt::format("there is a transcoder for version {} already", version->major_part));
    versions.push_back(*version);
  }
  return versions;
}

/// The base URL with a place in a SymCache directory behind it.
api::Redirect to_base(std::string base) {
  while (base.ends_with('/')) base.pop_back();
  return [base](transcode::SharedSymcache symcache) -> Task<std::optional<std::string>> {
    co_return base + "/" + http::percent_encode_path(symcache->path);
  };
}

api::Redirect to_bucket(fetch::S3Endpoint& bucket, std::chrono::seconds life, Log log) {
  return [&bucket, life, log](transcode::SharedSymcache symcache) -> Task<std::optional<std::string>> {
    std::string media_type = wpt::media_type_of(wpt::kMicrosoftType, symcache->version);
    auto url = co_await bucket.presigned(symcache->path, std::move(media_type), life);
    if (url) co_return std::move(*url);
    log(Severity::warning, fmt::format("symcache.redirect: {}; sent from here", url.error()));
    co_return std::nullopt;
  };
}

}  // namespace

std::expected<std::unique_ptr<Transcoding>, std::string> Transcoding::open(const config::SymcacheConfig& config,
                                                                           const service::JobLimits& jobs,
                                                                           TranscodingBase base, const Log& log) {
  auto directory = transcode::SymcacheDirectory::open(config.directory, {.log = log, .trusted = kTrusted});
  if (!directory) return std::unexpected(fmt::format("symcache.directory: {}", directory.error()));
  std::unique_ptr<Transcoding> all(new Transcoding);
  all->directory_ = std::move(*directory);
  std::vector<service::Tool> tools;
  for (const auto& [major_part, configured] : config.transcoders) {
    const transcode::TranscoderConfig program = program_of(configured);
    auto& transcoder = *all->transcoders_.emplace_back(
        std::make_unique<transcode::Transcoder>(program, std::vector<std::string>{"/proc/self/exe"}, log));
    tools.push_back({.version = program.announced,
                     .identity = [command = program.command] { return identity_of(command); },
                     .run = [&transcoder](transcode::TranscodeJob job) { return transcoder.run(std::move(job)); }});
  }
  auto remote = all->open_remote(config, std::max<std::size_t>(1, jobs.max_active / 2), log);
  if (!remote) return std::unexpected(std::move(remote.error()));
  std::ranges::move(*remote, std::back_inserter(tools));
  if (!config.redirect.bucket.bucket.empty()) {
    all->bucket_ = std::make_unique<fetch::S3Endpoint>(config.redirect.bucket, base.client);
    all->redirect_ = to_bucket(*all->bucket_, config.redirect.life, log);
  } else if (!config.redirect.to.empty()) {
    all->redirect_ = to_base(config.redirect.to);
  }
  service::WptOptions options{.jobs = jobs};
  options.max_running = config.max_running != 0 ? config.max_running : hardware_threads();
  all->service_ = std::make_unique<service::WptService>(base.store, *all->directory_, base.originals, base.reader,
                                                        std::move(tools), options, log);
  return all;
}

/// @param max_jobs  that may wait for workers: not so many that nothing else is done
std::expected<std::vector<service::Tool>, std::string> Transcoding::open_remote(const config::SymcacheConfig& config,
                                                                                std::size_t max_jobs, const Log& log) {
  std::vector<service::Tool> tools;
  if (config.remote.token.empty()) return tools;
  const auto versions = remote_versions(config);
  if (!versions) return std::unexpected(versions.error());
  transcode::RemoteOptions options{.output_limit = config.remote.output_limit, .log = log};
  options.rules.lease = config.remote.lease;
  options.rules.most_jobs = max_jobs;
  remote_ = std::make_unique<transcode::RemoteTranscoders>(std::move(options));
  workers_ = std::make_unique<api::WorkerDesk>(*remote_, config.remote.token, log);
  for (const wpt::Version& version : *versions) {
    const auto run = [&remote = *remote_, major_part = version.major_part](transcode::TranscodeJob job) {
      return remote.run(std::move(job), major_part);
    };
    tools.push_back({.version = version, .identity = [] { return "remote"; }, .run = run, .is_elsewhere = true});
  }
  return tools;
}

void Transcoding::stop() {
  if (remote_) remote_->stop();
  for (const auto& transcoder : transcoders_) transcoder->stop();
  if (service_) service_->stop();
}

}  // namespace symcached::app
