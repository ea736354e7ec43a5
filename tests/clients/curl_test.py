# SPDX-License-Identifier: MIT
"""What curl sees of our server: status codes and the bare shapes of replies, those of the failure table among them."""
import json
import re
import subprocess
import unittest

import served

server = keyed = place = None
JSON_TYPE = {"Content-Type": "application/json"}
START = {"sandbox": "s", "namespace": "default", "config": {"image": "microsandbox/python"}}


def setUpModule():
    global server, keyed, place
    server = served.for_module("--dev")
    keyed, place = served.keyed_for_module()
    server.start("s")
    server.start("n", "microsandbox/node")


def curl(path="/api/v1/rpc", body=None, headers=JSON_TYPE, verb=None, at=None, more=()):
    """(status, content type, body, headers)"""
    words = ["curl", "-sS", "--max-time", "60", "-D", "/dev/stderr", "-w", "\n%{http_code} %{content_type}", *more]
    if verb:
        words += ["-X", verb]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    if body is not None:
        words += ["--data-binary", "@-"]
    done = subprocess.run(words + [(at or server).url + path], input=(body or "").encode() if isinstance(body or "", str)
                          else body, capture_output=True, timeout=90)
    if done.returncode != 0:
        raise AssertionError(f"curl: {done.stderr}")
    text, last = done.stdout.decode().rsplit("\n", 1)
    status, _, kind = last.partition(" ")
    return int(status), kind, text, done.stderr.decode()


def envelope(method, params=None, **more):
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, "id": 7, **more})


class Curl(unittest.TestCase):
    def rpc(self, method, params=None, **more):
        status, kind, text, _ = curl(body=envelope(method, params, **more))
        self.assertTrue(kind.startswith("application/json"), (kind, text))
        return status, json.loads(text)

    def good(self, method, params=None):
        status, reply = self.rpc(method, params)
        self.assertEqual((status, set(reply), reply.get("jsonrpc"), reply.get("id")),
                         (200, {"jsonrpc", "result", "id"}, "2.0", 7), reply)
        return reply["result"]

    def plain(self, answer, status, code, *words):
        """{"error","code"}, with a text that says more than that there was an error."""
        got, kind, text = answer[:3]
        self.assertEqual(got, status, text)
        self.assertTrue(kind.startswith("application/json"), kind)
        reply = json.loads(text)
        self.assertEqual((set(reply), reply["code"]), ({"error", "code"}, code), reply)
        for word in words:
            self.assertIn(word, reply["error"])
        return reply["error"]

    def refused(self, method, params, status, code, *words):
        return self.plain(curl(body=envelope(method, params)), status, code, *words)


