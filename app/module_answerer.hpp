#pragma once
/// Places in a module, as the command line and stdin ask for them.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/answerer.hpp"
#include "symbolize/managed_sources.hpp"
#include "symbolize/renderer.hpp"
#include "symbolize/section_place.hpp"

namespace symcached::app {

class ModuleAnswerer final : public Answerer {
 public:
  struct Options {
    symbolize::AnswerOptions answer;
    symbolize::TextStyle style;
    bool json = false;
    std::uint64_t image_base = 0;    ///< what addresses count from
    bool takes_rvas_too = false;     ///< addresses below the image base are RVAs
    std::uint32_t source_lines = 0;  ///< to print around each line of .NET
  };
  /// @param module, name  must outlive it
  /// @param sources       null: none
  ModuleAnswerer(const symbolize::Module& module, std::string_view name, const Options& options,
                 std::unique_ptr<symbolize::ManagedSources> sources);

  bool answer(std::string_view line, std::string& out) override;
  std::unique_ptr<Answerer> another() const override;

 private:
  /// Bytes. Demangling takes longer than all else, and who asks for many addresses asks for the same functions.
  static constexpr std::size_t kKeptNames = std::size_t{128} << 20;

  bool parse(std::string_view text, symbolize::Place& place) const;
  void complain(std::string_view text) const;
  symbolize::SourceText source_text() const;

  const symbolize::Module& module_;
  std::string_view name_;
  Options options_;
  symbolize::Renderer render_;
  symbolize::Sections sections_;
  std::unique_ptr<symbolize::ManagedSources> sources_;
  symbolize::Answer answer_{kKeptNames};
};

}  // namespace symcached::app
