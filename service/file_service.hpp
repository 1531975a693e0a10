#pragma once
/// The use-case: a file itself, from the first source that has it.
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>
#include <variant>

#include "fetch/file_reader.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/job_table.hpp"
#include "service/originals.hpp"
#include "service/outcome.hpp"

namespace symcached::service {

/// May lie in a folder where somebody changes it.
using SharedOriginal = std::shared_ptr<const fetch::Original>;
using FileOutcome = std::variant<SharedOriginal, Absent, Failed, Pending, Overloaded, Unable>;

/// Safe to use from any thread.
class FileService {
 public:
  /// `originals` and `reader` outlive it.
  FileService(Originals& originals, fetch::FileReader& reader, JobLimits limits, unsigned threads, Log log);
  ~FileService() { stop(); }

  /// @param hold  how long to wait for what is not at hand; it is fetched in any case
  Task<FileOutcome> find(fetch::Wanted wanted, std::chrono::milliseconds hold);
  void drain() { jobs_.drain(); }
  void stop();

 private:
  Task<FileOutcome> fetch(fetch::Wanted wanted);

  Originals& originals_;
  fetch::FileReader& reader_;
  const Log log_;
  JobTable<fetch::Wanted, FileOutcome> jobs_;
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::service
