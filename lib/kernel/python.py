# SPDX-License-Identifier: MIT
"""The kernel driver for Python. What is spoken on its descriptors is in kernel.h.

The first section is compiled at every start and is kept short; those that begin
with "#:" are compiled when something in them is first wanted. Modules that take
long to import (traceback, asyncio, inspect) are imported there, or never.

Signals: SIGINT raises KeyboardInterrupt while `state` is RUNNING, which it is only
while code of the user runs. An assignment to `state` is the first thing after that
code has ended, one way or the other: the interpreter looks for signals at calls and
at loops, so nothing comes in between.
"""
import _io
import _signal
import _thread
import builtins
import os
import sys
import time
from _json import encode_basestring_ascii, make_scanner

DRIVER = '<terrarium>'  # our own file name, by which our frames are known
WAITING, TAKEN, RUNNING, SHIELDED, ENDING = range(5)
BURST = 64  # lines of a run that are written one by one; then in blocks
BLOCK = 65536
VALUE_MAX = 1_000_000
SOURCES_MAX = 1000
ONLY_AST, AWAIT, COROUTINE = 0x400, 0x2000, 0x80  # PyCF_ONLY_AST, PyCF_ALLOW_TOP_LEVEL_AWAIT, CO_COROUTINE
FUTURES = 0x1FE0000  # CO_FUTURE_DIVISION to CO_FUTURE_ANNOTATIONS
SPAWNS = frozenset(('subprocess.Popen', 'os.system', 'os.posix_spawn', 'os.fork', 'os.forkpty', 'os.exec'))

main = sys.modules['__main__']
names = main.__dict__  # of the user's code
sources = {}  # file name of a run: its code
line_cache = None  # that of linecache, once somebody has imported it
flags = 0  # `from __future__` of earlier runs
event_loop = None
first_excepthook = sys.excepthook  # a distribution may have put in its own
real_input = builtins.input
write_lock = _thread.allocate_lock()  # of the event pipe
main_thread = _thread.get_ident()

state = WAITING
early = 0  # an interrupt came before its run began: good until this time, ns
run_id = None
spawned = False  # the run has started processes
in_child = False  # we are a process that the user's code has forked
in_blocks = False  # stdout is buffered in blocks
flusher_tid = 0
flusher_wake = _thread.allocate_lock()
late_threads = set()  # of earlier runs: what they print is not the run's
children_cpu = 0.0
current_set = 0


def later(section, name):
	"""A function out of one of the later sections."""
	here = globals()
	if name not in here:
		text = source[source.index('\n#: ' + section):]
		end = text.find('\n#: ', 1)
		exec(compile(text[:end] if end > 0 else text, DRIVER, 'exec'), here)
	return here[name]


# ---- descriptors and events -------------------------------------------------------

def keep(fd, place):
	"""Move a descriptor of ours out of the user's way. Not inherited by children."""
	try:
		os.dup2(fd, place, False)
	except OSError:  # too few descriptors allowed
		os.set_inheritable(fd, False)
		return fd
	os.close(fd)
	return place


requests, events = keep(3, 240), keep(4, 241)
set_fds = [os.dup(1), os.dup(2)]  # stdout and stderr of set k: 2k and 2k + 1
set_fds = [keep(fd, 242 + i) for i, fd in enumerate(set_fds + list(range(10, 18)))]


class Scanner:
	strict = False
	object_hook = object_pairs_hook = parse_constant = None
	parse_float, parse_int, memo = float, int, {}


scan = make_scanner(Scanner)


def quote(text):
	"""A JSON string that every parser takes: no lone surrogates, no NUL."""
	if not text.isascii():
		text = text.encode('utf-8', 'backslashreplace').decode()
	if '\0' in text:
		text = text.replace('\0', '\ufffd')
	return encode_basestring_ascii(text)


def put(line):
	data = line.encode()
	try:
		with write_lock:
			n = os.write(events, data)
			while n < len(data):
				n += os.write(events, data[n:n + BLOCK])
	except OSError:
		os._exit(1)  # nobody listens any more


def put_shielded(line):
	"""Write an event from within the user's code; an interrupt waits until it is whole."""
	global state, early
	if in_child:
		return
	if _thread.get_ident() != main_thread:
		return put(line)
	before = state
	if before == RUNNING:
		state = SHIELDED
	put(line)
	state = before
	if before == RUNNING and early:
		early = 0
		raise KeyboardInterrupt


def is_ready(fd):
	from select import POLLIN, poll
	poller = poll()
	poller.register(fd, POLLIN)
	return bool(poller.poll(0))


def on_interrupt(signum, frame):
	"""Before a run it counts if the request is here or has just been taken; after one it is too late."""
	global early
	if state == RUNNING:
		raise KeyboardInterrupt
	if state != ENDING:
		is_meant = state != WAITING or is_ready(requests)
		early = time.monotonic_ns() + (1_000_000_000 if is_meant else 100_000)


