"""What Symbolicator was recorded asking of a source, and saying of what came back: the tables of recorded_test.py."""

CODE, PDB = "5AB380779000", "3249D99D0C4049318610F4E4FB0B69361"
ELF, ELF_ID = "f1c3bcc0279865fe3058404b2831d9e64135386c", "C0BCC3F19827FE653058404B2831D9E60"
MAC, WASM = "67e9247c814e392ba027dbde6748fcbf", "bda18fd85d4a4eb893022d6bfad846b1"
GUID, STAMP = "526F365F4D8D4FA8B370EAE9A9136DE4", "a39453e5"

MODULES = {
    "pe": {"type": "pe", "code_id": CODE.lower(), "code_file": r"C:\app\crash.exe", "debug_file": r"C:\app\crash.pdb",
           "debug_id": "3249d99d-0c40-4931-8610-f4e4fb0b6936-1"},
    "elf": {"type": "elf", "code_id": ELF, "code_file": "/opt/crash", "debug_file": "crash",
            "debug_id": "c0bcc3f1-9827-fe65-3058-404b2831d9e6"},
    "macho": {"type": "macho", "code_id": MAC, "code_file": "/Applications/crash", "debug_file": "crash",
              "debug_id": "67e9247c-814e-392b-a027-dbde6748fcbf"},
    "wasm": {"type": "wasm", "code_id": WASM, "code_file": "http://localhost/simple.wasm", "debug_file": "demo.wasm",
             "debug_id": "bda18fd8-5d4a-4eb8-9302-2d6bfad846b1"},
    "pe_dotnet": {"type": "pe_dotnet", "code_file": "x.dll", "debug_file": "x.pdb",
                  "debug_id": "526f365f-4d8d-4fa8-b370-eae9a9136de4-a39453e5"},
}

NOWHERE = "No object files listed on this source"
_SPLIT = "67E9/247C/814E/392B/A027/DBDE6748FCBF"
_ELF_IN_LOWER = f"f1/{ELF[2:]}"
_SYMSTORE = {
    "pe": f"_.debug/elf-buildid-sym-{CODE.lower()}/_.debug crash.exe/{CODE}/crash.ex_ crash.exe/{CODE}/crash.exe "
          f"crash.pdb/{PDB}/crash.pd_ crash.pdb/{PDB}/crash.pdb crash.pdb/{PDB}/crash.src.zip",
    "elf": f"_.debug/elf-buildid-sym-{ELF}/_.debug crash/{ELF_ID}/cras_ crash/{ELF_ID}/crash "
           f"crash/elf-buildid-{ELF}/crash",
    "macho": f"_.debug/elf-buildid-sym-{MAC}/_.debug _.dwarf/mach-uuid-sym-{MAC}/_.dwarf crash/{MAC.upper()}0/cras_ "
             f"crash/{MAC.upper()}0/crash crash/mach-uuid-{MAC}/crash",
    "wasm": f"_.debug/elf-buildid-sym-{WASM}/_.debug demo.wasm/{WASM.upper()}0/demo.wasm",
    "pe_dotnet": f"x.pdb/{GUID}ffffffff/x.pd_ x.pdb/{GUID}ffffffff/x.pdb",
}

