# SPDX-License-Identifier: MIT
"""The microsandbox SDK for Python (0.1.8, as published) against our server: everything that its documentation shows."""
import asyncio
import os
import unittest
from unittest import mock

import served
from microsandbox import CommandExecution, Execution, NodeSandbox, PythonSandbox

server = None


def setUpModule():
    global server
    server = served.for_module("--dev")


class Sdk(unittest.IsolatedAsyncioTestCase):
    def python(self, **options):
        return PythonSandbox.create(server_url=server.url, **options)

    def node(self, **options):
        return NodeSandbox.create(server_url=server.url, **options)

    async def fails(self, awaitable, *words):
        with self.assertRaises(RuntimeError) as caught:
            await awaitable
        for word in words:
            self.assertIn(word, str(caught.exception))
        return str(caught.exception)


class Runs(Sdk):
    async def test_print(self):
        async with self.python(name="hello") as sandbox:
            execution = await sandbox.run("print('Hello, World!')")
            self.assertIsInstance(execution, Execution)
            self.assertEqual(await execution.output(), "Hello, World!")
            self.assertEqual(await execution.error(), "")
            self.assertFalse(execution.has_error())
            self.assertEqual((execution.status, execution.language), ("success", "python"))

    async def test_state_stays(self):
        async with self.python() as sandbox:
            await sandbox.run("x = 42\nimport math\ndef area(r):\n    return math.pi * r ** 2")
            await sandbox.run("y = x * 2\n\nclass Counter:\n    n = 0\n\n    def up(self):\n        self.n += 1\n"
                              "        return self\ncounter = Counter().up()")
            execution = await sandbox.run("print(x, y, counter.up().n, round(area(1), 2))")
            self.assertEqual(await execution.output(), "42 84 2 3.14")

    async def test_values_are_echoed(self):
        async with self.python() as sandbox:
            for code, shown in (("1+1", "2"), ("'a'+'b'", "'ab'"), ("None", ""), ("z = 3", ""), ("", ""),
                                ("z", "3"), ("# nothing", "")):
                execution = await sandbox.run(code)
                self.assertEqual((code, await execution.output(), execution.has_error()), (code, shown, False))

    async def test_streams(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('out 2')")
            self.assertEqual(await execution.output(), "out\nout 2")
            self.assertEqual(await execution.error(), "err")
            self.assertTrue(execution.has_error())
            self.assertEqual(execution.status, "success")

    async def test_lines_as_printed(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("print('  indented')\nprint()\nprint('grün 日本 🦀')\nprint('end', end='')")
            self.assertEqual(await execution.output(), "  indented\n\ngrün 日本 🦀\nend")

    async def test_exceptions(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("print('before')\n1/0")
            self.assertEqual(await execution.output(), "before")
            error = await execution.error()
            self.assertTrue(error.startswith("Traceback (most recent call last):"), error)
            self.assertTrue(error.endswith("ZeroDivisionError: division by zero"), error)
            self.assertTrue(execution.has_error())
            execution = await sandbox.run("def broken(:\n  pass")
            self.assertIn("SyntaxError", await execution.error())
            self.assertEqual(await (await sandbox.run("print('goes on')")).output(), "goes on")

    async def test_exit_status(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("print('Hello'); import sys; sys.exit(1)")
            self.assertEqual((await execution.output(), execution.has_error()), ("Hello", True))

    async def test_what_made_the_reference_hang(self):
        async with self.python() as sandbox:
            for code in ("print((1, 2", "s = '''never ends", "input()", "exit()", "raise SystemExit(3)",
                         "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"):
                await asyncio.wait_for(sandbox.run(code), 20)
                execution = await asyncio.wait_for(sandbox.run("print('alive')"), 20)
                self.assertEqual((code, await execution.output()), (code, "alive"))

    async def test_blocks_as_people_write_them(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("def f(n):\n    a = n\n\n    return a + 1\nfor i in range(2):\n"
                                          "    print(f(i))\n\n    print('-')\nprint('done')")
            self.assertEqual((await execution.output(), await execution.error()), ("1\n-\n2\n-\ndone", ""))

    async def test_much_output(self):
        async with self.python() as sandbox:
            execution = await sandbox.run("for i in range(100000): print(i)")
            self.assertEqual((await execution.output()).split(), [str(i) for i in range(100000)])


class Node(Sdk):
    async def test_run(self):
        async with self.node(name="node") as sandbox:
            execution = await sandbox.run("const greet = (who) => {\n  return `Hello,\n${who}!`\n}\n\n"
                                          "console.log(greet('Node'))")
            self.assertEqual(await execution.output(), "Hello,\nNode!")
            self.assertEqual((execution.status, execution.language), ("success", "nodejs"))
            self.assertFalse(execution.has_error())

    async def test_state_stays(self):
        async with self.node() as sandbox:
            await sandbox.run("let total = 1; const list = [1, 2]; function twice(n) { return 2 * n }")
            await sandbox.run("total += twice(list.length)")
            self.assertEqual(await (await sandbox.run("console.log(total)")).output(), "5")
            self.assertEqual(await (await sandbox.run("total")).output(), "5")

    async def test_else_on_its_own_line(self):
        async with self.node() as sandbox:
            execution = await sandbox.run("if (1 > 2) {\n  console.log('no')\n}\nelse {\n  console.log('yes')\n}")
            self.assertEqual(await execution.output(), "yes")

    async def test_exceptions_are_on_stderr(self):
        async with self.node() as sandbox:
            execution = await sandbox.run("console.log('first'); throw new Error('boom')")
            self.assertEqual(await execution.output(), "first")
            self.assertIn("Error: boom", await execution.error())
            self.assertTrue(execution.has_error())
            execution = await sandbox.run("console.error('word')")
            self.assertEqual((await execution.output(), await execution.error()), ("", "word"))

    async def test_late_output_stays_with_its_run(self):
        async with self.node() as sandbox:
            execution = await sandbox.run("await new Promise(r => setTimeout(r, 50)); console.log('waited')")
            self.assertEqual(await execution.output(), "waited")
            await sandbox.run("setTimeout(() => console.log('late'), 30)")
            execution = await sandbox.run("await new Promise(r => setTimeout(r, 100)); console.log('mine')")
            self.assertEqual((await execution.output()).split()[-1], "mine")

    async def test_files_and_modules(self):
        async with self.node() as sandbox:
            execution = await sandbox.run("const fs = require('fs');\nfs.writeFileSync('n.txt', 'from node');\n"
                                          "console.log(fs.readFileSync('n.txt', 'utf8'));\n"
                                          "console.log(require('os').platform())")
            self.assertEqual(await execution.output(), "from node\nlinux")

    async def test_exit_does_not_hang(self):
        async with self.node() as sandbox:
            await asyncio.wait_for(sandbox.run("process.exit(1)"), 20)
            self.assertEqual(await (await sandbox.run("console.log(1)")).output(), "1")


class Commands(Sdk):
    async def test_run(self):
        async with self.python(name="commands") as sandbox:
            execution = await sandbox.command.run("echo", ["Hello from", "Microsandbox"])
            self.assertIsInstance(execution, CommandExecution)
            self.assertEqual(await execution.output(), "Hello from Microsandbox")
            self.assertEqual(await execution.error(), "")
            self.assertEqual((execution.exit_code, execution.success), (0, True))
            self.assertEqual((execution.command, execution.args), ("echo", ["Hello from", "Microsandbox"]))

    async def test_without_arguments_and_without_a_shell(self):
        async with self.python() as sandbox:
            execution = await sandbox.command.run("pwd")
            self.assertTrue((await execution.output()).startswith("/"))
            self.assertEqual(execution.args, [])
            self.assertEqual(await (await sandbox.command.run("echo", ["$HOME; ls *"])).output(), "$HOME; ls *")

    async def test_failure_is_a_result(self):
        async with self.python() as sandbox:
            execution = await sandbox.command.run("ls", ["/nonexistent"])
            self.assertFalse(execution.success)
            self.assertEqual(execution.exit_code, 2)
            self.assertIn("No such file", await execution.error())
            execution = await sandbox.command.run("sh", ["-c", "echo out; echo err >&2; exit 7"])
            self.assertEqual((await execution.output(), await execution.error(), execution.exit_code),
                             ("out", "err", 7))

    async def test_no_such_program(self):
        async with self.python() as sandbox:
            await self.fails(sandbox.command.run("no-such-program"), "Failed to execute command:", "no-such-program")

    async def test_timeout(self):
        async with self.python() as sandbox:
            await self.fails(sandbox.command.run("sleep", ["60"], timeout=1), "Failed to execute command:", "timed out")
            left = await sandbox.command.run("sh", ["-c", "cat /proc/[0-9]*/comm"])
            self.assertNotIn("sleep", (await left.output()).split())
            self.assertTrue((await sandbox.command.run("true", timeout=5)).success)

    async def test_reads_nothing(self):
        async with self.python() as sandbox:
            execution = await asyncio.wait_for(sandbox.command.run("cat"), 20)
            self.assertEqual((await execution.output(), execution.exit_code), ("", 0))

    async def test_files_are_shared_with_the_code(self):
        async with self.python() as sandbox:
            await sandbox.run("with open('shared.txt', 'w') as f:\n    f.write('one\\ntwo\\n')")
            self.assertEqual(await (await sandbox.command.run("cat", ["shared.txt"])).output(), "one\ntwo")
            self.assertEqual((await (await sandbox.command.run("wc", ["-l", "shared.txt"])).output()).split()[0], "2")
            await sandbox.command.run("sh", ["-c", "echo three >>shared.txt"])
            self.assertEqual(await (await sandbox.run("print(len(open('shared.txt').readlines()))")).output(), "3")

    async def test_programs_written_by_the_code(self):
        async with self.python() as sandbox:
            await sandbox.run("open('prog.py', 'w').write('import sys\\nprint(sys.argv[1:])\\n')")
            for name in ("python", "python3"):
                execution = await sandbox.command.run(name, ["prog.py", "a", "b c"])
                self.assertEqual(await execution.output(), "['a', 'b c']")
            execution = await sandbox.command.run("bash", ["-c", "python prog.py x"])
            self.assertEqual(await execution.output(), "['x']")

    async def test_side_by_side(self):
        """Commands do not wait for one another: each of these needs the other to end."""
        async with self.python() as sandbox:
            await sandbox.command.run("mkfifo", ["there", "back"])
            a, b = await asyncio.gather(
                sandbox.command.run("sh", ["-c", "echo ping >there; cat back"], timeout=20),
                sandbox.command.run("sh", ["-c", "cat there; echo pong >back"], timeout=20))
            self.assertEqual((await a.output(), await b.output()), ("pong", "ping"))


class Metrics(Sdk):
    async def test_each(self):
        async with self.python(name="measured") as sandbox:
            await sandbox.run("held = bytearray(64 << 20)\nopen('big', 'wb').write(bytes(1 << 20))")
            self.assertIsInstance(await sandbox.metrics.cpu(), (int, float))
            memory = await sandbox.metrics.memory()
            self.assertIsInstance(memory, int)
            for _ in range(50):  # where only the agent can measure, this may be a second old
                if memory >= 64:
                    break
                await asyncio.sleep(0.1)
                memory = await sandbox.metrics.memory()
            self.assertTrue(64 <= memory < 512, memory)
            disk = await sandbox.metrics.disk()
            if os.environ.get("SERVED_BACKEND"):  # files lie where the engine keeps them: it is not known
                self.assertIsNone(disk)
            else:
                self.assertIsInstance(disk, int)
                self.assertGreaterEqual(disk, 1 << 20)
            self.assertIs(await sandbox.metrics.is_running(), True)

    async def test_all(self):
        async with self.python(name="all-metrics") as sandbox:
            row = await sandbox.metrics.all()
            self.assertEqual(set(row), {"name", "namespace", "running", "cpu_usage", "memory_usage", "disk_usage"})
            self.assertEqual((row["name"], row["namespace"], row["running"]), ("all-metrics", "default", True))

    async def test_cpu_is_measured(self):
        async with self.python() as sandbox:
            await sandbox.metrics.cpu()
            run = asyncio.create_task(sandbox.run("import time\nend = time.time() + 3\nwhile time.time() < end: pass"))
            highest = 0.0
            while not run.done():
                highest = max(highest, await sandbox.metrics.cpu() or 0.0)
                await asyncio.sleep(0.2)
            await run
            self.assertGreater(highest, 10)


class Lifecycle(Sdk):
    async def test_name_when_none_is_given(self):
        async with self.python() as sandbox:
            self.assertRegex(sandbox._name, r"^sandbox-[0-9a-f]{8}$")
            self.assertEqual((await sandbox.metrics.all())["name"], sandbox._name)

    async def test_by_hand(self):
        import aiohttp
        sandbox = PythonSandbox(server_url=server.url, name="by-hand")
        sandbox._session = aiohttp.ClientSession()
        try:
            await sandbox.start(memory=1024, cpus=1.6, timeout=60)
            await sandbox.start()
            self.assertEqual(await (await sandbox.run("print(6 * 7)")).output(), "42")
            await sandbox.stop()
            await sandbox.stop()
            await self.fails(sandbox.run("1"), "Sandbox is not started. Call start() first.")
            await sandbox.start()
            self.assertEqual(await (await sandbox.run("print('again')")).output(), "again")
        finally:
            await sandbox.stop()
            await sandbox._session.close()

    async def test_files_stay_and_variables_go(self):
        async with self.python(name="comes-back") as sandbox:
            await sandbox.run("import tempfile\nx = 1\nopen(tempfile.gettempdir() + '/kept', 'w').write('t')\nopen('kept', 'w').write('w')")
        async with self.python(name="comes-back") as sandbox:
            execution = await sandbox.run("import tempfile\nprint(open(tempfile.gettempdir() + '/kept').read() + open('kept').read())\nprint('x' in globals())")
            self.assertEqual(await execution.output(), "tw\nFalse")

    async def test_two_clients_of_one_sandbox(self):
        async with self.python(name="both") as one:
            await one.run("who = 'one'")
            two = PythonSandbox(server_url=server.url, name="both")
            two._session = one._session
            await two.start()
            self.assertEqual(await (await two.run("print(who)")).output(), "one")
            self.assertEqual(await (await one.run("print(who)")).output(), "one")

    async def test_memory_limit(self):
        import aiohttp
        sandbox = PythonSandbox(server_url=server.url, name="small")
        async with aiohttp.ClientSession() as sandbox._session:
            await sandbox.start(memory=64)
            await sandbox.run("x = bytearray(200 << 20)")
            self.assertEqual(await (await sandbox.run("print('x' in globals())")).output(), "False")
            await sandbox.stop()

    async def test_namespaces_are_apart(self):
        async with self.python(name="same", namespace="team-a") as a, self.python(name="same", namespace="team_B") as b:
            await a.run("x = 'a'; open('x', 'w').write('a')")
            await b.run("x = 'b'")
            self.assertEqual(await (await a.run("print(x)")).output(), "a")
            self.assertEqual(await (await b.run("import os; print(os.path.exists('x'))")).output(), "False")
            self.assertEqual((await b.metrics.all())["namespace"], "team_B")

    async def test_a_timeout_of_the_client(self):
        """What asyncio.wait_for does: the connection goes away. Neither the next run nor the stop waits for it."""
        async with self.python() as sandbox:
            await sandbox.run("x = 'still here'")
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(sandbox.run("while True: pass"), 1)
            execution = await asyncio.wait_for(sandbox.run("print(x)"), 100)
            self.assertEqual(await execution.output(), "still here")
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(sandbox.run("import time; time.sleep(600)"), 1)
            await asyncio.wait_for(sandbox.stop(), 100)


class Errors(Sdk):
    async def test_not_started(self):
        sandbox = PythonSandbox(server_url=server.url)
        for awaitable in (sandbox.run("1"), sandbox.command.run("ls"), sandbox.metrics.all(), sandbox.metrics.cpu(),
                          sandbox.metrics.memory(), sandbox.metrics.disk(), sandbox.metrics.is_running()):
            await self.fails(awaitable, "Sandbox is not started. Call start() first.")

    async def test_stopped_by_somebody_else(self):
        async with self.python(name="taken-away") as sandbox:
            server.result("sandbox.stop", sandbox="taken-away", namespace="default")
            text = await self.fails(sandbox.run("1"), "Failed to execute code:", "5002", "taken-away")
            self.assertNotIn("Internal server error\"", text)
            await self.fails(sandbox.command.run("ls"), "Failed to execute command:", "taken-away")
            self.assertIs(await sandbox.metrics.is_running(), False)
            self.assertIs(await sandbox.metrics.cpu(), None)
            self.assertIs(await sandbox.metrics.memory(), None)

    async def test_unknown_name(self):
        import aiohttp
        sandbox = PythonSandbox(server_url=server.url, name="never-started")
        async with aiohttp.ClientSession() as sandbox._session:
            sandbox._is_started = True
            await self.fails(sandbox.run("1"), "Failed to execute code:", "never-started")
            await self.fails(sandbox.metrics.all(), "Failed to get sandbox metrics:", "never-started")
            await self.fails(sandbox.stop(), "Failed to stop sandbox:", "never-started")

    async def test_bad_names(self):
        for name in ("a b", "-a", "a" * 64, "ä", "a/b", "..", "a.b", "a\nb", "*"):
            with self.assertRaises(RuntimeError, msg=name) as caught:
                async with self.python(name=name):
                    pass
            self.assertIn("Failed to start sandbox:", str(caught.exception))
            self.assertIn("2001", str(caught.exception))
        async with self.python(name="A_b-9" + "z" * 58):
            pass

    async def test_no_such_image(self):
        import aiohttp
        sandbox = PythonSandbox(server_url=server.url)
        async with aiohttp.ClientSession() as sandbox._session:
            await self.fails(sandbox.start(image="nobody/nothing"), "Failed to start sandbox:", "nobody/nothing")

    async def test_no_server(self):
        with self.assertRaises(RuntimeError) as caught:
            async with PythonSandbox.create(server_url="http://127.0.0.1:1"):
                pass
        self.assertIn("Failed to communicate with Microsandbox server:", str(caught.exception))

    async def test_wrong_language_in_an_image(self):
        async with self.node(name="only-node") as sandbox:
            other = PythonSandbox(server_url=server.url, name="only-node")
            other._session, other._is_started = sandbox._session, True
            await self.fails(other.run("1"), "Failed to execute code:", "python")


class Settings(Sdk):
    async def test_url_from_the_environment(self):
        with mock.patch.dict(os.environ, MSB_SERVER_URL=server.url):
            async with PythonSandbox.create() as sandbox:
                self.assertEqual(await (await sandbox.run("print(1)")).output(), "1")

    async def test_trailing_slash(self):
        """The SDK then asks for //api/v1/rpc."""
        with self.assertRaises(RuntimeError) as caught:
            async with PythonSandbox.create(server_url=server.url + "/"):
                pass
        self.assertIn("Failed to start sandbox:", str(caught.exception))


class Keys(Sdk):
    @classmethod
    def setUpClass(cls):
        cls.keyed, cls.place = served.keyed_for_module()

    async def use(self, key, namespace="default"):
        async with PythonSandbox.create(server_url=self.keyed.url, api_key=key, namespace=namespace) as sandbox:
            return await (await sandbox.run("print('in')")).output()

    async def test_good(self):
        self.assertEqual(await self.use(self.place.key()), "in")
        with mock.patch.dict(os.environ, MSB_API_KEY=self.place.key()):
            self.assertEqual(await self.use(None), "in")

    async def test_none_and_bad(self):
        await self.fails(self.use(None), "Failed to start sandbox:", "1001")
        await self.fails(self.use("msb_nonsense"), "Failed to start sandbox:", "1004")
        await self.fails(self.use("nonsense"), "Failed to start sandbox:", "1001")
        text = await self.fails(self.use(self.place.key()[:-4] + "AAAA"), "1004")
        self.assertNotIn("msb_", text)

    async def test_limited_to_a_namespace(self):
        key = self.place.key("--namespace", "team")
        self.assertEqual(await self.use(key, "team"), "in")
        await self.fails(self.use(key, "other"), "Failed to start sandbox:", "3001")


class Together(Sdk):
    async def test_twenty(self):
        async def one(n):
            async with self.python(name=f"crowd-{n}") as sandbox:
                await sandbox.run(f"n = {n}")
                squares = await sandbox.run("print(n * n)")
                command = await sandbox.command.run("echo", [str(n)])
                assert await sandbox.metrics.is_running()
                return int(await squares.output()), int(await command.output())

        results = await asyncio.wait_for(asyncio.gather(*(one(n) for n in range(20))), 120)
        self.assertEqual(results, [(n * n, n) for n in range(20)])

    async def test_runs_of_one_sandbox_wait_for_each_other(self):
        async with self.python() as sandbox:
            await sandbox.run("import time\nlog = []")
            await asyncio.gather(*(sandbox.run(f"log.append({n}); time.sleep(0.02); log.append({n})")
                                   for n in range(10)))
            execution = await sandbox.run("print(all(log[i] == log[i + 1] for i in range(0, 20, 2)), len(log))")
            self.assertEqual(await execution.output(), "True 20")

    async def test_both_languages_at_once(self):
        async with self.python() as python, self.node() as node:
            a, b = await asyncio.gather(python.run("print('py')"), node.run("console.log('js')"))
            self.assertEqual((await a.output(), await b.output()), ("py", "js"))


class Examples(Sdk):
    """What the SDK's example programs do, one after the other."""

    async def test_text_and_data(self):
        async with self.python() as sandbox:
            await sandbox.run("import json\ndata = {'name': 'Ada', 'tags': ['x', 'y']}\ntext = json.dumps(data, indent=2)")
            self.assertEqual(await (await sandbox.run("print(text)")).output(),
                             '{\n  "name": "Ada",\n  "tags": [\n    "x",\n    "y"\n  ]\n}')
            execution = await sandbox.run("words = 'the cat the dog the end'.split()\ncounts = {}\n"
                                          "for w in words:\n    counts[w] = counts.get(w, 0) + 1\n"
                                          "for w in sorted(counts):\n    print(f'{w}: {counts[w]}')")
            self.assertEqual(await execution.output(), "cat: 1\ndog: 1\nend: 1\nthe: 3")

    async def test_a_loop_of_requests(self):
        async with self.python(name="repl-example") as sandbox:
            for n in range(25):
                execution = await sandbox.run(f"total = {n} + (total if {n} else 0)\nprint(total)")
            self.assertEqual(await execution.output(), "300")

    async def test_directory_listing(self):
        async with self.python() as sandbox:
            await sandbox.command.run("mkdir", ["-p", "made/inner"])
            await sandbox.command.run("touch", ["made/a", "made/inner/b"])
            execution = await sandbox.command.run("ls", ["-la", "made"])
            names = [line.split()[-1] for line in (await execution.output()).splitlines()[1:]]
            self.assertEqual(names, [".", "..", "a", "inner"])

    async def test_watching_metrics(self):
        async with self.python() as sandbox:
            for _ in range(5):
                row = await sandbox.metrics.all()
                self.assertTrue(row["running"])
                await sandbox.run("sum(i * i for i in range(200000))")


if __name__ == "__main__":
    served.main()
