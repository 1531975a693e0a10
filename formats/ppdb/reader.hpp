#pragma once
/// Reads Portable PDBs in place: identity, documents, sequence points, state machines, custom debug information.
/// Spec: Portable PDB v1.0; docs/formats/portable_pdb.md.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "formats/ppdb/metadata.hpp"
#include "formats/ppdb/sequence_points.hpp"
#include "ids/guid.hpp"

namespace symcached::ppdb {

inline constexpr std::size_t kPdbIdSize = 20;
/// Bytes of one document's name, put together, and of the list of its parts.
inline constexpr std::size_t kMaxDocumentName = 32 * 1024;
inline constexpr std::uint32_t kMaxDocuments = 1u << 20;
/// Bytes of all documents' names and lists together; names share their folders, so that they may be this many times the
/// heap and kFreeNameBytes more.
inline constexpr std::uint64_t kMaxDocumentNames = 256u << 20;
inline constexpr std::uint64_t kMaxNameSharing = 64;
inline constexpr std::uint64_t kFreeNameBytes = 1u << 20;
/// Bytes of one embedded source, unpacked.
inline constexpr std::uint64_t kMaxEmbeddedSource = 64u << 20;
/// Equal sequence points may be one blob of many methods. Decoded one by one they may be this many times the heap and
/// kFreePointBytes more.
inline constexpr std::uint64_t kMaxPointSharing = 16;
inline constexpr std::uint64_t kFreePointBytes = 16u << 20;

enum class Language : std::uint8_t { unknown, csharp, visual_basic, fsharp };
enum class HashAlgorithm : std::uint8_t { unknown, sha1, sha256 };

/// A source file. Views live as long as the file's mapping.
struct Document {
  std::string name;  ///< path as the compiler recorded it, unchecked; "" is allowed
  Language language = Language::unknown;
  Guid language_guid;
  HashAlgorithm hash_algorithm = HashAlgorithm::unknown;
  Guid hash_algorithm_guid;
  Bytes hash;  ///< of the source's bytes; empty = none
};

/// The compiler put the body of `kickoff` into `move_next` of a class it made. Rows of MethodDef, unchecked.
struct StateMachine {
  std::uint32_t move_next = 0;
  std::uint32_t kickoff = 0;
  auto operator<=>(const StateMachine&) const = default;
};

/// Source text inside of the PDB. `data` is a view.
struct EmbeddedSource {
  Bytes data;
  std::uint32_t unpacked_size = 0;  ///< bytes
  bool deflated = false;            ///< data is a raw deflate stream; otherwise it is the text
};
/// @return the source's bytes; a stream that gives more or fewer than stated is refused
Read<Buffer> unpack(const EmbeddedSource& source);

/// One option the compiler was given, such as ("compiler-version", "5.0.0").
struct CompilationOption {
  std::string_view name, value;
};

/// What custom debug information belongs to, by the tag of its index. Others there are, and nobody asks for them.
enum class CustomParent : std::uint8_t { method = 0, module = 7, document = 22 };

/// Views into bytes it does not own. Not to be moved while views of its rows are in use.
class Pdb {
 public:
  /// @param file  a whole Portable PDB: from a .pdb, or unpacked from an assembly
  /// Cost: one pass over the small sorted tables; the points are not looked at.
  static Read<Pdb> open(Bytes file);

  const Metadata& metadata() const { return metadata_; }
  const std::array<std::byte, kPdbIdSize>& id() const { return id_; }
  /// GUID, and the last 4 of the 20 id bytes where other PDBs have an age.
  DebugId debug_id() const;
  std::uint32_t entry_point() const { return entry_point_; }  ///< MethodDef token, 0x06000001; 0 = a library

  std::uint32_t document_count() const { return metadata_.rows(Table::document); }
  Read<std::string> document_name(std::uint32_t row) const;
  Read<Document> document(std::uint32_t row) const;
  /// All of them; [0] is row 1. Refused if they are more than kMaxDocuments, or their names
  /// longer than the file allows.
  Read<std::vector<Document>> documents() const;

  /// As many as the assembly has methods, or 0.
  std::uint32_t method_count() const { return metadata_.rows(Table::method_debug_information); }
  /// Points of a method; none at all for one without code of its own.
  Read<SequencePoints> points(std::uint32_t method) const;
  /// Calls visit(row, SequencePoints&) for each method that has points, in order of rows. A method whose points break
  /// the rules does not end the walk, for compilers have written such: SequencePoints::error() tells. Work is bounded
  /// by the file's size, however often methods share a blob.
  template <class Visit>
  Read<void> for_each_method(Visit&& visit) const;

  std::uint32_t state_machine_count() const { return metadata_.rows(Table::state_machine_method); }
  /// @param index  0-based; the order is that of the table, by move_next if the file keeps to the rules
  StateMachine state_machine(std::uint32_t index) const;
  /// @return the method a person wrote; nothing if `move_next` is no state machine's. Cost: a binary search.
  std::optional<std::uint32_t> kickoff_of(std::uint32_t move_next) const;

  /// Blob of this kind attached to a row. Cost: a binary search, and the row's own entries.
  Read<std::optional<Bytes>> custom(CustomParent parent, std::uint32_t row, const Guid& kind) const;
  Read<std::optional<EmbeddedSource>> embedded_source(std::uint32_t document) const;
  /// JSON text; see docs/formats/portable_pdb.md.
  Read<std::optional<std::string_view>> source_link() const;
  Read<std::vector<CompilationOption>> compilation_options() const;

 private:
  void order_sorted_tables();
  std::uint32_t key(Table table, std::uint32_t index, const std::vector<std::uint32_t>& order) const;
  std::uint32_t lower_bound(Table table, std::uint32_t wanted, const std::vector<std::uint32_t>& order) const;
  std::uint64_t document_name_budget() const {
    return std::min(kMaxDocumentNames, metadata_.blobs().size() * kMaxNameSharing + kFreeNameBytes);
  }
  std::uint64_t point_budget() const { return metadata_.blobs().size() * kMaxPointSharing + kFreePointBytes; }

  Metadata metadata_;
  std::array<std::byte, kPdbIdSize> id_{};
  std::uint32_t entry_point_ = 0;
  std::vector<std::uint32_t> machines_, customs_;  ///< rows in order of their first column; empty = the table is
};

template <class Visit>
Read<void> Pdb::for_each_method(Visit&& visit) const {
  std::uint64_t left = point_budget();
  const std::uint32_t documents = document_count();
  for (std::uint32_t number = 1; number <= method_count(); ++number) {
    const Row row = metadata_.at(Table::method_debug_information, number);
    const std::uint32_t offset = row[MethodDebugColumn::points];
    if (offset == 0) continue;
    SC_TRY(const auto blob, metadata_.blob(offset, "ppdb.method.points"));
    if (blob.size() > left) return too_large("ppdb.method.points", metadata_.offset_of(blob), blob.size(), left);
    left -= blob.size();
    SequencePoints points(blob, row[MethodDebugColumn::document], documents, metadata_.offset_of(blob));
    visit(number, points);
  }
  return {};
}

}  // namespace symcached::ppdb
