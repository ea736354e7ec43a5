# SPDX-License-Identifier: MIT
# For tests of packages: a network of the test's own, and in it the index of package_index.py. Sourced first.
if [ -z "$IN_OWN_NETWORK" ]; then
	[ "$(id -u)" = 0 ] || { echo "SKIP: only root can make a network for the test"; exit 77; }
	why=$(unshare -n true 2>&1) || { echo "SKIP: no network of the test's own can be made: $why"; exit 77; }
	IN_OWN_NETWORK=1 exec unshare -n sh "$0" "$@"
fi
here=$(dirname "$0")
. "$here/tell.sh"
if ! command -v slirp4netns >/dev/null; then
	echo "SKIP: no slirp4netns"
	exit 77
fi
need_local

address=10.77.0.1
python=/usr/bin/python3
$python - $address <<'PY' # an address for the loopback device, which is then up
import fcntl, socket, struct, sys
SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFFLAGS = 0x8916, 0x891c, 0x8914
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def name(n, rest): return struct.pack('16s24s', n, rest)
def inet(a): return struct.pack('HH4s', socket.AF_INET, 0, socket.inet_aton(a))
fcntl.ioctl(s, SIOCSIFFLAGS, name(b'lo', struct.pack('H', 0x49)))
fcntl.ioctl(s, SIOCSIFADDR, name(b'lo:1', inet(sys.argv[1])))
fcntl.ioctl(s, SIOCSIFNETMASK, name(b'lo:1', inet('255.255.255.255')))
PY
$python "$source/tests/cli/package_index.py" $address &
server=$!
export XDG_RUNTIME_DIR="$dir/run" XDG_CACHE_HOME="$dir/cache"
mkdir -m 700 "$XDG_RUNTIME_DIR"
stop_all() {
	"$terrarium" stop --all --yes >/dev/null 2>&1 || :
	kill "$server"
	rm -rf "$dir"
}
trap stop_all EXIT
n_tries=0
until [ -s port ]; do
	n_tries=$((n_tries + 1))
	[ $n_tries -lt 200 ] || { echo "the index does not start"; exit 1; }
	sleep 0.05
done
url=http://$address:$(cat port)
for name in $(env | sed -n 's/^\(PIP_[A-Z_]*\|[a-zA-Z]*_[pP][rR][oO][xX][yY]\|npm_config_[a-z_]*\|NPM_CONFIG_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
export PIP_INDEX_URL="$url/simple/" PIP_TRUSTED_HOST=$address npm_config_registry="$url/npm/"

requests() { grep -c "$1" requests || :; }
# expect_requests N PATH: so many were there.
expect_requests() { [ "$(requests "$2")" = "$1" ] || wrong "there should be $1 requests for $2, not $(requests "$2")"; }
