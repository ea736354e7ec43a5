#!/bin/sh
# SPDX-License-Identifier: MIT
# What is told before a container is there: options that cannot be, images that are not what is wanted, commands that
# hang or are not there. The engine is a script, so that this runs on every machine; real ones are in tests/engines.
. "$(dirname "$0")/tell.sh"

# engine VERB ARG…: what it knows lies in files beside it; it never makes a container.
cat >engine <<'ENGINE'
#!/bin/sh
here=$(dirname "$0")
case $1 in
probe) [ ! -e "$here/down" ] || { echo "the daemon is asleep" >&2; exit 1; }; echo 1.0 ;;
image)
	[ ! -e "$here/down" ] || { echo "the daemon is asleep" >&2; exit 1; }
	case $2 in
	here | alias) printf 'linux/%s\t\tsha:1\n' "$(cat "$here/arch")" ;;
	foreign) printf 'linux/m68k\t\tsha:2\n' ;;
	slow) [ -e "$here/pulled" ] || { echo "no such image" >&2; exit 1; }; printf 'linux/m68k\t\tsha:3\n' ;;
	*) echo "no such image" >&2; exit 1 ;;
	esac ;;
pull)
	[ "$2" = slow ] || { echo "trying the registry" >&2; echo "the registry knows no $2" >&2; exit 1; }
	echo $$ >"$here/pull.pid"
	while [ ! -e "$here/pulled" ]; do echo "a layer of $2"; sleep 0.1; done ;;
build) echo "step 1"; echo "step 2 went wrong" >&2; exit 1 ;;
adopt)
	case $2 in
	off) printf 'exited\t\tid-off\t\n' ;;
	asleep) printf 'paused\t\tid-asleep\t\n' ;;
	*) echo "no such container: $2" >&2; exit 1 ;;
	esac ;;
create) echo "no room for $2" >&2; exit 7 ;;
connect)
	[ ! -e "$here/cut" ] || { echo "the line is cut" >&2; exit 255; }
	[ ! -e "$here/greets" ] || cat "$here/greets"
	agent=$2 key=$3
	shift 3
	exec "$agent" connect --key "$key" --start --linger 1 "$@" ;;
commit) [ "$2" != bad ] || { echo "no room for it" >&2; exit 1; } ;;
hang) sleep 1000 ;;
esac
ENGINE
chmod +x engine
case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) uname -m ;; esac >arch
cat >config.json <<CONFIG
{"backends": {
  "toy": {"program": "$dir/engine",
    "steps": {
      "probe": ["{program}", "probe"], "image": ["{program}", "image", "{image}"], "pull": ["{program}", "pull", "{image}"],
      "build": ["{program}", "build", "{tag}", "{dockerfile}", "{context}"], "adopt": ["{program}", "adopt", "{container}"],
      "wake": ["true"], "create": ["{program}", "create", "{image}", "{memory_mb}"],
      "put": ["true"], "connect": ["false", "{key}"], "destroy": ["true"], "commit": ["true", "{tag}"]},
    "hints": [["asleep", "wake it up"]]},
  "stands": {"like": "toy", "steps": {"create": ["{program}", "hang", "{image}"]}},
  "hangs": {"like": "toy", "timeout": 5, "steps": {"image": ["{program}", "hang"]}},
  "saves": {"program": "$dir/engine", "workdir": "$dir/work",
    "steps": {
      "image": ["{program}", "image", "{image}"], "create": ["echo", "{image}"], "put": ["true"],
      "connect": ["{agent}", "connect", "--key", "{key}", "--start", "--linger", "1",
        {"each": "option", "args": ["{option}"]}],
      "destroy": ["true"], "commit": ["{program}", "commit", "{tag}"]}},
  "breaks": {"like": "saves", "steps": {"connect": ["{program}", "connect", "{agent}", "{key}",
      {"each": "option", "args": ["{option}"]}]}},
  "gone": {"like": "toy", "program": "$dir/nothing-here"}}}
CONFIG
export TERRARIUM_CONFIG="$dir/config.json"

