#include "demangle/itanium.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

// LLVM's library has the same templates with an allocator of its own. Under a name of ours the two cannot be mixed up
// by the linker, whatever the flags of this build.
#define itanium_demangle symcached_itanium_demangle
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <llvm/Demangle/ItaniumDemangle.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#undef itanium_demangle

namespace llvm::symcached_itanium_demangle {

/// LLVM's header wants it from its library: where a discriminator (`_0`, `__10_`; digits up to the very end) stops;
/// `first` itself if there is none.
const char* parse_discriminator(const char* first, const char* last) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (first != last && *first == '_') {
    if (last - first > 1 && is_digit(first[1])) return first + 2;
    if (last - first == 1 || first[1] != '_') return first;
    const char* const end = std::find_if_not(first + 2, last, is_digit);
    return end != last && *end == '_' ? end + 1 : first;
  }
  return std::all_of(first, last, is_digit) ? last : first;
}

}  // namespace llvm::symcached_itanium_demangle

namespace symcached::demangle {
namespace {

namespace ast = llvm::symcached_itanium_demangle;

constexpr std::uint32_t kMaxDepth = 3200;  ///< calls within calls of the parser or the printer; nodes below a node
constexpr std::uint32_t kMaxParseSteps = 1u << 19;
constexpr std::uint32_t kMaxPrintSteps = 1u << 19;
constexpr std::uint32_t kMaxForwardReferences = 8;  ///< their nodes' heights are not known when they are made
constexpr std::size_t kMaxNodeBytes = 32u << 20;
constexpr std::size_t kFirstBlock = 64u << 10;

/// Thrown through LLVM's parser and printer, which are compiled with this file, and caught in this file.
struct OutOfBounds {};

/// Counts one level of recursion and one step.
class Level {
 public:
  Level(std::uint32_t& depth, std::uint32_t& steps) : depth_(depth) {
    if (depth_ == kMaxDepth || steps == 0) throw OutOfBounds{};
    --steps;
    ++depth_;
  }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  std::uint32_t& depth_;
};

/// Memory of nodes: given back all at once; the first block is kept for the next name.
class NodeMemory {
 public:
  void* take(std::size_t size) {
    size = (size + 15) & ~std::size_t{15};
    if (size > left_) more(size);
    std::byte* const taken = next_;
    next_ += size;
    left_ -= size;
    return taken;
  }
  void reset() {
    further_.clear();
    taken_ = kFirstBlock;
    next_ = first_.get();
    left_ = kFirstBlock;
  }

 private:
  void more(std::size_t size) {
    const std::size_t block = std::max(size, kFirstBlock);
    if (block > kMaxNodeBytes - taken_) throw OutOfBounds{};
    further_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    taken_ += block;
    next_ = further_.back().get();
    left_ = block;
  }

  std::unique_ptr<std::byte[]> first_ = std::make_unique_for_overwrite<std::byte[]>(kFirstBlock);
  std::vector<std::unique_ptr<std::byte[]>> further_;
  std::size_t taken_ = kFirstBlock, left_ = kFirstBlock;
  std::byte* next_ = first_.get();
};

/// What stands in front of each node.
struct NodeHead {
  std::uint32_t height = 0;  ///< above the deepest leaf: by substitutions a short name makes a tall tree
  // Where the printer has its text already.
  std::uint32_t text_at = 0, text_size = 0;
  std::uint32_t text_state = 0;  ///< the printer's; else the text may have changed
};
static_assert(sizeof(NodeHead) == 16);

NodeHead& head_of(const ast::Node& node) {
  return *reinterpret_cast<NodeHead*>(const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&node)) -
                                      sizeof(NodeHead));
}

/// The allocator that LLVM's parser asks for.
class NodeAllocator {
 public:
  NodeMemory* memory = nullptr;

