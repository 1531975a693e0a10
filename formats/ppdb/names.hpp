#pragma once
/// What methods and types of an assembly are called. Names are put together when they are asked for.
/// docs/formats/portable_pdb.md has the rules with examples.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ppdb/metadata.hpp"
#include "formats/ppdb/name_text.hpp"

namespace symcached::ppdb {

/// Types inside of types.
inline constexpr unsigned kMaxNesting = 64;

enum class NameStyle : std::uint8_t {
  stack_trace,  ///< as Exception.ToString() prints a frame: Space.Outer`1.Inner.Method[V](T t, Int32 count)
  reflection,   ///< nested types behind +, parameters without names: Space.Outer`1+Inner.Method[V](T, Int32)
};
enum class Parameters : bool { none, listed };

/// Views the metadata, which must outlive it and stay where it is. Each name is bounded, and its work; but a file
/// may have 2^24 methods with names as large as that, so who asks for all of them keeps count.
class Names {
 public:
  /// @param metadata  of an assembly; that of a Portable PDB has no methods
  /// Cost: nothing for metadata as compilers write it; one pass over the methods if they are listed by pointers.
  static Read<Names> open(const Metadata& metadata);

  std::uint32_t method_count() const { return metadata_->rows(Table::method_def); }
  /// Name of the assembly's module, "app.dll": what stack traces call the place of a method.
  Read<std::string_view> module() const;

  /// Row of the TypeDef that has the method. Cost: a binary search.
  Read<std::uint32_t> declaring_type(std::uint32_t method) const;
  /// The method's own name: "MoveNext", ".ctor".
  Read<std::string_view> simple_name(std::uint32_t method) const;
  /// Type.FullName, with + or . between nested types. Characters that type names give a meaning are behind a backslash.
  Read<std::string> type(std::uint32_t type, NameStyle style) const;
  /// Type, method and type parameters; then, if asked for, parameters in parentheses. A name larger than kMaxName, or a
  /// signature that makes no sense, is an error. Cost: about a microsecond.
  Read<std::string> method(std::uint32_t method, NameStyle style, Parameters parameters) const;
  /// What a person wrote: closures, state machines, lambdas and local functions lead to the method they are in, and
  /// type parameters stand where they were: "Space.Outer<T>.Inner<U>.Method<V>", "Program.Main.<lambda>".
  Read<std::string> readable(std::uint32_t method) const;

 private:
  explicit Names(const Metadata& metadata) : metadata_(&metadata) {}
  Read<std::vector<std::uint32_t>> nesting(std::uint32_t type) const;
  std::uint32_t enclosing(std::uint32_t type) const;
  Read<void> put_type(NameText& out, std::uint32_t type, char separator) const;
  void put_generics(NameText& out, std::uint32_t method, std::string_view open, std::string_view close) const;
  Read<void> put_parameters(NameText& out, std::uint32_t method, std::uint32_t type, NameStyle style) const;
  Read<std::vector<std::string_view>> parameter_names(std::uint32_t method, std::uint32_t count) const;
  std::string with_type_parameters(std::string_view name, std::uint32_t type) const;

  const Metadata* metadata_;
  std::vector<std::uint32_t> positions_;  ///< by method row: its place in MethodPtr; empty = its own row
};

}  // namespace symcached::ppdb
