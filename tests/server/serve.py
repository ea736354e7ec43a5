# SPDX-License-Identifier: MIT
"""A real server with sandboxes of its own, and plain requests to it."""
import atexit
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

failures = 0
NAMESPACES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/namespaces.sh")
HAS_NAMESPACES = subprocess.run(["sh", NAMESPACES], stdout=subprocess.DEVNULL).returncode == 0


def check(what, holds, more=""):
    global failures
    print("ok     " if holds else "FAILED ", what, "" if holds else more, flush=True)
    failures += not holds


def wait_until(holds, deadline_s=60):
    end = time.monotonic() + deadline_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Reply:
    def __init__(self, status, body, reason=None):
        self.status, self.text, self.reason = status, body, reason
        try:
            self.json = json.loads(body)
        except ValueError:
            self.json = None
        self.result = self.json.get("result") if isinstance(self.json, dict) else None
        failure = self.json.get("error") if isinstance(self.json, dict) else None
        self.error = failure if isinstance(failure, str) else None
        self.code = self.json.get("code") if isinstance(self.json, dict) else None

    def lines(self, stream):
        return [row["text"] for row in self.result["output"] if row["stream"] == stream]

    @property
    def out(self):
        return self.lines("stdout")

    @property
    def err(self):
        return self.lines("stderr")

    def failed(self, status, code, *words):
        return self.status == status and self.code == code and all(w in self.error for w in words)

    def __repr__(self):
        return f"{self.status} {self.text[:600]}"


class Server:
    def __init__(self, program, *options, home=None, is_dev=True, errors=None, files=None):
        self.program = os.path.abspath(program)
        self.mode = ["--dev"] if is_dev else []
        self.options = options
        self.errors, self.files = errors, files
        self.home = home or tempfile.mkdtemp(prefix="terrarium-")
        os.chmod(self.home, 0o700)
        self.env = dict(os.environ, HOME=self.home, XDG_RUNTIME_DIR=self.home, XDG_DATA_HOME=self.home + "/data",
                        XDG_CONFIG_HOME=self.home + "/config", XDG_STATE_HOME=self.home + "/state")
        self.spaces = self.home + "/state/terrarium/namespaces"
        self.start()

    def start(self, *options):
        self.process = subprocess.Popen([self.program, "serve", "--port", "0", *self.mode, *self.options, *options],
                                        env=self.env, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        cwd=self.home, preexec_fn=self.limit)
        atexit.register(self.give_up)  # whatever becomes of the test
        line = self.process.stdout.readline()
        found = re.search(r"http://[^:]*:(\d+)", line)
        if not found:
            print("the server does not start:", line)
            sys.exit(1)
        self.port = int(found.group(1))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def limit(self):
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

    def stop(self, signo=signal.SIGINT):
        self.process.send_signal(signo)
        return self.process.wait(120)  # it saves files

    def give_up(self):
        try:
            self.remove()
        except subprocess.TimeoutExpired:
            self.process.kill()

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def post(self, body, path="/api/v1/rpc", timeout=60):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        line.request("POST", path, body, {"Content-Type": "application/json"})
        reply = line.getresponse()
        text = reply.read().decode()
        line.close()
        return Reply(reply.status, text, reply.getheader("Terrarium-Reason"))

    def rpc(self, method, params, path="/api/v1/rpc"):
        return self.post(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}), path)

    def start_box(self, name="box", space="default", **config):
        config.setdefault("image", "microsandbox/python")
        return self.rpc("sandbox.start", {"sandbox": name, "namespace": space, "config": config})

    def stop_box(self, name="box", space="default"):
        return self.rpc("sandbox.stop", {"sandbox": name, "namespace": space})

    def run(self, code, language="python", name="box", space="default", **more):
        return self.rpc("sandbox.repl.run", {"sandbox": name, "namespace": space, "code": code, "language": language,
                                             **more})

    def command(self, command, *args, name="box", **more):
        return self.rpc("sandbox.command.run", {"sandbox": name, "namespace": "default", "command": command,
                                                "args": list(args), **more})

    def metrics(self, **params):
        params.setdefault("namespace", "default")
        return self.rpc("sandbox.metrics.get", params)

    def begin(self, method, params):
        """A request whose reply nobody waits for."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
        line = socket.create_connection(("127.0.0.1", self.port))
        line.sendall(b"POST /api/v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return line

    def processes(self):
        """The command lines of all that descends from the server, as this machine sees them. Code in a sandbox without
        namespaces sees nobody else's."""
        listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
        rows = [row.split(None, 2) for row in listed.splitlines()]
        found, parents = [], {str(self.process.pid)}
        while parents:
            children = [row for row in rows if row[1] in parents]
            found += [row[2] for row in children if len(row) > 2]
            parents = {row[0] for row in children}
        return found

    def count(self, command):
        """How many processes in the sandboxes run exactly this."""
        return self.processes().count(command)

    def boxes(self):
        """What `terrarium ps` sees of this server's sandboxes."""
        text = subprocess.run([self.program, "ps", "--json"], env=self.env, capture_output=True, text=True).stdout
        return json.loads(text or "[]")


def together(*calls):
    """All at once; their results."""
    results = [None] * len(calls)

    def one(i):
        results[i] = calls[i]()
    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def main(*tests):
    program = sys.argv[1]
    probe = subprocess.run([program, "run", "--yes", "-c", "1"], capture_output=True, text=True)
    if probe.returncode == 125:
        print("SKIP: no sandbox can be started here:", probe.stderr)
        sys.exit(77)
    for test in tests:
        print("---", test.__name__)
        test(program)
    sys.exit(1 if failures else 0)
