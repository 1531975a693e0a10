#include "app/transcoding.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

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

/// With the folder of this process in front where a path is relative: a transcoder runs in another.
transcode::TranscoderConfig program_of(const config::Transcoder& transcoder) {
  transcode::TranscoderConfig program = transcoder.program;
  program.announced = wpt::Version::parse(transcoder.version).value_or(wpt::Version());
  return program;
}

/// The base URL with a place in a SymCache directory behind it.
api::Redirect to_base(std::string base) {
  while (base.ends_with('/')) base.pop_back();
  return [base](transcode::OpenSymcache symcache) -> Task<std::optional<std::string>> {
    co_return base + "/" + http::percent_encode_path(symcache.path);
  };
}

api::Redirect to_bucket(fetch::S3Endpoint& bucket, std::chrono::seconds life, Log log) {
  return [&bucket, life, log](transcode::OpenSymcache symcache) -> Task<std::optional<std::string>> {
    std::string media_type = api::microsoft_media_type(symcache.version);
    auto url = co_await bucket.presigned(symcache.path, std::move(media_type), life);
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
  if (!config.redirect.bucket.bucket.empty()) {
    all->bucket_ = std::make_unique<fetch::S3Endpoint>(config.redirect.bucket, base.client);
    all->redirect_ = to_bucket(*all->bucket_, config.redirect.life, log);
  } else if (!config.redirect.to.empty()) {
    all->redirect_ = to_base(config.redirect.to);
  }
  service::WptOptions options{.jobs = jobs};
  options.max_running =
      config.max_running != 0 ? config.max_running : std::max(1u, std::thread::hardware_concurrency());
  all->service_ = std::make_unique<service::WptService>(base.store, *all->directory_, base.originals, base.reader,
                                                        std::move(tools), options, log);
  return all;
}

void Transcoding::stop() {
  for (const auto& transcoder : transcoders_) transcoder->stop();
  if (service_) service_->stop();
}

}  // namespace symcached::app
