# SPDX-License-Identifier: MIT
"""A stand-in for the released microsandbox server 0.2.6, for tests of clients.

Made from what that server's source and behavior say (routes, envelopes, failure table, the REPL engine's
ways), and not from ours, so that client and server are each checked against the facts. It keeps the
reference's faults: status is always "success", Node's errors are on stdout, reasons hide behind "Internal
server error", code that leaves its last line open never ends, a second start of a running sandbox leaves it
unreachable, the CPU is always at 0.0.

NOTHING IS ISOLATED: code of the tests runs as child processes of this one.

    python3 double.py [--port 0] [--key SECRET] [--tls CERT KEY] [--portal-delay S] [--fault KIND[:METHOD]] [--files]

--files: that is no reference's; it takes files as `terrarium serve` does, and says so.

The first line of stdout is the URL. A test speaks to it at /double, which the real one does not have:
    GET  /double            {"requests": [{"path", "method", "params", "headers"}…], "sandboxes": {…}}
    POST /double            {"fault": KIND or null, "method": METHOD or absent, "times": N or absent,
                             "forget": true}; {"token": {…claims}} gives {"token": "msb_…"}
"""
import argparse
import base64
import hashlib
import hmac
import http.server
import json
import os
import queue
import random
import re
import shutil
import signal
import ssl
import string
import subprocess
import sys
import tempfile
import threading
import time

from double_faults import Faults, Refusal, hidden, invalid, plain

BODY_MAX = 2 * 1024 * 1024
NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9_-]*\Z')
LANGUAGES = {'python': 'python', 'node': 'node', 'nodejs': 'node', 'javascript': 'node'}
STDERR_DRAIN_S = 0.05


# ---- the engines of the portal -------------------------------------------------------------------------


