/// bench_method_lookup CACHE QUESTIONS [--print] [--rounds N]: how fast one thread looks methods and IL offsets up in a
/// ppdbcache. QUESTIONS: a file of lines "ROW IL_OFFSET", both decimal. Document, line and language are touched. Prints
/// `name=value` pairs, the same as bench/peers/rust. With --choose N instead of QUESTIONS it writes such a file.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "bench/arguments.hpp"
#include "ppdbcache/reader.hpp"

namespace {

using namespace symcached;

constexpr std::string_view kProgram = "bench_method_lookup";

struct Question {
  std::uint32_t row, il_offset;
};

[[noreturn]] void die(std::string_view why) { bench::die(kProgram, why); }

/// A row and an IL offset, both decimal.
std::optional<Question> parse_question(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const auto row = bench::parse<std::uint32_t>(line.substr(0, space), 10);
  const auto il_offset = bench::parse<std::uint32_t>(line.substr(std::min(space + 1, line.size())), 10);
  return row && il_offset ? std::optional(Question{*row, *il_offset}) : std::nullopt;
}

/// The offsets from one point up to the next.
struct Reach {
  std::uint32_t row, il_offset, size;
};

std::vector<Reach> reaches_of(const ppdbcache::Reader& cache) {
  constexpr std::uint32_t kReachOfLast = 8;  // where a method's code ends is not in the cache
  std::vector<Reach> all;
  for (std::uint32_t row = 1; row < cache.row_limit(); ++row) {
    ppdbcache::PointCursor points = cache.points(row);
    bool first = true;
    for (model::ManagedPoint p; points.next(p); first = false) {
      if (!first) all.back().size = p.il_offset - all.back().il_offset;
      all.push_back({row, p.il_offset, kReachOfLast});
    }
  }
  return all;
}

/// Each point as likely as any other, and each offset up to the next one.
void choose_questions(const ppdbcache::Reader& cache, std::uint64_t count) {
  const std::vector<Reach> all = reaches_of(cache);
  if (all.empty()) die("the cache holds no points");
  std::mt19937_64 random(1);
  for (; count != 0; --count) {
    const Reach& chosen = all[random() % all.size()];
    fmt::print("{} {}\n", chosen.row, chosen.il_offset + random() % chosen.size);
  }
}

/// Summed, so that nothing can be left out by the optimiser.
struct Touched {
  std::uint64_t hits = 0, bytes = 0, lines = 0, languages = 0;
};

void one_round(const ppdbcache::Reader& cache, const std::vector<Question>& questions, bool print, Touched& touched) {
  for (const Question& question : questions) {
    const auto place = cache.lookup(question.row, question.il_offset);
    if (place) {
      ++touched.hits;
      touched.bytes += place->document.size();
      touched.lines += place->line;
      touched.languages += place->language != model::Language::unknown ? 1u : 0u;
    }
    if (print && place) fmt::print("{}:{}\n", place->document, place->line);
    if (print && !place) fmt::print("\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = bench::lookup_options_of(kProgram, std::span(arguments, static_cast<std::size_t>(count)));
  const auto file = MappedFile::open(options.cache);
  if (!file) die(file.error());
  const auto cache = ppdbcache::Reader::open(file->bytes());
  if (!cache) die(to_string(cache.error()));
  if (options.choose != 0) {
    choose_questions(*cache, options.choose);
    return 0;
  }
  const std::vector<Question> questions = bench::read_questions(kProgram, options.questions, parse_question);
  Touched touched;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t round = 0; round < options.rounds; ++round) one_round(*cache, questions, options.print, touched);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const double lookups = static_cast<double>(options.rounds) * static_cast<double>(questions.size());
  const auto per_lookup = [&](std::uint64_t sum) { return static_cast<double>(sum) / lookups; };
  fmt::print("seconds={:.6f} lookups_per_s={:.0f} hits={:.4f} languages={:.4f} text_bytes={:.1f} line_sum={}\n",
             taken.count(), lookups / taken.count(), per_lookup(touched.hits), per_lookup(touched.languages),
             per_lookup(touched.bytes), touched.lines);
}
