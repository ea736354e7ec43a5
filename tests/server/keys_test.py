# SPDX-License-Identifier: MIT
"""keys_test.py PROGRAM: who may, with which key. Tokens are made here by hand too, as any other client would."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import subprocess
import time

from serve import Server, check, main, wait_until


def part(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def sign(secret, claims, header=None, digest=hashlib.sha256):
    text = part(header or {"alg": "HS256", "typ": "JWT"}) + "." + part(claims)
    return "msb_" + text + "." + part(hmac.new(secret.encode(), text.encode(), digest).digest())


def ask(s, headers, namespace="ab", path="/api/v1/rpc", body=None):
    params = {} if namespace is None else {"namespace": namespace}
    line = http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)
    line.request("POST", path, json.dumps(body or {"jsonrpc": "2.0", "method": "sandbox.metrics.get", "params": params}),
                 {"Content-Type": "application/json", **headers})
    reply = line.getresponse()
    text = reply.read().decode()
    line.close()
    return reply.status, json.loads(text)


def keygen(s, *options):
    return subprocess.run([s.program, "keygen", *options], env=s.env, capture_output=True, text=True)


def keys(program):
    s = Server(program, is_dev=False)
    file = s.home + "/data/terrarium/server.key"
    check("the server key is the owner's alone", os.stat(file).st_mode & 0o777 == 0o600)
    secret = open(file).read().strip()
    check("32 letters and digits", len(secret) == 32 and secret.isalnum(), len(secret))
    key = keygen(s).stdout.strip()
    claims = json.loads(base64.urlsafe_b64decode(key.split(".")[1] + "=="))
    check("a key lives 24 hours and is for all", claims["exp"] - claims["iat"] == 86400 and claims["namespace"] == "*", claims)
    check("another implementation finds it signed", sign(secret, None) is not None and key == "msb_" + key[4:].rsplit(".", 1)[0]
          + "." + part(hmac.new(secret.encode(), key[4:].rsplit(".", 1)[0].encode(), hashlib.sha256).digest()))
    line = http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)
    line.request("GET", "/api/v1/health")
    check("health needs none", line.getresponse().status == 200)
    line.close()

    good = (400, 2001)  # nobody has started anything: that answer is beyond the keys
    none, bad = (401, 1001), (401, 1004)
    for what, headers, (status, code) in (
            ("none", {}, none), ("empty", {"Authorization": ""}, none), ("no prefix", {"Authorization": "Bearer " + key[4:]}, none),
            ("Bearer", {"Authorization": "Bearer " + key}, good), ("raw", {"Authorization": key}, good),
            ("bearer", {"Authorization": "bearer  " + key}, good), ("Basic", {"Authorization": "Basic " + key}, none),
            ("Proxy wins", {"Proxy-Authorization": "Bearer x", "Authorization": key}, none),
            ("Proxy alone", {"Proxy-Authorization": "Bearer " + key}, good),
            ("Proxy first", {"Proxy-Authorization": key, "Authorization": "x"}, good),
            ("spoilt", {"Authorization": key[:-2]}, bad), ("longer", {"Authorization": key + "A"}, bad),
            ("nonsense", {"Authorization": "msb_x"}, bad), ("prefix only", {"Authorization": "msb_"}, bad),
            ("long", {"Authorization": "msb_" + "a." * 3000}, bad)):
        got, reply = ask(s, headers)
        check(f"key: {what}", got == status and reply["code"] == code, (got, reply))
        check("the text says no more than it should", code not in (1001, 1004)
              or reply["error"] == {1001: "Invalid credentials", 1004: "Invalid or expired token"}[code], reply)

    now = int(time.time())
    full = {"exp": now + 60, "iat": now, "namespace": "*"}
    for what, token, wanted in (
            ("ours", sign(secret, full), good), ("another key", sign("x" * 32, full), bad),
            ("no namespace", sign(secret, {"exp": now + 60}), good), ("a fraction", sign(secret, {"exp": now + 9.5}), good),
            ("expired just now", sign(secret, {**full, "exp": now - 30}), good),
            ("expired", sign(secret, {**full, "exp": now - 90}), bad), ("no exp", sign(secret, {"iat": now}), bad),
            ("exp as text", sign(secret, {"exp": str(now + 60)}), bad), ("not yet", sign(secret, {**full, "nbf": now + 900}), bad),
            ("alg none", "msb_" + part({"alg": "none"}) + "." + part(full) + ".", bad),
            ("alg none, signed", sign(secret, full, {"alg": "none"}), bad),
            ("alg None, signed", sign(secret, full, {"alg": "None"}), bad),
            ("HS384", sign(secret, full, {"alg": "HS384"}, hashlib.sha384), bad),
            ("HS512", sign(secret, full, {"alg": "HS512"}, hashlib.sha512), bad),
            ("RS256", sign(secret, full, {"alg": "RS256"}), bad), ("no alg", sign(secret, full, {"typ": "JWT"}), bad),
            ("crit", sign(secret, full, {"alg": "HS256", "crit": ["b64"]}), bad),
            ("claims no object", sign(secret, [now + 60]), bad), ("empty signature", sign(secret, full).rsplit(".", 1)[0] + ".", bad),
            ("two alg", sign(secret, full, b'{"alg":"none","alg":"HS256"}'), bad)):
        got, reply = ask(s, {"Authorization": token})
        check(f"token: {what}", (got, reply["code"]) == wanted, (got, reply))

    dying = {"Authorization": sign(secret, {"exp": time.time() - 57})}  # but for the leeway
    body = b'{"jsonrpc": "2.0", "method": "sandbox.metrics.get", "params": {"namespace": "ab"}}'
    line = http.client.HTTPConnection("127.0.0.1", s.port, timeout=60)
    line.putrequest("POST", "/api/v1/rpc")
    for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **dying}.items():
        line.putheader(name, value)
    line.endheaders(body[:9])
    check("a key dies", wait_until(lambda: ask(s, dying)[0] == 401, 30))
    line.send(body[9:])
    check("while the body of a request comes, too", line.getresponse().status == 401)
    line.close()
    s.remove()


def namespaces(program):
    s = Server(program, is_dev=False)
    limited = {"Authorization": keygen(s, "--namespace", "ab", "--expire", "7d").stdout.strip()}
    for what, namespace, wanted in (("its own", "ab", (400, 2001)), ("another", "abc", (403, 3001)), ("all", "*", (403, 3001)),
                                    ("none", None, (400, 2001)), ("no text", 5, (400, 2001))):
        status, reply = ask(s, limited, namespace)
        check(f"a key for one namespace: {what}", (status, reply["code"]) == wanted, (status, reply))
    text = ask(s, limited, "abc")[1]["error"]
    check("denied, and why", text == "Access denied: this key is for namespace 'ab', and not for 'abc'", text)

    def tool(arguments, name="sandbox_start"):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        status, reply = ask(s, limited, path="/mcp", body=body)
        return json.dumps(reply)

    check("MCP: another namespace", "Access denied" in tool({"sandbox": "a", "namespace": "abc"}))
    for arguments in (None, {}, {"namespace": None}):
        told = tool(arguments, "sandbox_get_metrics")
        check(f"MCP: its own is meant by {arguments}", "no namespace 'ab'" in told, told)
    check("MCP without key", ask(s, {}, path="/mcp")[0] == 401)
    check("MCP initialize needs no namespace", ask(s, limited, path="/mcp", body={
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})[1].get("result"))
    s.remove()


def commands(program):
    s = Server(program, is_dev=False)
    for bad in ("", "0h", "24", "h", "-1h", "1x", "101y", "99999999999999999999h"):
        done = keygen(s, "--expire", bad)
        check(f"keygen --expire {bad!r}", done.returncode == 125 and not done.stdout and "--expire" in done.stderr, done)
    for bad in ("", "a b", "-", "../x", "x" * 64):
        done = keygen(s, "--namespace", bad)
        check(f"keygen --namespace {bad[:9]!r}", done.returncode == 125 and not done.stdout, done)
    file = s.home + "/data/terrarium/server.key"
    before = {"Authorization": keygen(s).stdout.strip()}
    os.chmod(file, 0o644)
    done = keygen(s)
    check("a key file that others can read is refused", done.returncode == 125 and "chmod 600" in done.stderr, done)
    os.chmod(file, 0o600)
    check("the key is good", ask(s, before)[0] == 400)
    s.stop()
    s.start("--reset-key")
    check("a reset ends all keys", ask(s, before)[1]["code"] == 1004)
    check("new ones are good", ask(s, {"Authorization": keygen(s).stdout.strip()})[0] == 400)
    s.stop()
    other = s.home + "/other.key"
    key = keygen(s, "--key-file", other).stdout.strip()
    s.start("--key-file", other)
    check("a key file of one's own", ask(s, {"Authorization": key})[0] == 400)
    arguments = open(f"/proc/{s.process.pid}/cmdline").read()
    check("no key in the list of processes", open(other).read().strip() not in arguments)
    s.remove()


main(keys, namespaces, commands)
