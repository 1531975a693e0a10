#include "app/gnu_addr2line.hpp"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "app/answerer.hpp"
#include "app/argument_files.hpp"
#include "app/asked_file.hpp"
#include "app/user_cache.hpp"
#include "base/ascii.hpp"
#include "symbolize/render_gnu.hpp"

namespace symcached::app {
namespace {

using symbolize::Frame;

constexpr std::string_view kUsage = R"(Usage: addr2line [option(s)] [addr(s)]
 Convert addresses into line number/file name pairs.
 If no addresses are specified on the command line, they will be read from stdin
 The options are:
  @<file>                Read options from <file>
  -a --addresses         Show addresses
  -b --target=<bfdname>  Accepted; the file format is always found out
  -e --exe=<executable>  Set the input file name (default is a.out)
  -i --inlines           Unwind inlined functions
  -j --section=<name>    Read section-relative offsets instead of addresses
  -p --pretty-print      Make the output easier to read for humans
  -s --basenames         Strip directory names
  -f --functions         Show function names
  -C --demangle[=style]  Demangle function names
  -R --recurse-limit     Accepted; demangling is always limited
  -r --no-recurse-limit  Accepted; demangling is always limited
  -h --help              Display this information
  -v --version           Display the program's version

This is symcached, called as addr2line.
)";

enum LongOnly : int { kDemangleStyle = 256 };

constexpr option kLongOptions[] = {{"addresses", no_argument, nullptr, 'a'},
                                   {"basenames", no_argument, nullptr, 's'},
                                   {"demangle", optional_argument, nullptr, kDemangleStyle},
                                   {"exe", required_argument, nullptr, 'e'},
                                   {"functions", no_argument, nullptr, 'f'},
                                   {"help", no_argument, nullptr, 'H'},
                                   {"inlines", no_argument, nullptr, 'i'},
                                   {"no-recurse-limit", no_argument, nullptr, 'r'},
                                   {"no-recursion-limit", no_argument, nullptr, 'r'},
                                   {"pretty-print", no_argument, nullptr, 'p'},
                                   {"recurse-limit", no_argument, nullptr, 'R'},
                                   {"recursion-limit", no_argument, nullptr, 'R'},
                                   {"section", required_argument, nullptr, 'j'},
                                   {"target", required_argument, nullptr, 'b'},
                                   {"version", no_argument, nullptr, 'V'},
                                   {nullptr, 0, nullptr, 0}};

struct GnuOptions {
  symbolize::GnuStyle style;
  std::string file = "a.out";
  std::string section, target;
  std::vector<std::string> addresses;
  bool demangle = false;
  std::optional<int> status;  ///< there is nothing more to do
};

int gnu_failure(const std::string& program, const std::string& what) {
  fmt::print(stderr, "{}: {}\n", program, what);
  return 1;
}

bool is_demangling_style(std::string_view style) {
  static constexpr std::string_view kStyles[] = {"none", "auto", "gnu-v3", "java", "gnat", "dlang", "rust"};
  return std::ranges::find(kStyles, style) != std::end(kStyles);
}

void take_gnu_option(int letter, const std::string& program, GnuOptions& options) {
  switch (letter) {
    case 'a': options.style.addresses = true; break;
    case 'b': options.target = ::optarg; break;
    case 'C': options.demangle = true; break;
    case kDemangleStyle:
      options.demangle = ::optarg == nullptr || std::string_view(::optarg) != "none";
      if (::optarg != nullptr && !is_demangling_style(::optarg))
        options.status = gnu_failure(program, fmt::format("unknown demangling style `{}'", ::optarg));
      break;
    case 'e': options.file = ::optarg; break;
    case 'f': options.style.functions = true; break;
    case 'i': options.style.inlines = true; break;
    case 'j': options.section = ::optarg; break;
    case 'p': options.style.pretty = true; break;
    case 's': options.style.basenames = true; break;
    case 'r':
    case 'R': break;
    case 'v':
    case 'V':
      fmt::print("addr2line (symcached {}), with the options and output of GNU addr2line 2.40\n", SYMCACHED_VERSION);
      options.status = 0;
      break;
    case 'h':
    case 'H':
      fmt::print("{}", kUsage);
      options.status = 0;
      break;
    default:
      fmt::print(stderr, "{}", kUsage);
      options.status = 1;
      break;
  }
}

GnuOptions parse_gnu_options(std::vector<std::string> arguments) {
  const std::string program = arguments.front();
  arguments = with_argument_files(std::move(arguments));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  GnuOptions options;
  ::optind = 0;
  for (int letter; !options.status; take_gnu_option(letter, program, options)) {
    letter = ::getopt_long(count, pointers.data(), "ab:Ce:rRsfHhij:pVv", kLongOptions, nullptr);
    if (letter == -1) break;
  }
  for (int i = ::optind; i < count; ++i) options.addresses.emplace_back(pointers[static_cast<std::size_t>(i)]);
  return options;
}

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\v\f\r");
  return first == text.npos ? std::string_view() : text.substr(first);
}

