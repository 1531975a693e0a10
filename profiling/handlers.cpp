#include "profiling/handlers.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>

#include "base/path_text.hpp"
#include "profiling/index_page.hpp"
#include "profiling/own_command.hpp"
#include "profiling/profile_pages.hpp"
#include "profiling/symbol_page.hpp"
#include "profiling/token.hpp"

namespace symcached::pprof {
namespace {

struct Asked {
  const PageRequest& request;
  Target target;
  Form form;
};

using Page = PageResponse (*)(const Asked&, const Sources&);

PageResponse index(const Asked&, const Sources&);

std::string program_name() {
  const std::string command = own_command();
  return std::string(last_path_part(std::string_view(command.c_str())));
}

/// The first line is the program to google-pprof, which takes it for the name of the profile.
PageResponse cmdline(const Asked& asked, const Sources&) {
  std::string command = own_command();
  if (asked.form == Form::legacy) std::ranges::replace(command, '\0', '\n');
  else command.pop_back();  // Go's has none behind the last argument
  return text_page(std::move(command));
}

/// GET says whether there are symbols at all, and names those in the query; POST names those in the body.
PageResponse symbol(const Asked& asked, const Sources& sources) {
  std::string addresses(asked.request.body), parameters;
  for (std::string_view rest = asked.target.query; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    std::string& list = one.find('=') == std::string_view::npos ? addresses : parameters;
    list.append("&").append(one);
  }
  auto query = Query::parse(parameters);
  if (!query) return refused(query.error());
  const auto demangle = query->number("demangle", 0, 1);
  if (!demangle) return refused(demangle.error());
  const auto inlines = query->number("inlines", 0, 1);
  if (!inlines) return refused(inlines.error());
  if (const auto unknown = query->unknown()) return refused(*unknown);
  const SymbolOptions options{.demangle = *demangle != 0, .inlines = *inlines != 0};
  auto lines = symbol_lines(addresses, *sources.naming, options, asked.request.stop);
  if (!lines) return refused(lines.error());
  if (asked.request.method == "POST") return text_page(*std::move(lines));
  return text_page("num_symbols: " + std::to_string(sources.naming->symbol_count()) + "\n" + *lines);
}

/// `go tool pprof host:port` of newer versions asks for / with its parameters; people ask for it without.
template <PageResponse (*Make)(ProfileRequest, const Sources&)>
PageResponse profile(const Asked& asked, const Sources& sources) {
  auto query = Query::parse(asked.target.query);
  if (!query) return refused(query.error());
  return Make({*std::move(query), asked.form, last_path_part(asked.target.path), asked.request.stop,
               asked.request.method == "HEAD"},
              sources);
}

PageResponse root(const Asked& asked, const Sources& sources) {
  const auto query = Query::parse(asked.target.query);
  return query && query->has("seconds") ? profile<cpu_page>(asked, sources) : index(asked, sources);
}

constexpr std::string_view kReading = "GET, HEAD";
constexpr std::string_view kAsking = "GET, HEAD, POST";

struct Row {
  std::string_view path;
  Form form;
  Page page;
  std::string_view methods;
  std::string_view what;  ///< on the index page; empty: another name of a page
};

constexpr Row kRows[] = {
    {"/", Form::proto, root, kReading, ""},
    {"/debug/pprof", Form::proto, index, kReading, ""},
    {"/debug/pprof/", Form::proto, index, kReading, ""},
    {"/debug/pprof/profile", Form::proto, profile<cpu_page>, kReading, "CPU time; 30 s, or ?seconds=N&frequency=HZ"},
    {"/debug/pprof/heap", Form::proto, profile<heap_page>, kReading,
     "memory in use; with ?seconds=N what changes in that time"},
    {"/debug/pprof/allocs", Form::proto, profile<allocs_page>, kReading,
     "the same, showing all that was ever allocated first"},
    {"/debug/pprof/growth", Form::proto, profile<growth_page>, kReading, "memory that was taken from the system"},
    {"/debug/pprof/mutex", Form::proto, profile<contention_page>, kReading,
     "waits for locks; with ?seconds=N those of that time"},
    {"/debug/pprof/block", Form::proto, profile<contention_page>, kReading, ""},
    {"/debug/pprof/contention", Form::proto, profile<contention_page>, kReading, ""},
    {"/debug/pprof/pmuprofile", Form::proto, profile<pmu_page>, kReading,
     "events of the CPU or the kernel: ?event=NAME&period=N&seconds=N; ?list=1 for those that work here"},
    {"/debug/pprof/threads", Form::proto, profile<threads_page>, kReading, "where each thread is now"},
    {"/debug/pprof/threads?debug=1", Form::text, nullptr, kReading, "the same as text, as all of these with ?debug=1"},
    {"/debug/pprof/cmdline", Form::proto, cmdline, kReading, "how this program was started"},
    {"/debug/pprof/symbol", Form::proto, symbol, kAsking, "names of addresses: ?0x1234+0x5678, or in a POST"},
    {"/pprof", Form::legacy, index, kReading, ""},
    {"/pprof/", Form::legacy, index, kReading, ""},
    {"/pprof/profile", Form::legacy, profile<cpu_page>, kReading, "CPU time"},
    {"/pprof/pmuprofile", Form::legacy, profile<pmu_page>, kReading, "events of the CPU or the kernel"},
    {"/pprof/heap", Form::legacy, profile<heap_page>, kReading, "memory in use"},
    {"/pprof/growth", Form::legacy, profile<growth_page>, kReading, "memory that was taken from the system"},
    {"/pprof/contention", Form::legacy, profile<contention_page>, kReading, "waits for locks"},
    {"/pprof/threads", Form::text, profile<threads_page>, kReading, "where each thread is now, as text"},
    {"/pprof/cmdline", Form::legacy, cmdline, kReading, "how this program was started"},
    {"/pprof/symbol", Form::legacy, symbol, kAsking, "names of addresses"},
    {"/pprof/symbolz", Form::legacy, symbol, kAsking, ""},
    {"/symbolz", Form::legacy, symbol, kAsking, ""},
};

PageResponse index(const Asked& asked, const Sources&) {
  auto query = Query::parse(asked.target.query);
  if (!query) return refused(query.error());
  if (const auto unknown = query->unknown()) return refused(*unknown);
  std::vector<IndexRow> links;
  for (const Row& row : kRows)
    if (!row.what.empty()) links.push_back({row.path, row.what});
  PageResponse page = text_page(index_html(program_name(), links));
  page.headers.front().second = "text/html; charset=utf-8";
  return page;
}

const Row* row_of(std::string_view path) {
  const auto* const found =
      std::ranges::find_if(kRows, [&](const Row& r) { return r.page != nullptr && r.path == path; });
  return found == std::end(kRows) ? nullptr : found;
}

bool lists(std::string_view methods, std::string_view method) {
  const bool is_word = !method.empty() && method.find(',') == std::string_view::npos;
  const std::size_t at = is_word ? methods.find(method) : std::string_view::npos;
  if (at == std::string_view::npos) return false;
  const std::string_view rest = methods.substr(at + method.size());
  return (at == 0 || methods[at - 1] == ' ') && (rest.empty() || rest.front() == ',');
}

/// Any of the media types that are in use for profile.proto.
bool wants_proto(std::string_view accept) { return accept.find("protobuf") != std::string_view::npos; }

/// When there may be no memory for more.
PageResponse failed(std::string_view why) noexcept {
  PageResponse page;
  page.status = 503;
  try {
    page = refused({503, std::string(why), 5});
  } catch (...) {  // the status says enough
  }
  return page;
}

}  // namespace

Handlers::Handlers(Sources sources, std::string token) : sources_(std::move(sources)), token_(std::move(token)) {}

bool Handlers::is_page(std::string_view target) { return row_of(split_target(target).path) != nullptr; }

PageResponse Handlers::handle(const PageRequest& request) const noexcept {
  try {
    return answer(request);
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& error) {
    return failed(error.what());
  } catch (...) {
    return failed("internal error");
  }
}

PageResponse Handlers::answer(const PageRequest& request) const {
  if (!token_.empty() && !carries_token(request.authorization, token_)) {
    PageResponse page = refused({401,
                                 "this server wants its token: http://user:TOKEN@host:port/..., or a header\n"
                                 "Authorization: Bearer TOKEN"});
    page.headers.emplace_back("WWW-Authenticate", "Basic realm=\"pprof\"");
    page.headers.emplace_back("WWW-Authenticate", "Bearer");
    return page;
  }
  const Target target = split_target(request.target);
  const Row* row = row_of(target.path);
  if (row == nullptr) return refused({404, "no such page; see /debug/pprof/ for those that there are"});
  if (!lists(row->methods, request.method)) {
    PageResponse page = refused({405, "this page takes " + std::string(row->methods) + " only"});
    page.headers.emplace_back("Allow", row->methods);
    return page;
  }
  if (request.body.size() > kMaxBody) return refused({413, "the body is larger than 64 MB; ask for less at a time"});
  const Form form = row->form == Form::legacy && wants_proto(request.accept) ? Form::proto : row->form;
  return row->page({request, target, form}, sources_);
}

}  // namespace symcached::pprof
