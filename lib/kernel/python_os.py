# SPDX-License-Identifier: MIT
"""Sections of the Python driver that deal with streams, processes and threads; see python.py.
Functions reach those of other sections through later()."""

#: streams

import errno


PIPE, PIPE_LEFT = 0o010000, 0x541B  # S_IFIFO; FIONREAD
SETTLE_TRIES, SETTLE_S = 40, 50e-6


def flush_in_order(buffer):
	"""Two pipes do not tell their reader which was written first: so each is given the time to be
	read before the other is written. Only for the first lines of a run, and not for ever."""
	try:
		stdout.flush()
	except (OSError, ValueError, RuntimeError):
		pass  # closed, or we are called out of a write to it
	settle(1)
	Lines.flush(buffer)
	settle(2)


def settle(fd):
	import fcntl
	try:
		if os.fstat(fd).st_mode & 0o170000 != PIPE:
			return
		for _ in range(SETTLE_TRIES):
			if fcntl.ioctl(fd, PIPE_LEFT, b'\0\0\0\0') == b'\0\0\0\0':
				return
			time.sleep(SETTLE_S)
	except OSError:
		pass  # closed by the user's code: the write will tell


def begin_blocks():
	global in_blocks, flusher_tid
	in_blocks = True
	stdout.reconfigure(line_buffering=False)
	if not flusher_tid:
		flusher_tid = -1
		try:
			_thread.start_new_thread(flush_now_and_then, ())
		except RuntimeError:  # there are as many threads as there may be: line by line then
			flusher_tid = 0
			end_blocks()
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
					pass  # closed: the end of the run will see to it
		flusher_wake.acquire()


def end_blocks():
	global in_blocks
	in_blocks = False
	try:
		stdout.reconfigure(line_buffering=True)
	except ValueError:
		pass  # closed; the next flush() will see


def write_rest(buffer, data, error):
	"""A child has made the pipe non-blocking, which is its as well as ours."""
	os.set_blocking(buffer.fileno(), True)
	n = error.characters_written
	return n + _io.BufferedWriter.write(buffer, memoryview(data)[n:])


def flush_again(buffer, error):
	fd = buffer.fileno()
	if isinstance(error, BlockingIOError):
		os.set_blocking(fd, True)
	elif error.errno == errno.EBADF and not in_child:  # the user's code has closed it
		os.dup2(set_fds[2 * current_set + fd - 1], fd)
	else:
		raise error
	_io.BufferedWriter.flush(buffer)


def mend_streams():
	"""The user's code has closed a stream, and perhaps its descriptor too."""
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

#: events

def put_shielded(line):
	"""Write an event from within the user's code; an interrupt waits until it is whole."""
	global state
	if in_child:
		return
	if _thread.get_ident() != main_thread or state != RUNNING:
		return put(line)
	state = SHIELDED
	put(line)
	state = RUNNING
	if early:
		raise_early()


def put_late(output, data):
	text = bytes(data).decode('utf-8', 'replace')
	put_shielded(f'{{"ev":"late","stream":"{output.name[1:-1]}","text":{quote(text)}}}\n')
	return len(data)

#: input

def read_input(reader, buffer):
	if reader.has_read is None:
		return 0
	reader.has_read = True
	if run_id is not None and not in_child and not wait_for(0, 0):
		flush()
		later('put_shielded')(f'{{"ev":"input","id":{run_id},"prompt":{quote(reader.prompt[:10000])},'
			f'"secret":{"true" if reader.is_secret else "false"}}}\n')
	return os.readv(0, [buffer])


def drop_input():
	"""What was read ahead and not wanted was meant for the run that has ended."""
	reader.has_read = None
	try:
		stdin.read()
	except (OSError, ValueError):
		later('mend_streams')()  # the user's code has closed it
	finally:
		reader.has_read = False


def read_line(prompt):
	text = reader.prompt = str(prompt)
	try:
		return real_input(text)
	finally:
		reader.prompt = ''


def read_secret(prompt='Password: ', stream=None):
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

#: imports

def find_watched(name, path):
	watched.discard(name)
	if name == 'matplotlib':
		later('find_rc')()
	spec = sys.modules['_frozen_importlib_external'].PathFinder.find_spec(name, path)
	if spec and spec.loader:
		load = spec.loader.exec_module

		def exec_module(module):
			load(module)
			changes[name](module)
		spec.loader.exec_module = exec_module
	return spec


def share_sources(linecache):
	"""For tracebacks and inspect.getsource()."""
	global line_cache
	line_cache = linecache.cache
	for file, code in list(sources.items()):
		remember(file, code)


