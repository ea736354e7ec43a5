# SPDX-License-Identifier: MIT
"""What no honest client sends, byte by byte: after each of these the server answers others as before, and holds no more
descriptors or processes than it did."""
import base64
import hashlib
import hmac
import json
import os
import socket
import struct
import time
import unittest

import served

server = keyed = place = None
RPC = b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
METRICS = b'{"jsonrpc":"2.0","method":"sandbox.metrics.get","params":{"namespace":"default"},"id":1}'


def setUpModule():
    global server, keyed, place
    server = served.for_module("--dev")
    keyed, place = served.keyed_for_module()
    server.start("s")


def connect(at=None):
    connection = socket.create_connection(("127.0.0.1", (at or server).port), 30)
    connection.settimeout(30)
    return connection


def descriptors():
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def answer(data, shut=False):
    """Status of the reply to these bytes, None if the connection was closed without one, "waits" if nothing came."""
    with connect() as connection:
        connection.settimeout(10)
        try:
            connection.sendall(data)
            if shut:
                connection.shutdown(socket.SHUT_WR)
            got = connection.recv(4096)
        except TimeoutError:
            return "waits"
        except OSError:
            return None
    return int(got.split(b" ", 2)[1]) if got.startswith(b"HTTP/1.") else None


def post(body, *headers):
    return RPC + b"".join(h + b"\r\n" for h in headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body


class Hostile(unittest.TestCase):
    def setUp(self):
        self.before = descriptors()

    def tearDown(self):
        self.assertEqual(server.request("GET", "/api/v1/health")[0], 200)
        self.assertEqual(server.run("s", "print('alive')"), [["alive"], []])
        served.wait_until(lambda: descriptors() <= self.before + 2, "descriptors are closed")


class Http(Hostile):
    def test_control(self):
        self.assertEqual(answer(post(METRICS)), 200)

    def test_half_requests_and_away(self):
        whole = post(METRICS)
        for n in list(range(0, len(whole) - 1, 7)):
            with connect() as connection:
                connection.sendall(whole[:n])
                if n % 2:  # with a reset
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def test_half_requests_that_end(self):
        for cut in (10, 60, len(RPC), len(RPC) + 25, -1):
            self.assertIn(answer(post(METRICS)[:cut], shut=True), (None, 400, 408), cut)

    def test_one_byte_at_a_time(self):
        with connect() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in post(METRICS):
                connection.sendall(bytes([byte]))
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))

    def test_lengths(self):
        for line in (b"-1", b"abc", b"1 1", b"0x10", b"99999999999999999999999999", b"+5", b"1,2", b""):
            status = answer(RPC + b"Content-Length: " + line + b"\r\n\r\n" + METRICS)
            self.assertIn(status, (None, 400, 411, 413, 415, 422), line)
        self.assertIn(answer(RPC + b"Content-Length: 4294967296\r\n\r\n" + METRICS), (413, None))

    def replies(self, data):
        """Statuses of all replies on a connection, to its end; "open" if the server does not end it."""
        got = b""
        with connect() as connection:
            connection.settimeout(2)
            try:
                connection.sendall(data)
                while more := connection.recv(65536):
                    got += more
            except TimeoutError:
                return "open"
            except ConnectionError:
                pass
        return [int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]]

    def test_bodies_whose_length_is_a_matter_of_opinion(self):
        """A proxy in front might take what follows for another request, or not: nothing that follows is looked at."""
        n, chunks = len(METRICS), b"%x\r\n%s\r\n0\r\n\r\n" % (len(METRICS), METRICS)
        length, chunked = b"Content-Length: %d\r\n" % n, b"Transfer-Encoding: chunked\r\n"
        other = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
        self.assertEqual(self.replies(RPC + length + b"Connection: close\r\n\r\n" + METRICS), [200])
        for head, body in (
                (length + chunked, chunks), (chunked + length, chunks), (b"Content-Length: 5\r\n" + chunked, b"0\r\n\r\n"),
                (length + b"Content-Length: 5\r\n", METRICS), (length * 2, METRICS), (chunked * 2, chunks),
                (b"Transfer-Encoding: identity\r\n" + length, METRICS), (b"Transfer-Encoding: xchunked\r\n", chunks),
                (b"Transfer-Encoding: gzip, chunked\r\n", chunks), (b"Transfer-Encoding: chunked, identity\r\n", chunks),
                (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunks),
                (b"Transfer-Encoding:\r\n chunked\r\n", chunks), (b"Content-Length:\r\n %d\r\n" % n, METRICS),
                (b"Content-Length : %d\r\n" % n, METRICS), (b"Transfer-Encoding : chunked\r\n" + length, METRICS)):
            for path in (RPC, RPC.replace(b"/api/v1/rpc", b"/none"), b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n"):
                self.assertEqual(self.replies(path + head + b"\r\n" + body + other), [400], (path, head))
        old = RPC.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Connection: keep-alive\r\n" + chunked + b"\r\n" + chunks
        self.assertEqual(self.replies(old + other), [400])

    def test_folded_headers(self):
        """They hide no other header, and are none; libmicrohttpd 1.0 refuses all of them."""
        for fold, wanted in ((b"X: a\r\n b\r\n", (200, 400)), (b"X: a\r\n Content-Length: 0\r\n", (400,)),
                             (b"X: a\r\n\tTransfer-Encoding: chunked\r\n", (400,))):
            status, = self.replies(RPC + fold + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(METRICS) + METRICS)
            self.assertIn(status, wanted, fold)

    def test_refused_requests_are_read_past(self):
        """What follows one that is refused, body and all, is the next request."""
        other = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        for head, wanted in ((b"POST /none HTTP/1.1\r\nHost: x\r\n", 404), (b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\n", 415),
                             (b"PUT /api/v1/rpc HTTP/1.1\r\nHost: x\r\n", 405), (RPC, 400)):
            body = b"DELETE /none HTTP/1.1\r\n\r\n"
            for framed in (b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
                           b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)):
                self.assertEqual(self.replies(head + framed + other), [wanted, 200], head)

    def test_chunks(self):
        chunked = RPC + b"Transfer-Encoding: chunked\r\n\r\n"
        good = b"".join(b"%x\r\n%s\r\n" % (len(METRICS[i:i + 9]), METRICS[i:i + 9]) for i in range(0, len(METRICS), 9))
        self.assertEqual(answer(chunked + good + b"0\r\n\r\n"), 200)
        for bad in (b"zz\r\nxx\r\n", b"-5\r\nxx\r\n", b"ffffffffffffffffff\r\nx", b"5\r\nabcdefgh\r\n0\r\n\r\n"):
            self.assertIn(answer(chunked + bad, shut=True), (None, 400, 413), bad)
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        self.assertIn(answer(chunked + chunk * 40 + b"0\r\n\r\n"), (None, 413))
        self.assertIn(answer(chunked + chunk * 1000), (None, 413))

    def test_heads(self):
        for head in (b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                     b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000,
                     b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 200000 + b"\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
                     b"GET /%00%2e%2e%2f HTTP/1.1\r\nHost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"\x00" * 5000, b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: " + b"\xff" * 50 + b"\r\n\r\n"):
            self.assertNotEqual(answer(head, shut=True), 200, head[:40])

    def test_methods_nobody_knows(self):
        for verb in (b"BREW", b"TRACE", b"CONNECT", b"options", b"A" * 5000):
            self.assertNotEqual(answer(verb + b" /api/v1/rpc HTTP/1.1\r\nHost: x\r\n\r\n", shut=True), 200)

    def test_several_in_one_go(self):
        """Each of many pipelined requests is answered, in order, or the connection ends: none is answered twice."""
        with connect() as connection:
            body = b'{"jsonrpc":"2.0","method":"sandbox.metrics.get","params":{},"id":%d}'
            for i in range(20):
                connection.sendall(post(body % i))
            got = b""
            while b'"id":19' not in got.replace(b" ", b""):
                more = connection.recv(65536)
                if not more:
                    break
                got += more
            ids = [int(part.split(b"}")[0].split(b",")[0]) for part in got.replace(b" ", b"").split(b'"id":')[1:]]
            self.assertEqual(ids, list(range(len(ids))))
            self.assertEqual(len(ids), 20)

    def test_an_answer_nobody_reads(self):
        with connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            code = "print('x' * 3000000)"
            connection.sendall(post(json.dumps({"jsonrpc": "2.0", "method": "sandbox.repl.run", "id": 1, "params": {
                "sandbox": "s", "namespace": "default", "language": "python", "code": code}}).encode()))
            self.assertTrue(connection.recv(10))
            self.assertEqual(server.run("s", "print(1)"), [["1"], []])


class Json(Hostile):
    def call(self, body):
        status, headers, reply = server.request("POST", "/api/v1/rpc", body, {"Content-Type": "application/json"})
        return status, reply

    def test_depth(self):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            for depth in (33, 200, 10000, 200000):
                for end in (closing, ""):
                    for frame in ("%s", '{"jsonrpc":"2.0","method":"sandbox.start","params":%s}',
                                  '{"jsonrpc":"2.0","id":%s,"method":"x"}'):
                        body = frame % (opening * depth + "1" + end * depth)
                        self.assertEqual(self.call(body)[0], 400, (frame, opening, depth))

    def test_shallow_enough(self):
        body = '{"jsonrpc":"2.0","method":"sandbox.metrics.get","params":{"x":%s}}' % ("[" * 20 + "]" * 20)
        self.assertEqual(self.call(body)[0], 200)

    def test_numbers(self):
        for number in ("1e999", "-1e999", "1e-999", "1" * 5000, "-0", "1.0", "9223372036854775808", "1e3"):
            for where in ('"timeout":%s', '"x":%s'):
                body = ('{"jsonrpc":"2.0","method":"sandbox.repl.run","id":1,"params":{"sandbox":"s","namespace":"default",'
                        '"language":"python","code":"1",%s}}' % (where % number))
                self.assertIn(self.call(body)[0], (200, 400, 500), number)
            body = '{"jsonrpc":"2.0","method":"sandbox.metrics.get","id":%s}' % number
            status, reply = self.call(body)
            self.assertIn(status, (200, 400), number)
            if status == 200:
                json.loads(reply)

    def test_repeated_keys(self):
        self.assertIn(self.call('{"jsonrpc":"2.0","method":"x","method":"sandbox.metrics.get"}')[0], (200, 400, 404, 422))
        many = ",".join(f'"k{i}":1' for i in range(50000))
        self.assertIn(self.call('{"jsonrpc":"2.0","method":"sandbox.metrics.get","params":{%s}}' % many)[0], (200, 400))

    def test_nul_in_strings(self):
        """A name is not cut at a NUL: "s\\u0000" is not "s"."""
        for method in ("sandbox.stop", "sandbox.metrics.get", "sandbox.repl.run", "sandbox.command.run", "sandbox.start"):
            status, reply = server.rpc(method, sandbox="s\0x", namespace="default", code="1", language="python",
                                       command="true", config={"image": "microsandbox/python"})
            self.assertEqual((method, status), (method, 400 if status == 400 else 500), reply)
        status, reply = server.rpc("sandbox.command.run", sandbox="s", namespace="default", command="echo", args=["a\0b"])
        self.assertIn(status, (400, 500), reply)
        status, reply = server.rpc("sandbox.repl.run", sandbox="s", namespace="default", language="python",
                                   code="print(len('a\0b'))")
        self.assertIn(status, (200, 400, 500), reply)
        self.assertNotIn("[\"1\"]", json.dumps(reply))
        status, reply = server.rpc("sandbox.metrics.get\0", namespace="default")
        self.assertEqual(status, 404 if status == 404 else 400, reply)

    def test_every_odd_character_in_names(self):
        odd = [chr(c) for c in range(128) if not (chr(c).isalnum() or chr(c) in "-_")]
        odd += ["ä", "\u0661", "\uff10", "日", "🦀", "\u202e", "\u200b", "\ufeff", "e\u0301", "\u2028"]
        for character in odd:
            for name in (character, "a" + character, character + "a", f"a{character}b"):
                for field in ("sandbox", "namespace"):
                    if field == "namespace" and name == "*":
                        continue
                    for method in ("sandbox.start", "sandbox.stop", "sandbox.metrics.get"):
                        params = {"sandbox": "odd", "namespace": "default", field: name,
                                  "config": {"image": "microsandbox/python"}}
                        status, reply = server.rpc(method, **params)
                        self.assertEqual((status, reply.get("code")), (400, 2001), (method, field, name))
        rows = server.result("sandbox.metrics.get", namespace="*")["sandboxes"]
        self.assertNotIn("odd", [row["name"] for row in rows])

    def test_volumes_that_lead_elsewhere(self):
        for n, volume in enumerate(("/etc:/workspace/../../etc", "relative/../../..:/x", ":", "::", ":/x", "/nonexistent-dir:/x",
                                    "/proc:/proc", "/:/", "a:b:c:d", "\0:/x", "/etc:relative", "/dev:/dev", "x" * 10000)):
            status, reply = server.rpc("sandbox.start", sandbox=f"vol{n}", namespace="default",
                                       config={"image": "microsandbox/python", "volumes": [volume]})
            if status == 200:
                server.result("sandbox.stop", sandbox=f"vol{n}", namespace="default")
            else:
                self.assertIn(reply["code"], (2001, 5002), volume)

    def test_environments_and_directories(self):
        for n, config in enumerate(({"envs": ["A=b\0c"]}, {"envs": ["\n=x"]}, {"envs": ["LD_PRELOAD=/x.so"]},
                                    {"envs": ["A=" + "x" * 500000]}, {"envs": [f"V{i}=x" for i in range(20000)]},
                                    {"workdir": "/nonexistent/dir"}, {"workdir": "relative"}, {"workdir": "\0"},
                                    {"workdir": ""}, {"scripts": {"../../x": "y"}}, {"scripts": {"": "y"}},
                                    {"scripts": {"a/b": "y"}}, {"scripts": {"a\0": "y"}},
                                    {"memory": 4294967295}, {"memory": 0}, {"memory": 1}, {"cpus": 0}, {"cpus": 255})):
            status, reply = server.rpc("sandbox.start", sandbox=f"env{n}", namespace="default",
                                       config={"image": "microsandbox/python", **config})
            if status == 200:
                server.result("sandbox.stop", sandbox=f"env{n}", namespace="default")
            else:
                self.assertIn(reply["code"], (2001, 5002), config)


class Leaving(Hostile):
    """A client goes in the middle: what it had begun is ended, and the next does not wait for it."""

    def leave(self, method, accept=b"application/json", reset=False, **params):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "id": 1,
                           "params": {"sandbox": "s", "namespace": "default", **params}}).encode()
        mark = params["mark"]
        with connect() as connection:
            connection.sendall(post(body, b"Accept: " + accept))
            served.wait_until(lambda: os.path.exists(mark) or self.marked(mark), "the run begins")
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def marked(self, mark):
        return server.result("sandbox.command.run", sandbox="s", namespace="default", command="test",
                             args=["-e", mark])["success"]

    def test_in_the_middle_of_a_run(self):
        server.run("s", "kept = 'kept'")
        for n, (code, accept) in enumerate((
                ("while True: pass", b"application/json"), ("import time; time.sleep(600)", b"application/json"),
                ("while True: print('x' * 100)", b"text/event-stream"), ("input()", b"text/event-stream"),
                ("import time\nwhile True:\n    try: time.sleep(600)\n    except KeyboardInterrupt: break", b"*/*"))):
            for reset in (False, True):
                mark = f"mark-{n}-{reset}"
                self.leave("sandbox.repl.run", accept, reset, language="python", mark=mark,
                           code=f"open({mark!r}, 'w').close()\n{code}")
                began = time.monotonic()
                self.assertEqual(server.run("s", "print(kept)"), [["kept"], []], code)
                self.assertLess(time.monotonic() - began, 100, code)

    def test_code_that_does_not_want_to_end(self):
        mark = "mark-stubborn"
        self.leave("sandbox.repl.run", language="python", mark=mark,
                   code=f"open({mark!r}, 'w').close()\nwhile True:\n    try:\n        while True: pass\n"
                        "    except BaseException: pass")
        began = time.monotonic()
        self.assertEqual(server.run("s", "print('free')"), [["free"], []])
        self.assertLess(time.monotonic() - began, 100)

    def test_in_the_middle_of_a_command(self):
        for reset in (False, True):
            mark = f"mark-command-{reset}"
            self.leave("sandbox.command.run", reset=reset, mark=mark, command="sh",
                       args=["-c", f"touch {mark}; exec sleep 54321"])
            served.wait_until(lambda: "sleep 54321" not in server.commands(), "the command is ended")

    def test_waiting_for_its_turn(self):
        """The one that waits goes first; then the one that runs."""
        with connect() as running, connect() as waiting:
            body = {"jsonrpc": "2.0", "method": "sandbox.repl.run", "id": 1, "params": {
                "sandbox": "s", "namespace": "default", "language": "python",
                "code": "open('mark-first', 'w').close()\nimport time; time.sleep(600)"}}
            running.sendall(post(json.dumps(body).encode()))
            served.wait_until(lambda: self.marked("mark-first"), "the run begins")
            body["params"]["code"] = "open('mark-second', 'w').close()"
            waiting.sendall(post(json.dumps(body).encode()))
            waiting.close()
            running.close()
        self.assertEqual(server.run("s", "print('next')"), [["next"], []])

    def test_stop_in_the_middle_of_a_run(self):
        server.start("ended")
        with connect() as connection:
            connection.sendall(post(json.dumps({"jsonrpc": "2.0", "method": "sandbox.repl.run", "id": 1, "params": {
                "sandbox": "ended", "namespace": "default", "language": "python", "code": "import time; time.sleep(600)"}}
            ).encode()))
            server.result("sandbox.stop", sandbox="ended", namespace="default")
            reply = connection.recv(4096)
            self.assertRegex(reply, rb"^HTTP/1.1 (500|200) ")
        server.start("ended")
        self.assertEqual(server.run("ended", "print(2)"), [["2"], []])
        server.result("sandbox.stop", sandbox="ended", namespace="default")

    def test_during_a_start(self):
        for n in range(5):
            with connect() as connection:
                connection.sendall(post(json.dumps({"jsonrpc": "2.0", "method": "sandbox.start", "id": 1, "params": {
                    "sandbox": f"left{n}", "namespace": "default", "config": {"image": "microsandbox/python"}}}).encode()))
        for n in range(5):
            server.start(f"left{n}")
            self.assertEqual(server.run(f"left{n}", "1"), [["1"], []])
            server.result("sandbox.stop", sandbox=f"left{n}", namespace="default")


