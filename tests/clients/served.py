# SPDX-License-Identifier: MIT
"""A `terrarium serve` of its own for a test, with a home and a runtime directory of its own, and the bare HTTP to talk
to it. A test program ends with `served.main()`; its first argument is the program under test."""
import contextlib
import http.client
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "terrarium"
DEADLINE_S = 60


def wait_until(holds, what, timeout_s=DEADLINE_S):
    """Until holds() gives something true, which is returned."""
    end = time.monotonic() + timeout_s
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout_s} s: {what}")
        time.sleep(0.02)


class Place:
    """Directories that nobody else uses, and the environment that leads there."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="terrarium-served-")
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("TERRARIUM_", "MSB_", "XDG_", "PYTHON"))}
        self.env.update(HOME=self.dir, LC_ALL="C.UTF-8")
        self.env.update({"TERRARIUM_" + key[7:]: value for key, value in os.environ.items()
                         if key.startswith("SERVED_")})  # the only settings that are passed on
        for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
            self.env[f"XDG_{name}"] = os.path.join(self.dir, name.lower())
            os.mkdir(self.env[f"XDG_{name}"], 0o700)

    def terrarium(self, *words, **options):
        return subprocess.run([PROGRAM, *words], env=self.env, cwd=self.dir, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, **options)

    def key(self, *words):
        """A key from `terrarium keygen`."""
        made = self.terrarium("keygen", *words)
        found = re.search(r"\bmsb_[\w.-]+", made.stdout)
        if not found:
            raise AssertionError(f"keygen {words}: {made}")
        return found[0]

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


class Server:
    """`terrarium serve ARG…` on a free port of the loopback."""

    def __init__(self, *words, place=None):
        self.own_place = place is None
        self.place = place or Place()
        self.said = []
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *words], env=self.place.env,
                                        cwd=self.place.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.pid = self.process.pid
        try:
            self.port = self._read_port()
        except BaseException:
            self.end()
            raise
        self.url = f"http://127.0.0.1:{self.port}"

    def _read_port(self):
        os.set_blocking(self.process.stdout.fileno(), False)
        text, end = "", time.monotonic() + DEADLINE_S
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < end:
                selector.select(0.2)
                data = self.process.stdout.read()
                text += (data or b"").decode(errors="replace")
                found = re.search(r"http://[\w.]+:(\d+)\b", text)
                if found:
                    return int(found[1])
                if data == b"":
                    break
        raise AssertionError(f"terrarium serve did not say where it listens: {text!r}")

    def end(self, how=signal.SIGTERM):
        """Its exit status; what it printed goes to self.said."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("terrarium serve did not end") from None
        finally:
            os.set_blocking(self.process.stdout.fileno(), True)
            self.said = self.process.stdout.read().decode(errors="replace").splitlines()
            self.process.stdout.close()
            if self.own_place:
                self.place.remove()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def request(self, method, path, body=None, headers=None, timeout_s=DEADLINE_S):
        """(status, headers, body)"""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)) as connection:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()

    def rpc(self, method, timeout_s=DEADLINE_S, key=None, **params):
        """(status, the JSON that came)"""
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
        status, _, reply = self.request("POST", "/api/v1/rpc", body, headers, timeout_s)
        return status, json.loads(reply)

    def result(self, method, **params):
        status, reply = self.rpc(method, **params)
        if status != 200 or "result" not in reply:
            raise AssertionError(f"{method} {params}: {status} {reply}")
        return reply["result"]

    def start(self, name, image="microsandbox/python", **config):
        return self.result("sandbox.start", sandbox=name, namespace="default", config={"image": image, **config})

    def run(self, name, code, language="python", **more):
        """The lines of stdout, and those of stderr."""
        output = self.result("sandbox.repl.run", sandbox=name, namespace="default", code=code, language=language,
                             **more)["output"]
        return [[line["text"] for line in output if line["stream"] == stream] for stream in ("stdout", "stderr")]

    def children(self):
        """Pids of all that descends from the server."""
        found, queue = [], [self.pid]
        while queue:
            pid = queue.pop()
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as f:
                queue += (more := [int(word) for word in f.read().split()])
                found += more
        return found

    def commands(self):
        """The command lines of these. Code in a sandbox without namespaces sees nobody else's."""
        found = []
        for pid in self.children():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline") as f:
                found.append(f.read().rstrip("\0").replace("\0", " "))
        return found


def for_module(*words, place=None):
    """A server for the module whose setUpModule() calls this."""
    server = Server(*words, place=place)
    unittest.addModuleCleanup(server.end)
    return server


def keyed_for_module():
    """(server, place): one that wants keys, which the place makes."""
    place = Place()
    unittest.addModuleCleanup(place.remove)
    return for_module(place=place), place


def need_sandboxes():
    """Ends the program with 77 where this machine has no sandboxes."""
    place = Place()
    try:
        tried = place.terrarium("run", "--yes", "--backend", "local", "-c", "pass")
    finally:
        place.remove()
    if tried.returncode != 0:
        print(tried.stderr + "SKIP: no local sandbox on this machine")
        sys.exit(77)


def main():
    need_sandboxes()
    unittest.main(verbosity=2)
