#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Print width_table.h from Python's Unicode data: which code points take no cell
(marks, format characters, Hangul vowels and finals that join) and which take two
(East Asian Wide and Fullwidth; unassigned code points in the CJK planes)."""
import unicodedata


def width(cp):
    char = chr(cp)
    if 0x1160 <= cp <= 0x11FF or 0xD7B0 <= cp <= 0xD7FF:
        return 0
    if cp != 0xAD and unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    if 0x20000 <= cp <= 0x3FFFD and cp & 0xFFFF < 0xFFFE:
        return 2
    if unicodedata.category(char) == "Cn":
        return 1
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def ranges(want):
    start = None
    for cp in range(0xA0, 0x110000):
        if width(cp) == want:
            start = cp if start is None else start
        elif start is not None:
            yield start, cp - 1
            start = None
    if start is not None:
        yield start, 0x10FFFF


def table(name, want):
    print("static const struct range %s[] = {" % name)
    line = "\t"
    for first, last in ranges(want):
        item = "{0x%X, 0x%X}, " % (first, last)
        if len(line) + len(item) > 100:
            print(line.rstrip())
            line = "\t"
        line += item
    print(line.rstrip())
    print("};")


print("/* SPDX-License-Identifier: MIT */")
print("/* Unicode %s, made by width_gen.py; do not edit. */" % unicodedata.unidata_version)
table("zero_width", 0)
print()
table("double_width", 2)
