#include "fetch/curl_library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace symcached::fetch {
namespace {

constexpr const char* kLibrary = "libcurl.so.4";

[[noreturn]] void fail(const char* what) {
  const char* why = dlerror();
  throw std::runtime_error(std::string(what) + " cannot be loaded (" + (why != nullptr ? why : "no reason given") +
                           "); install the package libcurl4");
}

template <class Function>
void find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(dlsym(library, name));
  if (into == nullptr) fail(name);
}

CurlLibrary load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // stays loaded: its threads may outlive any owner
  if (library == nullptr) fail(kLibrary);
  CurlLibrary curl{};
  find(library, "curl_global_init", curl.global_init);
  find(library, "curl_free", curl.free);
  find(library, "curl_slist_append", curl.slist_append);
  find(library, "curl_slist_free_all", curl.slist_free_all);
  find(library, "curl_easy_init", curl.easy_init);
  find(library, "curl_easy_setopt", curl.easy_setopt);
  find(library, "curl_easy_getinfo", curl.easy_getinfo);
  find(library, "curl_easy_strerror", curl.easy_strerror);
  find(library, "curl_easy_header", curl.easy_header);
  find(library, "curl_easy_cleanup", curl.easy_cleanup);
  find(library, "curl_multi_init", curl.multi_init);
  find(library, "curl_multi_add_handle", curl.multi_add_handle);
  find(library, "curl_multi_remove_handle", curl.multi_remove_handle);
  find(library, "curl_multi_perform", curl.multi_perform);
  find(library, "curl_multi_poll", curl.multi_poll);
  find(library, "curl_multi_wakeup", curl.multi_wakeup);
  find(library, "curl_multi_info_read", curl.multi_info_read);
  find(library, "curl_multi_setopt", curl.multi_setopt);
  find(library, "curl_multi_strerror", curl.multi_strerror);
  find(library, "curl_multi_cleanup", curl.multi_cleanup);
  find(library, "curl_url", curl.url);
  find(library, "curl_url_set", curl.url_set);
  find(library, "curl_url_get", curl.url_get);
  find(library, "curl_url_strerror", curl.url_strerror);
  find(library, "curl_url_cleanup", curl.url_cleanup);
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("cannot initialise libcurl");
  return curl;
}

}  // namespace

const CurlLibrary& curl() {
  static const CurlLibrary library = load();
  return library;
}

}  // namespace symcached::fetch