  void reset() {}
  template <class T, class... Args>
  ast::Node* makeNode(Args&&... args) {
    static_assert(alignof(T) <= 16);
    if constexpr (std::is_same_v<T, ast::ForwardTemplateReference>)
      if (++forward_references_ > kMaxForwardReferences) throw OutOfBounds{};
    std::uint32_t height = 0;
    ((height = std::max(height, height_of(args))), ...);
    if (height == kMaxDepth) throw OutOfBounds{};
    auto* const place = static_cast<std::byte*>(memory->take(sizeof(NodeHead) + sizeof(T)));
    new (place) NodeHead{.height = height + 1};
    return new (place + sizeof(NodeHead)) T(std::forward<Args>(args)...);
  }
  void* allocateNodeArray(std::size_t count) { return memory->take(count * sizeof(ast::Node*)); }
  bool has_forward_references() const { return forward_references_ != 0; }

 private:
  template <class T>
  static std::uint32_t height_of(const T& argument) {
    if constexpr (std::is_same_v<T, ast::NodeArray>) {
      std::uint32_t height = 0;
      for (const ast::Node* node : argument) height = std::max(height, height_of(node));
      return height;
    } else if constexpr (std::is_pointer_v<T> && std::is_base_of_v<ast::Node, std::remove_pointer_t<T>>) {
      return argument == nullptr ? 0 : head_of(*argument).height;
    } else {
      return 0;
    }
  }

  std::uint32_t forward_references_ = 0;
};

/// LLVM's parser with a count at each production through which one may contain itself.
class Parser : public ast::AbstractManglingParser<Parser, NodeAllocator> {
  using Base = ast::AbstractManglingParser<Parser, NodeAllocator>;

 public:
  Parser(std::string_view name, NodeMemory& memory) : Base(name.data(), name.data() + name.size()) {
    ASTAllocator.memory = &memory;
  }
  ast::Node* parseType() {
    return counted([&] { return Base::parseType(); });
  }
  ast::Node* parseExpr() {
    return counted([&] { return Base::parseExpr(); });
  }
  ast::Node* parseEncoding(bool parameters = true) {
    return counted([&] { return Base::parseEncoding(parameters); });
  }
  ast::Node* parseName(NameState* state = nullptr) {
    return counted([&] { return Base::parseName(state); });
  }
  ast::Node* parseTemplateArg() {
    return counted([&] { return Base::parseTemplateArg(); });
  }
  ast::Node* parseQualifiedType() {
    return counted([&] { return Base::parseQualifiedType(); });
  }
  ast::Node* parseUnresolvedType() {
    return counted([&] { return Base::parseUnresolvedType(); });
  }
  ast::Node* parseBracedExpr() {
    return counted([&] { return Base::parseBracedExpr(); });
  }
  /// What a forward reference prints depends on whether it is being printed.
  bool prints_the_same_everywhere() const { return !ASTAllocator.has_forward_references(); }

 private:
  template <class Production>
  ast::Node* counted(Production&& production) {
    const Level level(depth_, steps_);
    return production();
  }

  std::uint32_t depth_ = 0, steps_ = kMaxParseSteps;
};

/// Text of a tree, up to kMaxOutput bytes.
class Printer final : public ast::OutputBuffer {
 public:
  /// @param as_symbolicator  no return types, "> >", clones as "[clone .cold]", and "(unsigned int)1" for "1u"
  /// @param copies           what was printed before may be copied
  Printer(char* buffer, std::size_t capacity, bool as_symbolicator, bool copies)
      : OutputBuffer(buffer, capacity), as_symbolicator_(as_symbolicator), copies_(copies) {}
  void printLeft(const ast::Node& node) override {
    const Level level(depth_, steps_);
    check_size();
    const auto kind = node.getKind();
    if (copies_ && (kind == ast::Node::KNestedName || kind == ast::Node::KNameWithTemplateArgs)) print_name(node);
    else print_anew(node);
  }
  void printRight(const ast::Node& node) override {
    const Level level(depth_, steps_);
    check_size();
    if (as_symbolicator_ && node.getKind() == ast::Node::KFunctionEncoding)
      print_parameters(static_cast<const ast::FunctionEncoding&>(node));
    else OutputBuffer::printRight(node);
  }
  void check_size() const {
    if (getCurrentPosition() > kMaxOutput) throw OutOfBounds{};
  }
  void notifyInsertion(std::size_t, std::size_t) override { forget_copies(); }
  void notifyDeletion(std::size_t, std::size_t end) override {
    if (end < last_copy_end_) forget_copies();
  }

