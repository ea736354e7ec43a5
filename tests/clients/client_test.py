# SPDX-License-Identifier: MIT
"""The microsandbox backend, by the real binary, against double.py: every form of error gives one sentence with
its reason, and a key is never seen.

    python3 client_test.py TERRARIUM
"""
import filecmp
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TERRARIUM = os.path.abspath(sys.argv[1])
HOME = tempfile.TemporaryDirectory() # removed at the end
n_wrong = 0


class Double:
	def __init__(self, *options):
		self.process = subprocess.Popen([sys.executable, '-B', os.path.join(HERE, 'double.py'), *options],
			stdout=subprocess.PIPE, text=True)
		self.url = self.process.stdout.readline().strip()

	def __enter__(self):
		return self

	def __exit__(self, *_):
		self.process.terminate()
		self.process.wait()

	def tell(self, **wish):
		request = urllib.request.Request(self.url + '/double', json.dumps(wish).encode())
		with urllib.request.urlopen(request) as answer:
			return json.load(answer)

	def heard(self):
		with urllib.request.urlopen(self.url + '/double') as answer:
			return json.load(answer)

	def accepts(self, key):
		"""Whether it still lets this one in."""
		request = urllib.request.Request(self.url + '/api/v1/rpc', b'{}', {'Content-Type': 'application/json',
			'Authorization': 'Bearer ' + key})
		try:
			urllib.request.urlopen(request)
		except urllib.error.HTTPError as error:
			return error.code != 401
		return True

	def requests(self, method):
		return [r for r in self.heard()['requests'] if r['method'] == method]


class Said:
	def __init__(self, args, code, out, err):
		self.args, self.code, self.out, self.err = args, code, out, err


def environment(home, **env):
	base = {k: v for k, v in os.environ.items() if not k.startswith(('TERRARIUM_', 'MSB_', 'XDG_', 'SSL_', 'CURL_'))
		and 'proxy' not in k.lower()}
	return {**base, 'HOME': home, 'LC_ALL': 'C.UTF-8', **env}


