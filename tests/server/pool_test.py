# SPDX-License-Identifier: MIT
"""pool_test.py PROGRAM: sandboxes that a server keeps ready, and the figures at /metrics."""
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile

from serve import Server, check, main, wait_until


def figures(s, key=None):
    line = http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)
    line.request("GET", "/metrics", headers={"Authorization": "Bearer " + key} if key else {})
    reply = line.getresponse()
    text = reply.read().decode()
    line.close()
    rows = dict(re.findall(r"^(terrarium_\S+(?:\{.*\})?) (\S+)$", text, re.M))
    return reply.status, rows, text


def pooled(rows, state):
    return rows.get('terrarium_pool_sandboxes{image="python",state="%s"}' % state)


def requests(rows, result):
    return rows['terrarium_pool_requests_total{image="python",result="%s"}' % result]


def ready(s, n):
    return wait_until(lambda: pooled(figures(s)[1], "idle") == str(n))


def giving(program):
    s = Server(program, "--pool", "python=2")
    check("a pool fills", ready(s, 2), figures(s)[2])
    names = {box["name"] for box in s.boxes()}
    check("ps shows its sandboxes", len(names) == 2 and all(n.startswith("pool.python-") for n in names), names)
    check("and whose they are", all(box["group"].endswith("/pool") for box in s.boxes()), s.boxes())
    r = s.start_box()
    check("a start", r.status == 200 and r.result == "Sandbox box started successfully", r)
    check("gets one of them", requests(figures(s)[1], "hit") == "1", figures(s)[2])
    groups = sorted(box["group"].split("/")[1] for box in s.boxes())
    check("ps shows whose it is now", "default" in groups and set(groups) <= {"default", "pool"}, groups)
    check("it runs", s.run("x = 41\nx + 1").out == ["42"])
    check("runs count from one", s.run("y = 1").result["status"] == "success")
    check("the pool is filled again", ready(s, 2), figures(s)[2])
    check("one is given away", pooled(figures(s)[1], "given") == "1")
    s.run("open('f', 'w').write('old')")
    r = s.start_box("other")
    check("another client gets another one", r.status == 200
          and "NameError" in s.run("x", name="other").err[-1] and s.command("test", "-e", "f", name="other").result["exit_code"] == 1)
    s.stop_box()
    s.start_box()
    check("saved files are put back into one of the pool", s.run("open('f').read()").out == ["'old'"])
    ready(s, 2)
    idle = [box["name"] for box in s.boxes() if box["group"].endswith("/pool")]
    subprocess.run([program, "stop", idle[0], "--yes"], env=s.env, capture_output=True)
    check("one that ends while it waits is replaced", wait_until(lambda: ready(s, 2) and idle[0] not in
                                                                 {box["name"] for box in s.boxes()}), s.boxes())
    for more in ({"envs": ["A=b"]}, {"memory": 64}, {"workdir": "/workspace/x"}, {"image": "microsandbox/node"}):
        before = requests(figures(s)[1], "hit")
        r = s.start_box("own" + next(iter(more)), **more)
        check("a start with " + next(iter(more)) + " of its own does not", r.status == 200
              and requests(figures(s)[1], "hit") == before, r)
    s.stop()
    check("nothing is left", not s.boxes(), s.boxes())
    s.remove()


def missing(program):
    s = Server(program, "--pool", "python=1")
    ready(s, 1)
    replies = [s.start_box("b%d" % i) for i in range(4)]
    check("an empty pool delays nobody", all(r.status == 200 for r in replies), replies)
    rows = figures(s)[1]
    check("hits and misses add up", int(requests(rows, "hit")) + int(requests(rows, "miss")) == 4, rows)
    check("running sandboxes are counted", rows['terrarium_sandboxes{state="running"}'] == "4", rows)
    check("so is what each uses",
          wait_until(lambda: float(figures(s)[1].get('terrarium_sandbox_memory_bytes{namespace="default",sandbox="b0"}', 0)) > 0))
    s.remove()


def keys(program):
    s = Server(program, is_dev=False)

    def key(space):
        return subprocess.run([s.program, "keygen", "--namespace", space], env=s.env, capture_output=True,
                              text=True).stdout.split()[-1]
    check("figures need a key", figures(s)[0] == 401, figures(s))
    check("for all namespaces", figures(s, key("mine"))[0] == 403 and figures(s, key("*"))[0] == 200, figures(s, key("*")))
    check("without a pool there is nothing about pools", "pool" not in figures(s, key("*"))[2])
    s.remove()


def pools(s, *words):
    r = subprocess.run([s.program, "ps", *words], env=s.env, capture_output=True, text=True, timeout=30)
    return json.loads(r.stdout) if "--json" in words else r.stdout


