# SPDX-License-Identifier: MIT
"""unread_test.py PROGRAM: code that prints without end, or shows things without end, while nobody reads what its client
writes: memory stays bounded everywhere, the sandbox answers others, and who reads on misses nothing."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
MOST_GROWTH_KIB = 48 * 1024  # windows and backlogs of all; the floods make gigabytes
MOST_S = 60
home = tempfile.mkdtemp(prefix="terrarium-unread-")
os.mkdir(home + "/run", 0o700)
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color",
       "XDG_RUNTIME_DIR": home + "/run", "XDG_STATE_HOME": home + "/state", "XDG_CONFIG_HOME": home + "/config"}
wrong = []

FLOODS = {
    "stdout": "import sys\nwhile True: sys.stdout.write('x' * 100000 + '\\n')",
    "stderr": "import sys\nwhile True: sys.stderr.write('x' * 100000 + '\\n')",
    "a child": "import subprocess\nsubprocess.run(['yes', 'x' * 1000])",
    "many children": "import subprocess\nkids = [subprocess.Popen(['yes', str(i) * 100]) for i in range(8)]\nkids[0].wait()",
    "results": "import html\nclass Shown:\n def _repr_html_(self): return 'x' * 100000\n"
               "try:\n from IPython.display import display\nexcept ImportError: display = print\n"
               "while True: display(Shown())",
}


def check(holds, what):
    if not holds:
        wrong.append(what)
        print("WRONG:", what, flush=True)


def start(*args, **more):
    return subprocess.Popen([PROGRAM, *args], env=env, cwd=home, start_new_session=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, **more)


def call(*args):
    process = start(*args)
    try:
        out, err = process.communicate(timeout=MOST_S)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        check(False, f"{' '.join(args)[:100]}: it hangs")
        return None, b"", b""


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def all_below(pid):
    return [pid] + [below for child in children(pid) for below in all_below(child)]


def private_kib(pids):
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as f:
                total += sum(int(line.split()[1]) for line in f if line.startswith(("Private_Dirty:", "Pss_Anon:"))) // 2
        except OSError:
            pass
    return total


def supervisors():
    """Of our sandboxes, by their environment: with all that is inside."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f, open(f"/proc/{pid}/comm") as comm:
                if home.encode() in f.read() and comm.read().startswith("terrarium-super"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def stands_still(holds_kib):
    """Waits until what everybody has together no longer grows: nobody gets further then."""
    last, since, deadline = -1, time.monotonic(), time.monotonic() + MOST_S
    while time.monotonic() < deadline:
        now = holds_kib()
        if now > last + 256:
            last, since = now, time.monotonic()
        elif time.monotonic() > since + 1:
            return now
        time.sleep(0.05)
    check(False, f"it grows without end: {last} KiB")
    return last


def nobody_reads(kind, code):
    call("run", "--yes", "--keep", "--name", "flood", "--timeout", "0", "-c", "print(1)")

    def holds_kib():
        return private_kib({pid for supervisor in supervisors() for pid in all_below(supervisor)} | ({client.pid} if client else set()))
    client = None
    before = holds_kib()
    client = start("run", "--yes", "--name", "flood", "--timeout", "0", "-c", code)
    after = stands_still(holds_kib)
    check(after - before < MOST_GROWTH_KIB, f"{kind}: {before} KiB before, {after} KiB when it stands still")
    check(client.poll() is None, f"{kind}: the client waits, not: {client.returncode}")
    code, out, err = call("exec", "flood", "--", "echo", "here")
    check((code, out) == (0, b"here\n"), f"{kind}: meanwhile exec says {code} {out[:80]} {err[:200]}")
    client.send_signal(signal.SIGINT)
    try:
        client.communicate(timeout=MOST_S)
        check(client.returncode in (130, 1), f"{kind}: interrupted, exit {client.returncode}")
    except subprocess.TimeoutExpired:
        check(False, f"{kind}: Ctrl-C does not end it")
        client.kill()
    code, out, err = call("run", "--yes", "--name", "flood", "-c", "print(6 * 7)")
    check((code, out) == (0, b"42\n"), f"{kind}: then it says {code} {out[:80]} {err[:200]}")
    call("stop", "--yes", "flood")
    print(f"{kind}: {after - before} KiB more", flush=True)


def who_reads_on_misses_nothing():
    client = start("run", "--yes", "-c", "for i in range(2000000): print(i)")
    check(client.stdout.readline() == b"0\n", "it begins")
    stands_still(lambda: private_kib([client.pid]))
    out, err = client.communicate(timeout=MOST_S)
    expected = b"".join(b"%d\n" % i for i in range(1, 2000000))
    check(client.returncode == 0, f"exit {client.returncode} {err[:200]}")
    check(out == expected, f"{len(out)} bytes instead of {len(expected)}, or others")


code, out, err = call("run", "--yes", "-c", "print(42)")
if out != b"42\n":
    print("SKIP: no local sandbox on this machine:", err.decode(errors="replace"))
    shutil.rmtree(home)
    sys.exit(77)
try:
    for kind, code in FLOODS.items():
        nobody_reads(kind, code)
    who_reads_on_misses_nothing()
finally:
    call("stop", "--all", "--yes")
    shutil.rmtree(home, ignore_errors=True)
print(f"unread: {len(wrong)} wrong")
sys.exit(bool(wrong))