/// As C's strtoull reads a number: junk behind it does not matter, and what is none is 0.
std::uint64_t leading_number(std::string_view text, int base) {
  return std::strtoull(std::string(text).c_str(), nullptr, base);
}

class GnuAnswerer final : public Answerer {
 public:
  GnuAnswerer(AskedFile& file, const GnuOptions& options, std::optional<std::uint64_t> section)
      : file_(file), options_(options), section_(section) {
    how_.names = options.style.functions ? symbolize::FunctionNames::linkage : symbolize::FunctionNames::none;
    how_.demangle = false;
  }

  bool answer(std::string_view line, std::string& out) override {
    const std::uint64_t number = number_of(line) & (options_.style.narrow ? 0xFFFF'FFFF : ~std::uint64_t{0});
    find(section_ ? file_.placed(options_.section, *section_, number) : file_.placed(number));
    symbolize::GnuStyle style = options_.style;
    style.nameless_file = nameless_file_;
    symbolize::render_gnu(number, frames_, style, out);
    return true;
  }

 private:
  /// Hexadecimal, or a symbol with an offset behind `+`. What is neither is 0.
  std::uint64_t number_of(std::string_view line) const {
    const std::string_view text = without_leading_blanks(line);
    const std::size_t plus = text.find('+');
    if (plus == 0 || (plus == text.npos && !text.empty() && hex_digit(text.front()))) return leading_number(text, 16);
    const std::string_view name = text.substr(0, text.find_first_of(" \t\n\v\f\r+"));
    const auto symbols = file_.debug_symbols().named(name);
    if (!symbols.empty())
      return symbols.front().address + (plus == text.npos ? 0 : leading_number(text.substr(plus + 1), 0));
    return text.empty() || !hex_digit(text.front()) ? 0 : leading_number(text, 16);
  }

  void find(std::uint64_t address) {
    nameless_file_ = false;
    file_.ask(address, how_, answer_);
    frames_.assign(answer_.frames().begin(), answer_.frames().end());
    if (frames_.empty() || frames_.front().file.empty()) use_symbols(address);
    else frames_.back().function = AskedFile::debug_name(frames_.back().function, answer_);
    if (options_.demangle) demangle();
  }

  /// Where debug information says nothing, the symbol before the address is the answer, however far it is.
  void use_symbols(std::uint64_t address) {
    if (!file_.symbols().is_elf()) return;
    frames_.clear();
    const auto symbol = file_.debug_symbols().before(address);
    if (!symbol) return;
    frames_.push_back({.function = symbol->name, .file = symbol->source});
    nameless_file_ = symbol->has_source && symbol->source.empty();
  }

  void demangle() {
    names_.clear();
    names_.reserve(frames_.size());
    for (Frame& frame : frames_) frame.function = names_.emplace_back(symbolize::demangled_by_gnu(frame.function));
  }

  AskedFile& file_;
  const GnuOptions& options_;
  std::optional<std::uint64_t> section_;
  symbolize::AnswerOptions how_;
  symbolize::Answer answer_;
  std::vector<Frame> frames_;
  bool nameless_file_ = false;
  std::vector<std::string> names_;
};

std::string gnu_trouble(const std::string& file, const AskedFile::Error& error) {
  switch (error.failure) {
    case AskedFile::Failure::not_found: return fmt::format("'{}': No such file", file);
    case AskedFile::Failure::folder: return fmt::format("Warning: '{}' is a directory", file);
    case AskedFile::Failure::special: return fmt::format("Warning: '{}' is not an ordinary file", file);
    case AskedFile::Failure::unknown_format: return file + ": file format not recognized";
    case AskedFile::Failure::unreadable: break;
  }
  return fmt::format("{}: {}", file, error.why);
}

}  // namespace

int run_gnu_addr2line(std::vector<std::string> arguments) {
  const std::string program = arguments.front();
  GnuOptions options = parse_gnu_options(std::move(arguments));
  if (options.status) return *options.status;
  AskedFileOptions where{.questions = options.addresses.size()};
  where.cache = open_user_cache({}, {.debug_folders = where.debug_folders});
  const auto file = AskedFile::open(options.file, where);
  if (!file) return gnu_failure(program, gnu_trouble(options.file, file.error()));
  options.style.narrow = (*file)->symbols().is_narrow();
  std::optional<std::uint64_t> section;
  if (!options.section.empty()) {
    const auto found = (*file)->symbols().section(options.section);
    if (!found) return gnu_failure(program, fmt::format("{}: cannot find section {}", options.file, options.section));
    section = found->start;
  }
  GnuAnswerer answerer(**file, options, section);
  if (options.addresses.empty()) answer_stdin(false, answerer);
  else answer_arguments(options.addresses, false, answerer);
  return 0;
}

}  // namespace symcached::app
