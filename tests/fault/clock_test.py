# SPDX-License-Identifier: MIT
"""clock_test.py PROGRAM CLOCK: the machine's clock is set, by hours and both ways, while things run (CLOCK, a library that
is preloaded, says so): time-outs, ages and the times in recordings go on as if it had not been."""
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, CLOCK = map(os.path.abspath, sys.argv[1:3])
HOURS = 3600
home = tempfile.mkdtemp(prefix="terrarium-clock-")
os.mkdir(home + "/run", 0o700)
shift_path = home + "/shift"
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
       "XDG_RUNTIME_DIR": home + "/run", "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config"}
shifted = env | {"LD_PRELOAD": CLOCK, "CLOCK_SHIFT": shift_path}
wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)
        print("WRONG:", what)


def set_clock(seconds):
    with open(shift_path + ".new", "w") as f:
        f.write(str(seconds))
    os.rename(shift_path + ".new", shift_path)


class Jumping:
    """The clock is set again and again."""
    def __enter__(self):
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.jump)
        self.thread.start()

    def jump(self):
        steps = [5 * HOURS, -5 * HOURS, 0, 30 * 24 * HOURS, -30 * 24 * HOURS]
        while not self.is_over.wait(0.05):
            steps.append(steps.pop(0))
            set_clock(steps[0])

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        set_clock(0)


def run(*args):
    begun = time.monotonic()
    done = subprocess.run([PROGRAM, *args], env=shifted, cwd=home, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=120)
    return done, time.monotonic() - begun


def time_outs():
    done, took_s = run("run", "--yes", "--json", "--timeout", "1", "-c", "while True: pass")
    check(done.returncode == 124 and 0.9 < took_s < 100, f"a time-out of 1 s: {done.returncode} after {took_s:.1f} s")
    check(b'"timeout"' in done.stdout, f"the result: {done.stdout!r}")
    done, took_s = run("run", "--yes", "--json", "--timeout", "100", "-c", "import time; time.sleep(1.5)")
    wall_ms = next((json.loads(line)["wall_ms"] for line in done.stdout.splitlines() if b'"wall_ms"' in line), -1)
    check(done.returncode == 0 and 1400 < wall_ms < 100000, f"a run of 1.5 s: {done.returncode}, {wall_ms} ms")


def listed(what):
    done, _ = run("ps", "--json")
    rows = [row for row in json.loads(done.stdout or b"[]") if row["name"] == "aging"]
    check(len(rows) == 1, f"{what}: ps shows {done.stdout!r} {done.stderr!r}")
    return rows[0] if rows else None


def ages():
    done, _ = run("run", "--yes", "--keep", "--name", "aging", "-c", "1")
    check(done.returncode == 0, f"a kept sandbox: {done.stderr!r}")
    time.sleep(1.1)
    for shift_s in (5 * HOURS, -5 * HOURS, 400 * 24 * HOURS):
        set_clock(shift_s)
        row = listed(f"{shift_s} s")
        if row:
            for key in ("age_s", "idle_s"):
                check(0.9 < row[key] < 3600, f"the clock set by {shift_s} s: {key} is {row[key]}")
    set_clock(0)
    run("stop", "aging", "--yes")


def idle_time_out():
    done, _ = run("run", "--yes", "--keep", "--name", "aging", "--idle-timeout", "2", "-c", "1")
    check(done.returncode == 0, f"a kept sandbox: {done.stderr!r}")
    ended = time.monotonic()
    check(listed("while idle") is not None, "it should be there")
    while time.monotonic() - ended < 120 and b"aging" in run("ps", "--json")[0].stdout:
        time.sleep(0.05)
    took_s = time.monotonic() - ended
    check(1.5 < took_s < 120, f"an idle time-out of 2 s took {took_s:.1f} s")


def recording():
    """In the workbench, on the fake backend."""
    path = home + "/recording"
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execve(PROGRAM, [PROGRAM, "--backend", "fake", "--confirm", "off", "--record", path], shifted)
    def read_for(seconds, until=None):
        deadline, got = time.monotonic() + seconds, b""
        while time.monotonic() < deadline and not (until and until in got):
            if select.select([fd], [], [], 0.05)[0]:
                try:
                    got += os.read(fd, 65536)
                except OSError:
                    break
        return got
    begun = time.monotonic()
    check(b"idle" in read_for(60, b"idle"), "the workbench does not start")
    os.write(fd, b"print one\r" + b"sleep 1000" + b"\x1b[15~")
    read_for(60, "✓".encode())
    os.write(fd, b"\x1b[21~")
    read_for(1)
    os.write(fd, b"q")
    read_for(60, b"?1049l")
    os.close(fd)
    os.waitpid(pid, 0)
    took_us = (time.monotonic() - begun) * 1e6
    with open(path) as f:
        events = [json.loads(line) for line in f]
    times = [event["t"] * 1e6 for event in events if "t" in event]
    check(times and times == sorted(times) and 0 <= min(times) and max(times) <= took_us, f"times in a recording: {times}")
    walls = [event["wall_us"] for event in events if "wall_us" in event]
    check(walls and all(900000 < wall < 6e7 for wall in walls), f"the run of 1 s took {walls} us")


set_clock(0)
probe, _ = run("run", "--yes", "-c", "1")
if probe.returncode != 0:
    print("SKIP: no local sandbox on this machine")
    shutil.rmtree(home)
    sys.exit(77)
set_clock(5 * HOURS)
there = subprocess.run(["date", "+%s"], env=shifted, capture_output=True).stdout
check(abs(int(there) - time.time() - 5 * HOURS) < 60, f"the library has no effect: {there!r}")
with Jumping():
    time_outs()
    idle_time_out()
    recording()
ages()
subprocess.run([PROGRAM, "stop", "--all", "--yes"], env=env, cwd=home, capture_output=True)
shutil.rmtree(home, ignore_errors=True)
print(len(wrong), "wrong")
sys.exit(bool(wrong))
