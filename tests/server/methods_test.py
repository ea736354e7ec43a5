# SPDX-License-Identifier: MIT
"""methods_test.py PROGRAM: what the five methods do and say."""
import http.client
import json
import os
import shutil
import time

from serve import Server, check, main, together, wait_until


def starting(program):
    s = Server(program)
    r = s.start_box("A_b-9")
    check("start with an image", r.status == 200 and r.result == "Sandbox A_b-9 started successfully", r)
    s.run("x = 5", name="A_b-9")
    r = s.start_box("A_b-9", memory=64)
    check("start of a running one is a success", r.result == "Sandbox A_b-9 started successfully", r)
    check("and does nothing", s.run("x", name="A_b-9").out == ["5"])
    r = s.rpc("sandbox.start", {"sandbox": "nobody"})
    check("start without config for an unknown name", r.failed(400, 2001, "nobody", "image"), r)
    r = s.start_box("box", image="acme/unheard-of")
    check("an unknown image says which there are", r.failed(500, 5002, "acme/unheard-of", "microsandbox/python"), r)
    check("and leaves nothing behind", len(s.metrics().result["sandboxes"]) == 1, s.metrics())
    for name in ("", "x" * 64, "a b", "-a", "ä"):
        check(f"no name: {name!r}", s.start_box(name).failed(400, 2001), name)
        check(f"no namespace: {name!r}", s.start_box("a", space=name or "*").failed(400, 2001), name)
    check("63 characters are a name", s.start_box("y" * 63, space="z" * 63).status == 200)
    for config in ({"cpus": 1.5}, {"memory": -1}, {"memory": 1}, {"envs": "A=1"}, {"envs": ["=1"]}, {"envs": ["A"]},
                   {"ports": ["x"]}, {"ports": ["1:70000"]}, {"scripts": {"../x": ""}}, {"scripts": {".x": ""}},
                   {"scripts": {"-x": ""}}, {"scripts": {"": ""}}, {"volumes": ["../x:/x"]},
                   {"image": 3}, {"scripts": {"a": 1}}, {"scripts": {f"s{i}": "" for i in range(1000)}},
                   {"ports": ["1"] * 1000}, {"depends_on": ["x"] * 1000}):
        r = s.start_box("bad", **config)
        check(f"no config: {str(config)[:80]}", r.failed(400, 2001), r)
    r = s.rpc("sandbox.start", {"sandbox": "bad", "config": 7})
    check("a config is an object", r.failed(400, 2001), r)
    r = s.start_box("nulls", volumes=None, ports=None, envs=None, depends_on=None, scripts=None, unheard_of={"x": 1})
    check("null lists and unknown keys", r.status == 200, r)
    r = s.rpc("sandbox.start", {"sandbox": "plain", "config": {"image": "microsandbox/python"}})
    check("without a namespace it is the default one", r.status == 200 and s.run("1", name="plain").out == ["1"], r)
    r = s.rpc("sandbox.stop", {"sandbox": "nobody"})
    check("stop of an unknown name", r.failed(500, 5002, "nobody"), r)
    r = s.stop_box("x", "nowhere")
    check("stop in an unknown namespace", r.failed(400, 2001, "nowhere"), r)
    for path in ("start", "stop"):
        r = s.rpc(f"sandbox.{path}", {"sandbox": "plain"}, f"/api/v1/sandbox/{path}")
        check(f"the alias URL of {path}", r.status == 200, r)
    s.remove()