def begin(*args, cwd=None, **env):
	home = cwd or HOME.name
	return subprocess.Popen([TERRARIUM, *args], env=environment(home, **env), cwd=home, stdin=subprocess.DEVNULL,
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', start_new_session=True)


def end(process):
	out, err = process.communicate(timeout=240)
	return Said(process.args[1:], process.returncode, out, err)


def run(*args, **env):
	return end(begin('run', '--yes', '--backend', 'microsandbox', *args, **env))


def expect(is_good, said, wanted):
	global n_wrong
	if is_good:
		return
	n_wrong += 1
	print('WRONG: terrarium %s\n  should have: %s\n  code %d\n  out: %.300r\n  err: %.900r'
		% (' '.join(said.args), wanted, said.code, said.out, said.err))


def expect_sentence(said, *words, code=125):
	"""One line on stderr with these words, and nothing else."""
	is_line = said.err.startswith('terrarium: ') and said.err.count('\n') == 1 and said.err.endswith('\n')
	is_clean = not re.search('[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]', said.err)
	expect(said.code == code and is_line and is_clean and not said.out, said, 'one clean sentence')
	for word in words:
		expect(word in said.err, said, word)


def expect_out(said, out, code=0):
	expect(said.out == out and said.code == code, said, '%r, code %d' % (out, code))


# ---- every form of error -------------------------------------------------------------------------------

# Kind, and what the sentence has to hold.
FAULTS = [
	('html', '502', 'Bad Gateway'),
	('html_ok', 'Sign in'),
	('proxy_login', '407', 'proxy'),
	('redirect', '301'),
	('empty', '500'),
	('empty_ok', 'empty'),
	('text', 'disk quota exceeded on node 7'),
	('hidden', 'Internal server error'),
	('reason', 'image microsandbox/python could not be pulled: no route to host'),
	('code_null', 'something else'),
	('denied', 'Access denied', 'key'),
	('busy', 'Too Many Requests', '429'),
	('rpc_error', 'VM failed to boot: no KVM'),
	('rpc_error_bare', 'went wrong'),
	('controls', 'title', 'red', 'bidi', 'end'),
	('wrong_json', 'not JSON'),
	('array', 'not a JSON-RPC'),
	('number', 'not a JSON-RPC'),
	('no_result', 'not a JSON-RPC'),
	('deep', 'not JSON'),
	('huge', 'MiB'),
	('huge_error', 'MiB'),
	('cut', 'connection'),
	('reset', 'connection'),
	('drop', 'connection'),
	('garbage', 'HTTP'),
]


def every_error_form_is_a_sentence():
	with Double('--key', 'secret') as double:
		key = double.tell(token={})['token']
		env = {'MSB_SERVER_URL': double.url, 'MSB_API_KEY': key}
		expect_out(run('-c', 'print(1)', **env), '1\n')
		for method, what in ('sandbox.start', 'start'), ('sandbox.repl.run', 'run'):
			for kind, *words in FAULTS:
				double.tell(fault=kind, method=method)
				said = run('--timeout', '20', '-c', 'print(1)', **env)
				said.args.append('[%s: %s]' % (method, kind))
				expect_sentence(said, *words, what, double.url)
				expect(key not in said.err and key[-20:] not in said.err, said, 'no key')
		double.tell(fault='start_timed_out')
		said = run('-c', 'print(1)', **env)
		expect(said.code == 0 and said.out == '1\n', said, 'the run, although the start timed out')
		double.tell(fault=None)
		for row in double.heard()['sandboxes'].items():
			expect(not row[1], Said(['all'], 0, '', ''), 'no sandbox left running: ' + row[0])


def odd_results_are_understood_or_refused():
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		double.tell(fault='odd_result', method='sandbox.repl.run')  # as its documentation shows it
		expect_out(run('-c', '1', **env), 'one string\n')
		double.tell(fault='odd_lines', method='sandbox.repl.run')
		said = run('-c', '1', **env)
		expect('good\n' in said.out, said, 'the line that is good')
		double.tell(fault='not_utf8', method='sandbox.repl.run')
		expect_sentence(run('-c', '1', **env), 'an invalid result')


def time_runs_out():
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		for kind in 'silent', 'slow':
			double.tell(fault=kind, method='sandbox.start')
			began = time.monotonic()
			expect_sentence(run('--start-timeout', '0.5', '-c', '1', **env), 'start')
			double.tell(fault=kind, method='sandbox.repl.run')
			said = run('--timeout', '0.5', '-c', '1', **env)
			expect_sentence(said, 'timed out after 0.5 s', code=124)
			expect(time.monotonic() - began < 20, said, 'an end within seconds')


def nobody_is_there():
	with socket.socket() as s:
		s.bind(('127.0.0.1', 0))
		closed = 'http://127.0.0.1:%d' % s.getsockname()[1]
		expect_sentence(run('-c', '1', MSB_SERVER_URL=closed), closed, 'refused')
	expect_sentence(run('-c', '1', MSB_SERVER_URL='http://no-such-host.invalid:5555'), 'no-such-host.invalid')
	for url in 'ftp://127.0.0.1', 'nonsense', 'http://', 'http://127.0.0.1:99999', 'file:///etc/passwd':
		expect_sentence(run('-c', '1', MSB_SERVER_URL=url), url.split(':')[0])


# ---- keys ------------------------------------------------------------------------------------------------


def keys_open_and_are_not_seen():
	with Double('--key', 'secret', '--portal-delay', '0.5') as double, tempfile.TemporaryDirectory() as home:
		good = double.tell(token={})['token']
		old = double.tell(token={'exp': 1700000000})['token']
		limited = double.tell(token={'namespace': 'mine'})['token']
		env = {'MSB_SERVER_URL': double.url}
		expect_sentence(run('-c', '1', **env), '401', 'key')
		for key, word in ((old, 'expired'), (good[:-3] + 'xxx', 'Invalid'), ('nonsense', '401')):
			said = run('-c', '1', MSB_API_KEY=key, **env)
			expect_sentence(said, word)
			expect(key not in said.err, said, 'no key')
		expect_sentence(run('-c', '1', MSB_API_KEY=limited, **env), 'Access denied', 'namespace')
		expect_out(run('--namespace', 'mine', '-c', '1', MSB_API_KEY=limited, **env), '1\n')
		expect(double.requests('sandbox.start')[-1]['params']['namespace'] == 'mine', Said([], 0, '', ''), 'namespace')
		# While it runs: in no list of processes, and no file. (Even if it came as an option.)
		for options, variables in (((), {'MSB_API_KEY': good}), (('--api-key', good), {})):
			double.tell(forget=True)
			process = begin('run', '--yes', '--backend', 'microsandbox', *options, '-c', 'import time; time.sleep(0.3)',
				cwd=home, **env, **variables)
			until = time.monotonic() + 20
			while not double.requests('sandbox.repl.run') and time.monotonic() < until:
				time.sleep(0.01)
			seen = [pid for pid in os.listdir('/proc') if pid.isdigit() and good[-20:] in command_line(pid)]
			said = end(process)
			expect(not seen and said.code == 0, said, 'no key in the command line of any process')
		found = subprocess.run(['grep', '-rlF', '-e', good[-20:], home], capture_output=True, text=True).stdout
		expect(not found, said, 'no key in a file')


def command_line(pid):
	try:
		with open('/proc/%s/cmdline' % pid, errors='replace') as f:
			return f.read()
	except OSError:
		return ''


def a_key_may_expire_in_the_middle():
	"""Then it is said that it has, and what to do; and nothing is said to be lost that is still there."""
	with Double('--key', 'secret') as double:
		args = ['repl', '--yes', '--backend', 'microsandbox']
		key = double.tell(token={'exp': int(time.time()) - 60 + 4})['token']  # the server's clock may be a minute late
		process = subprocess.Popen([TERRARIUM, *args], env=environment(HOME.name, MSB_SERVER_URL=double.url,
			MSB_API_KEY=key), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		process.stdin.write('x = 6\nx * 7\n')
		process.stdin.flush()
		line = process.stdout.readline()
		until = time.monotonic() + 20
		while double.accepts(key) and time.monotonic() < until:
			time.sleep(0.05)
		out, err = process.communicate('x * 8\n', timeout=60)
		said = Said(args, process.returncode, line + out, err)
		expect(said.out == '42\n' and said.code == 125, said, 'a failure')
		expect('the API key has expired (20' in err and 'set MSB_API_KEY' in err, said, 'what to do')
		expect('anew' not in err and key not in err, said, 'no loss, and no key')


def what_has_failed_is_not_lost():
	"""The interpreter at the server knows nothing of a request that was refused, or of an answer that did not arrive."""
	for fault in 'hidden', 'cut':
		with Double() as double:
			args = ['repl', '--yes', '--backend', 'microsandbox']
			process = subprocess.Popen([TERRARIUM, *args], env=environment(HOME.name, MSB_SERVER_URL=double.url),
				stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
			process.stdin.write('x = 6\nx * 7\n')
			process.stdin.flush()
			line = process.stdout.readline()
			double.tell(fault=fault, method='sandbox.repl.run')
			process.stdin.write('x * 8\n')
			process.stdin.flush()
			until = time.monotonic() + 20
			while len(double.requests('sandbox.repl.run')) < 3 and time.monotonic() < until:
				time.sleep(0.05)
			double.tell(fault=None)
			out, err = process.communicate('x * 9\n', timeout=60)
			said = Said(args, process.returncode, line + out, err)
			expect(said.out == '42\n54\n' and said.code == 125, said, fault + ': the variable is there')
			expect('cannot run python' in err and 'anew' not in err, said, fault + ': no loss')


def settings_have_their_order():
	with Double() as a, Double() as b, tempfile.TemporaryDirectory() as folder:
		said = run('--server-url', a.url, '-c', '1', MSB_SERVER_URL=b.url)
		expect(a.heard()['requests'] and not b.heard()['requests'], said, 'the option before the variable')
		a.tell(forget=True)
		with open(os.path.join(folder, '.env'), 'w') as f:
			f.write('MSB_SERVER_URL=%s\nMSB_API_KEY=msb_from.dot.env\n' % a.url)
		said = run('-c', '1', cwd=folder)
		expect_out(said, '1\n')
		start = a.requests('sandbox.start')[-1]
		expect(start['headers'].get('Authorization') == 'Bearer msb_from.dot.env', said, 'the key of .env')
		a.tell(forget=True)
		said = run('-c', '1', cwd=folder, MSB_SERVER_URL=b.url, MSB_API_KEY='msb_other')
		expect(not a.heard()['requests'], said, 'the variable before .env')
		run('-c', '1', MSB_SERVER_URL=b.url)
		expect('Authorization' not in b.requests('sandbox.start')[-1]['headers'], said, 'no header without a key')
		params = b.requests('sandbox.start')[-1]['params']
		expect(re.fullmatch('sandbox-[0-9a-f]{8}', params['sandbox']), said, 'a random name')
		expect(params['namespace'] == 'default' and params['config']['memory'] == 512, said, 'the defaults')
		expect(params['config']['image'] == 'microsandbox/python' and params['config']['cpus'] == 1, said, 'the defaults')
		said = run('--cpus', '1.6', '--memory', '1G', '--name', 'lab', '-c', '1', MSB_SERVER_URL=b.url + '/')
		start = b.requests('sandbox.start')[-1]
		expect(start['params']['config']['cpus'] in (1, 2) and type(start['params']['config']['cpus']) is int, said,
			'a whole number of processors')
		expect(start['params']['sandbox'] == 'lab' and start['params']['config']['memory'] == 1024, said, 'as asked')
		expect(start['path'] == '/api/v1/rpc', said, 'one slash')


# ---- what a plain server gives ------------------------------------------------------------------------------


def code_runs():
	with Double('--portal-delay', '0.3') as double:
		env = {'MSB_SERVER_URL': double.url}
		expect_out(run('-c', 'x = 20\nx + 1', '-c', 'x * 2', **env), '21\n40\n')
		said = run('-c', '1 / 0', **env)
		expect(said.code == 1 and 'ZeroDivisionError: division by zero' in said.err, said, 'the exception')
		said = run('-l', 'js', '-c', 'let q = 6', '-c', 'q * 7', '-c', "throw new RangeError('bad')", **env)
		expect(said.out == '42\n' and said.code == 1 and 'RangeError: bad' in said.err, said, 'the exception of Node')
		start = double.requests('sandbox.start')[-1]
		expect('node' in start['params']['config']['image'], said, 'the image of Node')
		said = run('-l', 'bash', '-c', 'echo hi; echo oops >&2; exit 3', **env)
		expect(said.out == 'hi\n' and 'oops' in said.err and said.code == 3, said, 'a shell')
		said = end(begin('exec', '--backend', 'microsandbox', '--', 'sh', '-c', 'echo out; exit 7', **env))
		expect_out(said, 'out\n', 7)
		said = end(begin('exec', '--backend', 'microsandbox', '--', 'no-such-program', **env))
		expect(said.code != 0 and 'no-such-program' in said.err, said, 'the name of the program')
		said = end(begin('run', '--camel', '--yes', '--backend', 'microsandbox', '-c', 'x = 10 + 5\nprint(f"Result: {x}")',
			'--command', 'echo test; ls /no/such', '-c', 'x = 1 / 0', **env))
		expect(said.code == 0 and said.out.startswith('Result: 15\ntest\nSTDERR: ls: ') and 'Exit code: 2\nSTDERR: Traceback'
			in said.out, said, "CAMEL's texts")
		for row in double.heard()['sandboxes'].items():
			expect(not row[1], said, 'no sandbox left running: ' + row[0])


def code_need_not_suit_a_prompt():
	"""What the reference's interpreters, which are typed into, take wrong or never end with."""
	python = [
		('for i in range(3): print(i)', '0\n1\n2\n'),
		('def f(n):\n    a = 1\n\n    return a + n\nf(2)\nf(3)', '3\n4\n'),
		('if False:\n    print(1)\nelse:\n    print(2)\nprint(3)', '2\n3\n'),
		("print('x', end='')", 'x'),
		('"""a\n\nb"""', "'a\\n\\nb'\n"),
		("if True: print('\u00e9\U0001f600')", '\u00e9\U0001f600\n'),
	]
	node = [
		('if (false) {\n  1\n}\nelse {\n  console.log(2)\n}', '2\n'),
		('[1, 2]\n  .map(x => x * 2)', '[ 2, 4 ]\n'),
		('function f(a) {\n  console.log(`two\n\nlines`)\n  return a\n}\nf(3)', 'two\nlines\n3\n'),
		('let late = 5; process.stdout; late', '5\n'),
	]
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		for language, cases in ('python', python), ('js', node):
			codes = [word for code, _ in cases for word in ('-c', code)]
			expect_out(run('-l', language, '--timeout', '10', *codes, **env), ''.join(out for _, out in cases))
		for code, language, word, status in (("input()", 'python', 'EOFError', 1), ('f(', 'python', 'SyntaxError', 1),
				('def g():\n    1 / 0\ng()', 'python', 'line 2, in g', 1), ('import sys; sys.exit(3)', 'python', '', 3),
				("exit('bad')", 'python', 'bad', 1), ('if (1) {\n}}', 'js', "SyntaxError: Unexpected token '}'", 1), ('process.exit(4)', 'js', '', 4),
				('function h() {\n  throw new RangeError(7)\n}\nprocess.stdout; h()', 'js', 'RangeError: 7', 1)):
			said = run('-l', language, '--timeout', '10', '-c', code, **env)
			expect(said.code == status and word in said.err and 'terrarium' not in said.err, said, word)
			said = run('-l', language, '--timeout', '10', '-c', code, '-c', '6 * 7', **env)
			expect(said.out == '42\n', said, 'an interpreter that goes on')


def lines_are_typed():
	"""The REPL, which must know where a statement ends without asking."""
	lines = ['x = 5', 'x * 2', 'for i in range(2):', '    print(i)', '', 'def f():', '    return 7', '', 'f()', ':lang js',
		'let a = 4', 'if (a) {', '  console.log("yes")', '}', 'a + 1', ':lang bash', 'for i in 1 2; do', 'echo $i', 'done', '']
	with Double() as double:
		args = ['repl', '--yes', '--backend', 'microsandbox', '--timeout', '10']
		done = subprocess.run([TERRARIUM, *args], input='\n'.join(lines), capture_output=True, text=True, timeout=60,
			env=environment(HOME.name, MSB_SERVER_URL=double.url))
		said = Said(args, done.returncode, done.stdout, done.stderr)
		expect_out(said, '10\n0\n1\n7\nyes\n5\n1\n2\n')


def the_repl_knows_where_it_is():
	"""What its own commands say of a sandbox at a server is true, and what they advise leads there."""
	lines = [':net', ':net on', ':top', ':attach', '']
	with Double() as double:
		args = ['repl', '--yes', '--backend', 'microsandbox', '--namespace', 'team-a', '--name', 'lab']
		done = subprocess.run([TERRARIUM, *args], input='\n'.join(lines), capture_output=True, text=True, timeout=60,
			env=environment(HOME.name, MSB_SERVER_URL=double.url))
		said = Said(args, done.returncode, done.stdout, done.stderr)
		expect('no network' not in said.out and said.out.count('the server decides') == 2, said, 'no word on a network that nobody knows')
		expect('the processes are unknown' in said.out, said, 'that there are no processes to be shown')
		way = '--backend microsandbox --namespace team-a --server-url ' + double.url
		expect('terrarium attach %s lab --repl' % way in said.out and 'terrarium run %s --name lab' % way in said.out, said, 'the way')
		post(double, 'sandbox.start', sandbox='lab', namespace='team-a', config={'image': 'microsandbox/python'})
		expect_out(end(begin('attach', '--yes', *way.split(), 'lab', '--repl')), '')


class Terminal:
	"""A program on a pty."""

	def __init__(self, *args, **env):
		self.args, self.text = args, ''
		self.pid, self.fd = pty.fork()
		if not self.pid:
			os.execve(TERRARIUM, [TERRARIUM, *args], environment(HOME.name, TERM='xterm', **env))

	def wait_for(self, words):
		until = time.monotonic() + 20
		while words not in self.text and time.monotonic() < until and self.read():
			pass
		return words in self.text

	def read(self):
		ready, _, _ = select.select([self.fd], [], [], 20)
		try:
			more = os.read(self.fd, 65536) if ready else b''
		except OSError:
			more = b''
		self.text += more.decode(errors='replace')
		return more

	def send(self, keys):
		os.write(self.fd, keys.encode())

	def end(self):
		while self.read():
			pass
		_, status = os.waitpid(self.pid, 0)
		os.close(self.fd)
		return Said(self.args, os.waitstatus_to_exitcode(status), self.text, '')


def commands_do_without_a_terminal():
	"""A plain server has none: who sits at one can run commands all the same."""
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		line = ('exec', '--backend', 'microsandbox', '--', 'sh', '-c')
		said = Terminal(*line, 'echo a; echo b; test -t 1 || echo none; exit 3', **env).end()
		expect(said.code == 3 and 'a\r\nb\r\nnone\r\n' in said.out, said, 'what it printed, at the left margin')
		expect(said.out.count('no terminals') == 1 and said.out.count('\n') == said.out.count('\r\n'), said, 'that there is no terminal')
		terminal = Terminal(*line, 'sleep 60', **env)
		terminal.wait_for('no terminals')
		until = time.monotonic() + 20
		while not double.requests('sandbox.command.run') and time.monotonic() < until:
			time.sleep(0.01)
		terminal.send('\x03')
		said = terminal.end()
		expect(said.code == 130, said, 'an interrupt')
		repl = Terminal('repl', '--yes', '--backend', 'microsandbox', **env)
		repl.wait_for('[1]>')
		repl.send('!echo $((6 * 7)) is it\r')
		repl.wait_for('42 is it')
		repl.send('!echo $((6 * 8)) is it\r')
		repl.wait_for('48 is it')
		repl.send('\x04')
		said = repl.end()
		expect(said.code == 0 and '48 is it' in said.out and said.out.count('no terminals') == 1, said, 'both, and one word on terminals')


def an_interrupt_costs_the_state():
	with Double() as double:
		process = begin('run', '--yes', '--backend', 'microsandbox', '-c', 'import time\ntime.sleep(60)',
			MSB_SERVER_URL=double.url)
		until = time.monotonic() + 20
		while not double.requests('sandbox.repl.run') and time.monotonic() < until:
			time.sleep(0.01)
		began = time.monotonic()
		process.send_signal(signal.SIGINT)
		said = end(process)
		expect(said.code == 130 and time.monotonic() - began < 10, said, 'an end, soon')
		for row in double.heard()['sandboxes'].items():
			expect(not row[1], said, 'no sandbox left running: ' + row[0])


def a_start_that_is_given_up_leaves_nothing():
	with Double() as double:
		double.tell(fault='start_slow')
		process = begin('run', '--yes', '--backend', 'microsandbox', '-c', '1', MSB_SERVER_URL=double.url)
		until = time.monotonic() + 20
		while not double.requests('sandbox.start') and time.monotonic() < until:
			time.sleep(0.01)
		process.send_signal(signal.SIGINT)
		said = end(process)
		expect(said.code == 130, said, 'the end by a signal')
		until = time.monotonic() + 5
		while not double.heard()['sandboxes'] and time.monotonic() < until:
			time.sleep(0.05)
		expect(not any(double.heard()['sandboxes'].values()), said, 'no sandbox left running')


def an_end_that_fails_is_reported():
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		for fault, words in (
				('hidden', ['cannot stop sandbox', 'Internal server error']),
				('noted', ['its files were not saved: no space', 'left on device']),
				('slow', ['stop', '5 s'])):
			double.tell(fault=fault, method='sandbox.stop')
			said = run('-c', 'print(1)', **env)
			expect(said.out == '1\n' and said.code == 0, said, 'the run as ever')
			said.out = ''
			expect_sentence(said, *words, code=0)


# ---- files -----------------------------------------------------------------------------------------------------


def tree_of(folder):
	found = {}
	for at, folders, files in os.walk(folder):
		for name in folders + files:
			path = os.path.join(at, name)
			what = os.readlink(path) if os.path.islink(path) else 'folder' if os.path.isdir(path) else open(path, 'rb').read()
			found[os.path.relpath(path, folder)] = what, os.lstat(path).st_mode
	return found


def files_go_both_ways(*options):
	"""By commands alone, or, with --files, by what more the server offers. The double's run on this machine, so that a folder of ours is one of its sandbox."""
	with Double(*options) as double, tempfile.TemporaryDirectory() as home:
		os.makedirs(os.path.join(home, 'src', "it's \"odd\"\n$HOME", 'deep'))
		for name, content in (('a.txt', b'a\n'), ('empty', b''), ("it's \"odd\"\n$HOME/deep/-n", os.urandom(700000))):
			with open(os.path.join(home, 'src', name), 'wb') as file:
				file.write(content)
		os.chmod(os.path.join(home, 'src', 'a.txt'), 0o750)
		os.symlink('a.txt', os.path.join(home, 'src', 'link'))
		lines = ':cp src :%s/inside\n:cp :%s/inside back\n' % (home, home)
		args = ['repl', '--yes', '--backend', 'microsandbox', '--image', 'microsandbox/python']
		done = subprocess.run([TERRARIUM, *args], input=lines, capture_output=True, text=True, timeout=60, cwd=home,
			env=environment(home, MSB_SERVER_URL=double.url))
		said = Said(args, done.returncode, done.stdout, done.stderr)
		wanted = tree_of(os.path.join(home, 'src'))
		expect(tree_of(os.path.join(home, 'inside')) == wanted, said, 'the tree inside')
		expect(tree_of(os.path.join(home, 'back')) == wanted, said, 'the tree that came back')


def copied_files_are_as_they_were(*options):
	"""Modes and times of directories as well; names that are no UTF-8; what is not copied is told; nothing is left half."""
	def cp(source, target):
		return end(begin('cp', '--backend', 'microsandbox', source, target, cwd=home, MSB_SERVER_URL=double.url))

	def look(folder):
		return {name: (what, mode, os.lstat(os.path.join(os.fsencode(folder), name)).st_mtime_ns)
			for name, (what, mode) in tree_of(os.fsencode(folder)).items()}

	with Double(*options) as double, tempfile.TemporaryDirectory() as home:
		post(double, 'sandbox.start', sandbox='lab', config={'image': 'microsandbox/python'})
		source, inside, back = (os.path.join(home, name) for name in ('src', 'inside', 'back'))
		os.makedirs(source + '/shut')
		for name in (b'/plain', b'/bad\xff', b'/shut/a'):
			with open(os.fsencode(source) + name, 'w') as file:
				file.write('text')
			os.utime(file.name, ns=(1, 981173106123456789))
		os.symlink('plain', source + '/link')
		os.chmod(source + '/shut', 0o500)
		os.utime(source + '/shut', ns=(1, 981173107000000000))
		wanted = look(source)
		expect_out(cp(source, 'lab:' + inside), '')
		said = cp('lab:' + inside, back)
		expect_out(said, '')
		expect(look(inside) == wanted, said, 'the tree inside')
		expect({n: v for n, v in look(back).items() if n != b'link'} == {n: v for n, v in wanted.items() if n != b'link'}, said,
			'the tree that came back')

		os.mkfifo(source + '/queue')
		os.symlink('/etc/passwd', source + '/out')
		said = cp(source + '/.', 'lab:' + inside)
		expect(said.code == 125 and 'queue: this is a FIFO' in said.err and 'out: this link leads out' in said.err, said, 'told')
		os.chmod(inside, 0o755)
		os.chmod(source, 0o700)
		cp(source + '/.', 'lab:' + inside)
		expect(os.stat(inside).st_mode & 0o777 == 0o755, said, 'a directory that was there keeps its mode')
		os.mkfifo(inside + '/queue')
		said = cp('lab:' + inside, home + '/again')
		expect(said.code == 125 and 'queue: this is' in said.err, said, 'told on the way back')

		os.mkdir(inside + '/taken')
		with open(home + '/taken', 'w') as file:
			file.write('text')
		expect_sentence(cp(home + '/taken', 'lab:' + inside), 'lab:' + inside + '/taken: ')
		expect(not os.listdir(inside + '/taken'), said, 'nothing in it')
		said = cp(home + '/taken', 'nobody:/tmp')
		expect_sentence(said, "no running sandbox 'nobody'")
		expect('copied' not in said.err and said.err.count("'nobody'") == 1, said, 'nothing was copied')


def much_is_copied(*options):
	"""More than may wait to be sent; and of what does not fit no half is left."""
	with Double(*options) as double, tempfile.TemporaryDirectory() as home:
		def cp(name):
			return end(begin('cp', '--backend', 'microsandbox', 'big', name + ':' + home + '/' + name, cwd=home,
				MSB_SERVER_URL=double.url))
		with open(home + '/big', 'wb') as file:
			file.write(os.urandom(1 << 20) * 56)
		post(double, 'sandbox.start', sandbox='lab', config={'image': 'microsandbox/python'})
		said = cp('lab')
		expect_out(said, '')
		expect(os.path.exists(home + '/lab') and filecmp.cmp(home + '/big', home + '/lab', False), said, 'the same bytes')
		expect(bool(double.requests('sandbox.file.put')) == bool(options), said, 'the way that is offered')

		os.mkdir(home + '/bin')
		for name, condition in ('base64', '[ "$1" = -d ]'), ('cat', 'true'):
			with open(home + '/bin/' + name, 'w') as file:
				file.write('#!/bin/sh\nif %s && [ -n "$(find %s -name "full.part~" -size +1M)" ]; then\n'
					'echo "%s: write error: No space left on device" >&2; exit 1; fi\nexec /usr/bin/%s "$@"\n'
					% (condition, home, name, name))
			os.chmod(home + '/bin/' + name, 0o755)
		post(double, 'sandbox.start', sandbox='full', config={'image': 'microsandbox/python',
			'envs': ['PATH=%s/bin:/usr/bin:/bin' % home]})
		said = cp('full')
		expect_sentence(said, 'full:' + home + '/full: the file cannot be written: No space left on device')
		expect(sorted(os.listdir(home)) == ['big', 'bin', 'lab'], said, 'nothing left: ' + ' '.join(os.listdir(home)))


def a_copy_that_is_broken_off_leaves_nothing(*options):
	with Double(*options) as double, tempfile.TemporaryDirectory() as home:
		os.mkdir(home + '/inside')
		with open(home + '/big', 'wb') as file:
			file.truncate(64 << 20)
			file.write(os.urandom(1 << 20) * 64)
		post(double, 'sandbox.start', sandbox='lab', config={'image': 'microsandbox/python'})
		for signo in signal.SIGINT, signal.SIGTERM:
			process = begin('cp', '--backend', 'microsandbox', 'big', 'lab:' + home + '/inside/it', cwd=home, MSB_SERVER_URL=double.url)
			part = home + '/inside/it.part~'
			while process.poll() is None and not (os.path.exists(part) and os.path.getsize(part) > 1 << 20):
				time.sleep(0.005)
			process.send_signal(signo)
			said = end(process)
			expect(said.code == 128 + signo and 'stopped' in said.err, said, 'that it is stopped')
			expect(not os.listdir(home + '/inside'), said, 'nothing left: ' + ' '.join(os.listdir(home + '/inside')))


def pieces_may_be_refused():
	"""Whatever is answered to one: a sentence, and nothing half is left; or the other way is gone."""
	with Double('--files') as double, tempfile.TemporaryDirectory() as home:
		os.mkdir(home + '/inside')
		with open(home + '/big', 'wb') as file:
			file.write(os.urandom((1 << 20) + 1000))  # two pieces
		post(double, 'sandbox.start', sandbox='lab', config={'image': 'microsandbox/python'})
		for kind, *words in *FAULTS, ('other_id', 'did not accept all'), ('few_bytes', 'did not accept all'), ('lost_piece', 'has not arrived whole'):
			double.tell(fault=kind, method='sandbox.file.put')
			said = end(begin('cp', '--backend', 'microsandbox', 'big', 'lab:' + home + '/inside/it', cwd=home, MSB_SERVER_URL=double.url))
			expect_sentence(said, 'lab:', *words)
			expect(not os.listdir(home + '/inside'), said, 'nothing left after ' + kind)
		for kind, *_ in *FAULTS, ('other_id',), ('few_bytes',):
			double.tell(fault=kind, method='sandbox.file.get')
			said = end(begin('cp', '--backend', 'microsandbox', 'lab:' + home + '/big', 'back', cwd=home, MSB_SERVER_URL=double.url))
			expect_out(said, '')
			expect(filecmp.cmp(home + '/big', home + '/back', False), said, 'what commands give instead')
			os.remove(home + '/back')


# ---- TLS and proxies -------------------------------------------------------------------------------------------


def make_certificates(folder):
	def openssl(*args):
		subprocess.run(['openssl', *args], cwd=folder, check=True, capture_output=True)
	openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj',
		'/CN=test authority')
	openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'other.key', '-out', 'other-ca.pem', '-days', '2', '-subj',
		'/CN=another authority')
	openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=localhost')
	with open(os.path.join(folder, 'ca.cnf'), 'w') as f:
		f.write('[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ncertificate=ca.pem\n'
			'private_key=ca.key\ndefault_md=sha256\npolicy=names\nunique_subject=no\n[names]\ncommonName=supplied\n'
			'[here]\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n[elsewhere]\nsubjectAltName=DNS:elsewhere.example\n')
	open(os.path.join(folder, 'index'), 'w').close()
	with open(os.path.join(folder, 'serial'), 'w') as f:
		f.write('01\n')
	for name, extension, first, last in (('cert', 'here', 2020, 2049), ('old', 'here', 2020, 2021), ('young', 'here', 2048, 2049),
			('elsewhere', 'elsewhere', 2020, 2049)):
		openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-in', 'csr.pem', '-out', name + '.pem', '-extensions', extension,
			'-startdate', '%d0101000000Z' % first, '-enddate', '%d0101000000Z' % last)