def is_interrupted_early():
	global early
	until, early = early, 0
	return time.monotonic_ns() < until


# ---- standard streams -------------------------------------------------------------

class Output(_io._RawIOBase):
	mode = 'wb'

	def __init__(self, fd, name):
		self.fd, self.name = fd, name

	def writable(self):
		return True

	def fileno(self):
		return self.fd

	def write(self, data):
		if late_threads and _thread.get_native_id() in late_threads:
			text = bytes(data).decode('utf-8', 'replace')
			put_shielded(f'{{"ev":"late","stream":"{self.name[1:-1]}","text":{quote(text)}}}\n')
			return len(data)
		try:
			return os.write(self.fd, data)
		except BlockingIOError:  # a child has changed the pipe, which is its as well as ours
			os.set_blocking(self.fd, True)
			return os.write(self.fd, data)


class Lines(_io.BufferedWriter):
	"""Buffer of stdout: many lines one after the other go out in blocks."""
	count = 0

	def flush(self, flush=_io.BufferedWriter.flush):
		flush(self)
		self.count += 1
		if self.count == BURST and not late_threads and not in_child:
			begin_blocks()


class Input(_io._RawIOBase):
	name, mode = '<stdin>', 'rb'
	prompt, is_secret = '', False

	def readable(self):
		return True

	def fileno(self):
		return 0

	def readinto(self, buffer):
		if run_id is not None and not in_child and not is_ready(0):
			flush()
			put_shielded(f'{{"ev":"input","id":{run_id},"prompt":{quote(self.prompt[:10000])},'
				f'"secret":{"true" if self.is_secret else "false"}}}\n')
		return os.readv(0, [buffer])


def open_streams():
	global stdin, stdout, stderr, reader, lines
	reader = Input()
	lines = Lines(Output(1, '<stdout>'), BLOCK)
	stdin = _io.TextIOWrapper(_io.BufferedReader(reader), 'utf-8', 'surrogateescape')
	stdout = _io.TextIOWrapper(lines, 'utf-8', 'backslashreplace', '\n', True)
	stderr = _io.TextIOWrapper(_io.BufferedWriter(Output(2, '<stderr>')), 'utf-8', 'backslashreplace', '\n', True)
	sys.stdin = sys.__stdin__ = stdin
	sys.stdout = sys.__stdout__ = stdout
	sys.stderr = sys.__stderr__ = stderr


def flush():
	try:
		stdout.flush()
		stderr.flush()
	except (OSError, ValueError):
		later('mending', 'mend_streams')()


def begin_blocks():
	global in_blocks, flusher_tid
	in_blocks = True
	stdout.reconfigure(line_buffering=False)
	if not flusher_tid:
		flusher_tid = -1
		_thread.start_new_thread(flush_now_and_then, ())
	elif flusher_wake.locked():
		flusher_wake.release()


def flush_now_and_then():
	"""A thread: what is printed slowly is seen soon. Sleeps without waking outside of floods."""
	global flusher_tid
	flusher_tid = _thread.get_native_id()
	while True:
		while in_blocks:
			time.sleep(0.03)
			if in_blocks:
				try:
					stdout.flush()
				except (OSError, ValueError):
					break
		flusher_wake.acquire()


def end_blocks():
	global in_blocks
	in_blocks = False
	try:
		stdout.reconfigure(line_buffering=True)
	except ValueError:
		pass  # closed; the next flush() will see


def ask(prompt='', /):
	"""Read a line from standard input, without its newline. The prompt is printed first."""
	text = reader.prompt = str(prompt)
	try:
		return real_input(text)
	finally:
		reader.prompt = ''


def on_audit(event, args):
	if event in SPAWNS:
		note_spawn()


def note_spawn():
	global spawned
	spawned = True
	flush()  # what was printed before comes before what the process prints


def after_fork():
	global in_child, in_blocks
	in_child, in_blocks = True, False
	stdout.reconfigure(line_buffering=True)
	for fd in (requests, events, *set_fds):
		os.close(fd)


# ---- running ------------------------------------------------------------------------

class ImportWatch:
	"""Finder that adds to modules of the standard library what they should know of us."""

	@staticmethod
	def find_spec(name, path=None, target=None):
		after = on_import.pop(name, None)
		spec = after and sys.modules['_frozen_importlib_external'].PathFinder.find_spec(name, path)
		if spec:
			load = spec.loader.exec_module

			def exec_module(module):
				load(module)
				after(module)
			spec.loader.exec_module = exec_module
		return spec


def share_sources(linecache):
	global line_cache
	line_cache = linecache.cache
	for file, code in sources.items():
		remember(file, code)


