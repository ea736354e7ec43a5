# SPDX-License-Identifier: MIT
"""The public headers and the shared library belong together.

    api_test.py INCLUDE LIBRARY CC CXX

Each header stands alone, in C and in C++. The library exports exactly the functions that the headers declare, and a
C++ program can be linked to it."""
import os
import re
import subprocess
import sys
import tempfile

INCLUDE, LIBRARY, CC, CXX = sys.argv[1:]
HEADERS = sorted(os.listdir(INCLUDE + "/terrarium"))
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-I", INCLUDE]
PROGRAM = """
#if TRM_VERSION < TRM_VERSION_OF(0, 2, 0) || TRM_VERSION >= TRM_VERSION_OF(1, 0, 0)
#error "TRM_VERSION is not what its parts say"
#endif
int main() {
    struct trm_sync_opts sync = TRM_SYNC_OPTS_INIT;
    struct trm_session_opts session = TRM_SESSION_OPTS_INIT;
    struct trm_run_opts run = TRM_RUN_OPTS_INIT;
    struct trm_proc_opts proc = TRM_PROC_OPTS_INIT;
    struct trm_copy_opts copy = TRM_COPY_OPTS_INIT;
    struct trm_install_opts install = TRM_INSTALL_OPTS_INIT;
    struct trm_serve_opts serve = TRM_SERVE_OPTS_INIT;
    struct trm_pool_opts pool = TRM_POOL_OPTS_INIT;
    struct trm_snapshot_opts snapshot = TRM_SNAPSHOT_OPTS_INIT;
    bool are_sized = sync.size && sync.sandbox.size && session.size && run.size && proc.size && copy.size && install.size
                     && serve.size && pool.size && snapshot.size;
    return !are_sized || trm_version_number() != TRM_VERSION || !trm_version()[0];
}
"""


def compile_alone(header, compiler, language):
    source = f"#include <terrarium/{header}>\ntypedef int not_empty;\n"
    done = subprocess.run([*compiler, *STRICT, "-x", language, "-fsyntax-only", "-"], input=source, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{header} does not compile alone ({language}):\n{done.stderr}")


def declared():
    """The functions that any of the headers declares."""
    everything = "".join(f"#include <terrarium/{header}>\n" for header in HEADERS)
    text = subprocess.run([CC, "-E", "-P", "-I", INCLUDE, "-x", "c", "-"], input=everything, capture_output=True, text=True,
                          check=True).stdout
    text = re.sub(r"\{[^{}]*\}", "", re.sub(r"\{[^{}]*\}", "", text))  # what structs have are callbacks
    return {name for statement in text.split(";") if "typedef" not in statement
            for name in re.findall(r"\b(trm_\w+)\(", statement)[:1]}


def exported():
    text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def try_cxx(folder):
    with open(folder + "/client.cc", "w", encoding="utf-8") as file:
        file.write("#include <terrarium/terrarium.h>\n" + PROGRAM)
    where = os.path.dirname(LIBRARY)
    subprocess.run([CXX, "-std=c++20", *STRICT, "-Wno-missing-field-initializers", "client.cc", "-o", "client", "-L", where, "-lterrarium", f"-Wl,-rpath,{where}"], cwd=folder,
                   check=True)
    subprocess.run([folder + "/client"], check=True)


def main():
    for header in HEADERS:
        compile_alone(header, [CC, "-std=c11"], "c")
    for name in sorted(exported() ^ declared()):
        print(name, "is exported, but no header declares it" if name in exported() else "is declared, but not exported")
    if exported() != declared():
        sys.exit(1)
    if not CXX or CXX.endswith("NOTFOUND"):
        print("SKIP: there is no C++ compiler")
        sys.exit(77)
    for header in HEADERS:
        compile_alone(header, [CXX, "-std=c++11"], "c++")
    with tempfile.TemporaryDirectory() as folder:
        try_cxx(folder)
    print(len(HEADERS), "headers,", len(declared()), "functions: ok")


main()
