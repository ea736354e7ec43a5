# SPDX-License-Identifier: MIT
"""A section of the Python driver for lines of notebooks; see python.py. lib/magic has rewritten them to calls of
`__magic__`, which code finds among the builtins. Functions of other sections are reached through later()."""

#: magic

import re
import subprocess

EXPRESSION = re.compile(r'\$\$|\$([A-Za-z_]\w*)|\{([^{}\n]+)\}')
UNITS = ((1, 's'), (1e-3, 'ms'), (1e-6, 'µs'), (1e-9, 'ns'))


def fill_in(text):
	"""Values in place of {expression} and $name, as far as they can be computed; the rest is the shell's."""
	def value(match):
		name, expression = match.groups()
		if name is not None:
			return str(names[name]) if name in names else match[0]
		if expression is None:
			return '$'
		try:
			return str(eval(expression, names))
		except Exception:
			return match[0]
	return EXPRESSION.sub(value, text)


def start_shell(text, **more):
	flush()
	return subprocess.Popen(['/bin/bash', '-c', fill_in(text)], **more)


def end_shell(process):
	code = process.returncode
	names['_exit_code'] = code if code >= 0 else 128 - code


def run_shell(text, is_last=False):
	with start_shell(text) as process:
		process.wait()
	end_shell(process)
	if is_last and names['_exit_code']:
		raise SystemExit(names['_exit_code'])


def shell_lines(text):
	with start_shell(text, stdout=subprocess.PIPE) as process:
		output = process.stdout.read()
	end_shell(process)
	return output.decode(errors='replace').splitlines()


def run_pip(text):
	import shlex
	run_shell(f'{shlex.quote(sys.executable)} -m pip {text}')


installed = {}  # package: its version


def tell_imported(text):
	"""The packages were installed before this run. Of those that are imported in another version only a restart gets
	the new one."""
	import shlex
	from importlib import metadata
	for word in shlex.split(text, comments=True)[1:]:
		name = re.match(r'[A-Za-z0-9][\w.-]*', word)
		try:
			package = name and metadata.distribution(name[0])
		except metadata.PackageNotFoundError:
			continue
		if not package:
			continue
		parts = {file.parts[0] for file in package.files or ()} or {name[0]}
		modules = [sys.modules[part] for part in sorted(re.sub(r'\.py$', '', part) for part in parts) if part in sys.modules]
		told = (getattr(module, '__version__', None) for module in modules)
		old = installed.get(name[0]) or next((version for version in told if isinstance(version, str)), None)
		installed[name[0]] = package.version
		if modules and old and old != package.version:
			print(f'{name[0]} is imported already: restart python to use {package.version}', file=sys.stderr)


def tell_seconds(seconds):
	for unit, name in UNITS:
		if seconds >= unit:
			break
	return f'{seconds / unit:.3g} {name}'


def compile_timed(text):
	return later('parse')(text, f'<timed {run_id}>', False)


def evaluate(parts):
	body, last = parts
	if body:
		call(body)
	return call(last) if last else None


def time_code(text):
	parts = compile_timed(text)
	cpu, wall = time.process_time(), time.perf_counter()
	try:
		return evaluate(parts)
	finally:
		cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
		print(f'CPU times: total: {tell_seconds(cpu)}\nWall time: {tell_seconds(wall)}')


def time_often(text):
	import timeit
	timer = timeit.Timer(text, globals=names)
	loops, _ = timer.autorange()
	taken = [t / loops for t in timer.repeat(7, loops)]
	mean = sum(taken) / 7
	spread = (sum((t - mean) ** 2 for t in taken) / 7) ** 0.5
	print(f'{tell_seconds(mean)} ± {tell_seconds(spread)} per loop (mean ± std. dev. of 7 runs, {loops:,} loops each)')


def go_to(text):
	os.chdir(os.path.expanduser(fill_in(text).strip('\'"') or '~'))
	print(os.getcwd())


def environment(text):
	text = fill_in(text)
	name, sign, value = text.partition('=' if '=' in text else ' ')
	if not text:
		return dict(os.environ)
	if not sign:
		return os.environ[name]
	os.environ[name.strip()] = value.strip()
	print(f'env: {name.strip()}={value.strip()}')


def write_file(appends, file, text):
	file = os.path.expanduser(file)
	is_there = os.path.exists(file)
	with open(file, 'a' if appends else 'w', encoding='utf-8') as f:
		f.write(text)
	print(f'{"Appending to" if appends and is_there else "Overwriting" if is_there else "Writing"} {file}')


def tell_names(types):
	"""Names of the user's variables, of the named types only if there are some."""
	wanted = types.split()
	found = [row['name'] for row in later('variables')({'cursor': 1})['variables'] if not wanted or row['type'] in wanted]
	print('\t '.join(found) if found else 'There are no such variables.')


def tell_variables(types):
	wanted = types.split()
	rows = [(row['name'], row['type'], row['value']) for row in later('variables')({})['variables']
		if not wanted or row['type'] in wanted]
	if not rows:
		return print('There are no such variables.')
	widths = [max(map(len, column)) for column in zip(('Variable', 'Type', ''), *rows)]
	print(f'{"Variable":{widths[0]}}   {"Type":{widths[1]}}   Data/Info')
	print('-' * (sum(widths[:2]) + 15))
	for name, kind, value in rows:
		print(f'{name:{widths[0]}}   {kind:{widths[1]}}   {value}')


def be_magic(name):
	return {
		'shell': run_shell, 'lines': shell_lines, 'pip': run_pip, 'installed': tell_imported, 'time': time_code,
		'timeit': time_often,
		'cd': go_to, 'pwd': lambda _: os.getcwd(), 'env': environment, 'write': write_file,
		'who': tell_names, 'whos': tell_variables,
	}[name]