 private:
  void print_anew(const ast::Node& node) {
    if (!as_symbolicator_ || !print_as_symbolicator(node)) OutputBuffer::printLeft(node);
  }

  /// Most of a long name is types that it names several times over: these are copied from where they stand.
  void print_name(const ast::Node& node) {
    NodeHead& head = head_of(node);
    const std::uint32_t state = copies_state();
    if (head.text_size != 0 && head.text_state == state &&
        getBufferCapacity() - getCurrentPosition() > head.text_size) {
      *this += std::string_view(getBuffer() + head.text_at, head.text_size);
      return;
    }
    const bool in_pack = is_in_pack();
    const std::size_t start = getCurrentPosition();
    print_anew(node);
    const std::size_t end = getCurrentPosition();
    if (in_pack || is_in_pack() || end <= start || copies_state() != state) return;
    head.text_at = static_cast<std::uint32_t>(start);
    head.text_size = static_cast<std::uint32_t>(end - start);
    head.text_state = state;
    last_copy_end_ = end;
  }

  /// Elements of a pack differ, and printing the first of them starts the pack.
  bool is_in_pack() const { return CurrentPackMax != std::numeric_limits<unsigned>::max(); }

  /// All that the text of a name depends on besides.
  std::uint32_t copies_state() const {
    return forgotten_ << 2 | (isInsideTemplateArgs() ? 2u : 0u) | (isInParensInTemplateArgs() ? 1u : 0u);
  }
  void forget_copies() {
    last_copy_end_ = 0;
    if (++forgotten_ == 1u << 30) throw OutOfBounds{};
  }

  bool print_as_symbolicator(const ast::Node& node) {
    switch (node.getKind()) {
      case ast::Node::KFunctionEncoding: static_cast<const ast::FunctionEncoding&>(node).getName()->print(*this); break;
      case ast::Node::KTemplateArgs: print_arguments(static_cast<const ast::TemplateArgs&>(node)); break;
      case ast::Node::KDotSuffix:
        static_cast<const ast::DotSuffix&>(node).match([&](const ast::Node* prefix, std::string_view suffix) {
          prefix->print(*this);
          print_clones(suffix);
        });
        break;
      case ast::Node::KIntegerLiteral: return print_literal(static_cast<const ast::IntegerLiteral&>(node));
      default: return false;
    }
    return true;
  }

  /// All that follows the name, but for the right half of a return type.
  void print_parameters(const ast::FunctionEncoding& function) {
    printOpen();
    function.getParams().printWithComma(*this);
    printClose();
    const unsigned qualifiers = function.getCVQuals();
    if ((qualifiers & ast::QualConst) != 0) *this += " const";
    if ((qualifiers & ast::QualVolatile) != 0) *this += " volatile";
    if ((qualifiers & ast::QualRestrict) != 0) *this += " restrict";
    if (function.getRefQual() == ast::FrefQualLValue) *this += " &";
    else if (function.getRefQual() == ast::FrefQualRValue) *this += " &&";
  }

  void print_arguments(const ast::TemplateArgs& arguments) {
    const ast::ScopedOverride<bool> inside(TemplateTracker.InsideTemplate, true);
    *this += '<';
    arguments.match([&](ast::NodeArray all, const ast::Node*) { all.printWithComma(*this); });
    if (back() == '>') *this += ' ';
    *this += '>';
  }