# Each of these is one sentence.
mistakes() {
	while IFS='|' read -r words sentence; do
		# shellcheck disable=SC2086
		try run --yes -c x --backend $words </dev/null
		expect_code 125
		expect_out ""
		expect_err "terrarium: $sentence"
	done
}
mistakes <<MISTAKES
toy --image foreign|the image 'foreign' is for linux/m68k, and this machine's programs are for linux/$(cat arch): toy needs one of the same architecture
toy --image nowhere|toy cannot pull the image nowhere: the registry knows no nowhere
toy --image here --container off|an existing container already has its image: give either the container (--container) or the image (--image)
toy --image here --dockerfile .|an image is either named (--image) or built (--dockerfile), not both
toy --image here --commit-over|only a commit can overwrite an image: name the image to save it as (--commit)
toy --image here --commit here|the commit as here would replace the image that the sandbox is made from: choose another tag, or allow it to overwrite (--commit-over)
toy --image here --commit alias|the commit as alias would replace the image that the sandbox is made from: choose another tag, or allow it to overwrite (--commit-over)
toy --image here --commit docker.io/library/here:latest|the commit as docker.io/library/here:latest would replace the image that the sandbox is made from: choose another tag, or allow it to overwrite (--commit-over)
toy --image=-x|the image '-x' is invalid: use 1 to 255 characters, no spaces, and do not begin with a hyphen
toy --image here --read-only|sandboxes of the backend 'toy' cannot have a root that is read-only (--read-only): its recipe does not support that
toy --image here --mount /usr:/x|sandboxes of the backend 'toy' cannot have mounts (--mount): its recipe does not support that
toy --image here --net|sandboxes of the backend 'toy' have their own network, which cannot be changed (--net): its recipe does not support that
toy --dockerfile nothing|cannot use the Dockerfile nothing: No such file or directory
toy --container missing|toy cannot look at the container missing: no such container: missing
toy --container asleep|the container 'asleep' is paused: unpause it first
toy --container off|the container 'off' does not run (it is 'exited'): it ends as soon as it is started
toy --image here|toy: the step 'create' failed: no room for here ('engine create', exit status 7)
gone --image here|the backend 'gone' does not work here: the program '$dir/nothing-here' is not installed, or not in PATH
local --container web|--container does nothing on the backend 'local': it is for containers: add --backend docker or podman
local --user 1000|--user does nothing on the backend 'local': it is for containers: add --backend docker or podman
local --commit lab:2|--commit does nothing on the backend 'local': it is for containers: add --backend docker or podman
microsandbox --read-only|--read-only does nothing on the backend 'microsandbox': it is for containers: add --backend docker or podman
microsandbox --processes 9|--processes does nothing on the backend 'microsandbox': it is for new sandboxes of other backends
local --image here|--image does nothing on the backend 'local': it is for containers: add --backend docker or podman
local --volume /a:/b|--volume does nothing on the backend 'local': it is for sandboxes on a server: add --backend microsandbox, or give --mount
toy --port 1:2|--port does nothing on the backend 'toy': it is for sandboxes on a server: add --backend microsandbox
toy --shell /bin/sh|--shell does nothing on the backend 'toy': it is for sandboxes on a server: add --backend microsandbox
toy --script a=config.json|--script does nothing on the backend 'toy': it is for sandboxes on a server: add --backend microsandbox
local --namespace mine|--namespace does nothing on the backend 'local': it is for sandboxes on a server: add --backend microsandbox
toy --net-allow 10.0.0.0/8 --net|--net-allow does nothing on the backend 'toy': it is for sandboxes of the backend local
toy --container web --memory 64|--memory does nothing on the backend 'toy' with --container: it is for new sandboxes, and a container that exists keeps its own: set it when you create the container
toy --processes 9|--processes does nothing on the backend 'toy': its recipe does not use it
docker --disk 8|--disk does nothing on the backend 'docker': its recipe limits that only with --read-only
TOY --processes 9|--processes does nothing on the backend 'toy': its recipe does not use it
toy --image here --commit UPPER/Case:1|an image cannot be called 'UPPER/Case:1': behind the host there may be no capitals
toy --engine-arg=--init|--engine-arg does nothing on the backend 'toy': its recipe does not use it
local --runtime runsc|--runtime does nothing on the backend 'local': it is for new containers: add --backend docker or podman
docker --engine-arg=-m2g|the engine argument '-m2g' is refused: Terrarium sets -m itself, by the setting memory
docker --engine-arg=alpine|the engine argument 'alpine' is invalid: it must be an option in one word, as --shm-size=1g
fake --idle-timeout 9|--idle-timeout is for sandboxes that are kept: add --keep
MISTAKES

# A server whose pods are claimed: their template has what these options say.
for option in '--image x' --net --read-only '--volumes /tmp' '--snapshot x'; do
	try serve --dev --port 0 --backend agent-sandbox --warm-pool p $option
	expect_code 125
	expect_err "terrarium: ${option%% *} does nothing on the backend 'agent-sandbox': the SandboxTemplate of its pods says which image, network and volumes they have"
done
try serve --dev --port 0 --backend agent-sandbox --warm-pool p --memory 64
expect_code 125
expect_err "terrarium: --memory does nothing on the backend 'agent-sandbox': its recipe does not use it"

