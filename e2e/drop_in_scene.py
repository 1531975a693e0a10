"""What the tests of the program under other names share: files of many kinds, the real programs, and links to ours."""
import dataclasses
import pathlib
import re
import subprocess

import program

GNU, LLVM, LLVM_GNU = "addr2line", "llvm-symbolizer-22", "llvm-addr2line-22"

C_SOURCE = """volatile int sink;
int global_value = 7;
static int file_value[4] = {1, 2, 3, 4};
static inline __attribute__((always_inline)) int inner(int x) { sink = x; return sink * 3; }
static inline __attribute__((always_inline)) int middle(int x) {
  return inner(x) + 1;
}
static __attribute__((noinline)) int rare(int a, int b) { sink = a; if (b > 100) __builtin_trap(); return sink + b; }
__attribute__((noinline)) int outer(int x) {
  int s = 0;
  for (int i = 0; i < x; i++)
    s += middle(i);
  return s + rare(x, x);
}
int start(int count) {
  return outer(count) + global_value + file_value[count & 3];
}
"""
MAIN = "int start(int); int main(int count, char **arguments) { (void)arguments; return start(count); }\n"
CPP_SOURCE = """namespace ns {
template <class T> struct Box {
  T v;
  __attribute__((always_inline)) T twice() const { volatile T x = v; return x; }
  __attribute__((noinline)) T put(T y) { v = y; return twice(); }
  __attribute__((noinline)) bool operator<(const Box& other) const { volatile T x = v; return x < other.v; }
};
}
int table[4] = {1, 2, 3, 4};
namespace { int hidden = 9; __attribute__((noinline)) int helper(int a) { volatile int b = a; return b + hidden; } }
template <class F> __attribute__((noinline)) int call(F f) { return f(3); }
extern "C" int start(int count) {
  ns::Box<int> b{count}; ns::Box<ns::Box<int>*> pointers{&b};
  auto add = [&](int x) __attribute__((noinline)) { volatile int y = x + count; return y; };
  return b.put(count) + helper(count) + table[count & 3] + call(add) + (b < b) + (pointers.put(&b) != nullptr);
}
"""


@dataclasses.dataclass(frozen=True)
class Kind:
    """A file of the scene and how it is made, with {out}, {c}, {cpp}, {main} in the commands."""
    name: str
    commands: tuple
    gnu_reads_it: bool = True  # with what is in it of functions and lines


WINDOWS = "--target=x86_64-pc-windows-msvc -g -gcodeview -O1"
MINGW = "--target=x86_64-w64-mingw32 -gdwarf-4 -O1"
MACOS = "--target=x86_64-apple-macos12 -g -O1"
LLD_LINK = "-entry:start -subsystem:console -nodefaultlib -out:{out}"
LD64 = "-arch x86_64 -platform_version macos 12 12 -e _start -undefined dynamic_lookup -o {out}"
KINDS = [
    Kind("gcc-pie", ("gcc -g -O2 -fPIE -pie {c} {main} -o {out}",)),
    Kind("gcc-fixed", ("gcc -g -O2 -no-pie {c} {main} -o {out}",)),
    Kind("gcc-debug-4", ("gcc -gdwarf-4 -O1 -no-pie {c} {main} -o {out}",)),
    Kind("gcc-compressed", ("gcc -g -gz=zlib -O2 {c} {main} -o {out}",)),
    Kind("clang-fixed", ("clang-22 -g -O1 -no-pie {c} {main} -o {out}",)),
    Kind("clang-split", ("clang-22 -g -O1 -no-pie -gsplit-dwarf {c} {main} -o {out}",
                         "llvm-dwp-22 -e {out} -o {out}.package", "sh -c 'rm -f {folder}/*.dwo'")),
    Kind("gcc-cpp", ("g++ -g -O1 {cpp} {main_cpp} -o {out}",)),
    Kind("clang-cpp", ("clang++-22 -g -O1 -no-pie {cpp} {main_cpp} -o {out}",)),
    Kind("32-bit", ("clang-22 --target=i686-linux-gnu -g -O1 -nostdlib -fuse-ld=lld-22 -Wl,-e,start -no-pie {c} "
                    "-o {out}",)),
    Kind("object.o", ("gcc -g -O2 -c {c} -o {out}",)),
    Kind("no-debug", ("gcc -O2 -no-pie {c} {main} -o {out}",)),
    Kind("stripped", ("gcc -O2 -s {c} {main} -o {out}",)),
    Kind("pdb.exe", (f"clang++-22 {WINDOWS} -c {{cpp}} -o {{out}}.obj",
                     f"lld-link-22 {{out}}.obj -debug {LLD_LINK} -pdb:{{folder}}/pdb.pdb"), gnu_reads_it=False),
    Kind("mingw.exe", (f"clang-22 {MINGW} -c {{c}} -o {{out}}.obj",
                       f"lld-link-22 -lldmingw {{out}}.obj -debug:dwarf {LLD_LINK}")),
    Kind("macho", (f"clang-22 {MACOS} -c {{c}} -o {{out}}.o", f"ld64.lld-22 {{out}}.o {LD64}",
                   "dsymutil-22 {out}"), gnu_reads_it=False),
    Kind("macho.o", (f"clang-22 {MACOS} -c {{c}} -o {{out}}",), gnu_reads_it=False),
]


