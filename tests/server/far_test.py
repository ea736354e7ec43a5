# SPDX-License-Identifier: MIT
"""The command line at a server: sandboxes that others have started there are found, looked at, used, and left running."""
import filecmp
import json
import os
import signal
import subprocess
import sys

from serve import HAS_NAMESPACES, Server, check, main, wait_until


class Line:
    """`terrarium …` beside a server."""

    def __init__(self, server):
        self.server = server
        self.env = dict(server.env, MSB_SERVER_URL=f"http://127.0.0.1:{server.port}", LC_ALL="C.UTF-8")
        self.dir = server.home + "/line"
        os.mkdir(self.dir)

    def __call__(self, command, *words, feed="", **env):
        return subprocess.run([self.server.program, command, "--backend", "microsandbox", *words], input=feed, text=True,
                              capture_output=True, env=dict(self.env, **env), cwd=self.dir, timeout=300)

    def fails(self, what, words, *line, code=125, feed="", **env):
        done = self(*line, feed=feed, **env)
        holds = done.returncode == code and not done.stdout and all(word in done.stderr for word in words)
        check(what, holds, done)


def is_running(server, name):
    rows = server.metrics().result["sandboxes"]
    return any(row["name"] == name and row["running"] for row in rows)


def joining(program):
    s = Server(program)
    line = Line(s)
    s.start_box("lab", image="terrarium/all")
    s.run("x = 20", name="lab")
    done = line("run", "--yes", "--name", "lab", "-c", "print(x + 1)")
    check("run uses the state that is there", (done.returncode, done.stdout) == (0, "21\n"), done)
    check("... and leaves the sandbox, with its state", s.run("x", name="lab").out == ["20"])
    done = line("repl", "--name", "lab", "--yes", feed="x = 30\n")
    check("so does the REPL", done.returncode == 0 and s.run("x", name="lab").out == ["30"], done)
    done = line("attach", "--repl", "--yes", "lab", feed="x + 1\n")
    check("and attach", "31" in done.stdout and is_running(s, "lab"), done)
    done = line("run", "--yes", "--name", "own", "-c", "print(1)")
    check("one that was not there ends with its run", done.stdout == "1\n" and not is_running(s, "own"), done)
    done = line("exec", "lab", "--", "echo", "hi")
    check("exec in it", done.stdout == "hi\n" and is_running(s, "lab"), done)
    line.fails("exec: no such program", ["nosuch", "not found"], "exec", "lab", "--", "nosuch", code=127)
    line.fails("exec: no program", ["/etc/passwd"], "exec", "lab", "--", "/etc/passwd", code=126)
    line.fails("exec: no such sandbox", ["none", "default", "ps"], "exec", "none", "--", "true")
    line.fails("attach: no such sandbox", ["none"], "attach", "--repl", "--yes", "none", feed="1\n")
    line.fails("nobody there", ["refused"], "exec", "lab", "--", "true", MSB_SERVER_URL="http://127.0.0.1:1")
    done = line("stop", "lab")
    check("stop ends what others have started", done.stdout == "lab\n" and not is_running(s, "lab"), done)
    s.remove()


def flooding(program):
    s = Server(program, "--max-output", "0.5")
    line = Line(s)
    s.start_box("lab")
    why = "terrarium: interrupted: it printed more than the output limit of {} MiB"
    done = line("exec", "lab", "--", "yes")
    check("exec: more than the server allows", done.returncode == 130 and len(done.stdout) == 1 << 19
          and why.format(0.5) in done.stderr, (done.returncode, len(done.stdout), done.stderr))
    done = line("exec", "--max-output", "0.25", "lab", "--", "yes")
    check("exec: more than was asked for", done.returncode == 130 and len(done.stdout) == 1 << 18
          and why.format(0.25) in done.stderr, (done.returncode, len(done.stdout), done.stderr))
    done = line("run", "--yes", "--name", "lab", "-c", "while True: print('y')")
    check("run: more than the server allows", done.returncode == 130 and len(done.stdout) == 1 << 19
          and why.format(0.5) in done.stderr, (done.returncode, len(done.stdout), done.stderr))
    s.remove()


