# SPDX-License-Identifier: MIT
"""lint.py BUILD_DIR [TOOL | PATH...]: static analysis of the sources in lib/ and tui/ by cppcheck, gcc -fanalyzer,
clang-tidy and clang's analyzer, one file at a time; of all, or of the tools and the files or folders that are named.

What a tool says of a file is kept in BUILD_DIR/lint under a hash of the tool's options and of the file with all that it
includes. So a run that was broken off goes on where it was, and a later one looks only at what has changed. One process
runs at a time, and gives way to others; LINT_JOBS=2 makes it two.

What is found is compared with lint.txt beside this file, which has a reason for each finding that stays. What is not
there is a failure, and so is, after a whole run, what is there and is not found any more; and a tool that does not come
to its end with a file."""
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

LIMIT_SECONDS = 300  # of one tool with one file
HERE, EXPLAINED = os.getcwd(), os.path.join(os.path.dirname(os.path.abspath(__file__)), "lint.txt")

# Checks that find bugs. Left out: what other checks here find as well, what speaks against sscanf(), with which files of
# the kernel are read, and matters of taste.
TIDY_CHECKS = ",".join("""-* bugprone-* -bugprone-easily-swappable-parameters -bugprone-narrowing-conversions
-bugprone-reserved-identifier -bugprone-branch-clone -bugprone-assignment-in-if-condition
-bugprone-suspicious-string-compare -bugprone-implicit-widening-of-multiplication-result cert-env33-c cert-fio38-c
cert-flp30-c cert-msc30-c cert-msc32-c cert-pos44-c cert-str34-c""".split())

# What follows the ways through a function takes ten times as long as the others, and so is a tool of its own. Left out:
# what finds a va_list uninitialized that va_start() has begun (clang 14), and taste.
ANALYZER_CHECKS = ",".join("""-* clang-analyzer-* -clang-analyzer-security.insecureAPI.*
-clang-analyzer-valist.Uninitialized -clang-analyzer-optin.performance.Padding""".split())

CPPCHECK = ["cppcheck", "--enable=warning,performance,portability", "--inline-suppr", "--std=c11", "-q", "-D__x86_64__",
            "--template={file}:{line}: {message} [{id}]", "--suppress=missingIncludeSystem",
            "--suppress=normalCheckLevelMaxBranches"]
GCC = ["gcc", "-O1", "-fanalyzer", "-fdiagnostics-plain-output", "-S", "-o", "/dev/null"]
FOUND = {
    "cppcheck": re.compile(r"()(?P<file>[^:]*):(?P<line>\d+): (?P<words>.*) \[(?P<check>\w+)\]$"),
    "gcc": re.compile(r"(?P<file>[^:]*):(?P<line>\d+):\d+: warning: (?P<words>.*) \[(?P<check>-Wanalyzer-[a-z-]+)\]$"),
    "clang-tidy": re.compile(r"(?P<file>[^:]*):(?P<line>\d+):\d+: warning: (?P<words>.*) \[(?P<check>[\w.-]+)[],]"),
}
FOUND["clang-analyzer"] = FOUND["clang-tidy"]

Finding = collections.namedtuple("Finding", "tool check file line words")


def sources():
    """Each source with the preprocessor's options for it: the build's own, or for the programs that live in sandboxes,
    which it compiles otherwise, those of its neighbors."""
    options = {}
    with open(os.path.join(BUILD, "compile_commands.json")) as f:
        for entry in json.load(f):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), HERE)
            words = shlex.split(entry["command"])
            kept = [w for w in words if re.match("-[DI]", w)]
            kept += [w for i, word in enumerate(words) if word == "-isystem" for w in words[i:i + 2]]
            options.setdefault(path, kept)
    neighbor = next(kept for path, kept in sorted(options.items()) if path.startswith("lib/"))
    for top in ("lib", "tui"):
        for folder, _, names in sorted(os.walk(top)):
            for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(".c")):
                yield path, options.get(path, neighbor)


