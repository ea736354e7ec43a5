# SPDX-License-Identifier: MIT
# A package index that hangs: one that accepts and never answers, and one that sends a byte every ten seconds. A run or an
# install ends after a minute with a sentence, an interrupt ends it at once, and nothing is left.
. "$(dirname "$0")/own_index.sh"
allow="--net-allow $address/32"

cat >hang.py <<'PY'
import os, socket, sys, threading, time
server = socket.create_server((sys.argv[1], 0), backlog=50)
with open(sys.argv[2] + '.new', 'w') as out:
	out.write(str(server.getsockname()[1]))
os.rename(sys.argv[2] + '.new', sys.argv[2])
kept = []
def drip(connection):
	connection.recv(65536)
	connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n')
	try:
		while True:
			connection.sendall(b' ')
			time.sleep(10)
	except OSError:
		pass
while True:
	kept.append(server.accept()[0])
	open(sys.argv[2] + '.reached', 'w').close()
	if sys.argv[2] == 'drip':
		threading.Thread(target=drip, args=kept[-1:], daemon=True).start()
PY
for kind in silent drip; do
	$python hang.py $address $kind &
	servers="$servers $!"
	until_true test -s $kind
done

# from KIND NAME COMMAND…: in the background, with that index; what it prints is in NAME.out. Its process is $!.
from() {
	kind=$1 name=$2
	shift 2
	PIP_INDEX_URL=http://$address:$(cat $kind)/simple/ npm_config_registry=http://$address:$(cat $kind)/ \
		setsid -w "$terrarium" "$@" >$name.out 2>$name.err &
}

# An interrupt ends it at once, and the sandbox is good for more.
try run --yes --keep --name stays $allow -c 'x = 42'
from drip drip install --name stays demo
running=$!
until_true test -e drip.reached
kill -INT $running
code=0
wait $running || code=$?
cp drip.err err
tried="an interrupt while the index sends a byte now and then"
expect_code 130
try run --yes --name stays -c 'x'
expect_out 42

began=$(date +%s)
from silent silent run --yes $allow --with demo -c 'print("it ran")'
silent=$!
from drip drip run --yes --json $allow --with demo -c 'print("it ran")'
drip=$!
kinds="silent drip"
if [ -x /usr/bin/npm ]; then
	from silent npm run --yes $allow -l js --with tiny -c 'console.log("it ran")'
	npm=$!
	from drip inside install --yes --name own --net on $allow -l js tiny
	inside=$!
	kinds="$kinds npm inside"
fi
for kind in $kinds; do
	code=0
	eval "wait \$$kind" || code=$?
	cp $kind.out out
	cp $kind.err err
	tried="$kind: an index that hangs"
	grep -q "next to nothing, has come from the package index for 60 s" out err || wrong "it should be said"
	[ $code != 0 ] || wrong "it should fail"
	grep -q "it ran" out && wrong "code ran without its libraries"
done
[ $(($(date +%s) - began)) -lt 150 ] || wrong "it should be over after about a minute"
cp silent.err err
expect_in err "nothing, or next to nothing, has come from the package index for 60 s"
cp drip.out out
is_json '"nothing, or next to nothing, has come from the package index for 60 s" in value["error"]["message"]'

tried="what is left"
try ps --names
expect_out stays
[ -z "$(find cache -name '*.lock' -o -name '.new-*')" ] || wrong "something of it is left: $(find cache)"
kill $servers
verdict
