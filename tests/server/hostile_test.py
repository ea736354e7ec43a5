# SPDX-License-Identifier: MIT
"""hostile_test.py PROGRAM: clients that mean harm, and a good one that must not notice."""
import http.client
import json
import os
import resource
import signal
import socket
import time

from serve import Server, check, main, wait_until

HEAD = (b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n")


def descriptors(s):
    return len(os.listdir(f"/proc/{s.process.pid}/fd"))


def memory_mib(s):
    """Of the server; 0 under an address sanitizer, which keeps what is freed."""
    rows = dict(row.split(":", 1) for row in open(f"/proc/{s.process.pid}/status").read().splitlines())
    is_sanitized = int(rows["VmSize"].split()[0]) > 1 << 32
    return 0 if is_sanitized else int(rows["VmRSS"].split()[0]) / 1024


def connect(s):
    return socket.create_connection(("127.0.0.1", s.port), timeout=60)


def served_in_s(s):
    began = time.monotonic()
    line = http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)
    line.request("GET", "/api/v1/health")
    assert line.getresponse().read()
    line.close()
    return time.monotonic() - began


def crowds(program):
    """10 000 connections that do nothing, or only half of something."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    n = min(10000, most - 200)
    s = Server(program)
    served_in_s(s)
    before, base = memory_mib(s), descriptors(s)
    for what, begin in (("idle", b""), ("half a head", b"POST /api/v1/rpc HTTP/1.1\r\nX: "),
                        ("half a body", HEAD % 100000 + b"{" + b" " * 500)):
        lines, worst = [], 0
        for i in range(n):
            lines.append(connect(s))
            if begin:
                lines[-1].sendall(begin)
            if i % 500 == 0:
                worst = max(worst, served_in_s(s))
        worst = max(worst, *(served_in_s(s) for _ in range(50)))
        check(f"{n} clients, {what}: a good one is served", worst < 30, worst)
        check("memory has a bound", memory_mib(s) < before + 250, memory_mib(s))
        for line in lines:
            line.close()
        check("nothing stays of them", wait_until(lambda: descriptors(s) <= base + 2), descriptors(s) - base)
        check("memory is given back", wait_until(lambda: memory_mib(s) < before + 10), memory_mib(s))
    s.remove()


def too_many(program):
    """More than the server may have descriptors for: the oldest that does nothing has to go."""
    s = Server(program, files=1024)
    s.process.send_signal(signal.SIGSTOP)  # so that they all wait at once
    lines = [connect(s) for _ in range(600)]
    s.process.send_signal(signal.SIGCONT)
    check("the newest is served", served_in_s(s) < 30)
    check("the oldest has been closed", lines[0].recv(1) == b"")
    lines[-1].sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
    check("a young one has not", b"200 OK" in lines[-1].recv(999))
    for line in lines:
        line.close()
    s.remove()


def leavers(program):
    """Who leaves in the middle of anything is forgotten, and what it ran is stopped."""
    s = Server(program)
    s.start_box()
    served_in_s(s)
    base = descriptors(s)
    for begun in (b"", b"GET / HT", HEAD % 100, HEAD % 100 + b'{"jsonrpc', b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n",
                  b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
        line = connect(s)
        line.sendall(begun)
        line.close()
    check("halves of requests leave nothing", wait_until(lambda: descriptors(s) <= base), descriptors(s) - base)
    lines = [s.begin("sandbox.repl.run", {"sandbox": "box", "language": "python", "code": "while True: pass"})
             for _ in range(3)]
    check("a run goes on", wait_until(lambda: s.command("true").status == 200))
    for line in lines:
        line.close()
    r = s.run("6 * 7")
    check("the next run is not held up by runs whose clients have left", r.out == ["42"], r)
    check("their connections are gone", wait_until(lambda: descriptors(s) <= base + 4), descriptors(s) - base)
    s.remove()


def files_without_end(program):
    """A file that gives nothing, or takes nothing: who moves it and leaves does not keep the sandbox in use."""
    s = Server(program, "--idle-timeout", "1")
    s.start_box()
    s.command("mkfifo", "from", "to")
    lines = [s.begin("sandbox.file.get", {"sandbox": "box", "path": "from", "offset": 1}),
             s.begin("sandbox.file.put", {"sandbox": "box", "path": "to", "base64": "eA==", "append": True})]

    def both():
        return {"from", "to"} <= {os.path.basename(word) for row in s.processes() for word in row.split()}
    check("both wait", wait_until(both))
    for line in lines:
        line.close()
    check("then it is idle", wait_until(lambda: not s.metrics().result["sandboxes"][0]["running"], 20))
    s.remove()


def questions(program):
    """Who asks what cannot be answered yet, and leaves: nothing is kept of that."""
    s = Server(program)
    s.start_box()
    busy = s.begin("sandbox.repl.run", {"sandbox": "box", "language": "python",
                                        "code": "open('begun', 'w')\nwhile True: pass"})
    check("an endless run", wait_until(lambda: s.command("test", "-e", "begun").result["success"]))
    before = memory_mib(s)
    for _ in range(150):
        s.begin("sandbox.repl.ask", {"sandbox": "box", "language": "python", "question": "is_complete",
                                     "code": "x" * 1900000}).close()
    served_in_s(s)
    check("memory has a bound", wait_until(lambda: memory_mib(s) < before + 250, 20), memory_mib(s) - before)
    busy.close()
    check("the next run is served", s.run("6 * 7").out == ["42"])
    s.remove()


def halves(program):
    """A client that sends nothing more, reads that it is to go on, and goes away then."""
    s = Server(program)
    s.start_box()
    line = s.begin("sandbox.repl.run", {"sandbox": "box", "namespace": "default", "language": "python",
                                        "code": "open('begun', 'w')\nwhile True: pass"})
    check("an endless run", wait_until(lambda: s.command("test", "-e", "begun").result["success"]))
    line.shutdown(socket.SHUT_WR)
    check("it goes on for who has only ceased to send", line.recv(100).startswith(b"HTTP/1.1 100 "))
    line.close()
    check("but not for nobody", s.run("6 * 7").out == ["42"])
    s.remove()


def deaf(program):
    """Clients that never read: what is kept for them has a bound."""
    s = Server(program)
    s.start_box()
    code = json.dumps({"jsonrpc": "2.0", "method": "sandbox.command.run", "id": 1, "params": {
        "sandbox": "box", "command": "bash", "args": ["-c", "yes | head -c 4000000"]}}).encode()
    lines, base = [], descriptors(s)
    for _ in range(25):
        line = connect(s)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall((HEAD % len(code) + code) * 20)
        lines.append(line)
    there = base + len(lines) - 1  # the line that has started the sandbox may be in `base`
    check("all are there", wait_until(lambda: descriptors(s) >= there))
    check("a good one is served", served_in_s(s) < 5)
    check("so are runs", wait_until(lambda: s.run("1").out == ["1"]))
    check("some have to go", wait_until(lambda: descriptors(s) < there, 50))
    check("memory has a bound", memory_mib(s) < 600, memory_mib(s))
    for line in lines:
        line.close()
    check("the server lives", served_in_s(s) < 5)
    s.remove()


def silence(program):
    """Where nothing is to be told, something is sent now and then: else whoever stands between gives up."""
    s = Server(program)
    s.start_box()
    body = json.dumps({"jsonrpc": "2.0", "method": "sandbox.command.run", "id": 1,
                       "params": {"sandbox": "box", "command": "sleep", "args": ["60"]}}).encode()
    line = connect(s)
    line.sendall((HEAD % len(body)).replace(b"\r\n", b"\r\nAccept: text/event-stream\r\n", 1) + body)
    got = b""
    while b"\n:\n" not in got and (more := line.recv(999)):
        got += more
    check("a beat", b"\n:\n" in got, got)
    line.close()
    s.remove()


def bodies(program):
    """Bodies that do not end: what is kept of them all has a bound, and who comes then is told."""
    s = Server(program)
    lines = []
    for _ in range(40):
        lines.append(connect(s))
        lines[-1].sendall(HEAD % 2000000 + b" " * 1900000)
    ping = json.dumps({"jsonrpc": "2.0", "method": "sandbox.metrics.get", "id": 1, "params": {}})
    check("too much at once is said", wait_until(lambda: s.post(ping).status == 503, 20))
    check("memory has a bound", memory_mib(s) < 150, memory_mib(s))
    for line in lines:
        line.close()
    check("and then there is room again", wait_until(lambda: s.post(ping).status == 200))
    s.remove()


def heads(program):
    s = Server(program)
    for what, head, wanted in (
            ("a long field", b"X: " + b"a" * 40000, (b"HTTP/1.1 4", b"")), ("many fields", b"\r\n".join(b"X%d: y" % i for i in range(9000)),
                                                                          (b"HTTP/1.1 4", b"")),
            ("a length that is none", b"Content-Length: -5", (b"HTTP/1.1 4",)),
            ("a length beyond all bounds", b"Content-Length: 99999999999999999999", (b"HTTP/1.1 4",)),
            ("NUL", b"X: a\0b", (b"HTTP/1.1 4", b"HTTP/1.1 2", b""))):
        line = connect(s)
        try:
            line.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n")
            told = line.recv(9999)
        except ConnectionError:
            told = b""
        check(f"head: {what}", any(told.startswith(w) and (w or not told) for w in wanted), told[:60])
        line.close()
    check("the server lives", served_in_s(s) < 5)
    s.remove()


main(crowds, too_many, leavers, files_without_end, questions, halves, deaf, silence, bodies, heads)