def command(tool, path, options):
    if tool == "cppcheck":
        return CPPCHECK + [o for o in options if re.match("-[DI]", o)] + [path]
    if tool == "gcc":
        return GCC + ["-std=c11"] + options + [path]
    checks = TIDY_CHECKS if tool == "clang-tidy" else ANALYZER_CHECKS
    return ["clang-tidy", "--quiet", "-checks=" + checks, path, "--", "-std=c11"] + options


def run(words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=LIMIT_SECONDS, preexec_fn=lambda: os.nice(10))


def hashed(*words):
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


@functools.lru_cache(maxsize=None)
def content(path, options):
    return hashed(run(["gcc", "-E", "-std=c11", *options, path]).stdout)


def look(tool, path, options):
    """What the tool says of the file, from the last time if nothing has changed: findings, and whether it was asked."""
    words = command(tool, path, options)
    key = hashed(*words, content(path, tuple(options)))
    kept = os.path.join(BUILD, "lint", tool, path.replace("/", "-"))
    try:
        with open(kept) as f:
            last = json.load(f)
        if last["key"] == key:
            return [Finding(*row) for row in last["found"]], False
    except (OSError, ValueError, KeyError):
        pass
    try:
        said = run(words).stdout
    except subprocess.TimeoutExpired:
        return [Finding(tool, "timeout", path, 0, f"not done within {LIMIT_SECONDS} seconds")], True
    found = set()
    for line in said.splitlines():
        match = FOUND[tool].match(line)
        if match:
            file = os.path.relpath(match["file"], HERE)
            if file.startswith(("lib/", "tui/")):
                found.add(Finding(tool, match["check"], file, int(match["line"]), match["words"]))
    broken = re.search(r".*: (fatal |internal compiler )?error: .*", said)
    if broken:
        return [Finding(tool, "error", path, 0, broken[0])], True
    with open(kept + ".new", "w") as f:
        json.dump({"key": key, "found": sorted(found)}, f)
    os.replace(kept + ".new", kept)
    return sorted(found), True


def look_at_all(tool, files):
    os.makedirs(os.path.join(BUILD, "lint", tool), exist_ok=True)
    all_found, asked = set(), 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("LINT_JOBS", "1"))) as pool:
        for i, (found, fresh) in enumerate(pool.map(lambda item: look(tool, *item), files)):
            all_found.update(found)
            asked += fresh
            if sys.stderr.isatty():
                print(f"\rlint: {tool}: {i + 1} of {len(files)} ", end="", file=sys.stderr)
    line = "\r" if sys.stderr.isatty() else ""
    print(f"{line}lint: {tool}: {len(files)} files, {asked} of them new or changed", file=sys.stderr)
    return all_found


def explained():
    """Of each tool, check and file, how many findings stay. Lines move, so they are not named."""
    counts = {}
    with open(EXPLAINED) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                count, tool, check, path = line.split("|")[0].split()
                counts[tool, check, path] = int(count)
    return counts


def main(wanted):
    tools = [tool for tool in FOUND if tool in wanted] or list(FOUND)
    paths = [path.rstrip("/") for path in wanted if path not in FOUND]
    files = [item for item in sources() if not paths or any((item[0] + "/").startswith(p + "/") for p in paths)]
    if not files:
        sys.exit("lint: there is no source in " + " ".join(paths))
    found = sorted(set().union(*(look_at_all(tool, files) for tool in tools)))
    counts, known, bad = collections.Counter(f[:3] for f in found), explained(), 0
    for f in found:
        if counts[f[:3]] > known.get(f[:3], 0):
            print(f"{f.tool} {f.check} {f.file}:{f.line} {f.words}")
            bad += 1
    for row, count in known.items():
        if not paths and row[0] in tools and counts[row] < count:
            print(f"lint.txt explains {count} of {' '.join(row)}: {counts[row]} found")
            bad += 1
    if bad:
        sys.exit("lint: mend these, or explain them in tests/check/lint.txt")
    print("lint: nothing that is not explained in tests/check/lint.txt", file=sys.stderr)


if __name__ == "__main__":
    BUILD = sys.argv[1]
    main(sys.argv[2:])