def running(program):
    s = Server(program)
    s.start_box()
    r = s.run("print('hi')")
    check("a line of stdout", r.result == {"status": "success", "language": "python",
                                           "output": [{"stream": "stdout", "text": "hi"}]}, r)
    s.run("import os\nx = 41")
    check("state is kept", s.run("x + 1").out == ["42"])
    r = s.run("display({'image/svg+xml': '<svg width=\"3\" height=\"2\"/>', 'text/plain': 'a plot'}, raw=True)")
    check("what is shown is an extra member", r.result["status"] == "success" and
          [(d["mime"], d["data"], d["format"], d["width"], d["dpi"], d["source"]) for d in r.result["displays"]] ==
          [("image/svg+xml", '<svg width="3" height="2"/>', "svg", 3, None, "shown"),
           ("text/plain", "a plot", "txt", None, None, "shown")], r)
    for code, out in (("1+1", ["2"]), ("y = 3", []), ("None", []), ("'a'+'b'", ["'ab'"]),
                      ("for i in range(2):\n    i\n", ["0", "1"]), ("print('a\\n\\nb\\r\\nc')", ["a", "", "b", "c"]),
                      ("print('x', end='')", ["x"]), ("if 1:\n    z = 1\n\n    z += 1\nprint(z)", ["2"]),
                      ("def f():\n    a = 1\n\n    return a\nf()", ["1"]), ("exit()", []), ("", [])):
        r = s.run(code)
        check(f"{code!r}", r.status == 200 and r.out == out and not r.err, r)
    r = s.run("1/0")
    check("a traceback on stderr", r.result["status"] == "success" and r.err[0].startswith("Traceback")
          and r.err[-1] == "ZeroDivisionError: division by zero" and not r.out, r)
    check("an unclosed bracket ends", "SyntaxError" in s.run("(1").err[-1])
    check("input() sees the end", "EOFError" in s.run("input()").err[-1])
    check("exit(3) is told", s.run("exit(3)").err == ["Error: exit code 3"])
    check("and state lives on", s.run("x").out == ["41"])
    r = s.run("import time\nprint(1)\nwhile True: time.sleep(0.1)", timeout=1)
    check("a time-out", r.status == 200 and r.out == ["1"] and r.result["status"] == "success"
          and r.err == ["Error: Execution timed out after 1 seconds"], r)
    r = s.run("x")
    check("the next run is clean", r.out == ["41"] and not r.err, r)
    r = s.run("import os; n = os.write(1, b'a\\xff\\x00b\\n')")
    check("bytes that are no text", r.out == ["a\ufffd\ufffdb"], r)
    r = s.run("import sys\nfor i in range(100000):\n    print(i)\n    if i % 100 == 0: n = sys.stderr.write('e\\n')")
    check("100 000 lines in order", r.out == [str(i) for i in range(100000)] and len(r.err) == 1000)
    r = s.run("for i in range(400000): print('y' * 99)")
    check("too much output is bounded, and that is told", len(r.text) < 30 << 20 and len(r.err) == 1
          and "bytes of output are left out" in r.err[0], r.err)
    check("its first and its last line are there", r.out[0] == r.out[-1] == "y" * 99)
    s.remove()


def languages(program):
    s = Server(program)
    s.start_box("node", image="microsandbox/node")
    for word in ("javascript", "NODEJS", "Node", "nodejs"):
        r = s.run("1 + 1", word, "node")
        check(f"language {word}", r.out == ["2"] and r.result["language"] == word, r)
    r = s.run("console.log('a'); throw new Error('boom')", "node", "node")
    check("Node's errors on stderr", r.out == ["a"] and any("Error: boom" in row for row in r.err), r)
    r = s.run("console.log('a\\n\\n> b\\n.. c')", "node", "node")
    check("no line of Node's is lost", r.out == ["a", "", "> b", ".. c"], r)
    r = s.run("function f() {\n  if (0) {\n    return 1\n  }\n  else {\n    return `a\nb`\n  }\n}\nf()", "node", "node")
    check("lines that belong together", r.status == 200 and not r.err, r)
    r = s.run("1", "python", "node")
    check("a language that the image has not", r.failed(500, 5002, "Unsupported language: python", "javascript"), r)
    r = s.run("1", "cobol", "node")
    check("one that nobody has", r.failed(500, 5002, "cobol"), r)
    rows = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/kernel/languages.json")))
    for name, row in rows.items():
        for word in {spelled for alias in [name, *row.get("aliases", [])] for spelled in (alias, alias.upper())}:
            if name not in ("javascript", "bash"):
                r = s.run("1", word, "node")
                check(f"{word} is known, though not here", r.failed(500, 5002, "the image of this sandbox runs"), r)
    s.start_box("all", image="terrarium/all")
    for word, tool in (("RB", "ruby"), ("R", "R"), ("Shell", "bash"), ("C", "gcc")):
        if shutil.which(tool):
            r = s.run("echo 42" if tool == "bash" else "40 + 2", word, "all")
            check(f"{word} by its alias", "42" in r.out[0] and r.result["language"] == word, r)
    check("bash", s.run("cd /tmp; x=1", "bash", "all").status == 200
          and s.run("echo $PWD $x", "bash", "all").out == ["/tmp 1"])
    check("all languages in one", s.run("1", "python", "all").out == s.run("1", "node", "all").out == ["1"])
    for params in ({}, {"code": 1, "language": "python"}, {"code": "1"},
                   {"code": "1", "language": "python", "timeout": "x"}):
        r = s.rpc("sandbox.repl.run", {"sandbox": "all", **params})
        check(f"bad params {params}", r.failed(500, 5002, "Invalid params"), r)
    check("no sandbox named", s.rpc("sandbox.repl.run", {"code": "1"}).failed(400, 2001, "sandbox"))
    check("no params", s.rpc("sandbox.repl.run", [1]).failed(400, 2001))
    s.stop_box("all")
    for what, where, words in (("one that is stopped", {"name": "all"}, "not running"),
                               ("one that is unknown", {"name": "zz"}, "zz"),
                               ("an unknown namespace", {"space": "zz"}, "zz")):
        r = s.run("1", **where)
        check(what, r.failed(500, 5002, words) and r.reason == "not-running", (r, r.reason))
    s.remove()