class Scene:
    """`folder` with a file of each kind, and `links` with links to our program under the names of the real ones."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.links = self.folder / "links"
        self.links.mkdir()
        for name in (GNU, LLVM, LLVM_GNU):
            (self.links / name).symlink_to(program.PROGRAM)
        for name, text in (("code.c", C_SOURCE), ("main.c", MAIN), ("code.cpp", CPP_SOURCE),
                           ("main.cpp", MAIN.replace("int start", 'extern "C" int start', 1))):
            (self.folder / name).write_text(text)
        self.addresses = {}
        for kind in KINDS:
            self.make(kind)
            self.addresses[kind.name] = code_of(self.folder / kind.name)

    def make(self, kind):
        places = {"out": self.folder / kind.name, "folder": self.folder, "c": self.folder / "code.c",
                  "main": self.folder / "main.c", "cpp": self.folder / "code.cpp", "main_cpp": self.folder / "main.cpp"}
        for command in kind.commands:
            done = subprocess.run(["sh", "-c", command.format(**places)], cwd=self.folder, capture_output=True,
                                  text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{kind.name}: {command}: {done.stderr}")

    def both(self, tool, arguments, stdin=None):
        """What the real program and ours answer: (exit status, stdout, stderr) of each."""
        answers = []
        for path in (f"/usr/bin/{tool}", str(self.links / tool)):
            done = subprocess.run([path, *map(str, arguments)], input=stdin, capture_output=True, cwd=self.folder)
            texts = [text.decode(errors="replace").replace(path, tool) for text in (done.stdout, done.stderr)]
            answers.append((done.returncode, *texts))
        return answers


def code_of(path):
    """Every instruction of functions that have a size, or where none have, all code: padding is left out."""
    listing = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", path], capture_output=True,
                             text=True).stdout
    code = re.finditer(r"^\s*([0-9a-f]+):\s+(?!\s|nop|int3|xchgw|data16|ud2)", listing, re.MULTILINE)
    found = sorted({int(match[1], 16) for match in code})
    symbols = subprocess.run(["llvm-nm-22", "-S", "--defined-only", path], capture_output=True, text=True).stdout
    rows = [line.split() for line in symbols.splitlines()]
    ranges = [(int(row[0], 16), int(row[0], 16) + int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "tT"]
    if any(first < last for first, last in ranges):
        found = [address for address in found if any(first <= address < last for first, last in ranges)]
    return found


def symbol_of(path, name):
    symbols = subprocess.run(["llvm-nm-22", "--defined-only", path], capture_output=True, text=True).stdout
    return next(int(line.split()[0], 16) for line in symbols.splitlines() if line.split()[-1] == name)
