# SPDX-License-Identifier: MIT
"""terminal.py [EXPECT ANSWER]… -- COMMAND…: run a command on a terminal of 200 columns. Wait until it has printed EXPECT,
then type ANSWER and Enter. Prints what the terminal got, without control sequences, and ends with the command's code."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

LIMIT_S = 120
end = sys.argv.index("--")
steps, command = list(zip(sys.argv[1:end:2], sys.argv[2:end:2])), sys.argv[end + 1 :]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    os.execvp(command[0], command)


def plain(shown):
    return re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])|[\x01\x02\r]", "", shown.decode(errors="replace"))


shown, seen, until = b"", 0, time.monotonic() + LIMIT_S
while select.select([fd], [], [], max(0, until - time.monotonic()))[0]:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        piece = b""
    if not piece:
        break
    shown += piece
    text = plain(shown)
    while steps and (at := text.find(steps[0][0], seen)) >= 0:
        seen = at + len(steps[0][0])
        os.write(fd, steps.pop(0)[1].encode() + b"\r")
else:
    os.kill(pid, 9)
print(plain(shown))
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if steps:
    print(f"never seen: {steps[0][0]!r}")
sys.exit(1 if steps else code)