def commands(program):
    s = Server(program)
    s.start_box(envs=["GREETING=hi"], workdir="/workspace/w")
    r = s.command("bash", "-c", "echo a; echo b >&2; exit 3")
    check("a command", r.result["command"] == "bash" and r.result["args"] == ["-c", "echo a; echo b >&2; exit 3"]
          and r.result["exit_code"] == 3 and r.result["success"] is False and r.out == ["a"] and r.err == ["b"], r)
    r = s.rpc("sandbox.command.run", {"sandbox": "box", "command": "pwd"})
    check("args are []", r.result["args"] == [] and r.result["success"] is True and r.out[0].endswith("/workspace/w"), r)
    check("there is no shell", s.command("echo", "$HOME;", "*").out == ["$HOME; *"])
    r = s.command("bash", "-c", "echo x; kill -9 $$")
    check("killed is 1, and said", r.result["exit_code"] == 1 and not r.result["success"] and r.out == ["x"]
          and r.err == ["Error: Command was ended by signal 9 (Killed)"], r)
    check("no such program", s.command("echo hi").failed(500, 5002, "not found"))
    check("stdin is at its end", s.command("cat").result["exit_code"] == 0)
    check("envs", s.command("printenv", "GREETING").out == ["hi"])
    check("the old name", s.rpc("sandbox.command.execute", {"sandbox": "box", "command": "true"}).status == 200)
    r = s.command("bash", "-c", "echo so far; sleep 31415 & setsid sleep 31415 & sleep 31415", timeout=1)
    check("a time-out", r.failed(500, 5002, "timed out after 1 seconds", "so far"), r)
    check("all its children are dead", s.count("sleep 31415") == 0)
    meet = "touch met-$0; until [ -e met-0 -a -e met-1 -a -e met-2 -a -e met-3 ]; do sleep 0.02; done"
    replies = together(*[lambda i=i: s.command("sh", "-c", meet, str(i), timeout=60) for i in range(4)])
    check("commands run side by side", all(r.result["exit_code"] == 0 for r in replies), replies)
    replies = together(*[lambda i=i: s.run(f"n = {i}\nimport time\ntime.sleep(0.1)\nn == {i}") for i in range(4)])
    check("runs one after the other", all(r.out == ["True"] for r in replies), replies)
    line = s.begin("sandbox.command.run", {"sandbox": "box", "command": "sleep", "args": ["31416"]})
    check("it runs", wait_until(lambda: s.count("sleep 31416") == 1))
    line.close()
    check("and dies when its client leaves", wait_until(lambda: s.count("sleep 31416") == 0))
    line = s.begin("sandbox.repl.run", {"sandbox": "box", "language": "python",
                                        "code": "v = 1\nopen('began', 'w')\nwhile True: pass"})
    check("a run", wait_until(lambda: s.command("test", "-e", "began").result["success"]))
    line.close()
    r = s.run("v")
    check("whose client leaves does not block the next", r.out == ["1"], r)
    s.remove()


