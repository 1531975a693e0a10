#include "object/text/translate_jitdump.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include "object/text/live_code.hpp"

namespace symcached::object {
namespace {

constexpr std::uint32_t kJitMagic = 0x4A695444;  ///< in the producer's byte order
constexpr std::uint32_t kJitVersion = 1;
constexpr std::size_t kJitHeaderSize = 40, kJitPrefixSize = 16;
/// Some producers state line addresses as they will be in the ELF file that `perf inject` makes, behind its header.
constexpr std::uint64_t kElfHeaderShift = 0x40;
constexpr std::string_view kSameFile = "\xFF";

enum class JitRecord : std::uint32_t { load = 0, move = 1, debug_info = 2 };

/// Numbers in the byte order of the file. Reads behind the end give 0 and set failed().
class JitFields {
 public:
  JitFields(Bytes data, bool swap) : rest_(data), swap_(swap) {}
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string_view text() {
    const std::string_view all = as_text(rest_);
    const std::size_t length = all.find('\0');
    if (length == all.npos) return failed_ = true, std::string_view();
    rest_ = rest_.subspan(length + 1);
    return all.substr(0, length);
  }
  Bytes rest() const { return rest_; }
  bool failed() const { return failed_; }

 private:
  template <class T>
  T number() {
    T value = 0;
    if (rest_.size() < sizeof(T)) return failed_ = true, T{0};
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return swap_ ? std::byteswap(value) : value;
  }

