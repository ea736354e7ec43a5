# SPDX-License-Identifier: MIT
# Packages into sandboxes, from an index of the test's own in a network of the test's own: nothing leaves the machine.
. "$(dirname "$0")/own_index.sh"

# start NAME [OPTION…]: a kept sandbox that reaches the index.
start() {
	name=$1
	shift
	try run --yes --keep --name "$name" --net on --net-allow $address/32 "$@" -c 'print("up")'
	expect_out up
}

# A pip that fails for want of authorities, as in a small image: what to do is said, and its code is kept.
mkdir -p fake/pip && : >fake/pip/__init__.py
echo 'raise SystemExit(3)' >fake/pip/__main__.py
tried="pip.py build"
code=0
PYTHONPATH="$dir/fake" PIP_CERT=/nowhere/ca.pem $python "$source/lib/install/pip.py" build six 2>err || code=$?
expect_code 3
expect_in err "/nowhere/ca.pem, with the certificates of authorities, is not in the sandbox"
code=0
PYTHONPATH="$dir/fake" PIP_CERT=$python $python "$source/lib/install/pip.py" build six 2>err || code=$?
expect_code 3
expect_err ""

start one
start two
try run --yes --name one -c 'import demo'
expect_code 1

# What was installed is found by the kernel that did not find it before; with what it depends on.
try install --name one demo
expect_code 0
expect_in out "Successfully installed demo-1.0 helper-1.5"
try run --yes --name one -c 'import demo, helper; print(demo.version, helper.f())'
expect_out "1.0 helped"
expect_requests 1 demo-1.0

# The other sandbox has it from the cache, which it cannot change.
try run --yes --name two -c 'import demo'
expect_code 1
try install --name two 'demo>=1,<2'
expect_code 0
try run --yes --name two -c 'import demo; print(demo.version)'
expect_out "1.0"
expect_requests 1 demo-1.0
try exec --name two -- sh -c 'touch /var/cache/terrarium/new || echo no; rm -r /var/cache/terrarium/pip 2>&1 || echo no'
expect_in out no
[ -n "$(find cache -name 'demo-1.0*')" ] || wrong "the cache lost a file"
[ -z "$(find cache -type f -perm /222)" ] || wrong "files of the cache should be for reading only"

# What is not as the index says is fetched again, and mended.
wheel=$(find cache -name 'helper-1.5*')
chmod u+w "$wheel"
echo broken >"$wheel"
start three
try install --name three demo
expect_code 0
expect_requests 2 helper-1.5
try run --yes --name three -c 'import helper; helper.f()'
expect_out "'helped'"

# On a terminal pip has one, too.
tried="install on a terminal" code=0
TERM=xterm script -qec "'$terrarium' install --name three plain" /dev/null >out 2>err </dev/null || code=$?
expect_code 0
expect_in out "Successfully installed"

# It follows when that gets another size: else each step of a progress display is lines of its own.
cat >resize.py <<'PY'
import fcntl, os, pty, struct, sys, termios
child, fd = pty.fork()
if not child:
	os.execv(sys.argv[1], sys.argv[1:])
told = b''
while True:
	try:
		read = os.read(fd, 4096)
	except OSError:
		break
	if not read:
		break
	told += read
	if b'it waits' in told:
		fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 20, 50, 0, 0))
print(told.decode('utf-8', 'replace'))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
PY
tried="install on a terminal that gets another size" code=0
TERM=xterm timeout 100 $python resize.py "$terrarium" install --name one sized >out 2>err || code=$?
expect_code 0
expect_in out "Successfully installed sized"

# What is there is enough, unless newer versions are wanted: of the distribution's, too.
try exec --name three -- sh -c 'cd "$HOME"/.local/lib/python3*/site-packages && mv plain-2.0.dist-info plain-1.0.dist-info &&
	sed -i "s/^Version: .*/Version: 1.0/" plain-1.0.dist-info/METADATA'
try install --name three plain
expect_in out "already satisfied"
try install --name three --upgrade plain
expect_code 0
expect_in out "Successfully installed plain-2.0"
try install --name three --upgrade -l ruby rake
expect_code 125

# What the distribution has does not count as installed: it would mix with what comes into something that no longer works.
if /usr/bin/python3 -c 'import sys; sys.path[:] = [p for p in sys.path if "site-packages" not in p]; import dateutil, six' 2>/dev/null; then
	try install --name two python-dateutil
	expect_code 0
	expect_in out "Successfully installed python-dateutil-99.0 six-99.0"
	try run --yes --name two -c 'import dateutil; print(dateutil.number)'
	expect_code 0
	expect_out 99
	try install --name two python-dateutil
	expect_in out "already satisfied"
fi

