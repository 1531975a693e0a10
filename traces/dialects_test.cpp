/// A sample of each dialect: what is asked about it, and how the line reads afterwards.
#include <gtest/gtest.h>

#include "traces/rewriter.hpp"
#include "traces/stub_frames.hpp"

namespace symcached::traces {
namespace {

struct Sample {
  std::string_view dialect;
  std::string_view before;  ///< lines above it, which say something of it
  std::string_view line;
  std::string_view asked;  ///< empty: nothing
  std::string_view text;   ///< what becomes of the line; empty: it stays
};

/// The inlined call is poke at a.c:8:3, the function outer at b.c:9:1.
void check(std::span<const Sample> samples) {
  for (const Sample& s : samples) {
    testkit::StubFrames frames;
    std::string out;
    Rewriter rewriter(frames, Output::text, [&](std::string_view text) { out += text; });
    rewriter.feed(std::string(s.before) + std::string(s.line) + "\n");
    rewriter.finish();
    EXPECT_EQ(frames.asked.empty() ? "" : frames.asked.back(), s.asked) << s.line;
    EXPECT_EQ(out, std::string(s.before) + std::string(s.text.empty() ? s.line : s.text) + "\n") << s.line;
    EXPECT_EQ(rewriter.tally().frames.contains(s.dialect), !s.dialect.empty()) << s.line << " is " << s.dialect;
  }
}

constexpr std::string_view kMap = "00400000-00500000 r-xp 00001000 fe:00 12   /opt/a/srv\n";

TEST(Dialects, LinuxUserSpace) {
  const Sample samples[] = {
      {"gdb", kMap, "#2  0x0000000000401198 in ?? () from /opt/a/libcb.so", "F 0x2198 /opt/a/srv before",
       "                          poke at a.c:8:3 [inlined]\n"
       "#2  0x0000000000401198 in outer () from /opt/a/libcb.so at b.c:9:1"},
      {"gdb", "", "#0  0x00007f21c0a4111b in cb_entry () from /opt/a/libcb.so", "A 0x7f21c0a4111b /opt/a/libcb.so at",
       "                          poke at a.c:8:3 [inlined]\n"
       "#0  0x00007f21c0a4111b in cb_entry () from /opt/a/libcb.so at b.c:9:1"},
      {"gdb", "", "#1  0x00007f21c0a4111b in run (n=1) at /s/a.c:12", "", ""},
      {"", "", "#1  run (n=1) at /s/a.c:12", "", ""},
      {"gdb", "#1  <signal handler called>\n", "#2  0x00007f21c0a4111b in ?? ()", "A 0x7f21c0a4111b - at",
       "                          poke at a.c:8:3 [inlined]\n#2  0x00007f21c0a4111b in outer () at b.c:9:1"},
      {"lldb", "", "  * frame #1: 0x00007f21c0a4111b libcb.so`cb_entry + 11", "N cb_entry+0xb libcb.so before",
       "                                          poke at a.c:8:3 [inlined]\n"
       "  * frame #1: 0x00007f21c0a4111b libcb.so`cb_entry + 11 at b.c:9:1"},
      {"lldb", "[  0] 4F2C0A1B-0000-0000-0000-000000000001-AABBCCDD 0x00007f21c0a40000 /opt/a/libcb.so\n",
       "    frame #1: 0x00007f21c0a4111b libcb.so`___lldb_unnamed_symbol3 + 11",
       "B 0x111b /opt/a/libcb.so before 4f2c0a1b000000000000000000000001aabbccdd",
       "                                          poke at a.c:8:3 [inlined]\n"
       "    frame #1: 0x00007f21c0a4111b libcb.so`outer at b.c:9:1"},
      {"lldb", "", "    frame #2: 0x00007f21c0a4111b srv`main at a.c:3:5", "", ""},
      {"backtrace_symbols", "", "/opt/a/srv(+0x1198) [0x5623fbf08198]", "V 0x1198 /opt/a/srv before",
       "    poke at a.c:8:3 [inlined]\n/opt/a/srv(+0x1198) [0x5623fbf08198] in outer at b.c:9:1"},
      {"backtrace_symbols", "", "./my app (x86)/srv(main+0x9)[0x5623fbf08198]", "N main+0x9 ./my app (x86)/srv before",
       "                   poke at a.c:8:3 [inlined]\n./my app (x86)/srv(main+0x9)[0x5623fbf08198] in outer at "
       "b.c:9:1"},
      {"backtrace_symbols", "", "./srv() [0x401198]", "A 0x401198 ./srv before",
       "    poke at a.c:8:3 [inlined]\n./srv() [0x401198] in outer at b.c:9:1"},
      {"coredumpctl", "Found module /opt/a/srv with build-id: 4f2c0a1b\n",
       "#1  0x00005611f0d6b3c8 n/a (/opt/a/srv + 0x13c8)", "B 0x13c8 /opt/a/srv before 4f2c0a1b",
       "                       poke at a.c:8:3 [inlined]\n"
       "#1  0x00005611f0d6b3c8 outer (/opt/a/srv + 0x13c8) at b.c:9:1"},
      {"coredumpctl", "Module libcb.so with build-id AABB\n",
       "Jan 31 12:00:00 host systemd-coredump[9]: #0  0x00005611f0d6b3c8 run (libcb.so + 0x13c8)",
       "B 0x13c8 libcb.so at aabb",
       "Jan 31 12:00:00 host systemd-coredump[9]:                        poke at a.c:8:3 [inlined]\n"
       "Jan 31 12:00:00 host systemd-coredump[9]: #0  0x00005611f0d6b3c8 run (libcb.so + 0x13c8) at b.c:9:1"},
      {"valgrind", "", "==812==    by 0x1093C7: ??? (in /opt/a/srv)", "A 0x1093c7 from 0x108000 /opt/a/srv at",
       "==812==                 poke at a.c:8:3 [inlined]\n==812==    by 0x1093C7: outer (in /opt/a/srv) at b.c:9:1"},
      {"valgrind", "", "==812==    at 0x48E7EEC: abort (abort.c:79)", "", ""},
      {"LLVM stack dump", "", " #2 0x00007f21c1b84b00 (/opt/l/libLLVM.so+0x4de84b0)",
       "V 0x4de84b0 /opt/l/libLLVM.so before",
       "                       poke at a.c:8:3 [inlined]\n"
       " #2 0x00007f21c1b84b00 outer (/opt/l/libLLVM.so+0x4de84b0) at b.c:9:1"},
      {"boost", "", " 1# 0x000055F1024AA454 in ./srv", "A 0x55f1024aa454 ./srv before",
       "                      poke at a.c:8:3 [inlined]\n 1# 0x000055F1024AA454 outer in ./srv at b.c:9:1"},
      {"libunwind", "", "0x55eaed98b2ad: (main+0x9)", "N main+0x9 - before",
       "                 poke at a.c:8:3 [inlined]\n0x55eaed98b2ad: (main+0x9) at b.c:9:1"},
  };
  check(samples);
}

TEST(Dialects, FramesOfTwoLines) {
  testkit::StubFrames frames;
  std::string out;
  Rewriter rewriter(frames, Output::text, [&](std::string_view text) { out += text; });
  rewriter.feed(
      "TID 9:\n#0  0x00005611f0d6b3c8 - /opt/a/srv\n    [4F2C]@0x55fa1a2b1000+0x13c8\n"
      "#1  0x00005611f0d6b3d0 run - /opt/a/srv\n    [4F2C]@0x55fa1a2b1000+0x13cf\n");
  rewriter.finish();
  EXPECT_EQ(frames.asked, (std::vector<std::string>{"B 0x13c8 /opt/a/srv at 4f2c", "B 0x13cf /opt/a/srv at 4f2c"}));
  EXPECT_NE(out.find("#0  0x00005611f0d6b3c8 outer - /opt/a/srv at b.c:9:1\n"), out.npos) << out;
}

TEST(Dialects, AddressesWithoutModules) {
  testkit::StubFrames frames;
  std::string out;
  Rewriter rewriter(frames, Output::text, [&](std::string_view text) { out += text; });
  rewriter.feed("#1 0x5611f0d6b3c8 <unknown>\n#2 0x5611f0d6b3d0 base::Run()\n");
  rewriter.finish();
  EXPECT_EQ(frames.asked, (std::vector<std::string>{"A 0x5611f0d6b3c8 - before", "A 0x5611f0d6b3d0 - before"}));
  EXPECT_NE(out.find("#1 0x5611f0d6b3c8 outer at b.c:9:1\n"), out.npos) << out;
  EXPECT_NE(out.find("#2 0x5611f0d6b3d0 base::Run() at b.c:9:1\n"), out.npos) << out;
}

TEST(Dialects, WeakOnesNeedAnotherLine) {
  constexpr std::string_view kFrame = "    @     0x56308f1b7189  (unknown)\n";
  for (const auto& [text, asked] :
       {std::pair{std::string(kFrame), 0}, {"*** SIGSEGV ***\nPC: @ 0x401100 (unknown)\n" + std::string(kFrame), 2}}) {
    testkit::StubFrames frames;
    std::string out;
    Rewriter rewriter(frames, Output::text, [&](std::string_view part) { out += part; });
    rewriter.feed(text);
    rewriter.finish();
    EXPECT_EQ(frames.asked.size(), static_cast<std::size_t>(asked)) << out;
  }
}

TEST(Dialects, Sanitizers) {
  const Sample samples[] = {
      {"sanitizer", "", "    #1 0x7f21c0a4111a  (/opt/a/c++/libcb.so+0x111a) (BuildId: 4f2c)",
       "V 0x111a /opt/a/c++/libcb.so at 4f2c",
       "                      poke at a.c:8:3 [inlined]\n"
       "    #1 0x7f21c0a4111a in outer (/opt/a/c++/libcb.so+0x111a) (BuildId: 4f2c) at b.c:9:1"},
      {"sanitizer", "", "    #1 0x7f21c0a4111a in run(int) (/opt/a/libcb.so+0x111a)", "V 0x111a /opt/a/libcb.so at",
       "                         poke at a.c:8:3 [inlined]\n"
       "    #1 0x7f21c0a4111a in run(int) (/opt/a/libcb.so+0x111a) at b.c:9:1"},
      {"sanitizer", "", "    #0 <null> <null> (libcb.so+0x111a)", "V 0x111a libcb.so at",
       "       poke at a.c:8:3 [inlined]\n    #0 outer (libcb.so+0x111a) at b.c:9:1"},
      {"sanitizer summary", "", "SUMMARY: AddressSanitizer: heap-use-after-free (/opt/a/srv+0x13c7) ",
       "V 0x13c7 /opt/a/srv at",
       "    poke at a.c:8:3 [inlined]\n"
       "SUMMARY: AddressSanitizer: heap-use-after-free (/opt/a/srv+0x13c7) in outer at b.c:9:1 "},
      {"", "", "    #1 0x7f21c0a4111a in main /s/a.c:3:5", "", ""},
  };
  for (Sample s : samples) {
    std::string text(s.text);  // lines of inlined calls end as the frame's own does
    if (s.line.ends_with(' ')) text.insert(text.find('\n'), " ");
    s.text = text;
    check(std::span(&s, 1));
  }
}

TEST(Dialects, Runtimes) {
  const Sample samples[] = {
      {"rust", kMap, "  12:           0x401134 - <unknown>", "F 0x2134 /opt/a/srv before",
       "                           poke at a.c:8:3 [inlined]\n  12:           0x401134 - outer at b.c:9:1"},
      {"go", kMap, "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x401134]", "F 0x2134 /opt/a/srv at",
       "    poke at a.c:8:3 [inlined]\n"
       "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x401134] in outer at b.c:9:1"},
      {"go", "", "non-Go function at pc=401134", "A 0x401134 - before",
       "    poke at a.c:8:3 [inlined]\nnon-Go function at pc=401134 in outer at b.c:9:1"},
      {"", "", "main.mid(0x98?)", "", ""},
      {"addresses", kMap, "0x401134", "F 0x2134 /opt/a/srv at",
       "    poke at a.c:8:3 [inlined]\n0x401134 outer at b.c:9:1"},
      {"addresses", kMap, "401134, 401200", "F 0x2200 /opt/a/srv before", "401134 outer;poke, 401200 outer;poke"},
      {"", kMap, "0x7f21c0a4111b", "", ""},
      {"", "", "0x401134", "", ""},
      {".NET", "", "   at A.M(Int32 n) in app.dll:token 0x6000004+0x1a \r", "T 0x6000004 app.dll at",
       "   at A.M(Int32 n) in b.c:line 9 \r"},
      {".NET", "", "   at F.Items(Int32 n)+MoveNext() in x y.dll:token 0x600001E+0x37", "T 0x600001e x y.dll at",
       "   at F.Items(Int32 n)+MoveNext() in b.c:line 9"},
      {".NET", "", "   at F.Items()+Other() in a.dll:token 0x6000020+0x0", "", ""},
      {"", "", "   at P.Main() in app.dll:token 0x2000004+0x1", "", ""},
      {"", "", "   at P.Main() in app.dll:token 0x6000004+0x1g", "", ""},
      {"", "", "   at P.Main() in app.dll:token 0x60000000000000004+0x1", "", ""},
      {"", "", "in app.dll:token 0x6000004", "", ""},
  };
  check(samples);
}

TEST(Dialects, Kernel) {
  const Sample samples[] = {
      {"kernel", "", "[   12.345678] [  T123]  ? foo_work+0x12/0x80 [mod 4f2c]", "N foo_work+0x12/0x80 mod before 4f2c",
       "[   12.345678] [  T123]    poke at a.c:8:3 [inlined]\n"
       "[   12.345678] [  T123]  ? foo_work+0x12/0x80 [mod 4f2c] at b.c:9:1"},
      {"kernel", "", "[<0>] vfs_read+0xbb/0x360", "N vfs_read+0xbb/0x360 vmlinux before",
       "      poke at a.c:8:3 [inlined]\n[<0>] vfs_read+0xbb/0x360 at b.c:9:1"},
      {"kernel", "CPU: 0 PID: 1 Comm: swapper 6.1.0 #1 000102030405060708090a0b0c0d0e0f10111213\n",
       "<4>[    1.5]  g+0x1/0x40 (P)", "N g+0x1/0x40 vmlinux at 000102030405060708090a0b0c0d0e0f10111213",
       "<4>[    1.5]  poke at a.c:8:3 [inlined]\n<4>[    1.5]  g+0x1/0x40 (P) at b.c:9:1"},
      {"kernel register", "", "[    1.5] RIP: 0010:foo+0x12/0x80", "N foo+0x12/0x80 vmlinux at",
       "[    1.5]           poke at a.c:8:3 [inlined]\n[    1.5] RIP: 0010:foo+0x12/0x80 at b.c:9:1"},
      {"kernel register", "", "lr : f+0x10/0x40 [mod]", "N f+0x10/0x40 mod before",
       "     poke at a.c:8:3 [inlined]\nlr : f+0x10/0x40 [mod] at b.c:9:1"},
      {"kernel", "", " foo+0x1/0x2 kernel/file.c:3", "", ""},
      {"", "", "Code: 48 89 e5 foo+0x12/0x80 ff", "", ""},
      {"", "", "RAX: 0000000000000000 RBX: ffff888100000000", "", ""},
  };
  check(samples);
}

TEST(Dialects, Profilers) {
  const Sample samples[] = {
      {"perf script", "srv 1 [000] 5.5: 1 cycles:\n", "\t             73e [unknown] (/opt/a/srv)",
       "F 0x73e /opt/a/srv at",
       "\t                 poke at a.c:8:3 [inlined]\n\t             73e outer (/opt/a/srv) at b.c:9:1"},
      {"perf script", "", "\tffffffff8226e3e1 do_it+0x11 ([kernel.kallsyms])", "N do_it+0x11 vmlinux at",
       "\t                 poke at a.c:8:3 [inlined]\n"
       "\tffffffff8226e3e1 do_it+0x11 ([kernel.kallsyms]) at b.c:9:1"},
      {"perf script", "srv 1 5.5: PERF_RECORD_MMAP2 1/1: [0x7f0000001000(0x1000) @ 0x1000 fe:00 7 0]: r-xp /opt/b\n",
       "\t    7f0000001010 [unknown] (/opt/b)", "F 0x7f0000001010 or 0x1010 /opt/b at",
       "\t                 poke at a.c:8:3 [inlined]\n\t    7f0000001010 outer (/opt/b) at b.c:9:1"},
      {"perf script event", "", "srv 60 [001] 50.06:  25 cpu-clock:pppH:   73e [unknown] (/opt/a/srv)",
       "F 0x73e /opt/a/srv at",
       "                                              poke at a.c:8:3 [inlined]\n"
       "srv 60 [001] 50.06:  25 cpu-clock:pppH:   73e outer (/opt/a/srv) at b.c:9:1"},
      {"bpftrace", "@[\n", "    do_it+18", "N do_it+0x12 vmlinux at",
       "    poke at a.c:8:3 [inlined]\n    do_it+18 at b.c:9:1"},
      {"folded", "", "srv;main;libcb.so+0x111b;leaf 12", "B 0x111b libcb.so before", "srv;main;outer;poke;leaf 12"},
      {"folded", "", "srv;0x55bac0330134 12", "A 0x55bac0330134 - at", "srv;outer;poke 12"},
      {"", "", "srv;main;leaf 12", "", ""},
  };
  check(samples);
}

TEST(Dialects, OnlyTheFirstFrameOfAStackIsExact) {
  testkit::StubFrames frames;
  Rewriter rewriter(frames, Output::text, [](std::string_view) {});
  rewriter.feed(
      "srv 1 [000] 5.5: 1 cycles:\n\t 700 poke (inlined)\n\t 700 leaf+0x2 (/opt/a)\n\t 73e main+0x12 (/opt/a)\n\n"
      "srv 1 [000] 5.6: 1 cycles:\n\t 73e main+0x12 (/opt/a)\n\n"
      "@[\n    f+1\n    g+2\n]: 7\n    h+3\n");
  rewriter.finish();
  EXPECT_EQ(frames.asked, (std::vector<std::string>{"F 0x700 /opt/a at", "F 0x73e /opt/a before", "F 0x73e /opt/a at",
                                                    "N f+0x1 vmlinux at", "N g+0x2 vmlinux before"}));
}

TEST(Dialects, Windows) {
  const Sample samples[] = {
      {"module+offset", "", "srv.exe+0x1a2b3", "B 0x1a2b3 srv.exe before",
       "    poke at a.c:8:3 [inlined]\nsrv.exe+0x1a2b3 outer at b.c:9:1"},
      {"module+offset", "", "  at c:\\my app\\run.dll+1A2B", "B 0x1a2b c:\\my app\\run.dll before",
       "      poke at a.c:8:3 [inlined]\n  at c:\\my app\\run.dll+1A2B outer at b.c:9:1"},
      {"event log", "Faulting module name: srv.dll, version: 1.0\n", "Fault offset: 0x000000000001a2b3",
       "B 0x1a2b3 srv.dll at", "    poke at a.c:8:3 [inlined]\nFault offset: 0x000000000001a2b3 outer at b.c:9:1"},
      {"WinDbg", "", "03 000000e1`4d2ff8c0 00007ff7`1c2a10f4     srv!run+0x5c", "N run+0x5c srv before",
       "                                               poke at a.c:8:3 [inlined]\n03 000000e1`4d2ff8c0 "
       "00007ff7`1c2a10f4     srv!run+0x5c at b.c:9:1"},
      {"WinDbg", "", "00 0019f8c0 771c2a10 srv+0x5c", "B 0x5c srv at",
       "    poke at a.c:8:3 [inlined]\n00 0019f8c0 771c2a10 srv+0x5c outer at b.c:9:1"},
      {"WinDbg", "", "03 000000e1`4d2ff8c0 00007ff7`1c2a10f4 srv!run+0x5c [c:\\s\\w.cpp @ 441]", "", ""},
      {"Visual Studio", "", ">\tuser32.dll!00007ff9b1c02f40()\tUnknown", "A 0x7ff9b1c02f40 user32.dll at",
       " \t           poke at a.c:8:3 [inlined]\n>\tuser32.dll!outer()\tUnknown at b.c:9:1"},
      {"xperf", "I-Start, 1, srv.exe (4), 0x00007ff71c2a0000, 0x00007ff71c300000, 0x0, 0x0, srv.exe\n",
       "  Stack, 88120, 4410, 2, 0x00007ff71c2a10f4, srv.exe!0x00007ff71c2a10f4", "B 0x10f4 srv.exe before",
       "  Stack, 88120, 4410, 2, 0x00007ff71c2a10f4, srv.exe!outer;poke"},
  };
  check(samples);
}

TEST(Dialects, AndroidBreakpadApple) {
  const Sample samples[] = {
      {"android", "", "    #03 pc 0000000000052f8c  /system/lib64/libc.so (abort+160) (BuildId: 5f1e)",
       "V 0x52f8c /system/lib64/libc.so at 5f1e",
       "                                                    poke at a.c:8:3 [inlined]\n"
       "    #03 pc 0000000000052f8c  /system/lib64/libc.so (abort+160) (BuildId: 5f1e) at b.c:9:1"},
      {"android", "", "F/DEBUG   (  812): #00 pc 00052f8c  /d/base.apk!libx.so (offset 0x1000) (BuildId: 5f1e)",
       "V 0x52f8c libx.so at 5f1e",
       "F/DEBUG   (  812):                                     poke at a.c:8:3 [inlined]\n"
       "F/DEBUG   (  812): #00 pc 00052f8c  /d/base.apk!libx.so (outer) (offset 0x1000) (BuildId: 5f1e) at b.c:9:1"},
      {"minidump_stackwalk", "", " 1  libcb.so + 0x111b", "B 0x111b libcb.so before",
       "     poke at a.c:8:3 [inlined]\n 1  libcb.so + 0x111b outer at b.c:9:1"},
      {"minidump_stackwalk -m", "Module|libcb.so|1|libcb.so|4F2C0A1B4F2C0A1B4F2C0A1B4F2C0A1B0|0x1000|0x2000|0\n",
       "0|1|libcb.so||||0x111b", "B 0x111b libcb.so before 4F2C0A1B4F2C0A1B4F2C0A1B4F2C0A1B0",
       "0|1|libcb.so|outer|b.c|9|0x111b"},
      {"apple crash", "", "3   Srv Helper   0x0000000104a16560 0x104a10000 + 25952", "B 0x6560 Srv Helper before",
       "                                    poke at a.c:8:3 [inlined]\n"
       "3   Srv Helper   0x0000000104a16560 outer at b.c:9:1"},
      {"apple crash", "0x104a10000 - 0x104a1bfff +Srv (1.0) <4f2c0a1b-0000> /opt/Srv\n",
       "0   Srv   0x0000000104a16560 main + 36", "B 0x6560 /opt/Srv at 4f2c0a1b0000",
       "                             poke at a.c:8:3 [inlined]\n0   Srv   0x0000000104a16560 main + 36 at b.c:9:1"},
      {"sample", "", "   + ! 37 ???  (in Srv)  load address 0x104a10000 + 0x6560  [0x104a16560]", "B 0x6560 Srv before",
       "   + ! 37 outer  (in Srv)  load address 0x104a10000 + 0x6560  [0x104a16560] at b.c:9:1\n"
       "          poke at a.c:8:3 [inlined]"},
      {"spindump", "", "  15  ??? (<4F2C0A1B-00> + 40960) [0xfffffe0007a1c000]", "B 0xa000 - before 4f2c0a1b00",
       "  15  outer (<4F2C0A1B-00> + 40960) [0xfffffe0007a1c000] at b.c:9:1\n      poke at a.c:8:3 [inlined]"},
      {"spindump", "", " *15  ??? (kernel + 40960) [0xfffffe0007a1c000]", "B 0xa000 kernel before",
       " *15  outer (kernel + 40960) [0xfffffe0007a1c000] at b.c:9:1\n      poke at a.c:8:3 [inlined]"},
  };
  check(samples);
}

TEST(Dialects, LeavesOfATreeOfCallersAreExact) {
  testkit::StubFrames frames;
  Rewriter rewriter(frames, Output::text, [](std::string_view) {});
  rewriter.feed(
      "    9 ???  (in Srv)  load address 0x1000 + 0x10  [0x1010]\n"
      "    + 6 ???  (in Srv)  load address 0x1000 + 0x20  [0x1020]\n"
      "    + ! 6 ???  (in Srv)  load address 0x1000 + 0x30  [0x1030]\n"
      "    + 3 ???  (in Srv)  load address 0x1000 + 0x40  [0x1040]\n"
      "\nSort by top of stack\n");
  rewriter.finish();
  EXPECT_EQ(frames.asked,
            (std::vector<std::string>{"B 0x10 Srv before", "B 0x20 Srv before", "B 0x30 Srv at", "B 0x40 Srv at"}));
}

TEST(Dialects, Markup) {
  constexpr std::string_view kModules =
      "{{{reset}}}\n{{{module:0:srv:elf:4f2c0a1b}}}\n{{{mmap:0x7000:0x2000:load:0:rx:0x1000}}}\n";
  const Sample samples[] = {
      {"markup", kModules, "  {{{bt:1:0x7111:ra}}}", "V 0x1111 srv before 4f2c0a1b",
       "  poke at a.c:8:3 [inlined]\n  outer at b.c:9:1"},
      {"markup", kModules, "[1.5] {{{bt:0:0x7111:pc}}}", "V 0x1111 srv at 4f2c0a1b",
       "[1.5] poke at a.c:8:3 [inlined]\n[1.5] outer at b.c:9:1"},
      {"", kModules, "{{{hexdict:1}}}", "", ""},
      {"markup", "", "{{{pc:0x7111}}}", "A 0x7111 - at", "poke at a.c:8:3 [inlined]\nouter at b.c:9:1"},
  };
  check(samples);
}

}  // namespace
}  // namespace symcached::traces
