#include "symbolize/growing_symcache.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "object/elf/partial.hpp"
#include "object/identify.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"

namespace symcached::symbolize {
namespace {

using symcache::Symcache;

/// Bytes and the reader that views them.
struct OpenSymcache {
  std::vector<std::byte> bytes;
  std::optional<Symcache> cache;

  static OpenSymcache of(std::vector<std::byte> bytes) {
    OpenSymcache opened{std::move(bytes), {}};
    if (auto cache = Symcache::open(opened.bytes)) opened.cache = *std::move(cache);
    return opened;
  }
};

class OnDemand final : public ConvertedOnDemand {
 public:
  OnDemand(OriginalFile file, Companions companions, unsigned threads, const GrowingOptions& options)
      : file_(std::move(file)), companions_(std::move(companions)), threads_(threads), options_(options) {}

  /// @return whether pieces can be made
  bool prepare() {
    const bool may_be_costly = options_.questions == 1;
    auto partial = object::PartialElf::open(original(), may_be_costly);
    if (!partial || *partial == nullptr) return false;
    partial_ = *std::move(partial);
    return true;
  }
  void give_back(OriginalFile& file, Companions& companions) {
    file = std::move(file_);
    companions = std::move(companions_);
  }

  const Symcache& at(model::Rva place) override {
    if (const Symcache* const whole = whole_.load(std::memory_order_acquire)) return *whole;
    const std::lock_guard lock(mutex_);
    if (const Symcache* const whole = whole_.load(std::memory_order_acquire)) return *whole;
    for (const Piece& piece : pieces_)
      if (piece.place == place) return *piece.opened.cache;
    const std::size_t most =
        partial_->is_costly() ? std::min<std::size_t>(1, options_.most_pieces) : options_.most_pieces;
    if (pieces_.size() < most)
      if (const Symcache* const piece = make_piece(place)) return *piece;
    return make_whole();
  }
  const Symcache& whole() override {
    if (const Symcache* const whole = whole_.load(std::memory_order_acquire)) return *whole;
    const std::lock_guard lock(mutex_);
    return make_whole();
  }
  Bytes whole_bytes() override {
    whole();
    return derived_.file;
  }
  bool has_pieces() const override {
    const std::lock_guard lock(mutex_);
    return !pieces_.empty();
  }
  const DerivedSymcache* converted() const override {
    return whole_.load(std::memory_order_acquire) != nullptr && trouble_.empty() ? &derived_ : nullptr;
  }
  std::string trouble() const override {
    return whole_.load(std::memory_order_acquire) != nullptr ? trouble_ : std::string();
  }

 private:
  object::Original original() const {
    return {.file = file_.bytes(), .companions = companions_.all(), .threads = threads_, .inflate = file_.inflate()};
  }

  /// Null: it takes the whole to say what is there.
  const Symcache* make_piece(model::Rva place) {
    std::optional<symcache::Writer> writer;
    const auto make_sink = [&]() -> model::ModuleSink& { return writer.emplace(); };
    const auto done = partial_->translate_at(place, make_sink);
    if (!done || !*done || !writer) return nullptr;
    Piece piece{place, OpenSymcache::of(std::move(*writer).finish())};
    if (!piece.opened.cache) return nullptr;
    return &*pieces_.emplace_back(std::move(piece)).opened.cache;
  }

  const Symcache& make_whole() {
    if (const Symcache* const whole = whole_.load(std::memory_order_relaxed)) return *whole;
    partial_.reset();
    object::Original all = original();
    all.release = [this] {
      file_.release_pages();
      companions_.release_pages();
    };
    auto derived = derive_symcache(all);
    if (derived) derived_ = *std::move(derived);
    else trouble_ = std::move(derived.error());
    if (!trouble_.empty()) derived_.file = symcache::Writer().finish();
    opened_whole_ = Symcache::open(derived_.file);
    whole_.store(&*opened_whole_, std::memory_order_release);
    return *opened_whole_;
  }

  OriginalFile file_;
  Companions companions_;
  const unsigned threads_;
  const GrowingOptions options_;

  mutable std::mutex mutex_;  ///< of what follows, as long as whole_ is null; then nothing changes any more
  std::unique_ptr<object::PartialElf> partial_;
  struct Piece {
    model::Rva place;
    OpenSymcache opened;
  };
  std::deque<Piece> pieces_;  ///< stay where they are: answers are views of them
  DerivedSymcache derived_;
  std::string trouble_;
  Read<Symcache> opened_whole_ = bad_value("symcache", 0, 0);
  std::atomic<const Symcache*> whole_ = nullptr;
};

}  // namespace

std::shared_ptr<ConvertedOnDemand> ConvertedOnDemand::open(OriginalFile& file, Companions& companions, unsigned threads,
                                                           const GrowingOptions& options) {
  const Bytes bytes = file.bytes();
  if (object::identify(bytes) != object::FileKind::elf) return nullptr;
  std::uint64_t size = bytes.size();
  for (const object::Companion& one : companions.all()) size += one.file.size();
  if (size < options.min_file_size || file.is_unwrapped()) return nullptr;
  auto made = std::make_shared<OnDemand>(std::move(file), std::move(companions), threads, options);
  if (made->prepare()) return made;
  made->give_back(file, companions);
  return nullptr;
}

}  // namespace symcached::symbolize
