# SPDX-License-Identifier: MIT
"""examples_test.py TERRARIUM LIBRARY_DIR PAGE [docker | net ADDRESS]: the examples of a page of documentation, run.

The `sh` blocks of a page are one script, on a terminal, with a person who answers what is asked (see ANSWERS). Where a
`text` block follows an example it is its output; … stands for anything. Python, JavaScript and Bash blocks run in
sandboxes, C blocks are compiled against the public headers, JSON is read.

Words behind the language of a block:
  setup    commands of the tree itself: only the verbs of ./dev are looked up
  server   runs in the background until the page ends
  docker   needs an engine: runs only in a test that says "docker", and nothing else does there
  elsewhere   needs a cluster or a public image: never runs
  net      needs a package index: likewise
  namespaces  needs a sandbox of the level "namespaces": does not run where there are none
  pattern  a `text` block that is not compared
  driver   the driver of a language: tests/languages/config_test.sh tries it"""
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import fcntl

TERRARIUM, LIBRARY, PAGE = (os.path.abspath(path) for path in sys.argv[1:4])
ONLY = sys.argv[4] if len(sys.argv) > 4 else None
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEADLINE_S = 240

# What a person sees, and what they then type. The first that fits what came since the last answer.
ANSWERS = [
    (r"Run (?:this|them|what you enter)\? *\[[^]]*\][^\n]*$", "y\n"),            # run, repl, demo
    (r"\[ +Run once +\]", "\r"),                          # the workbench
    (r"\[ +(?:Quit|Leave|Detach)[^]]*\]", "\r"),
    (r"F10 (?:\^Q )?Quit|Quit *$", "\x1b[21~"),
    (r"q Quit|Next run", "q"),                            # replay
    (r"(?:python|js|javascript) [^\n]*\[\d+\]> *$", "\x04"),
    (r"[$#] $", "exit\n"),                                 # exec -- bash
]

FILES = {
    "hello.py": "print('hello')\n",
    "book.ipynb": '{"cells": [{"cell_type": "code", "source": "6 * 7"}]}\n',
    "sum.js": "process.stdin.on('data', d => console.log(String(d).trim().split('\\n').reduce((a, b) => a + +b, 0)))\n",
    "job.py": "print(sum(range(10)))\n",
    "report.py": "print('all is well')\n",
    "plot.py": "import sys\nprint('no plot without matplotlib')\n",
    "show.py": "# %% one\nprint(1)\n# %% two\nprint(2)\n",
    "report.csv": "a,b\n1,2\n",
    "data/numbers": "1\n2\n",
    "env/Dockerfile": "FROM python:3.13-slim\n",
}


