# SPDX-License-Identifier: MIT
# --net-allow-host: only to named hosts, by a proxy. In a network and an /etc/hosts of the test's own.
if [ -z "$IN_OWN_NETWORK" ]; then
	[ "$(id -u)" = 0 ] || { echo "SKIP: only root can make a network for the test"; exit 77; }
	why=$(unshare -n -m true 2>&1) || { echo "SKIP: no network of the test's own can be made: $why"; exit 77; }
	IN_OWN_NETWORK=1 exec unshare -n -m sh "$0" "$@"
fi
. "$(dirname "$0")/tell.sh"
need_namespaces

cat >hosts <<'HOSTS'
127.0.0.1 localhost inner.test
198.51.100.7 good.test www.good.test
10.77.0.1 private.test
127.0.0.1 both.test
198.51.100.7 both.test
HOSTS
mount --bind hosts /etc/hosts || { echo "SKIP: /etc/hosts cannot be replaced"; exit 77; }
/usr/bin/python3 - <<'PY' # addresses for the loopback device, which is then up
import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack('16s24s', b'lo', struct.pack('H', 0x49)))
for i, a in enumerate(('198.51.100.7', '10.77.0.1')):
	fcntl.ioctl(s, 0x8916, struct.pack('16s24s', b'lo:%d' % i, struct.pack('HH4s', socket.AF_INET, 0, socket.inet_aton(a))))
PY
cat >server.py <<'PY'
import http.server, os
class Echo(http.server.BaseHTTPRequestHandler):
	protocol_version = 'HTTP/1.1'
	def do_GET(self):
		with open('seen', 'a') as f:
			f.write(f'{self.path} {self.headers["Host"]}\n')
		n = int(self.path[5:]) if self.path.startswith('/big/') else 0
		body = b'x' * n or f'{self.path} at {self.headers["Host"]}'.encode()
		self.send_response(200)
		self.send_header('Content-Length', str(len(body)))
		self.end_headers()
		self.wfile.write(body)
	def log_message(self, *_): pass
http.server.ThreadingHTTPServer.daemon_threads = True
server = http.server.ThreadingHTTPServer(('0.0.0.0', 80), Echo)
open('up', 'w').close()
server.serve_forever()
PY
/usr/bin/python3 server.py &
server=$!
export XDG_RUNTIME_DIR="$dir/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
stop_all() {
	"$terrarium" stop --all --yes >/dev/null 2>&1 || :
	kill "$server"
	umount /etc/hosts
	rm -rf "$dir"
}
trap stop_all EXIT
n_tries=0
until [ -e up ]; do
	n_tries=$((n_tries + 1))
	[ "$n_tries" -lt 200 ] || wrong "the server does not start"
	sleep 0.05
done

# Allowed by name. The addresses are this machine's own, so that they have to be opened, as for a network.
allow="--net-allow 198.51.100.7"
try run --yes --net-allow-host '*.good.test' $allow -l bash -c 'curl -sS http://www.GOOD.test./a'
expect_code 0
expect_out "/a at www.good.test"
try run --yes --net-allow-host good.test,both.test $allow -c '
import urllib.request
for host in "good.test", "both.test":
    print(urllib.request.urlopen(f"http://{host}/p").read().decode())'
expect_out "/p at good.test
/p at both.test"

# Refused: what is not named, what a name leads to, other ports. One line tells it, and metrics count.
try run --yes --net-allow-host inner.test,private.test,good.test -c '
import urllib.request
for url in "http://other.test/", "http://inner.test/", "http://private.test/", "http://good.test/", "http://good.test:81/":
    try: print(urllib.request.urlopen(url).read())
    except Exception as e: print(e.code)'
expect_code 0
expect_out "403
403
403
403
403"
expect_in err "the network refused 5 connections; the last one: good.test:81 is not in net_allow_host"
[ "$(grep -c "network refused" err)" = 1 ] || wrong "refusals should be told in one line"
[ "$(wc -l <seen)" = 3 ] || wrong "a refused request came through: $(cat seen)"

# An address that the list names itself is meant.
try run --yes --net-allow-host 127.0.0.1 -l bash -c 'no_proxy= NO_PROXY= curl -sS http://127.0.0.1/b'
expect_out "/b at 127.0.0.1"

# Past the proxy there is nothing.
try run --yes --net-allow-host good.test $allow -c '
import socket
for address in ("198.51.100.7", 80), ("127.0.0.1", 80), ("10.77.0.1", 80):
    try: socket.create_connection(address, 2); print("connected")
    except OSError as e: print(type(e).__name__)