def share_getpass(getpass):
	getpass.getpass = later('mending', 'ask_secret')


def share_spawns(util):
	"""The one way to start a process that raises no audit event."""
	spawn = util.spawnv_passfds

	def spawnv_passfds(path, args, passfds):
		note_spawn()
		return spawn(path, args, passfds)
	util.spawnv_passfds = spawnv_passfds


on_import = {'linecache': share_sources, 'getpass': share_getpass, 'multiprocessing.util': share_spawns}


def remember(file, code):
	"""For tracebacks and inspect.getsource()."""
	sources[file] = code
	if len(sources) > SOURCES_MAX:
		oldest = next(iter(sources))
		del sources[oldest]
		if line_cache is not None:
			line_cache.pop(oldest, None)
	if line_cache is not None:
		line_cache[file] = (len(code), None, [line + '\n' for line in code.split('\n')], file)


def parse(code, file):
	"""Code objects of everything but the last expression, and of that; either may be None."""
	global flags
	indented = None
	try:
		tree = compile(code, file, 'exec', flags | AWAIT | ONLY_AST, True)
	except IndentationError as e:
		indented = e
	except ValueError:
		later('mending', 'refuse')(code, file)
	except RecursionError:  # nested too deeply for a tree of objects, but perhaps not for the compiler
		return compile(code, file, 'exec', flags | AWAIT, True), None
	if indented:
		code = later('mending', 'dedent')(code)
		if code is None:
			raise indented
		remember(file, code)
		tree = compile(code, file, 'exec', flags | AWAIT | ONLY_AST, True)
	from _ast import Expr, Expression
	last = tree.body.pop() if tree.body and type(tree.body[-1]) is Expr else None
	body = compile(tree, file, 'exec', flags | AWAIT, True)
	flags |= body.co_flags & FUTURES
	if last:
		last = compile(Expression(last.value), file, 'eval', flags | AWAIT, True)
	return body, last


def call(code):
	result = eval(code, names)
	if code.co_flags & COROUTINE:
		result = later('awaiting', 'run_in_loop')(result)
	return result


def execute(code, file):
	"""Run code; gives the value of its last expression."""
	remember(file, code)
	body = last = None
	if len(code) < 500 and '\\' not in code:  # a lone expression needs no tree, which is slow at first
		try:
			last = compile(code, file, 'eval', flags | AWAIT, True)
		except (SyntaxError, ValueError):
			pass
	if not last:
		body, last = parse(code, file)
	if body:
		call(body)
	return call(last) if last else None


def show(value):
	"""The text of a value, as the interactive interpreter shows it; the value becomes `_`."""
	if sys.displayhook is not sys.__displayhook__:
		sys.displayhook(value)
		return None
	builtins._ = None
	if type(value).__flags__ & 512:  # of a class made at run time, so it may know better than repr()
		later('display', 'show_rich')(value)
	text = repr(value)
	builtins._ = value
	if len(text) > VALUE_MAX:
		text = f'{text[:VALUE_MAX]}… {len(text) - VALUE_MAX} more characters'
	return text


def brief_error(error):
	"""Members of `done` for an exception, without importing anything."""
	rows, tb = [], error.__traceback__
	while tb:
		code = tb.tb_frame.f_code
		if code.co_filename != DRIVER:
			row = f'  File "{code.co_filename}", line {tb.tb_lineno}, in {code.co_name}'
			text = sources.get(code.co_filename, '').split('\n')[tb.tb_lineno - 1:tb.tb_lineno]
			rows.append(row + f'\n    {text[0].strip()}' if text else row)
		tb = tb.tb_next
	if rows:
		rows.insert(0, 'Traceback (most recent call last):')
	if len(rows) > 60:
		rows[20:-20] = [f'  … {len(rows) - 40} frames left out …']
	name = type(error).__name__
	try:
		message = str(error)
	except BaseException:
		message = ''
	rows.append(f'{name}: {message}' if message else name)
	return error_member(name, message, '\n'.join(rows).split('\n'))


def error_member(name, message, rows):
	return f',"error":{{"name":{quote(name)},"message":{quote(message)},"traceback":[{",".join(map(quote, rows))}]}}'


def explain(error):
	"""Status, and members of `done`, for what ended a run. Runs code of the user's: messages, hooks."""
	global state
	try:
		state = RUNNING
		if isinstance(error, SystemExit):
			result = later('mending', 'explain_exit')(error)
		elif isinstance(error, KeyboardInterrupt):
			result = 'interrupted', brief_error(error)
		else:
			result = 'error', later('errors', 'describe')(error)
		state = ENDING
	except BaseException:
		state = ENDING
		result = 'error', brief_error(error)
	return result