  /// `.isra.34.part.35` are two: words, each with the numbers behind it.
  void print_clones(std::string_view suffix) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    while (!suffix.empty()) {
      std::size_t end = std::min(suffix.find('.', 1), suffix.size());
      while (end + 1 < suffix.size() && is_digit(suffix[end + 1]))
        end = std::min(suffix.find('.', end + 1), suffix.size());
      *this += " [clone ";
      *this += suffix.substr(0, end);
      *this += ']';
      suffix.remove_prefix(end);
    }
  }

  /// Of the types that have a suffix in C. All others have their type in front anyway.
  bool print_literal(const ast::IntegerLiteral& literal) {
    struct Row {
      std::string_view suffix, type;
    };
    static constexpr Row kRows[] = {{"u", "(unsigned int)"},
                                    {"l", "(long)"},
                                    {"ul", "(unsigned long)"},
                                    {"ll", "(long long)"},
                                    {"ull", "(unsigned long long)"}};
    bool printed = false;
    literal.match([&](std::string_view type, std::string_view value) {
      const auto* const row = std::ranges::find(kRows, type, &Row::suffix);
      if (row == std::end(kRows) || value.empty()) return;
      *this += row->type;
      if (value.front() == 'n') (*this += '-') += value.substr(1);
      else *this += value;
      printed = true;
    });
    return printed;
  }

  const bool as_symbolicator_, copies_;
  std::uint32_t depth_ = 0, steps_ = kMaxPrintSteps;
  std::uint32_t forgotten_ = 0;    // how often
  std::size_t last_copy_end_ = 0;  // of what may be copied
};

struct Free {
  void operator()(char* buffer) const { std::free(buffer); }
};

/// What one name leaves for the next: memory.
class Demangler {
 public:
  bool append(std::string& out, std::string_view name, Detail detail) {
    try {
      if (parse_and_print(out, name, detail, true)) return true;
      // Some compilers write parameters and return types that no demangler can read behind names that it can.
      return detail == Detail::no_parameters && parse_and_print(out, name, detail, false);
    } catch (const OutOfBounds&) {
      return false;
    }
  }

 private:
  bool parse_and_print(std::string& out, std::string_view name, Detail detail, bool with_parameters) {
    memory_.reset();
    Parser parser(name, memory_);
    const ast::Node* root = parser.parse(with_parameters);
    if (root != nullptr) print(out, *root, detail, parser.prints_the_same_everywhere());
    return root != nullptr;
  }

  void print(std::string& out, const ast::Node& root, Detail detail, bool copies) {
    Printer printer(text_.release(), capacity_, detail == Detail::symbolicator, copies);
    try {
      print(printer, root, detail);
      printer.check_size();
      out.append(printer);
    } catch (const OutOfBounds&) {
      keep(printer);
      throw;
    }
    keep(printer);
  }

  static void print(Printer& printer, const ast::Node& node, Detail detail) {
    if (detail == Detail::no_parameters && node.getKind() == ast::Node::KFunctionEncoding) {
      static_cast<const ast::FunctionEncoding&>(node).getName()->print(printer);
    } else if (detail == Detail::no_parameters && node.getKind() == ast::Node::KDotSuffix) {
      static_cast<const ast::DotSuffix&>(node).match([&](const ast::Node* prefix, std::string_view suffix) {
        print(printer, *prefix, detail);
        printer << " (" << suffix << ")";
      });
    } else {
      node.print(printer);
    }
  }

  void keep(Printer& printer) {
    text_.reset(printer.getBuffer());
    capacity_ = printer.getBufferCapacity();
    if (capacity_ <= kKeptText) return;
    text_.reset();
    capacity_ = 0;
  }

  static constexpr std::size_t kKeptText = 256u << 10;
  NodeMemory memory_;
  std::unique_ptr<char, Free> text_;
  std::size_t capacity_ = 0;
};

/// LLVM's parser of template parameters calls itself past our count, once for each of these.
bool nests_template_parameters(std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = name.find('T'); at != name.npos && at + 1 < name.size(); at = name.find('T', at + 1))
    if ((name[at + 1] == 't' || name[at + 1] == 'p') && ++count > kMaxDepth) return true;
  return false;
}

}  // namespace

bool append_itanium(std::string& out, std::string_view name, Detail detail) {
  thread_local Demangler demangler;
  return !nests_template_parameters(name) && demangler.append(out, name, detail);
}

}  // namespace symcached::demangle
