# SPDX-License-Identifier: MIT
"""soak.py PROGRAM SECONDS: a day of work in a short time, with everything that can go wrong in it.

One REPL and one kept sandbox stay all the time. Around them programs come and go: runs in all languages, floods,
interrupts at any moment, clients that are killed or stopped for a while, sandboxes whose supervisor or agent is killed,
kernels that end themselves, resets and restarts, copies. After each round all that belongs to those who stay is
counted: memory, descriptors, processes; and on the machine: processes, mounts, control groups and files of sandboxes.
What has grown is told, and makes the exit status 1. The same seed (SOAK_SEED) gives the same deeds.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2])
SEED = int(os.environ.get("SOAK_SEED", time.time_ns() % 100000))
MOST_S = 30  # that anything may take
# What allocators and interpreters may keep; a leak of each run's would be more, in the end.
SPARE_KIB = {"repl": 3000, "supervisor": 400, "agent": 1000}
# As a shell's job in the background we would be deaf to it, and so would be our programs until they listen.
signal.signal(signal.SIGINT, signal.default_int_handler)
any_ = random.Random(SEED)
home = tempfile.mkdtemp(prefix="terrarium-soak-")
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
       "XDG_RUNTIME_DIR": home + "/run", "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config"}
counts, complaints = {}, []

OK = {"python": "print(6 * 7)", "javascript": "console.log(6 * 7)", "bash": "echo $((6 * 7))"}
LOOP = {"python": "while True: pass", "javascript": "while (true);", "bash": "while :; do :; done"}
FLOOD = {"python": "while True: print('x' * 4000)", "javascript": "while (true) console.log('x'.repeat(4000))",
         "bash": "yes flood"}
DIE = {"python": "import os; os.kill(os.getpid(), 9)", "javascript": "process.kill(process.pid, 'SIGKILL')",
       "bash": "kill -9 $$"}
FAIL = {"python": "1/0", "javascript": "throw new Error('no')", "bash": "false"}


def complain(text):
    complaints.append(text)
    print("soak:", text, flush=True)


def start(*args, **more):
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([PROGRAM, *args], env=env, cwd=home, start_new_session=True, **more)


def tell_states():
    """All processes of this user's sandboxes, and what the kept one is doing."""
    print(subprocess.run(["ps", "-eo", "pid,ppid,stat,wchan:20,etimes,time,args"], capture_output=True, text=True).stdout)
    for args in (["ps"], ["inspect", "stays"]):
        try:
            print(subprocess.run([PROGRAM, *args], env=env, cwd=home, capture_output=True, text=True, timeout=MOST_S).stdout)
        except subprocess.TimeoutExpired:
            print(*args, "hangs, too")


