# SPDX-License-Identifier: MIT
"""A server that offers events and tells them badly. Prints its port, then serves until it is killed. What a run gets is named
by its code: a key of ANSWERS."""

import http.server
import json
import socket
import sys

OUTPUT = b'event: output\ndata: {"stream":"stdout","text":"so far\\n"}\n\n'
RESULT = b'event: result\ndata: {"status":"ok","exit_code":0,"state_lost":false,"value":null,"error":null}\n\n'
RESPONSE = b'event: response\ndata: {"jsonrpc":"2.0","result":{},"id":1}\n\n'

# Bytes of the stream; None: the connection is cut behind what came before.
ANSWERS = {
    "good": [OUTPUT, RESULT, RESPONSE],
    "beats": [b":\n\n", b"id: 1\nretry: 5\n: x\n\n", OUTPUT, b"event: new\ndata: 1\n\n", RESULT, RESPONSE],
    "crlf": [(OUTPUT + RESULT + RESPONSE).replace(b"\n", b"\r\n")],
    "no end": [OUTPUT],
    "cut": [OUTPUT, b'event: result\ndata: {"sta', None],
    "cut at once": [None],
    "no JSON": [OUTPUT, b"event: output\ndata: {nope\n\n"],
    "deep": [b"event: output\ndata: " + b"[" * 5000 + b"]" * 5000 + b"\n\n"],
    "no UTF-8": [b'event: output\ndata: {"stream":"stdout","text":"\xff"}\n\n'],
    "NUL": [b'event: output\ndata: {"stream":"stdout","text":"a\0b"}\n\n'],
    "other types": [
        b"event: output\ndata: 5\n\n",
        b'event: output\ndata: {"stream":7,"text":[]}\n\n',
        b'event: output\ndata: {"stream":"stdout","base64":"!!"}\n\n',
        b'event: display\ndata: {"mime":1}\n\n',
        b'event: input\ndata: []\n\n',
        b"event: result\ndata: []\n\n",
        RESPONSE,
    ],
    "error": [OUTPUT, b'event: response\ndata: {"error":"the disk is full","code":5002}\n\n'],
    "long line": [b"event: output\ndata: " + b"x" * (20 << 20) + b"\n\n", OUTPUT, RESULT, RESPONSE],
    "escape": [b'event: output\ndata: {"stream":"stdout","text":"so far\\n"}\n\n', b'event: response\ndata: {"error":"\\u001b]0;x\\u0007 bad \\u202e","code":1}\n\n'],
    "page": "<html><body><h1>502 Bad Gateway</h1></body></html>",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def plain(self, text, kind="application/json", status=200):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Terrarium-Extensions", "events, input, interrupt, ask")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.plain('{"message":"Service is healthy"}')

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = request["params"].get("code", "").strip()
        if request["method"] != "sandbox.repl.run":
            self.plain(json.dumps({"jsonrpc": "2.0", "result": "Sandbox started successfully", "id": request["id"]}))
            return
        parts = [RESULT, RESPONSE] if request["params"].get("leave") else ANSWERS[code]
        if isinstance(parts, str):
            self.plain(parts, "text/html", 502)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Terrarium-Run", "0123456789abcdef")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for part in parts:
            if part is None:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                self.connection.close()
                return
            self.wfile.write(part)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # clients leave when they like


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port)
sys.stdout.flush()
server.serve_forever()
