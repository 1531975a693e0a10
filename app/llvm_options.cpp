#include "app/llvm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "app/argument_files.hpp"
#include "app/llvm_request.hpp"

namespace symcached::app {
namespace {

using Names = symbolize::FunctionNames;
using Format = symbolize::LlvmStyle::Format;

enum class Id : std::uint8_t {
  addresses,
  adjust_vma,
  basenames,
  build_id,
  debug_folder,
  demangle,
  file,
  functions,
  functions_style,
  help,
  ignored,
  inlines,
  no_demangle,
  no_inlines,
  pretty,
  relative_address,
  source_lines,
  split_package,
  style,
  unsupported,
  verbose,
  version,
};

enum class Takes : std::uint8_t { nothing, value };

struct Row {
  std::string_view spelling;
  Takes takes;
  Id id;
};

constexpr Row kRows[] = {
    {"--addresses", Takes::nothing, Id::addresses},
    {"--print-address", Takes::nothing, Id::addresses},
    {"-a", Takes::nothing, Id::addresses},
    {"--adjust-vma", Takes::value, Id::adjust_vma},
    {"--basenames", Takes::nothing, Id::basenames},
    {"-s", Takes::nothing, Id::basenames},
    {"--build-id", Takes::value, Id::build_id},
    {"--cache-size", Takes::value, Id::ignored},
    {"--color", Takes::nothing, Id::ignored},
    {"--debug-file-directory", Takes::value, Id::debug_folder},
    {"--fallback-debug-path", Takes::value, Id::debug_folder},
    {"--debuginfod", Takes::nothing, Id::ignored},
    {"--no-debuginfod", Takes::nothing, Id::ignored},
    {"--default-arch", Takes::value, Id::ignored},
    {"-demangle=false", Takes::nothing, Id::no_demangle},
    {"-demangle=true", Takes::nothing, Id::demangle},
    {"--demangle=false", Takes::nothing, Id::no_demangle},
    {"--demangle=true", Takes::nothing, Id::demangle},
    {"--demangle", Takes::nothing, Id::demangle},
    {"-C", Takes::nothing, Id::demangle},
    {"--no-demangle", Takes::nothing, Id::no_demangle},
    {"--dia", Takes::nothing, Id::ignored},
    {"--disable-gsym", Takes::nothing, Id::ignored},
    {"--dsym-hint", Takes::value, Id::unsupported},
    {"--dwp", Takes::value, Id::split_package},
    {"--exe", Takes::value, Id::file},
    {"--obj", Takes::value, Id::file},
    {"-e", Takes::value, Id::file},
    {"--filter-markup", Takes::nothing, Id::unsupported},
    {"--functions", Takes::nothing, Id::functions},
    {"-f", Takes::nothing, Id::functions},
    {"--gsym-file-directory", Takes::value, Id::unsupported},
    {"--help", Takes::nothing, Id::help},
    {"-h", Takes::nothing, Id::help},
    {"--inlines", Takes::nothing, Id::inlines},
    {"--inlining", Takes::nothing, Id::inlines},
    {"--inlining=true", Takes::nothing, Id::inlines},
    {"-i", Takes::nothing, Id::inlines},
    {"--inlining=false", Takes::nothing, Id::no_inlines},
    {"--no-inlines", Takes::nothing, Id::no_inlines},
    {"--no-untag-addresses", Takes::nothing, Id::ignored},
    {"--untag-addresses", Takes::nothing, Id::ignored},
    {"--output-style", Takes::value, Id::style},
    {"--pretty-print", Takes::nothing, Id::pretty},
    {"-p", Takes::nothing, Id::pretty},
    {"--print-source-context-lines", Takes::value, Id::source_lines},
    {"--relative-address", Takes::nothing, Id::relative_address},
    {"--relativenames", Takes::nothing, Id::unsupported},
    {"--skip-line-zero", Takes::nothing, Id::unsupported},
    {"--use-symbol-table=true", Takes::nothing, Id::ignored},
    {"--verbose", Takes::nothing, Id::verbose},
    {"--version", Takes::nothing, Id::version},
    {"-v", Takes::nothing, Id::version},
};

constexpr std::string_view kHelp = R"(OVERVIEW: {0}

USAGE: {0} [options] addresses...

OPTIONS:
  --addresses, -a         Show address before line information
  --adjust-vma=<offset>   Subtract the offset from each address
  --basenames, -s         Strip directory names from paths
  --build-id=<id>         Build ID used to find the file in the debug directories
  --cache-size=<bytes>    Accepted
  --color[=<when>]        Accepted
  --debug-file-directory=<dir>, --fallback-debug-path=<dir>
                          Directory searched for separate debug files; repeatable
  --debuginfod, --no-debuginfod
                          Accepted; no server is asked
  --default-arch=<arch>   Accepted
  --demangle, -C          Demangle function names
  --dwp=<file>            DWP file with the split units
  --functions[=<style>], -f[=<style>]
                          none, short or linkage
  --inlines, --inlining, -i
                          Print all inlined frames for an address
  --no-demangle           Print function names as they are recorded
  --no-inlines            Do not print inlined frames
  --obj=<file>, --exe=<file>, -e <file>
                          The file; if none is given, each input line names one
  --output-style=<style>  LLVM, GNU or JSON
  --pretty-print, -p      Print a frame in one line
  --print-source-context-lines=<n>
                          Print n lines of the source file around each line
  --relative-address      Addresses count from the image base
  --untag-addresses, --no-untag-addresses
                          Accepted
  --verbose               Print a line for each thing that is known
  --help, --version, -v

Not supported: --dsym-hint, --filter-markup, --gsym-file-directory,
--relativenames, --skip-line-zero.
Pass @FILE as argument to read options from FILE.

This is symcached, called as {0}.
)";

class LlvmOptionParser {
 public:
  explicit LlvmOptionParser(bool is_addr2line) {
    options_.is_addr2line = is_addr2line;
    if (!is_addr2line) return;
    options_.style.format = Format::gnu;
    options_.names = Names::none;
    options_.style.functions = options_.inlines = options_.demangle = false;
  }