class Engine:
	"""An interpreter that is fed lines, as the portal does it."""

	ARGV = {
		'python': ['/usr/bin/python3', '-q', '-u', '-i', '-c', "import sys; sys.ps1=sys.ps2=''"],
		'node': ['node', '-e', "require('repl').start({prompt:'',terminal:false,ignoreUndefined:true,useGlobal:true})"],
	}
	MARK = {'python': "print('%s')\n", 'node': "console.log('%s')\n"}

	def __init__(self, language, folder, env):
		self.language = language
		self.turn = threading.Lock()
		self.lines = queue.Queue()
		self.process = subprocess.Popen(self.ARGV[language], cwd=folder, env=env, stdin=subprocess.PIPE,
			stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
		for stream in 'stdout', 'stderr':
			threading.Thread(target=self.read, args=(stream,), daemon=True).start()

	def read(self, stream):
		for line in getattr(self.process, stream):
			try:
				text = line.decode().rstrip('\n').rstrip('\r')
			except UnicodeDecodeError:
				return  # the reader stops for good
			if self.language == 'node' and (not text or text.startswith(('>', '..'))):
				continue
			self.lines.put((stream, text))

	def run(self, code, timeout):
		with self.turn:
			return self.run_alone(code, timeout)

	def run_alone(self, code, timeout):
		mark = 'eoe_' + ''.join(random.choices(string.ascii_letters + string.digits, k=20))
		output = []
		try:
			self.process.stdin.write((code + '\n' + self.MARK[self.language] % mark).encode())
			self.process.stdin.flush()
		except OSError:
			pass  # it has exited; what waits for its output waits for ever
		until = time.monotonic() + timeout if timeout is not None else None
		while True:
			try:
				left = None if until is None else max(0, until - time.monotonic())
				stream, text = self.lines.get(timeout=left)
			except queue.Empty:
				output.append(('stderr', 'Error: Execution timed out after %d seconds' % timeout))
				return output
			if stream is None:
				raise hidden()
			if stream == 'stdout' and text == mark:
				break
			output.append((stream, text))
		self.drain(output)
		return output

	def drain(self, output):
		"""What is on stderr already. (The reference may lose it; tests could not be written for that.)"""
		until = time.monotonic() + STDERR_DRAIN_S
		late = []
		while (left := until - time.monotonic()) > 0:
			try:
				item = self.lines.get(timeout=left)
			except queue.Empty:
				break
			(output if item[0] == 'stderr' else late).append(item)
		for item in late:
			self.lines.put(item)

	def kill(self):
		kill_group(self.process)
		self.process.wait()
		self.lines.put((None, ''))


def kill_group(process):
	try:
		os.killpg(process.pid, signal.SIGKILL)
	except ProcessLookupError:
		pass


class Sandbox:
	def __init__(self, name, namespace, folder):
		self.name, self.namespace, self.folder = name, namespace, folder
		self.config = None
		self.is_running = self.is_lost = False
		self.engines = {}
		self.commands = set()
		self.ready_at = 0

	def language(self):
		return 'node' if 'node' in self.config['image'] else 'python'

	def env(self):
		env = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': self.folder, 'LANG': 'C.UTF-8'}
		for pair in self.config.get('envs') or []:
			key, _, value = pair.partition('=')
			env[key] = value
		return env

	def cwd(self):
		workdir = self.config.get('workdir')
		return workdir if workdir and os.path.isdir(workdir) else self.folder

	def start(self, delay):
		os.makedirs(self.folder, exist_ok=True)
		for name, text in (self.config.get('scripts') or {}).items():
			folder = os.path.join(self.folder, '.sandbox', 'scripts')
			os.makedirs(folder, exist_ok=True)
			with open(os.path.join(folder, os.path.basename(name)), 'w') as f:
				f.write(text)
		self.is_running, self.is_lost = True, False
		self.ready_at = time.monotonic() + delay

	def stop(self):
		self.is_running = False
		for engine in self.engines.values():
			engine.kill()
		self.engines = {}
		for process in list(self.commands):
			kill_group(process)

	def repl(self, language, code, timeout):
		wanted = LANGUAGES.get(language.lower())
		if wanted != self.language():
			raise hidden()
		if wanted not in self.engines:
			self.engines[wanted] = Engine(wanted, self.cwd(), self.env())
		return self.engines[wanted].run(code, timeout)

	def command(self, command, args, timeout):
		try:
			process = subprocess.Popen([command, *args], cwd=self.cwd(), env=self.env(), start_new_session=True,
				stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		except OSError:
			raise hidden() from None
		self.commands.add(process)
		try:
			streams = process.communicate(timeout=timeout)
		except subprocess.TimeoutExpired:
			process.kill()  # not its children: they end with the sandbox
			raise hidden() from None
		self.commands.discard(process)
		output = []
		for stream, data in zip(('stdout', 'stderr'), streams):
			output += [(stream, line.removesuffix('\r')) for line in data.decode(errors='replace').split('\n')]
			if output[-1] == (stream, ''):
				output.pop()
		return max(process.returncode, 0) if process.returncode >= 0 else 1, output

	def append(self, path, data):
		done = subprocess.run(['sh', '-c', 'exec cat >>"$1"', 'sh', path], cwd=self.cwd(), env=self.env(), input=data,
			stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
		if done.returncode:
			raise plain(500, 5002, '%.80s: %s' % (path, done.stderr.decode()))

	def row(self):
		row = {'namespace': self.namespace, 'name': self.name, 'running': self.is_running, 'cpu_usage': None,
			'memory_usage': None, 'disk_usage': None}
		if self.is_running:
			pids = [engine.process.pid for engine in self.engines.values()]
			row.update(cpu_usage=0.0, memory_usage=64 + sum(map(resident_mib, pids)), disk_usage=used(self.folder))
		return row


def resident_mib(pid):
	try:
		with open('/proc/%d/statm' % pid) as f:
			return int(f.read().split()[1]) * 4096 >> 20
	except (OSError, IndexError):
		return 0


def used(folder):
	total = 0
	for at, _, names in os.walk(folder):
		for name in names:
			try:
				total += os.lstat(os.path.join(at, name)).st_size
			except OSError:
				pass
	return total


# ---- the server -------------------------------------------------------------------------------------------


def check_name(name, what, star=False):
	if star and name == '*':
		return
	if not name:
		raise invalid('%s name cannot be empty' % what)
	if len(name.encode()) > 63:
		raise invalid('%s name cannot exceed 63 characters' % what)
	if re.search(r'[^A-Za-z0-9_-]', name):
		raise invalid('%s name can only contain alphanumeric characters, hyphens, or underscores' % what)
	if not NAME.match(name):
		raise invalid('%s name must start with an alphanumeric character' % what)


def is_int(value, top):
	return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= top


def is_texts(value):
	return isinstance(value, list) and all(isinstance(item, str) for item in value)


CONFIG = {
	'image': lambda v: v is None or isinstance(v, str),
	'memory': lambda v: v is None or is_int(v, 2**32 - 1),
	'cpus': lambda v: v is None or is_int(v, 255),
	'volumes': is_texts,
	'ports': is_texts,
	'envs': is_texts,
	'depends_on': is_texts,
	'workdir': lambda v: v is None or isinstance(v, str),
	'shell': lambda v: v is None or isinstance(v, str),
	'scripts': lambda v: isinstance(v, dict) and all(isinstance(text, str) for text in v.values()),
	'exec': lambda v: v is None or isinstance(v, str),
}


class State:
	def __init__(self, options):
		self.options = options
		self.lock = threading.Lock()
		self.folder = tempfile.mkdtemp(prefix='terrarium-double-')
		self.sandboxes = {}
		self.requests = []
		kind, _, method = (options.fault or '').partition(':')
		self.fault = {'fault': kind or None, 'method': method or None}

	def find(self, params, method):
		if not isinstance(params, dict):
			raise invalid('Invalid params for %s: expected an object' % method)
		for key in 'sandbox', 'namespace':
			if not isinstance(params.get(key), str):
				raise invalid('Missing or invalid %r parameter' % key)
		return self.sandboxes.get((params['namespace'], params['sandbox']))

	def start(self, params):
		config = self.check_start(params)
		if self.fault.get('fault') == 'start_slow':  # an image that is fetched
			time.sleep(2)
		key = params['namespace'], params['sandbox']
		with self.lock:
			box = self.sandboxes.get(key)
			if not box or not box.config:
				if not config or not config.get('image'):
					raise invalid("Sandbox '%s' not found in existing configuration" % params['sandbox'])
			if not box:
				box = Sandbox(key[1], key[0], os.path.join(self.folder, *key))
				self.sandboxes[key] = box
			if box.is_running:
				box.is_lost = True  # the portal has another port now than the one that is tried
				return 'Sandbox %s started successfully' % box.name
			if config and config.get('image'):
				if not re.search('python|node', config['image']):
					raise hidden()
				box.config = config
			box.start(self.options.portal_delay)
		if self.fault['fault'] == 'start_timed_out':
			return ('Sandbox %s was started, but timed out waiting for it to be fully running. '
				'It may still be initializing.' % box.name)
		return 'Sandbox %s started successfully' % box.name

	def check_start(self, params):
		if not isinstance(params, dict):
			raise invalid('Invalid params for sandbox.start: invalid type, expected struct SandboxStartParams')
		for key in 'sandbox', 'namespace':
			if not isinstance(params.get(key), str):
				raise invalid('Invalid params for sandbox.start: missing field `%s`' % key)
		check_name(params['sandbox'], 'Sandbox')
		check_name(params['namespace'], 'Namespace')
		config = params.get('config')
		for key, is_good in CONFIG.items():
			if config and key in config and not is_good(config[key]):
				raise invalid('Invalid params for sandbox.start: invalid value for `%s`' % key)
		return config

	def stop(self, params):
		box = self.find(params, 'sandbox.stop')
		check_name(params['sandbox'], 'Sandbox')
		check_name(params['namespace'], 'Namespace')
		if not any(key[0] == params['namespace'] for key in self.sandboxes):
			raise invalid("Namespace directory '%s' does not exist" % params['namespace'])
		if not box:
			raise hidden()
		with self.lock:
			box.stop()
		return 'Sandbox %s stopped successfully' % box.name

	def metrics(self, params):
		namespace = params.get('namespace') if isinstance(params, dict) else None
		if not isinstance(namespace, str):
			raise invalid('Invalid params for sandbox.metrics.get: missing field `namespace`')
		check_name(namespace, 'Namespace', star=True)
		name = params.get('sandbox')
		if name is not None:
			check_name(name, 'Sandbox')
		boxes = [box for key, box in self.sandboxes.items() if namespace in ('*', key[0])]
		if not boxes and namespace != '*':
			raise invalid("Namespace directory '%s' does not exist" % namespace)
		if name is not None:
			boxes = [box for box in boxes if box.name == name]
			if not boxes:
				raise hidden()
		random.shuffle(boxes)
		return {'sandboxes': [box.row() for box in boxes]}

	def reach(self, params, method):
		"""The portal of a sandbox, which is slow to come up."""
		box = self.find(params, method)
		if not box or not box.is_running or box.is_lost:
			raise hidden()
		time.sleep(max(0, box.ready_at - time.monotonic()))
		timeout = params.get('timeout')
		if timeout is not None and not is_int(timeout, 2**64 - 1):
			raise hidden()
		return box, timeout

	def repl(self, params):
		box, timeout = self.reach(params, 'sandbox.repl.run')
		if not isinstance(params.get('code'), str) or not isinstance(params.get('language'), str):
			raise hidden()
		output = box.repl(params['language'], params['code'], timeout)
		return {'status': 'success', 'language': params['language'], 'output': rows(output)}

	def command(self, params):
		box, timeout = self.reach(params, 'sandbox.command.run')
		args = params.get('args', [])
		if not isinstance(params.get('command'), str) or not is_texts(args):
			raise hidden()
		code, output = box.command(params['command'], args, timeout)
		return {'command': params['command'], 'args': args, 'exit_code': code, 'success': code == 0,
			'output': rows(output)}

	def file_put(self, params):
		box, _ = self.reach(params, 'sandbox.file.put')
		data = base64.b64decode(params['base64'], validate=True)
		if not self.options.files or params.get('append') is not True or len(data) > 1 << 20:
			raise invalid('Invalid params for sandbox.file.put')
		box.append(params['path'], data)
		return {'bytes': len(data)}

	def file_get(self, params):
		box, _ = self.reach(params, 'sandbox.file.get')
		path = os.path.join(box.cwd(), params['path'])
		if not self.options.files or not os.path.isfile(path) or params['size'] > 1 << 20:
			raise invalid('Invalid params for sandbox.file.get')
		with open(path, 'rb') as file:
			file.seek(params['offset'])
			return {'base64': base64.b64encode(file.read(params['size'])).decode(), 'mode': 0o644,
				'size': os.path.getsize(path)}

	METHODS = {'sandbox.start': start, 'sandbox.stop': stop, 'sandbox.metrics.get': metrics,
		'sandbox.repl.run': repl, 'sandbox.command.run': command, 'sandbox.file.put': file_put,
		'sandbox.file.get': file_get}


def rows(output):
	return [{'stream': stream, 'text': text} for stream, text in output]


# ---- keys --------------------------------------------------------------------------------------------------


def b64(data):
	return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def sign(secret, text):
	return b64(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())


def make_token(secret, claims):
	claims = {'iat': int(time.time()), 'exp': int(time.time()) + 86400, 'namespace': '*', **claims}
	text = b64(b'{"typ":"JWT","alg":"HS256"}') + '.' + b64(json.dumps(claims).encode())
	return 'msb_' + text + '.' + sign(secret, text)


def check_key(secret, headers, params):
	key = headers.get('Proxy-Authorization') or headers.get('Authorization') or ''
	key = key.removeprefix('Bearer ')
	if not key.startswith('msb_'):
		raise plain(401, 1001, 'Invalid credentials')
	try:
		text, signature = key[4:].rsplit('.', 1)
		claims = json.loads(base64.urlsafe_b64decode(text.split('.')[1] + '=='))
		is_good = hmac.compare_digest(sign(secret, text), signature) and claims['exp'] + 60 > time.time()
		namespace = claims['namespace']
	except (ValueError, KeyError, TypeError, IndexError):
		is_good = False
	if not is_good:
		raise plain(401, 1004, 'Invalid or expired token')
	if namespace == '*':
		return
	if not isinstance(params, dict) or 'namespace' not in params:
		raise plain(400, 2001, 'Missing namespace')
	if params['namespace'] != namespace:
		raise plain(403, 3001, 'Access denied')


# ---- HTTP ----------------------------------------------------------------------------------------------------

class Handler(Faults, http.server.BaseHTTPRequestHandler):
	protocol_version = 'HTTP/1.1'
	disable_nagle_algorithm = True

	def log_message(self, *_):
		pass

	def answer(self, status, body, kind='application/json', headers=()):
		body = body.encode() if isinstance(body, str) else body
		self.send_response(status)
		if kind:
			self.send_header('Content-Type', kind)
		for name, value in headers:
			self.send_header(name, value)
		if self.server.state.options.files:
			self.send_header('Terrarium-Extensions', 'files')
		self.send_header('Content-Length', str(len(body)))
		self.end_headers()
		self.wfile.write(body)

	def body(self):
		length = int(self.headers.get('Content-Length') or 0)
		if length > BODY_MAX:
			self.close_connection = True
			raise Refusal(413, 'Failed to buffer the request body: length limit exceeded', 'text/plain; charset=utf-8')
		return self.rfile.read(length)

	def do_GET(self):
		try:
			self.get()
		except Refusal as refusal:
			self.answer(refusal.status, refusal.body, refusal.kind)
		except (BrokenPipeError, ConnectionResetError):
			self.close_connection = True

	def get(self):
		if self.path == '/double':
			state = self.server.state
			self.answer(200, json.dumps({'requests': state.requests, 'sandboxes': {
				'/'.join(key): box.is_running for key, box in state.sandboxes.items()}}))
		elif self.path == '/api/v1/health':
			if not self.misbehave('health', None):
				self.answer(200, '{"message":"Service is healthy"}')
		else:
			self.answer(405 if self.path in ('/api/v1/rpc', '/mcp') else 404, b'', None)

	def do_POST(self):
		try:
			body = self.body()
			if self.path == '/double':
				self.control(json.loads(body))
			elif self.path == '/api/v1/rpc':
				self.rpc(body)
			else:
				self.answer(405 if self.path == '/api/v1/health' else 404, b'', None)
		except Refusal as refusal:
			self.answer(refusal.status, refusal.body, refusal.kind)
		except (BrokenPipeError, ConnectionResetError):
			self.close_connection = True

	def do_PUT(self):
		self.answer(405 if self.path.startswith('/api/v1/') else 404, b'', None)

	do_DELETE = do_PATCH = do_PUT

	def control(self, wish):
		state = self.server.state
		if 'token' in wish:
			self.answer(200, json.dumps({'token': make_token(state.options.key, wish['token'])}))
			return
		if wish.get('forget'):
			state.requests.clear()
		if 'fault' in wish:
			state.fault = wish
		self.answer(200, '{}')

	def rpc(self, body):
		state = self.server.state
		if self.headers.get_content_type() != 'application/json':
			raise Refusal(415, 'Expected request with `Content-Type: application/json`', 'text/plain; charset=utf-8')
		try:
			request = json.loads(body)
		except ValueError as e:
			raise Refusal(400, 'Failed to parse the request body as JSON: %s' % e, 'text/plain; charset=utf-8') from None
		params = request.get('params') if isinstance(request, dict) else None
		if state.options.key:
			check_key(state.options.key, self.headers, params)
		if (not isinstance(request, dict) or not isinstance(request.get('jsonrpc'), str)
				or not isinstance(request.get('method'), str)):
			raise Refusal(422, 'Failed to deserialize the JSON body into the target type: missing field `method` at '
				'line 1 column %d' % len(body), 'text/plain; charset=utf-8')
		method = request['method']
		state.requests.append({'path': self.path, 'method': method, 'params': params, 'id': request.get('id'),
			'headers': dict(self.headers)})
		if self.misbehave(method, request):
			return
		envelope = {'jsonrpc': '2.0'}
		if request['jsonrpc'] != '2.0':
			status, envelope['error'] = 400, {'code': -32600, 'message': 'Invalid or missing jsonrpc version field'}
		elif method not in state.METHODS or (method.startswith('sandbox.file.') and not state.options.files):
			status, envelope['error'] = 404, {'code': -32601, 'message': 'Method not found: ' + method}
		else:
			status, envelope['result'] = 200, state.METHODS[method](state, params)
		if request.get('id') is not None:
			envelope['id'] = request['id']
		self.answer(status, json.dumps(envelope))

	def misbehave(self, method, request):
		"""The fault that is asked for, of this method. True: the request has been dealt with."""
		fault = self.server.state.fault
		kind = fault.get('fault')
		if not hasattr(self, 'fault_' + str(kind)):
			return False
		if (fault.get('method') or method) != method or (method == 'health' and fault.get('method') != 'health'):
			return False
		if fault.get('times') is not None:
			fault['times'] -= 1
			if fault['times'] < 0:
				return False
		getattr(self, 'fault_' + kind)((request or {}).get('id'))
		return True


class Server(http.server.ThreadingHTTPServer):
	daemon_threads = True
	request_queue_size = 128

	def handle_error(self, *_):
		pass  # a client that went away


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument('--port', type=int, default=0)
	parser.add_argument('--key', help='secret of the keys; without one no key is asked for')
	parser.add_argument('--tls', nargs=2, metavar=('CERT', 'KEY'))
	parser.add_argument('--portal-delay', type=float, default=0)
	parser.add_argument('--fault')
	parser.add_argument('--files', action='store_true')
	options = parser.parse_args()
	server = Server(('127.0.0.1', options.port), Handler)
	server.state = State(options)
	if options.tls:
		context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		context.load_cert_chain(*options.tls)
		server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
	signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
	try:
		print('%s://127.0.0.1:%d' % ('https' if options.tls else 'http', server.server_address[1]), flush=True)
		server.serve_forever(poll_interval=0.1)
	except KeyboardInterrupt:
		pass
	finally:
		for box in server.state.sandboxes.values():
			box.stop()
		shutil.rmtree(server.state.folder, ignore_errors=True)


if __name__ == '__main__':
	main()
