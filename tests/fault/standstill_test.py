# SPDX-License-Identifier: MIT
"""standstill_test.py PROGRAM: what stands still for a while goes on (SIGSTOP, SIGCONT), and what loses its terminal ends
with all that it has started (SIGHUP)."""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
home = tempfile.mkdtemp(prefix="terrarium-standstill-")
os.mkdir(home + "/run", 0o700)
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
       "XDG_RUNTIME_DIR": home + "/run", "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config"}
wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)
        print("WRONG:", what)


def wait(holds, seconds):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def start(*args, **more):
    return subprocess.Popen([PROGRAM, *args], env=env, cwd=home, start_new_session=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **more)


def boxes():
    done = subprocess.run([PROGRAM, "ps", "--json"], env=env, cwd=home, capture_output=True)
    return json.loads(done.stdout or b"[]")


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            pids = [int(word) for word in f.read().split()]
    except OSError:
        return []
    return pids + [below for pid in pids for below in descendants(pid)]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def stand_still(whom, what):
    """A run of 1 s with a time-out of a minute, stopped for half a second in the middle of it."""
    code = "import time\nfor i in range(20): print(i, flush=True); time.sleep(0.05)"
    process = start("run", "--yes", "--timeout", "60", "-c", code)
    process.stdout.readline()
    pids = whom(process.pid)
    check(pids, f"{what}: nobody to stop")
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(0.5)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    try:
        out, err = process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        process.kill()
        return check(False, f"{what}: it hangs")
    check(process.returncode == 0 and out.endswith(b"\n19\n"), f"{what}: exit {process.returncode}, {out!r} {err!r}")


def loss_terminal(args, sign, typed, what):
    """What runs on a terminal that goes away ends, and leaves nothing."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execve(PROGRAM, [PROGRAM, *args], env)
    got = b""
    os.set_blocking(fd, False)

    def has_come(text):
        nonlocal got
        try:
            got += os.read(fd, 65536)
        except BlockingIOError:
            pass
        except OSError:
            return True
        return text in got
    check(wait(lambda: has_come(sign), 60), f"{what}: {got[-300:]!r} without {sign!r}")
    os.write(fd, typed)
    check(wait(lambda: has_come(b"") and len(boxes()) == 1, 60), f"{what}: no sandbox")
    has_come(b"")
    time.sleep(0.3)
    family = descendants(pid)
    check(family, f"{what}: it has started nothing")
    os.close(fd)  # the kernel sends SIGHUP
    check(wait(lambda: not is_alive(pid), 60), f"{what}: it goes on without a terminal")
    check(wait(lambda: not any(map(is_alive, family)), 60), f"{what}: {[p for p in family if is_alive(p)]} are left")
    check(wait(lambda: not boxes(), 60), f"{what}: {boxes()} is left")
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def agent_of(pid):
    """All of the sandbox: its supervisor, its agent, its kernels."""
    return descendants(pid)


probe = start("run", "--yes", "-c", "1")
if probe.wait(30) != 0:
    print("SKIP: no local sandbox on this machine")
    shutil.rmtree(home)
    sys.exit(77)
stand_still(lambda pid: [pid], "the program stands still")
stand_still(lambda pid: descendants(pid)[:1], "the supervisor stands still")
stand_still(lambda pid: descendants(pid)[1:], "the sandbox stands still")
stand_still(lambda pid: [pid] + descendants(pid), "everything stands still")
loss_terminal(["repl", "--yes"], b"[1]> ", b"while True: pass\r\r", "repl")
loss_terminal(["--yes"], b"\x1b[", b"", "workbench")
process = start("run", "--yes", "-c", "while True: pass")
wait(boxes, 20)
process.send_signal(signal.SIGHUP)
check(wait(lambda: process.poll() is not None, 5), "run goes on after SIGHUP")
check(wait(lambda: not boxes(), 60), "run has left its sandbox")
subprocess.run([PROGRAM, "stop", "--all", "--yes"], env=env, cwd=home, capture_output=True)
shutil.rmtree(home, ignore_errors=True)
print(len(wrong), "wrong")
sys.exit(bool(wrong))