  LlvmOptions parse(std::span<const std::string> arguments) {
    for (at_ = arguments; !at_.empty() && !quit_;) {
      const std::string_view argument = at_.front();
      at_ = at_.subspan(1);
      if (argument.size() < 2 || argument.front() != '-') options_.inputs.emplace_back(argument);
      else if (!take(argument) && !take_group(argument)) unknown(argument);
    }
    if (!quit_ && !options_.build_id.empty() && !options_.file.empty())
      fail("error: cannot specify both --build-id and --obj");
    if (!quit_ && is_wrong_) options_.status = 1;
    return std::move(options_);
  }

 private:
  void fail(const std::string& what) {
    fmt::print(stderr, "{}\n", what);
    options_.status = 1;
    quit_ = true;
  }
  void unknown(std::string_view argument) {
    fmt::print(stderr, "error: unknown argument '{}'\n", argument);
    is_wrong_ = true;
  }

  /// A whole argument, with its value behind `=` or in the next one.
  bool take(std::string_view argument) {
    if (const auto row = std::ranges::find(kRows, argument, &Row::spelling); row != std::end(kRows)) {
      if (row->takes == Takes::nothing) {
        apply(row->id, row->spelling, {});
      } else if (at_.empty()) {
        fmt::print(stderr, "error: {}: missing argument\n", argument);
        is_wrong_ = true;
      } else {
        const std::string_view value = at_.front();
        at_ = at_.subspan(1);
        apply(row->id, row->spelling, value);
      }
      return true;
    }
    const std::size_t equals = argument.find('=');
    if (equals == argument.npos) return false;
    const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
    if (name == "-f" || name == "--functions") return apply(Id::functions_style, name, value), true;
    if (name == "--color") return true;
    const auto row = std::ranges::find(kRows, name, &Row::spelling);
    if (row == std::end(kRows) || row->takes == Takes::nothing) return false;
    apply(row->id, row->spelling, value);
    return true;
  }

