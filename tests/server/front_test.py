# SPDX-License-Identifier: MIT
"""front_test.py PROGRAM: HTTP and JSON-RPC around the methods: routes, envelopes, failures; and `serve` as a command."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from serve import Server, check, main, wait_until

JSON = {"Content-Type": "application/json"}


class Line:
    """One connection, kept."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)

    def ask(self, verb, path, body=b"", headers=None, version="1.1"):
        if headers is None:
            headers = JSON if verb == "POST" else {}
        if body or verb == "POST":
            headers = {"Content-Length": str(len(body)), **headers}
        head = "".join(f"{k}: {v}\r\n" for k, v in {"Host": "x", **headers}.items())
        self.send(f"{verb} {path} HTTP/{version}\r\n{head}\r\n".encode() + body)
        return self.reply(verb)

    def reply(self, verb="GET"):
        while True:
            first = self.file.readline().decode()
            headers = {}
            for row in iter(self.file.readline, b"\r\n"):
                if not row:
                    return None
                name, _, value = row.decode().partition(":")
                headers[name.lower()] = value.strip()
            if not first.startswith("HTTP/1.1 100"):
                break
        body = b"" if verb == "HEAD" else self.file.read(int(headers.get("content-length", 0)))
        return int(first.split()[1]), headers, body

    def close(self):
        self.file.close()
        self.socket.close()


def request(**members):
    return json.dumps({"jsonrpc": "2.0", "method": "sandbox.none", **members}).encode()


def routes(program):
    s = Server(program)
    line = Line(s.port)
    status, headers, body = line.ask("GET", "/api/v1/health")
    check("health", status == 200 and json.loads(body) == {"message": "Service is healthy"}, body)
    check("it is JSON", headers["content-type"] == "application/json", headers)
    check("health with a query", line.ask("GET", "/api/v1/health?x=1")[0] == 200)
    status, headers, body = line.ask("HEAD", "/api/v1/health")
    check("HEAD", status == 200 and headers["content-length"] == "32", headers)
    for verb, path, wanted in (("GET", "/", 404), ("POST", "/x", 404), ("GET", "/api/v1/rpc/", 404), ("GET", "/api/v1/rpc", 405),
                               ("HEAD", "/api/v1/rpc", 405), ("PUT", "/mcp", 405), ("GET", "/mcp", 405),
                               ("DELETE", "/api/v1/health", 405), ("POST", "/api/v1/health", 405),
                               ("GET", "/api/v1/sandbox/start", 405), ("BREW", "/api/v1/rpc", 405)):
        status, headers, body = line.ask(verb, path)
        check(f"{verb} {path} is {wanted} and empty", status == wanted and not body, (status, body))
        check("405 says what may be", status != 405 or headers["allow"] in ("POST", "GET,HEAD"), headers)
    for path in ("/api/v1/rpc", "/api/v1/sandbox/start", "/api/v1/sandbox/stop", "/api/v1/sandbox/command/run"):
        check(f"{path} takes the envelope", line.ask("POST", path, request())[0] == 404)
    line.close()
    s.remove()


def origins(program):
    s = Server(program)
    line = Line(s.port)
    status, headers, body = line.ask("OPTIONS", "/api/v1/rpc", headers={
        "Origin": "http://a.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type"})
    check("a preflight passes", status == 200 and headers["access-control-allow-origin"] == "*"
          and "POST" in headers["access-control-allow-methods"]
          and all(name in headers["access-control-allow-headers"] for name in ("authorization", "mcp-session-id")), headers)
    for path in ("/api/v1/health", "/nowhere"):
        headers = line.ask("GET", path, headers={"Origin": "http://a.example"})[1]
        check("replies may be read by any page", headers["access-control-allow-origin"] == "*", headers)
    line.close()
    s.remove()