def blocks(page):
    """(line, language, words, text), in order."""
    text = open(page, encoding="utf-8").read()
    return [(text.count("\n", 0, m.start()) + 1, m[1], m[2].split(), m[3], text[m.end():])
            for m in re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", text, re.M | re.S)]


def expected(found, i):
    """The text block that follows block i at once, or None."""
    if i + 1 < len(found) and found[i + 1][1] == "text" and re.match(r"\s*```text", found[i][4]):
        return found[i + 1][3]
    return None


def check_output(line, got, want):
    pattern = re.escape(want.rstrip()).replace("…", ".*")
    if not re.fullmatch(pattern, got.strip(), re.S):
        sys.exit(f"{PAGE}:{line}: printed\n{got}\nand not\n{want}")


def plain(text):
    """What is left of it without control sequences."""
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>78])", "", text)
    return text.replace("\r", "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Bed:
    """A folder for everything, and the program with that as its world."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder + "/bin")
        os.symlink(TERRARIUM, folder + "/bin/terrarium")
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(folder + "/run", 0o700)
        keep = {name: value for name, value in os.environ.items()
                if name.startswith(("DOCKER_", "CONTAINERS_", "PIP_", "npm_config_"))}
        self.env = dict(keep, PATH=f"{folder}/bin:" + os.environ.get("PATH", "/usr/bin:/bin"), HOME=folder, TMPDIR=folder,
                        XDG_CONFIG_HOME=folder + "/config", XDG_STATE_HOME=folder + "/state", LC_ALL="C.UTF-8",
                        XDG_DATA_HOME=folder + "/data-home", XDG_CACHE_HOME=folder + "/cache",
                        XDG_RUNTIME_DIR=folder + "/run", TERM="xterm-256color", **bed_extra())

    def run(self, *args, **more):
        return subprocess.run(args, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE_S, **more)


def bed_extra():
    return {"TERRARIUM_NET_ALLOW": sys.argv[5] + "/32"} if ONLY == "net" else {}


def on_terminal(bed, script):
    """Run it with somebody who answers; its output and exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(bed.folder)
        os.execvpe("bash", ["bash", script], bed.env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    out, since, end = "", "", time.monotonic() + DEADLINE_S
    while True:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGHUP)
            sys.exit(f"{PAGE}: the examples do not end; the last output was\n{plain(out)[-3000:]}")
        if not select.select([fd], [], [], 0.2)[0]:
            for pattern, keys in ANSWERS: # nothing more comes: somebody is waited for, perhaps
                if re.search(pattern, plain(since)):
                    os.write(fd, keys.encode())
                    since = ""
                    break
            continue
        try:
            piece = os.read(fd, 65536).decode("utf-8", "replace")
        except OSError:
            piece = ""
        if not piece:
            break
        out += piece
        since += piece
    return plain(out), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def lacks_namespaces():
    """Why not, or ''."""
    done = subprocess.run(["sh", TREE + "/tests/support/namespaces.sh"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode else ""


def compose(found, port):
    """The script of a page, and the blocks whose output it marks."""
    lack = lacks_namespaces()
    script = ["set -eu -o pipefail", "trap 'code=$?; for job in $(jobs -p); do kill $job; done; wait; exit $code' EXIT"]
    parts = []
    for i, (line, language, words, text, _) in enumerate(found):
        if language != "sh" or "setup" in words or (ONLY or "") != ("".join({"docker", "net", "elsewhere"} & set(words))):
            continue
        if "namespaces" in words and lack:
            print(f"{PAGE}:{line}: not tried: {lack}")
            continue
        text = text.replace("5555", str(port))
        script.append(f"echo; echo @@{i}")
        if "server" in words:
            text = re.sub(r"(terrarium serve[^#\n]*)", rf"\1 --port {port} >server.log 2>&1 & ", text)
            text += f"until curl -s http://127.0.0.1:{port}/api/v1/health; do kill -0 $!; sleep 0.1; done\n"
        script.append(text)
        parts.append(i)
    script.append("echo; echo @@end")
    return "\n".join(script).replace("requests", "demo" if ONLY == "net" else "requests"), parts


def try_shell(bed, found):
    script, parts = compose(found, free_port())
    if not parts:
        return
    with open(bed.folder + "/script", "w", encoding="utf-8") as file:
        file.write(script)
    out, code = on_terminal(bed, "script")
    sections = dict(re.findall(r"^@@(\w+)\n(.*?)(?=^@@|\Z)", out, re.M | re.S))
    if code != 0 or "end" not in sections:
        last = [i for i in parts if str(i) in sections][-1]
        sys.exit(f"{PAGE}:{found[last][0]}: ended with {code}:\n{found[last][3]}\n{sections[str(last)][-3000:]}")
    for i in parts:
        if (want := expected(found, i)) is not None:
            check_output(found[i][0], sections[str(i)], re.sub("5555", "[0-9]+", want))
    print(f"{len(parts)} blocks of commands: ok")


def try_code(bed, line, language, text):
    name = bed.folder + "/example" + {"python": ".py", "javascript": ".js", "bash": ".sh"}[language]
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    done = bed.run("terrarium", "run", "--yes", name)
    if done.returncode != 0:
        sys.exit(f"{PAGE}:{line}: {done.stderr}")
    return done.stdout


def try_c(bed, line, text):
    with open(bed.folder + "/client.c", "w", encoding="utf-8") as file:
        file.write(text)
    done = bed.run("cc", "-Wall", "-Wextra", "-Werror", "client.c", "-o", "client", f"-I{TREE}/lib/include", f"-L{LIBRARY}",
                   "-lterrarium", f"-Wl,-rpath,{LIBRARY}")
    if done.returncode == 0:
        done = bed.run("./client")
    if done.returncode != 0:
        sys.exit(f"{PAGE}:{line}: {done.stderr}")
    return done.stdout


def try_config(bed, line, text):
    with open(bed.folder + "/config.json", "w", encoding="utf-8") as file:
        file.write(text)
    done = bed.run("terrarium", "check", "config", "--config", "config.json")
    if done.returncode != 0:
        sys.exit(f"{PAGE}:{line}: {done.stdout}{done.stderr}")


def try_setup(line, text):
    usage = subprocess.run([TREE + "/dev", "-h"], capture_output=True, text=True, check=True).stdout
    for verb in re.findall(r"^\./dev (\w+)", text, re.M):
        if not re.search(rf"^  {verb}\b", usage, re.M):
            sys.exit(f"{PAGE}:{line}: there is no './dev {verb}'")


def main():
    found = blocks(PAGE)
    folder = tempfile.mkdtemp(prefix="terrarium-docs-", dir="/tmp")
    os.chmod(folder, 0o755)  # without namespaces a sandbox has a user of its own, who has to reach what is mounted
    bed = Bed(folder)
    try:
        if ONLY == "docker":  # the image that the page names is one of the test's own engine
            bed.run("docker", "tag", "localhost/tt:deb", "python:3.13-slim", check=True)
        if bed.run("terrarium", "run", "--yes", "-c", "1").returncode != 0:
            print("skipped: no local sandbox starts here")
            sys.exit(77)
        try_shell(bed, found)
        for i, (line, language, words, text, _) in enumerate(found):
            got = None
            if ONLY:
                break
            if language in ("python", "javascript", "bash") and "driver" not in words:
                got = try_code(bed, line, language, text)
            elif language == "c":
                got = try_c(bed, line, text)
            elif language == "jsonc":
                try_config(bed, line, text)
            elif language == "json":
                json.loads(text)
            elif language == "sh" and "setup" in words:
                try_setup(line, text)
            elif language not in ("sh", "text") and "driver" not in words:
                sys.exit(f"{PAGE}:{line}: a block in the language '{language}' is run by nobody")
            if got is not None and (want := expected(found, i)) is not None:
                check_output(line, got, want)
    finally:
        bed.run("terrarium", "stop", "--all", "--yes")
        if ONLY == "docker":
            bed.run("docker", "rm", "-f", "web")
            bed.run("docker", "rmi", "python:3.13-slim", "lab:2")
        shutil.rmtree(folder, ignore_errors=True)
    print("ok")


main()
