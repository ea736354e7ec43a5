# SPDX-License-Identifier: MIT
"""Asks the server at the port in argv[1] all that the extension offers, by plain HTTP. Prints what is wrong."""

import base64
import http.client
import json
import sys
import time

PORT = int(sys.argv[1])
LIMIT_S = 60


def post(path, body, accept="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=LIMIT_S)
    connection.request(
        "POST", path, json.dumps(body), {"Content-Type": "application/json", "Accept": accept}
    )
    return connection, connection.getresponse()


def envelope(method, params):
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def call(method, **params):
    """Status and result (or the error's text) of a plain call."""
    params.setdefault("sandbox", "box")
    connection, reply = post("/api/v1/rpc", envelope(method, params))
    answer = json.loads(reply.read())
    connection.close()
    if "result" in answer:
        return reply.status, answer["result"]
    return reply.status, answer["error"]


class Stream:
    """A run told as events."""

    def __init__(self, method="sandbox.repl.run", **params):
        params.setdefault("sandbox", "box")
        if method == "sandbox.repl.run":
            params.setdefault("language", "python")
        self.connection, self.reply = post("/api/v1/rpc", envelope(method, params), "text/event-stream")
        self.run = self.reply.getheader("Terrarium-Run")
        self.status = self.reply.status

    def next(self):
        """(name, data), or None at the end."""
        name, lines = None, []
        while True:
            line = self.reply.readline().decode()
            if not line:
                return None
            line = line.rstrip("\n")
            if not line and name:
                return name, json.loads("\n".join(lines))
            if line.startswith("event: "):
                name = line[7:]
            if line.startswith("data: "):
                lines.append(line[6:])

    def until(self, name):
        """The data of the next event of that name; those before it are passed over."""
        while True:
            event = self.next()
            if event is None:
                raise AssertionError(f"the stream ended without {name}")
            if event[0] == name:
                return event[1]

    def rest(self):
        """All that comes, as a dict from name to the list of data."""
        events = {}
        while True:
            event = self.next()
            if event is None:
                return events
            events.setdefault(event[0], []).append(event[1])
            self.last = event[0]

    def leave(self):
        self.connection.close()
        self.reply.close()


def text(events, stream="stdout"):
    return "".join(e["text"] for e in events.get("output", []) if e["stream"] == stream)


def check(what, is_true, *seen):
    if not is_true:
        print(f"{what}: {seen}")


def equal(what, seen, wanted):
    check(what, seen == wanted, seen)


# ---- output and the end


def output():
    s = Stream(code="import sys\nprint('ä€😀')\nprint('e', file=sys.stderr)\n6 * 7")
    equal("status", s.status, 200)
    equal("type", s.reply.getheader("Content-Type"), "text/event-stream")
    check("number", len(s.run) == 16 and int(s.run, 16) >= 0, s.run)
    events = s.rest()
    equal("stdout", text(events), "ä€😀\n")
    equal("stderr", text(events, "stderr"), "e\n")
    equal("value", events["result"][0]["value"], "42")
    equal("the last event", s.last, "response")
    plain = call("sandbox.repl.run", language="python", code="import sys\nprint('ä€😀')\nprint('e', file=sys.stderr)\n6 * 7")[1]
    equal("response", events["response"], [{"jsonrpc": "2.0", "result": plain, "id": 7}])

    events = Stream(code="import os\nos.write(1, b'\\xff\\x00\\xfe')").rest()
    bytes_seen = b"".join(base64.b64decode(e["base64"]) for e in events["output"])
    equal("bytes that are no text", bytes_seen, b"\xff\x00\xfe")

    events = Stream(code="1/0").rest()
    equal("error", events["result"][0]["error"]["name"], "ZeroDivisionError")
    events = Stream(language="javascript", code="throw new TypeError('no')").rest()
    equal("error of javascript", events["result"][0]["error"]["name"], "TypeError")

    # As it is printed: the code does not go on before we have seen this.
    s = Stream(code="import sys\nprint('first', flush=True)\n_ = sys.stdin.readline()\nprint('second')", stdin=True)
    equal("output comes", s.next(), ("output", {"stream": "stdout", "text": "first\n"}))
    call("sandbox.run.input", run=s.run, text="\n")
    equal("the rest", text(s.rest()), "second\n")


def displays():
    events = Stream(
        code="class P:\n    def _repr_html_(self): return '<b>x</b>'\n    def __repr__(self): return 'P()'\nP()"
    ).rest()
    shown = {d["mime"]: d["data"] for d in events.get("display", [])}
    equal("display", shown.get("text/html"), "<b>x</b>")
    equal("forms that follow", events["display"][-1]["more"], 0)


def stalled(path):
    """Waits until what is told in that file of the sandbox stays the same."""
    before, until = None, time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        now = call("sandbox.command.run", command="cat", args=[path])[1]["output"]
        if now and now == before:
            return
        before = now
    raise AssertionError("the code did not wait")


def flood():
    s = Stream(
        code="for i in range(300000):\n print('%099d' % i)\n if i % 1000 == 0: _ = open('far', 'w').write(str(i))"
    )
    stalled("far")  # nobody reads: the code has to wait, and nothing may be lost
    n, lines = 0, 0
    while True:
        name, data = s.next()
        if name != "output":
            break
        n += len(data["text"])
        lines += data["text"].count("\n")
    equal("bytes", (n, lines), (30000000, 300000))
    equal("then comes", name, "result")
    s.rest()


# ---- reaching a run


def questions():
    s = Stream(code="name = input('name? ')\nprint('hi', name)", stdin=True)
    prompt = s.until("input")
    equal("question", prompt, {"prompt": "name? ", "secret": False})
    equal("input", call("sandbox.run.input", run=s.run, text="Bob\n"), (200, {"accepted": 4}))
    equal("answered", s.until("answered"), {})
    check("answer", text(s.rest()).endswith("hi Bob\n"))

    s = Stream(code="import sys\nprint(repr(sys.stdin.buffer.read()))", stdin=True)
    call("sandbox.run.input", run=s.run, base64=base64.b64encode(b"a\xff\n").decode())
    equal("end", call("sandbox.run.input", run=s.run, eof=True), (200, {"accepted": 0}))
    equal("bytes", text(s.rest()), "b'a\\xff\\n'\n")

    events = Stream(code="input()").rest()
    equal("without stdin", events["result"][0]["error"]["name"], "EOFError")


def interrupts():
    s = Stream(code="kept = 5\nprint('go', flush=True)\nwhile True: pass")
    s.until("output")
    equal("interrupt", call("sandbox.run.interrupt", run=s.run), (200, {}))
    events = s.rest()
    equal("interrupted", events["result"][0]["status"], "interrupted")
    equal("state", call("sandbox.repl.run", language="python", code="kept")[1]["output"][0]["text"], "5")
    status, why = call("sandbox.run.interrupt", run=s.run)
    check("a run that is over", status == 400 and "no such run" in why, status, why)

    s = Stream(code="import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('go', flush=True)\nwhile True: pass")
    s.until("output")
    call("sandbox.run.interrupt", run=s.run, hold=True)
    call("sandbox.run.interrupt", run=s.run, step="kill")
    result = s.rest()["result"][0]
    check("killed", result["state_lost"], result)
    equal("after that", call("sandbox.repl.run", language="python", code="print(1)")[1]["output"][0]["text"], "1")

    s = Stream(code="import time\nprint('go', flush=True)\nwhile True: time.sleep(0.01)")
    s.until("output")
    s.leave()
    began = time.monotonic()
    equal("the next one", call("sandbox.repl.run", language="python", code="print(2)")[1]["output"][0]["text"], "2")
    check("does not wait for one that was left", time.monotonic() - began < LIMIT_S / 2)


def commands():
    s = Stream("sandbox.command.run", command="cat", stdin=True)
    call("sandbox.run.input", run=s.run, text="line\n")
    equal("cat", s.until("output"), {"stream": "stdout", "text": "line\n"})
    call("sandbox.run.input", run=s.run, eof=True)
    events = s.rest()
    equal("exit", events["exited"][0]["exit_code"], 0)
    equal("response", events["response"][0]["result"]["output"], [{"stream": "stdout", "text": "line"}])
    s = Stream("sandbox.command.run", command="sleep", args=["100"])
    status, why = call("sandbox.run.input", run=s.run, text="x")
    check("one without stdin takes none", status == 500 and "offers no input" in why, status, why)
    call("sandbox.run.interrupt", run=s.run)
    equal("signal", s.rest()["exited"][0]["signal"], 2)
    s = Stream("sandbox.command.run", command="nonesuch")
    equal("no program", s.status, 500)
    check("… is told plainly", "not found" in json.loads(s.reply.read())["error"])


def asks():
    equal("complete", call("sandbox.repl.ask", language="python", question="complete", code="impo", cursor=4)[1]["matches"], ["import"])
    call("sandbox.repl.run", language="python", code="seen = [1, 2]")
    names = [v["name"] for v in call("sandbox.repl.ask", language="python", question="variables")[1]["variables"]]
    check("variables", "seen" in names, names)
    call("sandbox.repl.run", language="python", code="rows = [{'a': i} for i in range(100)]")
    page = call("sandbox.repl.ask", language="python", question="table", code="rows", sort=0, descending=True, rows=2)[1]
    equal("page", (page["rows"], page["cells"]), (100, [["99"], ["98"]]))
    inside = call("sandbox.repl.ask", language="python", question="members", code="rows/7")[1]
    equal("members", [(m["name"], m["value"]) for m in inside["members"]], [("'a'", "7")])
    equal("too big", call("sandbox.repl.ask", language="python", question="table", code="rows", rows=5000)[0], 400)
    equal("forgotten", call("sandbox.repl.ask", language="python", question="reset"), (200, {}))


def metrics():
    row = call("sandbox.metrics.get")[1]["sandboxes"][0]
    check("a plain row has no more than it had", "sample" not in row, row)
    # Where only the agent measures, the newest sample may be from the sandbox's first moment.
    until, mem_bytes = time.monotonic() + LIMIT_S, 0
    while not mem_bytes and time.monotonic() < until:
        row = call("sandbox.metrics.get", full=True)[1]["sandboxes"][0]
        mem_bytes = row["sample"]["mem_bytes"]
        time.sleep(0 if mem_bytes else 0.05)
    check("sample", mem_bytes > 0 and row["sample"]["mem_limit_bytes"] > 0, row)
    equal("full is a word of yes or no", call("sandbox.metrics.get", full=1)[0], 400)


def refusals():
    for params in (
        {"run": "0000000000000000"},
        {"run": "x"},
        {"run": ""},
        {"run": 5},
        {},
        {"run": "0" * 16, "sandbox": "other"},
        {"run": "0" * 16, "namespace": "other"},
    ):
        for method in ("sandbox.run.input", "sandbox.run.interrupt"):
            status, why = call(method, **dict({"text": "x"}, **params))
            check(f"{method} {params}", status == 400 and why, status, why)
    s = Stream(code="import time\nprint('go', flush=True)\ntime.sleep(60)", stdin=True)
    s.until("output")
    for params in ({}, {"text": 5}, {"text": "a", "base64": "YQ=="}, {"base64": "!"}, {"text": "a", "eof": 1}):
        status, why = call("sandbox.run.input", run=s.run, **params)
        check(f"input {params}", status == 400 and why, status, why)
    equal("step", call("sandbox.run.interrupt", run=s.run, step="jump")[0], 400)
    equal("another sandbox", call("sandbox.run.interrupt", run=s.run, sandbox="other")[0], 400)
    for run in "0" * 16, s.run[:-1] + ("1" if s.run[-1] == "0" else "0"), s.run[:-1], s.run + "0":
        equal(f"another number {run}", call("sandbox.run.interrupt", run=run)[0], 400)
    s.leave()
    for params in ({}, {"language": "python"}, {"language": "python", "question": "why"}, {"language": "cobol", "question": "reset"}):
        status, why = call("sandbox.repl.ask", **params)
        check(f"ask {params}", status in (400, 500) and why, status, why)
    equal("no sandbox", Stream(code="1", sandbox="none").status, 500)
    equal("no language", Stream(code="1", language="cobol").status, 500)


# ---- MCP, raw


def mcp(method, params=None, **more):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, **more}
    if params is not None:
        message["params"] = params
    connection, reply = post("/mcp", message, "application/json, text/event-stream")
    body = reply.read()
    connection.close()
    return reply.status, json.loads(body) if body else None