def envelopes(program):
    s = Server(program)
    line = Line(s.port)

    def ask(body, headers=None):
        return line.ask("POST", "/api/v1/rpc", body, headers)

    status, headers, body = ask(request(id=1))
    check("an unknown method", status == 404 and json.loads(body) == {
        "jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found: sandbox.none"}, "id": 1}, body)
    check("its reply is JSON", headers["content-type"] == "application/json", headers)
    for raw in (b'"7"', b"7", b"7.0", b"1e2", b"123456789012345678901", b"[1, {}]", b"true"):
        body = ask(b'{"jsonrpc":"2.0","method":"x","id":' + raw + b"}")[2]
        check(f"the id {raw} comes back as it is", body.endswith(b'"id":' + raw + b"}"), body)
    for body in (b'{"jsonrpc":"2.0","method":"x"}', b'{"jsonrpc":"2.0","method":"x","id":null}'):
        check("no id, none back", b'"id"' not in ask(body)[2])
    status, _, body = ask(b'{"jsonrpc":"1.0","method":"x","id":"a"}')
    check("another version", status == 400 and json.loads(body)["error"]["code"] == -32600
          and json.loads(body)["id"] == "a", body)
    for bad in (b"", b"{", b"nul", b'{"a":1,"a":2}', b"[1e999]", b'{"jsonrpc":"2.0","method":"\xff"}', b"[" * 40 + b"]" * 40,
                b"[" * 100000, b"{}{}", b'"\\ud800"', b'{"jsonrpc":"2.0","method":"x",}', b"\0"):
        status, headers, body = ask(bad)
        check(f"broken: {bad[:30]}", status == 400 and headers["content-type"].startswith("text/plain")
              and body.startswith(b"Failed to parse the request body as JSON: "), (status, body))
    for bad in (b"5", b"[]", b'[{"jsonrpc":"2.0","method":"x","id":1}]', b"{}", b'{"jsonrpc":"2.0"}', b'{"method":"x"}',
                b'{"jsonrpc":2,"method":"x"}', b'{"jsonrpc":"2.0","method":["x"]}', b'{"jsonrpc":"2.0","method":null}'):
        status, headers, body = ask(bad)
        check(f"misshapen: {bad[:30]}", status == 422 and headers["content-type"].startswith("text/plain")
              and body.startswith(b"Failed to deserialize the JSON body into the target type: "), (status, body))
    status, _, body = ask(b'{"jsonrpc":"2.0","method":"sandbox.start","params":{"sandbox":"a\\u0000b"},"id":1}')
    check("a NUL in a name", status == 400 and json.loads(body)["code"] == 2001, body)
    check("no params and null are the same", ask(request(method="sandbox.metrics.get", params=None))[2]
          == ask(request(method="sandbox.metrics.get"))[2] == b'{"jsonrpc":"2.0","result":{"sandboxes":[]}}')
    call = request(id=5, method="tools/call", params={"name": "sandbox_run_code", "arguments": {
        "sandbox": "a", "language": "python", "code": "a\0b"}})
    status, _, body = line.ask("POST", "/mcp", call)
    check("MCP: a NUL is an error of the call's params", status == 200 and json.loads(body)["id"] == 5
          and json.loads(body)["error"]["code"] == -32602, (status, body))
    status, _, body = line.ask("POST", "/mcp", request(method="notifications/x", params={"a": "\0"}))
    check("MCP: but not of a notification", status == 200 and not body, (status, body))
    call = request(id=5, method="tools/call", params={"name": "sandbox_get_metrics", "arguments": None})
    check("MCP: no arguments and null are the same", b'"isError":false' in line.ask("POST", "/mcp", call)[2])
    for kind, wanted in (("text/plain", 415), (None, 415), ("application/jsonp", 415), ("json", 415), ("application/json", 404),
                         ("Application/JSON; charset=utf-8", 404), ("application/vnd.api+json", 404)):
        status = ask(request(), {"Content-Type": kind} if kind else {})[0]
        check(f"content type {kind}", status == wanted, status)
    check("one connection served them all", line.ask("GET", "/api/v1/health")[0] == 200)
    line.close()
    s.remove()


def sizes(program):
    s = Server(program)
    line = Line(s.port)
    most = b'{"jsonrpc":"2.0","method":"x","id":1' + b" " * ((2 << 20) - 37) + b"}"
    check("2 MiB are read", line.ask("POST", "/api/v1/rpc", most)[0] == 404)
    status, _, body = line.ask("POST", "/api/v1/rpc", most + b" ")
    check("one byte more is too much", status == 413 and b"2 MiB" in body, body)
    check("the line goes on", line.ask("GET", "/api/v1/health")[0] == 200)
    line.send(b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
              b"Content-Length: 3000000\r\nExpect: 100-continue\r\n\r\n")
    check("who asks first is told at once", line.reply()[0] == 413)
    line.close()
    line = Line(s.port)
    line.send(b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
              b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b" " * 65536 + b"\r\n") * 40 + b"0\r\n\r\n")
    check("in chunks too", line.reply()[0] == 413)
    line.close()
    line = Line(s.port)
    body = b'{"jsonrpc":"2.0","method":"x"}'
    line.send(b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
              + b"".join(b"1\r\n%c\r\n" % c for c in body) + b"0\r\n\r\n")
    check("a body in single bytes", line.reply()[0] == 404)
    line.close()
    s.remove()