def flooding(program):
    s = Server(program, "--max-output", "0.5")
    s.start_box()
    why = "interrupted: it printed more than the output limit of 0.5 MiB"
    line = "y" * 1023
    r = s.run(f"x = 1\nwhile True: print('{line}')")
    check("a run that prints too much", r.result["status"] == "success" and r.out == [line] * 512
          and r.err[-1] == f"Error: Execution was {why}", r)
    check("keeps its state", s.run("x").out == ["1"])
    r = s.command("yes", line)
    check("a command that does", (r.result["success"], r.result["exit_code"]) == (False, 1) and r.out == [line] * 512
          and r.err == [f"Error: Command was {why}"], r)
    r = s.command("bash", "-c", f"trap '' INT; while :; do echo {line}; done")
    check("one that passes over the interrupt", r.result["success"] is False and r.err == [f"Error: Command was {why}"], r)
    r = s.command("bash", "-c", f"trap 'exit 0' INT; while :; do echo {line}; done")
    check("one that ends well by it has not", r.result["success"] is False and r.result["exit_code"] == 1, r)
    r = s.command("bash", "-c", "printf %524288d 1; echo >&2 -n; exit 3")
    check("the limit itself is not too much", r.result["exit_code"] == 3 and not r.err, r)
    s.remove()


def canceling(program):
    """notifications/cancelled of MCP: what runs for that call of that session ends, and nothing else does."""
    s = Server(program)
    s.start_box()

    def post(line, message, session=None):
        line.request("POST", "/mcp", json.dumps(dict(message, jsonrpc="2.0")),
                     {"Content-Type": "application/json", **({"Mcp-Session-Id": session} if session else {})})

    def answer(line):
        reply = line.getresponse()
        return reply, reply.read()

    def line():
        return http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)

    def begin():
        one = line()
        post(one, {"id": 0, "method": "initialize"})
        return one, answer(one)[0].headers["Mcp-Session-Id"]

    def sleeps(n):
        return wait_until(lambda: s.count("sleep 60") == n)

    def call(one, session, ident):
        post(one, {"id": ident, "method": "tools/call", "params": {"name": "sandbox_run_command", "arguments": {
            "sandbox": "box", "command": "sleep", "args": ["60"]}}}, session)

    (a, mine), (b, other) = begin(), begin()
    check("sessions have numbers of their own", len(mine) == 32 and mine != other, (mine, other))
    call(a, mine, 7)
    call(b, other, 7)
    check("both run", sleeps(2))
    c = line()
    for what, session, ident in (("no session", None, 7), ("another's", "0" * 32, 7), ("another number", mine, 8),
                                 ("another type", mine, "7"), ("none", mine, None)):
        post(c, {"method": "notifications/cancelled", "params": {"requestId": ident}}, session)
        reply, body = answer(c)
        check(f"canceling {what} cancels nothing", reply.status == (202 if session else 200) and body == b"" and sleeps(2))
    post(c, {"method": "notifications/cancelled", "params": {"requestId": 7}}, mine)
    answer(c)
    reply, body = answer(a)
    check("what is canceled has no answer", reply.status == 202 and body == b"", body)
    check("and its command has ended, the other not", sleeps(1))
    call(a, mine, 9)
    check("the session goes on", sleeps(2))
    post(c, {"method": "notifications/cancelled", "params": {"requestId": 9}}, mine)
    answer(c)
    check("and cancels again", answer(a)[1] == b"" and sleeps(1))
    post(a, {"id": 1, "method": "tools/call", "params": {"name": "sandbox_run_code", "arguments": {
        "sandbox": "box", "code": "open('begun', 'w')\nwhile True: pass", "language": "python"}}}, mine)
    check("an endless run begins", wait_until(lambda: s.command("test", "-e", "begun").result["success"]))
    d = line()
    post(d, {"id": 2, "method": "tools/call", "params": {"name": "sandbox_run_code", "arguments": {
        "sandbox": "box", "code": "6 * 7", "language": "python"}}}, mine)
    post(c, {"method": "notifications/cancelled", "params": {"requestId": 1}}, mine)
    answer(c)
    check("the next run is not blocked by a canceled one", b"42" in answer(d)[1] and answer(a)[1] == b"")
    vast = {f"k{i}": 0 for i in range(100000)}
    call(a, mine, vast)
    check("a number that is none runs", sleeps(2))
    post(c, {"method": "notifications/cancelled", "params": {"requestId": vast}}, mine)
    began = time.monotonic()
    answer(c)
    check("to look for it holds nobody up", time.monotonic() - began < 5, time.monotonic() - began)
    s.remove()


