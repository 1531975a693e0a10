#include "formats/ppdb/names.hpp"

#include <algorithm>

#include "formats/ppdb/signatures.hpp"
#include "formats/ppdb/written_names.hpp"

namespace symcached::ppdb {
namespace {

constexpr std::uint32_t kGlobalType = 1;  ///< <Module>: functions that are in no class

/// First row of a table sorted by `column` that is not below `wanted`; behind the last one if there is none.
std::uint32_t lower_bound(const Metadata& metadata, Table table, unsigned column, std::uint32_t wanted) {
  std::uint32_t low = 1, high = metadata.rows(table) + 1;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (metadata.at(table, middle)[column] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Reflection puts a backslash before what has a meaning in a type's full name.
void put_escaped(NameText& out, std::string_view name) {
  constexpr std::string_view kSpecial = "\\+,[]&*";
  if (name.find_first_of(kSpecial) == std::string_view::npos) {
    out += name;
    return;
  }
  for (const char c : name) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
}

Read<std::string> finished(NameText text, std::string_view field) {
  if (text.full()) return too_large(field, 0, text.size() + 1, kMaxName);
  return std::move(text).take();
}

}  // namespace

Read<Names> Names::open(const Metadata& metadata) {
  Names names(metadata);
  const std::uint32_t pointers = metadata.rows(Table::method_ptr);
  if (pointers == 0) return names;
  names.positions_.resize(std::size_t{metadata.rows(Table::method_def)} + 1);
  for (std::uint32_t position = 1; position <= pointers; ++position) {
    const std::uint32_t method = metadata.at(Table::method_ptr, position)[PtrColumn::row];
    if (method < names.positions_.size()) names.positions_[method] = position;
  }
  return names;
}

Read<std::string_view> Names::module() const {
  SC_TRY(const auto row, metadata_->row(Table::module, 1, "ppdb.module"));
  return metadata_->string(row[ModuleColumn::name], "ppdb.module.name");
}

Read<std::uint32_t> Names::declaring_type(std::uint32_t method) const {
  SC_TRY(const auto row, metadata_->row(Table::method_def, method, "ppdb.method_def"));
  static_cast<void>(row);
  const std::uint32_t position = positions_.empty() ? method : positions_[method];
  // Of types with the same start, all but the last have no methods.
  const std::uint32_t behind = lower_bound(*metadata_, Table::type_def, TypeDefColumn::methods, position + 1);
  if (behind <= 1 || position == 0) return bad_value("ppdb.type_def.methods", 0, method);
  return behind - 1;
}

Read<std::string_view> Names::simple_name(std::uint32_t method) const {
  SC_TRY(const auto row, metadata_->row(Table::method_def, method, "ppdb.method_def"));
  return metadata_->string(row[MethodDefColumn::name], "ppdb.method_def.name");
}

/// @return row of the type that `type` stands in; 0 = in none
std::uint32_t Names::enclosing(std::uint32_t type) const {
  const std::uint32_t found = lower_bound(*metadata_, Table::nested_class, NestedClassColumn::nested, type);
  if (found > metadata_->rows(Table::nested_class)) return 0;
  const Row row = metadata_->at(Table::nested_class, found);
  return row[NestedClassColumn::nested] == type ? row[NestedClassColumn::enclosing] : 0;
}

/// Rows from the outermost type to `type`; each is there.
Read<std::vector<std::uint32_t>> Names::nesting(std::uint32_t type) const {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = type; at != 0; at = enclosing(at)) {
    if (at > metadata_->rows(Table::type_def)) return bad_value("ppdb.nested_class.enclosing", 0, at);
    if (chain.size() == kMaxNesting) return too_large("ppdb.nested_class", 0, chain.size() + 1, kMaxNesting);
    chain.push_back(at);
  }
  std::ranges::reverse(chain);
  return chain;
}

Read<void> Names::put_type(NameText& out, std::uint32_t type, char separator) const {
  SC_TRY(const auto chain, nesting(type));
  for (const std::uint32_t each : chain) {
    const Row row = metadata_->at(Table::type_def, each);
    SC_TRY(const auto space, metadata_->string(row[TypeDefColumn::name_space], "ppdb.type_def.namespace"));
    SC_TRY(const auto name, metadata_->string(row[TypeDefColumn::name], "ppdb.type_def.name"));
    if (each != chain.front()) out += separator;
    put_escaped(out, space);
    if (!space.empty()) out += '.';
    put_escaped(out, name);
  }
  return {};
}

void Names::put_generics(NameText& out, std::uint32_t method, std::string_view open, std::string_view close) const {
  for (std::uint32_t number = 0; !out.full(); ++number) {
    const auto name = generic_name(*metadata_, Table::method_def, method, number);
    if (!name) {
      if (number != 0) out += close;
      return;
    }
    out += number == 0 ? open : std::string_view(",");
    out += *name;
  }
}

Read<std::string> Names::type(std::uint32_t type, NameStyle style) const {
  NameText out;
  if (type == 0) return bad_value("ppdb.type_def", 0, type);
  const auto put = put_type(out, type, style == NameStyle::reflection ? '+' : '.');
  if (!put) return std::unexpected(put.error());
  return finished(std::move(out), "ppdb.type_def.name");
}

Read<std::string> Names::method(std::uint32_t method, NameStyle style, Parameters parameters) const {
  SC_TRY(const auto type, declaring_type(method));
  SC_TRY(const auto name, simple_name(method));
  NameText out;
  if (type != kGlobalType) {
    if (const auto put = put_type(out, type, style == NameStyle::reflection ? '+' : '.'); !put)
      return std::unexpected(put.error());
    out += '.';
  }
  out += name;
  put_generics(out, method, "[", "]");
  if (parameters == Parameters::listed) {
    if (const auto put = put_parameters(out, method, type, style); !put) return std::unexpected(put.error());
  }
  return finished(std::move(out), "ppdb.method_def.name");
}

Read<void> Names::put_parameters(NameText& out, std::uint32_t method, std::uint32_t type, NameStyle style) const {
  const Row row = metadata_->at(Table::method_def, method);
  SC_TRY(const auto blob, metadata_->blob(row[MethodDefColumn::signature], "ppdb.method_def.signature"));
  SC_TRY(auto signature, MethodSignature::open(*metadata_, blob, {type, method}));
  std::vector<std::string_view> names;
  if (style == NameStyle::stack_trace) {
    SC_TRY(names, parameter_names(method, signature.parameter_count()));
  }
  out += '(';
  for (std::uint32_t i = 0; i < signature.parameter_count() && !out.full(); ++i) {
    if (i != 0) out += ", ";
    if (const auto put = signature.next(out); !put) return put;
    if (i >= names.size() || names[i].data() == nullptr) continue;
    out += ' ';
    out += names[i];
  }
  out += ')';
  return {};
}

/// By position; a view of nothing where the table has no row. Rows are sorted by position, one for each at most.
Read<std::vector<std::string_view>> Names::parameter_names(std::uint32_t method, std::uint32_t count) const {
  const auto first_of = [&](std::uint32_t number) {
    return metadata_->at(Table::method_def, number)[MethodDefColumn::params];
  };
  const bool pointers = metadata_->rows(Table::param_ptr) != 0;
  const std::uint32_t rows = metadata_->rows(pointers ? Table::param_ptr : Table::param);
  const std::uint32_t begin = first_of(method);
  std::uint32_t end = method == method_count() ? rows + 1 : std::min(first_of(method + 1), rows + 1);
  std::vector<std::string_view> names;
  if (begin == 0 || begin >= end) return names;
  count = std::min<std::uint32_t>(count, kMaxName);  // each takes a character of the text at least
  end = begin + std::min(end - begin, count + 1);    // one more for what the method returns
  names.resize(count);
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t number = pointers ? metadata_->at(Table::param_ptr, i)[PtrColumn::row] : i;
    SC_TRY(const auto param, metadata_->row(Table::param, number, "ppdb.param"));
    const std::uint32_t sequence = param[ParamColumn::sequence];
    if (sequence == 0 || sequence > count) continue;
    SC_TRY(names[sequence - 1], metadata_->string(param[ParamColumn::name], "ppdb.param.name"));
  }
  return names;
}

/// "Inner`1" becomes "Inner<U>": of the type's parameters the last ones are its own, the others those it stands in.
std::string Names::with_type_parameters(std::string_view name, std::uint32_t type) const {
  const std::size_t tick = name.rfind('`');
  if (tick == std::string_view::npos || tick + 1 == name.size() || name.size() - tick > 3) return std::string(name);
  std::uint32_t own = 0, all = 0;
  for (const char c : name.substr(tick + 1)) {
    if (c < '0' || c > '9') return std::string(name);
    own = own * 10 + static_cast<std::uint32_t>(c - '0');
  }
  constexpr std::uint32_t kMostOfAll = 1024;
  while (all < kMostOfAll && generic_name(*metadata_, Table::type_def, type, all)) ++all;
  if (own == 0 || own > all) return std::string(name);
  std::string text(name.substr(0, tick));
  for (std::uint32_t number = all - own; number < all && text.size() < kMaxName; ++number) {
    text += number == all - own ? '<' : ',';
    text += generic_name(*metadata_, Table::type_def, type, number).value_or("");
  }
  return text + '>';
}

Read<std::string> Names::readable(std::uint32_t method) const {
  SC_TRY(const auto type, declaring_type(method));
  SC_TRY(const auto name, simple_name(method));
  NameText out;
  std::vector<std::string> types;
  if (type != kGlobalType) {
    SC_TRY(const auto chain, nesting(type));
    const Row outermost = metadata_->at(Table::type_def, chain.front());
    SC_TRY(const auto space, metadata_->string(outermost[TypeDefColumn::name_space], "ppdb.type_def.namespace"));
    out += space;
    for (const std::uint32_t each : chain) {
      SC_TRY(const auto simple,
             metadata_->string(metadata_->at(Table::type_def, each)[TypeDefColumn::name], "ppdb.type_def.name"));
      types.push_back(with_type_parameters(simple, each));
    }
  }
  const std::vector<std::string> parts = written_parts(types, name);
  for (const std::string& part : parts) {
    if (!out.empty()) out += '.';
    out += part;
  }
  if (!parts.empty() && parts.back() == name) put_generics(out, method, "<", ">");
  return finished(std::move(out), "ppdb.method_def.name");
}

}  // namespace symcached::ppdb