  Bytes rest_;
  bool swap_, failed_ = false;
};

struct JitHeader {
  std::uint32_t machine = 0;
  std::size_t size = 0;
  bool swap = false;
};

Read<JitHeader> read_jit_header(Bytes file) {
  SC_TRY(const Bytes bytes, slice(file, 0, kJitHeaderSize, "jitdump.header"));
  JitHeader header;
  header.swap = JitFields(bytes, false).u32() != kJitMagic;
  JitFields fields(bytes, header.swap);
  if (const std::uint32_t magic = fields.u32(); magic != kJitMagic)
    return bad_value("jitdump.magic", 0, magic, kJitMagic);
  if (const std::uint32_t version = fields.u32(); version != kJitVersion)
    return bad_value("jitdump.version", 4, version, kJitVersion);
  header.size = fields.u32();
  if (header.size < kJitHeaderSize || header.size > file.size())
    return bad_value("jitdump.header_size", 8, header.size, kJitHeaderSize);
  header.machine = fields.u32();
  return header;
}

struct JitLine {
  std::uint64_t address;
  std::uint32_t line;
  std::string_view file;
};

struct JitCode {
  std::uint64_t start = 0, end = 0;
  std::string_view name;
  std::vector<JitLine> lines;  ///< addresses as from `lines_base` on
  std::uint64_t lines_base = 0;
  std::uint64_t index = 0;
};

/// V8 writes a part of its memory for the names of some scripts; what follows is then read wrongly, too.
bool is_garbage(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// ELF's numbers.
model::Arch jit_arch(std::uint32_t machine) {
  switch (machine) {
    case 3: return model::Arch::x86;
    case 62: return model::Arch::x86_64;
    case 40: return model::Arch::arm;
    case 183: return model::Arch::arm64;
    case 21: return model::Arch::ppc64;
    case 22: return model::Arch::s390x;
    case 243: return model::Arch::riscv64;
    default: return model::Arch::unknown;
  }
}

/// Goes over the records: what each says of the code that is there at the end.
class JitReader {
 public:
  JitReader(Bytes file, const JitHeader& header) : rest_(file.subspan(header.size)), swap_(header.swap) {}

  void run() {
    while (rest_.size() >= kJitPrefixSize) {
      JitFields prefix(rest_, swap_);
      const auto id = static_cast<JitRecord>(prefix.u32());
      const std::uint32_t size = prefix.u32();
      if (size < kJitPrefixSize || size > rest_.size()) return;  // cut: the producer was killed
      JitFields fields(rest_.subspan(kJitPrefixSize, size - kJitPrefixSize), swap_);
      rest_ = rest_.subspan(size);
      switch (id) {
        case JitRecord::load: load(fields); break;
        case JitRecord::move: move(fields); break;
        case JitRecord::debug_info: debug_info(fields); break;
        default: break;  // unwind tables, and what other versions may have
      }
    }
  }
  void emit(model::ModuleSink& sink) const;
  bool empty() const { return live_.all().empty(); }
  bool has_lines() const {
    return std::ranges::any_of(live_.all(), [](const auto& code) { return !code.second.lines.empty(); });
  }

 private:
  void load(JitFields& fields);
  void move(JitFields& fields);
  void debug_info(JitFields& fields);
  void put(JitCode code);

  Bytes rest_;
  bool swap_;
  LiveCode<JitCode> live_;
  std::map<std::uint64_t, std::uint64_t> start_of_;         // by index
  std::map<std::uint64_t, std::vector<JitLine>> lines_of_;  // of code to be loaded there
  std::uint64_t least_distance_ = ~std::uint64_t{0};        // of any line from its code's start
};

void JitReader::put(JitCode code) {
  if (code.start >= code.end) return;
  start_of_[code.index] = code.start;
  live_.add(std::move(code));
}

void JitReader::load(JitFields& fields) {
  fields.u64();  // process and thread
  fields.u64();  // where it will be: the same address, but for code that is moved by hand
  JitCode code;
  code.start = fields.u64();
  const std::uint64_t size = fields.u64();
  code.index = fields.u64();
  code.name = fields.text();
  if (fields.failed() || size > ~code.start) return;
  code.end = code.start + size;
  code.lines_base = code.start;
  if (const auto lines = lines_of_.find(code.start); lines != lines_of_.end()) {
    code.lines = std::move(lines->second);
    lines_of_.erase(lines);
  }
  put(std::move(code));
}

void JitReader::move(JitFields& fields) {
  fields.u64();
  fields.u64();
  const std::uint64_t from = fields.u64(), to = fields.u64(), size = fields.u64(), index = fields.u64();
  const auto known = start_of_.find(index);
  if (fields.failed() || known == start_of_.end() || known->second != from || size > ~to) return;
  const JitCode* const old = live_.at(from);
  if (old == nullptr || old->index != index) return;
  JitCode code = live_.take(from);
  code.start = to;
  code.end = to + size;
  put(std::move(code));
}

void JitReader::debug_info(JitFields& fields) {
  const std::uint64_t start = fields.u64(), count = fields.u64();
  constexpr std::size_t kLeastEntry = 17;
  if (fields.failed() || count > fields.rest().size() / kLeastEntry) return;
  std::vector<JitLine> lines;
  lines.reserve(count);
  std::string_view file;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t address = fields.u64();
    const std::uint32_t line = fields.u32();
    fields.u32();  // discriminator
    const std::string_view name = fields.text();
    if (fields.failed()) break;
    if (is_garbage(name)) return;
    if (name != kSameFile) file = name;
    if (address < start) continue;
    least_distance_ = std::min(least_distance_, address - start);
    lines.push_back({address, line, file});
  }
  lines_of_[start] = std::move(lines);
}

void JitReader::emit(model::ModuleSink& sink) const {
  const bool is_shifted = least_distance_ >= kElfHeaderShift && least_distance_ != ~std::uint64_t{0};
  const std::uint64_t shift = is_shifted ? kElfHeaderShift : 0;
  std::vector<model::Line> rows;
  for (const auto& [start, code] : live_.all()) {
    rows.clear();
    std::vector<JitLine> lines = code.lines;
    std::ranges::stable_sort(lines, {}, &JitLine::address);
    for (const JitLine& line : lines) {
      const std::uint64_t offset = line.address - code.lines_base - shift;
      if (offset >= std::min<std::uint64_t>(code.end - code.start, 0xFFFFFFFF)) continue;
      const model::Line row{
          .offset = static_cast<std::uint32_t>(offset), .line = line.line, .file = sink.intern(line.file)};
      if (!rows.empty() && rows.back().offset == row.offset) rows.back() = row;
      else rows.push_back(row);
    }
    sink.function({.start = {start},
                   .size = static_cast<std::uint32_t>(std::min<std::uint64_t>(code.end - code.start, 0xFFFFFFFF)),
                   .name = sink.intern(code.name),
                   .lines = rows,
                   .inlinees = {}});
  }
}

}  // namespace

void describe_jitdump(FileInfo& info, Bytes file) {
  const auto header = read_jit_header(file);
  if (!header) return info.keep_first(header.error());
  info.arch = jit_arch(header->machine);
  JitReader reader(file, *header);
  reader.run();
  if (!reader.empty()) info.add_feature("symbols");
  if (reader.has_lines()) info.add_feature("lines");
}

Read<void> translate_jitdump(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto header, read_jit_header(original.file));
  sink.module({.arch = jit_arch(header.machine), .debug_id = {}, .debug_file = {}, .producer_kind = "jitdump"});
  JitReader reader(original.file, header);
  reader.run();
  reader.emit(sink);
  return {};
}

}  // namespace symcached::object
