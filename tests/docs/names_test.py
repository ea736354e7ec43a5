# SPDX-License-Identifier: MIT
"""names_test.py SOURCE TERRARIUM [CC]: what the pages name is there: functions and constants of the library, fields of its structs
in the tables of docs/migrating.md, and options of the command line."""
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE, TERRARIUM, CC = sys.argv[1], sys.argv[2], (sys.argv + ["cc"])[3]
# What the names before the first dot are in docs/migrating.md.
STRUCTS = {"opts": "trm_sync_opts", "run": "trm_run_opts", "ex": "trm_execution", "cx": "trm_command_execution"}
# The pages' short forms: a dot in front goes on where the cell has begun.
MEMBER = re.compile(r"`((?:(?:opts|run|ex|cx)(?:(?:\.|->)\w+)+)|\.\w+(?:\.\w+)*)`")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_names(pages, wrong):
    headers = "".join(read(path) for path in glob.glob(f"{SOURCE}/lib/include/terrarium/*.h"))
    words = set(re.findall(r"\w+", headers))
    for page in pages:
        for name in set(re.findall(r"\b(trm_\w+|TRM_[A-Z_]+)\b(?![_*…])", read(page))):
            if name not in words and not name.endswith("_"):
                wrong.append(f"{os.path.basename(page)}: the headers have no {name}")


def members_of(text):
    """(what stands there, the fields that it may be): a short form is a sibling of the full one before it, or further up."""
    for row in text.splitlines():
        for cell in row.split("|") if row.startswith("|") else ():
            full = None
            for name in MEMBER.findall(cell):
                if name[0] != ".":
                    full = name
                    yield name, [name]
                elif full:
                    parts = full.replace("->", ".").split(".")
                    forms = [".".join(parts[:n]) + name for n in range(len(parts), 0, -1)]
                    yield f"{name} behind {full}", forms + [form.replace("ex.result.", "ex.result->") for form in forms]


def compiles(expressions):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/a.c", "w", encoding="utf-8") as file:
            file.write("#include <terrarium/terrarium.h>\n")
            for name, tag in STRUCTS.items():
                file.write(f"extern struct {tag} {name};\n")
            file.write("void f(void);\nvoid f(void)\n{\n" + "".join(f"\t(void)sizeof({e});\n" for e in expressions) + "}\n")
        return subprocess.run([CC, "-std=c11", f"-I{SOURCE}/lib/include", "-fsyntax-only", folder + "/a.c"],
                              capture_output=True, check=False).returncode == 0


def check_members(page, wrong):
    found = dict(members_of(read(page)))
    certain = [forms[0] for forms in found.values() if len(forms) == 1]
    all_compile = compiles(certain)
    for what, forms in found.items():
        if len(forms) == 1 and all_compile:
            continue
        forms += [form.replace("displays.", "displays->") for form in forms]
        if not any(compiles([form]) for form in forms):
            wrong.append(f"migrating.md: there is no field {what}")


def knows(verb, option):
    done = subprocess.run([TERRARIUM, verb, option], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return f"unknown option '{option}'" not in done.stderr


def check_options(page, wrong):
    for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", read(page)))):
        if not any(knows(verb, option) for verb in ("run", "serve", "exec", "repl", "snapshot")):
            wrong.append(f"migrating.md: no command has the option {option}")


def main():
    wrong = []
    migrating = SOURCE + "/docs/migrating.md"
    check_names([SOURCE + "/README.md", *sorted(glob.glob(SOURCE + "/docs/*.md"))], wrong)
    check_members(migrating, wrong)
    check_options(migrating, wrong)
    if wrong:
        sys.exit("\n".join(wrong))


main()
