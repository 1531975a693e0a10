#pragma once
/// The SymCache directory: symcaches of Microsoft's format, laid out as WPA does it. We write to it, and so may WPA,
/// copies of other directories, and people; nothing in it is removed here but what this program made for itself.
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "net/log.hpp"
#include "transcode/hot_files.hpp"
#include "transcode/job_folders.hpp"
#include "transcode/listings.hpp"
#include "transcode/quarantine.hpp"

namespace symcached::transcode {

/// The folder for what is ours; no symcache lies below a name that begins with a dot.
inline constexpr const char* kOwnFolder = ".symcached";

struct DirectoryOptions {
  Log log = {};
  Now now = &std::chrono::system_clock::now;
  /// Changes that others make may be seen that much later, and cost that much less: for a server.
  std::chrono::milliseconds trusted{0};
};

/// Safe to use from any thread.
class SymcacheDirectory {
 public:
  /// Creates it if it is missing, removes what dead runs left in its own folder. It need not be writable for reading.
  /// @return the directory, or a sentence that says what to do
  static std::expected<std::unique_ptr<SymcacheDirectory>, std::string> open(std::filesystem::path path,
                                                                             DirectoryOptions options);

  /// What there is for a PDB, sorted by version. Case does not count in name, GUID and age. Empty files, downloads that
  /// are not complete, and links are not there.
  /// @param image  name of the PDB's image if it is known; else generation 2 counts only when it has the PDB's stem
  /// Cost while nothing changed: a stat of up to three folders, no listing.
  HeldFiles find(std::string_view pdb_name, const DebugId& id, std::string_view image = {});

  /// Null if the file is gone, is being written, or is not what we once put there; that one is moved to our own
  /// folder and logged. Cost: reads all of a file that open_known() does not know.
  SharedSymcache open(const Held& held);
  /// The same for a thread with other work to do: null also if open() would have to read it. That is not so for what
  /// was published or read by this run; of what others wrote, nothing that changed within the last second. Cost: a call
  /// to the system for a small file that was asked for before.
  SharedSymcache open_known(const Held& held);
  /// The next find() looks at the folders: somebody may have put a symcache there.
  void look_again() { listings_.look_again(); }

  /// A folder that publish() can rename files out of.
  std::expected<JobFolder, store::Failure> new_job() { return jobs_.create(); }
  /// Puts a file of a job in place, safe on disk. One that is there already stays, and that is no failure.
  /// @param pdb_name  checked again; its folder keeps the spelling it has
  std::expected<void, store::Failure> publish(const std::filesystem::path& file, std::string_view pdb_name,
                                              const DebugId& id, const wpt::Version& version);

  const std::filesystem::path& path() const { return root_; }
  std::uint64_t folders_read() const { return listings_.folders_read(); }  ///< since the start
  std::uint64_t quarantined() const { return quarantine_.taken(); }        ///< since the start

 private:
  SymcacheDirectory(std::filesystem::path root, DirectoryOptions options);
  Descriptor open_file(const std::string& relative) const;
  SharedSymcache open_checked(const Held& held);
  store::Checked read(const Descriptor& file, const store::FileStamp& stamp);
  void move_away(const std::string& relative);

  const std::filesystem::path root_;  ///< absolute, the last part no link
  const Log log_;
  Listings listings_;
  store::CheckedFiles checked_;
  HotFiles hot_;
  JobFolders jobs_;
  Quarantine quarantine_;
};

}  // namespace symcached::transcode