def finish():
	"""Everything that the run has printed goes out; gives members of `done`."""
	global spawned
	if in_blocks:
		end_blocks()
	flush()
	if 'ctypes' in sys.modules:
		later('mending', 'flush_c')()
	if _signal.getsignal(_signal.SIGINT) is not on_interrupt:
		_signal.signal(_signal.SIGINT, on_interrupt)
	if late_threads or _thread._count() > (1 if flusher_tid else 0):
		later('mending', 'note_threads')()
	if not spawned:
		return ''
	spawned = False
	return later('mending', 'leave_set')()


def cpu_us():
	spent = os.times()
	return time.process_time_ns() // 1000 + int((spent.children_user + spent.children_system) * 1e6)


def run(request):
	global state, run_id
	code, file = request['code'], request.get('file') or '<run>'
	if '\r' in code:
		code = code.replace('\r\n', '\n').replace('\r', '\n')
	if code[:1] == '\ufeff':
		code = code[1:]
	run_id = quote(request['id'])
	lines.count = 0
	began = cpu_us()
	text = error = None
	status, members = 'ok', ''
	try:
		state = RUNNING
		if early and is_interrupted_early():
			raise KeyboardInterrupt
		text = execute(code, file)
		if text is not None:
			text = show(text)
		state = ENDING
	except BaseException as e:
		state = ENDING
		error = e
	if in_child:
		later('mending', 'leave_child')(error)
	if error is not None:
		text = None
		status, members = explain(error)
	elif text is not None:
		members = ',"value":' + quote(text)
	members += finish()
	put(f'{{"ev":"done","id":{run_id},"status":"{status}"{members},"cpu_us":{cpu_us() - began}}}\n')
	run_id = None


def answer(request):
	global state
	try:
		state = RUNNING
		members = '"data":' + later('questions', 'answer_to')(request)
		state = ENDING
	except BaseException as e:
		state = ENDING
		members = '"error":' + quote(f'the kernel could not answer: {type(e).__name__}')
	if in_child:
		os._exit(1)
	flush()
	put(f'{{"ev":"reply","id":{quote(request["id"])},{members}}}\n')


def leave():
	"""The other side is gone. Threads that still run are not waited for."""
	import atexit
	try:
		atexit._run_exitfuncs()
		flush()
	finally:
		os._exit(0)


def take(line):
	global state, early
	state = TAKEN
	request = scan(line.decode('utf-8', 'replace'), 0)[0]
	if request['op'] == 'run':
		run(request)
	else:
		answer(request)
	state = WAITING


def serve():
	global state
	rest = []
	while True:
		data = os.read(requests, BLOCK)
		state = TAKEN
		if not data:
			leave()
		rest.append(data)
		if b'\n' in data:
			*whole, last = b''.join(rest).split(b'\n')
			rest = [last]
			for line in whole:
				take(line)
		state = WAITING


def display(*values, raw=False):
	"""Show values as richly as the front end can: images, HTML, Markdown, SVG, or their text."""
	for value in values:
		later('display', 'put_display')(value, raw)


_signal.signal(_signal.SIGINT, on_interrupt)
open_streams()
sys.argv = ['']
sys.meta_path.insert(0, ImportWatch)
sys.addaudithook(on_audit)
os.register_at_fork(after_in_child=after_fork)
builtins.input, builtins.display = ask, display
put(f'{{"ev":"ready","version":"{sys.version.split()[0]}"}}\n')
serve()

#: mending

def mend_streams():
	"""The user's code has closed a stream, or its descriptor."""
	for fd in 1, 2:
		try:
			os.fstat(fd)
		except OSError:
			if not in_child:
				os.dup2(set_fds[2 * current_set + fd - 1], fd)
	mine = stdin, stdout, stderr
	theirs = sys.stdin, sys.stdout, sys.stderr
	open_streams()
	sys.stdin, sys.stdout, sys.stderr = (new if old is my else old
		for new, old, my in zip((stdin, stdout, stderr), theirs, mine))


def ask_secret(prompt='Password: ', stream=None):
	"""Read a line that is not to be shown."""
	stdout.write(str(prompt))
	stdout.flush()
	reader.prompt, reader.is_secret = str(prompt), True
	try:
		line = stdin.readline()
	finally:
		reader.prompt, reader.is_secret = '', False
	if not line:
		raise EOFError
	return line.rstrip('\n')


def dedent(code):
	"""Code of which every line is indented, moved to the left; None if it is not like that."""
	rows = code.split('\n')
	first = next((row for row in rows if row.strip()), '')
	margin = first[:len(first) - len(first.lstrip())]
	if not margin or not all(row.startswith(margin) or not row.strip() for row in rows):
		return None
	return '\n'.join(row[len(margin):] for row in rows)


