# SPDX-License-Identifier: MIT
"""life_test.py PROGRAM: how sandboxes of a server begin, end, and what survives."""
import base64
import os
import re
import signal
import subprocess
import tempfile
import time

from serve import HAS_NAMESPACES, Server, check, main, together, wait_until


def stopping(program):
    s = Server(program)
    s.start_box()
    r = s.stop_box()
    check("stop", r.status == 200 and r.result == "Sandbox box stopped successfully", r)
    check("a second stop", s.stop_box().status == 200)
    check("nothing was there to be saved", not os.path.exists(s.spaces + "/default/.files/box"))
    r = s.rpc("sandbox.start", {"sandbox": "box", "config": {"memory": 64}})
    check("start by the stored entry", r.status == 200, r)
    s.run("x = 1\nopen('here', 'w').write('1')\nimport os, tempfile\n"
          "open(tempfile.gettempdir() + '/there', 'w').write('2')\nopen(os.path.expanduser('~/home'), 'w').write('3')\n"
          "os.symlink('/etc/passwd', 'out')\nos.symlink('here', 'in')\nos.mkfifo('pipe')\n"
          "os.mkdir('d')\nopen('d/run', 'w').write('#!/bin/sh\\necho ran\\n')\nos.chmod('d/run', 0o755)")
    s.stop_box()
    s.rpc("sandbox.start", {"sandbox": "box"})
    r = s.run("import os, tempfile\nprint(open('here').read(), open(tempfile.gettempdir() + '/there').read(), open(os.path.expanduser('~/home')).read())")
    check("files survive", r.out == ["1 2 3"], r)
    check("so do modes and links", s.command("d/run").out == ["ran"] and s.command("readlink", "in").out == ["here"])
    check("variables do not", "NameError" in s.run("x").err[-1])
    check("the saved tree is the owner's alone", os.stat(s.spaces + "/default/.files").st_mode & 0o77 == 0)
    app = "/app" if HAS_NAMESPACES else "/workspace/app"
    s.start_box("app", workdir=app)
    s.run("open('f', 'w').write('4')", name="app")
    s.command("bash", "-c", "touch a b; mkdir d; touch d/x; chmod 0 a d; ln -s /etc/passwd out; mkfifo p", name="app")
    r = s.stop_box("app")
    check("what cannot be read is told; what is never saved is not",
          r.result == "Sandbox app stopped successfully; 2 of its files could not be read, and were not saved", r)
    s.rpc("sandbox.start", {"sandbox": "app", "config": {"image": "microsandbox/python", "workdir": app}})
    check("a working directory of its own survives", s.run("open('f').read()", name="app").out == ["'4'"])
    s.command("bash", "-c", "rm -rf ./* ${TMPDIR:-/tmp}/* ~/home")
    s.stop_box()
    check("removed files are gone", not os.path.exists(s.spaces + "/default/.files/box"))
    s.start_box()
    for i in range(5):
        stop, start, run = together(s.stop_box, lambda: time.sleep(0.002) or s.start_box(),
                                    lambda: time.sleep(0.004) or s.run("6 * 7"))
        check("stop, start and run at once", stop.status == start.status == 200
              and (run.failed(500, 5002) or run.out == ["42"]), (stop, start, run))
        check("it runs in the end", wait_until(lambda: s.start_box().status == 200) and s.run("1").out == ["1"])
    s.remove()


def ending(program):
    """A command that runs while its sandbox ends is not said to have been unable to run."""
    s = Server(program)
    s.start_box()

    def sleeps():
        return wait_until(lambda: s.count("sleep 60"))
    r, _ = together(lambda: s.command("sleep", "60"), lambda: sleeps() and s.stop_box())
    check("a command that a stop ends", r.failed(500, 5002, "sandbox 'box' in namespace 'default' ended while the "
                                                 "command 'sleep' ran: it was stopped"), r)
    s.start_box()
    line = s.begin("sandbox.repl.run", {"sandbox": "box", "language": "python", "code": "open('begun', 'w')\nwhile 1: pass"})
    check("a run goes on", wait_until(lambda: s.command("test", "-e", "begun").result["success"]))
    question = s.begin("sandbox.repl.ask", {"sandbox": "box", "language": "python", "question": "variables"})
    check("a question waits for it", s.metrics().status == 200)
    s.stop_box()
    told = question.recv(9999)
    check("a question that a stop ends", b"sandbox 'box' in namespace 'default' was stopped" in told, told)
    line.close()
    question.close()
    s.start_box()
    r, _ = together(lambda: s.command("sleep", "60"),
                    lambda: sleeps() and os.kill(s.boxes()[0]["supervisor_pid"], signal.SIGKILL))
    check("a command whose sandbox dies", r.failed(500, 5002, "ended while the command 'sleep' ran", "killed"), r)
    s.remove()


