# SPDX-License-Identifier: MIT
"""Nothing hostile gets through the glass: code in a sandbox prints, and names its files, processes, variables
and errors, with whatever a terminal might obey; each front end shows it on a terminal of ours, and every byte
that arrives there is looked at. What may be there is listed, everything else is wrong. argv[1] is the program."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROGRAM = sys.argv[1]
LIMIT_S = 60
QUIET_S = 0.1

# What code would print: one line each, with its number before it.
ATTACKS = [
    b"\x1b]52;c;aGFja2Vk\x07", b"\x1b]0;HACKED\x07", b"\x1b]2;HACKED\x1b\\", b"\x1b]8;;http://h/\x07l\x1b]8;;\x07",
    b"\x1bP$qm\x1b\\", b"\x1bPq#0;2;0;0;0#0~~\x1b\\", b"\x1b_Gi=1,a=q;AAAA\x1b\\", b"\x1b]1337;File=inline=1:AAAA\x07",
    b"\x1bkHACKED\x1b\\", b"\x1b^pm\x1b\\", b"\x1bXsos\x1b\\", b"\x1b]50;?\x07", b"\x1b]777;notify;a;b\x07",
    b"\x05", b"\x1b[c", b"\x1b[>c", b"\x1b[=c", b"\x1b[6n", b"\x1b[?6n", b"\x1b[21t", b"\x1b[14t", b"\x1b[>q", b"\x1b[x",
    b"\x1b]10;?\x07", b"\x1b]4;1;?\x07", b"\x1bZ", b"\x1b[?u", b"\x1b[>1u", b"\x1b[>4;2m", b"\x1b[0$p",
    b"\x1b[?1049h", b"\x1b[?47h", b"\x1b[?1003h", b"\x1b[?1006h", b"\x1b[?1005h", b"\x1b[?1015h", b"\x1b[?2004l", b"\x1b[?1004h", b"\x1b[?5h", b"\x1b[?1h",
    b"\x1b[3J", b"\x1b[2J", b"\x1b[H", b"\x1bc", b"\x1b[!p", b"\x1b[4i", b"\x1b[5i", b"\x1b[?5i", b"\x1b#8", b"\x1b(0",
    b"\x0e", b"\x1bH", b"\x1b[3g", b"\x1b[2 q", b"\x1b[20h", b"\x1b[4h", b"\x1b[12l", b"\x1b[2l", b"\x1b[5;10r", b"\x1b=",
    b"\x9b31m", b"\x9d0;HACKED\x9c", b"\x90q\x9c", b"\xc2\x9b6n", b"\xc2\x9d52;c;aGFja2Vk\xc2\x9c", b"\xc0\x9b6n",
    b"\xe0\x80\x9b6n", b"\xf0\x80\x80\x9b", b"\xed\xa0\x80", b"\x07", b"\x7f", b"\x00", b"\x1bN", b"\x1bn", b"\x1b%G",
    "\u202eabc\u2066def\u2069\u200f".encode(), b"e" + b"\xcc\x81" * 3000, b"\x1b[" + b"9" * 500 + b"m",
    b"\x1b[" + b"1;" * 2000 + b"m", b"\x1b[2147483648A", b"\x1b[999999999b", b"\x1b]0;never closed",
]  # fmt: skip
HOSTILE = b"".join(b"%d " % i + attack + b"\n" for i, attack in enumerate(ATTACKS))
NAME = "n\x1b]0;HACKED\x07\x1b[2J\x9b6n\u202e\n"

CODE = f"""
import os, subprocess, sys
HOSTILE, NAME = {HOSTILE!r}, {NAME!r}
os.write(1, HOSTILE)
os.write(2, HOSTILE)
os.makedirs("d" + NAME, exist_ok=True)
open(os.fsencode("f" + NAME) + b"\\x9b\\xff", "w").close()
process = subprocess.Popen([NAME, "600", NAME], executable="/usr/bin/sleep")
class Shown:
    def __repr__(self): return NAME