def refuse(code, file):
	"""Code that cannot even be encoded."""
	odd = next((i for i, char in enumerate(code) if char == '\0' or '\ud800' <= char <= '\udfff'), len(code))
	what = 'null characters' if code[odd:odd + 1] == '\0' else 'half characters (lone surrogates)'
	row = code.count('\n', 0, odd)
	raise SyntaxError(f'source code cannot contain {what}',
		(file, row + 1, odd - code.rfind('\n', 0, odd), None)) from None


def explain_exit(error):
	if stdin.closed:  # exit() does that
		mend_streams()
	code = error.code
	if code is None:
		code = 0
	elif not isinstance(code, int):
		print(code, file=sys.stderr)
		code = 1
	code = int(code) & 0xff
	return 'error' if code else 'ok', f',"exit_code":{code}'


def leave_child(error):
	"""A fork of ours has come back from the user's code: it ends, as any program would."""
	code = 0
	try:
		if isinstance(error, SystemExit):
			explained = explain_exit(error)[1]
			code = int(explained[explained.index(':') + 1:])
		elif error is not None:
			code = 1
			tb = error.__traceback__
			while tb and tb.tb_frame.f_code.co_filename == DRIVER:
				tb = tb.tb_next
			sys.excepthook(type(error), error, tb)
		flush()
	finally:
		os._exit(code)


c_library = None


def flush_c():
	"""What C code has printed with stdio. (ctypes is there when numpy and the like are.)"""
	global c_library
	try:
		if c_library is None:
			c_library = sys.modules['ctypes'].CDLL(None)
		c_library.fflush(None)
	except (AttributeError, OSError):
		pass  # a ctypes that was not imported to its end


def note_threads():
	"""All threads that are alive now belong to this run or an earlier one."""
	late_threads.clear()
	if _thread._count() > (1 if flusher_tid else 0):
		late_threads.update(map(int, os.listdir('/proc/self/task')))
		late_threads.difference_update((_thread.get_native_id(), flusher_tid))
		follow_threads()


def follow_threads():
	"""A thread that is started by a late one is late too (timers that renew themselves)."""
	threading = sys.modules.get('threading')
	start = getattr(threading, '_start_new_thread', None)
	if start is None or getattr(start, '__module__', None) == __name__:
		return

	def start_new_thread(function, args, kwargs={}):
		if _thread.get_native_id() not in late_threads:
			return start(function, args, kwargs)

		def bootstrap(*args, **kwargs):
			late_threads.add(_thread.get_native_id())
			return function(*args, **kwargs)
		return start(bootstrap, args, kwargs)
	threading._start_new_thread = start_new_thread


def writers():
	"""Which of our output pipes other processes can write to: a set of their names in /proc."""
	ours = {os.readlink(f'/proc/self/fd/{fd}') for fd in set_fds}
	held = set()
	for pid in os.listdir('/proc'):
		if not pid.isdigit() or int(pid) == os.getpid():
			continue
		try:
			for fd in os.listdir(f'/proc/{pid}/fd'):
				link = os.readlink(f'/proc/{pid}/fd/{fd}')
				if link in ours and link not in held:
					with open(f'/proc/{pid}/fdinfo/{fd}') as info:
						rows = dict(row.split(':', 1) for row in info if ':' in row)
					if int(rows['flags'], 8) & os.O_ACCMODE != os.O_RDONLY:
						held.add(link)
		except OSError:
			continue  # gone, or not ours to look at
	return held