# One that stands still for longer than it may start is named, and what helps.
try run --yes -c x --backend stands --image here --name slow --start-timeout 1 </dev/null
expect_code 125
expect_err "terrarium: sandbox 'slow' did not start: 'stands: creating the sandbox' made no progress for 1 s; if it is only slow, give it more time (--start-timeout)"

try exec --image here -- true
expect_code 125
expect_in err "add --backend docker or podman"

# What is configured for containers is not in the way of others.
TERRARIUM_USER=1000 TERRARIUM_KEEP_IMAGE=on TERRARIUM_IMAGE=here try run --yes --backend fake --read-only=off -c "print x"
expect_code 0

# Who is asked is promised no more than the recipe asks for.
tried="run --backend toy, asked"
echo n | script -qec "'$terrarium' run -c x --memory 100 --backend toy --image here" /dev/null >out 2>err || true
tr -d '\r' <out | tr '\n' ' ' >words
expect_in words "in a new toy sandbox of the image here: 100 MiB memory, no limit for cores, processes and files, the backend's own network, user of the image, but not root,"

# What was to be saved and could not be is a failure, whatever the code did; but the code's own failure is told first.
try run --yes --backend saves --image here --commit good -c 'print("made")'
expect_code 0
expect_out made
try run --yes --backend saves --image here --commit bad -c 'print("made")'
expect_code 125
expect_out made
expect_in err "the changes could not be saved; they are still in"
expect_in err "no room for it"
try exec --backend saves --image here --commit bad -- true
expect_code 125
try exec --backend saves --image here --commit bad -- sh -c 'exit 3'
expect_code 3

# What cannot be seen from this machine is not said to be none; who looks inside knows.
own_runtime
try run --yes --backend saves --image here --keep --name kept -c 'x = 1'
expect_code 0
[ "$(field kept kernels)" = null ] || wrong "ps --json: kernels should be null, and are $(field kept kernels)"
try ps
expect_in out "kept  saves    n/a"
try inspect kept --json
expect_in out '"kernels":["python"]'
try inspect kept
expect_in out "kernels     python"
try stop kept
expect_code 0

: >Dockerfile
try run --yes -c x --backend toy --dockerfile .
expect_code 125
expect_in err "/Dockerfile: step 2 went wrong"

: >down
try run --yes -c x --backend toy --image here
expect_err "terrarium: toy does not work here: the daemon is asleep; wake it up"
rm down

# A command that hangs is stopped, and named.
try run --yes -c x --backend hangs --image here
expect_code 125
expect_in err "hangs cannot look for the image here: the step 'image'"
expect_in err "did not end within 5 s, and was stopped"

# Ctrl-C ends a pull, with what does it.
setsid "$terrarium" run --yes -c x --backend toy --image slow >out 2>err &
pid=$!
tried="run --image slow, interrupted"
for _ in $(seq 200); do [ -s pull.pid ] && break || sleep 0.05; done
kill -INT $pid
code=0
wait $pid || code=$?
expect_code 130
for _ in $(seq 100); do kill -0 "$(cat pull.pid)" 2>/dev/null && sleep 0.05 || break; done
! kill -0 "$(cat pull.pid)" 2>/dev/null || wrong "the pull should have been ended"

# One that takes long is told, in a line.
"$terrarium" run --yes -c x --backend toy --image slow >out 2>err &
pid=$!
tried="run --image slow"
for _ in $(seq 200); do grep -q pulling err && break || sleep 0.05; done
: >pulled
code=0
wait $pid || code=$?
expect_code 125
expect_in err "terrarium: pulling the image slow"
[ "$(grep -c pulling err)" = 1 ] || wrong "what is done should be told once"
expect_in err "is for linux/m68k"

try doctor --backend gone --image here
expect_code 1
expect_in out "is not installed"


# A client that finds no way in is told why, and the sandbox lives on.
sentence="terrarium: breaks: the step 'connect' failed: the line is cut ('engine connect')"
try exec --keep --name far --backend breaks --image here -- true
expect_code 0
touch cut
try exec far -- true
expect_code 125
expect_err "$sentence"
try run --yes --name far -c 'print(1)'
expect_code 125
expect_err "$sentence"
rm cut
try run --yes --name far -c 'print("again")'
expect_code 0
expect_out again
try stop far
expect_code 0

# What a shell over there says to whoever comes is not the agent's, whatever it looks like.
printf 'Welcome to \033]0;evil\007 the box\n' >greets
try run --yes --backend breaks --image here -c 1
expect_code 125
expect_err "terrarium: breaks: the step 'connect' failed: it must write only the agent's output, but its output \
begins with 'Welcome to �]0;evil� the box ' ('engine connect')"
head -c 1200 /dev/zero >greets
try run --yes --backend breaks --image here -c 1
expect_code 125
expect_in err "it must write only the agent's output"
rm greets

verdict
