# SPDX-License-Identifier: MIT
"""pictures.py TERRARIUM SHOT FOLDER [check]: make the pictures of the documentation in FOLDER, or say which of them the
program does not show any more.

Most play a recording (*.trec, made by `terrarium --record`) to its end, so that times, figures and ids are the same
every time; the time bar and the keys of the replay, the last rows, are left out. The REPL is a real one in a local
sandbox."""
import glob
import json
import os
import subprocess
import sys
import tempfile

from svg import Picture, comparable

HERE = os.path.dirname(os.path.abspath(__file__))
TERRARIUM, SHOT, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
IS_CHECK = sys.argv[4:] == ["check"]
REPLAY_ROWS = 2  # time bar and keys


def replay(name, theme="dark", is_kitty=False):
    """Steps and command that show the end of a recording."""
    return ([*["kitty"][:is_kitty], "wait=Next run", "send=\x1b[F", "rest=300", "shot", "send=q"],
            ["replay", "--theme", theme, f"{HERE}/{name}.trec"])


CLASS = '''class Account:
    """Money that belongs to somebody."""
    def __init__(self, balance):
        self.balance = balance
    def deposit(self, amount):
        """Add to the balance, and return it."""
        self.balance += amount
        return self.balance
'''

REPL = (["wait=[1]>", f"send=\x1b[200~{CLASS}\x1b[201~\r", "wait=[2]>", "send=a = Account(100)\r", "wait=[3]>",
         "send=a.deposit(20)\r", "wait=[4]>", "send=Account?\r", "wait=somebody.\n", "rest=300",
         "send=!echo $((6 * 7))\r", "wait=\n42\n", "rest=300", "send=:lang js\r",
         "wait=javascript lab [4]>", "send=[1, 2, 3].map(n => n * n)\r", "wait=4, 9 ]\n", "rest=300",
         "send=:lang python\r", "wait=python lab [5]>", "send=a.\t\t", "wait=property", "rest=500", "shot",
         "send=\x03", "rest=300", "send=\x04"],
        ["repl", "--yes", "--name", "lab"])

# name, title, rows, columns, rows left out, (steps, arguments)
PICTURES = [
    ("workbench-dark", "The workbench of Terrarium", 35, 108, REPLAY_ROWS, replay("workbench")),
    ("workbench-light", "The workbench of Terrarium, theme light", 35, 108, REPLAY_ROWS,
     replay("workbench", theme="light")),
    ("stopping", "A run that ignores Ctrl-C is about to get SIGTERM", 24, 108, REPLAY_ROWS, replay("stopping")),
    ("plots", "A matplotlib figure in the output", 37, 108, REPLAY_ROWS, replay("plots", is_kitty=True)),
    ("sandboxes", "All running sandboxes", 20, 108, REPLAY_ROWS, replay("sandboxes")),
    ("repl", "The REPL: completion, documentation, a shell command, another language", 25, 90, 0, REPL),
]


def take(name, title, rows, cols, cut, steps, arguments):
    done = subprocess.run([SHOT, str(rows), str(cols), *steps, "--", TERRARIUM, *arguments], capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stdout[-2000:]}{done.stderr}")
    screen = json.loads(done.stdout)
    corner = next((cell for cell in screen["cells"] if cell[:2] == [0, 0]), [0, 0, 1, "", "", "", 0])
    return Picture(screen, rows - cut, "#d8dce6", corner[5] or "#181b21").svg(title)


def skipped():
    """Names of pictures that cannot be made here."""
    if not glob.glob(os.path.dirname(TERRARIUM) + "/grammars/*.so"):
        print("skipped: without grammars the program shows plain text")
        sys.exit(77)
    done = subprocess.run([TERRARIUM, "run", "--yes", "-c", "1"], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        print("left out: repl, as no local sandbox starts here:", done.stderr)
    return {"repl"} if done.returncode != 0 else set()


def main():
    stale, missing = [], skipped() if IS_CHECK else set()
    for name, title, rows, cols, cut, (steps, arguments) in PICTURES:
        if name in missing:
            continue
        path = f"{FOLDER}/{name}.svg"
        svg = take(name, title, rows, cols, cut, steps, arguments)
        if IS_CHECK:
            old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if comparable(old) != comparable(svg):
                stale.append(path)
                with open(os.path.join(tempfile.gettempdir(), f"{name}.svg"), "w", encoding="utf-8") as file:
                    file.write(svg)
        else:
            os.makedirs(FOLDER, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
    if stale:
        sys.exit("the program shows something else now: look at it, then run ./dev pictures\n  " + "\n  ".join(stale))


main()