# By layout and type of module; in any order, each once.
ASKED = {
    "native": {
        "pe": f"5a/{CODE[2:].lower()}.debug crash.exe/{CODE}/crash.ex_ crash.exe/{CODE}/crash.exe "
              f"crash.pdb/{PDB}/crash.pd_ crash.pdb/{PDB}/crash.pdb crash.pdb/{PDB}/crash.src.zip "
              f"crash.pdb/{PDB}/crash.sym",
        "elf": f"crash/{ELF_ID}/cras_ crash/{ELF_ID}/crash crash/{ELF_ID}/crash.src.zip crash/{ELF_ID}/crash.sym "
               f"{_ELF_IN_LOWER} {_ELF_IN_LOWER}.debug {_ELF_IN_LOWER}.src.zip",
        "macho": f"67/{MAC[2:]}.debug {_SPLIT} {_SPLIT}.app {_SPLIT}.src.zip crash/{MAC.upper()}0/cras_ "
                 f"crash/{MAC.upper()}0/crash crash/{MAC.upper()}0/crash.src.zip crash/{MAC.upper()}0/crash.sym",
        "wasm": f"bd/{WASM[2:]} bd/{WASM[2:]}.debug bd/{WASM[2:]}.src.zip demo.wasm/{WASM.upper()}0/demo.wasm",
        "pe_dotnet": f"x.pdb/{GUID}{STAMP}/x.src.zip x.pdb/{GUID}ffffffff/x.pd_ x.pdb/{GUID}ffffffff/x.pdb "
                     f"x.pdb/{GUID}ffffffff/x.src.zip",
    },
    "symstore": _SYMSTORE,
    "symstore_index2": {  # one letter in front where the second is no letter
        module: " ".join(f"{path[:1 if path[1] in './' else 2]}/{path}" for path in paths.split())
        for module, paths in _SYMSTORE.items()
    },
    "ssqp": {
        "pe": f"_.debug/elf-buildid-sym-{CODE.lower()}/_.debug crash.exe/{CODE.lower()}/crash.ex_ "
              f"crash.exe/{CODE.lower()}/crash.exe crash.pdb/{PDB.lower()}/crash.pd_ "
              f"crash.pdb/{PDB.lower()}/crash.pdb crash.pdb/{PDB.lower()}/crash.src.zip",
        "elf": f"_.debug/elf-buildid-sym-{ELF}/_.debug crash/{ELF_ID.lower()}/cras_ crash/{ELF_ID.lower()}/crash "
               f"crash/elf-buildid-{ELF}/crash",
        "macho": f"_.debug/elf-buildid-sym-{MAC}/_.debug _.dwarf/mach-uuid-sym-{MAC}/_.dwarf crash/{MAC}0/cras_ "
                 f"crash/{MAC}0/crash crash/mach-uuid-{MAC}/crash",
        "wasm": f"_.debug/elf-buildid-sym-{WASM}/_.debug demo.wasm/{WASM}0/demo.wasm",
        "pe_dotnet": f"x.pdb/{GUID.lower()}FFFFFFFF/x.pd_ x.pdb/{GUID.lower()}FFFFFFFF/x.pdb",
    },
    "unified": {
        "pe": " ".join(f"32/{PDB[2:].lower()}/{leaf}" for leaf in
                       ("breakpad", "debuginf_", "debuginfo", "executabl_", "executable", "sourcebundle"))
              + f" 5a/{CODE[2:].lower()}/debuginfo",
        "elf": f"c0/{ELF_ID[2:].lower()}/debuginf_ c0/{ELF_ID[2:].lower()}/debuginfo "
               + " ".join(f"{_ELF_IN_LOWER}/{leaf}" for leaf in
                          ("breakpad", "debuginfo", "executable", "sourcebundle")),
        "macho": f"67/{MAC[2:]}0/debuginf_ 67/{MAC[2:]}0/debuginfo "
                 + " ".join(f"67/{MAC[2:]}/{leaf}" for leaf in ("breakpad", "debuginfo", "executable", "sourcebundle")),
        "wasm": f"bd/{WASM[2:]}0/debuginfo "
                + " ".join(f"bd/{WASM[2:]}/{leaf}" for leaf in ("debuginfo", "executable", "sourcebundle")),
        "pe_dotnet": f"52/{GUID[2:].lower()}/debuginfo "
                     + " ".join(f"52/{GUID[2:].lower()}{STAMP}/{leaf}" for leaf in
                                ("debuginf_", "debuginfo", "sourcebundle")),
    },
    "debuginfod": {"pe": f"{CODE.lower()}/debuginfo", "elf": f"{ELF}/debuginfo {ELF}/executable",
                   "macho": f"{MAC}/debuginfo", "wasm": f"{WASM}/debuginfo", "pe_dotnet": ""},
    "slashsymbols": {"pe": f"crash.exe/{CODE.lower()}/symbol_ crash.exe/{CODE.lower()}/symbols",
                     "elf": f"crash/{ELF}/symbol_ crash/{ELF}/symbols",
                     "macho": f"crash/{MAC}/symbol_ crash/{MAC}/symbols",
                     "wasm": f"simple.wasm/{WASM}/symbols", "pe_dotnet": ""},
}
# Of these, one kind of file has no place, which is told among the candidates as if nothing had one.
LACKS_A_KIND = {("symstore", "wasm"), ("symstore_index2", "wasm"), ("ssqp", "wasm"), ("debuginfod", "wasm"),
                ("debuginfod", "pe_dotnet"), ("slashsymbols", "pe_dotnet")}

_FAILED = "download failed: "
_CUT = f"{_FAILED}end of file before message length reached"
# How a server answers every request; `debug_status`, the status of frames, what is said of each download, and how often
# each place is asked. Only `half` and `redirect` look for the file first, and say 404 where there is none.
ANSWERS = [
    ("400", "missing", "missing", {"status": "notfound"}, 1),
    ("401", "fetching_failed", "missing", {"status": "noperm", "details": "401 Unauthorized"}, 1),
    ("403", "fetching_failed", "missing", {"status": "noperm", "details": "403 Forbidden"}, 1),
    ("404", "missing", "missing", {"status": "notfound"}, 1),
    ("500", "fetching_failed", "missing", {"status": "error", "details": f"{_FAILED}500 Internal Server Error"}, 3),
    ("503", "fetching_failed", "missing", {"status": "error", "details": f"{_FAILED}503 Service Unavailable"}, 3),
    ("hang", "timeout", "missing", {"status": "error", "details": "download timed out after 1s"}, 1),
    ("garbage", "malformed", "malformed", {"status": "malformed"}, 1),
    ("half", "fetching_failed", "missing", {"status": "error", "details": _CUT}, 3),
    ("redirect", "found", "symbolicated", {"status": "ok"}, 2),
]
