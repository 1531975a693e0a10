#pragma once
/// What debug files of .NET are translated to: documents, and for each method the places its instructions came from.
///
/// A frame of .NET is found by method and IL offset, not by an address. A method is named by its row in the assembly's
/// MethodDef table, 1-based: the low 24 bits of its metadata token.
#include <cstdint>
#include <span>
#include <string_view>

#include "ids/guid.hpp"
#include "model/module.hpp"

namespace symcached::model {

/// Methods of one assembly; a token has 24 bits for the row.
inline constexpr std::uint32_t kMaxMethodRow = 0xFFFFFF;

/// Metadata tokens have the table in their top byte, 0x06 for MethodDef, and the row below it.
constexpr std::uint32_t method_token(std::uint32_t row) { return 0x06000000 | row; }
constexpr bool is_method_token(std::uint32_t token) { return token >> 24 == 0x06; }

struct ManagedModule {
  DebugId debug_id;  ///< GUID, and in place of the age the last 4 of the 20 bytes of the id
};

struct ManagedDocument {
  std::string_view path;  ///< UTF-8, as the compiler recorded it
  Language language = Language::unknown;
};

/// From `il_offset` up to the next point the code is that of line:column. Hidden points are left out: the runtime takes
/// the last one before them.
struct ManagedPoint {
  std::uint32_t il_offset = 0;  ///< bytes from the start of the method's IL; rises within a method
  std::uint32_t document = 0;   ///< as ManagedSink::document() numbered it
  std::uint32_t line = 0;       ///< 1-based
  std::uint32_t column = 0;     ///< 1-based; 0 = unknown

  bool operator==(const ManagedPoint&) const = default;
};

/// The spans and views are the producer's and valid during the call only.
struct ManagedMethod {
  std::uint32_t row = 0;      ///< 1 to kMaxMethodRow
  std::string_view name;      ///< as .NET writes it in a stack trace, without parameters: "N.Outer`1.Inner.Method[T]";
                              ///< empty: the assembly was not at hand
  std::uint32_t kickoff = 0;  ///< row of the async method or iterator whose MoveNext this is; 0 = of none
  std::span<const ManagedPoint> points;
};

/// Takes a module, then all documents, then the methods by rising row; methods that have neither points nor a name nor
/// a kick-off method may be left out.
class ManagedSink {
 public:
  virtual ~ManagedSink() = default;
  virtual void module(const ManagedModule& module) = 0;
  /// @return the document's number: 0, 1, 2, …
  virtual std::uint32_t document(const ManagedDocument& document) = 0;
  virtual void method(const ManagedMethod& method) = 0;
};

}  // namespace symcached::model