def reading_late(program):
    """Who does not read holds up what is printed, and loses nothing."""
    s = Server(program)
    line = Line(s)
    s.start_box("lab")
    process = subprocess.Popen([s.program, "exec", "--backend", "microsandbox", "lab", "--", "head", "-c", "150000000", "/dev/zero"],
                               env=line.env, cwd=line.dir, stdout=subprocess.PIPE)
    first = process.stdout.read(1)
    ended = wait_until(lambda: not s.count("head -c 150000000 /dev/zero"), 2)
    check("it is held up", not ended)
    n = len(first) + len(process.stdout.read())
    check("nothing is lost", process.wait() == 0 and n == 150000000, n)
    s.remove()


def looking(program):
    s = Server(program)
    line = Line(s)
    s.start_box("lab", memory=100)
    s.start_box("other", space="team")
    s.run("1", name="lab")
    done = line("ps", "--json")
    rows = json.loads(done.stdout)
    check("ps: one namespace", [(r["name"], r["group"], r["mem_limit_bytes"]) for r in rows] == [("lab", "default", 100 << 20)],
          done)
    check("ps: what a server does not tell is null", rows[0]["clients"] is None and rows[0]["supervisor_pid"] is None, done)
    check("ps: how long it has been there", 0 < rows[0]["age_s"] < 600 and rows[0]["started_ms"] > 0, rows)
    done = line("ps", "--names", "--namespace", "*")
    check("ps: all namespaces", done.stdout == "lab\nother\n", done)
    done = line("ps")
    check("ps: a table", done.stdout.splitlines()[1].split()[:2] == ["lab", "microsandbox"], done)
    line.fails("ps: no such namespace", ["nowhere"], "ps", "--namespace", "nowhere")
    line.fails("ps: nobody there", ["refused", "list"], "ps", MSB_SERVER_URL="http://127.0.0.1:1")

    done = line("metrics", "lab", "--json")
    sample = json.loads(done.stdout)
    check("metrics of one", sample["mem_bytes"] > 0 and sample["mem_limit_bytes"] == 100 << 20 and sample["processes"], done)
    done = line("metrics", "--json")
    check("metrics of all", [r["name"] for r in json.loads(done.stdout)] == ["lab"], done)
    done = line("metrics", "lab", "--watch", "--count", "2", "-i", "0.2")
    check("metrics, line by line", len(done.stdout.splitlines()) == 2, done)
    line.fails("metrics: no such sandbox", ["none", "no running"], "metrics", "none")

    done = line("inspect", "lab", "--json")
    about = json.loads(done.stdout)
    check("inspect", about["namespace"] == "default" and about["server"] == line.env["MSB_SERVER_URL"]
          and any(g["what"] == "isolation" for g in about["guards"]) and about["metrics"]["mem_bytes"] > 0, done)
    check("inspect: mounts, from inside", about["mounts"] is None if not HAS_NAMESPACES
          else any(m["path"] == "/workspace" for m in about["mounts"]), done)
    done = line("inspect", "lab")
    check("inspect, as text", "namespace   default" in done.stdout and "supervisor" not in done.stdout, done)
    line.fails("inspect: no such sandbox", ["none", "no running"], "inspect", "none")
    line.fails("logs cannot be had", ["logs NAMESPACE.NAME"], "logs", "lab")
    line.fails("packages cannot be had", ["pip install"], "install", "--name", "lab", "six")
    check("looking changes nothing", is_running(s, "lab"))
    s.remove()


