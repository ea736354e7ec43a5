# SPDX-License-Identifier: MIT
# install_test.sh TERRARIUM ENGINE: packages into containers with a network, from an index of the test's own by https,
# whose authority is the test's own, too. In the network that `engine.py net` makes: nothing leaves it.
ours=$2
engine_home=$HOME engine_run=$XDG_RUNTIME_DIR
. "$(dirname "$0")/../cli/tell.sh"
if [ "$(id -u)" = 0 ]; then
	own_runtime
else # a podman of one's own has its images by these
	export HOME="$engine_home" XDG_RUNTIME_DIR="$engine_run"
fi
image=localhost/tt:deb
address=$IN_TEST_NETWORK
python=/usr/bin/python3
server='' code=0
: >out
: >err
stop_all() {
	for name in $names; do
		"$terrarium" stop "$name" --yes >/dev/null 2>&1 || :
	done
	for container in $containers; do
		"$ours" rm --force --volumes "$container" >/dev/null 2>&1 || :
	done
	[ -z "$server" ] || kill "$server"
	"$ours" image rm -f localhost/tt:installed >/dev/null 2>&1 || :
	rm -rf "$dir"
}
names='' containers=''
trap stop_all EXIT
for name in $(env | sed -n 's/^\(PIP_[A-Z_]*\|[a-zA-Z]*_[pP][rR][oO][xX][yY]\|npm_config_[a-z_]*\|NPM_CONFIG_[A-Z_]*\|[A-Z_]*CA_[A-Z]*\|SSL_CERT_[A-Z]*\|[A-Z_]*_CAINFO\)=.*/\1/p'); do
	unset "$name"
done
export PIP_CONFIG_FILE=/dev/null NPM_CONFIG_USERCONFIG=/dev/null

# A kernel without bridges and /dev/net/tun gives a container no network, whoever asks.
if ! "$ours" run --rm $image true >out 2>err; then
	echo "SKIP: $ours gives no container a network here: $(tail -n 1 err)"
	[ "$TERRARIUM_NEED_ENGINES" = 1 ] && [ "$(id -u)" = 0 ] && exit 1
	exit 77
fi

# ---- the index, and who vouches for it

make_authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 2 \
		-subj "/CN=Terrarium's tests" 2>openssl.log &&
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.csr \
			-subj "/CN=$address" 2>>openssl.log &&
		printf 'subjectAltName=IP:%s\n' "$address" >names &&
		openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 \
			-extfile names 2>>openssl.log
}
make_authority || { cat openssl.log; exit 1; }
$python "$source/tests/cli/package_index.py" "$address" server.pem server.key 2>index.log &
server=$!
n_tries=0
until [ -s port ]; do
	n_tries=$((n_tries + 1))
	[ $n_tries -lt 400 ] || { echo "the index does not start"; cat index.log; exit 1; }
	sleep 0.05
done
host=$address:$(cat port)

# start NAME [OPTION…]: a kept container with a network.
start() {
	box=$1
	shift
	names="$names $box"
	try run --yes --keep --name "$box" --backend "$ours" --image $image --net on "$@" -c 'print("up")'
	expect_out up
}

# ---- the index of the environment, with the authority and without

export PIP_INDEX_URL="https://$host/simple/" PIP_RETRIES=0 PIP_TIMEOUT=20

# Without the authority pip refuses the index: its words, its code, and what to do.
start distrustful
try install --name distrustful demo
[ "$code" = 1 ] || [ "$code" = 2 ] || wrong "pip should have failed"
grep -qiE 'certificate|CA bundle' err || wrong "pip's words should be there: it trusts no such index"
expect_in err "pip failed: see its output above"
expect_in err "in PIP_CERT"

# With it, what is installed is there in the next run of the kernel that has missed it.
cat ca.key >>ca.pem
export PIP_CERT="$dir/ca.pem"
start shelf
try run --yes --name shelf -c 'import demo'
expect_code 1
try install --name shelf demo
expect_code 0
expect_in out "Successfully installed demo-1.0 helper-1.5"
try run --yes --name shelf -c 'import demo, helper; print(demo.version, helper.f())'
expect_out "1.0 helped"
try install --name shelf insource
expect_code 0
try run --yes --name shelf -c 'import insource; insource.answer'
expect_out 42
try install --name shelf there-is-no-such
expect_code 1
expect_in err "No matching distribution found for there-is-no-such"
expect_in err "pip failed: see its output above (exit code 1)"

# The file is the sandbox's own, and has the authority but not its key.
try run --yes --name shelf -c "import os
path = os.environ['PIP_CERT']
text = open(path).read()
print('$(sed -n 2p ca.pem)' in text, 'PRIVATE' in text, oct(os.stat(os.path.dirname(path)).st_mode & 0o777))"
expect_out "True False 0o700"