def share_debugger(bdb):
	"""A debugger looks for a run's lines by its name, not where the file would lie if it were in the sandbox. It stops in a run and in
	what that calls; not in what runs it, of which it shows nothing either."""
	canonic, stop_here, get_stack = bdb.Bdb.canonic, bdb.Bdb.stop_here, bdb.Bdb.get_stack

	def stop_in_run(self, frame):
		if frame.f_code.co_filename == DRIVER or not stop_here(self, frame):
			return False
		while frame and frame.f_code.co_filename not in sources:
			frame = frame.f_back
		return frame is not None

	def get_stack_of_run(self, frame, traceback):
		stack, at = get_stack(self, frame, traceback)
		drivers = [i for i, (f, _) in enumerate(stack) if f.f_code.co_filename == DRIVER and i < at]
		first = drivers[-1] + 1 if drivers else 0
		return stack[first:], at - first
	bdb.Bdb.canonic = lambda self, file: file if file in sources else canonic(self, file)
	bdb.Bdb.stop_here = stop_in_run
	bdb.Bdb.get_stack = get_stack_of_run


def share_getpass(getpass):
	getpass.getpass = later('read_secret')


def share_spawns(util):
	"""The one way to start a process that raises no audit event."""
	spawn = util.spawnv_passfds

	def spawnv_passfds(path, args, passfds):
		later('note_spawn')()
		return spawn(path, args, passfds)
	util.spawnv_passfds = spawnv_passfds


def share_main(spawn):
	"""A process that is spawned reads the program anew, from its file: which is not in the sandbox."""
	prepare = spawn.get_preparation_data

	def get_preparation_data(name):
		data = prepare(name)
		path = data.get('init_main_from_path')
		code = sources.get(getattr(main, '__file__', None))
		if path and code is not None and not os.path.exists(path):
			data['init_main_from_path'] = later('write_main')(os.path.basename(path), code)
		return data
	spawn.get_preparation_data = get_preparation_data


mains = {}  # code: the file that it was written to


def write_main(name, code):
	if not os.path.exists(mains.get(code, '')):
		import tempfile
		path = os.path.join(tempfile.mkdtemp(prefix='main-'), name)
		with open(path, 'w', encoding='utf-8', errors='surrogatepass') as file:
			file.write(code)
		mains[code] = path
	return mains[code]


changes = {
	'linecache': share_sources, 'bdb': share_debugger, 'getpass': share_getpass, 'multiprocessing.util': share_spawns,
	'multiprocessing.spawn': lambda module: later('share_main')(module),
	'matplotlib': lambda module: later('choose_backend')(module),
	'matplotlib.backend_bases': lambda module: later('share_manager')(module),
	'matplotlib.pyplot': lambda module: later('share_show')(module),
	'matplotlib.figure': lambda module: later('share_savefig')(module),
	'plotly.io._renderers': lambda module: later('share_plotly')(module),
	'bokeh.io.showing': lambda module: later('share_bokeh')(module),
	'altair': lambda module: later('share_altair')(module),
	'PIL.ImageShow': lambda module: later('share_pillow')(module),
	'IPython.core.display_functions': lambda module: later('share_display')(module),
}

#: processes

def note_spawn():
	global spawned, has_spawned
	spawned = has_spawned = True
	later('after_fork'), later('end_blocks')  # compiled here rather than in every child
	flush()  # what was printed before comes before what the process prints


def after_fork():
	global in_child
	if in_child:
		return  # a child's child: what has these numbers now is the user's
	in_child = True
	for fd in (requests, events, *set_fds):
		os.close(fd)
	later('end_blocks')()


def without_ours(tb):
	"""A traceback without the driver's frames."""
	rows = []
	while tb:
		rows.append(tb)
		tb = tb.tb_next
	last = None
	for tb in reversed(rows):
		if tb.tb_frame.f_code.co_filename != DRIVER:
			tb.tb_next = last
			last = tb
	return last


def leave_child(error):
	"""A fork of ours has come back from the user's code: it ends, as any program would."""
	code = 0
	try:
		if isinstance(error, SystemExit):
			explained = later('explain_exit')(error)[1]
			code = int(explained[explained.index(':') + 1:])
		elif error is not None:
			code = 1
			tb = without_ours(error.__traceback__)
			sys.excepthook(type(error), error.with_traceback(tb), tb)
		later('write_files')()
		flush()
	finally:
		os._exit(code)


strangers = set()  # processes that have none of our pipes, and get none any more
newest = None  # the process with the highest number when they were last looked at


def newest_process():
	with open('/proc/loadavg') as file:
		return int(file.read().split()[-1])


def note_unseen():
	"""C code starts processes of which Python does not tell."""
	global spawned, has_spawned
	try:
		if newest_process() != newest:
			spawned = has_spawned = True
	except OSError:
		pass


def rest_of(pid):
	"""What a process that does not run has in its status: as long as that is the same, it has done nothing. None: it
	runs, or is gone."""
	try:
		with open(f'/proc/{pid}/status', 'rb') as file:
			text = file.read()
	except OSError:
		return None
	return None if b'State:\tR' in text else text


