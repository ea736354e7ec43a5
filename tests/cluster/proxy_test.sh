#!/bin/sh
# SPDX-License-Identifier: MIT
# proxy_test.sh TERRARIUM: one kubectl proxy for all sandboxes: shared, started again, ended after the last; and what
# happens where it cannot be used.
. "$(dirname "$0")/tell_cluster.sh"

# Our proxies, by their sockets' path.
proxies() { pgrep -f -- "proxy --unix-socket=$dir/run/terrarium/" || true; }
count_proxies() { proxies | grep -c .; }
is_one() { [ "$(count_proxies)" = 1 ]; }
# Neither processes nor files: the folder ends with the last of them.
is_clean() { [ "$(count_proxies)" = 0 ] && [ ! -e run/terrarium ]; }
execs() { pgrep -fc -- "--namespace $space exec " || true; }

# ---- shared by two, private, and ended after the last

try run $new --keep --name one -c 'x = 41'
expect_code 0
try run $new --keep --name two -c 'x = 1'
expect_code 0
tried="two sandboxes"
is_one || wrong "there should be one proxy, not $(count_proxies)"
[ "$(execs)" = 0 ] || wrong "there should be no kubectl exec"
[ "$(stat -c %a run/terrarium/.kube-*.api)" = 600 ] || wrong "the proxy's socket should be private"
[ "$(stat -c %a run/terrarium)" = 700 ] || wrong "so should its folder"
try inspect one
expect_in out "over one kubectl proxy"
first=$(proxies)
try stop two --yes
expect_code 0
tried="stopping one of two"
[ "$(proxies)" = "$first" ] || wrong "the proxy should stay"

# ---- killed while a run is going on: the run is told, the sandbox lives

setsid -w "$terrarium" run --yes --name one --timeout 0 -c 'y = 2; print("on", flush=True)
import time
time.sleep(1000)' >out 2>err &
run=$!
until_true grep -q on out
kill -KILL "$first"
code=0
wait $run || code=$?
tried="killing the proxy"
[ "$code" != 0 ] || wrong "the run should have failed"
[ -s err ] || wrong "it should say why"
has_another() { is_one && [ "$(proxies)" != "$first" ]; }
until_true has_another
try exec one -- echo here
expect_code 0
expect_out here

# ---- its keeper killed: kubectl dies with it, and another pair takes over

first=$(proxies)
kill -KILL "$(ps -o ppid= -p "$first" | tr -d ' ')"
until_true has_another
try exec one -- echo again
expect_out again

# ---- somebody is killed

kill -KILL "$(field one supervisor_pid)"
is_left() { "$terrarium" ps --all >/dev/null 2>&1; is_gone one; }
until_true is_left
until_true is_empty || objects
until_true is_clean || ls -la run/terrarium

# ---- two at once start one

for i in 1 2; do
	setsid -w "$terrarium" run $new --keep --name "both$i" -c "print($i)" >"out$i" 2>"err$i" &
	eval "pid$i=\$!"
done
wait "$pid1" "$pid2"
tried="two starts at once"
[ "$(cat out1 out2)" = "1
2" ] || wrong "both should run: $(cat err1 err2)"
is_one || wrong "they should share one proxy, not $(count_proxies)"
try stop --all --yes
until_true is_clean || ls -la run/terrarium

# ---- where it cannot be used, or is not wanted

mkdir bin
cat >bin/kubectl <<SH
#!/bin/sh
case " \$* " in *" proxy "*) echo "unknown flag: --unix-socket" >&2; exit 1 ;; esac
exec "$(command -v kubectl)" "\$@"
SH
chmod +x bin/kubectl
before=$PATH
PATH=$dir/bin:$PATH
try run $new -v -c 'print(6 * 7)'
expect_code 0
expect_out 42
expect_in err "for each connection: unknown flag"
PATH=$before
until_true is_clean || ls -la run/terrarium
TERRARIUM_KUBE_TRANSPORT=exec try run $new -v -c 'print(6 * 7)'
expect_code 0
expect_out 42
expect_in err "for each connection"
tried="TERRARIUM_KUBE_TRANSPORT=exec"
[ "$(count_proxies)" = 0 ] || wrong "there should be no proxy"
until_true is_empty || objects
verdict
