#pragma once
/// What a trace asks of whoever has the debug files, and what it is answered: the one interface between both.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids/guid.hpp"

namespace symcached::traces {

/// What the number of a frame means. The letters are those of the JSON output.
enum class NumberKind : std::uint8_t {
  runtime,  ///< A: address in the process
  link,     ///< V: address as the file states it, as nm prints it
  image,    ///< B: bytes from the image's lowest address
  file,     ///< F: offset in the file
  named,    ///< N: bytes from the start of a function
  token,    ///< T: .NET: token of a method, and an IL offset
};
std::string_view letter_of(NumberKind kind);

enum class Status : std::uint8_t {
  ok,
  unverified,     ///< as ok, but the trace states no id of the module, or the id of no file was known
  no_module,      ///< the frame does not say which module it is in
  no_debug_file,  ///< no file of that module was found, or none that knows the place
  id_mismatch,    ///< only files of other builds were found, or the function has another size
  ambiguous,      ///< several files or functions may be meant
  no_map,         ///< an address in a process, and where the module lay is not known
};
std::string_view name_of(Status status);
constexpr bool is_found(Status status) { return status == Status::ok || status == Status::unverified; }

struct FrameQuestion {
  std::string module;                 ///< path or name as the trace has it, unchecked; empty = not said
  std::string build_id = {};          ///< lower-case hex; a UUID of Mach-O too; empty = not said
  std::optional<DebugId> debug_id{};  ///< if that is what the trace states
  NumberKind kind{};
  std::uint64_t value = 0;                 ///< of that kind; named: bytes from the function's start; token: the token
  std::string function = {};               ///< named
  std::optional<std::uint64_t> size = {};  ///< named: bytes up to the next symbol
  std::uint32_t il_offset = 0;             ///< token
  bool subtract = false;                   ///< a return address: the call before it is meant
  /// file: the offset if `value` is none of the file's but an address of the process, as some versions of perf print.
  std::optional<std::uint64_t> other_offset = {};
  /// file: the same place in bytes from the image's lowest address, if that is known, for files without their code.
  std::optional<std::uint64_t> image_offset = {};
  /// runtime: where the lowest address lies if the module can lie anywhere, known from the tool alone. Such an answer
  /// is never better than unverified.
  std::optional<std::uint64_t> usual_base = {};

  bool operator==(const FrameQuestion&) const = default;
};

struct ResolvedFrame {
  std::string function;                ///< readable; empty = unknown
  std::string file;                    ///< as the compiler recorded it; empty = unknown
  std::uint32_t line = 0, column = 0;  ///< 1-based; 0 = unknown
  bool is_inlined = false;             ///< into the frame after it
};

struct Resolved {
  Status status = Status::no_module;
  std::vector<ResolvedFrame> frames = {};    ///< innermost first; none unless is_found(status)
  std::optional<std::uint64_t> lookup = {};  ///< the address looked at, as the file states it
  std::uint32_t candidates = 0;              ///< ambiguous: how many
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Answers many questions at once; none of them comes twice in one call.
  /// @param answers  as many as questions, overwritten
  virtual void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) = 0;
};

}  // namespace symcached::traces