v_shown, v_text = Shown(), HOSTILE.decode("latin1")
exec(compile("def fail(): raise ValueError(NAME + v_text)", NAME, "exec"))
print("all told")
open("done", "w").close()
"""

LINES = {"m"}
MOVES = LINES | set("ABCDEFGHJKLMPSTX@dr")
# What the workbench itself sends where it begins and ends, beside the moves.
OWN = {
    "[?1049h", "[?1049l", "[22;0;0t", "[23;0;0t", "[?25h", "[?25l", "[?12h", "[?12l", "[?7h", "[?1h", "[?1l", "[4l",
    "[?1000h", "[?1000l", "[?1002h", "[?1002l", "[?1003h", "[?1003l", "[?1004h", "[?1004l", "[?1006h", "[?1006l", "[?2004h", "[?2004l", "[>1u", "[<u", "[?1036s", "[?1036h", "[?1036r", "[>4;1m", "[>4m",
    "[>4;0m", "[?2026$p", "[?u", "[6n", "[?2026h", "[?2026l", "(B", "=", ">", "7", "8", "M",
}  # fmt: skip
SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])")
BAD = re.compile("[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\u0301{31}")


def complaints(shown, finals, own):
    """What of these bytes a terminal should not see."""
    try:
        text = shown.decode()
    except UnicodeDecodeError as error:
        return [f"broken UTF-8: {shown[error.start - 20 : error.end + 5]!r}"]
    found = [f"{m.group()[:1]!r} in {text[max(m.start() - 30, 0) : m.end()]!r}" for m in BAD.finditer(text)]
    for m in re.finditer("\x1b", text):
        whole = SEQUENCE.match(text, m.start())
        body = whole.group(1) if whole else ""
        is_plain = re.fullmatch(r"\[[0-9;:]{0,40}.", body) and body[-1] in finals and body != "[3J"
        if not is_plain and body not in own:
            found.append(f"sequence {text[m.start() : m.start() + 30]!r}")
    return found


class Desk:
    """A program on a terminal of its own."""

    def __init__(self, *arguments):
        self.shown, self.seen = b"", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execv(PROGRAM, ["terrarium", *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read(self, timeout_s):
        """False: nothing came for so long, or it has ended."""
        if not select.select([self.fd], [], [], timeout_s)[0]:
            return False
        try:
            piece = os.read(self.fd, 65536)
        except OSError:
            piece = b""
        self.shown += piece
        return piece != b""

    def wait(self, text):
        """Until this comes, behind what was waited for before."""
        end = time.monotonic() + LIMIT_S
        while (at := self.shown.find(text, self.seen)) < 0:
            if not self.read(max(end - time.monotonic(), 0)):
                os.kill(self.pid, signal.SIGKILL)
                sys.exit(f"never saw {text!r}, but {self.shown[-2000:]!r}")
        self.seen = at + len(text)

    def type(self, text):
        os.write(self.fd, text)

    def settle(self):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self.read(QUIET_S):
            pass

    def end(self):
        end = time.monotonic() + LIMIT_S
        while self.read(max(end - time.monotonic(), 0)):
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)
        return self.shown


def run(*arguments):
    return Desk(*arguments).end()


def repl(name):
    desk = Desk("repl", "--confirm", "off", "--name", name)
    lines = ["fail()", "v_shown", "v_text", "?v_shown", ":vars", ":files", ":top", ":history", ":load hostile\x01.py"]
    for line in lines:
        desk.wait(b"]> ")
        desk.type(line.encode() + b"\r")
    desk.wait(b"]> ")
    desk.type(b"input(v_text)\r")
    desk.settle()
    desk.type(b"\r")
    desk.wait(b"]> ")
    desk.type(b":quit\r")
    return desk.end()


def is_done(name):
    look = [PROGRAM, "exec", "--name", name, "--", "test", "-e", "done"]
    return subprocess.run(look, capture_output=True, timeout=LIMIT_S).returncode == 0


def workbench(name, *arguments):
    """Run the code, then open one view after the other."""
    desk = Desk(*arguments)
    desk.wait(b"idle")
    desk.type(b"\x1b[15~")
    end = time.monotonic() + LIMIT_S
    while not is_done(name) and time.monotonic() < end:
        desk.read(QUIET_S)
    desk.settle()
    for number in (12, 13, 14, 17, 18, 19, 20, 23, 24):  # F2 and so on
        for part in (b"\x1b[%d~" % number, b"\x1b[B", b"\r", b"\x1b", b"\x1b"):
            desk.type(part)
            desk.settle()
    desk.type(b"\x1b[21~")
    desk.settle()
    os.kill(desk.pid, signal.SIGTERM)
    return desk.end()


def main():
    for attack in ATTACKS:
        if not complaints(attack, LINES, set()):
            print(f"nobody would complain about {attack!r}")
    name = f"glass-{os.getpid()}"
    with open("hostile.py", "w") as file:
        file.write(CODE)
    with open("failing.py", "w") as file:
        file.write("fail()")
    far = ("--backend", "microsandbox")
    quietly = ("--restore", "off", "--confirm", "off")
    tries = [
        ("run", LINES, lambda: run("run", "-y", "--keep", "on", "--name", name, "hostile.py")),
        ("a traceback", LINES, lambda: run("run", "-y", "--name", name, "failing.py")),
        ("ps", LINES, lambda: run("ps")),
        ("metrics", LINES, lambda: run("metrics", name)),
        ("metrics --json", LINES, lambda: run("metrics", "--json", name)),
        ("inspect", LINES, lambda: run("inspect", name)),
        ("inspect --json", LINES, lambda: run("inspect", "--json", name)),
        ("logs", LINES, lambda: run("logs", name)),
        ("logs --json", LINES, lambda: run("logs", "--json", name)),
        ("cp", LINES, lambda: run("cp", f"{name}:/workspace", "copied")),
        ("cp of nothing", LINES, lambda: run("cp", f"{name}:/workspace/{NAME}", "copied")),
        ("run of nothing", LINES, lambda: run("run", "-y", "--name", name, NAME)),
        ("a name", LINES, lambda: run("run", "-y", "--name", NAME, "hostile.py")),
        ("a theme", LINES, lambda: run("--theme", NAME)),
        ("a package", LINES, lambda: run("install", "--name", name, "-y", NAME)),
        ("an option", LINES, lambda: run("run", "--" + NAME)),
        ("a question", LINES, lambda: confirm(NAME)),
        ("a backend", LINES, lambda: confirm("", "--backend", NAME)),
        ("a container", LINES, lambda: confirm("", "--backend", "docker", "--container", NAME)),
        ("an image", LINES, lambda: confirm("", "--backend", "docker", "--image", NAME, "--user", NAME)),
        ("a server's", LINES, lambda: confirm("", *far, "--image", NAME, "--server-url", f"http://{NAME}")),
        ("repl", MOVES - set("HJr") | {"J"}, lambda: repl(name)),
        ("attach", MOVES, lambda: workbench(name, "attach", name)),
        ("workbench", MOVES, lambda: workbench(f"{name}-w", *quietly, "--name", f"{name}-w", "hostile.py")),
    ]
    for what, finals, fn in tries:
        shown = fn()
        own = OWN if what in ("workbench", "attach") else {"[?2004h", "[?2004l"} if what == "repl" else set()
        for complaint in complaints(shown, finals, own)[:5]:
            print(f"{what}: {complaint}")
        if not shown and what not in ("cp",):
            print(f"{what}: nothing was shown")
    # Into a pipe every byte goes as it is.
    piped = subprocess.run([PROGRAM, "run", "-y", "--name", name, "hostile.py"], capture_output=True, timeout=LIMIT_S)
    if piped.stdout != HOSTILE + b"all told\n" or not piped.stderr.startswith(HOSTILE):
        print("a pipe does not get what was printed")
    subprocess.run([PROGRAM, "stop", name], capture_output=True, timeout=LIMIT_S)


def confirm(text, *arguments):
    desk = Desk("run", *arguments, "-c", f"print(1) # {text}")
    desk.wait(b"[Y/n] ")
    desk.type(b"n\r")
    return desk.end()


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    main()
