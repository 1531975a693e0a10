#include "object/text/describe_breakpad.hpp"

#include "base/ascii.hpp"
#include "formats/breakpad/fields.hpp"
#include "formats/breakpad/reader.hpp"
#include "ids/breakpad_id.hpp"

namespace symcached::object {
namespace {

struct ArchName {
  std::string_view start;  ///< of the word: variants follow, as in "arm64e", "armv7s"
  model::Arch arch;
};
constexpr ArchName kArchs[] = {
    {"x86_64", model::Arch::x86_64}, {"amd64", model::Arch::x86_64},    {"x86", model::Arch::x86},
    {"i386", model::Arch::x86},      {"i686", model::Arch::x86},        {"arm64_32", model::Arch::unknown},
    {"arm64", model::Arch::arm64},   {"aarch64", model::Arch::arm64},   {"arm", model::Arch::arm},
    {"ppc64", model::Arch::ppc64},   {"riscv64", model::Arch::riscv64}, {"s390x", model::Arch::s390x},
    {"wasm", model::Arch::wasm32},
};

/// As the formats themselves have it: of an image for Windows 8 capital digits and the rest in small ones, else a
/// build id or UUID in small ones.
std::string code_id_text(std::string_view recorded, std::string_view os) {
  std::string id = lower_ascii(recorded);
  if (lower_ascii(os) != "windows") return id;
  for (char& c : std::span(id).first(std::min<std::size_t>(id.size(), 8)))
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return id;
}

struct Features {
  bool symbols = false, publics = false, lines = false, inlines = false, unwind = false;
  bool all() const { return symbols && publics && lines && inlines && unwind; }
};

}  // namespace

void describe_breakpad(FileInfo& info, Bytes file) {
  using breakpad::RecordKind;
  const auto module = breakpad::read_module(file);
  if (!module) {
    info.error = module.error();
    return;
  }
  info.arch = arch_of_breakpad(module->arch);
  info.debug_id = parse_breakpad_id(module->id);
  info.debug_file = module->name;
  Features found;
  breakpad::Reader reader(file);
  for (;;) {
    const auto kind = reader.next();
    if (!kind) {
      info.error = kind.error();
      break;
    }
    if (*kind == RecordKind::end || found.all()) break;
    found.symbols |= *kind == RecordKind::func;
    found.publics |= *kind == RecordKind::public_symbol;
    found.lines |= *kind == RecordKind::line;
    found.inlines |= *kind == RecordKind::inline_call;
    found.unwind |= *kind == RecordKind::stack;
    if (*kind == RecordKind::info && reader.info().key == "CODE_ID")
      info.code_id = code_id_text(breakpad::Fields(reader.info().value).word(), module->os);
  }
  if (found.symbols) info.features.push_back("symbols");
  if (found.publics) info.features.push_back("publics");
  if (found.lines) info.features.push_back("lines");
  if (found.inlines) info.features.push_back("inlines");
  if (found.unwind) info.features.push_back("unwind");
}

model::Arch arch_of_breakpad(std::string_view arch) {
  const std::string word = lower_ascii(arch);
  for (const ArchName& row : kArchs)
    if (word.starts_with(row.start)) return row.arch;
  return model::Arch::unknown;
}

}  // namespace symcached::object
