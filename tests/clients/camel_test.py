# SPDX-License-Identifier: MIT
"""CAMEL's MicrosandboxInterpreter and CodeExecutionToolkit (camel-ai, as published) against our server: the behaviors of
their own tests, which want a live server, of their example, and of their documentation."""
import asyncio
import os
import unittest
from unittest import mock

import served
from camel.interpreters import InterpreterError, MicrosandboxInterpreter
from camel.toolkits import CodeExecutionToolkit

server = None
TYPES = ["python", "py3", "python3", "py", "javascript", "js", "node", "typescript", "ts", "bash", "shell", "sh"]


def setUpModule():
    global server
    server = served.for_module("--dev")


def interpreter(**options):
    return MicrosandboxInterpreter(**{"require_confirm": False, "server_url": server.url,
                                      "namespace": "test-interpreter", "timeout": 30, **options})


class Interpreter(unittest.TestCase):
    def test_init(self):
        made = MicrosandboxInterpreter(require_confirm=False, server_url=server.url, namespace="n", timeout=9)
        self.assertEqual((made.require_confirm, made.server_url, made.namespace, made.timeout),
                         (False, server.url, "n", 9))

    def test_types(self):
        self.assertEqual(interpreter().supported_code_types(), TYPES)
        with self.assertRaisesRegex(InterpreterError, "Unsupported code type"):
            interpreter().run("test", "unsupported_language")

    def test_every_type(self):
        code = {"python": "print('said')", "node": "console.log('said')", "sh": "echo said"}
        code = {name: code["python" if name.startswith("py") else "sh" if name in ("bash", "shell", "sh") else "node"]
                for name in TYPES}
        for name in TYPES:
            self.assertEqual((name, interpreter().run(code[name], name)), (name, "said"))

    def test_python(self):
        self.assertEqual(interpreter().run(
            "def calculate(a, b):\n    return {\n        'sum': a + b,\n        'difference': a - b,\n"
            "        'product': a * b\n    }\n\nresult = calculate(10, 3)\nfor key, value in result.items():\n"
            "    print(f'{key}: {value}')\n", "python"), "sum: 13\ndifference: 7\nproduct: 30")

    def test_javascript(self):
        self.assertEqual(interpreter().run(
            "const average = (numbers) => {\n    const sum = numbers.reduce((a, b) => a + b, 0);\n"
            "    return sum / numbers.length;\n};\n\nconst numbers = [1, 2, 3, 4, 5];\n"
            "console.log(`Numbers: ${numbers}`);\nconsole.log(`Average: ${average(numbers)}`);\n", "javascript"),
            "Numbers: 1,2,3,4,5\nAverage: 3")

    def test_shell(self):
        self.assertEqual(interpreter().run("for i in 1 2; do\n  echo \"n $i\"\ndone\nfalse || echo 'no'", "bash"),
                         "n 1\nn 2\nno")

    def test_nothing_printed(self):
        self.assertEqual(interpreter().run("x = 1"), "Code executed successfully (no output)")
        self.assertEqual(interpreter().run("let x = 1", "js"), "Code executed successfully (no output)")
        self.assertEqual(interpreter().run("true", "bash"), "Command executed successfully (no output)")

    def test_failures_are_results(self):
        text = interpreter().run("print('first')\n1/0")
        self.assertTrue(text.startswith("first\nSTDERR: Traceback (most recent call last):"), text)
        self.assertTrue(text.endswith("ZeroDivisionError: division by zero"), text)
        text = interpreter().run("throw new TypeError('wrong')", "node")
        self.assertIn("TypeError: wrong", text)
        self.assertEqual(interpreter().run("echo out; echo err >&2; exit 3", "sh"), "out\nSTDERR: err\nExit code: 3")
        self.assertEqual(interpreter().run("exit 4", "sh"), "Exit code: 4")

    def test_commands(self):
        self.assertEqual(interpreter().execute_command("echo one && echo two"), "one\ntwo")
        self.assertIn("Exit code: 127", interpreter().execute_command("no-such-command"))

    def test_files_across_separate_calls(self):
        kept = interpreter(sandbox_name="file-operations")
        self.assertIn("no output", kept.execute_command("mkdir -p demo"))
        self.assertIn("no output", kept.run("echo 'Hello from the sandbox' > demo/hello.txt", "bash"))
        listing = kept.execute_command("ls -la demo").splitlines()
        self.assertEqual([line.split()[-1] for line in listing[1:]], [".", "..", "hello.txt"])
        self.assertEqual(kept.run("cat demo/hello.txt", "sh"), "Hello from the sandbox")
        self.assertEqual(kept.run("print(open('demo/hello.txt').read())"), "Hello from the sandbox")
        self.assertEqual(kept.run("console.log(require('fs').readFileSync('demo/hello.txt', 'utf8'))", "js"),
                         "Hello from the sandbox")
        self.assertIn("No such file", interpreter().execute_command("cat demo/hello.txt"))

    def test_no_variables_across_separate_calls(self):
        kept = interpreter(sandbox_name="variables")
        kept.run("x = 1")
        self.assertIn("NameError", kept.run("print(x)"))

    def test_imports(self):
        text = interpreter().run(
            "for name in ('requests', 'urllib3', 'certifi', 'json'):\n    try:\n        module = __import__(name)\n"
            "        print(f'+ {name}')\n    except ImportError as e:\n        print(f'- {name}: {e}')\n")
        self.assertRegex(text, r"\A[+-] requests.*\n[+-] urllib3.*\n[+-] certifi.*\n\+ json\Z")

    def test_timeout(self):
        with self.assertRaisesRegex(InterpreterError, "Error executing code in microsandbox: $"):
            interpreter(timeout=1, sandbox_name="slow").run("while True: pass")
        self.assertEqual(interpreter(sandbox_name="slow").run("print('free')"), "free")

    def test_no_server(self):
        with self.assertRaisesRegex(InterpreterError, "Error executing code in microsandbox: Failed to communicate"):
            interpreter(server_url="http://127.0.0.1:1").run("1")
        with self.assertRaisesRegex(InterpreterError, "Error executing command in microsandbox: Failed to comm"):
            interpreter(server_url="http://127.0.0.1:1").execute_command("ls")

    def test_bad_name(self):
        with self.assertRaisesRegex(InterpreterError, "Failed to start sandbox: .*2001"):
            interpreter(sandbox_name="a b").run("1")

    def test_confirmation(self):
        asking = interpreter(require_confirm=True)
        with mock.patch("builtins.input", side_effect=["", "what", "YES"]) as asked:
            self.assertEqual(asking.run("print(1)"), "1")
        self.assertEqual(asked.call_count, 3)
        with mock.patch("builtins.input", side_effect=["n"]):
            with self.assertRaisesRegex(InterpreterError, "Execution halted"):
                asking.run("print(1)")

    def test_url_from_the_environment(self):
        with mock.patch.dict(os.environ, MSB_SERVER_URL=server.url):
            self.assertEqual(interpreter(server_url=None).run("print('found')"), "found")

    def test_several_at_once(self):
        async def all_of_them():
            return await asyncio.gather(*(asyncio.to_thread(interpreter().run, f"print({n} * {n})") for n in range(8)))

        self.assertEqual(asyncio.run(all_of_them()), [str(n * n) for n in range(8)])


