#include "stacks/symbolicate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/caches/answering_modules.hpp"

namespace symcached::stacks {
namespace {

/// One line for each frame: "INDEX STATUS ADDRESS" and what is known, in the order of the protocol.
class TextSink final : public FrameSink {
 public:
  void begin_stack(const Stack&) override { text += text.empty() ? "" : "--\n"; }
  void frame(const OutFrame& out) override {
    const Frame& f = out.frame;
    text += fmt::format("{} {} {}{:#x}", out.original_index, name_of(out.status),
                        f.relative_to ? fmt::format("rel:{}+", *f.relative_to) : "", f.instruction_addr);
    const auto add = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) text += fmt::format(" {}={}", key, value);
    };
    add("platform", f.platform);
    add("package", f.package);
    add("lang", f.lang);
    add("symbol", f.symbol);
    if (f.sym_addr) text += fmt::format(" sym_addr={:#x}", *f.sym_addr);
    add("function", f.function);
    add("file", f.filename);
    if (f.lineno) text += fmt::format(":{}", *f.lineno);
    add("in", f.abs_path);
    if (f.in_app) add("in_app", *f.in_app ? "yes" : "no");
    if (f.trust != Trust::none) add("trust", name_of(f.trust));
    if (out.details != nullptr) details(*out.details);
    text += '\n';
  }
  void end_stack() override {}

  std::string text;

 private:
  void details(const FrameDetails& d) {
    text += fmt::format(" [{:#x} column={} {}", d.original_instruction_addr, d.column, d.confidence);
    if (d.function_offset) text += fmt::format(" +{:#x}/{:#x}", *d.function_offset, d.function_size.value_or(0));
    for (const std::string_view alias : d.aliases) text += fmt::format(" or {}", alias);
    text += ']';
  }
};

/// At 0x100, 0x20 bytes, of C++: outer(int), from offset 4 on with inner() inlined; folded with its twin. At 0x200 a
/// name of a symbol table. At 0x300 `_start`.
std::vector<testkit::OwnFunction> functions() {
  testkit::OwnFunction outer{.start = 0x100, .size = 0x20, .name = "_Z5outeri", .language = model::Language::cpp};
  outer.calls = {{.name = "_Z5innerv", .file = "/src/a/../b.cc", .line = 12, .column = 5}};
  outer.lines = {{.offset = 0, .line = 10, .column = 1, .file = "/src/a/../b.cc"},
                 {.offset = 4, .line = 3, .file = "/src/c.h", .inlinee = 0}};
  testkit::OwnFunction twin = outer;
  twin.name = "_Z4twinv";
  twin.rank = 1;
  return {outer,
          twin,
          {.start = 0x200, .size = 0x40, .name = "_Z6publicv.cold", .kind = model::SymbolKind::public_symbol},
          {.start = 0x300, .size = 0x10, .name = "_start"}};
}

/// At 0x100 ns::f(int), from offset 8 on with ns::g inlined, whose parameters are not known.
std::vector<testkit::OwnFunction> pdb_functions() {
  testkit::OwnFunction f{.start = 0x100, .size = 0x20, .name = "ns::f", .language = model::Language::cpp};
  f.parameters = "(int)";
  f.calls = {{.name = "ns::g"}};
  f.lines = {{.offset = 0}, {.offset = 8, .inlinee = 0}};
  return {f};
}

struct Modules {
  symbolize::Module elf =
      testkit::module_of(testkit::write(functions(), {.arch = model::Arch::x86_64, .producer_kind = "elf"}));
  symbolize::Module pdb =
      testkit::module_of(testkit::write(pdb_functions(), {.arch = model::Arch::arm64, .producer_kind = "pdb"}));
  symbolize::Module managed = testkit::managed_module();
};
const Modules& modules() {
  static const Modules all;
  return all;
}

enum : std::uint32_t { kElf, kPdb, kWasm, kNet, kNetAt5000 };

