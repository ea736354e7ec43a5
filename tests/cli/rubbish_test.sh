#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that writes to, or closes, every descriptor it finds, those of its interpreter's driver too: whatever comes of it ends
# that run with a sentence, in bounded time and memory, and the next one has a new interpreter.
. "$(dirname "$0")/tell.sh"
need_local
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }

MOST_KIB=300000 # of the program, whatever is thrown at it

# attempt LANG CODE NEXT: CODE ends somehow, NEXT runs all the same.
attempt() {
	tried="run -l $1 -c '$(printf %s "$2" | tr '\n' ' ')'"
	code=0
	python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, start_new_session=True, timeout=60).returncode
if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > int(sys.argv[1]):
    print("too much memory")
sys.exit(code)' $MOST_KIB "$terrarium" run -y --timeout 10 --grace 1 -l "$1" -c "$2" -c "$3" >out 2>err || code=$?
	[ "$code" != 0 ] || wrong "it should fail"
	grep -q "too much memory" out && wrong "it should not take so much memory"
	grep -qE '^terrarium: (killed|the interpreter|timed out)' err || wrong "there should be a reason"
	grep -q 'alive and well' out || wrong "the next run should go on"
}

python_try() {
	attempt python "import os
for fd in range(3, 256):
    try: $1
    except OSError: pass
os._exit(3)" 'print("alive and", "well")'
}
python_try 'os.write(fd, b"rubbish\n")'
python_try 'os.write(fd, b"half a line")'
python_try 'os.write(fd, bytes(range(128, 256)) + b"\0\1\n")'
python_try 'os.write(fd, b"[" * 60000 + b"\n")'
python_try 'os.write(fd, b"{\"ev\":" + b"{\"a\":" * 5000 + b"1" + b"}" * 5001 + b"\n")'
python_try 'os.write(fd, b"{\"ev\":\"done\",\"id\":7}\n")'
python_try 'os.close(fd)'
# … and lives on: that is noticed at once.
begin=$(date +%s)
attempt python 'import os, time; os.closerange(3, 256); time.sleep(60)' 'print("alive and", "well")'
expect_in err "closed the descriptors"
[ $(($(date +%s) - begin)) -lt 6 ] || wrong "it took $(($(date +%s) - begin)) s"
# The interpreter then meets the end of its requests and ends by itself, well: its run has not.
attempt python 'import os
null = os.open("/dev/null", os.O_RDWR)
for fd in [fd for fd in range(256) if os.path.exists("/proc/self/fd/%d" % fd)]: os.dup2(null, fd)' 'print("alive and", "well")'
# A hundred megabytes without a newline.
attempt python 'import os
for fd in range(3, 256):
    try: os.set_blocking(fd, False)
    except OSError: pass
left = 100 << 20
while left > 0:
    for fd in range(3, 256):
        try: left -= os.write(fd, b"A" * 65536)
        except OSError: pass' 'print("alive and", "well")'

if "$terrarium" run -y -l bash -c : >/dev/null 2>&1; then
	attempt bash 'for fd in {3..255}; do { echo rubbish >&$fd; } 2>/dev/null; done; kill -9 $$' 'echo alive and well'
	attempt bash 'cat /dev/zero >&253 | cat; kill -9 $$' 'echo alive and well'
fi
if "$terrarium" run -y -l javascript -c 1 >/dev/null 2>&1; then
	attempt javascript 'for (let fd = 3; fd < 32; fd++) try { require("fs").writeSync(fd, "rubbish\n") } catch {}
process.kill(process.pid, 9)' 'console.log("alive and well")'
fi
verdict
