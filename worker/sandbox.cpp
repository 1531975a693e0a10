#include "worker/sandbox.hpp"

#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>

#include "base/descriptor.hpp"
#include "base/sanitizers.hpp"

namespace symcached::worker {
namespace {

constexpr rlim_t kMaxDescriptors = 64;

/// Every right over files that this header knows; none of them is granted anywhere.
constexpr std::uint64_t kFileRights = (LANDLOCK_ACCESS_FS_REFER << 1) - 1;

void set_limit(__rlimit_resource which, rlim_t value) {
  const rlimit limit{value, value};
  ::setrlimit(which, &limit);
}

/// ABI 1 has no LANDLOCK_ACCESS_FS_REFER, which it refuses by itself.
bool forbid_files() {
  landlock_ruleset_attr rules{};
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return false;
  rules.handled_access_fs = abi == 1 ? kFileRights & ~LANDLOCK_ACCESS_FS_REFER : kFileRights;
  const Descriptor ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  return ruleset && ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

/// What reading mapped files, allocating memory and answering over an open socket takes. All else fails with EPERM,
/// for which libraries have a way round, where a kill would take jobs along that are right.
bool forbid_system_calls() {
  struct Free {
    void operator()(void* filter) const { ::seccomp_release(filter); }
  };
  const std::unique_ptr<void, Free> filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter) return false;
  for (const int call : {SCMP_SYS(read),
                         SCMP_SYS(pread64),
                         SCMP_SYS(readv),
                         SCMP_SYS(write),
                         SCMP_SYS(recvmsg),
                         SCMP_SYS(sendmsg),
                         SCMP_SYS(poll),
                         SCMP_SYS(ppoll),
                         SCMP_SYS(close),
                         SCMP_SYS(fstat),
                         SCMP_SYS(lseek),
                         SCMP_SYS(mmap),
                         SCMP_SYS(munmap),
                         SCMP_SYS(mremap),
                         SCMP_SYS(mprotect),
                         SCMP_SYS(madvise),
                         SCMP_SYS(brk),
                         SCMP_SYS(futex),
                         SCMP_SYS(sched_yield),
                         SCMP_SYS(clock_gettime),
                         SCMP_SYS(clock_nanosleep),
                         SCMP_SYS(nanosleep),
                         SCMP_SYS(gettimeofday),
                         SCMP_SYS(getrandom),
                         SCMP_SYS(sysinfo),
                         SCMP_SYS(sched_getaffinity),
                         SCMP_SYS(getpid),
                         SCMP_SYS(gettid),
                         SCMP_SYS(tgkill),
                         SCMP_SYS(rt_sigaction),
                         SCMP_SYS(rt_sigprocmask),
                         SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(restart_syscall),
                         SCMP_SYS(exit),
                         SCMP_SYS(exit_group)})
    if (::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0) != 0) return false;
  // fstat() of newer C libraries: newfstatat with an empty path, which names the descriptor itself
  if (::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, SCMP_A3(SCMP_CMP_EQ, 0x1000)) != 0)
    return false;
  return ::seccomp_load(filter.get()) == 0;
}

}  // namespace

std::string give_up_rights() {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  set_limit(RLIMIT_NOFILE, kMaxDescriptors);
  if constexpr (kSanitized) return "built with a sanitizer: system calls and files are not restricted";
  std::string missing;
  const auto lacks = [&](const char* what) { missing += (missing.empty() ? "" : ", ") + std::string(what); };
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) lacks("no_new_privs");
  if (!forbid_files()) lacks("Landlock");
  if (!forbid_system_calls()) lacks("seccomp");
  if (!missing.empty()) missing = "this kernel does not offer " + missing;
  return missing;
}

}  // namespace symcached::worker
