# SPDX-License-Identifier: MIT
"""session.py [CASE…]: what the installed terrarium promises an ordinary user in a session of systemd, with control groups of
version 2: its limits are real, runs that meet one say so, the sandbox lives on, and nothing of it stays."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

MIB = 96
IS_EMULATED = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True).stdout.strip() == "qemu"
GONE_S = 15 if IS_EMULATED else 1  # an emulated machine has a tenth of the speed, or less
MOST_S = 180
RUNTIME = os.environ.get("XDG_RUNTIME_DIR", "")
home = tempfile.mkdtemp(prefix="session-")
wrong = []

# Each takes more than there is, of one kind; the answer names what has run out.
HUNGER = {
    "anonymous": "b = bytearray(400 << 20)",
    "many processes": "import os, time\nfor i in range(8):\n if not os.fork(): b = bytearray(b'x') * (40 << 20); time.sleep(60)\n"
                      "assert os.wait()[1] == 0",
    "shared": "import mmap\nm = mmap.mmap(-1, 400 << 20)\nfor at in range(0, 400 << 20, 4096): m[at] = 1",
    "memfd": "import os\nfd = os.memfd_create('m')\nwhile True: os.write(fd, bytes(1 << 20))",
    "memfds": "import os\nfor i in range(9):\n fd = os.memfd_create('m')\n for k in range(20): os.write(fd, bytes(1 << 20))",
    "System V": "import ctypes\nc = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p\nfor i in range(9):\n"
                " shm = c.shmget(0, 20 << 20, 0o1600)\n assert shm >= 0\n ctypes.memset(c.shmat(shm, None, 0), 1, 20 << 20)",
    "sockets": "import socket\nkept = []\nwhile True:\n a, b = socket.socketpair(); a.setblocking(False); kept += [a, b]\n"
               " try:\n  while True: a.send(bytes(60000))\n except BlockingIOError: pass",
    "TCP": "import socket\nkept = []; door = socket.create_server(('127.0.0.1', 0))\nwhile True:\n"
           " a = socket.create_connection(door.getsockname()); b = door.accept()[0]; a.setblocking(False); kept += [a, b]\n"
           " try:\n  while True: a.send(bytes(60000))\n except BlockingIOError: pass",
    "pipes": "import os\nkept = []\nwhile True:\n r, w = os.pipe(); os.set_blocking(w, False); kept += [r, w]\n"
             " try:\n  while True: os.write(w, bytes(65536))\n except BlockingIOError: pass",
    "/tmp": "f = open('/tmp/big', 'wb')\nwhile True: f.write(bytes(1 << 20))",
    "/dev/shm": "f = open('/dev/shm/big', 'wb')\nwhile True: f.write(bytes(1 << 20))",
}
# Files are memory, and of pipes there are no more than of open files: whichever is met first.
ANSWERS = {"/tmp": ("disk full", "out of memory"), "/dev/shm": ("disk full", "out of memory"),
           "pipes": ("out of memory", "open files")}


def check(holds, what):
    if not holds:
        wrong.append(what)
        print("WRONG:", what, flush=True)


def tell(*words):
    print(f"{time.monotonic() - begun:6.1f} s ", *words, flush=True)


def call(*args, seconds=MOST_S):
    try:
        return subprocess.run(["terrarium", *args], capture_output=True, text=True, errors="replace", timeout=seconds,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as e:
        check(False, f"terrarium {' '.join(args)[:80]}: it hangs")
        return subprocess.CompletedProcess(args, -1, (e.stdout or b"").decode(), (e.stderr or b"").decode())


def parsed(done):
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(False, f"no JSON, exit {done.returncode}: {done.stdout[-200:]} {done.stderr[-300:]}")
        return {}


def run(name, code, *options):
    return parsed(call("run", "--yes", "--json", "--name", name, "--timeout", "120", *options, "-c", code))


def open_box(name, *options):
    done = call("run", "--yes", "--keep", "--name", name, "--memory", str(MIB), *options, "-c", "print(6 * 7)")
    check(done.stdout == "42\n", f"a sandbox opens: exit {done.returncode}, {done.stdout} {done.stderr}")


def lives(name, what):
    check(run(name, "print(6 * 7)").get("stdout") == "42\n", f"the sandbox lives on after {what}")


# ---- what is there, and what stays ---------------------------------------------------------------

def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def groups():
    return {os.path.join(top, name) for top, names, _ in os.walk("/sys/fs/cgroup") for name in names if "terrarium" in name}


def processes():
    """Those of this user that bear our name, or are in a group that does."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            is_own = os.stat(f"/proc/{pid}").st_uid == os.getuid()
        except OSError:
            continue
        words = read(f"/proc/{pid}/comm") + read(f"/proc/{pid}/cgroup")
        if is_own and ("terrarium" in words or "bwrap" in words):
            found.add(f"process {pid} {read(f'/proc/{pid}/comm').strip()}")
    return found


