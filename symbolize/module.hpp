#pragma once
/// A module that says which frames cover a place in it, whatever cache lies behind it. Reads bytes, opens no files:
/// open_module.hpp does.
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "demangle/demangle.hpp"
#include "model/module.hpp"
#include "ppdbcache/reader.hpp"
#include "symbolize/demangled_names.hpp"
#include "symbolize/place.hpp"
#include "symcache/reader.hpp"

namespace symcached::symbolize {

enum class FunctionNames : std::uint8_t {
  readable,  ///< qualified names of PDBs, linkage names of others, demangled
  brief,     ///< the same without parameters
  linkage,   ///< linkage names, demangled
  none,
};

/// What an answer is to hold.
struct AnswerOptions {
  FunctionNames names = FunctionNames::readable;
  bool inlines = true;                               ///< false: the function's own frame alone
  bool demangle = true;                              ///< false: names as they are recorded
  demangle::Detail detail = demangle::Detail::full;  ///< of demangled names; `brief` names have no parameters anyway
};

struct Frame {
  std::string_view function;  ///< empty = unknown, or not asked for
  std::string_view file;      ///< as the compiler recorded it; empty = unknown
  std::uint32_t line = 0;     ///< 1-based; 0 = unknown
  std::uint32_t column = 0;   ///< 1-based; 0 = unknown
  bool is_inlined = false;    ///< into the frame after it
};

/// What a module says of a place, and the memory for it, to be used again and again: it grows to what the largest
/// answer took, and keeps names besides, as they are shown, for the next answers. One per thread.
class Answer {
 public:
  /// @param kept  bytes of names to keep, and half as much again at most: more pays for those who ask a lot at once
  explicit Answer(std::size_t kept = symcache::FrameBuffer::kKept) : buffer_(kept) {}
  Answer(const Answer&) = delete;  // texts lie in it
  Answer& operator=(const Answer&) = delete;

  /// Innermost first, the function's own last. None: nothing is known of the place, which is no error.
  /// Texts live until the next question with this answer, and no longer than the module.
  std::span<const Frame> frames() const { return frames_; }

  // Of the function that holds the place. Methods of .NET have neither start nor size.
  model::Rva start() const { return start_; }
  std::uint32_t size() const { return size_; }  ///< bytes
  model::SymbolKind kind() const { return kind_; }
  model::Language language() const { return language_; }

 private:
  friend class Module;
  void clear();
  std::string_view shown(const symcache::Frame& frame, demangle::Detail detail);

  std::vector<Frame> frames_;
  model::Rva start_;
  std::uint32_t size_ = 0;
  model::SymbolKind kind_{};
  model::Language language_{};
  symcache::FrameBuffer buffer_;
  DemangledNames demangled_;  // that buffer_ does not keep
  std::string fresh_;         // demangled, before it is kept
  std::string method_;        // put together
};

/// A symcache of which there is as much as was asked for. Safe to use from any thread.
class GrowingSymcache {
 public:
  virtual ~GrowingSymcache() = default;
  /// One that says of `place` what the whole one does; lives as long as this.
  virtual const symcache::Symcache& at(model::Rva place) = 0;
  virtual const symcache::Symcache& whole() = 0;
  virtual Bytes whole_bytes() = 0;
};

/// An opened cache, of native code or of .NET. Once it is open nothing in it changes: any number of threads may ask,
/// each with its own Answer.
class Module {
 public:
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  /// @param cache  a symcache or a ppdbcache; must outlive the module
  /// @return the module, or a sentence that names the field and what is wrong with it
  /// Cost: microseconds; nothing is copied.
  static std::expected<Module, std::string> view(Bytes cache);
  /// The same of bytes that it keeps.
  static std::expected<Module, std::string> own(std::vector<std::byte> cache);
  /// One that converts as it is asked. What needs the whole cache makes it first: symcache(), cache(), debug_id().
  static Module growing(std::shared_ptr<GrowingSymcache> cache) { return Module({}, std::move(cache)); }

  /// Asked for a place of the other kind, a module knows nothing of it.
  /// Cost: about a microsecond, and what demangling takes the first time that a name is met: several microseconds.
  void ask(const Place& place, const AnswerOptions& options, Answer& out) const;

  /// True: its places are in methods.
  bool is_managed() const { return std::holds_alternative<ppdbcache::Reader>(cache_); }
  /// It converts as it is asked, a linked ELF file so far.
  bool is_growing() const { return growing_cache() != nullptr; }
  DebugId debug_id() const;
  /// The whole cache that it answers from.
  Bytes cache() const { return growing_cache() == nullptr ? bytes_ : growing_cache()->whole_bytes(); }
  const symcache::Symcache* symcache() const {
    return growing_cache() == nullptr ? std::get_if<symcache::Symcache>(&cache_) : &growing_cache()->whole();
  }
  const ppdbcache::Reader* ppdbcache() const { return std::get_if<ppdbcache::Reader>(&cache_); }

 private:
  using Growing = std::shared_ptr<GrowingSymcache>;
  using Cache = std::variant<symcache::Symcache, ppdbcache::Reader, Growing>;
  GrowingSymcache* growing_cache() const {
    const auto* const growing = std::get_if<Growing>(&cache_);
    return growing == nullptr ? nullptr : growing->get();
  }
  Module(Bytes bytes, Cache cache) : bytes_(bytes), cache_(std::move(cache)) {}
  static void ask(const symcache::Symcache& cache, model::Rva place, const AnswerOptions& options, Answer& out);
  static void set_names(const symcache::Symcache& cache, const symcache::Found& found, const AnswerOptions& options,
                        Answer& out);
  static void ask(const ppdbcache::Reader& cache, MethodPlace place, const AnswerOptions& options, Answer& out);

  std::vector<std::byte> owned_;
  Bytes bytes_;  // may be owned_, which moves with it
  Cache cache_;  // views bytes_
};

}  // namespace symcached::symbolize