/// 0x10000 ELF, 0x20000 PDB, WebAssembly and .NET at 0, .NET at 0x50000, one that is missing and one that is malformed.
Request request(std::vector<Frame> frames, Options options = {}) {
  using sources::ModuleType;
  Request request;
  request.options = options;
  const auto add = [&](ModuleType type, std::string_view name, std::uint64_t address) {
    request.modules.push_back(
        {.type = type, .ids = {.code_file = std::string(name)}, .image_addr = address, .image_size = 0x1000});
  };
  add(ModuleType::elf, "app", 0x10000);
  add(ModuleType::pe, "a.exe", 0x20000);
  add(ModuleType::wasm, "w.wasm", 0);
  add(ModuleType::pe_dotnet, "n.dll", 0);
  add(ModuleType::pe_dotnet, "o.dll", 0x50000);
  add(ModuleType::elf, "gone", 0x60000);
  add(ModuleType::elf, "", 0x70000);
  request.stacks.emplace_back().frames = std::move(frames);
  return request;
}

std::string answer(const Request& request) {
  const std::vector<ModuleState> states = {
      {ModuleStatus::found, &modules().elf},
      {ModuleStatus::found, &modules().pdb},
      {ModuleStatus::found, &modules().elf},
      {ModuleStatus::found, &modules().managed},
      {ModuleStatus::found, &modules().managed},
      {ModuleStatus::fetching_failed},
      {ModuleStatus::malformed},
  };
  static Scratch scratch;  // one for all: nothing of an answer stays in the next
  TextSink sink;
  symbolicate(request, ModuleMap(request.modules), states, scratch, sink);
  return sink.text;
}

struct Row {
  std::string_view why;
  std::vector<Frame> frames;
  std::string want;
};
void expect(std::span<const Row> rows, const Options& options = {}) {
  for (const Row& r : rows) EXPECT_EQ(answer(request(r.frames, options)), r.want) << r.why;
}

constexpr std::uint64_t kNowhere = 0x90000;
constexpr std::string_view kOuter =
    "package=app lang=cpp symbol=_Z5outeri sym_addr=0x10100 function=outer(int) file=b.cc";