class Routes(Curl):
    def test_health(self):
        status, kind, text, _ = curl("/api/v1/health", headers={})
        self.assertEqual((status, json.loads(text)), (200, {"message": "Service is healthy"}))
        self.assertTrue(kind.startswith("application/json"))
        self.assertEqual(curl("/api/v1/health", headers={}, at=keyed)[0], 200)

    def test_elsewhere(self):
        for path in ("/", "/api", "/api/v1", "/api/v1/", "/api/v2/rpc", "/api/v1/rpc/x", "/nothing", "/api/v1/rpcs"):
            self.assertEqual((path, *curl(path, body="{}")[::2][:2]), (path, 404, ""))

    def test_wrong_verbs(self):
        for verb, path in (("GET", "/api/v1/rpc"), ("PUT", "/api/v1/rpc"), ("DELETE", "/api/v1/rpc"),
                           ("PATCH", "/api/v1/rpc"), ("POST", "/api/v1/health"), ("GET", "/mcp"), ("DELETE", "/mcp")):
            self.assertEqual((verb, path, curl(path, headers={}, verb=verb)[0]), (verb, path, 405))

    def test_a_query_does_not_matter(self):
        self.assertEqual(curl("/api/v1/health?x=1", headers={})[0], 200)

    def test_a_target_may_name_the_server(self):
        """As proxies send it, and whoever takes the server for one."""
        for target, status in (("http://somewhere:80/api/v1/health", 200), ("HTTP://x/api/v1/health?y=1", 200), ("http://x", 404),
                ("http://x/mcp", 405)):
            self.assertEqual((target, curl("", headers={}, more=("--request-target", target))[0]), (target, status))

    def test_cors(self):
        asking = {"Origin": "http://example.org", "Access-Control-Request-Method": "POST",
                  "Access-Control-Request-Headers": "authorization, content-type"}
        for at in (server, keyed):
            status, _, _, headers = curl(headers=asking, verb="OPTIONS", at=at)
            self.assertEqual(status, 200)
            self.assertRegex(headers, r"(?i)access-control-allow-origin: (\*|http://example.org)")
            self.assertRegex(headers, r"(?i)access-control-allow-methods:.*POST")
            self.assertRegex(headers, r"(?i)access-control-allow-headers:.*authorization")
        headers = curl("/api/v1/health", headers={"Origin": "http://example.org"})[3]
        self.assertRegex(headers, r"(?i)access-control-allow-origin: (\*|http://example.org)")

    def test_aliases(self):
        for path, method, params in (
                ("/api/v1/sandbox/start", "sandbox.start", {**START, "sandbox": "alias"}),
                ("/api/v1/sandbox/command/run", "sandbox.command.run",
                 {"sandbox": "alias", "namespace": "default", "command": "true"}),
                ("/api/v1/sandbox/stop", "sandbox.stop", {"sandbox": "alias", "namespace": "default"})):
            status, _, text, _ = curl(path, envelope(method, params))
            self.assertEqual((path, status), (path, 200), text)
            self.assertIn("result", json.loads(text))

    def test_old_names(self):
        rows = self.good("sandbox.getStatus", {"sandbox": "s", "namespace": "default"})["sandboxes"]
        self.assertEqual(rows[0]["name"], "s")
        done = self.good("sandbox.command.execute", {"sandbox": "s", "namespace": "default", "command": "true"})
        self.assertEqual(done["exit_code"], 0)

    def test_extensions_are_announced(self):
        self.assertRegex(curl("/api/v1/health", headers={})[3], r"(?i)terrarium-extensions: .*events")