def token(header, claims, secret, digest=hashlib.sha256):
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    text = part(json.dumps(header).encode()) + b"." + part(json.dumps(claims).encode())
    signature = part(hmac.new(secret, text, digest).digest()) if secret else b""
    return "msb_" + (text + b"." + signature).decode()


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place.key()
        found = [os.path.join(d, "server.key") for d, _, files in os.walk(place.dir) if "server.key" in files]
        with open(found[0], "rb") as f:
            cls.secret = f.read().strip()
        cls.now = int(time.time())
        cls.claims = {"exp": cls.now + 3600, "iat": cls.now, "namespace": "*"}
        cls.header = {"typ": "JWT", "alg": "HS256"}

    def status(self, key):
        status, reply = keyed.rpc("sandbox.metrics.get", key=key)
        return (status, reply.get("code"))

    def refused(self, key, why):
        self.assertEqual(self.status(key), (401, 1004), why)

    def test_the_maker_of_these_is_right(self):
        self.assertNotEqual(self.status(token(self.header, self.claims, self.secret))[0], 401)
        self.assertNotEqual(self.status(token({"alg": "HS256"}, self.claims, self.secret))[0], 401)

    def test_other_algorithms(self):
        for name in ("none", "None", "NONE", "nOnE", "", None, 5, "HS384", "HS512", "RS256", "ES256", "hs256", "HS256 "):
            header = {**self.header, "alg": name}
            self.refused(token(header, self.claims, b""), name)
            self.refused(token(header, self.claims, self.secret), name)
        self.refused(token({"typ": "JWT"}, self.claims, self.secret), "no algorithm")
        self.refused(token({**self.header, "alg": "HS512"}, self.claims, self.secret, hashlib.sha512), "HS512")

    def test_wrong_secrets(self):
        for secret in (b"", b"secret", self.secret[:-1], self.secret + b"x", self.secret[::-1], hashlib.sha256(self.secret).digest()):
            self.refused(token(self.header, self.claims, secret), secret)

    def test_expired(self):
        for exp in (self.now - 61, self.now - 3600, 0, -1, 1e-9):
            key = token(self.header, {**self.claims, "exp": exp}, self.secret)
            for _ in range(3):
                self.refused(key, exp)
        self.assertNotEqual(self.status(token(self.header, {**self.claims, "exp": self.now - 30}, self.secret))[0], 401)

    def test_bad_claims(self):
        for change in ({"exp": None}, {"exp": "9999999999"}, {"exp": "never"}, {"exp": []}, {"exp": {}}, {"exp": True}):
            self.refused(token(self.header, {**self.claims, **change}, self.secret), change)
        without = {key: value for key, value in self.claims.items() if key != "exp"}
        self.refused(token(self.header, without, self.secret), "no exp")
        for namespace in (5, ["*"], None):
            key = token(self.header, {**self.claims, "namespace": namespace}, self.secret)
            self.assertIn(self.status(key)[0], (401, 403, 400), namespace)

    def test_changed(self):
        head, claims, signature = token(self.header, {**self.claims, "namespace": "mine"}, self.secret)[4:].split(".")
        other = token(self.header, self.claims, b"x")[4:].split(".")[1]
        for key in (f"{head}.{other}.{signature}", f"{head}.{claims}.", f"{head}.{claims}", f"{head}..{signature}", "..", ".",
                    f".{claims}.{signature}", f"{head}.{claims}.{signature}.x", f"{head}.{claims}.{signature}==",
                    f"{head}.{claims}.{signature[:-1]}", f"{head}.{claims}.{signature}A", "a" * 4000,
                    f"{head}.{claims}.{signature[::-1]}", f"msb_{head}.{claims}.{signature}"):
            self.assertIn(self.status("msb_" + key), ((401, 1004), (401, 1001)), key[:80])

    def test_deep_and_bad_json_in_a_token(self):
        def raw(claims):
            text = base64.urlsafe_b64encode(b'{"alg":"HS256"}').rstrip(b"=") + b"." + base64.urlsafe_b64encode(claims).rstrip(b"=")
            return "msb_" + (text + b"." + base64.urlsafe_b64encode(
                hmac.new(self.secret, text, hashlib.sha256).digest()).rstrip(b"=")).decode()

        for claims in (b"", b"[]", b"{", b'{"exp":', b"\xff", b"[" * 2000, b'{"exp":1e999}', b'{"exp":9e99,"namespace":"\xff"}'):
            self.refused(raw(claims), claims)


if __name__ == "__main__":
    served.main()
