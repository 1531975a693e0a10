#pragma once
/// libsymcached in C++17: a header-only layer over symcached.h, so that the ABI is C. Thread safety, lifetime and cost
/// are described there. Nothing throws, except std::bad_alloc.
#include <symcached/symcached.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symcached {
inline namespace v0 {

struct OpenOptions {
  std::vector<std::string> debug_directories = {};  ///< searched for separate debug files; default /usr/lib/debug
  std::uint32_t threads = 1;                        ///< for conversion
  std::uint64_t max_unpacked = 0;  ///< limit for decompressed bytes; default 8 GiB, less for small files
};

struct LookupOptions {
  bool names = true;           ///< false: only files and lines, which is faster
  bool parameters = true;      ///< false: omit parameters from names
  bool linkage_names = false;  ///< where known; not for inlined frames
  bool demangle = true;        ///< false: names as recorded
  bool inlines = true;         ///< false: only the outermost frame
};

struct Frame {
  std::string_view function, file;  ///< empty if unknown
  std::uint32_t line = 0;           ///< 1-based; 0 if unknown
  std::uint32_t column = 0;         ///< 1-based; 0 if unknown
  bool is_inlined = false;          ///< into the next frame of the answer
  // Of the outermost function; .NET methods have neither start nor size.
  std::string_view language;
  std::uint64_t function_start = 0;  ///< RVA
  std::uint32_t function_size = 0;   ///< bytes
};

/// Frames, innermost first. Reuse it: it keeps its memory and caches demangled names. One per thread.
class Answer {
 public:
  Answer() : answer_(symcached_answer_new()) {}

  const std::vector<Frame>& frames() const { return frames_; }
  bool empty() const { return frames_.empty(); }
  auto begin() const { return frames_.begin(); }
  auto end() const { return frames_.end(); }

 private:
  friend class Module;
  struct Free {
    void operator()(symcached_answer* answer) const { symcached_answer_free(answer); }
  };

  void take(int count) {
    const auto text = [](const symcached_text& from) { return std::string_view(from.data, from.size); };
    frames_.clear();
    for (int i = 0; i < count; ++i) {
      const symcached_frame& from = symcached_frames(answer_.get())[i];
      Frame frame;
      frame.function = text(from.function);
      frame.file = text(from.file);
      frame.line = from.line;
      frame.column = from.column;
      frame.is_inlined = from.is_inlined != 0;
      frame.language = text(from.language);
      frame.function_start = from.function_start;
      frame.function_size = from.function_size;
      frames_.push_back(frame);
    }
  }

  std::unique_ptr<symcached_answer, Free> answer_;
  std::vector<Frame> frames_;
};

/// An opened cache, or a debug file converted in memory. Movable.
class Module {
 public:
  /// @param error_message  receives the reason of a failure; may be null
  static std::optional<Module> open(const std::string& path, std::string* error_message = nullptr,
                                    const OpenOptions& options = {}) {
    return opened(options, error_message, [&](const symcached_open_options* c, char* error, std::size_t size) {
      return symcached_open(path.c_str(), c, error, size);
    });
  }
  /// Without separate debug files. The bytes may be freed afterwards.
  static std::optional<Module> open_bytes(std::string_view bytes, std::string* error_message = nullptr,
                                          const OpenOptions& options = {}) {
    return opened(options, error_message, [&](const symcached_open_options* c, char* error, std::size_t size) {
      return symcached_open_bytes(bytes.data(), bytes.size(), c, error, size);
    });
  }

  /// @param address  RVA; subtract 1 from a return address
  /// @return         the frames of `answer`
  const std::vector<Frame>& lookup(std::uint64_t address, Answer& answer, const LookupOptions& options = {}) const {
    answer.take(symcached_lookup(module_.get(), address, flags(options), answer.answer_.get()));
    return answer.frames();
  }
  /// @param method  MethodDef token or row
  const std::vector<Frame>& lookup_method(std::uint32_t method, std::uint32_t il_offset, Answer& answer,
                                          const LookupOptions& options = {}) const {
    answer.take(symcached_lookup_method(module_.get(), method, il_offset, flags(options), answer.answer_.get()));
    return answer.frames();
  }

  bool is_managed() const { return symcached_is_managed(module_.get()) != 0; }
  std::string_view debug_id() const { return symcached_debug_id(module_.get()); }
  std::optional<std::uint64_t> image_base() const {
    std::uint64_t base = 0;
    return symcached_image_base(module_.get(), &base) != 0 ? std::optional<std::uint64_t>(base) : std::nullopt;
  }
  /// Such as a missing debug file that makes answers less complete.
  std::vector<std::string_view> warnings() const {
    std::vector<std::string_view> all;
    while (const char* const one = symcached_warning(module_.get(), all.size())) all.push_back(one);
    return all;
  }
  /// The bytes of the cache, to be written to a file.
  std::string_view cache() const {
    std::size_t size = 0;
    const void* const bytes = symcached_cache(module_.get(), &size);
    return {static_cast<const char*>(bytes), size};
  }

 private:
  struct Close {
    void operator()(symcached_module* module) const { symcached_close(module); }
  };
  explicit Module(symcached_module* module) : module_(module) {}

  template <class Open>
  static std::optional<Module> opened(const OpenOptions& options, std::string* error_message, const Open& open) {
    std::vector<const char*> directories;
    for (const std::string& directory : options.debug_directories) directories.push_back(directory.c_str());
    symcached_open_options c = {};
    c.struct_size = sizeof(c);
    c.debug_directories = directories.data();
    c.debug_directory_count = directories.size();
    c.threads = options.threads;
    c.max_unpacked = options.max_unpacked;
    char error[1024] = "";
    if (symcached_module* const module = open(&c, error, sizeof(error))) return Module(module);
    if (error_message != nullptr) *error_message = error;
    return std::nullopt;
  }

  static std::uint32_t flags(const LookupOptions& options) {
    std::uint32_t flags = 0;
    if (!options.names) flags |= SYMCACHED_NO_NAMES;
    if (!options.parameters) flags |= SYMCACHED_NO_PARAMETERS;
    if (options.linkage_names) flags |= SYMCACHED_LINKAGE_NAMES;
    if (!options.demangle) flags |= SYMCACHED_NO_DEMANGLE;
    if (!options.inlines) flags |= SYMCACHED_NO_INLINES;
    return flags;
  }

  std::unique_ptr<symcached_module, Close> module_;
};

}  // namespace v0
}  // namespace symcached