class Envelopes(Curl):
    def test_ids(self):
        for sent in (1, "a", "1", 1.5, 0, "", [1], {"a": 1}, True, False):
            reply = json.loads(curl(body=json.dumps({"jsonrpc": "2.0", "method": "sandbox.metrics.get",
                                                     "params": {"namespace": "default"}, "id": sent}))[2])
            self.assertEqual((reply["id"], type(reply["id"])), (sent, type(sent)))
        for body in ({"id": None}, {}):
            status, _, text, _ = curl(body=json.dumps({"jsonrpc": "2.0", "method": "sandbox.metrics.get",
                                                       "params": {"namespace": "default"}, **body}))
            self.assertEqual((status, set(json.loads(text))), (200, {"jsonrpc", "result"}))

    def test_a_big_id_is_not_rounded(self):
        body = '{"jsonrpc":"2.0","method":"sandbox.metrics.get","params":{},"id":9007199254740993}'
        self.assertRegex(curl(body=body)[2], r'"id":\s*9007199254740993\b')

    def test_broken_json(self):
        for body in ("", "{", "nonsense", '{"jsonrpc":"2.0",}', "{'a': 1}", '{"a":1} x', "\x00", '{"a":"\n"}',
                     '{"a": 01}', '{"a": NaN}', '{"a": "\\x"}', '{"a": "\\ud800"}'):
            status, kind, text, _ = curl(body=body)
            self.assertEqual((body, status, kind.split(";")[0]), (body, 400, "text/plain"), text)
            self.assertTrue(text.startswith("Failed to parse the request body as JSON"), text)

    def test_bad_utf8(self):
        for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            body = b'{"jsonrpc":"2.0","method":"' + bad + b'","id":1}'
            self.assertEqual(curl(body=body)[0], 400, bad)

    def test_wrong_shape(self):
        for body in ("[]", "{}", "1", "null", '"x"', "true", '{"method":"x"}', '{"jsonrpc":"2.0"}',
                     '{"jsonrpc":2.0,"method":"x"}', '{"jsonrpc":"2.0","method":5}', '{"jsonrpc":"2.0","method":null}',
                     "[" + envelope("sandbox.metrics.get") + "]"):
            status, kind, text, _ = curl(body=body)
            self.assertEqual((body, status, kind.split(";")[0]), (body, 422, "text/plain"), text)
            self.assertTrue(text.startswith("Failed to deserialize the JSON body into the target type"), text)

    def test_content_type(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"):
            self.assertEqual((kind, curl(body=envelope("x"), headers={"Content-Type": kind})[0]), (kind, 415))
        self.assertEqual(curl(body=envelope("x"), headers={"Content-Type": ""})[0], 415)
        for kind in ("application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"):
            body = envelope("sandbox.metrics.get", {"namespace": "default"})
            self.assertEqual((kind, curl(body=body, headers={"Content-Type": kind})[0]), (kind, 200))

    def test_other_version(self):
        status, reply = self.rpc("sandbox.metrics.get", jsonrpc="1.0")
        self.assertEqual((status, reply["error"]["code"], reply["id"]), (400, -32600, 7))
        self.assertEqual(set(reply), {"jsonrpc", "error", "id"})

    def test_unknown_method(self):
        for method in ("sandbox.nothing", "", "SANDBOX.START", "rpc.discover", "x" * 3000):
            status, reply = self.rpc(method)
            self.assertEqual((status, reply["error"]["code"], set(reply)), (404, -32601, {"jsonrpc", "error", "id"}))
            self.assertIn("Method not found", reply["error"]["message"])

    def test_too_big(self):
        self.assertEqual(curl(body='{"a":"' + "x" * (3 << 20) + '"}')[0], 413)


class Parameters(Curl):
    def test_names(self):
        texts = set()
        for name in ("", "a" * 64, "a b", "-a", "_a", "a.b", "a/b", "ä", "a\x00b", "../x", "*", "a\n"):
            text = self.refused("sandbox.start", {**START, "sandbox": name}, 400, 2001)
            texts.add(re.sub(r"'.*'|\d+", "", text))
            self.refused("sandbox.start", {**START, "namespace": name}, 400, 2001)
            self.refused("sandbox.stop", {"sandbox": name, "namespace": "default"}, 400, 2001)
            self.refused("sandbox.metrics.get", {"sandbox": name, "namespace": "default"}, 400, 2001)
        self.assertGreaterEqual(len(texts), 4, texts)
        for name in ("A_b-9", "9", "a" * 63):
            self.good("sandbox.start", {**START, "sandbox": name})
            self.good("sandbox.stop", {"sandbox": name, "namespace": "default"})

    def test_types(self):
        for method in ("sandbox.start", "sandbox.stop", "sandbox.repl.run", "sandbox.command.run"):
            for params in ({}, {"sandbox": 5}, {"sandbox": None}, {"sandbox": ["a"]}, {"namespace": "default"}):
                self.refused(method, params, 400, 2001)
            for params in ([], "x", 5):
                self.plain(curl(body=json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1})),
                           400, 2001)

    def test_config(self):
        for config in ("x", 5, [], {"cpus": 1.5}, {"cpus": -1}, {"cpus": "2"}, {"memory": -1}, {"memory": "big"},
                       {"memory": 1.5}, {"cpus": 256}, {"memory": 1 << 33}, {"volumes": "x"}, {"envs": [5]},
                       {"envs": ["=x"]}, {"envs": ["novalue"]}, {"ports": ["99999"]}, {"ports": ["a:b"]},
                       {"workdir": 5}, {"scripts": ["x"]}, {"scripts": {"a": 5}}, {"image": 5}):
            if isinstance(config, dict):
                config = {"image": "microsandbox/python", **config}
            self.refused("sandbox.start", {**START, "sandbox": "conf", "config": config}, 400, 2001)

    def test_nulls_and_unknown_keys(self):
        config = {"image": "microsandbox/python", "memory": None, "cpus": None, "volumes": None, "ports": None,
                  "envs": None, "depends_on": None, "workdir": None, "shell": None, "scripts": None, "exec": None,
                  "unheard_of": {"x": 1}}
        self.good("sandbox.start", {**START, "sandbox": "nulls", "config": config, "unheard": 1})
        self.good("sandbox.stop", {"sandbox": "nulls", "namespace": "default"})

    def test_without_image(self):
        self.refused("sandbox.start", {"sandbox": "fresh", "namespace": "default"}, 400, 2001, "fresh")
        self.refused("sandbox.start", {"sandbox": "fresh", "namespace": "default", "config": {"memory": 300}}, 400, 2001)
        self.refused("sandbox.start", {"sandbox": "fresh", "namespace": "default", "config": {"image": None}}, 400, 2001)
        self.good("sandbox.start", {**START, "sandbox": "fresh"})
        self.good("sandbox.stop", {"sandbox": "fresh", "namespace": "default"})
        self.good("sandbox.start", {"sandbox": "fresh", "namespace": "default"})
        self.good("sandbox.stop", {"sandbox": "fresh", "namespace": "default"})
        self.good("sandbox.start", {"sandbox": "fresh", "namespace": "default", "config": {"cpus": 1}})
        self.good("sandbox.stop", {"sandbox": "fresh", "namespace": "default"})

    def test_namespace_is_optional(self):
        self.assertEqual(self.good("sandbox.start", {"sandbox": "ns", "config": START["config"]}),
                         "Sandbox ns started successfully")
        row, = self.good("sandbox.metrics.get", {"sandbox": "ns"})["sandboxes"]
        self.assertEqual(row["namespace"], "default")
        self.good("sandbox.repl.run", {"sandbox": "ns", "code": "1", "language": "python"})
        self.good("sandbox.stop", {"sandbox": "ns"})

    def test_run_and_command(self):
        for method, params in (("sandbox.repl.run", {"code": 5, "language": "python"}), ("sandbox.repl.run", {"code": "1"}),
                               ("sandbox.repl.run", {"language": "python"}), ("sandbox.command.run", {}),
                               ("sandbox.command.run", {"command": 5}), ("sandbox.command.run", {"command": "a", "args": 5}),
                               ("sandbox.command.run", {"command": "a", "args": [5]}),
                               ("sandbox.command.run", {"command": "a", "timeout": -1}),
                               ("sandbox.command.run", {"command": "a", "timeout": "5"}),
                               ("sandbox.repl.run", {"code": "1", "language": "python", "timeout": 1.5})):
            status, reply = self.rpc(method, {"sandbox": "s", "namespace": "default", **params})
            self.assertGreaterEqual(status, 400, (params, reply))
            self.assertEqual(set(reply), {"error", "code"}, reply)