def files():
    found = set()
    for folder in (f"{RUNTIME}/terrarium", "/dev/shm", "/tmp"):
        if os.path.isdir(folder):
            found |= {f"{folder}/{name}" for name in os.listdir(folder)
                      if not name.startswith(".") and (folder == f"{RUNTIME}/terrarium" or "terrarium" in name)}
    return found


def units():
    done = subprocess.run(["systemctl", "--user", "--no-legend", "--plain", "--all", "list-units", "terrarium-*"],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"systemctl --user: {done.stderr}")
    return set(filter(None, done.stdout.splitlines()))


def left():
    mounts = {line for line in read("/proc/self/mounts").splitlines() if "terrarium" in line}
    return groups() | processes() | files() | mounts


def nothing_stays(what):
    start = time.monotonic()
    while left() and time.monotonic() < start + GONE_S:
        time.sleep(0.02)
    took = time.monotonic() - start
    check(not left(), f"{what}: {sorted(left())} stay")
    deadline = time.monotonic() + GONE_S
    while units() and time.monotonic() < deadline:
        time.sleep(0.1)
    check(not units(), f"{what}: {units()} stay")
    tell(f"after {what} all is gone in {took:.2f} s")


# ---- cases -----------------------------------------------------------------------------------------

def doctor():
    done = call("doctor", "--json")
    check(done.returncode == 0, f"doctor: exit {done.returncode}")
    rows = {row["name"]: row for row in parsed(done) or []}
    for name in ("control groups", "sandbox: memory", "sandbox: cpu", "sandbox: processes"):
        row = rows.get(name, {})
        check(row.get("status") == "ok", f"doctor: {row or name}")
        check("sandbox" not in name or "cgroup v2" in row.get("detail", ""), f"doctor: {row}")
    for row in rows.values():
        if row["status"] != "ok":
            tell("doctor:", row["status"], row["name"], row["detail"], row["advice"])
    tell("doctor:", rows.get("sandbox: memory", {}).get("detail"))


def scope_and_metrics():
    open_box("seen")
    box = parsed(call("inspect", "seen", "--json"))
    weak = [guard for guard in box.get("guards", []) if guard["strength"] != "enforced"]
    check(box.get("guards") and not weak, f"every limit is enforced: {weak}")
    metrics = parsed(call("metrics", "seen", "--json"))
    check(metrics.get("source") == "cgroup v2", f"metrics come from cgroup v2: {metrics.get('source')}")
    check(metrics.get("mem_limit_bytes") == MIB << 20, f"metrics know the limit: {metrics.get('mem_limit_bytes')}")
    for key in ("cpu_ms", "mem_bytes", "procs", "oom_kills", "procs_refused", "throttled_ms"):
        check(isinstance(metrics.get(key), (int, float)), f"metrics tell {key}: {metrics.get(key)}")
    mine = f"/user@{os.getuid()}.service/"
    check(groups() and all(mine in group for group in groups()), f"its groups are the user's: {groups()}")
    check(any(".scope" in unit and " running" in unit for unit in units()), f"systemd knows its scope: {units()}")
    tell(f"{len(groups())} groups:", min(groups(), default=None))
    check(call("stop", "--yes", "seen").returncode == 0, "stop")
    nothing_stays("a stop")


