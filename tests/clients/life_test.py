# SPDX-License-Identifier: MIT
"""The life of a server: how it ends, what is left of it, what comes back with the next one, and what others on the same
machine see of its sandboxes."""
import json
import os
import signal
import socket
import threading
import time
import unittest

import served


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Life(unittest.TestCase):
    def setUp(self):
        self.place = served.Place()
        self.addCleanup(self.place.remove)

    def server(self, *words):
        server = served.Server("--dev", *words, place=self.place)
        self.addCleanup(lambda: server.process.stdout.closed or server.end())
        return server

    def sandboxes(self):
        """Names that `terrarium ps` tells."""
        told = self.place.terrarium("ps", "--json")
        self.assertEqual(told.returncode, 0, told)
        return sorted(row["name"] for row in json.loads(told.stdout))

    def nothing_is_left(self, pids):
        served.wait_until(lambda: not any(map(is_alive, pids)), "all processes are gone")
        self.assertEqual(self.sandboxes(), [])
        left = [name for _, dirs, files in os.walk(self.place.env["XDG_RUNTIME_DIR"]) for name in dirs + files
                if name.startswith(("default", "team"))]
        self.assertEqual(left, [])


class Ends(Life):
    def test_with_sandboxes(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            server = self.server()
            for n in range(5):
                server.start(f"s{n}", "microsandbox/node" if n == 4 else "microsandbox/python")
                server.run(f"s{n}", "1", "javascript" if n == 4 else "python")
            pids = server.children()
            self.assertGreater(len(pids), 5)
            began = time.monotonic()
            self.assertEqual(server.end(how), 0, server.said)
            self.assertLess(time.monotonic() - began, 50)
            self.nothing_is_left(pids)

    def test_while_code_runs(self):
        """Who waits is told."""
        server = self.server()
        server.start("busy")
        replies = []
        waiting = threading.Thread(target=lambda: replies.append(server.rpc(
            "sandbox.repl.run", sandbox="busy", namespace="default", language="python",
            code="open('begun', 'w').close()\nwhile True: pass")))
        waiting.start()
        served.wait_until(lambda: server.result("sandbox.command.run", sandbox="busy", namespace="default",
                                                command="test", args=["-e", "begun"])["success"], "it runs")
        pids = server.children()
        self.assertEqual(server.end(), 0, server.said)
        waiting.join(10)
        self.assertEqual(len(replies), 1)
        self.nothing_is_left(pids)

    def test_killed(self):
        server = self.server()
        for n in range(3):
            server.start(f"s{n}")
            server.run(f"s{n}", "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])")
        pids = server.children()
        self.assertGreater(len(pids), 6)
        server.end(signal.SIGKILL)
        served.wait_until(lambda: not any(map(is_alive, pids)), "all processes are gone")
        again = self.server()
        again.start("s0")
        self.assertEqual(again.run("s0", "print('back')"), [["back"], []])
        pids = again.children()
        again.end()
        self.nothing_is_left(pids)

    def test_the_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            refused = self.place.terrarium("serve", "--dev", "--port", port)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(port, refused.stderr)
        self.assertEqual(len(refused.stderr.splitlines()), 1, refused.stderr)

    def test_two_servers_of_one_user(self):
        one = self.server()
        two = self.server("--namespace-dir", os.path.join(self.place.dir, "other"))
        for server, word in ((one, "one"), (two, "two")):
            server.start("same")
            server.run("same", f"x = '{word}'")
        self.assertEqual((one.run("same", "print(x)"), two.run("same", "print(x)")), ([["one"], []], [["two"], []]))
        one.end()
        self.assertEqual(two.run("same", "print(x)"), [["two"], []])


class Next(Life):
    def test_files_come_back(self):
        server = self.server()
        server.start("kept", memory=128, envs=["WHO=me"])
        server.run("kept", "import os, tempfile; open(tempfile.gettempdir() + '/a', 'w').write('a'); os.makedirs('d/e'); open('d/e/f', 'wb').write(bytes(100000))")
        server.end()
        server = self.server()
        row, = server.result("sandbox.metrics.get", sandbox="kept", namespace="default")["sandboxes"]
        self.assertFalse(row["running"])
        self.assertIn("started", server.result("sandbox.start", sandbox="kept", namespace="default"))
        self.assertEqual(server.run("kept", "import os, tempfile; print(open(tempfile.gettempdir() + '/a').read(), os.path.getsize('d/e/f'), os.environ['WHO'])"),
                         [["a 100000 me"], []])

    def test_modes_and_links_come_back(self):
        server = self.server()
        server.start("modes")
        server.run("modes", "import os\nopen('prog', 'w').write('#!/bin/sh\\necho ran\\n'); os.chmod('prog', 0o750)\n"
                            "os.symlink('prog', 'link'); os.mkdir('empty'); os.chmod('empty', 0o700); open('ä b\\n', 'w').close()")
        server.result("sandbox.stop", sandbox="modes", namespace="default")
        server.result("sandbox.start", sandbox="modes", namespace="default")
        self.assertEqual(server.run("modes", "import os\nprint(oct(os.stat('prog').st_mode), os.readlink('link'), os.path.isdir('empty'), "
                                    "os.path.exists('ä b\\n'))"), [["0o100750 prog True True"], []])
        done = server.result("sandbox.command.run", sandbox="modes", namespace="default", command="./link")
        self.assertEqual(done["output"], [{"stream": "stdout", "text": "ran"}])

    def test_a_full_sandbox_stops_all_the_same(self):
        server = self.server()
        server.start("many")
        server.run("many", "import os\nos.mkdir('many')\nfor i in range(5000): open(f'many/{i}', 'w').write(str(i))")
        server.result("sandbox.stop", sandbox="many", namespace="default")
        server.result("sandbox.start", sandbox="many", namespace="default")
        self.assertEqual(server.run("many", "import os; print(len(os.listdir('many')), open('many/4999').read())"),
                         [["5000 4999"], []])


class Limits(Life):
    def test_idle(self):
        server = self.server("--idle-timeout", "5")
        server.start("lazy")
        server.run("lazy", "x = 1; open('f', 'w').write('f')")

        def running():
            row, = server.result("sandbox.metrics.get", sandbox="lazy", namespace="default")["sandboxes"]
            return row["running"]

        served.wait_until(lambda: not running(), "it is stopped")
        status, reply = server.rpc("sandbox.repl.run", sandbox="lazy", namespace="default", code="1", language="python")
        self.assertEqual((status, reply["code"]), (500, 5002))
        self.assertIn("idle", reply["error"])
        server.start("lazy")
        self.assertEqual(server.run("lazy", "print(open('f').read())"), [["f"], []])

    def test_a_run_is_not_idle(self):
        server = self.server("--idle-timeout", "4")
        server.start("busy")
        self.assertEqual(server.run("busy", "import time; time.sleep(8); print('done')"), [["done"], []])

    def test_how_many(self):
        server = self.server("--max-sandboxes", "2")
        server.start("a")
        server.start("b")
        status, reply = server.rpc("sandbox.start", sandbox="c", namespace="default", config={"image": "microsandbox/python"})
        self.assertEqual((status, reply["code"]), (500, 5002))
        self.assertIn("2", reply["error"])
        server.start("a")
        server.result("sandbox.stop", sandbox="a", namespace="default")
        server.start("c")
        self.assertEqual(server.run("c", "print(3)"), [["3"], []])


class Seen(Life):
    def test_by_ps(self):
        server = self.server()
        server.start("one")
        server.result("sandbox.start", sandbox="one", namespace="team", config={"image": "microsandbox/python"})
        self.assertEqual(self.sandboxes(), ["default.one", "team.one"])

    def test_attached(self):
        """What is run from a shell is run in the same interpreter, and the other way round."""
        server = self.server()
        server.start("shared")
        server.run("shared", "x = 'of the server'")
        told = self.place.terrarium("run", "--yes", "--name", "default.shared", "-c", "print(x); y = 'of the shell'")
        self.assertEqual((told.returncode, told.stdout), (0, "of the server\n"), told.stderr)
        self.assertEqual(server.run("shared", "print(y)"), [["of the shell"], []])
        told = self.place.terrarium("exec", "default.shared", "--", "echo", "inside")
        self.assertEqual(told.stdout, "inside\n", told.stderr)

    def test_stopped_from_outside(self):
        server = self.server()
        server.start("mortal")
        self.assertEqual(self.place.terrarium("stop", "--yes", "default.mortal").returncode, 0)
        status, reply = server.rpc("sandbox.repl.run", sandbox="mortal", namespace="default", code="1", language="python")
        self.assertEqual((status, reply["code"]), (500, 5002), reply)
        server.start("mortal")
        self.assertEqual(server.run("mortal", "print('again')"), [["again"], []])


if __name__ == "__main__":
    served.main()