class States(Curl):
    def test_start_stop(self):
        where = {"sandbox": "cycle", "namespace": "default"}
        self.assertEqual(self.good("sandbox.start", {**START, **where}), "Sandbox cycle started successfully")
        self.assertIn("cycle", self.good("sandbox.start", {**START, **where}))
        result = self.good("sandbox.repl.run", {**where, "code": "1 + 1", "language": "python"})
        self.assertEqual(result, {"status": "success", "language": "python",
                                  "output": [{"stream": "stdout", "text": "2"}]})
        self.assertEqual(self.good("sandbox.stop", where), "Sandbox cycle stopped successfully")
        self.assertEqual(self.good("sandbox.stop", where), "Sandbox cycle stopped successfully")
        row, = self.good("sandbox.metrics.get", where)["sandboxes"]
        self.assertEqual(row, {"name": "cycle", "namespace": "default", "running": False, "cpu_usage": None,
                               "memory_usage": None, "disk_usage": None})
        for method, more in (("sandbox.repl.run", {"code": "1", "language": "python"}),
                             ("sandbox.command.run", {"command": "ls"})):
            text = self.refused(method, {**where, **more}, 500, 5002, "cycle")
            self.assertNotEqual(text, "Internal server error")

    def test_unknown(self):
        where = {"sandbox": "unknown-one", "namespace": "default"}
        for method, more in (("sandbox.repl.run", {"code": "1", "language": "python"}), ("sandbox.stop", {}),
                             ("sandbox.command.run", {"command": "ls"}), ("sandbox.metrics.get", {})):
            self.refused(method, {**where, **more}, 500, 5002, "unknown-one")
        for method in ("sandbox.stop", "sandbox.metrics.get"):
            self.refused(method, {"sandbox": "s", "namespace": "no-such-namespace"}, 400, 2001, "no-such-namespace")

    def test_namespaces(self):
        for namespace in ("one", "two"):
            self.good("sandbox.start", {**START, "namespace": namespace, "sandbox": "twin"})
        rows = self.good("sandbox.metrics.get", {"namespace": "*"})["sandboxes"]
        self.assertLessEqual({("one", "twin"), ("two", "twin"), ("default", "s")},
                             {(row["namespace"], row["name"]) for row in rows})
        rows = self.good("sandbox.metrics.get", {"namespace": "one"})["sandboxes"]
        self.assertEqual([(row["namespace"], row["name"]) for row in rows], [("one", "twin")])
        for namespace in ("one", "two"):
            self.good("sandbox.stop", {"namespace": namespace, "sandbox": "twin"})
        for method in ("sandbox.start", "sandbox.stop"):
            self.refused(method, {**START, "namespace": "*"}, 400, 2001)

    def test_no_such_image(self):
        for image in ("nobody/nothing", "", "a" * 5000, "../x"):
            status, reply = self.rpc("sandbox.start", {**START, "sandbox": "img", "config": {"image": image}})
            self.assertIn(status, (400, 500), reply)
            self.assertIn(reply["code"], (2001, 5002))

    def test_what_is_configured_takes_effect(self):
        where = {"sandbox": "configured", "namespace": "default"}
        config = {"image": "microsandbox/python", "memory": 128, "envs": ["COLOR=blue grün", "EMPTY="],
                  "workdir": "/workspace/w", "scripts": {"hello": "#!/bin/sh\necho from the script\n"}}
        self.good("sandbox.start", {**START, **where, "config": config})
        code = "import os\nprint(os.environ['COLOR'], repr(os.environ['EMPTY']), os.getcwd()[-12:])"
        result = self.good("sandbox.repl.run", {**where, "code": code, "language": "python"})
        self.assertEqual([line["text"] for line in result["output"]], ["blue grün '' /workspace/w"])
        result = self.good("sandbox.command.run", {**where, "command": "sh", "args": ["-c", "echo $COLOR; pwd | tail -c 13"]})
        self.assertEqual([line["text"] for line in result["output"]], ["blue grün", "/workspace/w"])
        result = self.good("sandbox.command.run", {**where, "command": "hello"})
        self.assertEqual([line["text"] for line in result["output"]], ["from the script"])
        self.good("sandbox.stop", where)


