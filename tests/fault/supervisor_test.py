# SPDX-License-Identifier: MIT
"""supervisor_test.py PROGRAM: whenever a supervisor is killed (kill -9), and whoever is killed with it, nothing of its sandbox is
left within a second: no process, control group, directory, and no lock on a user's number."""
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, ROUNDS = os.path.abspath(sys.argv[1]), int(os.environ.get("SUPERVISOR_ROUNDS", "40"))
PR_SET_CHILD_SUBREAPER = 36
home = tempfile.mkdtemp(prefix="terrarium-supervisor-")
run_dir = home + "/run"
os.mkdir(run_dir, 0o700)
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
       "XDG_RUNTIME_DIR": run_dir, "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config"}
wrong, slowest_s = [], 0


def check(holds, what):
    if not holds:
        wrong.append(what)
        print("WRONG:", what, flush=True)


def wait(holds, seconds):
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > seconds:
            return None
        time.sleep(0.002)
    return time.monotonic() - start


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def state_of(pid):
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1]


def children(pid):
    return [int(word) for word in read(f"/proc/{pid}/task/{pid}/children").split()]


def orphans():
    """What has come to us because nobody else cares; the dead are buried."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    return [pid for pid in children(os.getpid()) if state_of(pid) not in ([], ["Z"])]


def supervisor_of(client):
    for pid in children(client):
        if read(f"/proc/{pid}/comm").startswith("terrarium-super"):
            return pid
    return None


def groups_of(supervisor):
    """In all trees, at or above our own group; a supervisor in one of version 2 may have stepped aside before."""
    found, root = set(), "/sys/fs/cgroup"
    for line in read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        for top in [f"{root}/{name}" for name in names.split(",") if name] or [root, root + "/unified"]:
            for above in (path, os.path.dirname(path), ""):
                group = os.path.normpath(f"{top}/{above}/terrarium-{supervisor}")
                found |= {group} if os.path.isdir(group) else set()
    return sorted(found)


def names_in(folder):
    try:
        return os.listdir(folder)
    except OSError:  # it goes with the last that was in it
        return []


def locks():
    """Numbers of users that nobody uses. (To try the lock would be in the way of who takes it away.)"""
    held, found = read("/proc/locks"), []
    for folder in ("/run/terrarium", "/tmp/terrarium-0", "/dev/shm/terrarium-0") if os.geteuid() == 0 else ():
        for name in names_in(folder):
            try:
                inode = os.stat(f"{folder}/{name}").st_ino
            except OSError:
                continue
            found += [name] if name.startswith("uid:") and f":{inode} " not in held else []
    return found


def entries():
    return [name for name in names_in(run_dir + "/terrarium") if name[0] != "."]


def left(supervisor):
    return [f"process {pid} {read(f'/proc/{pid}/comm').strip()}" for pid in orphans()] \
        + groups_of(supervisor) + entries() + locks()


def nothing_is_left(supervisor, what):
    global slowest_s
    took = wait(lambda: not left(supervisor), 30)
    check(took is not None, f"{what}: {left(supervisor)} are left")
    slowest_s = max(slowest_s, took or 30)
    for pid in orphans():
        os.kill(pid, signal.SIGKILL)


def start(*args):
    return subprocess.Popen([PROGRAM, *args], env=env, cwd=home, start_new_session=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kept_and_alone():
    """A kept sandbox with a daemon in it, to which nobody is attached."""
    code = ("import os, time\nif not os.fork():\n os.setsid()\n for fd in range(3): os.close(fd)\n time.sleep(600)\n"
            "print('up')")
    client = start("run", "--yes", "--keep", "--name", "alone", "-c", code)
    box = []
    wait(lambda: box.append(supervisor_of(client.pid)) or box[-1] or client.poll() is not None, 60)
    out, _ = client.communicate(timeout=60)
    check(client.returncode == 0 and box[-1], f"a kept sandbox: {out!r}")
    return box[-1]


def at_any_moment(delay_s, with_client):
    client = start("run", "--yes", "--keep", "--name", "early", "-c", "import time; time.sleep(600)")
    supervisor = []
    wait(lambda: supervisor.append(supervisor_of(client.pid)) or supervisor[-1] or client.poll() is not None, 60)
    if not supervisor[-1]:
        return check(False, f"no supervisor: {client.communicate()}")
    # Before it has a cleanup process there is nothing but the directory, which the next start takes away.
    wait(lambda: children(supervisor[-1]) or client.poll() is not None, 60)
    until = time.monotonic() + delay_s
    while time.monotonic() < until:
        pass
    if with_client:
        client.kill()
    kill(supervisor[-1])
    try:
        client.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        client.kill()
        check(False, f"the client hangs after the supervisor's death at {delay_s * 1000:.1f} ms")
    nothing_is_left(supervisor[-1], f"killed {delay_s * 1000:.1f} ms after its start{', its client too' * with_client}")


ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
probe = start("run", "--yes", "-c", "1")
if probe.wait(60) != 0:
    print("SKIP: no local sandbox on this machine")
    shutil.rmtree(home)
    sys.exit(77)
for _ in range(3):
    supervisor = kept_and_alone()
    kill(supervisor)
    nothing_is_left(supervisor, "kept, with nobody attached")
seed = int(os.environ.get("SUPERVISOR_SEED", time.time_ns() % 100000))
print("seed", seed)
any_ = random.Random(seed)
for i in range(ROUNDS):
    at_any_moment(any_.uniform(0, 0.02), i % 2)
shutil.rmtree(home, ignore_errors=True)
print(f"{len(wrong)} wrong, the slowest took {slowest_s * 1000:.0f} ms")
sys.exit(bool(wrong))
