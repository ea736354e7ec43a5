# SPDX-License-Identifier: MIT
"""The kernel driver for Python. What is spoken on its descriptors is in kernel.h.

Code is loaded in sections, for a quick start: this file first, those that begin with "#:"
in python_run.py, python_display.py, python_os.py, python_ask.py, python_table.py and python_magic.py when a
function of them is first wanted.
Modules that take long to import (traceback, asyncio, inspect) are imported there, or never.

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
from marshal import loads
from select import POLLIN, poll

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
names.pop('f').close()  # descriptor 5: see python_boot.py
sources = {}  # file name of a run: its code
line_cache = getattr(sys.modules.get('linecache'), 'cache', None)  # once somebody has imported it: from 3.13 on `python -c`
flags = 0  # `from __future__` of earlier runs
event_loop = None
PROMPTS = {'ps1': '>>> ', 'ps2': '... '}  # attributes of sys, by which code knows that somebody types it
has_prompts = False
watched = {
	'linecache', 'bdb', 'getpass', 'multiprocessing.util', 'multiprocessing.spawn', 'matplotlib', 'matplotlib.backend_bases',
	'matplotlib.pyplot', 'matplotlib.figure', 'plotly.io._renderers', 'bokeh.io.showing', 'altair', 'PIL.ImageShow',
	'IPython.core.display_functions',
}
real_input = builtins.input
first_excepthook = sys.excepthook  # a distribution may have put in its own
write_lock = _thread.allocate_lock()  # of the event pipe
main_thread = _thread.get_ident()

state = WAITING
early = False  # an interrupt has come before its run began
in_hook = False  # what is raised now is lost
run_id = None
spawned = has_spawned = False  # this run, or any, has started processes
in_child = False  # we are a process that the user's code has forked
in_blocks = False  # stdout is buffered in blocks
flusher_tid = 0
flusher_wake = _thread.allocate_lock()
packages = getattr(sys.modules.get('site'), 'USER_SITE', None)  # where pip installs, see lib/install
access, stat, os_read, os_write = os.access, os.stat, os.read, os.write  # whatever the user's code puts in their place
packages_age = None
has_looked = False  # there, in this run
late_threads = set()  # of earlier runs: what they print is not the run's
current_set = 0
orders = {}  # of a table that is shown sorted: python_table.py


def later(name):
	"""A function out of one of the later sections."""
	here = globals()
	if name not in here:
		section = code.get(name)
		if not section:
			source = code['source']
			place = source.index(f'\ndef {name}(')
			start, end = source.rindex('\n#: ', 0, place), source.find('\n#: ', place)
			section = compile(source[start:end], DRIVER, 'exec')
		elif type(section) is bytes:
			section = loads(section)
		exec(section, here)
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
idle = poll()  # where the next request is waited for; nobody else may use it meanwhile
idle.register(requests, POLLIN)
set_fds = [os.dup(1), os.dup(2)]  # stdout and stderr of set k: 2k and 2k + 1
set_fds = [keep(fd, 242 + i) for i, fd in enumerate(set_fds + list(range(10, 18)))]


class Scanner:
	strict = False
	object_hook = object_pairs_hook = parse_constant = None
	parse_float, parse_int, memo = float, int, {}


scan = make_scanner(Scanner)


def quote(text):
	"""A JSON string that every parser takes: no lone surrogates, no NUL."""
	if type(text) is not str:
		text = str.__str__(text)
	if not text.isascii():
		text = text.encode('utf-8', 'backslashreplace').decode()
	if '\0' in text:
		text = text.replace('\0', '\ufffd')
	return encode_basestring_ascii(text)


def put(line):
	"""Write an event: text, or pieces of bytes."""
	try:
		with write_lock:
			for data in (line.encode(),) if type(line) is str else line:
				n = os_write(events, data)
				while n < len(data):
					n += os_write(events, data[n:n + BLOCK])
	except OSError:
		os._exit(1)  # nobody listens any more


def wait_for(fd, timeout_ms):
	"""Whether there is something to be read."""
	poller = poll()
	poller.register(fd, POLLIN)
	return poller.poll(timeout_ms)


def raise_early():
	global early
	early = False
	raise KeyboardInterrupt


def on_interrupt(signum, frame):
	global early
	if state == RUNNING and (in_hook or frame and frame.f_code is hook_code):
		_thread.start_new_thread(later('interrupt_again'), (run_id,))
		return
	if state == RUNNING:
		raise KeyboardInterrupt
	if state != ENDING and (state != WAITING or wait_for(requests, 0)):
		early = True  # the request of the run that it is meant for is here; else it was meant for the last one


def on_unraisable(what):
	"""An interrupt that meets a destructor ends nothing but that, and one that meets this, nothing at all. It comes
	again."""
	global in_hook
	in_hook = True
	try:
		if what.exc_type is KeyboardInterrupt and state == RUNNING:
			_thread.start_new_thread(later('interrupt_again'), (run_id,))
		sys.__unraisablehook__(what)
	finally:
		in_hook = False


hook_code = on_unraisable.__code__


# ---- standard streams -------------------------------------------------------------

class Lines(_io.BufferedWriter):
	"""Buffer of an output stream. Below it is a FileIO and nothing in Python: an interrupt between
	a write and its being counted would make that text appear twice."""
	count = 0  # of writes in this run, more or less

	def write(self, data, write=_io.BufferedWriter.write):
		if late_threads and _thread.get_native_id() in late_threads:
			return later('put_late')(self, data)
		try:
			return write(self, data)
		except BlockingIOError as e:
			return later('write_rest')(self, data, e)

	def flush(self, flush=_io.BufferedWriter.flush):
		try:
			flush(self)
		except OSError as e:
			later('flush_again')(self, e)
		self.count += 1
		if self.count == BURST and self is lines and not late_threads and not in_child:
			later('begin_blocks')()  # many lines one after the other


class Errors(Lines):
	"""Buffer of stderr, whose first lines in a run keep their place among those of stdout."""
	has_some = False

	def write(self, data):
		self.has_some = True
		return Lines.write(self, data)

	def flush(self):
		if self.has_some and self.count < BURST:
			self.has_some = False
			later('flush_in_order')(self)
		else:
			Lines.flush(self)


class Input(_io._RawIOBase):
	name, mode = '<stdin>', 'rb'
	prompt, is_secret = '', False
	has_read = False  # in this run

	def readable(self):
		return True

	def fileno(self):
		return 0

	def readinto(self, buffer):
		return later('read_input')(self, buffer)


def open_output(fd, name, kind):
	raw = _io.FileIO(fd, 'wb', False)
	raw.name = name
	buffer = kind(raw, BLOCK)
	return buffer, _io.TextIOWrapper(buffer, 'utf-8', 'backslashreplace', '\n', True)


def open_streams():
	global stdin, stdout, stderr, reader, lines, errors
	reader = Input()
	stdin = _io.TextIOWrapper(_io.BufferedReader(reader), 'utf-8', 'surrogateescape')
	lines, stdout = open_output(1, '<stdout>', Lines)
	errors, stderr = open_output(2, '<stderr>', Errors)
	sys.stdin = sys.__stdin__ = stdin
	sys.stdout = sys.__stdout__ = stdout
	sys.stderr = sys.__stderr__ = stderr


def flush():
	try:
		stdout.flush()
		stderr.flush()
	except (OSError, ValueError):
		later('mend_streams')()


def on_audit(event, args):
	if event in SPAWNS:
		later('note_spawn')()


# ---- running ------------------------------------------------------------------------

class ImportWatch:
	"""Finder that adds to modules of the standard library what they should know of us. It is asked first, so
	what was installed since the last run is found by those who come after it."""

	@staticmethod
	def find_spec(name, path=None, target=None):
		if not has_looked:
			find_packages()
			if sys.meta_path[0] is not ImportWatch:  # it came with packages, too late to be asked for this import
				sys.meta_path[0].find_spec(name, path)
		return later('find_watched')(name, path) if name in watched else None

	@staticmethod
	def find_distributions(context=None):
		if not has_looked:
			find_packages()
		return ()


class SecondLook:
	"""Finder that is asked last: what this run itself has installed can be imported, too."""

	@staticmethod
	def find_spec(name, path=None, target=None):
		before = packages_age
		if path is None:
			find_packages()
		return later('find_new')(name) if packages_age != before else None


def with_other_lines(code, before):
	"""A cell of a file comes with empty lines in place of what stands before it: those that ran before keep their text."""
	now, old = code.split('\n'), before.split('\n')
	start = len(code) - len(code.lstrip('\n'))
	end = len(now) - (not now[-1])
	return '\n'.join(old[:start] + now[len(old[:start]):end] + (old[end:] or now[end:]))


def remember(file, code):
	"""For tracebacks and inspect.getsource()."""
	if file in sources:
		code = with_other_lines(code, sources[file])
	sources[file] = code
	if len(sources) > SOURCES_MAX:
		oldest = next(iter(sources))
		del sources[oldest]
		if line_cache is not None:
			line_cache.pop(oldest, None)
	if line_cache is not None:
		line_cache[file] = (len(code), None, [line + '\n' for line in code.split('\n')], file)


def call(code):
	return later('run_in_loop')(code) if code.co_flags & COROUTINE else eval(code, names)


def execute(code, file, echoes):
	"""Run code; gives the value of its last expression."""
	remember(file, code)
	body = last = None
	if len(code) < 500 and '\\' not in code:  # a lone expression needs no tree, which is slow at first
		try:
			last = compile(code, file, 'eval', flags | AWAIT, True)
		except (SyntaxError, ValueError):
			pass
	if not last:
		body, last = later('parse')(code, file, echoes)
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
		later('show_rich')(value)
	text = repr(value)
	builtins._ = value
	if len(text) > VALUE_MAX:
		text = f'{text[:VALUE_MAX]}… {len(text) - VALUE_MAX} more characters'
	return text


class Magic:
	"""What lines of notebooks become calls of; see python_magic.py."""

	def __getattr__(self, name):
		return later('be_magic')(name)


def finish():
	"""Everything that the run has printed goes out; gives members of `done`."""
	global spawned
	if in_blocks:
		later('end_blocks')()
	flush()
	others = _thread._count() > (1 if flusher_tid else 0)
	if reader.has_read and not others:  # or else one of them may be reading now
		later('drop_input')()
	if 'ctypes' in sys.modules:
		later('flush_c')()
		later('note_unseen')()
	if _signal.getsignal(_signal.SIGINT) is not on_interrupt:
		_signal.signal(_signal.SIGINT, on_interrupt)
	if others or late_threads:
		later('note_threads')()
	if not spawned:
		return ''
	spawned = False
	return later('leave_set')()


def cpu_us():
	own = time.process_time_ns() // 1000
	if not has_spawned:
		return own
	spent = os.times()
	return own + int((spent.children_user + spent.children_system) * 1e6)


def find_packages():
	"""What was installed since the last run can be imported, without a restart."""
	global packages_age, has_looked
	has_looked = True
	try:
		if packages_age is None and not access(packages, os.F_OK):  # quicker than an exception
			return  # nothing was ever installed
		age = stat(packages).st_mtime_ns
	except (OSError, TypeError):
		return  # or this interpreter looks for nothing in homes
	if age != packages_age:
		later('take_packages')()
		packages_age = age  # not before: an interrupt may have come


def set_prompts(is_typed):
	"""Code that nobody has typed is not to find them; what the user has set stays."""
	global has_prompts
	has_prompts = is_typed
	for name, prompt in PROMPTS.items():
		if is_typed:
			vars(sys).setdefault(name, prompt)
		elif vars(sys).get(name) is prompt:
			del vars(sys)[name]


def run(request):
	global state, run_id, has_looked
	code, file, is_typed = request['code'], request.get('file') or '<run>', 'echo' in request
	before = later('begin_place')(request) if 'env' in request or 'cwd' in request else None
	if 'program' in request:
		later('be_program')(code, file)
	elif file[0] != '<':
		main.__file__ = file  # as a program has it, although the file is not in the sandbox
	if '\r' in code:
		code = code.replace('\r\n', '\n').replace('\r', '\n')
	if code[:1] == '\ufeff':
		code = code[1:]
	has_looked = False
	run_id = quote(request['id'])
	orders.clear()
	if is_typed != has_prompts:
		set_prompts(is_typed)
	argv = later('give_args')(request, file) if 'args' in request else None
	lines.count = errors.count = 0
	began = cpu_us()
	text = error = None
	status, members = 'ok', ''
	try:
		state = RUNNING
		if early:
			raise_early()
		text = execute(code, file, is_typed)
		if text is not None:
			text = show(text)
		state = ENDING
	except BaseException as e:
		state = ENDING
		error = e
	if in_child:
		later('leave_child')(error)
	if argv is not None:
		sys.argv = argv
	if 'matplotlib.pyplot' in sys.modules:
		error = later('end_figures')(error)
	if error is not None:
		text = None
		status, members = later('explain')(error)
	elif text is not None:
		members = ',"value":' + quote(text)
	members += finish()
	if before:
		later('end_place')(before)
	state = WAITING  # from when `done` is read, the next request and its interrupt may come
	put(f'{{"ev":"done","id":{run_id},"status":"{status}"{members},"cpu_us":{cpu_us() - began}}}\n')
	run_id = None


def take(line):
	global state, early
	state = TAKEN
	if line.endswith((b'\x18', b'\x18\n')):  # its client has died before it was whole
		early = False  # what was meant for it is not meant for the next one
		return
	request = scan(line.decode('utf-8', 'replace'), 0)[0]
	if request['op'] == 'run':
		try:
			run(request)
		except Exception as e:
			later('give_up')(e, request)
	elif request['op'] == 'leave':
		later('end_program')()
	else:
		later('answer')(request)


def serve():
	global state
	rest = []
	while True:
		state = WAITING
		idle.poll()  # and not read(): a signal must not find the request neither there nor taken
		state = TAKEN
		data = os_read(requests, BLOCK)
		if not data:
			later('leave')()
		if not rest and data.find(b'\n') == len(data) - 1:
			take(data)
			continue
		rest.append(data)
		if b'\n' in data:
			*whole, last = b''.join(rest).split(b'\n')
			rest = [last] if last else []
			for line in whole:
				take(line)


def ask(prompt='', /):
	"""Read a line from standard input, without its newline. The prompt is printed first."""
	return later('read_line')(prompt)


def display(*values, raw=False, **others):
	"""Show values as richly as the front end can: images, HTML, Markdown, SVG, or their text."""
	for value in values:
		later('put_display')(value, raw)


_signal.signal(_signal.SIGINT, on_interrupt)
sys.unraisablehook = on_unraisable
open_streams()
sys.argv = ['']
sys.meta_path.insert(0, ImportWatch)
sys.meta_path.append(SecondLook)
sys.addaudithook(on_audit)
os.register_at_fork(after_in_child=lambda: later('after_fork')())
builtins.input, builtins.display, builtins.__magic__ = ask, display, Magic()
put(f'{{"ev":"ready","version":"{sys.version.split()[0]}"}}\n')
serve()