class Runs(Curl):
    def run_code(self, code, language="python", name="s", **more):
        return self.good("sandbox.repl.run", {"sandbox": name, "namespace": "default", "code": code,
                                              "language": language, **more})

    def test_language_is_echoed(self):
        for language in ("python", "Python", "PYTHON"):
            self.assertEqual(self.run_code("1", language)["language"], language)
        for language in ("node", "nodejs", "javascript", "NODEJS", "JavaScript"):
            result = self.run_code("1", language, "n")
            self.assertEqual((result["language"], result["output"]), (language, [{"stream": "stdout", "text": "1"}]))

    def test_unsupported_language(self):
        for language in ("cobol", "", "x" * 10000):
            self.refused("sandbox.repl.run", {"sandbox": "s", "namespace": "default", "code": "1",
                                              "language": language}, 500, 5002)
        self.refused("sandbox.repl.run", {"sandbox": "s", "namespace": "default", "code": "1", "language": "nodejs"},
                     500, 5002, "node")

    def test_timeout(self):
        result = self.run_code("print('started')\nwhile True: pass", timeout=1)
        self.assertEqual((result["status"], result["output"]),
                         ("success", [{"stream": "stdout", "text": "started"},
                                      {"stream": "stderr", "text": "Error: Execution timed out after 1 seconds"}]))
        self.assertEqual(self.run_code("'next'")["output"], [{"stream": "stdout", "text": "'next'"}])

    def test_nothing_hangs(self):
        for code in ("print('x', end='')", "exit()", "print((", "input('who? ')", "'''"):
            self.run_code(code)
            self.assertEqual((code, self.run_code("'next'")["output"]), (code, [{"stream": "stdout", "text": "'next'"}]))

    def test_lines(self):
        result = self.run_code("print('a\\n\\nb\\rc\\td\\r')\nimport sys\nsys.stdout.write('no end')\nNone")
        self.assertEqual([line["text"] for line in result["output"]][:2], ["a", ""])
        self.assertTrue(all(set(line) == {"stream", "text"} and "\n" not in line["text"] for line in result["output"]))

    def test_bytes_that_are_no_text(self):
        result = self.run_code("import os\n_ = os.write(1, b'before \\xff\\xfe after\\n')\nprint('\\x00|\\x1b[31m|')")
        texts = [line["text"] for line in result["output"]]
        self.assertTrue(texts[0].startswith("before ") and texts[0].endswith(" after"), texts)
        self.assertIn(texts[1], ("\x00|\x1b[31m|", "\ufffd|\x1b[31m|"))

    def test_command(self):
        where = {"sandbox": "s", "namespace": "default"}
        result = self.good("sandbox.command.run", {**where, "command": "echo", "args": ["a", "b c"]})
        self.assertEqual(result, {"command": "echo", "args": ["a", "b c"], "exit_code": 0, "success": True,
                                  "output": [{"stream": "stdout", "text": "a b c"}]})
        result = self.good("sandbox.command.run", {**where, "command": "false"})
        self.assertEqual((result["exit_code"], result["success"], result["args"]), (1, False, []))
        self.refused("sandbox.command.run", {**where, "command": "no-such-program"}, 500, 5002, "no-such-program")
        self.refused("sandbox.command.run", {**where, "command": ""}, 500, 5002)
        self.refused("sandbox.command.run", {**where, "command": "sleep", "args": ["60"], "timeout": 1}, 500, 5002,
                     "timed out")
        result = self.good("sandbox.command.run", {**where, "command": "sh", "args": ["-c", "kill -9 $$"]})
        self.assertFalse(result["success"])

    def test_much_output_in_order(self):
        script = "i=0; while [ $i -lt 50000 ]; do echo $i; i=$((i+1)); done"
        result = self.good("sandbox.command.run", {"sandbox": "s", "namespace": "default", "command": "sh",
                                                   "args": ["-c", script]})
        self.assertEqual([line["text"] for line in result["output"]], [str(i) for i in range(50000)])


