#include "app/llvm_symbolizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "app/answerer.hpp"
#include "app/asked_file.hpp"
#include "app/llvm_options.hpp"
#include "app/llvm_request.hpp"
#include "app/user_cache.hpp"
#include "base/ascii.hpp"
#include "base/path_text.hpp"
#include "demangle/demangle.hpp"

namespace symcached::app {
namespace {

using symbolize::Frame;
using symbolize::FunctionNames;
using symbolize::LlvmFrames;
using symbolize::LlvmRequest;
using symbolize::LlvmStyle;

/// "twice<int>" of "ns::Box::twice<int>".
std::string_view own_name(std::string_view qualified) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < qualified.size(); ++i) {
    const char c = qualified[i];
    if (i == start && qualified.substr(i).starts_with("operator")) return qualified.substr(start);
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && c == ':' && i + 1 < qualified.size() && qualified[i + 1] == ':') start = ++i + 1;
  }
  return qualified.substr(start);
}

std::string llvm_trouble(const AskedFile::Error& error) {
  switch (error.failure) {
    case AskedFile::Failure::unknown_format:
    case AskedFile::Failure::special: return "The file was not recognized as a valid object file";
    case AskedFile::Failure::not_found:
    case AskedFile::Failure::folder:
    case AskedFile::Failure::unreadable: break;
  }
  return error.why;
}

/// Files that were asked about: lines may name any number of them, again and again.
class AskedFiles {
 public:
  explicit AskedFiles(const AskedFileOptions& options) : options_(options) {}

  /// Null: `why` says the reason, in LLVM's words where it has some, when the file is asked about for the first time.
  AskedFile* open(const std::string& path, std::string& why) {
    const auto [known, is_new] = files_.try_emplace(path);
    if (is_new) {
      auto opened = AskedFile::open(path, options_);
      if (opened) known->second = *std::move(opened);
      else why = llvm_trouble(opened.error());
    }
    return known->second.get();
  }

  std::string path_of(std::string_view build_id) const {
    if (build_id.size() <= 2) return {};
    for (const std::filesystem::path folder : options_.debug_folders) {
      const auto path = folder / ".build-id" / build_id.substr(0, 2) / (std::string(build_id.substr(2)) + ".debug");
      std::error_code error;
      if (std::filesystem::exists(path, error)) return path;
    }
    return {};
  }

 private:
  const AskedFileOptions& options_;
  std::map<std::string, std::unique_ptr<AskedFile>, std::less<>> files_;
};

class LlvmAnswerer final : public Answerer {
 public:
  LlvmAnswerer(std::string_view program, const LlvmOptions& options)
      : program_(program), options_(options), files_(options.files), printer_(options.style) {
    how_ = {.names = options.names, .demangle = options.demangle || options.names == FunctionNames::brief};
  }

  /// The file of the options, which has to be there before anything is answered.
  bool open_named_file() {
    if (options_.file.empty()) return true;
    std::string why, out;
    if (files_.open(options_.file, why) != nullptr) return true;
    fail({.module = options_.file, .address = 0, .symbol = {}}, options_.file, why, out);
    if (!out.empty()) fmt::print("{}\n", out);
    return false;
  }

  bool answer(std::string_view line, std::string& out) override {
    if (line.empty()) {
      printer_.frames({}, {}, out);
      return true;
    }
    LlvmQuestion question =
        read_llvm_question(line, {.has_module = has_module(), .is_hexadecimal = options_.is_addr2line});
    if (has_module()) {
      question.module = options_.file;
      question.build_id = options_.build_id;
    }
    if (!question.what_is_wrong.empty()) {
      complain(line, question.what_is_wrong);
      printer_.frames({.module = question.module, .address = {}, .symbol = {}}, {}, out);
      return true;
    }
    answer(question, out);
    return true;
  }

 private:
  bool has_module() const { return !options_.file.empty() || !options_.build_id.empty(); }

  void complain(std::string_view about, std::string_view why) const {
    fmt::print(stderr, "{}: error: '{}': {}\n", program_, about, why);
  }
  void fail(const LlvmRequest& request, std::string_view about, std::string_view why, std::string& out) const {
    if (printer_.is_json()) printer_.error(request, why, out);
    else complain(about, why);
  }

  void answer(const LlvmQuestion& question, std::string& out) {
    std::string name = question.module, path = question.module, why;
    if (!question.build_id.empty()) {
      name = question.build_id;
      for (char& c : name) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
      path = files_.path_of(question.build_id);
      if (path.empty()) why = "could not find build ID";
    }
    LlvmRequest request{.module = name, .address = question.offset, .symbol = question.symbol};
    if (!question.symbol.empty()) request.address.reset();
    AskedFile* const file = path.empty() ? nullptr : files_.open(path, why);
    if (!why.empty()) {
      fail(request, name, why, out);
      if (printer_.is_json()) return;
    }
    using What = LlvmQuestion::What;
    const std::uint64_t address = file == nullptr ? 0 : address_of(question.offset, *file);
    if (question.what == What::data) answer_data(request, file, address, out);
    else if (question.what == What::frame) printer_.no_locals(request, out);
    else if (!question.symbol.empty()) answer_symbol(request, file, question.offset, out);
    else answer_code(request, file, address, out);
  }

