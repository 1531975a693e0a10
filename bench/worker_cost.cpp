/// bench_worker_cost PROGRAM FILE...: converts each file within this process and by a warm worker of PROGRAM, in turn,
/// and prints the medians in milliseconds and what the worker costs: the medians of the differences and of the ratios
/// of runs that followed each other.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/mapped_file.hpp"
#include "bench/arguments.hpp"
#include "net/run_task.hpp"
#include "service/worker_jobs.hpp"
#include "symbolize/derive.hpp"

namespace {

using namespace symcached;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kRuns = 21;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double here(const std::filesystem::path& path, std::vector<std::byte>& out) {
  const auto start = Clock::now();
  const auto file = MappedFile::open(path);
  auto derived = symbolize::derive_symcache({.file = file->bytes(), .release = [&] { file->release_pages(); }});
  if (!derived) bench::die("bench_worker_cost", derived.error());
  out = std::move(derived->file);
  return Milliseconds(Clock::now() - start).count();
}

double by_worker(worker::Pool& pool, const std::filesystem::path& path, std::vector<std::byte>& out) {
  const auto start = Clock::now();
  const std::uint64_t size = std::filesystem::file_size(path);
  worker::Job job{.kind = static_cast<std::uint32_t>(service::JobKind::derive),
                  .arguments = service::Extent{0, size}.text(),
                  .limits = service::limits_for(size, {})};
  job.inputs.push_back({std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC))});
  out.clear();
  worker::Sink sink = [&out](Bytes piece) -> std::expected<void, std::string> {
    out.insert(out.end(), piece.begin(), piece.end());
    return {};
  };
  const worker::Result result = run_task(pool.run(std::move(job), std::move(sink)));
  if (!std::holds_alternative<worker::Done>(result)) bench::die("bench_worker_cost", "the worker did not convert it");
  return Milliseconds(Clock::now() - start).count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) bench::die("bench_worker_cost", "usage: bench_worker_cost PROGRAM FILE...");
  worker::Pool pool({.command = {arguments[1], "worker"}, .processes = 1}, [](Severity, const std::string&) {});
  fmt::print("{:32} {:>12} {:>12} {:>10}\n", "file", "here, ms", "worker, ms", "cost");
  for (int i = 2; i < count; ++i) {
    std::vector<double> in_process, in_worker, more, ratio;
    std::vector<std::byte> one, other;
    for (int run = 0; run < kRuns; ++run) {
      // Who is first changes: what the machine does beside it then costs both the same.
      double a = 0;
      if (run % 2 == 0) a = here(arguments[i], one);
      const double b = by_worker(pool, arguments[i], other);
      if (run % 2 != 0) a = here(arguments[i], one);
      if (one != other) bench::die("bench_worker_cost", "the results differ");
      in_process.push_back(a);
      in_worker.push_back(b);
      more.push_back(b - a);
      ratio.push_back(b / a);
    }
    fmt::print("{:32} {:12.2f} {:12.2f} {:+7.2f} ms {:+6.1f} %\n",
               std::filesystem::path(arguments[i]).filename().string(), median(in_process), median(in_worker),
               median(more), (median(ratio) - 1) * 100);
  }
}