class Mcp(Curl):
    def ask(self, body):
        status, kind, text, _ = curl("/mcp", json.dumps(body), {**JSON_TYPE, "Accept": "application/json, text/event-stream"})
        return status, json.loads(text) if text else None

    def test_versions(self):
        for asked, given in (("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
            status, reply = self.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "curl", "version": "8"}}})
            self.assertEqual((status, reply["id"], reply["result"]["protocolVersion"]), (200, 1, given))

    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    responses = [{"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": "a", "result": None},
                 {"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "Method not found"}},
                 {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}]

    def test_notifications_have_no_answer(self):
        """Nor have responses, though nothing was asked of the client."""
        others = [{"jsonrpc": "2.0", "method": method} for method in (
            "notifications/cancelled", "notifications/unheard-of", "tools/list", "tools/call", "nothing")]
        lone = [self.notification, *others, *self.responses]
        for body in (*lone, *([one] for one in lone), lone, [self.notification] * 2, self.responses):
            self.assertEqual(self.ask(body), (202, None), body)

    def test_notifications_of_old_clients(self):
        """The original answered with an empty 200; whoever shows that he knows of sessions is no such client."""
        for more, body, wanted in (({}, self.notification, 200), ({}, [self.notification], 202), ({}, self.responses[0], 202),
                                   ({"Mcp-Session-Id": "x"}, self.notification, 202)):
            status, kind, text, _ = curl("/mcp", json.dumps(body), {**JSON_TYPE, **more})
            self.assertEqual((status, kind, text), (wanted, "", ""), body)

    def test_null_is_an_id(self):
        """Of a request, and its answer is without one, as on /api/v1/rpc."""
        self.assertEqual(self.ask({"jsonrpc": "2.0", "id": None, "method": "ping"}), (200, {"jsonrpc": "2.0", "result": {}}))

    def test_neither_request_nor_response(self):
        for body in ({"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "1.0", "id": 1, "result": {}}, {"result": {}},
                     {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, 5):
            self.assertEqual(curl("/mcp", json.dumps(body), JSON_TYPE)[0], 422, body)

    def test_batches(self):
        status, reply = self.ask([{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in ("a", 2)]
                                 + [self.notification, *self.responses])
        self.assertEqual((status, sorted(map(str, (one["id"] for one in reply)))), (200, ["2", "a"]))
        status, reply = self.ask([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2}, 5])
        self.assertEqual((status, [one.get("error", {}).get("code") for one in reply]), (200, [None, -32600, -32600]))

    def test_errors(self):
        for method, params, code in (("resources/list", {}, -32601), ("nothing", {}, -32601), ("tools/call", {}, -32602),
                                     ("tools/call", {"name": "nothing", "arguments": {}}, -32602),
                                     ("tools/call", {"name": "sandbox_start", "arguments": {"sandbox": 5}}, -32602),
                                     ("tools/call", {"name": "sandbox_start", "arguments": "x"}, -32602),
                                     ("tools/call", {"name": "sandbox_stop"}, -32602),
                                     ("prompts/get", {"name": "nothing"}, -32602)):
            status, reply = self.ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            self.assertEqual((method, status, reply["error"]["code"]), (method, 200, code), reply)

    def test_keys_for_a_namespace(self):
        """The namespace of a tool is among its arguments; without one it is that of the key."""
        headers = {**JSON_TYPE, "Authorization": place.key("--namespace", "team")}
        for namespace, is_well in (("team", True), ("other", False), (None, True)):
            arguments = {"sandbox": "tool", "config": {"image": "microsandbox/python"}}
            if namespace:
                arguments["namespace"] = namespace
            status, _, text, _ = curl("/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "sandbox_start", "arguments": arguments}}), headers, at=keyed)
            started = "started successfully" in text
            self.assertEqual((namespace, started), (namespace, is_well), (status, text))
        everywhere = {**JSON_TYPE, "Authorization": place.key()}
        rows = json.loads(curl(body=envelope("sandbox.metrics.get", {"namespace": "*"}), headers=everywhere, at=keyed)[2])
        self.assertEqual({row["namespace"] for row in rows["result"]["sandboxes"] if row["name"] == "tool"}, {"team"})


class Keys(Curl):
    def test_table(self):
        body = envelope("sandbox.metrics.get", {"namespace": "default"})
        key = place.key()
        for headers, status, code in (
                ({}, 401, 1001), ({"Authorization": "Bearer nonsense"}, 401, 1001), ({"Authorization": "Basic x"}, 401, 1001),
                ({"Authorization": "Bearer " + key[4:]}, 401, 1001), ({"Authorization": "Bearer msb_"}, 401, 1004),
                ({"Authorization": "Bearer msb_a.b.c"}, 401, 1004), ({"Authorization": "Bearer " + key + "x"}, 401, 1004),
                ({"Authorization": "Bearer " + key, "Proxy-Authorization": "Bearer bad"}, 401, 1001)):
            for path in ("/api/v1/rpc", "/mcp"):
                text = self.plain(curl(path, body, {**JSON_TYPE, **headers}, at=keyed), status, code)
                self.assertIn(text, ("Invalid credentials", "Invalid or expired token"))
        for headers in ({"Authorization": "Bearer " + key}, {"Authorization": key}, {"Proxy-Authorization": key},
                        {"Proxy-Authorization": "Bearer " + key, "Authorization": "Bearer bad"}):
            self.assertIn(curl(body=body, headers={**JSON_TYPE, **headers}, at=keyed)[0], (200, 400), headers)

    def test_namespaces(self):
        key = place.key("--namespace", "team")
        headers = {**JSON_TYPE, "Authorization": "Bearer " + key}
        self.assertEqual(curl(body=envelope("sandbox.start", {**START, "namespace": "team"}), headers=headers, at=keyed)[0],
                         200)
        for namespace in ("other", "*", "default", "TEAM"):
            for method in ("sandbox.start", "sandbox.metrics.get", "sandbox.repl.run"):
                self.plain(curl(body=envelope(method, {**START, "namespace": namespace}), headers=headers, at=keyed),
                           403, 3001, "Access denied")
        self.plain(curl(body=envelope("sandbox.stop", {"sandbox": "s"}), headers=headers, at=keyed), 400, 2001)

    def test_key_file(self):
        place.key()
        files = subprocess.run(["find", place.dir, "-name", "server.key", "-perm", "600"], capture_output=True, text=True)
        self.assertEqual(len(files.stdout.splitlines()), 1, files)

    def test_dev_stays_at_home(self):
        refused = place.terrarium("serve", "--dev", "--port", "0", "--host", "0.0.0.0")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--dev", refused.stderr)


if __name__ == "__main__":
    served.main()
