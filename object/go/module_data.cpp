#include "object/go/module_data.hpp"

#include <algorithm>
#include <span>

namespace symcached::object {
namespace {

constexpr unsigned kMostPlaces = 1024;
constexpr std::uint64_t kMostTextSections = 1u << 16;

/// Where fields are, in words from the record's start.
struct Columns {
  std::uint8_t functions = 0;  ///< a slice: address, length, capacity
  std::uint8_t first_pc = 0, text = 0;
  std::uint8_t funcdata = 0;  ///< 0 = there is no such field
  std::uint8_t text_sections = 0;
};
constexpr Columns kOld[] = {{3, 10, 12, 0, 27}};
constexpr Columns k16[] = {{16, 20, 22, 0, 37}};
constexpr Columns k18[] = {{16, 20, 22, 38, 39}};
constexpr Columns k20[] = {{16, 20, 22, 40, 41}, {16, 20, 22, 40, 42}, {16, 20, 22, 43, 45}};  // 1.20, 1.26, 1.27

std::span<const Columns> columns_of(go::Form form) {
  switch (form) {
    case go::Form::go1_2: return kOld;
    case go::Form::go1_16: return k16;
    case go::Form::go1_18: return k18;
    case go::Form::go1_20: break;
  }
  return k20;
}

class ModuleDataReader {
 public:
  ModuleDataReader(const GoImage& image, const go::Table& table, std::uint64_t table_address)
      : image_(image), table_(table), table_address_(table_address) {}

  std::optional<GoModuleData> at(std::uint64_t place) {
    place_ = place;
    const auto columns = columns_of(table_.form());
    if (!is_record(columns.front())) return std::nullopt;
    GoModuleData data{.text = pointer(columns.front().text).value_or(0)};
    for (const Columns& one : columns)
      if (read_text_sections(one, data)) {
        if (one.funcdata != 0) data.funcdata = pointer(one.funcdata);
        return data;
      }
    return data;
  }

 private:
  std::uint64_t address(unsigned index) const { return place_ + std::uint64_t{index} * image_.container.pointer_size; }
  std::optional<std::uint64_t> word(unsigned index) const { return image_.word(address(index)); }
  std::optional<std::uint64_t> pointer(unsigned index) const { return image_.pointer(address(index)); }

  bool is_record(const Columns& columns) const {
    const std::uint64_t count = std::uint64_t{table_.size()} + 1;
    if (pointer(columns.functions) != table_address_ + table_.functions_at()) return false;
    if (word(columns.functions + 1u) != count || word(columns.functions + 2u) != count) return false;
    const auto first = pointer(columns.first_pc), last = pointer(columns.first_pc + 1u), text = pointer(columns.text),
               end = pointer(columns.text + 1u);
    if (!first || !last || !text || !end) return false;
    return *text <= *first && *first < *last && *last <= *end && image_.is_code(*text);
  }

  /// The slice of text sections stands nowhere else: it says which release's record this is.
  bool read_text_sections(const Columns& columns, GoModuleData& data) const {
    const auto list = pointer(columns.text_sections);
    const auto count = word(columns.text_sections + 1u), room = word(columns.text_sections + 2u);
    if (!list || !count || !room || *count == 0 || *count > kMostTextSections || *room < *count) return false;
    const std::uint64_t size = image_.container.pointer_size;
    if (image_.at(*list).size() / (3 * size) < *count) return false;
    std::vector<GoTextSection> sections;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const std::uint64_t record = *list + i * 3 * size;
      sections.push_back({*image_.word(record), *image_.word(record + size), *image_.pointer(record + 2 * size)});
    }
    if (sections.front().offset != 0 || sections.front().address != data.text) return false;
    if (!std::ranges::is_sorted(sections, {}, &GoTextSection::offset)) return false;
    if (table_.has_offsets() && sections.size() > 1) data.text_sections = std::move(sections);
    return true;
  }

  const GoImage& image_;
  const go::Table& table_;
  std::uint64_t table_address_, place_ = 0;
};

}  // namespace

std::optional<GoModuleData> find_module_data(const GoImage& image, const go::Table& table,
                                             std::uint64_t table_address) {
  ModuleDataReader reader(image, table, table_address);
  unsigned places = 0;
  const std::size_t size = image.container.pointer_size;
  for (const GoRegion& region : image.regions()) {
    if (!region.is_writable) continue;
    const std::size_t first = static_cast<std::size_t>((size - region.address % size) % size);
    for (std::size_t at = first; at < region.bytes.size() && region.bytes.size() - at >= size; at += size) {
      if (image.as_pointer(image.container.load_word(region.bytes.data() + at)) != table_address) continue;
      if (++places > kMostPlaces) return std::nullopt;
      if (auto data = reader.at(region.address + at)) return data;
    }
  }
  return std::nullopt;
}

}  // namespace symcached::object