  std::uint64_t address_of(std::uint64_t offset, const AskedFile& file) const {
    const bool is_relative = options_.relative_address && file.is_windows_image();
    return file.placed(offset - options_.adjust + (is_relative ? file.base() : 0));
  }

  void answer_code(const LlvmRequest& request, AskedFile* file, std::uint64_t address, std::string& out) {
    if (file == nullptr)
      return printer_.frames(request, {.frames = {}, .start = {}, .without_file = options_.inlines}, out);
    find(*file, address);
    if (!options_.inlines && frames_.size() > 1) keep_one(*file);
    printer_.frames(request, found(*file), out);
  }

  void answer_symbol(const LlvmRequest& request, AskedFile* file, std::uint64_t offset, std::string& out) {
    std::vector<LlvmFrames> places;
    std::vector<std::unique_ptr<std::pair<Frame, std::array<std::string, 2>>>> kept;
    if (file != nullptr)
      for (const symbolize::FileSymbol& symbol : file->symbols().named(request.symbol)) {
        find(*file, symbol.address + (offset < symbol.size ? offset : 0));
        if (frames_.empty() || frames_.front().file.empty()) continue;
        frames_.front().function = frames_.back().function;
        frames_.resize(1);
        auto& one = *kept.emplace_back(std::make_unique<std::pair<Frame, std::array<std::string, 2>>>());
        one.second = {std::string(frames_.front().function), std::string(frames_.front().file)};
        one.first = frames_.front();
        one.first.function = one.second[0];
        one.first.file = one.second[1];
        places.push_back({.frames = {&one.first, 1}, .start = start_});
      }
    printer_.places(request, places, out);
  }

  void answer_data(const LlvmRequest& request, AskedFile* file, std::uint64_t address, std::string& out) {
    const auto symbol = file == nullptr ? std::nullopt : file->symbols().at(address);
    if (!symbol) return printer_.data(request, {}, out);
    const std::string name = options_.demangle ? demangle::demangle(symbol->name) : std::string(symbol->name);
    printer_.data(request, {.name = name, .start = symbol->address, .size = symbol->size, .file = symbol->source}, out);
  }

  bool has_lines() const { return !frames_.empty() && !frames_.front().file.empty(); }

  /// LLVM prefers the symbol table's name for the function to that of debug information, and asks it alone where there
  /// is none of that.
  void use_symbols(AskedFile& file, std::uint64_t address) {
    symbolize::FileSymbols& symbols = file.symbols();
    if (!symbols.is_elf()) return;
    const auto symbol = options_.names == FunctionNames::linkage ? symbols.at(address) : std::nullopt;
    if (!has_lines()) frames_.assign(symbol ? 1 : 0, {});
    if (!symbol) return;
    symbol_name_ = options_.demangle ? demangle::demangle(symbol->name) : std::string(symbol->name);
    frames_.back().function = symbol_name_;
    start_ = symbol->address;
    if (frames_.back().file.empty()) frames_.back().file = symbol->source;
  }

  void find(AskedFile& file, std::uint64_t address) {
    file.ask(address, how_, answer_);
    frames_.assign(answer_.frames().begin(), answer_.frames().end());
    start_.reset();
    if (!frames_.empty()) start_ = file.start_of(answer_);
    if (!frames_.empty()) frames_.back().function = AskedFile::debug_name(frames_.back().function, answer_);
    if (options_.names == FunctionNames::brief && !file.has_pdb())
      for (Frame& frame : frames_) frame.function = own_name(frame.function);
    if (options_.names == FunctionNames::brief && !has_lines() && !file.has_pdb()) frames_.clear();
    if (!file.has_pdb()) use_symbols(file, address);
  }

  /// Without inlined calls: in GNU's style the innermost frame; in LLVM's the function, at its own line if a PDB says
  /// so, else at that of the innermost frame.
  void keep_one(const AskedFile& file) {
    if (options_.style.format != LlvmStyle::Format::gnu) {
      if (file.has_pdb()) frames_.front() = frames_.back();
      frames_.front().function = frames_.back().function;
    }
    frames_.resize(1);
  }

  LlvmFrames found(const AskedFile& file) const {
    LlvmFrames found{.frames = frames_, .start = start_, .whole_paths = file.has_pdb()};
    if (file.has_pdb() && file.is_windows_image()) found.unknown_function = "";
    return found;
  }

  std::string_view program_;
  const LlvmOptions& options_;
  AskedFiles files_;
  symbolize::LlvmPrinter printer_;
  symbolize::AnswerOptions how_;
  symbolize::Answer answer_;
  std::vector<Frame> frames_;
  std::optional<std::uint64_t> start_;
  std::string symbol_name_;
};

}  // namespace

int run_llvm_symbolizer(std::vector<std::string> arguments, bool is_addr2line) {
  const std::string program(last_path_part(arguments.front()));
  LlvmOptions options = parse_llvm_options(std::move(arguments), is_addr2line);
  if (options.status) return *options.status;
  options.files.questions = options.inputs.size();
  options.files.cache = open_user_cache({}, {.debug_folders = options.files.debug_folders});
  LlvmAnswerer answerer(program, options);
  if (!answerer.open_named_file()) return 1;
  const bool is_json = options.style.format == LlvmStyle::Format::json;
  if (options.inputs.empty()) answer_stdin(is_json, answerer);
  else answer_arguments(options.inputs, is_json, answerer);
  return 0;
}

}  // namespace symcached::app