def memory():
    open_box("hungry")
    for kind, code in HUNGER.items():
        result = run("hungry", code)
        words = f"{result.get('reason')} {result.get('hint')}"
        check(result.get("status") in ("killed", "error"), f"{kind}: {result.get('status')} {words}")
        check(any(f in words for f in ANSWERS.get(kind, ("out of memory",))), f"{kind}: {words} {result.get('error')}")
        tell(f"{kind}: {words}")
        run("hungry", "import os\nfor p in ('/tmp/big', '/dev/shm/big'):\n  if os.path.exists(p): os.unlink(p)")
        lives("hungry", kind)
    call("stop", "--yes", "hungry")
    nothing_stays("hunger")


def cpu():
    open_box("busy", "--cpus", "0.3")
    result = run("busy", "import os, time\nstart = time.monotonic()\nfor i in range(3):\n if not os.fork():\n"
                 "  while time.monotonic() < start + 5: pass\n  os._exit(0)\nfor i in range(3): os.wait()\n"
                 "t = os.times(); print((t.children_user + t.children_system) / (time.monotonic() - start))")
    try:
        used = float(result.get("stdout"))
    except (TypeError, ValueError):
        used = -1
    check(0.1 < used < 0.4, f"three loops have 0.3 of a processor: {used} {result}")
    metrics = parsed(call("metrics", "busy", "--json"))
    check(metrics.get("throttled_ms", 0) > 500, f"metrics tell of it: {metrics.get('throttled_ms')}")
    tell(f"three loops have used {used:.3f} of a processor")
    call("stop", "--yes", "busy")


def many():
    open_box("many", "--processes", "24")
    for what, code in (("processes", "import os, time\nwhile True:\n if not os.fork(): time.sleep(60)"),
                       ("threads", "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()"),
                       ("a bomb", "import os\nwhile True: os.fork()")):
        result = run("many", code)
        words = f"{result.get('reason')} {result.get('hint')}"
        check("process limit 24 reached" in words, f"{what}: {result.get('status')} {words}")
        tell(f"{what}: {words}")
        lives("many", what)
    call("stop", "--yes", "many")
    nothing_stays("bombs")


def begin(code):
    """A client with a sandbox of its own, when the code has begun."""
    client = subprocess.Popen(["terrarium", "run", "--yes", "--timeout", "100", "-c", "print('up', flush=True)\n" + code],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    check(client.stdout.readline() == b"up\n", "a client begins")
    return client


DAEMON = ("import os, signal, time\nif not os.fork():\n os.setsid(); signal.signal(15, signal.SIG_IGN); time.sleep(600)\n"
          "time.sleep(600)")


def deaths():
    def supervisors():
        return [int(words.split()[1]) for words in processes() if "terrarium-super" in words]

    client = begin(DAEMON)
    client.send_signal(signal.SIGKILL)
    client.wait()
    nothing_stays("kill -9 of the client")
    client = begin(DAEMON)
    check(supervisors(), f"there is a supervisor: {processes()}")
    for pid in supervisors()[:1]:
        os.kill(pid, signal.SIGKILL)
    client.wait()
    nothing_stays("kill -9 of the supervisor")
    client = begin("import os\nfor pid in range(1, 9):\n try: os.kill(pid, 9)\n except OSError: pass")
    client.wait()
    nothing_stays("kill -9 of all that code can see")
    client = begin("import time\ntime.sleep(600)")
    client.send_signal(signal.SIGINT)
    client.wait()
    nothing_stays("an interrupt")


begun = time.monotonic()
print(f"uid {os.getuid()}, {read('/proc/self/cgroup').strip()}, {RUNTIME}", flush=True)
CASES = (doctor, scope_and_metrics, memory, cpu, many, deaths)
for case in CASES:
    if len(sys.argv) == 1 or case.__name__ in sys.argv[1:]:
        case()
print(f"session: {len(wrong)} wrong", flush=True)
sys.exit(bool(wrong))
