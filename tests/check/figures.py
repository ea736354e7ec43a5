#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints figures of the sources that notes repeat: lines of rooms, the longest functions and files, the widest structs.

All of it is counted in the text of lib and tui."""
import collections
import os
import re

LONGEST = 15


def sources():
    for top in ("lib", "tui"):
        for folder, _, names in os.walk(top):
            yield from sorted(os.path.join(folder, name) for name in names if name.endswith((".c", ".h")))


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def functions(lines):
    """(length, name, first line): from the line of the name to the brace that closes it in the first column."""
    name, first = None, 0
    for number, line in enumerate(lines, 1):
        head = re.match(r"[a-z_].*?(\w+)\(", line)
        if head and not line.endswith(";"):
            name, first = head.group(1), number
        elif line.endswith(";") and not line.startswith(("\t", " ")):
            name = None
        elif line == "}" and name:
            yield number - first + 1, name, first
            name = None


def print_rooms(files):
    rooms = collections.defaultdict(lambda: [0, 0, 0])
    for path, lines in files.items():
        row = rooms[os.path.dirname(path)]
        row[0] += 1
        row[1 if path.endswith(".c") else 2] += len(lines)
    print(f"{'room':32} {'files':>6} {'.c':>7} {'.h':>6}")
    for room, (n, code, headers) in sorted(rooms.items()):
        print(f"{room:32} {n:6} {code:7} {headers:6}")
    for top in ("lib", "tui", ""):
        rows = [row for room, row in rooms.items() if (room + "/").startswith(top)]
        print(f"{top or 'all':32} " + " ".join(f"{sum(column):{width}}" for column, width in zip(zip(*rows), (6, 7, 6))))


def print_longest(files):
    found = sorted((length, path, name, first) for path, lines in files.items() if path.endswith(".c")
                   for length, name, first in functions(lines))
    print(f"\n{len(found)} functions; the longest:")
    for length, path, name, first in reversed(found[-LONGEST:]):
        print(f"{length:5} lines  {name}  {path}:{first}")
    print("\nthe longest files:")
    for length, path in sorted(((len(lines), path) for path, lines in files.items()), reverse=True)[:LONGEST]:
        print(f"{length:5} lines  {path}")


def print_structs(files):
    """Members are counted in the text: lines that end with a semicolon between the braces."""
    found = []
    for path, lines in files.items():
        name = None
        for line in lines:
            head = re.match(r"(?:typedef )?struct (\w+) \{", line)
            if head:
                name, members = head.group(1), 0
            elif name and re.match(r"\}", line):
                found.append((members, name, path))
                name = None
            elif name:
                code = re.sub(r"/\*.*?\*/|/\*.*$", "", line)
                members += sum(1 + part.count(",") for part in code.split(";")[:-1] if "(" not in part) + (
                    code.count(";") if "(" in code else 0)
    print(f"\n{len(found)} structs; the widest:")
    for members, name, path in sorted(found, reverse=True)[:LONGEST]:
        print(f"{members:5} members  struct {name}  {path}")


def main():
    files = {path: read_lines(path) for path in sources()}
    print_rooms(files)
    print_longest(files)
    print_structs(files)


if __name__ == "__main__":
    main()
