#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tells which part of the lines and branches has run: each parser and state machine, then each room.

Usage: cover.py BUILD. Reads what a build with TERRARIUM_COVER has counted. A file that no test is linked with is n/a.
"""
import collections
import json
import os
import subprocess
import sys

# Without input and output: their tests can reach every branch that is not out of memory.
MACHINES = """
lib/base/base64.c lib/base/cidr.c lib/base/json lib/base/suggest.c lib/base/utf8.c lib/config/dotenv_read.c
lib/config/jsonc.c lib/config/parse.c lib/config/setting.c lib/policy/sieve.c lib/recipe/read lib/recipe/word.c
lib/session/sharing.c lib/websocket/ lib/wire/ tui/command/keymap tui/term/keys.c tui/term/sequence.c
tui/term/terminal_query.c
""".split()
WANTED = 90  # percent of the branches of a machine


def counted(build):
    """The data files of one build: those of objects that have run."""
    for folder, _, names in os.walk(build):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".gcda"))


def read_counts(build, top):
    """{source: ({line: count}, {(line, function, branch): count})}, added up over all programs."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    branches = collections.defaultdict(lambda: collections.defaultdict(int))
    for data in counted(build):
        out = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", os.path.abspath(data)],
                             cwd=build, capture_output=True, text=True, check=True).stdout
        for text in out.splitlines():
            unit = json.loads(text)
            for file in unit["files"]:
                path = os.path.relpath(file["file"], top) if os.path.isabs(file["file"]) else file["file"]
                if not path.startswith(("lib/", "tui/")):
                    continue
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[path][number] += line["count"]
                    for i, branch in enumerate(line["branches"]):
                        branches[path][number, line.get("function_name"), i] += branch["count"]
    return {path: (lines[path], branches[path]) for path in lines}


def part(counts):
    """How many have run, of how many."""
    return sum(1 for n in counts.values() if n), len(counts)


def percent(ran, of):
    return f"{100 * ran / of:5.1f} %" if of else "    n/a"


def print_row(name, parts):
    (lines, n_lines), (branches, n_branches) = parts
    print(f"{name:46} {percent(lines, n_lines)} of {n_lines:6} {percent(branches, n_branches)} of {n_branches:6}")


def add(a, b):
    return tuple((x[0] + y[0], x[1] + y[1]) for x, y in zip(a, b))


def sources(top):
    for room in ("lib", "tui"):
        for folder, _, names in os.walk(os.path.join(top, room)):
            yield from (os.path.relpath(os.path.join(folder, name), top) for name in names if name.endswith(".c"))


def main(build):
    top = os.getcwd()
    counts = {path: tuple(map(part, both)) for path, both in read_counts(build, top).items()}
    nothing = ((0, 0), (0, 0))
    machines = sorted(path for path in counts if path.endswith(".c") and path.startswith(tuple(MACHINES)))
    print(f"{'parser or state machine':46} {'lines':>17} {'branches':>17}")
    for path in machines:
        ran, of = counts[path][1]
        if 100 * ran < WANTED * of:
            print_row(path, counts[path])
    print(f"{len(machines)} in all; those with {WANTED} % of their branches or more are left out\n")
    rooms = collections.defaultdict(lambda: nothing)
    for path in sources(top):
        rooms["/".join(path.split("/")[:2])] = add(rooms["/".join(path.split("/")[:2])], counts.get(path, nothing))
    print(f"{'room':46} {'lines':>17} {'branches':>17}")
    total = nothing
    for name in sorted(rooms):
        print_row(name, rooms[name])
        total = add(total, rooms[name])
    print_row("all", total)


if __name__ == "__main__":
    main(sys.argv[1])