def tool(name, **arguments):
    return mcp("tools/call", {"name": name, "arguments": arguments})[1]


def mcp_all():
    for asked, answered in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2099-01-01", "2025-11-25"), (7, "2025-11-25")):
        result = mcp("initialize", {"protocolVersion": asked})[1]["result"]
        equal(f"version {asked}", result["protocolVersion"], answered)
    equal("ping", mcp("ping"), (200, {"jsonrpc": "2.0", "result": {}, "id": 1}))
    connection, reply = post("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"})
    equal("notification", (reply.status, reply.read()), (200, b""))
    equal("unknown", mcp("resources/list")[1]["error"]["code"], -32601)
    result = tool("sandbox_run_code", sandbox="box", code="print(5)", language="python")["result"]
    equal("tool", json.loads(result["content"][0]["text"])["output"], [{"stream": "stdout", "text": "5"}])
    result = tool("sandbox_start", sandbox="a b")["result"]
    check("failing start", result["isError"] and result["content"][0]["text"].startswith("Error: "), result)
    result = tool("sandbox_run_command", sandbox="none", command="ls")["result"]
    check("no such sandbox", result["isError"] and "none" in result["content"][0]["text"], result)
    for arguments in ({}, {"sandbox": 7}, {"sandbox": "x", "config": 5}, {"sandbox": "x", "config": {"cpus": 1.5}}):
        equal(f"start {arguments}", tool("sandbox_start", **arguments)["error"]["code"], -32602)
    equal("unknown tool", tool("sandbox_fly")["error"]["code"], -32602)
    for params in ([], "x", {}, {"name": "sandbox_start", "arguments": []}):
        equal(f"params {params}", mcp("tools/call", params)[1]["error"]["code"], -32602)
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        envelope("tools/call", {"name": "sandbox_get_metrics", "arguments": {}}),
    ]
    connection, reply = post("/mcp", batch)
    answers = json.loads(reply.read())
    equal("batch", sorted(str(a["id"]) for a in answers), ["7", "a"])
    for n, status in (64, 200), (65, 400):
        equal(f"batch of {n}", post("/mcp", batch[:1] * n)[1].status, status)
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=LIMIT_S)
    connection.request("GET", "/mcp")
    equal("GET", connection.getresponse().status, 405)


def main():
    status, why = call("sandbox.start", config={"image": "terrarium/all"})
    equal("start", status, 200)
    for part in (output, displays, flood, questions, interrupts, commands, asks, metrics, refusals, mcp_all):
        try:
            part()
        except Exception as error:  # noqa: BLE001: whatever it is, the others are still to be seen
            print(f"{part.__name__}: {type(error).__name__}: {error}")
    equal("stop", call("sandbox.stop")[0], 200)


main()