# A module of the system's that was compiled for another NumPy is hidden, although Debian's declares nothing.
if /usr/bin/python3 -c 'import sys; sys.path[:] = [p for p in sys.path if "site-packages" not in p]; import matplotlib' 2>/dev/null; then
	try install --name two numpy
	expect_code 0
	try run --yes --name two -c 'import matplotlib'
	expect_code 1
	expect_in err "No module named 'matplotlib' (the system's needs another numpy than 99.0)"
fi

# No sum, no wheel, a requirements file, an address inside of a package.
printf '# all\nplain == 2.0\nhelper; python_version > "3"\n' >wanted.txt
try install --name two -r wanted.txt
expect_code 0
try run --yes --name two -c 'import plain; plain.x'
expect_out 2
try install --name one insource
expect_code 0
try run --yes --name one -c 'import insource; insource.answer'
expect_out 42
try install --name two direct
expect_code 0
try run --yes --name two -c 'import insource; insource.answer'
expect_out 42
[ -z "$(find cache -name '*insource*')" ] || wrong "what was built in a sandbox is in the cache"

# Failures: pip's words and code, and ours.
try install --name one there-is-no-such
expect_code 1
expect_in err "No matching distribution found for there-is-no-such"
expect_in err "pip failed"
start small --disk 16
try install --name small big
expect_code 1
expect_in err "limit of 16 MiB"
for word in -e --index-url=http://x 'a b' 'git+http://x/y' ./x 'x;y' x.whl 'x @ http://y/z' '' '$(x)'; do
	try install --name one -- "$word"
	expect_code 125
	expect_in err "is not the name of a package"
done
try install --name nobody demo
expect_code 125
expect_in err "there is no running sandbox 'nobody'"
try install demo
expect_code 125
expect_in err "several running sandboxes"
try install --name one
expect_code 125
try install --name one -l bash jq
expect_code 125
expect_in err "read-only"

# Without a network of its own a sandbox has them as a run with --with has.
try run --yes --keep --name offline --net-allow $address/32 -c 1
try install --name offline demo
expect_code 0
expect_in out "Successfully installed demo-1.0 helper-1.5"
try run --yes --name offline -c 'import demo, helper; helper.f()'
expect_out "'helped'"
try install --name offline -r wanted.txt
expect_code 125
expect_in err "--net on"

# It is started, and stays, if there is something in it.
try install --name new --net on --net-allow $address/32 there-is-no-such
expect_code 1
try ps --names
[ -z "$(grep new out)" ] || wrong "an empty sandbox stays"
# An index that no sandbox can reach is named: pip only says that it finds nothing.
PIP_INDEX_URL=http://127.0.0.1:9/simple/ PIP_RETRIES=0 try install --name new --net on there-is-no-such
expect_code 1
expect_in err "note: PIP_INDEX_URL names 127.0.0.1, which is this machine itself"
try install --name new --net on --net-allow $address/32 plain
expect_code 0
expect_in err "'new' stays"
try run --yes --name new -c 'import plain; plain.x'
expect_out 2

# npm
if [ -x /usr/bin/npm ]; then
	try run --yes -l js --name one -c 'require("tiny")()'
	expect_code 1
	try install -l js --name one tiny
	expect_code 0
	try run --yes -l js --name one -c 'require("tiny")()' -c '(await import("tiny")).default()'
	expect_out "'tiny'
'tiny'"
	try install -l js --name two tiny@1
	expect_code 0
	try run --yes -l js --name two -c 'require("tiny")()'
	expect_out "'tiny'"
	expect_requests 1 tiny-1.0.0.tgz
	try install -l js --name one there-is-no-such
	expect_code 1
	expect_in err "404"
fi

# An interrupt while pip is still being loaded
mkdir -p fake/pip
echo 'raise KeyboardInterrupt' >fake/pip/__main__.py
tried="pip.py fetch" code=0
PYTHONPATH=fake $python -c "$(sed "s|/workspace|$dir|" "$source/lib/install/pip.py")" fetch six >out 2>err || code=$?
expect_code 130
expect_err ""

# What was fetched is found where pip is set up otherwise than for the downloader, or the cache is another since the
# sandbox began.
try run --yes --keep --name four --net on --net-allow $address/32 -l bash -c '
	mkdir -p ~/.config/pip && printf "[global]\ntimeout = 60\n" >~/.config/pip/pip.conf'
try install --name four plain
expect_code 0
try run --yes --name four -c 'import plain; plain.x'
expect_out 2
rm -rf cache
try install --name four demo
expect_code 0
try run --yes --name four -c 'import helper; helper.f()'
expect_out "'helped'"
[ -n "$(find cache -name 'helper-1.5*')" ] || wrong "the cache is not there again"
verdict