  /// Letters behind one dash, such as -fCi.
  bool take_group(std::string_view argument) {
    if (argument.starts_with("--")) return false;
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const char letter[] = {'-', argument[i]};
      if (!take({letter, 2})) unknown({letter, 2});
    }
    return true;
  }

  void apply(Id id, std::string_view name, std::string_view value) {
    symbolize::LlvmStyle& style = options_.style;
    switch (id) {
      case Id::addresses: style.addresses = true; break;
      case Id::adjust_vma: set_number(name, value, options_.adjust); break;
      case Id::basenames: style.basenames = true; break;
      case Id::build_id: set_build_id(value); break;
      case Id::debug_folder: options_.files.debug_folders.emplace_back(value); break;
      case Id::demangle: options_.demangle = true; break;
      case Id::file: options_.file = value; break;
      case Id::functions: set_names("linkage"); break;
      case Id::functions_style: set_names(value); break;
      case Id::help: say(fmt::format(fmt::runtime(kHelp), program())); break;
      case Id::ignored: break;
      case Id::inlines: options_.inlines = true; break;
      case Id::no_demangle: options_.demangle = false; break;
      case Id::no_inlines: options_.inlines = false; break;
      case Id::pretty: style.pretty = true; break;
      case Id::relative_address: options_.relative_address = true; break;
      case Id::source_lines: set_source_lines(name, value); break;
      case Id::split_package: options_.files.split_package = value; break;
      case Id::style: set_style(value); break;
      case Id::unsupported: fail(fmt::format("error: {} is not supported by symcached", name)); break;
      case Id::verbose: style.verbose = true; break;
      case Id::version:
        say(fmt::format("{} (symcached {}), with the options and output of LLVM 22\n", program(), SYMCACHED_VERSION));
        break;
    }
  }

  std::string_view program() const { return options_.is_addr2line ? "llvm-addr2line" : "llvm-symbolizer"; }
  void say(const std::string& text) {
    fmt::print("{}", text);
    options_.status = 0;
    quit_ = true;
  }
  void set_number(std::string_view name, std::string_view value, std::uint64_t& number) {
    if (const auto given = parse_llvm_number(value)) number = *given;
    else fail(fmt::format("{}=: expected a non-negative integer, but got '{}'", name, value));
  }
  void set_source_lines(std::string_view name, std::string_view value) {
    std::uint64_t lines = 0;
    set_number(name, value, lines);
    options_.style.source_lines = static_cast<std::uint32_t>(std::min<std::uint64_t>(lines, 1'000'000));
  }
  void set_build_id(std::string_view value) {
    if (const auto id = parse_build_id(value)) options_.build_id = *id;
    else fail(fmt::format("--build-id=: expected a build ID, but got '{}'", value));
  }
  /// What is not known is as if nothing were said, in LLVM, too.
  void set_names(std::string_view value) {
    options_.style.functions = value != "none";
    options_.names = value == "none" ? Names::none : value == "short" ? Names::brief : Names::linkage;
  }
  void set_style(std::string_view value) {
    options_.style.format = value == "GNU" ? Format::gnu : value == "JSON" ? Format::json : Format::llvm;
  }

  std::span<const std::string> at_;
  LlvmOptions options_;
  bool quit_ = false, is_wrong_ = false;
};

}  // namespace

LlvmOptions parse_llvm_options(std::vector<std::string> arguments, bool is_addr2line) {
  arguments.erase(arguments.begin());
  if (const char* more = std::getenv(is_addr2line ? "LLVM_ADDR2LINE_OPTS" : "LLVM_SYMBOLIZER_OPTS"); more != nullptr) {
    const std::vector<std::string> words = words_of(more);
    arguments.insert(arguments.begin(), words.begin(), words.end());
  }
  arguments = with_argument_files(std::move(arguments));
  return LlvmOptionParser(is_addr2line).parse(arguments);
}

}  // namespace symcached::app