def copying(program):
    s = Server(program)
    line = Line(s)
    s.start_box("lab")
    tree = line.dir + "/tree"
    os.makedirs(tree + "/sub")
    with open(tree + "/big", "wb") as f:
        f.write(os.urandom(1500000))
    with open(tree + "/sub/a", "w") as f:
        f.write("hello\n")
    os.symlink("a", tree + "/sub/l")
    done = line("cp", "tree", "lab:in")
    check("cp in", done.returncode == 0 and s.command("cat", "in/sub/a", name="lab").out == ["hello"], done)
    done = line("cp", "lab:in", "out")
    check("cp out", done.returncode == 0 and filecmp.cmp(tree + "/big", line.dir + "/out/big", False)
          and os.readlink(line.dir + "/out/sub/l") == "a", done)
    for name in "in/bad\udcff", "it's \n odd":
        done = line("cp", "tree/big", "lab:" + name)
        back = line("cp", "lab:" + name, "same")
        check("cp of names that are odd", back.returncode == 0 and filecmp.cmp(tree + "/big", line.dir + "/same", False), (done, back))
    line("cp", "-", "lab:typed", feed="typed\n")
    check("cp through pipes", line("cp", "lab:typed", "-").stdout == "typed\n")
    line.fails("cp: no such file", ["lab:none"], "cp", "lab:none", ".")
    line.fails("cp: no such sandbox", ["none", "no running"], "cp", "none:x", ".")
    check("it is left running", is_running(s, "lab"))
    s.remove()


def copying_many(program):
    """Many files take time, and not much memory."""
    s = Server(program)
    line = Line(s)
    s.start_box("lab")
    s.run("import os\nfor n in 1, 20000:\n    os.mkdir(f'{n}')\n    for i in range(n): open(f'{n}/{i}', 'w').close()", name="lab")
    took = []
    for n in 1, 20000:
        process = subprocess.Popen([os.path.abspath(program), "cp", "--backend", "microsandbox", f"lab:{n}", "."],
                                   env=line.env, cwd=line.dir)
        _, status, used = os.wait4(process.pid, 0)
        took.append(used.ru_maxrss / 1024)
        check(f"{n} files", status == 0 and len(os.listdir(f"{line.dir}/{n}")) == n, status)
    check("MiB of memory", took[1] < took[0] + 50, took)
    s.remove()


def copying_much(program):
    """What is big goes in pieces: as it was, or not at all."""
    s = Server(program)
    line = Line(s)
    s.start_box("lab")
    folder = line.dir + "/src"
    os.makedirs(folder)
    with open(folder + "/big", "wb") as f:
        f.write(os.urandom(1 << 20) * 5 + b"end")
        f.truncate(9 << 20)
        f.seek(9 << 20)
        f.write(os.urandom((1 << 20) + 1))
    with open(folder + "/next", "wb") as f:
        f.write(os.urandom(70000))
    os.chmod(folder + "/big", 0o750)
    os.utime(folder + "/big", ns=(1, 981173106123456789))
    done = line("cp", "src", "lab:")
    check("cp of big files", done.returncode == 0 and not done.stderr, done)
    told = s.command("stat", "-c", "%n %a %s %.Y", "src/big", name="lab").out
    check("mode, size and time", told == [f"src/big 750 {(10 << 20) + 1} 981173106.123456789"], told)
    done = line("cp", "lab:src", "back")
    check("the same bytes", all(filecmp.cmp(f"{folder}/{n}", f"{line.dir}/back/{n}", False) for n in ("big", "next")), done)
    s.command("ln", "-s", "src/big", "link", name="lab")
    done = line("cp", "lab:link", "back/link")
    check("what a link leads to", filecmp.cmp(folder + "/big", line.dir + "/back/link", False), done)
    whole = s.command("sh", "-c", "ls src", name="lab").out
    check("nothing else", whole == ["big", "next"], whole)

    s.command("sh", "-c", "mkdir shut; chmod 500 shut", name="lab")
    line.fails("no permission", ["lab:", "shut/big: the file cannot be made: Permission denied"], "cp", "src/big", "lab:shut/big")
    line.fails("no such directory", ["lab:", "none/big: the file cannot be made"], "cp", "src/big", "lab:none/big")
    with open(line.dir + "/huge", "wb") as f:
        for _ in range(300):
            f.write(os.urandom(1 << 20))
    full = "No space left on device" if HAS_NAMESPACES else "File too large"
    line.fails("a full disk", ["lab:", "huge: the file cannot be written: " + full], "cp", "huge", "lab:huge")
    check("nothing half is left", s.command("sh", "-c", "ls", name="lab").out == ["link", "shut", "src"],
          s.command("sh", "-c", "ls", name="lab"))

    for signo in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        process = subprocess.Popen([program, "cp", "--backend", "microsandbox", "huge", "lab:src/it"], env=line.env, cwd=line.dir,
                                   stderr=subprocess.PIPE, text=True)
        wait_until(lambda: process.poll() is not None
                   or s.command("sh", "-c", "[ -s src/it.part~ ]", name="lab").result["exit_code"] == 0)
        process.send_signal(signo)
        words = process.communicate()[1]
        check("a copy that is broken off", process.returncode == 128 + signo and "stopped" in words, (process.returncode, words))
        whole = s.command("sh", "-c", "ls src", name="lab").out
        check("... leaves nothing", whole == ["big", "next"], whole)
    s.remove()

    s = Server(program, "--max-output", "0.25")
    line = Line(s)
    s.start_box("lab")
    with open(line.dir + "/big", "wb") as f:
        f.write(os.urandom(3 << 20))
    line("cp", "big", "lab:")
    done = line("cp", "lab:big", "back")
    check("files are no output", done.returncode == 0 and filecmp.cmp(line.dir + "/big", line.dir + "/back", False), done)
    s.remove()


