# SPDX-License-Identifier: MIT
"""Sections of the Python driver that compile code and tell how it ended; see python.py.
Functions reach those of other sections through later()."""

#: statements

def parse(code, file, echoes):
	"""Code objects of everything but the last expression, and of that; either may be None. `echoes`: what
	stands before it shows its values, too, as at the prompt of the interpreter."""
	global flags
	indented = None
	if '\0' in code:  # of which the compiler tells no place
		refuse(code, file)
	try:
		tree = compile(code, file, 'exec', flags | AWAIT | ONLY_AST, True)
	except IndentationError as e:
		indented = e
	except ValueError:
		refuse(code, file)
	except RecursionError:  # nested too deeply for a tree of objects, but perhaps not for the compiler
		return compile(code, file, 'exec', flags | AWAIT, True), None
	if indented:
		code = dedent(code)
		if code is None:
			raise indented
		remember(file, code)
		tree = compile(code, file, 'exec', flags | AWAIT | ONLY_AST, True)
	from _ast import Expr, Expression, Interactive
	last = tree.body.pop() if tree.body and type(tree.body[-1]) is Expr else None
	if echoes:
		body = compile(Interactive(tree.body), file, 'single', flags | AWAIT, True)
	else:
		body = compile(tree, file, 'exec', flags | AWAIT, True)
	flags |= body.co_flags & FUTURES
	if last:
		last = compile(Expression(last.value), file, 'eval', flags | AWAIT, True)
	return body, last


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

#: programs

placed = placed_in = None  # the file of a program, if it was put there; and the directory, if made for it


def be_program(code, file):
	"""What a program finds of itself: its file lies in the working directory under its name, if that leads no further up
	and nothing else is there; else in a new directory."""
	is_inside = not file.startswith('/') and '..' not in file.split('/')
	path = os.path.abspath(file if is_inside else os.path.basename(file))
	data = code.encode('utf-8', 'surrogatepass')
	if not holds(path, data):
		path = put_file(path, data)
	main.__file__ = path
	sys.argv[0] = file if path == os.path.abspath(file) else path
	if sys.path[:1] == ['']:
		sys.path[0] = os.path.dirname(path)


def give_args(request, file):
	"""The arguments of this run; gives what is to be sys.argv again behind it, None: its program ends with it."""
	is_program = 'program' in request
	before = getattr(sys, 'argv', [''])
	name = sys.argv[0] if is_program else '' if file[0] == '<' else file
	sys.argv = [name, *request['args']]
	return None if is_program else before


def holds(path, data):
	try:
		with open(path, 'rb') as file:
			return file.read() == data
	except OSError:
		return False


def put_file(path, data):
	global placed, placed_in
	remove_placed()
	try:
		os.makedirs(os.path.dirname(path), exist_ok=True)
		file = open(path, 'xb')
	except OSError:
		import tempfile
		placed_in = tempfile.mkdtemp()
		path = os.path.join(placed_in, os.path.basename(path))
		file = open(path, 'xb')
	placed = path
	with file:
		file.write(data)
	return path


def remove_placed():
	global placed, placed_in
	for remove, path in (os.unlink, placed), (os.rmdir, placed_in):
		try:
			if path:
				remove(path)
		except OSError:
			pass  # the program has done so, or put something there
	placed = placed_in = None

#: awaiting

import asyncio


def run_in_loop(code):
	"""Top-level await. The loop stays for later runs, and so do its tasks."""
	global event_loop
	if event_loop is None or event_loop.is_closed():
		event_loop = asyncio.new_event_loop()
	asyncio.set_event_loop(event_loop)
	task = event_loop.create_task(eval(code, names))
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

#: ending

def explain(error):
	"""Status, and members of `done`, for what ended a run. Runs code of the user's: messages, hooks."""
	global state
	try:
		state = RUNNING
		if stdin.closed:  # exit() does that
			later('mend_streams')()
		if isinstance(error, SystemExit):
			result = explain_exit(error)
		elif isinstance(error, KeyboardInterrupt):
			result = 'interrupted', brief_error(error)
		else:
			result = 'error', later('describe')(error)
		state = ENDING
	except BaseException:
		state = ENDING
		result = 'error', brief_error(error)
	return result


def brief_error(error):
	"""Members of `done` for an exception, without importing anything, or asking it for more than its message."""
	rows, tb = [], BaseException.__traceback__.__get__(error)
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
	name = type.__dict__['__name__'].__get__(type(error))
	try:
		message = str(error)
	except BaseException:
		message = ''
	rows.append(f'{name}: {message}' if message else name)
	return error_member(name, message, '\n'.join(rows).split('\n'))