def dying(program):
    s = Server(program)
    s.start_box()
    s.run("1")
    os.kill(s.boxes()[0]["supervisor_pid"], signal.SIGKILL)
    check("a death is told", wait_until(lambda: s.run("1").failed(500, 5002, "not running", "killed")), s.run("1"))
    check("and seen", s.metrics(sandbox="box").result["sandboxes"][0]["running"] is False)
    check("it can be started again", s.start_box().status == 200 and s.run("2").out == ["2"])
    s.run("open('f', 'w').write('x')")
    s.stop_box()
    s.start_box()
    s.process.send_signal(signal.SIGKILL)
    s.process.wait()
    check("kill -9 of the server leaves no sandbox", wait_until(lambda: s.boxes() == []), s.boxes())
    s.start()
    row = s.metrics(sandbox="box").result["sandboxes"][0]
    check("it remembers them as stopped", row["running"] is False, row)
    check("and can start them, files and all", s.rpc("sandbox.start", {"sandbox": "box"}).status == 200
          and s.run("open('f').read()").out == ["'x'"])
    s.run("open('r', 'w').write('z')")
    saved = s.spaces + "/default/.files/box/workspace/r"
    check("files are saved when nobody has used it for a while", wait_until(lambda: os.path.exists(saved)))
    s.process.send_signal(signal.SIGKILL)
    s.process.wait()
    s.start()
    check("so a kill takes no more than what came after", s.rpc("sandbox.start", {"sandbox": "box"}).status == 200
          and s.run("open('r').read(), open('f').read()").out == ["('z', 'x')"])
    s.run("open('g', 'w').write('y')")
    line = s.begin("sandbox.repl.run", {"sandbox": "box", "language": "python", "code": "open('b', 'w')\nwhile 1: pass"})
    check("a run is under way", wait_until(lambda: s.command("test", "-e", "b").result["success"]))
    check("Ctrl-C ends the server", s.stop() == 0)
    check("whoever waits hears of it", b"500" in line.recv(4096))
    check("nothing is left", s.boxes() == [])
    s.start()
    s.rpc("sandbox.start", {"sandbox": "box"})
    check("files were saved", s.run("open('g').read()").out == ["'y'"])
    s.remove()


def limits(program):
    s = Server(program, "--idle-timeout", "5", "--max-sandboxes", "2")
    s.start_box("a")
    s.start_box("b")
    r = s.start_box("c")
    check("not more than may be", r.failed(500, 5002, "--max-sandboxes 2"), r)
    s.run("open('f', 'w').write('x')", name="a")
    for _ in range(20):
        s.run("import time; time.sleep(0.3)", name="a")
    check("who is used is not idle", s.run("1", name="a").out == ["1"])
    wait_until(lambda: not s.metrics(sandbox="b").result["sandboxes"][0]["running"])
    check("who is not is stopped", s.run("1", name="b").failed(500, 5002, "idle", "start it again"), s.run("1", name="b"))
    check("and gives its place away", s.start_box("c").status == 200)
    idle = lambda: not any(row["running"] for row in s.metrics().result["sandboxes"])
    check("files stay", wait_until(idle) and s.start_box("a").status == 200 and s.run("open('f').read()", name="a").out == ["'x'"])
    s.remove()
    s = Server(program, "--idle-timeout", "2")
    s.start_box()
    other = subprocess.Popen([s.program, "exec", "default.box", "--", "sleep", "60"], env=s.env)
    check("another program is in it", wait_until(lambda: any(b["clients"] == 2 for b in s.boxes())), s.boxes())
    check("so it is not idle", not wait_until(idle, 4))
    other.terminate()
    other.wait()
    check("and is when that has left", wait_until(idle, 20))
    s.remove()
    s = Server(program)
    for i in range(300):
        s.start_box(f"t{i}", image="nothing/like/this")
    check("what never started is not remembered", s.metrics().result["sandboxes"] == [])
    s.remove()


