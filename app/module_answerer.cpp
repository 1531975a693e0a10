#include "app/module_answerer.hpp"

#include <fmt/format.h>

#include "app/command_line.hpp"
#include "symbolize/render_llvm.hpp"

namespace symcached::app {

ModuleAnswerer::ModuleAnswerer(const symbolize::Module& module, std::string_view name, const Options& options,
                               std::unique_ptr<symbolize::ManagedSources> sources)
    : module_(module),
      name_(name),
      options_(options),
      render_(options.json ? symbolize::render_llvm_json : symbolize::render_llvm_text),
      sections_(module),
      sources_(std::move(sources)) {}

std::unique_ptr<Answerer> ModuleAnswerer::another() const {
  if (sources_) return nullptr;
  return std::make_unique<ModuleAnswerer>(module_, name_, options_, nullptr);
}

bool ModuleAnswerer::parse(std::string_view text, symbolize::Place& place) const {
  if (module_.is_managed()) {
    const auto method = symbolize::parse_method_place(text);
    if (method) place = *method;
    return method.has_value();
  }
  if (const auto in_section = symbolize::parse_section_place(text)) {
    const auto found = sections_.address(*in_section);
    if (found) place = *found;
    return found.has_value();
  }
  const auto address = symbolize::parse_address(text);
  // an address below the base is far behind the end
  const bool is_rva = address && options_.takes_rvas_too && *address < options_.image_base;
  if (address) place = model::Rva{is_rva ? *address : *address - options_.image_base};
  return address.has_value();
}

bool ModuleAnswerer::answer(std::string_view line, std::string& out) {
  const std::string_view text = trimmed(line);
  symbolize::Place place;
  if (parse(text, place)) {
    module_.ask(place, options_.answer, answer_);
    const symbolize::SourceText source = sources_ ? source_text() : symbolize::SourceText();
    render_({name_, place, options_.image_base, &answer_, &source}, options_.style, out);
    return true;
  }
  const std::string_view why = module_.is_managed() ? "not a method and an IL offset" : "not a hexadecimal address";
  const symbolize::Answer unknown;
  if (options_.json) symbolize::render_llvm_json_error(text, name_, why, out);
  else render_({name_, place, 0, &unknown}, options_.style, out);
  if (!text.empty()) complain(text);
  return text.empty();
}

void ModuleAnswerer::complain(std::string_view text) const {
  constexpr std::string_view kNoMethod =
      "is not METHOD:IL; write row or token, colon, IL offset, such as 4:26 or 0x06000004:0x1a";
  constexpr std::string_view kNoAddress = "is not a hexadecimal address of at most 64 bits";
  if (!module_.is_managed() && symbolize::parse_method_place(text))
    return app::complain("lookup", fmt::format("\"{}\": METHOD:IL needs a .NET file", text));
  if (const auto place = symbolize::parse_section_place(text); place && !module_.is_managed())
    return app::complain(
        "lookup",
        sections_.empty()
            ? fmt::format("\"{}\": SECTION+OFFSET needs an object file or a kernel module", text)
            : fmt::format("\"{}\": no section {} of code holds that offset; inspect lists them", text, place->section));
  app::complain("lookup", fmt::format("\"{}\" {}", text, module_.is_managed() ? kNoMethod : kNoAddress));
}

symbolize::SourceText ModuleAnswerer::source_text() const {
  symbolize::SourceText text;
  if (answer_.frames().empty() || answer_.frames().front().file.empty()) return text;
  const symbolize::Frame& frame = answer_.frames().front();
  if (const auto source = sources_->source(frame.file))
    text.lines = symbolize::numbered_lines(*source, frame.line, options_.source_lines);
  text.url = sources_->url_of(frame.file).value_or("");
  return text;
}

}  // namespace symcached::app
