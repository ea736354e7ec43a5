# SPDX-License-Identifier: MIT
"""examples_test.py TERRARIUM EXAMPLE MANPAGE: an example of terrarium-backends(5), as it stands there, at work.

ssh: to an sshd of our own on loopback, with its own keys. nspawn: the real one, in a folder of this machine's own
programs; where no systemd runs, systemd-run is a stand-in of five lines. plain: the agent as a child process."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TERRARIUM, EXAMPLE, PAGE = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
PLAIN = """"plain": { "user": "same", "workdir": "/tmp/{name}", "steps": {
  "connect": ["{agent}", "connect", "--key", "{key}", "--start", {"each": "option", "args": ["{option}"]}],
  "destroy": [["{agent}", "stop", "--key", "{key}"], ["rm", "-rf", "/tmp/{name}"]] } }"""


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


def examples():
    """What the page shows, as a dictionary: its roff is taken off."""
    found = {}
    for block in re.findall(r"^\.SS [^\n]*\n\.nf\n(.*?)^\.fi$", open(PAGE, encoding="utf-8").read(), re.M | re.S) + [PLAIN]:
        found.update(json.loads("{" + block.replace(r"\-", "-").replace(r"\e", "\\") + "}"))
    return found


def from_docs():
    """Those of docs/backends.md, whose JSON has comments in lines of their own."""
    text = open(os.path.join(os.path.dirname(PAGE), "..", "docs", "backends.md"), encoding="utf-8").read()
    block = re.search(r"^```jsonc\n(.*?)^```$", text, re.M | re.S).group(1)
    return json.loads(re.sub(r"^\s*//.*$", "", block, flags=re.M))["backends"]


class Bed:
    """A folder for everything, and the program with that as its world."""

    def __init__(self, folder):
        self.folder, self.env = folder, dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder + "/config",
                                             XDG_RUNTIME_DIR=folder + "/run", LC_ALL="C.UTF-8")
        for name in ("TERRARIUM_CONFIG", "TERRARIUM_BACKEND"):
            self.env.pop(name, None)
        os.makedirs(folder + "/config/terrarium")
        os.mkdir(folder + "/run", 0o700)

    def configure(self, recipes):
        with open(self.folder + "/config/terrarium/config.json", "w") as file:
            json.dump({"backends": recipes}, file)

    def start(self, *args, **more):
        return subprocess.Popen([TERRARIUM, *args], env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def run(self, *args, code=0):
        child = self.start(*args)
        try:
            out, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise AssertionError((args, child.communicate()))
        assert child.returncode == code, (args, child.returncode, out, err)
        return out.strip()


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not (value := what()):
        assert time.monotonic() < end, "this should have become true by now"
        time.sleep(0.02)
    return value


def runs(command):
    """Is there a process with these very words as its command?"""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if open(path).read().rstrip("\0").split("\0") == command.split():
                return True
        except OSError:
            continue
    return False


# ---- what each of them needs ----

def prepare_ssh(folder, recipe):
    """An sshd that lets the owner of a new key in as who we are."""
    if not (sshd := shutil.which("sshd", path="/usr/sbin:/sbin")) or not shutil.which("ssh"):
        skip("there is no sshd (Debian: openssh-server, openssh-client)")
    if os.geteuid() != 0:
        skip("an sshd lets only root in as whoever it is")
    os.makedirs("/run/sshd", exist_ok=True)
    for key in "host", "mine":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{key}"], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(folder + "/sshd_config", "w") as file:
        file.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/mine.pub\n"
                   "StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n")
    with open(folder + "/known", "w") as file:
        file.write(f"[127.0.0.1]:{port} " + open(folder + "/host.pub").read())
    daemon = subprocess.Popen([sshd, "-D", "-e", "-f", folder + "/sshd_config"], stderr=open(folder + "/sshd.log", "w"))
    until(lambda: daemon.poll() is not None or "listening" in open(folder + "/sshd.log").read())
    assert daemon.poll() is None, open(folder + "/sshd.log").read()
    assert recipe["program"][-1] == "me@box"
    recipe["program"][-1:] = ["-F", "none", "-i", folder + "/mine", "-o", f"UserKnownHostsFile={folder}/known",
                              "-p", str(port), "127.0.0.1"]
    return daemon


STAND_IN = """#!/bin/sh
while :; do case $1 in -*) shift ;; *) break ;; esac; done
setsid "$@" >"$FOLDER/machine.log" 2>&1 </dev/null &
echo $! >"$FOLDER/machine"
"""
STOP = """#!/bin/sh
[ ! -e "$FOLDER/machine" ] || kill "$(cat "$FOLDER/machine")" 2>/dev/null
"""


def prepare_nspawn(folder, bed):
    """A root with some programs of this machine in it; and what systemd would do, if that does not run."""
    if not shutil.which("systemd-nspawn"):
        skip("there is no systemd-nspawn (Debian: systemd-container)")
    if os.geteuid() != 0:
        skip("systemd-nspawn needs root")
    root = folder + "/root"
    os.mkdir(root)
    for name in "bin", "lib", "lib64", "sbin":
        if os.path.islink("/" + name):
            os.symlink(os.readlink("/" + name), f"{root}/{name}")
    for name in "usr", "etc", "tmp", "run", "var", "proc", "sys", "dev":
        os.mkdir(f"{root}/{name}")
    open(root + "/etc/os-release", "w").close()
    for program in "bash", "sleep", "cat":
        path = os.path.realpath(shutil.which(program))
        libraries = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        for file in [path] + re.findall(r"(/\S+) \(0x", libraries):
            place = root + (file if file.startswith("/usr/") else "/usr" + file)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(file, place)
    if not os.path.isdir("/run/systemd/system"):
        os.mkdir(folder + "/bin")
        for name, text in ("systemd-run", STAND_IN), ("systemctl", STOP):
            with open(f"{folder}/bin/{name}", "w") as file:
                file.write(text)
            os.chmod(f"{folder}/bin/{name}", 0o755)
        bed.env.update(PATH=f"{folder}/bin:" + bed.env["PATH"], FOLDER=folder, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY="1")
    return root


# ---- what is tried ----

def leftovers(name):
    """Of a sandbox of that name, on the other side, which is this machine."""
    processes = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = open(path).read()
        except OSError:
            continue
        if f"terrarium-{name}-" in words:
            processes.append(words.replace("\0", " "))
    return processes + glob.glob(f"/tmp/terrarium-{name}-*")


def try_all(bed, more):
    name = f"ex{os.getpid()}"
    # A run that ends, with what it printed on its two streams, and its exit code.
    assert bed.run("run", "--yes", "--name", name, *more, "-l", "bash", "-c", "echo one; echo two >&2; exit 3", code=3) == "one"
    until(lambda: not leftovers(name))
    print("run: ok")

    # State stays, for several programs one after the other.
    bed.run("run", "--yes", "--keep", "--name", name, *more, "-l", "bash", "-c", "x=41; echo text >file")
    assert bed.run("run", "--yes", "--name", name, "-l", "bash", "-c", "echo $((x + 1)); cat file") == "42\ntext"
    assert bed.run("exec", name, "--", "cat", "file") == "text"
    assert leftovers(name)
    print("state: ok")

    # Files, there and back.
    with open(bed.folder + "/data", "wb") as file:
        file.write(os.urandom(1 << 20))
    bed.run("cp", "data", name + ":data")
    bed.run("cp", name + ":data", "back")
    assert open(bed.folder + "/data", "rb").read() == open(bed.folder + "/back", "rb").read()
    print("files: ok")

    # Output comes while it runs; an interrupt ends what runs, with all that it has started, and no more than that.
    child = bed.start("exec", name, "--", "bash", "-c", "echo begun; sleep 97531; echo after")
    assert child.stdout.readline() == "begun\n"
    print("streaming: ok")
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode != 0
    until(lambda: not runs("sleep 97531"))
    assert bed.run("run", "--yes", "--name", name, "-l", "bash", "-c", "echo $x") == "41"
    print("interrupt: ok")

    # A time-out kills what runs over.
    bed.run("run", "--yes", "--name", name, "--timeout", "1", "-l", "bash", "-c", "sleep 97532", code=124)
    until(lambda: not runs("sleep 97532"))
    print("time-out: ok")

    bed.run("stop", name)
    until(lambda: not leftovers(name))
    assert name not in bed.run("ps", "--names")
    print("stop: ok, nothing is left")


with tempfile.TemporaryDirectory(prefix="tx") as top:
    bed, daemon, more = Bed(top), None, ["--backend", EXAMPLE]
    os.chmod(top, 0o755)
    all_of_them = examples()
    assert set(all_of_them) == {"ssh-box", "nerdctl", "nspawn", "plain"}
    recipe = all_of_them[EXAMPLE]
    if EXAMPLE == "ssh-box":
        daemon = prepare_ssh(top, recipe)
    elif EXAMPLE == "nspawn":
        more += ["--image", prepare_nspawn(top, bed)]
    all_of_them.update(("docs-" + name, recipe) for name, recipe in from_docs().items())
    bed.configure(all_of_them)
    try:
        listed = {b["name"]: b for b in json.loads(bed.run("backends", "--json"))}
        assert EXAMPLE == "plain" or listed[EXAMPLE]["works"], listed[EXAMPLE]
        for name in all_of_them: # whether it works or not: there is no mistake in it
            assert "config.json" not in (listed[name]["detail"] or ""), listed[name]
        try_all(bed, more)
    finally:
        bed.start("stop", "--all", "--yes").communicate(timeout=60)
        if daemon:
            daemon.terminate()
            daemon.wait()
print("ok")
