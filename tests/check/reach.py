#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No file reaches through a room that it may include into a room that it may not. A header may include a header of
a lower room, and then its users can see that room, too. This check finds a file that uses what such a lower room
defines: a function, a macro, an enum constant, or an object of a struct type. A pointer to a struct is fine, because
its user need not know what it points to.

Reads the table of rooms (see includes.sh) from stdin. With --self-test: tries the check on made-up rooms."""
import glob
import os
import re
import sys
import tempfile

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#(?:\\\n|[^\n])*'
                   r'|[A-Za-z_]\w*|->|\n|[^\s]', re.S)
NAME = re.compile(r"[A-Za-z_]\w*$")
DEFINE = re.compile(r"#\s*define\s+(\w+)")


def tokens(path):
    """(token, line) for each token that is code."""
    line = 1
    with open(path, encoding="utf-8") as file:
        for match in TOKEN.finditer(file.read()):
            token = match.group()
            if token[0] not in "\"'\n" and token[:2] not in ("//", "/*"):
                yield token, line
            line += token.count("\n")


def definitions(path):
    """The names that a header defines: functions, macros and enum constants; and the struct types, as "struct x"."""
    code = [token for token, _ in tokens(path)]
    names, depth, is_enum, head = set(), 0, [], []
    for i, token in enumerate(code):
        before = code[i - 1] if i else ""
        after = code[i + 1] if i + 1 < len(code) else ""
        if token[0] == "#":
            names.update(DEFINE.findall(token))
        elif token == "{":
            is_enum.append(head[-1:] == ["enum"] or head[-2:-1] == ["enum"])
            if "struct" in head and NAME.match(before) and before != "struct":
                names.add("struct " + before)
            depth, head = depth + 1, []
        elif token == "}":
            depth, head = depth - 1, []
            is_enum and is_enum.pop()
        elif is_enum and is_enum[-1] and before in ("{", ",") and NAME.match(token):
            names.add(token)
        elif depth == 0 and NAME.match(token) and after == "(" and head and "typedef" not in head \
                and NAME.match(token) and token != "__attribute__" and (NAME.match(before) or before == "*") \
                and "(" not in head:
            names.add(token)
        if token not in "{}" and token[0] != "#":
            head = [] if token == ";" else head + [token]
    return names


INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)


def included(path, known={}):
    """The headers of rooms that a file includes, directly or by way of others."""
    if path not in known:
        known[path] = set()
        with open(path, encoding="utf-8") as file:
            for name in INCLUDE.findall(file.read()):
                header = path.split("/")[0] + "/" + name
                if os.path.exists(header):
                    known[path] |= {header} | included(header)
    return known[path]


def uses(path):
    """(name, line) for each use of a name in a file that is not a member of a struct."""
    code = list(tokens(path))
    for i, (token, line) in enumerate(code):
        before = code[i - 1][0] if i else ""
        after = code[i + 1][0] if i + 1 < len(code) else ""
        if not NAME.match(token) or before in (".", "->"):
            continue
        if before == "struct":
            if after not in "*;{":
                yield "struct " + token, line
        else:
            yield token, line


def check(rules):
    """Complaints about the rooms below the current directory. `rules`: lines "ROOM: LOWER ROOMS"."""
    allowed = {}
    for rule in rules:
        room, _, below = rule.partition(":")
        if room:
            allowed[room] = {room} | {room.split("/")[0] + "/" + one for one in below.split()}
    defined = {header: definitions(header) for room in allowed for header in glob.glob(room + "/*.h")}
    bad = []
    for room in allowed:
        for path in sorted(glob.glob(room + "/*.[ch]")):
            may, reached = set(), {}
            for header in included(path):
                lower = os.path.dirname(header)
                if lower in allowed[room]:
                    may |= defined[header]
                else:
                    reached.update(dict.fromkeys(defined[header], lower))
            for name, line in uses(path):
                if name in reached and name not in may:
                    bad.append(f"{path}:{line}: {room} may not use {name} of {reached[name]}")
    return bad


def self_test():
    files = {
        "lib/low/low.h": "enum low { LOW_ONE, LOW_TWO };\nstruct low_box { int n; };\nint low_open(struct low_box *b);\n",
        "lib/mid/mid.h": '#include "low/low.h"\nstruct mid { struct low_box box; enum low low; };\n',
        "lib/top/good.c": '#include "mid/mid.h"\nstruct low_box *top_box(struct mid *m) { return &m->box; }\n',
        "lib/top/bad.c": '#include "mid/mid.h"\nint top(void) { struct low_box b = {LOW_TWO}; return low_open(&b); }\n',
    }
    rules = ["lib/low:", "lib/mid: low", "lib/top: mid"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path, text in files.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        found = check(rules)
    expected = [f"lib/top/bad.c:2: lib/top may not use {name} of lib/low"
                for name in ("struct low_box", "LOW_TWO", "low_open")]
    if found != expected:
        sys.exit("reach.py --self-test: expected\n" + "\n".join(expected) + "\nfound\n" + "\n".join(found))


if sys.argv[1:] == ["--self-test"]:
    self_test()
else:
    complaints = check(sys.stdin.read().split("\n"))
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(bool(complaints))