def end(process, codes, what):
    """Its output, once it has ended with one of these codes."""
    try:
        out, err = process.communicate(timeout=MOST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        complain(f"{what}: it hangs")
        tell_states()
        return ""
    if process.returncode not in codes:
        complain(f"{what}: exit {process.returncode}: {(err or b'').decode(errors='replace')[-300:]}")
    return (out or b"").decode(errors="replace")


def run(*args, codes=(0,)):
    return end(start(*args), codes, " ".join(args)[:200])


def wait(holds, what, seconds=MOST_S):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return what and complain(f"{what}: not within {seconds} s")
        time.sleep(0.02)
    return True


# ---- deeds: each in a sandbox of its own, or (`place`) in the kept one --------------------------

def language():
    return any_.choice(LANGUAGES)


def place():
    return ["--name", "stays"] if any_.random() < 0.5 else []


def deed_run():
    lang = language()
    if "42" not in run("run", "--yes", *place(), "-l", lang, "-c", OK[lang]):
        complain(f"run in {lang}: no 42")


def deed_fail():
    lang = language()
    run("run", "--yes", *place(), "-l", lang, "-c", FAIL[lang], codes=(1,))


def deed_die():
    lang = language()
    run("run", "--yes", *place(), "-l", lang, "-c", DIE[lang], codes=(1, 137))


def deed_timeout():
    lang = language()
    run("run", "--yes", *place(), "--timeout", "0.3", "-l", lang, "-c", any_.choice((LOOP, FLOOD))[lang], codes=(124,))


def begun(code=LOOP):
    lang = language()
    where = place()
    process = start("run", "--yes", *where, "--timeout", "10", "-l", lang, "-c", code[lang],
                    stdout=subprocess.DEVNULL)
    time.sleep(any_.uniform(0, 0.4))  # at any moment: also while it starts
    return process


def deed_interrupt():
    process = begun(any_.choice((LOOP, FLOOD)))
    process.send_signal(any_.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
    end(process, (130, 143, 129, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP), "an interrupted run")


def deed_kill_client():
    process = begun(any_.choice((LOOP, FLOOD)))
    process.kill()
    end(process, (-9,), "a killed run")


def deed_stop_client():
    lang = language()
    process = start("run", "--yes", *place(), "-l", lang, "-c", OK[lang])
    time.sleep(any_.uniform(0, 0.2))
    process.send_signal(signal.SIGSTOP)
    time.sleep(any_.uniform(0, 0.5))
    process.send_signal(signal.SIGCONT)
    if "42" not in end(process, (0,), "a run that stood still"):
        complain("a run that stood still: no 42")


def deed_kill_supervisor():
    """Of a sandbox of its own."""
    name = f"dies-{any_.randrange(1000000)}"
    process = start("run", "--yes", "--name", name, "--timeout", "10", "-c", LOOP["python"])
    if wait(lambda: supervisor_of(name) or process.poll() is not None, "a sandbox that is to die"):
        pid = supervisor_of(name)
        victim = any_.choice([pid, *children(pid)])  # bubblewrap; its cleanup process, without whom the run goes on
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    end(process, (1, 3, 4, 124, 125, 137), "a run whose sandbox was killed")


def deed_copy():
    with open(home + "/file", "wb") as f:
        f.write(any_.randbytes(any_.randrange(300000)))
    run("cp", home + "/file", "stays:/tmp/file")
    run("cp", "stays:/tmp/file", home + "/back")
    with open(home + "/file", "rb") as a, open(home + "/back", "rb") as b:
        if a.read() != b.read():
            complain("a copy has come back changed")


def deed_exec():
    run("exec", "stays", "--", "sh", "-c", "head -c 100000 /dev/zero | wc -c")


def deed_look():
    run("ps")
    run("metrics", "stays", "--once") if HAS_ONCE else run("inspect", "stays")


DEEDS = [deed_run, deed_run, deed_fail, deed_die, deed_timeout, deed_interrupt, deed_interrupt, deed_kill_client,
         deed_stop_client, deed_kill_supervisor, deed_copy, deed_exec, deed_look]


class Repl:
    """It stays, and is told what to do on its standard input."""

    def __init__(self):
        self.process = start("repl", "--yes", "--timeout", "20", stdin=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.n = 0

    def say(self, text):
        """Then wait for a mark of our own."""
        self.n += 1
        mark = f"mark-{self.n}-end"
        self.process.stdin.write(f"{text}\n:lang python\nprint('mark-%d-end' % {self.n})\n\n".encode())
        self.process.stdin.flush()
        got = b""

        def has_come():
            nonlocal got
            got = (got + (self.process.stdout.read() or b""))[-4000:]
            return mark.encode() in got or self.process.poll() is not None
        if not wait(has_come, None):
            complain(f"the REPL does not answer after {text!r}: {got[-300:]!r}")
        if self.process.poll() is not None:
            raise SystemExit(f"soak: the REPL has ended, exit {self.process.poll()}, at {text!r}: {got[-300:]!r}")

    def deed(self):
        lang = language()
        self.say(any_.choice([":lang python\nx = [1] * 100000", f":lang {lang}\n{OK[lang]}", f":lang {lang}\n{FAIL[lang]}",
                              ":lang python\nprint('y' * 3000000)", f":lang {lang}\n{DIE[lang]}", ":reset", ":restart",
                              ":vars", ":lang python\nimport warnings\n\nprint(1, file=__import__('sys').stderr)"]))

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdin = None
        end(self.process, (0, 1, 3, 137), "the REPL's end")


# ---- what there is -------------------------------------------------------------------------------

def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def supervisor_of(name):
    try:
        boxes = json.loads(subprocess.run([PROGRAM, "ps", "--json"], env=env, cwd=home, capture_output=True).stdout or b"[]")
    except ValueError:
        return None
    return next((box["supervisor_pid"] for box in boxes if box["name"] == name), None)


def pss_kib(pid):
    """In a container not even root may look closely at another user's process."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("Pss_Anon") or line.startswith("Private_Dirty"))
    except PermissionError:
        with open(f"/proc/{pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("RssAnon"))


def descriptors(pid):
    """None: as above. The agent keeps one for each process that it has measured: these come and go."""
    try:
        return sum(not re.fullmatch(r"/proc/\d+/stat", link) for link in links(pid))
    except PermissionError:
        return None


def links(pid):
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    return found


def descends(pid):
    return 1 + sum(descends(child) for child in children(pid))


def agent_of(supervisor):
    """Our agent, by its name; bubblewrap, which has the agent's arguments too, is not meant."""
    todo = [supervisor]
    while todo:
        pid = todo.pop()
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                argv = f.read().split(b"\0")
            if b"serve" in argv and not argv[0].endswith(b"bwrap") and pid != supervisor:
                return pid
        except OSError:
            pass
        todo += children(pid)
    return None


def ours():
    """All processes that have our home in their environment or are children of such: the machine's view."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if home.encode() in f.read() and int(pid) != os.getpid():
                    found.add(int(pid))
        except OSError:
            pass
    return found


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def is_elsewhere(group):
    """Of a supervisor in another namespace of processes, where it has another number: all in it have two, or more."""
    numbers = [len(line.split()) - 1 for pid in read(group + "/cgroup.procs").split()
               for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("NSpid:")]
    return bool(numbers) and min(numbers) > 1


def groups():
    """Of supervisors that are no more. (Others may have sandboxes on this machine too.)"""
    found = set()
    for where, dirs, _ in os.walk("/sys/fs/cgroup"):
        found |= {os.path.join(where, name) for name in dirs
                  if name.startswith("terrarium-") and name[10:].isdigit() and not os.path.exists("/proc/" + name[10:])}
    return {group for group in found if not is_elsewhere(group)}


def mounts():
    """Of ours: all our paths begin with our home. (Others may have sandboxes on this machine too.)"""
    with open("/proc/self/mounts") as f:
        return sum(home in line for line in f)


def state():
    now = {"mounts": mounts(), "files": len(os.listdir(home + "/run/terrarium"))}
    supervisor = supervisor_of("stays")
    for name, pid in (("repl", repl.process.pid), ("supervisor", supervisor), ("agent", supervisor and agent_of(supervisor))):
        if pid:
            now[name + " KiB"], now[name + " descriptors"] = pss_kib(pid), descriptors(pid)
        else:
            complain(f"there is no {name} any more")
    now["processes"] = len(ours()) + (descends(supervisor) if supervisor else 0) + descends(repl.process.pid)
    now["groups"] = len(groups() - groups_before)
    return now


def grown(before, now):
    def spare(key):
        if key.endswith("descriptors"):
            return 3  # some are opened when they are first wanted, once
        return SPARE_KIB[key.split()[0]] if key.endswith("KiB") else 0

    return {key: (before[key], now[key]) for key in before if (now.get(key) or 0) > (before[key] or 0) + spare(key)}


def settled(before):
    """What has just ended may take a moment."""
    now = state()
    deadline = time.monotonic() + 5
    while before and any(not key.endswith("KiB") for key in grown(before, now)) and time.monotonic() < deadline:
        time.sleep(0.1)
        now = state()
    return now


def tell(seconds, now):
    print(f"{seconds:6.0f} s  {sum(counts.values()):5d} deeds  " + "  ".join(f"{k} {v}" for k, v in now.items()), flush=True)


def renew():
    """The kernels of those who stay are the code's: they begin each round anew. And what a killed supervisor has left is
    cleared up by the next program that starts a sandbox."""
    run("run", "--yes", "-c", "1")
    for lang in LANGUAGES:
        run("run", "--yes", "--name", "stays", "-l", lang, "-c", OK[lang])
        repl.say(f":lang {lang}\n{OK[lang]}")


def round_of(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if any_.random() < 0.4:
            counts["repl"] = counts.get("repl", 0) + 1
            repl.deed()
        else:
            deed = any_.choice(DEEDS)
            counts[deed.__name__[5:]] = counts.get(deed.__name__[5:], 0) + 1
            deed()


def soak():
    start_s = time.monotonic()
    part = max(3, min(30, SECONDS / 5))
    round_of(part)  # fills what is kept once
    renew()
    before = settled(None)
    tell(time.monotonic() - start_s, before)
    while time.monotonic() - start_s < SECONDS:
        round_of(part)
        renew()
        now = settled(before)
        tell(time.monotonic() - start_s, now)
        for key, (was, is_) in grown(before, now).items():
            if not key.endswith("KiB"):
                complain(f"{key}: {was} before, {is_} now")
            if key == "files":
                print(*os.listdir(home + "/run/terrarium"), flush=True)
            if key.endswith("descriptors"):
                print(*links(repl.process.pid), flush=True)
        if len(complaints) > 20:
            break
    for key, (was, is_) in grown(before, settled(before)).items():
        complain(f"{key} has grown: {was} at the beginning, {is_} at the end")


os.makedirs(home + "/run", mode=0o700)
print(f"soak: SOAK_SEED={SEED}", flush=True)
probe = end(start("run", "--yes", "-c", "print(42)"), (0, 1, 4, 125), "a first run")
if "42" not in probe:
    print("SKIP: no local sandbox on this machine")
    shutil.rmtree(home)
    sys.exit(77)
LANGUAGES = [lang for lang in OK if subprocess.run([PROGRAM, "run", "--yes", "-l", lang, "-c", ""], env=env, cwd=home,
                                                   capture_output=True).returncode == 0]
HAS_ONCE = b"--once" in subprocess.run([PROGRAM, "metrics", "--help"], env=env, capture_output=True).stdout
groups_before = groups()
run("run", "--yes", "--keep", "--name", "stays", "-c", "1")
repl = Repl()
try:
    soak()
finally:
    repl.close()
    run("stop", "--all", "--yes")
wait(lambda: not ours(), f"all processes are gone, not {ours()}", 5)
wait(lambda: not groups() - groups_before, f"all control groups are gone, not {groups() - groups_before}", 5)
left = os.listdir(home + "/run/terrarium") if os.path.isdir(home + "/run/terrarium") else []
if [name for name in left if not name.startswith((".", "supervisor"))]:
    complain(f"files are left: {left}")
shutil.rmtree(home, ignore_errors=True)
print("soak:", ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
print(f"soak: {len(complaints)} complaints")
sys.exit(bool(complaints))