def listing(program):
    s = Server(program, "--pool", "python=2")
    ready(s, 2)
    s.start_box()
    check("ps shows the pool's figures", wait_until(lambda: [(p["name"], p["size"], p["idle"], p["in_use"], p["made"],
          p["given"], p["failed"]) for p in pools(s, "--pools", "--json")] == [("pool.python", 2, 2, 1, 3, 1, 0)]),
          pools(s, "--pools", "--json"))
    rows = figures(s)[1]
    mine = pools(s, "--pools", "--json")[0]
    check("as /metrics does", pooled(rows, "idle") == str(mine["idle"]) and pooled(rows, "given") == str(mine["in_use"])
          and rows['terrarium_pool_starts_total{image="python",result="ok"}'] == str(mine["made"]), rows)
    check("and whose it is", mine["group"].endswith("/pool") and mine["pid"] == s.process.pid, mine)
    check("below the sandboxes, too", re.search(r"^POOL .*IN USE.*\npool\.python +local +2 +2 +0 +1 +3 +0  serve", pools(s), re.M), pools(s))
    s.stop_box()
    check("one that has ended is not in use", wait_until(lambda: pools(s, "--pools", "--json")[0]["in_use"] == 0))
    s.process.kill()
    s.process.wait()
    check("a killed server has no pool", wait_until(lambda: pools(s, "--pools", "--json") == []), pools(s, "--pools"))
    check("nor a file", wait_until(lambda: not s.boxes() and not any(n.startswith(".pool") for n in os.listdir(s.home))))
    s.remove()


def setups(program):
    s = Server(program, "--pool", "python=1:import math\nhalf = math.tau / 2")
    check("a pool with a setup fills", ready(s, 1), figures(s)[2])
    s.start_box()
    check("what the setup has made is there", s.run("round(half, 3)").out == ["3.142"])
    s.stop()
    s.remove()
    s = Server(program, "--pool", "python=1:import nowhere_at_all")
    check("a setup that fails is counted", wait_until(lambda: int(figures(s)[1][
        'terrarium_pool_starts_total{image="python",result="failed"}']) > 0))
    check("ps says why", wait_until(lambda: "nowhere_at_all" in pools(s)), pools(s))
    check("and delays nobody", s.start_box().status == 200)
    s.remove()


def refusals(program):
    home = tempfile.mkdtemp(prefix="terrarium-")  # another server on this machine may have the usual folder
    env = dict(os.environ, MSB_SERVER_URL="", XDG_STATE_HOME=home)
    for option, words in (("python", "must be IMAGE=N"), ("=3", "must be IMAGE=N"), ("python=x", "must be a number"),
                          ("python=:x=1", "must be a number"), ("python=1x:2", "must be a number"), ("python=0", "must have from 1"), ("python=1001", "must be a number"),
                          ("nowhere/x=2", "not known here")):
        r = subprocess.run([program, "serve", "--dev", "--port", "0", "--pool", option], capture_output=True, text=True,
                           timeout=30, env=env)
        check("--pool " + option, r.returncode and words in r.stderr, r)
    r = subprocess.run([program, "serve", "--dev", "--port", "0", "--pool", "python=1", "--backend", "microsandbox"],
                       capture_output=True, text=True, timeout=30, env=env)
    check("a pool elsewhere", r.returncode and "another server" in r.stderr, r)
    shutil.rmtree(home)


def snapshots(program):
    home = tempfile.mkdtemp(prefix="terrarium-")
    os.chmod(home, 0o700)
    env = dict(os.environ, HOME=home, XDG_RUNTIME_DIR=home, XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config",
               XDG_STATE_HOME=home + "/state", XDG_CACHE_HOME=home + "/cache")

    def ours(*words):
        return subprocess.run([program, *words], env=env, capture_output=True, text=True, timeout=60)
    ours("run", "--yes", "--keep", "--name", "maker", "-c", "open('made', 'w').write('before')")
    for tag in ("base-1", "other-1"):
        r = ours("snapshot", "maker", tag)
        check("a snapshot " + tag, r.returncode == 0, r)
    ours("stop", "maker", "--yes")
    s = Server(program, "--from", "base-1", "--pool", "python=1", home=home)
    check("a pool from a snapshot fills", ready(s, 1), figures(s)[2])
    r = s.start_box()
    check("a start gets its sandbox", r.status == 200 and requests(figures(s)[1], "hit") == "1", r)
    check("which has the snapshot's files", s.run("open('made').read()").out == ["'before'"])
    s.stop()
    s = Server(program, "--snapshot", "other-1", "--pool", "python=1", home=home)
    check("a pool without one fills", ready(s, 1))
    r = s.start_box("plain")
    check("a start that names none has none", r.status == 200
          and s.command("test", "-e", "made", name="plain").result["exit_code"] == 1, r)
    r = s.start_box("asked", **{"from": "other-1"})
    check("a start may name what is offered", r.status == 200 and s.run("open('made').read()", name="asked").out == ["'before'"], r)
    check("and is no miss", requests(figures(s)[1], "miss") == "0", figures(s)[2])
    r = s.start_box("refused", **{"from": "base-1"})
    check("and nothing else", r.status != 200 and "not one that this server offers" in r.error, r)
    s.remove()


def costs(program):
    """What a sandbox more costs the server; a thousand of them must fit."""
    n = 20
    s = Server(program)

    def used():
        pid = s.process.pid
        rss = re.search(r"^Rss: *(\d+) kB", open("/proc/%d/smaps_rollup" % pid).read(), re.M)
        return len(os.listdir("/proc/%d/fd" % pid)), int(rss.group(1))

    def more(first):
        return all(s.start_box("c%d" % i).status == 200 and s.run("1+1", name="c%d" % i).out == ["2"]
                   for i in range(first, first + n))
    check("sandboxes start", more(0))
    files, kib = used()
    check("as many again", more(n))
    check("each takes few descriptors", used()[0] - files <= 12 * n, (files, used()))
    if "asan" not in s.program:
        check("and little memory", wait_until(lambda: used()[1] - kib <= 80 * n, 10), (kib, used()))
    s.remove()


main(giving, listing, missing, setups, keys, refusals, snapshots, costs)