try: socket.getaddrinfo("good.test", 80); print("resolved")
except OSError as e: print(type(e).__name__)'
expect_out "OSError
ConnectionRefusedError
OSError
gaierror"

# What code may try on the proxy.
cat >attack.py <<'PY'
import socket, time
def say(*parts, wait=True):
	s = socket.create_connection(('127.0.0.1', 3128), 20)
	for part in parts:
		try: s.sendall(part)
		except OSError: break
	answer = b''
	while wait:
		try: got = s.recv(65536)
		except ConnectionError: break
		if not got: break
		answer += got
	s.close()
	return answer
def status(*parts): return say(*parts).split(b' ', 2)[1:2]
get = b'GET http://%s/x HTTP/1.1\r\nHost: good.test\r\n\r\n'
for host in (b'2130706433', b'0x7f000001', b'0177.0.0.1', b'127.1', b'[::1]', b'[::ffff:127.0.0.1]', b'0', b'good.test@inner.test',
		b'inner.test\x00.good.test', b'good.test\\@inner.test', b'good.test#inner.test', b'other.test'):
	print(host, *status(get % host))
print('host', say(b'GET http://good.test/host HTTP/1.1\r\nHost: other.test\r\n\r\n').split(b'\r\n')[-1])
print('two', say(b'GET http://good.test/one HTTP/1.1\r\nHost: good.test\r\n\r\nGET http://good.test/two HTTP/1.1\r\nHost: inner.test\r\n\r\n').count(b'HTTP/1'))
print('length', *status(b'POST http://good.test/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'))
print('huge', *status(b'GET http://good.test/ HTTP/1.1\r\nX: ' + b'a' * 20000 + b'\r\n\r\n'))
print('endless', *status(b'A' * 1000000))
print('slices', say(*(b'GET http://good.test/slow HTTP/1.1\r\n\r\n'[i:i + 1] for i in range(38))).split(b'\r\n')[-1])
tunnel = socket.create_connection(('127.0.0.1', 3128), 20)
tunnel.sendall(b'CONNECT good.test:80 HTTP/1.1\r\n\r\nGET /big/30000000 HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n')
n = 0
while True:
	got = tunnel.recv(1 << 20)
	if not got: break
	n += len(got)
print('tunnel', n > 30000000)
idle = [socket.create_connection(('127.0.0.1', 3128), 20) for _ in range(300)]
for s in idle: s.sendall(b'GET http')
start = time.monotonic()
print('slowloris', say(b'GET http://good.test/late HTTP/1.1\r\n\r\n').split(b'\r\n')[-1], time.monotonic() - start < 40)
for s in idle: s.close()
print('many', sum(status(get % b'other.test') == [b'403'] for _ in range(2000)))
PY
try run --yes --timeout 120 --net-allow-host good.test,inner.test $allow --dir . attack.py
expect_code 0
expect_out "b'2130706433' b'400'
b'0x7f000001' b'400'
b'0177.0.0.1' b'400'
b'127.1' b'400'
b'[::1]' b'403'
b'[::ffff:127.0.0.1]' b'400'
b'0' b'400'
b'good.test@inner.test' b'400'
b'inner.test\\x00.good.test' b'400'
b'good.test\\\\@inner.test' b'400'
b'good.test#inner.test' b'400'
b'other.test' b'403'
host b'/host at good.test'
two 1
length b'400'
huge b'400'
endless b'400'
slices b'/slow at good.test'
tunnel True
slowloris b'/late at good.test' True
many 2000"
expect_in err "the network refused 2002 connections"
grep -q two seen && wrong "a second request came through"

# Everybody is told.
try run --yes --keep --name lab --net-allow-host good.test $allow -l bash -c 'curl -s http://other.test >/dev/null; curl -sS http://good.test/k'
expect_out "/k at good.test"
try run --yes --name lab -l bash -c 'curl -s http://other.test >/dev/null'
expect_in err "the network refused a connection: other.test:80"
try inspect lab --json
is_json 'value["network"]["hosts"] == "good.test" and value["network"]["on"] is False'
try metrics lab --json
expect_in out '"net_refused"'
try ps
expect_code 0

# What makes no sense.
try run --yes --net on --net-allow-host good.test -c 1
expect_code 125
expect_in err "cannot be used with --net on"
try run --yes --net-allow-host http://good.test -c 1
expect_code 125
expect_in err "is no host"