def unsaved(program):
    """Files that could not be saved are not said to be kept, also where nobody asked for the stop."""
    log = tempfile.TemporaryFile("w+")
    s = Server(program, "--keep-files", "1", "--idle-timeout", "1", errors=log)
    s.start_box()
    s.run("open('big', 'wb').write(b'x' * 2000000)")
    wait_until(lambda: not s.metrics(sandbox="box").result["sandboxes"][0]["running"])
    r = s.run("1")
    check("an idle one whose files were too big", r.failed(500, 5002, "idle for 1 s", "not saved", "1 MiB")
          and "kept" not in r.error, r)
    s.start_box()
    s.run("open('big', 'wb').write(b'x' * 2000000)")
    check("Ctrl-C ends the server", s.stop() == 0)
    log.seek(0)
    told = log.read().splitlines()
    check("who stops the server is told of each", len(told) == 2 and all(
        "'default/box'" in row and "not saved" in row and "1 MiB" in row for row in told), told)
    s.remove()


def hostile(program):
    s = Server(program, "--keep-files", "1")
    s.start_box()
    s.run("open('small', 'w').write('x')")
    s.stop_box()
    s.start_box()
    s.run("open('big', 'wb').write(b'x' * 2000000)")
    r = s.stop_box()
    check("more than may be saved is told", r.status == 200 and r.result.endswith(
        "its files were not saved: there are more than the 1 MiB that may be saved (--keep-files)"), r)
    s.start_box()
    for place in "'.'", "tempfile.gettempdir()":
        s.run(f"import tempfile; open({place} + '/half', 'wb').write(b'x' * 600000)")
    r = s.stop_box()
    check("all places together count", "more than the 1 MiB" in r.result, r)
    s.start_box()
    check("what was saved before is there", s.run("import os; os.listdir()").out == ["['small']"], s.run("os.listdir()"))
    s.command("bash", "-c", "d=x; for i in $(seq 300); do mkdir -p $d; d=$d/x; done; ln -s /etc/passwd p; ln -s ../../../../.. up;"
              " mkdir q; chmod 0 q; mkfifo f; touch $'a\\nb' '-rf' '*'; ln small h; truncate -s 100G holes")
    r = s.stop_box()
    check("an odd tree does no harm", r.status == 200, r)
    s.start_box()
    check("and the sandbox starts", s.run("1").out == ["1"])
    s.stop_box()
    outside = [os.path.join(d, f) for d, _, files in os.walk(s.home) for f in files if f == "passwd"]
    check("no link was followed", outside == [], outside)
    s.remove()