# In the REPL, and in the way to an engine that is on another machine.
printf ':install plain\nimport plain; plain.x\n' >lines
tried="terrarium repl <lines" code=0
"$terrarium" repl --yes --name shelf <lines >out 2>err || code=$?
expect_code 0
expect_in out "Successfully installed plain-2.0"
[ "$(tail -n 1 out)" = 2 ] || wrong "the package should be there on the next line"
export TERRARIUM_CARRIER_STREAM=exec
start far
unset TERRARIUM_CARRIER_STREAM
try install --name far plain
expect_code 0
try run --yes --name far -c 'import plain; plain.x'
expect_out 2

# ---- pip's and npm's own files, and what is secret

unset PIP_INDEX_URL PIP_CERT
export http_proxy='http://one:secret@proxy.example:3128' no_proxy="$address"
printf '[global]\nindex-url = https://one:secret@%s/simple/\ncert = %s\ntimeout = 20\n' "$host" "$dir/ca.pem" >pip.conf
printf 'registry=https://%s/npm/\n//%s/npm/:_authToken=secret\ncafile=%s\n' "$host" "$host" "$dir/ca.pem" >npmrc
export PIP_CONFIG_FILE="$dir/pip.conf" NPM_CONFIG_USERCONFIG="$dir/npmrc"
told='import os
print(sorted(n + "=" + v for n, v in os.environ.items() if n.lower().startswith(("pip_i", "npm_", "http_", "//")) and "certificates" not in v))
print("secret" in str(os.environ), os.environ.get("npm_config_cafile") == os.environ["PIP_CERT"])'
start files
try run --yes --name files -c "$told"
expect_out "['PIP_INDEX_URL=https://$host/simple/', 'http_proxy=http://proxy.example:3128', 'npm_config_registry=https://$host/npm/']
False True"
try install --name files demo
expect_code 0
"$ours" inspect "$("$ours" ps -q --filter label=dev.terrarium.name=files)" >inspected
! grep -qE 'secret|simple|proxy[.]example' inspected || wrong "the engine should not know of the index or the proxy"
start trusted --net-credentials on
try run --yes --name trusted -c "$told"
expect_in out "https://one:secret@$host/simple/"
expect_in out "http://one:secret@proxy.example:3128"
expect_in out "True True"
try run --yes --backend "$ours" --image $image -c 'import os; print([n for n in os.environ if "proxy" in n.lower() or "PIP_INDEX" in n])'
expect_out "[]"

# An image that is saved has what was installed, and knows nothing of where it came from.
names="$names saved"
try install --yes --name saved --backend "$ours" --image $image --net on --commit localhost/tt:installed plain
expect_code 0
try stop saved --yes
expect_code 0
"$ours" image inspect localhost/tt:installed >inspected
! grep -qE 'simple|proxy[.]example|CERT' inspected || wrong "the image should not know of the index or the proxy"
try run --yes --backend "$ours" --image localhost/tt:installed -c 'import plain; plain.x'
expect_out 2

# Into a container that was there before, which is asked for its network.
existing() {
	name=$1
	shift
	"$ours" run -d --name "test-$name" "$@" $image sleep 1000 >out 2>err || wrong "$name should start"
	names="$names $name" containers="$containers test-$name"
}
sed '/PRIVATE KEY/,$d' ca.pem >shown.pem
existing lit -e "PIP_INDEX_URL=https://$host/simple/" -e PIP_CERT=/shown.pem -v "$dir/shown.pem:/shown.pem:ro"
try run --yes --keep --name lit --backend "$ours" --container test-lit -c 1
try install --name lit demo
expect_code 0
expect_in out "Successfully installed demo-1.0 helper-1.5"
try run --yes --name lit -c 'import demo; print(demo.version)'
expect_out 1.0
try inspect lit
expect_in out "the container's own network"
existing dark --network none
try run --yes --keep --name dark --backend "$ours" --container test-dark -c 1
try install --name dark demo
expect_code 125
expect_err "terrarium: the container test-dark has no network to fetch packages: connect it to one, or use another container"
try inspect dark
expect_in out "off: $ours says that it is a container without one"

# npm, where there is one in a folder of its own, as node's makers ship it: the image has none that is whole.
npm=$(readlink -f "$(command -v npm || echo /)")
npm=${npm%/bin/npm-cli.js}
if [ -d "$npm/node_modules/semver" ]; then # not Debian's, which has its modules elsewhere
	mkdir bin
	ln -s /data/npm/bin/npm-cli.js bin/npm
	start js --mount "$npm:/data/npm" --mount "$dir/bin:/data/bin" --env PATH=/data/bin:/usr/bin:/bin
	try run --yes -l js --name js -c 'require("tiny")()'
	expect_code 1
	try install -l js --name js tiny
	expect_code 0
	try run --yes -l js --name js -c 'require("tiny")()'
	expect_out "'tiny'"
	try install -l js --name js there-is-no-such
	expect_code 1
	expect_in err 404
else
	echo "npm is not tried: there is none in a folder of its own"
fi
verdict