class Toolkit(unittest.TestCase):
    """The live cases of CAMEL's test of the toolkit."""

    @classmethod
    def setUpClass(cls):
        cls.toolkit = CodeExecutionToolkit(sandbox="microsandbox", verbose=False, microsandbox_config={
            "server_url": server.url, "namespace": "test-code-execution", "timeout": 30})

    def test_python(self):
        code = "x = 10 + 5\nprint(f\"Result: {x}\")"
        self.assertEqual(self.toolkit.execute_code(code, code_type="python"),
                         f"Executed the code below:\n```python\n{code}\n```\n> Executed Results:\nResult: 15")

    def test_javascript(self):
        code = "console.log('Hello from JavaScript');"
        self.assertEqual(self.toolkit.execute_code(code, code_type="javascript"),
                         f"Executed the code below:\n```javascript\n{code}\n```\n"
                         "> Executed Results:\nHello from JavaScript")

    def test_command(self):
        self.assertEqual(self.toolkit.execute_command("echo test"),
                         "Executed the command below:\n```sh\necho test\n```\n> Executed Results:\ntest")

    def test_exception(self):
        result = self.toolkit.execute_code("x = 1 / 0", code_type="python")
        self.assertTrue(result.startswith("Executed the code below:\n"))
        self.assertIn("ZeroDivisionError", result)

    def test_tools(self):
        code, command = self.toolkit.get_tools()
        self.assertIn("42", code.func("print(6 * 7)"))
        self.assertIn("tool", command.func("echo tool"))


if __name__ == "__main__":
    served.main()