TEST(Symbolicate, NativeFrames) {
  const std::string outer(kOuter);
  const std::string whole = "0 symbolicated 0x10100 " + outer + ":10 in=/src/b.cc\n";
  const std::string inlined =
      "0 symbolicated 0x10104 package=app lang=cpp symbol=_Z5innerv function=inner() file=c.h:3 in=/src/c.h\n"
      "0 symbolicated 0x10104 " +
      outer + ":12 in=/src/b.cc\n";
  const std::string relative = "0 symbolicated 0x10100 " + outer + ":10 in=/src/b.cc\n";
  const Row rows[] = {
      {"no inlined call", {{.instruction_addr = 0x10100}}, whole},
      {"an inlined call, and its caller", {{.instruction_addr = 0x10104}}, inlined},
      {"an offset becomes an address", {{.relative_to = kElf, .instruction_addr = 0x100}}, relative},
      {"a symbol alone",
       {{.instruction_addr = 0x10210}},
       "0 symbolicated 0x10210 package=app symbol=_Z6publicv.cold sym_addr=0x10200 function=public() [clone "
       ".cold]:0\n"},
      {"no language of a PDB, aligned",
       {{.instruction_addr = 0x20107}},
       "0 symbolicated 0x20104 package=a.exe symbol=ns::f(int) sym_addr=0x20100 function=ns::f(int):0\n"},
      {"an inlined call of a PDB, without parameters",
       {{.instruction_addr = 0x20108}},
       "0 symbolicated 0x20108 package=a.exe symbol=ns::g function=ns::g:0\n"
       "0 symbolicated 0x20108 package=a.exe symbol=ns::f(int) sym_addr=0x20100 function=ns::f(int):0\n"},
      {"a return address",
       {{.instruction_addr = kNowhere}, {.instruction_addr = 0x20108}},
       "0 unknown_image 0x90000\n"
       "1 symbolicated 0x20104 package=a.exe symbol=ns::f(int) sym_addr=0x20100 function=ns::f(int):0\n"},
      {"a place that the module does not know",
       {{.instruction_addr = 0x10120}},
       "0 missing_symbol 0x10120 package=app\n"},
      {"an offset that it does not know stays one",
       {{.relative_to = kElf, .instruction_addr = 0x120}},
       "0 missing_symbol rel:0+0x120 package=app\n"},
      {"a return to the first byte of an image",
       {{.instruction_addr = 0x10000, .adjust_instruction_addr = true}},
       "0 missing_symbol 0x10000 package=app\n"},
      {"beyond all addresses",
       {{.relative_to = kElf, .instruction_addr = 0xffff'ffff'ffff'ffff}},
       "0 missing_symbol rel:0+0xffffffffffffffff package=app\n"},
      {"no such module", {{.relative_to = 40, .instruction_addr = 1}}, "0 unknown_image rel:40+0x1\n"},
      {"fetching failed", {{.instruction_addr = 0x60010}}, "0 missing 0x60010 package=gone\n"},
      {"malformed", {{.instruction_addr = 0x70010, .package = "given"}}, "0 malformed 0x70010\n"},
      {"no module: what the client says stays",
       {{.instruction_addr = kNowhere, .package = "libsystem", .lineno = 9, .in_app = true}},
       "0 unknown_image 0x90000 package=libsystem:9 in_app=yes\n"},
  };
  expect(rows);
}

TEST(Symbolicate, WebAssembly) {
  const Row rows[] = {
      {"offsets stay, and nothing is known of return addresses",
       {{.relative_to = kWasm, .instruction_addr = 0x100}, {.relative_to = kWasm, .instruction_addr = 0x100}},
       "0 symbolicated rel:2+0x100 package=w.wasm lang=cpp symbol=_Z5outeri sym_addr=0x100 function=outer(int) "
       "file=b.cc:10 in=/src/b.cc\n"
       "1 symbolicated rel:2+0x100 package=w.wasm lang=cpp symbol=_Z5outeri sym_addr=0x100 function=outer(int) "
       "file=b.cc:10 in=/src/b.cc\n"},
  };
  expect(rows);
  Request absolute = request({{.instruction_addr = 0x100}});
  absolute.modules.erase(absolute.modules.begin() + kNet);
  const std::vector<ModuleState> states(absolute.modules.size(), {ModuleStatus::found, &modules().elf});
  Scratch scratch;
  TextSink sink;
  symbolicate(absolute, ModuleMap(absolute.modules), states, scratch, sink);
  EXPECT_EQ(sink.text, "0 missing_symbol 0x100 package=w.wasm\n") << "no address leads into an image at 0";
}

TEST(Symbolicate, Managed) {
  const auto at = [](std::optional<std::uint64_t> row, std::uint64_t il_offset, std::uint64_t module = kNet) {
    return Frame{.relative_to = module, .instruction_addr = il_offset, .function_id = row};
  };
  Frame given = at(1, 2);
  given.function = "Main";
  given.symbol = "raw";
  given.in_app = false;
  Frame absolute = at(1, 0x50002);
  absolute.relative_to.reset();
  const Row rows[] = {
      {"a name of the module's",
       {at(1, 2)},
       "0 symbolicated rel:3+0x2 package=n.dll lang=csharp function=App.Program.Main file=Program.cs:13 "
       "in=/src/App/Program.cs\n"},
      {"the client's name, and all that it says",
       {given},
       "0 symbolicated rel:3+0x2 package=n.dll lang=csharp symbol=raw function=Main file=Program.cs:13 "
       "in=/src/App/Program.cs in_app=no\n"},
      {"no return addresses",
       {at(1, 0), at(1, 1)},
       "0 symbolicated rel:3+0x0 package=n.dll lang=csharp function=App.Program.Main file=Program.cs:12 "
       "in=/src/App/Program.cs\n"
       "1 symbolicated rel:3+0x1 package=n.dll lang=csharp function=App.Program.Main file=Program.cs:13 "
       "in=/src/App/Program.cs\n"},
      {"the last point counts for all behind it",
       {at(200, 0xffff'ffff)},
       "0 symbolicated rel:3+0xffffffff package=n.dll lang=fsharp function=App.Table.Fill file=Table.fs:41 "
       "in=/src/App/Table.fs\n"},
      {"an offset stays one where the image has an address",
       {at(1, 1, kNetAt5000)},
       "0 symbolicated rel:4+0x1 package=o.dll lang=csharp function=App.Program.Main file=Program.cs:13 "
       "in=/src/App/Program.cs\n"},
      {"an absolute address tells the module",
       {absolute},
       "0 symbolicated 0x50002 package=o.dll lang=csharp function=App.Program.Main file=Program.cs:15 "
       "in=/src/App/Program.cs\n"},
      {"the kick-off method's name",
       {at(70, 30)},
       "0 symbolicated rel:3+0x1e package=n.dll lang=csharp function=App.Program.LoadAsync file=Program.cs:21 "
       "in=/src/App/Program.cs\n"},
      {"no method", {at({}, 2)}, "0 missing_symbol rel:3+0x2 package=n.dll\n"},
      {"a token in place of a row", {at(0x06000001, 2)}, "0 missing_symbol rel:3+0x2 package=n.dll\n"},
      {"row 0", {at(0, 2)}, "0 missing_symbol rel:3+0x2 package=n.dll\n"},
      {"no row", {at(0x1'0000'0001, 2)}, "0 missing_symbol rel:3+0x2 package=n.dll\n"},
      {"no offset", {at(1, 0x1'0000'0002)}, "0 missing_symbol rel:3+0x100000002 package=n.dll\n"},
      {"before all points", {at(6, 13)}, "0 missing_symbol rel:3+0xd package=n.dll\n"},
  };
  expect(rows);
}

TEST(Symbolicate, KeepsOfTheClientWhatItAloneKnows) {
  const Frame given{.platform = "native",
                    .instruction_addr = 0x10100,
                    .package = "p",
                    .lang = "rust",
                    .symbol = "s",
                    .sym_addr = 1,
                    .function = "f",
                    .filename = "x",
                    .abs_path = "/x",
                    .lineno = 3,
                    .in_app = true,
                    .trust = Trust::cfi};
  EXPECT_EQ(answer(request({given})),
            "0 symbolicated 0x10100 platform=native " + std::string(kOuter) + ":10 in=/src/b.cc trust=cfi\n");
}

TEST(Symbolicate, DemanglesWhatTheClientSays) {
  const Row rows[] = {
      {"as the function", {{.function = "_Z1fv"}}, "0 unknown_image 0x0 symbol=_Z1fv function=f()\n"},
      {"as the symbol", {{.symbol = "_Z1fv"}}, "0 unknown_image 0x0 symbol=_Z1fv function=f()\n"},
      {"both are known", {{.symbol = "_Z1fv", .function = "g"}}, "0 unknown_image 0x0 symbol=_Z1fv function=g\n"},
      {"not mangled", {{.function = "main"}}, "0 unknown_image 0x0 function=main\n"},
      {"of no known kind", {{.symbol = "_Znonsense"}}, "0 unknown_image 0x0 symbol=_Znonsense\n"},
  };
  for (const Row& r : rows) {
    Request asked = request(r.frames);
    asked.modules.clear();
    EXPECT_EQ(answer(asked), r.want) << r.why;
  }
}

TEST(Symbolicate, CallersFirst) {
  const std::string outer(kOuter);
  EXPECT_EQ(
      answer(request({{.instruction_addr = 0x10105}, {.instruction_addr = 0x10105}}, {.caller_first = true})),
      "0 symbolicated 0x10104 " + outer + ":12 in=/src/b.cc\n" +
          "0 symbolicated 0x10104 package=app lang=cpp symbol=_Z5innerv function=inner() file=c.h:3 in=/src/c.h\n" +
          "1 symbolicated 0x10105 " + outer + ":12 in=/src/b.cc\n" +
          "1 symbolicated 0x10105 package=app lang=cpp symbol=_Z5innerv function=inner() file=c.h:3 in=/src/c.h\n");
}

TEST(Symbolicate, LeavesOutWhatWasScannedForAndLeadsNowhere) {
  const Row rows[] = {
      {"no module, no symbol, and another way of finding it",
       {{.instruction_addr = kNowhere, .trust = Trust::scan},
        {.instruction_addr = 0x10080, .trust = Trust::scan},
        {.instruction_addr = 0x10080, .trust = Trust::cfi_scan}},
       "2 missing_symbol 0x10080 package=app trust=cfiscan\n"},
      {"a symbol",
       {{.instruction_addr = 0x10304, .trust = Trust::scan}},
       "0 symbolicated 0x10304 package=app symbol=_start sym_addr=0x10300 function=_start:0 trust=scan\n"},
      {"a module that is missing",
       {{.instruction_addr = 0x60010, .trust = Trust::scan}},
       "0 missing 0x60010 package=gone trust=scan\n"},
  };
  expect(rows);
}

TEST(Symbolicate, LeavesOutWhatIsBehindTheFirstFunction) {
  const std::string start = "0 symbolicated 0x10304 package=app symbol=_start sym_addr=0x10300 function=_start:0\n";
  const Row rows[] = {
      {"nowhere", {{.instruction_addr = 0x10304}, {.instruction_addr = kNowhere}}, start},
      {"somewhere",
       {{.instruction_addr = 0x10304}, {.instruction_addr = 0x60010}},
       start + "1 missing 0x60010 package=gone\n"},
      {"behind another function",
       {{.instruction_addr = 0x10210}, {.instruction_addr = kNowhere}},
       "0 symbolicated 0x10210 package=app symbol=_Z6publicv.cold sym_addr=0x10200 function=public() [clone .cold]:0\n"
       "1 unknown_image 0x90000\n"},
      {"not the last one",
       {{.instruction_addr = 0x10304}, {.instruction_addr = kNowhere}, {.instruction_addr = kNowhere}},
       start + "1 unknown_image 0x90000\n2 unknown_image 0x90000\n"},
  };
  expect(rows);
  EXPECT_EQ(answer(request({{.instruction_addr = kNowhere}, {.instruction_addr = 0x10304}}, {.caller_first = true})),
            "1 symbolicated 0x10304 package=app symbol=_start sym_addr=0x10300 function=_start:0\n");
}

TEST(Symbolicate, Details) {
  const std::string outer(kOuter);
  const Row rows[] = {
      {"offset, size, columns and the names of folded functions",
       {{.instruction_addr = kNowhere}, {.instruction_addr = 0x10105}},
       "0 unknown_image 0x90000\n"
       "1 symbolicated 0x10104 package=app lang=cpp symbol=_Z5innerv function=inner() file=c.h:3 in=/src/c.h "
       "[0x10105 column=0 line]\n"
       "1 symbolicated 0x10104 package=app lang=cpp symbol=_Z5outeri sym_addr=0x10100 function=outer(int) file=b.cc:12 "
       "in=/src/b.cc [0x10105 column=5 line +0x4/0x20 or twin()]\n"},
      {"a name alone",
       {{.instruction_addr = 0x10210}},
       "0 symbolicated 0x10210 package=app symbol=_Z6publicv.cold sym_addr=0x10200 function=public() [clone .cold]:0 "
       "[0x10210 column=0 symbol +0x10/0x40]\n"},
      {"a function without lines",
       {{.instruction_addr = 0x10304}},
       "0 symbolicated 0x10304 package=app symbol=_start sym_addr=0x10300 function=_start:0 "
       "[0x10304 column=0 function +0x4/0x10]\n"},
  };
  expect(rows, {.extended = true});
}

}  // namespace
}  // namespace symcached::stacks