def measuring(program):
    s = Server(program)
    check("nothing yet", s.metrics().result == {"sandboxes": []}, s.metrics())
    check("an unknown namespace", s.metrics(namespace="nowhere").failed(400, 2001))
    s.start_box("one")
    s.start_box("two", space="other")
    r = s.metrics(sandbox="one")
    row = r.result["sandboxes"][0]
    check("one row", len(r.result["sandboxes"]) == 1 and row["name"] == "one" and row["namespace"] == "default"
          and row["running"] is True, r)
    check("all of a namespace", [row["name"] for row in s.metrics().result["sandboxes"]] == ["one"])
    names = {(row["namespace"], row["name"]) for row in s.metrics(namespace="*").result["sandboxes"]}
    check("all of all", names == {("default", "one"), ("other", "two")}, names)
    check("an unknown name", s.metrics(sandbox="zz").failed(500, 5002))
    check("the old name", s.rpc("sandbox.getStatus", {"sandbox": "one", "namespace": "default"}).status == 200)
    s.command("bash", "-c", "head -c 3000000 /dev/zero > f; (while :; do :; done) > /dev/null 2>&1 & disown", name="one")

    def is_busy():
        row = s.metrics(sandbox="one").result["sandboxes"][0]
        return row["cpu_usage"] and row["cpu_usage"] > 10
    check("the processor's share is a rate", wait_until(is_busy))
    row = s.metrics(sandbox="one").result["sandboxes"][0]
    check("memory in whole MiB", isinstance(row["memory_usage"], int) and 1 < row["memory_usage"] < 512, row)
    check("disk in bytes", isinstance(row["disk_usage"], int) and row["disk_usage"] >= 3000000, row)
    s.stop_box("one")
    row = s.metrics(sandbox="one").result["sandboxes"][0]
    check("stopped", row == {"namespace": "default", "name": "one", "running": False, "cpu_usage": None,
                             "memory_usage": None, "disk_usage": None}, row)
    s.remove()


def missing(program):
    s = Server(program)
    s.start_box()
    asks = '"libraries": ["six"]'
    last = s.run("import six_of_them as six\nprint(1)").err[-1]
    check("a module that is missing", 'run python code with "libraries": ["six_of_them"]' in last, last)
    check("another error has no note", "libraries" not in s.run("1/0").err[-1])
    said = "printf 'ERROR: No matching distribution found for six\\n' >&2; exit "
    r = s.command("bash", "-c", said + "1")
    check("pip without a network", r.err[-1].startswith("this sandbox has no network: ") and asks in r.err[-1], r)
    check("of a command that succeeds nothing is said", asks not in s.command("bash", "-c", said + "0").err[-1])
    r = s.run("import os\nx = os.system(" + repr(said + "1") + ")")
    check("pip that code started", r.err and asks in r.err[-1], r)
    r = s.command("bash", "-c", "echo 'E: List directory /var/lib/apt/lists/partial is missing.' >&2; exit 100")
    check("apt-get", r.err[-1].startswith("apt-get works in containers"), r)
    s.remove()
    s = Server(program, "--net", "off")
    s.start_box()
    check("nothing is promised that is forbidden", "libraries" not in s.run("import six_of_them").err[-1])
    s.remove()


main(starting, running, languages, commands, flooding, canceling, measuring, missing)
