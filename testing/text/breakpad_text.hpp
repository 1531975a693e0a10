#pragma once
/// Small symbol files for tests and stored fuzz inputs.
#include <string_view>

namespace symcached::testkit {

/// Every record there is, in every form.
inline constexpr std::string_view kRichSymbols =
    "MODULE windows x86_64 3249D99D0C4049318610F4E4FB0B69361a a program.pdb\n"
    "INFO CODE_ID 5AB380779000 a program.exe\n"
    "INFO GENERATOR by hand\n"
    "FILE 0 c:\\src\\main.cpp\n"
    "FILE 7 /src/with blanks.h\n"
    "FILE 4000000000 /src/far.h\n"
    "INLINE_ORIGIN 0 inner(int)\n"
    "INLINE_ORIGIN 3 outer<int, int>\n"
    "FUNC 1000 40 0 main\n"
    "INLINE 0 12 0 3 1008 10 1020 8\n"
    "INLINE 0 14 0 0 1030 4\n"
    "INLINE 1 70 7 0 1008 4 1022 2\n"
    "1000 8 10 0\n"
    "1008 4 80 7\n"
    "100c c 71 7\n"
    "1020 8 72 4000000000\n"
    "1028 8 13 0\n"
    "1030 4 81 7\n"
    "1038 4 15 0\n"
    "FUNC m 1040 10 8 folded() const\n"
    "1040 0 1 0\n"
    "1040 10 2 0\n"
    "FUNC 1050 20 old\n"
    "1050 20 5\n"
    "PUBLIC 1040 0 alias\n"
    "PUBLIC 1044 0 inside\n"
    "PUBLIC 2000 0 first public\n"
    "PUBLIC m 2010 c second public(void)\n"
    "STACK CFI INIT 2000 30 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
    "STACK CFI 2001 .cfa: $rsp 16 +\n"
    "STACK WIN 4 1000 40 1 0 0 0 0 0 1 $eip 4 + ^ =\n";

inline constexpr std::string_view kNonsenseSymbols =
    "MODULE Linux arm64 000000000000000000000000000000000 x\r\n"
    "1000 8 10 0\n"
    "INLINE 5 1 1 1 0 ffffffffffffffff\n"
    "FUNC fffffffffffffff0 ffffffffffffffff 0 \r\n"
    "INLINE 0 1 1 1 0 ffffffffffffffff fffffffffffffff8 10\n"
    "INLINE 0 1 1 1 fffffffffffffff0 ffffffffffffffff\n"
    "INLINE 1 1 1 2 fffffffffffffff0 2 fffffffffffffff1 4\n"
    "fffffffffffffff4 ffffffffffffffff 4294967295 9\n"
    "fffffffffffffff0 8 1 9\n"
    "FUNC 0 0 0 nothing\n"
    "PUBLIC ffffffffffffffff 0 last\n"
    "STACK CFI INIT ffffffffffffffff ffffffffffffffff .cfa: x\n"
    "NEWER record of which nothing is known\n";

}  // namespace symcached::testkit
