# SPDX-License-Identifier: MIT
"""What may come instead of a result, for double.py: refusals of the server, and faults that a test asks for."""
import json
import socket
import ssl
import struct
import time


class Refusal(Exception):
	"""An answer that is no result."""

	def __init__(self, status, body, kind='application/json'):
		super().__init__(status)
		self.status, self.body, self.kind = status, body, kind


def plain(status, code, text):
	return Refusal(status, json.dumps({'error': text, 'code': code}))


def invalid(text):
	return plain(400, 2001, text)


def hidden():
	return plain(500, 5002, 'Internal server error')


# ---- faults -------------------------------------------------------------------------------------------------

PROXY_PAGE = (b'<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway'
	b'</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n')


class Faults:
	"""For a request handler with answer(): fault_KIND(id of the request)."""

	# What stands between us and the server, and answers in its place.

	def fault_html(self, _):
		self.answer(502, PROXY_PAGE, 'text/html')

	def fault_html_ok(self, _):
		self.answer(200, b'<!doctype html><title>Sign in</title><p>Please sign in', 'text/html; charset=utf-8')

	def fault_proxy_login(self, _):
		self.answer(407, b'', None, [('Proxy-Authenticate', 'Basic realm="x"')])

	def fault_redirect(self, _):
		self.answer(301, b'', None, [('Location', 'https://127.0.0.1:1/api/v1/rpc')])

	# Bodies.

	def fault_empty(self, _):
		self.answer(500, b'', None)

	def fault_empty_ok(self, _):
		self.answer(200, b'')

	def fault_text(self, _):
		self.answer(500, 'disk quota exceeded on node 7\n', 'text/plain')

	def fault_hidden(self, _):
		raise hidden()

	def fault_reason(self, _):
		raise plain(500, 5002, 'image microsandbox/python could not be pulled: no route to host')

	def fault_noted(self, id):
		"""As terrarium serve tells what was not as it should be."""
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'id': id,
			'result': 'Sandbox x stopped successfully; its files were not saved: no space\x1b[31m left on device'}))

	def fault_code_null(self, _):
		raise plain(500, None, 'something else')

	def fault_denied(self, _):
		raise plain(403, 3001, 'Access denied')

	def fault_busy(self, _):
		self.answer(429, 'Too Many Requests', 'text/plain', [('Retry-After', '7')])

	def fault_rpc_error(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'error': {'code': -32603, 'message': 'VM failed to boot: no KVM'},
			'id': id}))

	def fault_rpc_error_bare(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'error': 'went wrong', 'id': id}))

	def fault_controls(self, _):
		raise plain(500, 5002, 'a\x1b]0;title\x07\x1b[31mred\n\u202ebidi \x00end')

	def fault_wrong_json(self, _):
		self.answer(200, b'{"jsonrpc":"2.0","result":')

	def fault_not_utf8(self, id):
		self.answer(200, b'{"jsonrpc":"2.0","result":"\xff\xfe","id":' + json.dumps(id).encode() + b'}')

	def fault_array(self, _):
		self.answer(200, b'[1,2,3]')

	def fault_number(self, _):
		self.answer(200, b'42')

	def fault_no_result(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'id': id}))

	def fault_other_id(self, _):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'result': 'Sandbox x started successfully', 'id': 'other'}))

	def fault_lost_piece(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'result': {'bytes': 1 << 20}, 'id': id}))

	def fault_few_bytes(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'result': {'bytes': 7}, 'id': id}))

	def fault_deep(self, _):
		self.answer(200, b'[' * 200000 + b']' * 200000)

	def fault_odd_result(self, id):
		"""As the reference's own documentation shows it, which its code never sends."""
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'id': id, 'result': {'output': 'one string\n', 'error': '',
			'has_error': False, 'status': 'completed', 'language': 'python'}}))

	def fault_odd_lines(self, id):
		self.answer(200, json.dumps({'jsonrpc': '2.0', 'id': id, 'result': {'status': 'success', 'language': 7,
			'output': [3, {'stream': 'stdlog', 'text': 'x'}, {'stream': 'stdout'}, {'stream': 'stdout', 'text': 'good'},
				None]}}))

	def fault_huge(self, id):
		"""64 MiB of output in one answer."""
		head = json.dumps({'jsonrpc': '2.0', 'id': id, 'result': None})[:-5].encode()
		line = json.dumps({'stream': 'stdout', 'text': 'x' * 65536}).encode()
		self.send_response(200)
		self.send_header('Content-Type', 'application/json')
		self.send_header('Connection', 'close')
		self.end_headers()
		self.close_connection = True
		self.wfile.write(head + b'{"status":"success","language":"python","output":[')
		for i in range(1024):
			self.wfile.write((b',' if i else b'') + line)
		self.wfile.write(b']}}')

	def fault_huge_error(self, _):
		raise Refusal(500, 'E' * (32 << 20), 'text/plain')

	# Connections.

	def half(self):
		self.send_response(200)
		self.send_header('Content-Type', 'application/json')
		self.send_header('Content-Length', '1000')
		self.end_headers()
		self.wfile.write(b'{"jsonrpc":"2.0",')
		self.wfile.flush()
		self.close_connection = True

	def fault_cut(self, _):
		self.half()

	def fault_reset(self, _):
		self.half()
		self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
		if not isinstance(self.connection, ssl.SSLSocket):
			self.connection.close()

	def fault_drop(self, _):
		self.close_connection = True

	def fault_garbage(self, _):
		self.wfile.write(b'SSH-2.0-OpenSSH_9.2\r\n')
		self.close_connection = True

	def fault_slow(self, _):
		"""An answer that never ends: a byte now and then."""
		self.send_response(200)
		self.send_header('Content-Type', 'application/json')
		self.send_header('Content-Length', '100000')
		self.end_headers()
		for _ in range(100000):
			self.wfile.write(b' ')
			self.wfile.flush()
			time.sleep(0.2)

	def fault_silent(self, _):
		time.sleep(3600)
