/* A client of the SymCache protocol as profilers on Windows are built: WinHTTP, which follows redirects by itself.
 * Usage: winhttp_client.exe HOST PORT PATH FILE. Polls until there is a final answer; prints "STATUS CONTENT-TYPE" of
 * each; writes the body of a 200 to FILE. Exit status: 0 for a 200, 1 otherwise. */
#include <windows.h>
#include <winhttp.h>

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

enum { kMostPolls = 60, kMostText = 256 };

static int fail(const char* doing) {
  fprintf(stderr, "cannot %s: error %lu\n", doing, GetLastError());
  return 1;
}

/* An empty string where there is no such header. */
static void header(HINTERNET request, DWORD which, wchar_t* text) {
  DWORD size = kMostText * sizeof *text;
  if (!WinHttpQueryHeaders(request, which, WINHTTP_HEADER_NAME_BY_INDEX, text, &size, WINHTTP_NO_HEADER_INDEX))
    text[0] = L'\0';
}

static int save(HINTERNET request, const wchar_t* file) {
  char piece[16384];
  DWORD size = 0;
  FILE* out = _wfopen(file, L"wb");
  if (!out) return fail("create the file");
  do {
    if (!WinHttpReadData(request, piece, sizeof piece, &size)) return fail("read the body");
    if (fwrite(piece, 1, size, out) != size) return fail("write the file");
  } while (size != 0);
  return fclose(out) == 0 ? 0 : fail("write the file");
}

/* Seconds to wait before the next poll; 0: there is a final answer, and `status` has what to exit with. */
static int poll(HINTERNET server, const wchar_t* path, const wchar_t* file, int* status) {
  wchar_t code[kMostText], type[kMostText], after[kMostText];
  HINTERNET request = WinHttpOpenRequest(server, L"GET", path, NULL, WINHTTP_NO_REFERER, WINHTTP_DEFAULT_ACCEPT_TYPES, 0);
  *status = 1;
  if (!request || !WinHttpSendRequest(request, L"Allow-Retry-After: true\r\n", (DWORD)-1, NULL, 0, 0, 0) ||
      !WinHttpReceiveResponse(request, NULL))
    return fail("get an answer"), 0;
  header(request, WINHTTP_QUERY_STATUS_CODE, code);
  header(request, WINHTTP_QUERY_CONTENT_TYPE, type);
  header(request, WINHTTP_QUERY_RETRY_AFTER, after);
  printf("%ls %ls\n", code, type);
  if (wcscmp(code, L"200") == 0) *status = save(request, file);
  WinHttpCloseHandle(request);
  return wcscmp(code, L"404") == 0 && after[0] != L'\0' ? max(1, _wtoi(after)) : 0;
}

int wmain(int count, wchar_t** words) {
  int status = 1;
  if (count != 5) return fail("run without HOST PORT PATH FILE");
  HINTERNET session = WinHttpOpen(L"winhttp_client", WINHTTP_ACCESS_TYPE_NO_PROXY, NULL, NULL, 0);
  HINTERNET server = session ? WinHttpConnect(session, words[1], (INTERNET_PORT)_wtoi(words[2]), 0) : NULL;
  if (!server) return fail("connect");
  for (int polls = 0; polls < kMostPolls; ++polls) {
    const int seconds = poll(server, words[3], words[4], &status);
    if (seconds == 0) break;
    Sleep(1000 * (DWORD)seconds);
  }
  WinHttpCloseHandle(server);
  WinHttpCloseHandle(session);
  return status;
}