def warning(program):
    """What a start does not give is said, once."""
    s = Server(program)
    line = Line(s)
    done = line("run", "--yes", "--image", "microsandbox/node", "-c", "1")
    check("a language that the image lacks", done.returncode == 125 and done.stderr.count("Unsupported language") == 1, done)
    done = line("run", "--yes", "--port", "8080", "--net", "on", "-c", "print(1)", "-c", "print(2)")
    check("ports and network", done.returncode == 0 and done.stdout == "1\n2\n" and done.stderr.count("\n") == 1
          and "ports are not forwarded" in done.stderr and "no network" in done.stderr, done)
    done = line("exec", "--port", "8080", "--", "true")
    check("also of a command", done.returncode == 0 and "ports are not forwarded" in done.stderr, done)
    s.remove()


def relaying(program):
    """A server whose sandboxes are another one's."""
    s = Server(program, is_dev=False)
    key = subprocess.run([program, "keygen"], env=s.env, capture_output=True, text=True, check=True).stdout
    key_file = s.home + "/key"
    with open(os.open(key_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
        f.write(key)
    url = f"http://127.0.0.1:{s.port}"
    relay = Server(program, "--backend", "microsandbox", "--server-url", url, "--api-key-file", key_file)
    relay.start_box("lab")
    r = relay.run("6 * 7", name="lab")
    check("its runs are there", r.status == 200 and r.out == ["42"], r)
    done = Line(s)("ps", "--server-url", url, "--api-key-file", key_file)
    check("and so is its sandbox", done.returncode == 0 and "lab" in done.stdout, done)
    for host in "127.0.0.1", "localhost":
        done = subprocess.run([program, "serve", "--dev", "--backend", "microsandbox", "--server-url", f"http://{host}:5999/",
                               "--port", "5999"], env=relay.env, capture_output=True, text=True, timeout=30)
        check("none can be its own", done.returncode == 125 and "this one itself" in done.stderr, done)
    relay.remove()
    s.remove()


def refusing(program):
    s = Server(program, is_dev=False)
    line = Line(s)
    key = subprocess.run([program, "keygen", "--namespace", "mine", "--expire", "1d"], env=s.env, capture_output=True,
                         text=True, check=True).stdout.strip()
    line.fails("a key's own namespace is named", ["'mine'", "'default'"], "ps", MSB_API_KEY=key)
    line.fails("a refused key is no missing program", ["'mine'"], "exec", "lab", "--", "true", MSB_API_KEY=key)
    done = subprocess.run([program, "serve", "--dev", "--port", "0"], env=s.env, capture_output=True, text=True, timeout=30)
    check("a second server in the same directory", done.returncode == 125 and "another server" in done.stderr
          and "--namespace-dir" in done.stderr and s.spaces in done.stderr, done)
    s.stop()
    dev = Server(program, home=s.home)
    dev.start_box("lab")
    r = dev.run("1", "", name="lab")
    check("an empty language", r.status == 500 and "the name is empty" in r.error, r)
    dev.remove()


main(joining, flooding, reading_late, looking, copying, copying_many, copying_much, warning, relaying, refusing)
