/// transcode_once SYMCACHED DIRECTORY PDB COMMAND...: makes a symcache with a transcoder, as a server would, publishes
/// it in a SymCache directory, finds it there, and prints its path.
#include <fcntl.h>
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <optional>

#include "base/mapped_file.hpp"
#include "object/identify.hpp"
#include "transcode/directory.hpp"
#include "transcode/keeper.hpp"
#include "transcode/transcoder.hpp"

namespace {

using namespace symcached;
using namespace symcached::transcode;

int fail(std::string_view why) {
  fmt::print(stderr, "{}\n", why);
  return 1;
}

Transcoded wait_for(Task<Transcoded> task) {
  boost::asio::io_context loop;
  std::optional<Transcoded> result;
  boost::asio::co_spawn(loop, std::move(task), [&](std::exception_ptr, Transcoded done) { result = std::move(done); });
  loop.run();
  return std::move(*result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return fail("usage: transcode_once SYMCACHED DIRECTORY PDB COMMAND...");
  const std::filesystem::path pdb = argv[3];
  const auto mapped = MappedFile::open(pdb);
  const auto info = mapped ? object::describe(mapped->bytes()) : object::FileInfo{};
  if (!info.debug_id) return fail("no PDB");
  const auto directory = SymcacheDirectory::open(argv[2], {});
  if (!directory) return fail(directory.error());
  const TranscoderConfig config{.announced = {2, 1, 0}, .command = {argv + 4, argv + argc}};
  Transcoder transcoder(config, {argv[1]}, [](Severity, const std::string& line) { fmt::print(stderr, "{}\n", line); });
  auto file = std::make_shared<const Descriptor>(::open(pdb.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string name = pdb.filename();
  auto folder = (*directory)->new_job();
  if (!folder) return fail(folder.error().why);
  TranscodeJob job;
  job.pdb.file = file;
  job.pdb.size = mapped->bytes().size();
  job.pdb_name = name;
  job.id = *info.debug_id;
  job.folder = std::move(*folder);
  const auto result = wait_for(transcoder.run(std::move(job)));
  const auto* made = std::get_if<Made>(&result);
  if (made == nullptr) {
    const auto* failed = std::get_if<Failed>(&result);
    return fail(failed == nullptr ? "not made" : failed->why + ": " + failed->output);
  }
  const auto published = (*directory)->publish(made->file, name, *info.debug_id, made->version);
  if (!published) return fail(published.error().why);
  const HeldFiles all = (*directory)->find(name, *info.debug_id);
  for (const Held& held : *all)
    if ((*directory)->open(held)) fmt::print("{}\n", ((*directory)->path() / held.path).string());
  return 0;
}