def certificates_are_looked_at():
	with tempfile.TemporaryDirectory() as folder:
		make_certificates(folder)
		cert, key, authority, other = (os.path.join(folder, name) for name in ('cert.pem', 'key.pem', 'ca.pem', 'other-ca.pem'))
		for name, words in (('old', ['certificate has expired', 'renew']), ('young', ['not yet valid', 'clock']),
				('elsewhere', ['certificate subject name', "'127.0.0.1'", 'in the URL'])):
			with Double('--tls', os.path.join(folder, name + '.pem'), key) as double:
				said = run('--ca-file', authority, '-c', '1', MSB_SERVER_URL=double.url)
				expect_sentence(said, *words)
				expect('--ca-file' not in said.err, said, 'no advice that does not help')
		process = subprocess.Popen([sys.executable, '-B', os.path.join(HERE, 'double.py'), '--tls', cert, key],
			stdout=subprocess.PIPE, text=True)
		url = process.stdout.readline().strip()
		try:
			expect_sentence(run('-c', '1', MSB_SERVER_URL=url), 'certificate', '--ca-file')
			expect_sentence(run('--ca-file', other, '-c', '1', MSB_SERVER_URL=url), 'certificate', '--ca-file')
			expect_sentence(run('--ca-file', key, '-c', '1', MSB_SERVER_URL=url), 'certificate file', 'PEM')
			expect_out(run('--ca-file', authority, '-c', '1', MSB_SERVER_URL=url), '1\n')
			expect_out(run('-c', '1', MSB_SERVER_URL=url, SSL_CERT_FILE=authority), '1\n')
			expect_sentence(run('--ca-file', '/nonexistent.pem', '-c', '1', MSB_SERVER_URL=url), '/nonexistent.pem')
			plain = url.replace('https', 'http')
			expect_sentence(run('-c', '1', MSB_SERVER_URL=plain), plain, 'https:// perhaps')
		finally:
			process.terminate()
			process.wait()
	with Double() as double:
		expect_sentence(run('-c', '1', MSB_SERVER_URL=double.url.replace('http', 'https')), 'http://')


