#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium mcp`: the Model Context Protocol over standard input and output.
. "$(dirname "$0")/tell.sh"
need_local
own_runtime

python3 - "$terrarium" >out 2>err <<'PYTHON' || wrong "the conversation"
import json, os, signal, subprocess, sys, time

class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([sys.argv[1], "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def begin(self, method, **params):
        self.last += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode())
        return self.last

    def ask(self, method, **params):
        number = self.begin(method, **params)
        reply = self.read()
        assert reply["id"] == number, reply
        return reply

    def tool(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=dict(arguments, sandbox="lab"))["result"]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0, self.process.returncode

def sandboxes():
    return json.loads(subprocess.run([sys.argv[1], "ps", "--json"], capture_output=True, check=True).stdout)

def until(holds):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("this should have become true")

s = Server()
hello = s.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
assert hello["result"]["protocolVersion"] == "2025-06-18", hello
s.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')  # which has no reply
assert s.ask("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-11-25"
assert len(s.ask("tools/list")["result"]["tools"]) == 5

# Nonsense is answered, and the next message as well.
for line in b"nonsense", b"[]", b'{"jsonrpc":"2.0"}', b"\xff\xfe", b"{" * 100000, b'"' + b"x" * (3 << 20) + b'"':
    s.write(line)
    assert s.read()["error"]["code"] in (-32700, -32600), line[:20]
s.write(b"")
s.write(b"  ")
assert s.ask("ping")["result"] == {}
assert s.ask("no/method")["error"]["code"] == -32601

assert not s.tool("sandbox_start", config={"image": "microsandbox/python"})["isError"]
text = s.tool("sandbox_run_code", language="python", code="6 * 7")
assert len(text["content"]) == 1 and json.loads(text["content"][0]["text"])["output"][0]["text"] == "42", text

# Images are content of their own; what else was shown is only told.
show = 'display({"image/png": "iVBORw0KGgo=", "text/plain": "a plot"}, raw=True); display({"text/html": "<b>x</b>"}, raw=True)'
shown = s.tool("sandbox_run_code", language="python", code=show)["content"]
assert shown[1:] == [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}], shown
displays = json.loads(shown[0]["text"])["displays"]
assert [(d["mime"], d.get("attached"), d.get("data")) for d in displays] == [
    ("image/png", True, None), ("text/plain", None, "a plot"), ("text/html", False, None)], displays

# A call can be canceled.
slow = s.begin("tools/call", name="sandbox_run_code",
               arguments={"sandbox": "lab", "language": "python", "code": "while True: pass"})
s.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}}).encode())
text = s.tool("sandbox_run_code", language="python", code="1 + 1")
assert json.loads(text["content"][0]["text"])["output"][0]["text"] == "2", text
assert len(sandboxes()) == 1
s.close()
assert sandboxes() == []

# One that leaves in the middle takes its sandboxes with it.
s = Server()
s.tool("sandbox_start", config={"image": "microsandbox/python"})
s.begin("tools/call", name="sandbox_run_code", arguments={"sandbox": "lab", "language": "python", "code": "while True: pass"})
until(lambda: len(sandboxes()) == 1)
s.process.stdout.close()
s.process.stdin.close()
assert s.process.wait(60) == 0
assert sandboxes() == []

s = Server()
s.tool("sandbox_start", config={"image": "microsandbox/python"})
s.process.send_signal(signal.SIGTERM)
s.process.wait(60)
assert sandboxes() == []

# Two at a time do not meet.
a, b = Server(), Server()
for one in a, b:
    assert not one.tool("sandbox_start", config={"image": "microsandbox/python"})["isError"]
a.close(), b.close()
PYTHON

# What stands in a file is answered, too.
printf '{"jsonrpc":"2.0","id":1,"method":"ping"}' >asked
"$terrarium" mcp <asked >out 2>err || wrong "a file as standard input"
expect_out '{"jsonrpc":"2.0","result":{},"id":1}'
: | "$terrarium" mcp >out 2>err || wrong "no input"
expect_out ""
try mcp word
expect_code 125

# The policy holds here as well.
printf '%s\n%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sandbox_start","arguments":{"sandbox":"lab","config":{"image":"microsandbox/python"}}}}' >asked
printf '%s\n' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sandbox_run_code","arguments":{"sandbox":"lab","language":"python","code":"import os"}}}' >>asked
"$terrarium" mcp --policy strict --policy-mode enforce <asked >out 2>err || wrong "with a policy"
ls "$XDG_RUNTIME_DIR" | grep -q terrarium-mcp && wrong "the folder should be gone"

verdict