def connections(program):
    s = Server(program)
    line = Line(s.port)
    line.send(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
    check("50 requests at once on one line", all(line.reply()[0] == 200 for _ in range(50)))
    line.close()
    line = Line(s.port)
    _, headers, _ = line.ask("GET", "/api/v1/health", version="1.0")
    check("HTTP/1.0 is answered and closed", line.file.read() == b"")
    line.close()
    line = Line(s.port)
    _, headers, _ = line.ask("GET", "/api/v1/health", headers={"Connection": "close"})
    check("so is who asks for it", headers["connection"].lower() == "close" and line.file.read() == b"")
    line.close()
    s.start_box()
    body = json.dumps({"jsonrpc": "2.0", "method": "sandbox.command.run", "id": 5,
                       "params": {"sandbox": "box", "command": "sleep", "args": ["0.3"]}}).encode()
    line = Line(s.port)
    line.send(b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              % (len(body), body))
    line.socket.shutdown(socket.SHUT_WR)
    status, _, body = line.reply()
    check("who has only ceased to send gets the answer", status == 200 and json.loads(body)["id"] == 5, body)
    line.close()
    s.remove()


def words(program):
    log = tempfile.TemporaryFile("w+")
    s = Server(program, "--verbose", errors=log)
    s.run("secret = 1", name="no\nbox")
    s.post("{")
    for message in ({"method": "ping"}, {"method": "tools/call", "params": {
            "name": "sandbox_run_code", "arguments": {"sandbox": "no", "code": "secret", "language": "python"}}}):
        s.post(json.dumps(dict(message, jsonrpc="2.0", id=1)), "/mcp")
    check("Ctrl-C ends it with 0", s.stop() == 0)
    log.seek(0)
    text = log.read()
    check("a line for each request", "POST /api/v1/rpc 500" in text and "sandbox.repl.run default/no" in text
          and len(text.splitlines()) == 4, text)
    check("MCP's, too", " ping\n" in text and text.count("sandbox.repl.run default/no") == 2, text)
    check("without its code", "secret" not in text, text)

    def serve(*options):
        done = subprocess.run([program, "serve", *options], capture_output=True, text=True, env=s.env, timeout=60)
        return done.returncode, done.stderr

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, told = serve("--dev", "--port", port)
        check("a port in use is named", code == 125 and f"port {port}" in told and "in use" in told, told)
    for options, word in ((["--port", "65536"], "--port"), (["--port", "x"], "--port"), (["--dev", "--host", "0.0.0.0"], "--force"),
                          (["--dev", "--host", "::"], "--force"), (["--dev", "--host", "nowhere.invalid"], "nowhere.invalid"),
                          (["--dev", "--host", ""], "--host"), (["--dev", "--reset-key"], "--reset-key"),
                          (["--force"], "--force"), (["--max-sandboxes", "-1"], "--max-sandboxes"), (["x"], "x"),
                          (["--dev", "--backend", "nope"], "nope"), (["--dev", "--volumes", "/nowhere/at/all"], "--volumes")):
        code, told = serve(*options)
        check(f"serve {' '.join(options)}", code == 125 and word in told and told.count("\n") == 1, told)
    if not shutil.which("python", path="/usr/local/bin:/usr/bin:/bin"):
        odd = s.home + "/odd/.bin/python"
        os.makedirs(odd)
        code, told = serve("--dev", "--port", "0", "--namespace-dir", s.home + "/odd")
        check("a link that cannot be replaced, and why", code == 125 and odd in told and "Is a directory" in told, told)
    if os.path.exists("/proc/net/if_inet6") and "00000000000000000000000000000001" in open("/proc/net/if_inet6").read():
        six = subprocess.Popen([program, "serve", "--dev", "--host", "::1", "--port", "0", "--quiet"], env=s.env,
                               stdout=subprocess.PIPE, text=True)
        told = six.stdout.readline()
        check("an IPv6 address", "http://[::1]:" in told, told)
        socket.create_connection(("::1", int(told.rsplit(":", 1)[1]))).close()
        six.send_signal(signal.SIGTERM)
        check("SIGTERM ends it with 0, and it was quiet", six.wait(60) == 0 and six.stdout.read() == "")
    s.remove()


def stops(program):
    s = Server(program)
    s.start_box()
    line = s.begin("sandbox.command.run", {"sandbox": "box", "command": "sleep", "args": ["1000"]})
    check("a command runs", wait_until(lambda: s.metrics().status == 200))
    idle = socket.create_connection(("127.0.0.1", s.port))
    check("SIGTERM ends it with 0, and does not wait for that", s.stop(signal.SIGTERM) == 0)
    check("what ran is answered", b"HTTP/1.1 500" in line.recv(9999))
    check("idle connections are closed", idle.recv(1) == b"")
    check("nothing is left", s.boxes() == [])
    s.remove()


main(routes, origins, envelopes, sizes, connections, words, stops)