def proxies_are_used():
	"""A proxy that answers itself: what is asked of it goes nowhere else."""
	asked, answers = [], []

	def serve(listener):
		while True:
			try:
				connection, _ = listener.accept()
			except OSError:
				return
			with connection:
				asked.append(connection.recv(65536).split(b'\r\n')[0])
				connection.sendall(answers[0] if answers else b'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n'
					b'Connection: close\r\n\r\nproxy is up')

	with socket.create_server(('127.0.0.1', 0)) as listener:
		threading.Thread(target=serve, args=(listener,), daemon=True).start()
		proxy = 'http://127.0.0.1:%d' % listener.getsockname()[1]
		said = run('-c', '1', MSB_SERVER_URL='http://sandboxes.invalid:5555', http_proxy=proxy)
		expect_sentence(said, 'proxy is up')
		expect(asked and b'http://sandboxes.invalid:5555/api/v1/' in asked[0], said, 'the proxy asked')
		with Double() as double:
			said = run('-c', '1', MSB_SERVER_URL=double.url, http_proxy=proxy, no_proxy='127.0.0.1')
			expect_out(said, '1\n')
			expect_out(run('-c', '1', MSB_SERVER_URL=double.url, https_proxy=proxy), '1\n')
		far = 'https://sandboxes.invalid:5555'
		for answer, *words in ((b'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 'the proxy refuses', '403'),
				(b'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n', 'name and password'),
				(b'', 'the proxy ended the connection')):
			answers[:] = [answer]
			said = run('-c', '1', MSB_SERVER_URL=far, https_proxy=proxy)
			expect_sentence(said, *words, 'set by https_proxy', 'NO_PROXY')
			expect(b'CONNECT sandboxes.invalid:5555' in asked[-1], said, 'the proxy asked')
		answers[:] = [b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 32\r\nConnection: close\r\n\r\n'
			b'<html><title>Log in</title><html']
		expect_sentence(run('-c', '1', MSB_SERVER_URL='http://sandboxes.invalid', http_proxy=proxy), "'Log in'", 'http_proxy')
	with socket.socket() as s:
		s.bind(('127.0.0.1', 0))
		dead = 'http://127.0.0.1:%d' % s.getsockname()[1]
		for scheme in 'http', 'https':
			said = run('-c', '1', MSB_SERVER_URL=scheme + '://127.0.0.1:1', **{scheme + '_proxy': dead})
			expect_sentence(said, 'the proxy 127.0.0.1', 'refused', scheme + '_proxy')
		for env in {'http_proxy': proxy, 'no_proxy': '127.0.0.1'}, {'https_proxy': proxy}:
			said = run('-c', '1', MSB_SERVER_URL=dead, **env)
			expect_sentence(said, 'refused', 'terrarium serve')
			expect('proxy' not in said.err, said, 'not a word of a proxy that is not used')


def post(double, method, **params):
	body = {'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': {'namespace': 'default', **params}}
	request = urllib.request.Request(double.url + '/api/v1/rpc', json.dumps(body).encode(),
		{'Content-Type': 'application/json'})
	with urllib.request.urlopen(request) as answer:
		return json.load(answer)['result']


def peer_runs_are_joined_and_left_running():
	"""A server that knows nothing of us has sandboxes that somebody else has started."""
	def line(command, *args, **env):
		return end(begin(command, '--backend', 'microsandbox', *args, **env))

	with Double() as double, tempfile.TemporaryDirectory() as folder:
		env = {'MSB_SERVER_URL': double.url}
		post(double, 'sandbox.start', sandbox='theirs', config={'image': 'microsandbox/python'})
		post(double, 'sandbox.repl.run', sandbox='theirs', language='python', code='x = 6')
		said = run('--name', 'theirs', '-c', 'print(x * 7)', **env)
		expect_out(said, '42\n')
		expect(not said.err, said, 'nothing to be said')
		for wish in ('--memory', '64'), ('--image', 'my/python'), ('--volume', 'data:/data'):
			said = run('--name', 'theirs', *wish, '-c', 'print(x * 7)', **env)
			expect(said.out == '42\n' and said.err.count("'theirs' is already running") == 1, said, 'that it changes nothing')
		expect_out(line('exec', 'theirs', '--', 'echo', 'hi', **env), 'hi\n')
		expect_out(line('ps', '--names', **env), 'theirs\n')
		said = line('metrics', 'theirs', '--json', **env)
		expect(said.code == 0 and json.loads(said.out)['name'] == 'theirs', said, 'figures')
		said = line('inspect', 'theirs', '--json', **env)
		expect(said.code == 0 and json.loads(said.out)['namespace'] == 'default', said, 'what is known')
		with open(folder + '/a', 'w') as file:
			file.write('text')
		expect_out(line('cp', 'a', 'theirs:' + folder + '/b', cwd=folder, **env), '')
		expect_out(line('cp', 'theirs:' + folder + '/b', '-', cwd=folder, **env), 'text')
		expect_sentence(line('exec', 'nobody', '--', 'true', **env), 'nobody', 'default')
		expect(not double.requests('sandbox.stop') and len(double.requests('sandbox.start')) == 1, said,
			'no start, and no stop')
		expect_out(run('--name', 'ours', '-c', '1', **env), '1\n')
		expect([r['params']['sandbox'] for r in double.requests('sandbox.stop')] == ['ours'], said, 'ours stopped')


def what_is_joined_is_started_again_as_it_was():
	"""A time-out costs a plain server's sandbox: its successor is as whoever began it wanted it, not as we would."""
	with Double() as double:
		config = {'image': 'my/python', 'memory': 300, 'envs': ['OWN=7']}
		post(double, 'sandbox.start', sandbox='theirs', config=config)
		code = 'import os; print(os.environ.get("OWN"))'
		# The limit is long enough for the second code, which starts an interpreter, on a machine that is busy.
		said = run('--name', 'theirs', '--timeout', '4', '-c', 'import time; time.sleep(60)', '-c', code, MSB_SERVER_URL=double.url)
		expect(said.out == '7\n' and said.code == 124, said, "the first client's variable")
		expect(double.heard()['sandboxes'].get('default/theirs'), said, 'it runs')


def a_server_is_started_anew():
	"""… and knows nothing of what ran there: that is noticed, by whoever only looks on, too."""
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		post(double, 'sandbox.start', sandbox='lab', config={'image': 'microsandbox/python'})
		port = double.url.rsplit(':', 1)[1]
		watch = begin('metrics', 'lab', '--watch', '--json', '--interval', '0.2', '--backend', 'microsandbox', **env)
		args = ['repl', '--yes', '--backend', 'microsandbox', '--name', 'lab']
		repl = subprocess.Popen([TERRARIUM, *args], env=environment(HOME.name, **env), stdin=subprocess.PIPE,
			stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		repl.stdin.write('6 * 7\n')
		repl.stdin.flush()
		repl.stdout.readline()
		watch.stdout.readline()
		double.__exit__()
		with Double('--port', port):
			repl.stdin.write('6 * 8\n')
			repl.stdin.flush()
			out, err = '', ''
			while 'no longer' not in err and (line := repl.stderr.readline()):
				err += line
			repl.stdin.close()
			repl.wait(timeout=60)
			said = Said(args, repl.returncode, out, err)
			expect(said.code == 125 and "'lab' no longer runs" in err, said, 'that it is gone')
			said = end(watch)
			expect("'lab' no longer runs" in said.out or 'refused' in said.out, said, 'that it is gone')


def what_is_not_there_is_no_success():
	"""Nobody types anything: a workbench that has had no sandbox says why, and fails."""
	def line(*args, **env):
		return end(begin(*args, '--backend', 'microsandbox', **env))

	with socket.socket() as s, Double() as double:
		s.bind(('127.0.0.1', 0))
		closed = 'http://127.0.0.1:%d' % s.getsockname()[1]
		expect_sentence(line('attach', 'nobody', MSB_SERVER_URL=double.url), "no running sandbox 'nobody'", double.url)
		expect_sentence(line('attach', 'nobody', MSB_SERVER_URL=closed), "'nobody'", closed, 'refused')
		said = line(MSB_SERVER_URL=closed)
		expect(said.out.count('refused') == 1, said, 'the reason, once on stdout')
		said.out = ''
		expect_sentence(said, closed, 'refused')
		said = line(MSB_SERVER_URL=double.url)
		expect(said.code == 0 and not said.err, said, 'a sandbox, and so no failure')
	with Double() as double:
		env = {'MSB_SERVER_URL': double.url}
		expect_sentence(line('stop', 'nobody', **env), "there is no sandbox 'nobody'", double.url, code=1)
		post(double, 'sandbox.start', sandbox='theirs', config={'image': 'microsandbox/python'})
		expect_out(line('stop', 'theirs', **env), 'theirs\n')


def main():
	for case in (code_runs, code_need_not_suit_a_prompt, lines_are_typed, the_repl_knows_where_it_is,
			commands_do_without_a_terminal, every_error_form_is_a_sentence,
			odd_results_are_understood_or_refused, time_runs_out, nobody_is_there, keys_open_and_are_not_seen, a_key_may_expire_in_the_middle,
			what_has_failed_is_not_lost,
			settings_have_their_order, an_interrupt_costs_the_state, a_start_that_is_given_up_leaves_nothing, an_end_that_fails_is_reported, files_go_both_ways,
			copied_files_are_as_they_were, much_is_copied, a_copy_that_is_broken_off_leaves_nothing, pieces_may_be_refused,
			certificates_are_looked_at, proxies_are_used,
			peer_runs_are_joined_and_left_running, what_is_joined_is_started_again_as_it_was, a_server_is_started_anew,
			what_is_not_there_is_no_success):
		before, began = n_wrong, time.monotonic()
		case()
		if case in (files_go_both_ways, copied_files_are_as_they_were, much_is_copied, a_copy_that_is_broken_off_leaves_nothing):
			case('--files')
		print('%-40s %s %.1f s' % (case.__name__, 'ok' if n_wrong == before else 'WRONG', time.monotonic() - began),
			flush=True)
	return 1 if n_wrong else 0


if __name__ == '__main__':
	sys.exit(main())
