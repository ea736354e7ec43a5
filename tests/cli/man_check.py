# SPDX-License-Identifier: MIT
"""man_check.py MAN TABLE: what the pages in MAN and the tables of `terrarium help --json` do not agree about."""
import json
import os
import re
import sys

man, table = sys.argv[1], json.load(open(sys.argv[2]))
wrong = []


def read(page):
    try:
        text = open(os.path.join(man, page), encoding="utf-8").read()
    except OSError as why:
        wrong.append(f"{page}: {why.strerror}")
        return ""
    return text.replace(r"\-", "-")


def section(text, title):
    found = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH |\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def tags(text):
    """What is explained: the line behind each .TP."""
    return re.findall(r"^\.TP\n(.*)$", text, re.M)


def same(page, what, there, wanted):
    wrong.extend(f"{page}: should explain {what} {x}" for x in sorted(wanted - there))
    wrong.extend(f"{page}: there is no {what} {x}" for x in sorted(there - wanted))


def options_in(text):
    return {o for tag in tags(text) for o in re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", tag.replace('"', " "))}


def options_of(rows):
    return {o for row in rows for o in (row["option"], row["letter"]) if o}


commands = {c["command"]: c for c in table["commands"]}
settings = {s["setting"] for s in table["settings"]}
common = options_of(table["options"]) | options_of(table["workbench"])
setting_options = options_of(table["settings"])

main = read("terrarium.1")
same("terrarium.1", "command", {tag.split()[1] for tag in tags(section(main, "COMMANDS"))}, set(commands))
same("terrarium.1", "option", options_in(section(main, "OPTIONS")) - {"-V", "--version"}, common)
same("terrarium-config.5", "setting", {tag.split()[1] for tag in tags(section(read("terrarium-config.5"), "SETTINGS"))},
     settings)

for name, row in commands.items():
    page = f"terrarium-{name}.1"
    text = read(page)
    if not text:
        continue
    own = options_of(row["options"]) | ({"-y", "--yes"} if row["asks"] else set())
    same(page, "option", options_in(section(text, "OPTIONS")) - (setting_options - own), own)
    if f"terrarium-{name} - " not in section(text, "NAME"):
        wrong.append(f"{page}: NAME should begin with terrarium-{name}")
    if row["alias"] and not re.search(rf"\b{row['alias']}\b", text):
        wrong.append(f"{page}: should name the alias {row['alias']}")
    if len(row["summary"]) > 27:
        wrong.append(f"{name}: the summary is wider than 27 columns")

pages = {f"terrarium-{name}.1" for name in commands} | {
    "terrarium.1", "terrarium-backends.5", "terrarium-config.5", "terrarium-recording.5"}
wrong.extend(f"{page}: there is no such command" for page in sorted(set(os.listdir(man)) - pages))

print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