def error_member(name, message, rows):
	traceback_rows = ','.join(map(quote, rows))
	return f',"error":{{"name":{quote(name)},"message":{quote(message)},"traceback":[{traceback_rows}]}}'


def explain_exit(error):
	code = error.code
	if code is None:
		code = 0
	elif not isinstance(code, int):
		print(code, file=sys.stderr)
		code = 1
	code = int(code) & 0xff
	return 'error' if code else 'ok', f',"exit_code":{code}'


def give_up(error, request):
	"""The driver itself has failed at a run: out of memory, most likely."""
	put(f'{{"ev":"done","id":{quote(request["id"])},"status":"error"{brief_error(error)}}}\n')


def write_files():
	"""As at the end of an interpreter: what was written to files that nobody has closed gets there all the same."""
	import gc
	kinds = [_io._IOBase]
	for kind in kinds:
		kinds.extend(type.__subclasses__(kind))
	kinds = set(kinds)
	for file in [thing for thing in gc.get_objects() if type(thing) in kinds]:
		try:
			file.flush()
		except Exception:
			pass  # it is closed, or its disk is full, or it is another's idea of a file


def leave():
	"""The other side is gone, or the user's code has put something else in its place: then its run did not end well.
	Threads that still run are not waited for."""
	import atexit
	import stat
	code = 0 if stat.S_ISFIFO(os.fstat(requests).st_mode) else 1
	try:
		atexit._run_exitfuncs()
		write_files()
		flush()
	finally:
		os._exit(code)


def end_program():
	"""What Python does when its program has ended: wait for threads, call what was registered for the end."""
	global state
	code = 0
	late_threads.clear()  # it is for these that the end waits: what they print keeps its place
	try:
		state = RUNNING
		if early:
			raise_early()
		if 'threading' in sys.modules:
			sys.modules['threading']._shutdown()
		state = ENDING
	except BaseException as e:
		state = ENDING
		code = 130 if isinstance(e, KeyboardInterrupt) else 1
	import atexit
	try:
		state = RUNNING
		atexit._run_exitfuncs()
		write_files()
		state = ENDING
	except BaseException as e:
		state = ENDING
		if isinstance(e, KeyboardInterrupt):
			code = 130
	if in_child:
		os._exit(code)
	finish()
	if 'remove_placed' in globals():
		later('remove_placed')()
	os._exit(code)

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
	if line_cache is None:
		later('share_sources')(linecache)
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
		if isinstance(error, (NameError, AttributeError)) and (3, 10) <= sys.version_info < (3, 12):
			rows[-1] += suggestion(error, rows[-1])
	finally:
		sys.setrecursionlimit(limit)
	if len(rows) > ROWS_MAX:
		half = ROWS_MAX // 2
		rows[half:-half] = [f'  … {len(rows) - ROWS_MAX} lines left out …']
	rows = [row if len(row) <= ROW_MAX else row[:ROW_MAX] + '…' for row in rows]
	return error_member(type(error).__name__, message, rows)


class Aside:
	"""In place of a stream: keeps what this thread writes, and passes on what others do."""

	def __init__(self, stream):
		self.stream, self.thread, self.text = stream, _thread.get_ident(), ''

	def write(self, text):
		if _thread.get_ident() != self.thread:
			return self.stream.write(text)
		self.text += text
		return len(text)

	def __getattr__(self, name):
		return getattr(self.stream, name)


def suggestion(error, row):
	"""What is to follow the last row: these versions look for a name that may have been meant only when they print an
	error themselves. So it is printed once more, without what led to it."""
	if hasattr(error, '__notes__'):
		return ''
	tb, cause, is_quiet = error.__traceback__, error.__cause__, error.__suppress_context__
	aside = sys.stderr = Aside(sys.stderr)
	try:
		error.__cause__ = None
		while error.__traceback__ and error.__traceback__.tb_next:
			error.__traceback__ = error.__traceback__.tb_next
		sys.__excepthook__(type(error), error, error.__traceback__)
	finally:
		sys.stderr = aside.stream
		error.__traceback__, error.__cause__, error.__suppress_context__ = tb, cause, is_quiet
	_, words, name = aside.text.rpartition(". Did you mean: '")
	words += name.rstrip('\n')
	return words if words.startswith('. Did') and not row.endswith(words) else ''


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
