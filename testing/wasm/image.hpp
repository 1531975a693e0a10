#pragma once
/// A small WebAssembly module assembled from a description: imports, functions, exports, names, custom sections.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_writer.hpp"
#include "formats/wasm/reader.hpp"

namespace symcached::testkit {

struct WasmImage {
  std::uint32_t imported_functions = 1;
  std::vector<std::vector<std::byte>> bodies = {};  ///< with their declarations of locals
  std::vector<std::pair<std::uint32_t, std::string_view>> names = {}, exports = {};
  std::string_view module_name = {};
  std::vector<std::pair<std::string_view, std::vector<std::byte>>> custom = {};
  bool memory64 = false;
};

namespace detail {

class WasmAssembler {
 public:
  explicit WasmAssembler(const WasmImage& image) : image_(image) {}

  std::vector<std::byte> assemble() {
    out_.put_text(wasm::kMagic);
    out_.put(u32le(wasm::kVersion));
    section(wasm::SectionId::type, [](ByteWriter& to) { to.put_text({"\1\x60\0\0", 4}); });
    section(wasm::SectionId::import, [&](ByteWriter& to) { put_imports(to); });
    section(wasm::SectionId::function, [&](ByteWriter& to) {
      to.put_uleb(image_.bodies.size());
      for (std::size_t i = 0; i < image_.bodies.size(); ++i) to.put_uleb(0);
    });
    section(wasm::SectionId::memory,
            [&](ByteWriter& to) { to.put_uleb(1), to.put_u8(image_.memory64 ? 4 : 0), to.put_uleb(2); });
    section(wasm::SectionId::exports, [&](ByteWriter& to) { put_exports(to); });
    section(wasm::SectionId::code, [&](ByteWriter& to) {
      to.put_uleb(image_.bodies.size());
      for (const auto& body : image_.bodies) to.put_uleb(body.size()), to.put_bytes(body);
    });
    for (const auto& [name, data] : image_.custom)
      section(wasm::SectionId::custom, [&](ByteWriter& to) { text(to, name), to.put_bytes(data); });
    if (!image_.names.empty() || !image_.module_name.empty())
      section(wasm::SectionId::custom, [&](ByteWriter& to) { put_names(to); });
    return std::move(out_).finish();
  }

 private:
  static void text(ByteWriter& to, std::string_view value) { to.put_uleb(value.size()), to.put_text(value); }
  template <class Fill>
  void section(wasm::SectionId id, Fill fill) {
    ByteWriter data;
    fill(data);
    out_.put_u8(static_cast<std::uint8_t>(id));
    out_.put_uleb(data.size());
    out_.put_bytes(data.bytes());
  }
  /// A table, a memory and a global stand between the functions, so that a reader has to skip all kinds.
  void put_imports(ByteWriter& to) {
    to.put_uleb(image_.imported_functions + 4);
    const auto head = [&](std::string_view name, std::uint8_t kind) {
      text(to, "env"), text(to, name), to.put_u8(kind);
    };
    head("table", 1), to.put_u8(0x70), to.put_u8(1), to.put_uleb(1), to.put_uleb(200);
    head("memory", 2), to.put_u8(0), to.put_uleb(1);
    head("global", 3), to.put_u8(0x7F), to.put_u8(1);
    head("tag", 4), to.put_u8(0), to.put_uleb(0);
    for (std::uint32_t i = 0; i < image_.imported_functions; ++i) head("f", 0), to.put_uleb(0);
  }
  void put_exports(ByteWriter& to) {
    to.put_uleb(image_.exports.size() + 1);
    text(to, "memory"), to.put_u8(2), to.put_uleb(0);
    for (const auto& [index, name] : image_.exports) text(to, name), to.put_u8(0), to.put_uleb(index);
  }
  void put_names(ByteWriter& to) {
    text(to, "name");
    const auto part = [&](std::uint8_t id, const ByteWriter& data) {
      to.put_u8(id), to.put_uleb(data.size()), to.put_bytes(data.bytes());
    };
    ByteWriter module, functions;
    text(module, image_.module_name);
    functions.put_uleb(image_.names.size());
    for (const auto& [index, name] : image_.names) functions.put_uleb(index), text(functions, name);
    if (!image_.module_name.empty()) part(0, module);
    if (!image_.names.empty()) part(1, functions);
  }

  const WasmImage& image_;
  ByteWriter out_;
};

}  // namespace detail

inline std::vector<std::byte> assemble(const WasmImage& image) { return detail::WasmAssembler(image).assemble(); }

/// Three functions: named, exported only, without any name; a build id.
inline WasmImage rich_wasm() {
  const auto body = [](std::size_t size) { return std::vector<std::byte>(size, std::byte{0x0B}); };
  WasmImage image;
  image.imported_functions = 2;
  image.bodies = {body(4), body(200), body(3)};
  image.names = {{0, "imported"}, {2, "_Z3addii"}};
  image.exports = {{2, "add"}, {3, "run"}};
  image.module_name = "demo.wasm";
  std::vector<std::byte> id{std::byte{20}};
  for (std::uint8_t i = 1; i <= 20; ++i) id.push_back(std::byte{i});
  image.custom = {{"build_id", id}};
  return image;
}

}  // namespace symcached::testkit
