# SPDX-License-Identifier: MIT
"""The MCP client of the `mcp` package against /mcp of our server. It runs with two generations of it: the names of the
first (inputSchema) became Python's in the second (input_schema)."""
import contextlib
import json
import unittest

import served
from mcp import ClientSession
from mcp.client import streamable_http
from mcp.client.stdio import StdioServerParameters, stdio_client

try:
    from mcp.shared.exceptions import MCPError
except ImportError:
    from mcp.shared.exceptions import McpError as MCPError

try:
    from mcp import Client
except ImportError:
    Client = None

server = None
TOOLS = {"sandbox_start": {"sandbox"}, "sandbox_stop": {"sandbox"}, "sandbox_run_code": {"sandbox", "code", "language"},
         "sandbox_run_command": {"sandbox", "command"}, "sandbox_get_metrics": set()}


def setUpModule():
    global server
    server = served.for_module("--dev")


def attribute(thing, name):
    """thing.inputSchema, or thing.input_schema."""
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)
    return getattr(thing, snake) if hasattr(thing, snake) else getattr(thing, name)


class Mcp(unittest.IsolatedAsyncioTestCase):
    @contextlib.asynccontextmanager
    async def session(self, url=None):
        async with streamable_http.streamable_http_client((url or server.url) + "/mcp") as (read, write, *_):
            async with ClientSession(read, write) as session:
                self.hello = await session.initialize()
                yield session

    async def call(self, session, tool, **arguments):
        """(is_error, text)"""
        result = await session.call_tool(tool, arguments)
        self.assertEqual(len(result.content), 1)
        self.assertEqual(result.content[0].type, "text")
        return bool(attribute(result, "isError")), result.content[0].text

    async def good(self, session, tool, **arguments):
        is_error, text = await self.call(session, tool, **arguments)
        self.assertFalse(is_error, text)
        return text

    async def fails(self, session, tool, *words, **arguments):
        """Told as the result of the tool, or as an error of the protocol: with the reason either way."""
        try:
            is_error, text = await self.call(session, tool, **arguments)
            self.assertTrue(is_error, text)
        except MCPError as e:
            text = str(e)
        for word in words:
            self.assertIn(word, text)

    async def test_initialize(self):
        async with self.session():
            self.assertEqual(attribute(self.hello, "serverInfo").name, "microsandbox-server")
            self.assertTrue(attribute(self.hello, "serverInfo").version)
            self.assertIn(attribute(self.hello, "protocolVersion"), ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"))
            self.assertIsNotNone(self.hello.capabilities.tools)
            self.assertIsNotNone(self.hello.capabilities.prompts)

    async def test_ping(self):
        async with self.session() as session:
            await session.send_ping()

    async def test_list(self):
        async with self.session() as session:
            tools = (await session.list_tools()).tools
            self.assertEqual({tool.name for tool in tools}, set(TOOLS))
            for tool in tools:
                schema = attribute(tool, "inputSchema")
                self.assertTrue(tool.description)
                self.assertEqual(schema["type"], "object")
                self.assertLessEqual(TOOLS[tool.name], set(schema.get("required", [])) | {"namespace"})
                self.assertLessEqual(set(schema.get("required", [])), set(schema["properties"]))
            prompts = (await session.list_prompts()).prompts
            self.assertEqual({prompt.name for prompt in prompts}, {"create_python_sandbox", "create_node_sandbox"})

    async def test_prompts(self):
        async with self.session() as session:
            for name, default in (("create_python_sandbox", "python-sandbox"), ("create_node_sandbox", "node-sandbox")):
                said = await session.get_prompt(name)
                self.assertIn(default, said.messages[0].content.text)
                said = await session.get_prompt(name, {"sandbox_name": "my-own"})
                self.assertIn("my-own", said.messages[0].content.text)
            with self.assertRaises(MCPError):
                await session.get_prompt("no_such_prompt")

    async def test_every_tool(self):
        where = {"sandbox": "by-mcp", "namespace": "default"}
        async with self.session() as session:
            text = await self.good(session, "sandbox_start", **where,
                                   config={"image": "microsandbox/python", "memory": 512, "cpus": 1})
            self.assertIn("Sandbox by-mcp started successfully", text)
            result = json.loads(await self.good(session, "sandbox_run_code", **where, code="x = 6\nprint(x * 7)",
                                                language="python"))
            self.assertEqual(result, {"status": "success", "language": "python",
                                      "output": [{"stream": "stdout", "text": "42"}]})
            result = json.loads(await self.good(session, "sandbox_run_code", **where, code="x", language="python"))
            self.assertEqual(result["output"][0]["text"], "6")
            result = json.loads(await self.good(session, "sandbox_run_command", **where, command="echo",
                                                args=["a", "b c"]))
            self.assertEqual((result["exit_code"], result["success"], result["output"]),
                             (0, True, [{"stream": "stdout", "text": "a b c"}]))
            rows = json.loads(await self.good(session, "sandbox_get_metrics", **where))["sandboxes"]
            self.assertEqual([(row["name"], row["running"]) for row in rows], [("by-mcp", True)])
            self.assertIn("stopped successfully", await self.good(session, "sandbox_stop", **where))
            rows = json.loads(await self.good(session, "sandbox_get_metrics", **where))["sandboxes"]
            self.assertEqual((rows[0]["running"], rows[0]["cpu_usage"]), (False, None))

    async def test_without_namespace(self):
        async with self.session() as session:
            await self.good(session, "sandbox_start", sandbox="plain", config={"image": "microsandbox/python"})
            text = await self.good(session, "sandbox_run_code", sandbox="plain", code="1/0", language="python")
            self.assertIn("ZeroDivisionError", text)
            await self.good(session, "sandbox_stop", sandbox="plain")

    @unittest.skipUnless(Client, "this generation does not take back what it no longer waits for")
    async def test_canceled(self):
        async with self.session() as session:
            await self.good(session, "sandbox_start", sandbox="slow", config={"image": "microsandbox/python"})
            with self.assertRaises(MCPError):
                await session.call_tool("sandbox_run_code", {"sandbox": "slow", "language": "python",
                                                             "code": "import time\nx = 6\ntime.sleep(3600)"},
                                        read_timeout_seconds=1.0)
            # The same interpreter, which is free again.
            text = await self.good(session, "sandbox_run_code", sandbox="slow", code="x * 7", language="python")
            self.assertIn("42", text)
            await self.good(session, "sandbox_stop", sandbox="slow")

    async def test_failures(self):
        async with self.session() as session:
            where = {"namespace": "default"}
            await self.fails(session, "sandbox_start", sandbox="a b", config={"image": "microsandbox/python"}, **where)
            await self.fails(session, "sandbox_start", "nobody/nothing", sandbox="x", config={"image": "nobody/nothing"},
                             **where)
            await self.fails(session, "sandbox_start", sandbox="no-config", **where)
            await self.fails(session, "sandbox_stop", "never", sandbox="never", **where)
            await self.fails(session, "sandbox_run_code", "never", sandbox="never", code="1", language="python", **where)
            await self.fails(session, "sandbox_run_command", "never", sandbox="never", command="ls", **where)
            await self.fails(session, "sandbox_get_metrics", "never", sandbox="never", **where)
            await self.fails(session, "no_such_tool", "no_such_tool")
            # The server has survived what made the reference panic.
            for bad in ({}, {"sandbox": 5}, {"sandbox": None}, {"sandbox": ["x"]}, {"sandbox": "x", "config": "y"},
                        {"sandbox": "x", "config": {"image": "microsandbox/python", "cpus": 1.5}}):
                await self.fails(session, "sandbox_start", **bad)
            for bad in ({}, {"sandbox": 5, "code": "1", "language": "python"}, {"sandbox": "x", "code": 1}):
                await self.fails(session, "sandbox_run_code", **bad)
            await self.fails(session, "sandbox_stop", sandbox={})
            await session.send_ping()

    async def test_images(self):
        show = "display({'image/png': 'iVBORw0KGgo=', 'text/html': '<b>x</b>', 'text/plain': 'a plot'}, raw=True)"
        async with self.session() as session:
            await self.good(session, "sandbox_start", sandbox="shows", config={"image": "microsandbox/python"})
            result = await session.call_tool("sandbox_run_code", {"sandbox": "shows", "language": "python", "code": show})
            self.assertEqual([content.type for content in result.content], ["text", "image"])
            self.assertEqual(result.content[1].data, "iVBORw0KGgo=")
            self.assertEqual(attribute(result.content[1], "mimeType"), "image/png")
            displays = json.loads(result.content[0].text)["displays"]
            self.assertEqual([(d["mime"], d.get("data"), d.get("attached")) for d in displays],
                             [("image/png", None, True), ("text/html", None, False), ("text/plain", "a plot", None)])
            await self.good(session, "sandbox_stop", sandbox="shows")

    async def test_standard_input_and_output(self):
        place = served.Place()
        self.addCleanup(place.remove)
        parameters = StdioServerParameters(command=served.PROGRAM, args=["mcp"], env=place.env)
        async with stdio_client(parameters) as (read, write):
            async with ClientSession(read, write) as session:
                hello = await session.initialize()
                self.assertIn(attribute(hello, "protocolVersion"), ("2025-11-25", "2025-06-18"))
                self.assertEqual({tool.name for tool in (await session.list_tools()).tools}, set(TOOLS))
                await self.good(session, "sandbox_start", sandbox="lab", config={"image": "microsandbox/python"})
                text = await self.good(session, "sandbox_run_code", sandbox="lab", code="6 * 7", language="python")
                self.assertEqual(json.loads(text)["output"][0]["text"], "42")
                await self.fails(session, "sandbox_run_code", "never", sandbox="never", code="1", language="python")
        served.wait_until(lambda: json.loads(place.terrarium("ps", "--json").stdout) == [], "its sandboxes end with it")

    async def test_two_sessions(self):
        async with self.session() as one, self.session() as two:
            await self.good(one, "sandbox_start", sandbox="shared", config={"image": "microsandbox/python"})
            await self.good(one, "sandbox_run_code", sandbox="shared", code="y = 5", language="python")
            text = await self.good(two, "sandbox_run_code", sandbox="shared", code="print(y)", language="python")
            self.assertEqual(json.loads(text)["output"][0]["text"], "5")
            await self.good(two, "sandbox_stop", sandbox="shared")

    @unittest.skipUnless(Client, "this generation of the package has no such client")
    async def test_the_simple_client(self):
        """It asks for a later protocol first, and takes ours when that is refused."""
        async with Client(server.url + "/mcp") as client:
            self.assertEqual({tool.name for tool in (await client.list_tools()).tools}, set(TOOLS))
            result = await client.call_tool("sandbox_start", {"sandbox": "simple",
                                                              "config": {"image": "microsandbox/python"}})
            self.assertFalse(attribute(result, "isError"))
            result = await client.call_tool("sandbox_run_code", {"sandbox": "simple", "code": "1 + 1",
                                                                 "language": "python"})
            self.assertEqual(json.loads(result.content[0].text)["output"][0]["text"], "2")
            await client.call_tool("sandbox_stop", {"sandbox": "simple"})


if __name__ == "__main__":
    served.main()
