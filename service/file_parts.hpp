#pragma once
/// Jobs over several files: an original, and files that it needs. Both sides of the process boundary. Private to
/// `service/`.
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "ids/guid.hpp"
#include "object/common/original.hpp"
#include "service/worker_jobs.hpp"
#include "store/sha256.hpp"

namespace symcached::service {

/// What each file of a job is, in their order, and where in it that lies: the job's arguments.
struct FileParts {
  struct Further {
    object::NeedFile::Kind kind{};  ///< uuid_map or symbol_map
    Extent extent;
  };
  Extent original;
  std::vector<Further> further = {};

  std::string text() const;  ///< "0 65536", and a line for each further file: "symbol_map 4096 700"
  static std::expected<FileParts, std::string> parse(std::string_view text);
};

/// The worker's side: all files of a job.
struct OpenedParts {
  std::vector<MappedFile> mapped;
  Bytes original;
  std::vector<object::Companion> companions;  ///< without those that are shorter than they were said to be

  static std::expected<OpenedParts, std::string> open(const worker::Work& work);
};

/// The parent's side: a file that goes with an original.
struct FurtherFile {
  object::NeedFile::Kind kind{};
  worker::Input input;
  Extent extent;
  std::string origin = {};    ///< path or URL, for the log
  store::Sha256 digest = {};  ///< of its bytes; zero: unknown
};
/// @param further  at most 7
worker::Job job_over(JobKind kind, worker::Input original, const Extent& extent, std::span<const FurtherFile> further,
                     const LimitRules& limits);

/// The files that would give a Mach-O file its hidden names back, as JobKind::find_maps tells: the UUIDs that they are
/// found by. Neither: no names are hidden, or the map is at hand.
struct NeededMaps {
  std::optional<Guid> uuid_map = {}, symbol_map = {};

  static NeededMaps of(std::span<const object::NeedFile> needed);
  std::string text() const;  ///< "3249D99D0C4049318610F4E4FB0B6936 -": both, or a dash
  static std::optional<NeededMaps> parse(std::string_view text);
};

}  // namespace symcached::service