def configured(program):
    if not HAS_NAMESPACES:
        print("left out: without namespaces nothing can be mounted at /data, nor from a home that is not the sandbox's")
        return
    s = Server(program)
    shared = s.home + "/shared"
    os.makedirs(shared + "/in")
    os.symlink("/etc", shared + "/link")
    s.stop()
    s.options = ("--volumes", shared)
    s.start()
    os.makedirs(s.home + "/config/terrarium", exist_ok=True)
    r = s.start_box(memory=100, cpus=1, envs=["A=1 2"], volumes=["data:/data", f"{shared}/in:/in:ro"], ports=["8080:80"],
                    workdir="/workspace/w", shell="/bin/bash", depends_on=["x"],
                    scripts={"greet": "echo hello $A $0", "py": "#!/usr/bin/env python3\nprint('py')"})
    check("everything at once", r.status == 200 and r.result.startswith("Sandbox box started successfully")
          and "not forwarded" in r.result, r)
    check("memory", s.boxes()[0]["limits"]["mem_bytes"] == 100 << 20)
    check("envs, in the interpreter", s.run("import os; os.environ['A'], os.getcwd()").out == ["('1 2', '/workspace/w')"])
    check("scripts", s.command("greet").out == ["hello 1 2 /.sandbox/scripts/greet"] and s.command("py").out == ["py"])
    check("in Bash as well", s.run("greet", "bash").out == ["hello 1 2 /.sandbox/scripts/greet"])
    check("an interpreter by the name that images give it", s.command("python", "-c", "print(1)").out == ["1"])
    check("a volume", s.command("bash", "-c", "echo v > /data/v").result["success"]
          and open(s.spaces + "/default/data/v").read() == "v\n")
    check("one that is read-only", not s.command("touch", "/in/x").result["success"])
    for volume, words in (("/etc:/e", "--volumes"), (shared + "/link:/e", "link"), (shared + "/../x:/e", ""),
                          ("../other:/e", ""), (".files:/e", ""), ("a/../../b:/e", ""), (".:/e", ""), ("data:/", ""),
                          ("data:/usr/bin", "")):
        r = s.start_box("v", volumes=[volume])
        check(f"no volume: {volume}", r.status in (400, 500) and words in r.error, r)
    s.command("ln", "-s", "/etc", "/data/evil")
    r = s.start_box("v", volumes=["data/evil:/e"])
    check("a link that a sandbox has put there is not followed", r.status == 500, r)
    s.stop_box()
    s.start_box("w", volumes=["data:/workspace/d"])
    s.command("bash", "-c", "echo own > own; echo two > d/two", name="w")
    s.stop_box("w")
    saved = s.spaces + "/default/.files/w/workspace"
    check("volumes are not saved with the files", os.path.exists(saved + "/own") and not os.path.exists(saved + "/d/two"))
    s.stop()
    with open(s.home + "/config/terrarium/config.json", "w") as f:
        f.write('{ "server_images": { "acme/science": "python", "my-js": "node, bash" } }')
    s.start()
    check("images of the config file", s.start_box("i", image="acme/science:1.2").status == 200
          and s.run("1", name="i").out == ["1"] and s.run("1", "bash", "i").status == 500)
    s.remove()


def files(program):
    s = Server(program)
    s.start_box()

    def put(path, data, **more):
        return s.rpc("sandbox.file.put", {"sandbox": "box", "path": path, "base64": base64.b64encode(data).decode(), **more})

    def get(path, **more):
        r = s.rpc("sandbox.file.get", {"sandbox": "box", "path": path, **more})
        return base64.b64decode(r.result["base64"]) if r.result else r
    check("put", put("/tmp/f", b"a\0\xff", mode=0o755).result == {"bytes": 3})
    check("get", get("/tmp/f") == b"a\0\xff")
    r = s.rpc("sandbox.file.get", {"sandbox": "box", "path": "/tmp/f"})
    check("mode and size", r.result["mode"] == 0o755 and r.result["size"] == 3, r)
    piece = bytes(range(256)) * 4096
    check("a big one in pieces", put("big", piece).status == put("big", piece[::-1], append=True).status == 200)
    check("and back", get("big", size=1 << 20) + get("big", offset=1 << 20) == piece + piece[::-1])
    check("too big a piece", put("x", piece + b"1").failed(400, 2001))
    check("no base64", s.rpc("sandbox.file.put", {"sandbox": "box", "path": "x", "base64": "*"}).failed(400, 2001))
    check("not there", get("/tmp/none").failed(500, 5002, "/tmp/none"))
    check("not possible", put("/proc/none", b"x").status == 500)
    check("a directory is no file", get("/tmp").status == 500, get("/tmp"))
    s.remove()
    s = Server(program, "--file-size", "1")
    s.start_box()
    check("what fits", put("small", piece[:1000]).status == 200)
    r = put("small", piece, append=True)
    check("what does not says why", r.failed(500, 5002, "small: ") and re.search("file size limit|File too large", r.error), r)
    s.remove()


main(stopping, ending, dying, limits, unsaved, hostile, configured, files)
