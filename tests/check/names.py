#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of files, identifiers and functions: none holds a word that the glossary has replaced, and no two functions
that are not static share a name. A word ends at _ and where small letters turn into capitals."""
import collections
import os
import re
import subprocess
import sys

REPLACED = set("heir patience told surround slip stray strays wish wishes settle settled unmet lose presumed".split())
# Comments, text, lines of the preprocessor but for what they define, and what is left of the code.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#\s*include[^\n]*'
                   r'|#\s*define\b|#[^\n]*|[A-Za-z_]\w*|\S', re.S)
KEYWORDS = set("if for while switch return sizeof defined __attribute__".split())


def words(name):
    return {word.lower() for part in re.split(r"[^A-Za-z]+", name)
            for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", part)}


def tokens(path):
    with open(path, encoding="utf-8") as file:
        for match in TOKEN.finditer(file.read()):
            token = match.group()
            if token[0] not in "\"'#/" or token == "/":
                yield token


def functions(path):
    """The functions that this file defines and others may call."""
    depth, head, brackets = 0, [], 0
    for token in tokens(path):
        if token == "{":
            if depth == 0 and "(" in head and "static" not in head and "=" not in head:
                names = [a for a, b in zip(head, head[1:]) if b == "(" and a.isidentifier() and a not in KEYWORDS]
                yield names[0] if names else "?"
            depth += 1
            head = []
        elif token == "}":
            depth -= 1
            head = []
        elif depth == 0:
            brackets += {"(": 1, ")": -1}.get(token, 0)
            head = [] if token == ";" and brackets == 0 else head + [token]


def main():
    os.chdir(os.path.join(os.path.dirname(__file__), "../.."))
    files = [f for f in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
             if f and os.path.exists(f)]
    bad = []
    for file in files:
        for word in sorted(words(file) & REPLACED):
            bad.append(f"{file}: docs/glossary.md has another word for \"{word}\"")
    sources = [f for f in files if re.match(r"(lib|tui|tests)/.*\.[ch]$", f)]
    for file in sources:
        for name in sorted(set(t for t in tokens(file) if t.isidentifier())):
            for word in sorted(words(name) & REPLACED):
                bad.append(f"{file}: {name}: docs/glossary.md has another word for \"{word}\"")
    places = collections.defaultdict(list)
    for file in sources:
        if re.match(r"(lib|tui)/.*\.c$", file):
            for name in functions(file):
                places[name].append(file)
    for name, where in sorted(places.items()):
        if len(where) > 1 and name != "main":
            bad.append(f"{name}() is in {', '.join(where)}: a name is one function's")
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(bool(bad))


main()
