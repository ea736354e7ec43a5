# SPDX-License-Identifier: MIT
"""msb_test.py STEPS MSB: the commands of our recipe "msb" are handed to microsandbox's own command line.

It takes them apart before it looks for sandboxes or images, and has an exit code (2) of its own for what it does not
understand; so this says something even where no virtual machine can start."""
import os
import subprocess
import sys
import tempfile

STEPS, MSB = map(os.path.abspath, sys.argv[1:])
NOT_UNDERSTOOD = 2

if not os.path.exists(MSB):
    print("SKIP: msb is not there: ./dev test installs it, when it reaches a package index")
    sys.exit(77)


def commands(*facts):
    out = subprocess.run([STEPS, "/nonexistent/config.json", "msb", *facts], capture_output=True, text=True, check=True)
    assert not out.stderr, out.stderr
    return [line.split("\t") for line in out.stdout.splitlines()]


def run(home, argv):
    env = dict(os.environ, MSB_HOME=home, HOME=home, NO_COLOR="1")
    return subprocess.run([MSB, *argv], env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)


FACTS = ["name=terrarium-box-00112233", "image=./no-such-folder", "memory_mb=512", "memory_bytes=536870912", "cpus=0.5",
         "procs=128", "uid=0", "key=" + "0f" * 16, "agent=/tmp/agent", "workdir=/workspace",
         "+label=dev.terrarium.name=box", "+option=--user", "+option=1000"]
MORE = FACTS + ["net=on", "+env=A=b c", "+env=B=", "+mount=/tmp:/in", "+mount=/var/tmp:/out:rw"]

with tempfile.TemporaryDirectory() as home:
    wrong = run(home, ["create", "--no-such-option", "x"])
    assert wrong.returncode == NOT_UNDERSTOOD, wrong
    seen = set()
    for facts in FACTS, MORE:
        for step, program, *argv in commands(*facts):
            assert program == "msb", program
            result = run(home, argv)
            assert result.returncode != NOT_UNDERSTOOD, (step, argv, result.stderr)
            print(step, "->", result.returncode, (result.stderr.strip() or result.stdout.strip()).split("\n")[-1])
            seen.add(step)
            # Each option is really one of that command's: misspelt, it is not understood.
            for i, word in enumerate(argv):
                if word == "--":
                    break
                if word.startswith("--"):
                    bad = run(home, argv[:i] + [word + "-x"] + argv[i + 1:])
                    assert bad.returncode == NOT_UNDERSTOOD, (step, word, bad)
    assert seen == {"probe", "create", "connect", "destroy"}, seen
print("ok")