def leave_set():
	"""Processes of this run may go on printing: later runs take other pipes. Gives members of `done`."""
	global current_set
	try:
		held = writers()
	except OSError:
		held = set(map(str, range(len(set_fds))))  # no /proc: it cannot be excluded
		taken = [True] * (len(set_fds) // 2)
	else:
		taken = [any(os.readlink(f'/proc/self/fd/{fd}') in held for fd in set_fds[k:k + 2])
			for k in range(0, len(set_fds), 2)]
	if not taken[current_set]:
		return ''
	n = len(taken)
	order = [(current_set + i) % n for i in range(1, n)]
	current_set = next((k for k in order if not taken[k]), order[0])
	os.dup2(set_fds[2 * current_set], 1)
	os.dup2(set_fds[2 * current_set + 1], 2)
	return f',"set":{current_set}'

#: awaiting

import asyncio


def run_in_loop(coroutine):
	"""Top-level await. The loop stays for later runs, and so do its tasks."""
	global event_loop
	if event_loop is None or event_loop.is_closed():
		event_loop = asyncio.new_event_loop()
	asyncio.set_event_loop(event_loop)
	task = event_loop.create_task(coroutine)
	try:
		return event_loop.run_until_complete(task)
	except BaseException:
		if not task.done():
			task.cancel()
			try:
				event_loop.run_until_complete(task)
			except asyncio.CancelledError:
				pass
		raise

#: errors

import linecache
import traceback

MESSAGE_MAX = 100_000
ROW_MAX = 4000
ROWS_MAX = 200
ASYNCIO = os.path.dirname(traceback.__file__) + '/asyncio/'


def describe(error):
	"""The whole story: user's frames, causes, groups, carets, notes."""
	tb = error.__traceback__
	while tb and is_inner(tb.tb_frame.f_code.co_filename):
		tb = tb.tb_next
	if tb:
		error.__traceback__ = tb
	sys.last_type, sys.last_value, sys.last_traceback = type(error), error, tb
	limit = sys.getrecursionlimit()
	try:
		sys.setrecursionlimit(max(limit, 1000))
		message = message_of(error)
		if sys.excepthook is not first_excepthook and sys.excepthook is not sys.__excepthook__:
			sys.excepthook(type(error), error, tb)
			return error_member(type(error).__name__, message, [])
		story = traceback.TracebackException(type(error), error, tb, compact=True)
		drop_own_frames(story)
		rows = ''.join(story.format()).rstrip('\n').split('\n')
	finally:
		sys.setrecursionlimit(limit)
	if len(rows) > ROWS_MAX:
		half = ROWS_MAX // 2
		rows[half:-half] = [f'  … {len(rows) - ROWS_MAX} lines left out …']
	rows = [row if len(row) <= ROW_MAX else row[:ROW_MAX] + '…' for row in rows]
	return error_member(type(error).__name__, message, rows)


def is_inner(file):
	return file == DRIVER or file.startswith(ASYNCIO)


def message_of(error):
	message = error.msg if isinstance(error, SyntaxError) and isinstance(error.msg, str) else str(error)
	return message if len(message) <= MESSAGE_MAX else message[:MESSAGE_MAX] + '…'


def drop_own_frames(story, seen=None):
	seen = seen or set()
	if story is None or id(story) in seen:
		return
	seen.add(id(story))
	story.stack[:] = [frame for frame in story.stack if frame.filename != DRIVER]
	for other in (story.__cause__, story.__context__, *(getattr(story, 'exceptions', None) or ())):
		drop_own_frames(other, seen)

#: display

import binascii

DISPLAY_MAX = 16 << 20
METHODS = (
	('_repr_png_', 'image/png'), ('_repr_jpeg_', 'image/jpeg'), ('_repr_svg_', 'image/svg+xml'),
	('_repr_html_', 'text/html'), ('_repr_markdown_', 'text/markdown'), ('_repr_latex_', 'text/latex'),
)


def bundle_of(value):
	"""MIME types and data that the value's class offers."""
	bundle, kind = {}, type(value)
	if callable(getattr(kind, '_repr_mimebundle_', None)):
		data = first_of(value._repr_mimebundle_())
		if isinstance(data, dict):
			bundle.update(data)
	for method, mime in METHODS:
		if callable(getattr(kind, method, None)):
			data = first_of(getattr(value, method)())
			if data is not None:
				bundle[mime] = data
	return bundle


def first_of(data):
	"""Jupyter's methods may give (data, metadata)."""
	return data[0] if isinstance(data, tuple) and data else data


def put_bundle(bundle):
	members = []
	for mime, data in bundle.items():
		if isinstance(data, (bytes, bytearray, memoryview)):
			data = binascii.b2a_base64(data, newline=False).decode()
		if isinstance(mime, str) and isinstance(data, str):
			if len(data) > DISPLAY_MAX:
				mime, data = 'text/plain', f'{mime} left out: {len(data)} characters are too many to show'
			members.append(f'{quote(mime)}:{quote(data)}')
	if members:
		put_shielded(f'{{"ev":"display","id":{run_id or quote("")},"data":{{{",".join(members)}}}}}\n')


def show_rich(value):
	if any(hasattr(type(value), method) for method, _ in METHODS) or hasattr(type(value), '_repr_mimebundle_'):
		flush()
		put_bundle(bundle_of(value))


def put_display(value, raw):
	flush()
	if raw and isinstance(value, dict):
		return put_bundle(value)
	text = repr(value)
	put_bundle({**bundle_of(value), 'text/plain': text[:VALUE_MAX]})

#: questions

import inspect
import keyword
import re
import reprlib
import types

SHORT = 200  # characters of a value in a list
DOC_MAX = 20_000
MATCHES_MAX = 1000
INCOMPLETE = 0x4000  # PyCF_ALLOW_INCOMPLETE_INPUT
STRINGS = re.compile(r"""[rbfuRBFU]{0,2}(?:\'\'\'(?:[^\\]|\\.)*?\'\'\'|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|\#[^\n]*""",
	re.DOTALL)
SAFE = (types.GetSetDescriptorType, types.MemberDescriptorType)  # written in C: reading them runs no code of the user's
NOTHING = object()


def to_json(value):
	if isinstance(value, str):
		return quote(value)
	if value is None or isinstance(value, bool):
		return {None: 'null', True: 'true', False: 'false'}[value]
	if isinstance(value, int):
		return str(value)
	if isinstance(value, dict):
		return '{' + ','.join(f'{quote(k)}:{to_json(v)}' for k, v in value.items()) + '}'
	return '[' + ','.join(map(to_json, value)) + ']'


def short_repr(value):
	try:
		text = short.repr(value)
	except Exception as e:
		text = f'<{type(value).__name__}: repr() raised {type(e).__name__}>'
	text = text.replace('\n', ' ')
	return text if len(text) <= SHORT else text[:SHORT - 1] + '…'


short = reprlib.Repr()
short.maxstring = short.maxother = SHORT
short.maxlong = 60
short.maxlist = short.maxtuple = short.maxset = short.maxfrozenset = short.maxdeque = short.maxarray = short.maxdict = 12


# ---- names -----------------------------------------------------------------------------

def attribute_of(value, name):
	"""An attribute, if it can be had without running code of the user's; else NOTHING."""
	if isinstance(value, types.ModuleType):
		return vars(value).get(name, NOTHING)
	found = inspect.getattr_static(value, name, NOTHING)
	if isinstance(found, SAFE):
		try:
			return found.__get__(value, type(value))
		except Exception:
			return NOTHING
	if isinstance(found, (staticmethod, classmethod)):
		return found.__func__
	return NOTHING if isinstance(found, property) else found


def value_of(dotted):
	first, *rest = dotted.split('.')
	value = names.get(first, NOTHING)
	if value is NOTHING:
		value = vars(builtins).get(first, NOTHING)
	for name in rest:
		if value is NOTHING:
			break
		value = attribute_of(value, name)
	return value


def is_in_text(before):
	"""The cursor is in a string or a comment."""
	rest = STRINGS.sub(lambda m: '#' if m[0][0] == '#' and m.end() == len(before) else ' ', before)
	return '#' in rest or "'" in rest or '"' in rest


def modules_below(package):
	"""Names of the modules in a package, or of all top-level ones. Imports nothing of the user's."""
	import pkgutil
	if not package:
		return {m.name for m in pkgutil.iter_modules()} | set(sys.builtin_module_names)
	path = getattr(sys.modules.get(package), '__path__', None)
	if path is None and '.' not in package:
		import importlib.util
		spec = importlib.util.find_spec(package)
		path = spec and spec.submodule_search_locations
	return {m.name for m in pkgutil.iter_modules(path)} if path else set()


def names_to_import(statement):
	"""Candidates after `import` and `from`; None if this is no such statement."""
	match = re.match(r'\s*(?:from\s+([\w.]+)\s+import\s+(?:\(?\s*(?:\w+(?:\s+as\s+\w+)?\s*,\s*)*)\w*|'
		r'(?:from|import)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*([\w.]*))$', statement)
	if not match:
		return None
	if match[1]:
		module = sys.modules.get(match[1])
		return modules_below(match[1]) | (set(dir(module)) if module else set())
	return modules_below(match[2].rpartition('.')[0])


def parameters_at(before):
	"""`name=` for the parameters of the function whose call the cursor is in."""
	depth = 0
	text = STRINGS.sub(lambda m: '_' * len(m[0]), before)
	for i in range(len(text) - 1, -1, -1):
		depth += (text[i] in ')]}') - (text[i] in '([{')
		if depth < 0:
			called = re.search(r'([^\W\d][\w.]*)$', text[:i]) if text[i] == '(' else None
			value = value_of(called[1]) if called else NOTHING
			if value is NOTHING or not callable(value):
				return set()
			try:
				parameters = inspect.signature(value).parameters.values()
			except (TypeError, ValueError):
				return set()
			return {p.name + '=' for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
	return set()


def candidates(before, owner):
	statement = re.split(r'[\n;]', before)[-1]
	found = names_to_import(statement)
	if found is not None:
		return found
	if owner:
		value = value_of(owner)
		return set() if value is NOTHING else {name for name in dir(value) if isinstance(name, str)}
	return set(names) | set(vars(builtins)) | set(keyword.kwlist) | parameters_at(before)


def complete(request):
	code = request['code']
	cursor = max(0, min(request.get('cursor', len(code)), len(code)))
	before = code[:cursor]
	match = re.search(r'(?:((?:[^\W\d]\w*\.)*[^\W\d]\w*)\s*\.\s*)?([^\W\d]\w*)?$', before)
	owner, prefix = match[1] or '', match[2] or ''
	found = []
	is_number_or_call = not owner and before[:len(before) - len(prefix)].rstrip()[-1:] == '.'
	if not is_in_text(before) and not (is_number_or_call and not re.match(r'\s*(from|import)\b', before)):
		found = [name for name in candidates(before, owner)
			if name.startswith(prefix) and (prefix.startswith('_') or not name.startswith('_'))]
	return {'matches': sorted(found)[:MATCHES_MAX], 'start': cursor - len(prefix), 'end': cursor}


# ---- values ----------------------------------------------------------------------------

def name_at(code, cursor):
	"""The dotted name that the cursor is in or behind, else that of the call that it is in."""
	end = cursor + len(re.match(r'\w*', code[cursor:])[0])
	match = re.search(r'[^\W\d]\w*(?:\.[^\W\d]\w*)*$', code[:end])
	if match:
		return match[0]
	depth = 0
	for i in range(cursor - 1, -1, -1):
		depth += (code[i] in ')]}') - (code[i] in '([{')
		if depth < 0:
			match = re.search(r'[^\W\d]\w*(?:\.[^\W\d]\w*)*$', code[:i])
			return match[0] if match else ''
	return ''


def inspect_name(request):
	code = request['code']
	cursor = max(0, min(request.get('cursor', len(code)), len(code)))
	name = name_at(code, cursor)
	value = value_of(name) if name else NOTHING
	if value is NOTHING:
		return {'found': False}
	answer = {'found': True, 'name': name, 'type': type(value).__name__, 'value': short_repr(value)}
	if callable(value):
		try:
			answer['signature'] = name.rpartition('.')[2] + str(inspect.signature(value))
		except (TypeError, ValueError):
			pass  # written in C, without one
	doc = inspect.getdoc(value)
	if isinstance(doc, str):
		answer['doc'] = doc[:DOC_MAX]
	return answer


def size_of(value):
	"""Elements of a container; its shape, if it has one."""
	try:
		shape = inspect.getattr_static(value, 'shape', None)
		if isinstance(shape, SAFE) or isinstance(shape, property):
			return '×'.join(map(str, value.shape))
		return str(len(value))
	except Exception:
		return ''


def variables(request):
	rows = [{'name': name, 'type': type(value).__name__, 'size': size_of(value), 'value': short_repr(value)}
		for name, value in list(names.items())
		if isinstance(name, str) and not name.startswith('__') and not isinstance(value, types.ModuleType)]
	return {'variables': rows}


def reset(request):
	global flags, event_loop
	kept = {name: names.get(name) for name in ('__name__', '__doc__', '__package__', '__loader__', '__spec__')}
	names.clear()
	names.update(kept, __builtins__=builtins, __annotations__={})
	vars(builtins).pop('_', None)
	sys.modules['__main__'] = main
	flags = 0
	sources.clear()
	if event_loop is not None and not event_loop.is_closed():
		event_loop.close()
	event_loop = None
	sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
	sys.displayhook, sys.excepthook = sys.__displayhook__, first_excepthook
	for name in ('last_type', 'last_value', 'last_traceback'):
		vars(sys).pop(name, None)
	import gc
	gc.collect()
	return {}


# ---- is the code complete? ---------------------------------------------------------------

def is_complete(request):
	code = request['code']
	rows = code.split('\n')
	import warnings
	with warnings.catch_warnings():
		warnings.simplefilter('ignore')
		try:
			tree = compile(code + '\n', '<input>', 'exec', flags | AWAIT | INCOMPLETE | ONLY_AST, True)
			compile(tree, '<input>', 'exec', flags | AWAIT, True)
		except SyntaxError as e:
			if 'incomplete input' not in str(e) and not code.endswith('\\'):
				return {'status': 'invalid', 'indent': ''}
			return {'status': 'incomplete', 'indent': indent_after(code)}
		except (ValueError, OverflowError, RecursionError, MemoryError):
			return {'status': 'invalid', 'indent': ''}
	is_block = bool(tree.body) and (hasattr(tree.body[-1], 'body') or hasattr(tree.body[-1], 'cases'))
	if is_block and rows[-1].strip() and rows[-1][0] in ' \t':  # more may follow until a blank line
		return {'status': 'incomplete', 'indent': indent_after(code)}
	return {'status': 'complete', 'indent': ''}


def indent_after(code):
	if re.search(r"'\'\'|\"\"\"", STRINGS.sub(' ', code)):
		return ''  # in a long string
	rows = [row for row in STRINGS.sub('_', code).split('\n') if row.strip()]
	last = rows[-1].rstrip() if rows else ''
	margin = last[:len(last) - len(last.lstrip())]
	if last.endswith((':', '(', '[', '{')):
		return margin + ('\t' if margin.endswith('\t') else '    ')
	if re.match(r'\s+(return|pass|break|continue|raise)\b', last):
		return margin[:-1] if margin.endswith('\t') else margin[:-4]
	return margin


def answer_to(request):
	return to_json(answers[request['op']](request))


answers = {
	'complete': complete, 'inspect': inspect_name, 'is_complete': is_complete,
	'variables': variables, 'reset': reset,
}