def held_by(pid, ours):
	"""Which of our pipes that process can write to. None: it is not ours to look at, nor are our pipes its."""
	held, fds = set(), []
	try:
		fds = os.listdir(f'/proc/{pid}/fd')
	except PermissionError:
		return None
	except OSError:
		pass  # gone
	for fd in fds:
		try:
			link = os.readlink(f'/proc/{pid}/fd/{fd}')
			if link in ours and link not in held:
				with open(f'/proc/{pid}/fdinfo/{fd}') as info:
					rows = dict(row.split(':', 1) for row in info if ':' in row)
				if int(rows['flags'], 8) & os.O_ACCMODE != os.O_RDONLY:
					held.add(link)
		except OSError:
			pass  # closed meanwhile
	return held


def look_for_writers(ours):
	"""Which of our output pipes other processes can write to, and whether that is sure. A shell that redirects puts
	them aside, and has them back a moment later: so all have been seen of those only that rested meanwhile; and who
	has ended may have left a child that nobody has seen."""
	found, is_sure = set(), True
	for pid in os.listdir('/proc'):
		if not pid.isdigit() or int(pid) == os.getpid() or pid in strangers:
			continue
		rest, held = rest_of(pid), held_by(pid, ours)
		is_dead = rest is not None and b'State:\tZ' in rest
		is_seen = held is None or rest is not None and rest == rest_of(pid)
		if held:
			found |= held
		elif is_seen:
			strangers.add(pid)
		is_sure = is_sure and is_seen and not is_dead
	return found, is_sure


def writers():
	"""The names in /proc of our output pipes that other processes can write to, and of the current ones if somebody may
	have been overlooked."""
	global newest
	ours = {os.readlink(f'/proc/self/fd/{fd}') for fd in set_fds}
	latest = newest_process()
	if newest is None or latest < newest:
		strangers.clear()  # their numbers are given away again
	newest = latest
	for _ in range(3):
		held, is_sure = look_for_writers(ours)
		if is_sure:
			return held
	return held | {os.readlink(f'/proc/self/fd/{fd}') for fd in set_fds[2 * current_set:2 * current_set + 2]}


def leave_set():
	"""Processes of this run may go on printing: later runs take other pipes. Gives members of `done`."""
	global current_set
	try:
		held = writers()
	except OSError:
		taken = [True] * (len(set_fds) // 2)  # no /proc: it cannot be excluded
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

#: packages

def take_packages():
	"""As at the start of Python: where pip has installed, and what its .pth files name, comes before what
	the distribution has installed."""
	import importlib
	import site
	known = set(sys.path)
	site.addsitedir(packages)
	added = [path for path in sys.path if path not in known]
	if added:
		rest = [path for path in sys.path if path in known]
		ends = 'dist-packages', 'site-packages'
		place = next((i for i, path in enumerate(rest) if str(path).endswith(ends)), len(rest))
		sys.path[:] = rest[:place] + added + rest[place:]
	importlib.invalidate_caches()

def find_new(name):
	from importlib.machinery import PathFinder
	return PathFinder.find_spec(name)

#: place

def begin_place(request):
	"""Variables and directory of one run. Gives what puts them back."""
	pairs = [pair.split('=', 1) for pair in request.get('env', ())]
	before = [(name, os.environ.get(name)) for name in dict(pairs)]
	where = None
	if 'cwd' in request:
		try:
			where = os.getcwd()
		except OSError:
			where = '/'
		change_directory(request['cwd'])
	os.environ.update(pairs)
	return before, where


def end_place(place):
	before, where = place
	for name, value in before:
		if value is not None:
			os.environ[name] = value
		else:
			os.environ.pop(name, None)
	if where is not None:
		change_directory(where)


def change_directory(path):
	try:
		os.chdir(path)
	except OSError as e:
		stderr.write(f'cannot change to the directory {path}: {e.strerror}\n')
		stderr.flush()

#: threads

def interrupt_again(run):
	"""In a thread, as the main one is to be out of what has swallowed the first interrupt."""
	time.sleep(0.002)
	if run == run_id and state == RUNNING:
		os.kill(os.getpid(), _signal.SIGINT)


def note_threads():
	"""All threads that are alive now belong to this run or an earlier one."""
	alive = set()
	if _thread._count() > (1 if flusher_tid else 0):
		alive.update(map(int, os.listdir('/proc/self/task')))
		alive.difference_update((_thread.get_native_id(), flusher_tid))
		follow_threads()
	late_threads.update(alive)
	late_threads.intersection_update(alive)  # at no time is one missing: it may print just now


def follow_threads():
	"""A thread that is started by a late one is late too (timers that renew themselves)."""
	threading = sys.modules.get('threading')
	for name in '_start_new_thread', '_start_joinable_thread':  # until Python 3.12; from 3.13 on
		start = getattr(threading, name, None)
		if start is not None and getattr(start, '__module__', None) != __name__:
			setattr(threading, name, pass_lateness_on(start))


def pass_lateness_on(start):
	def start_thread(function, *args, **kwargs):
		if _thread.get_native_id() not in late_threads:
			return start(function, *args, **kwargs)

		def bootstrap(*args, **kwargs):
			late_threads.add(_thread.get_native_id())
			return function(*args, **kwargs)
		return start(bootstrap, *args, **kwargs)
	return start_thread
