# SPDX-License-Identifier: MIT
"""Questions to the Python kernel, loaded with the first of them; see python.py."""

#: questions

import inspect
import keyword
import re
import reprlib
import types

SLOW_S = 0.5  # that a repr() may take before an interrupt is blamed on it
SHORT = 200  # characters of a value in a list
DOC_MAX = 20_000
MATCHES_MAX = 1000
KINDS_MAX = 300
INCOMPLETE = 0x4000  # PyCF_ALLOW_INCOMPLETE_INPUT
STRINGS = re.compile(r"""
	[rbfuRBFU]{0,2} (?: \'\'\' (?:[^\\]|\\.)*? \'\'\' | \"\"\" (?:[^\\]|\\.)*? \"\"\"
		| ' (?:[^'\\\n]|\\.)* ' | " (?:[^"\\\n]|\\.)* ")
	| \#[^\n]*  # or a comment
	""", re.DOTALL | re.VERBOSE)
SAFE = (types.GetSetDescriptorType, types.MemberDescriptorType)  # in C: reading them runs no code of the user's
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


def table_size(value):
	"""Of a data frame, whose rows on one line would say nothing; '' for other values."""
	kind = type(value)
	if kind.__name__ != 'DataFrame' or str(kind.__module__).partition('.')[0] not in ('pandas', 'polars'):
		return ''
	rows, columns = value.shape
	return f'{rows} row{"s" if rows != 1 else ""} × {columns} column{"s" if columns != 1 else ""}'


def short_repr(value):
	try:
		text = table_size(value) or short.repr(value)
	except Exception as e:
		text = f'<{type(value).__name__}: repr() raised {type(e).__name__}>'
	text = text.replace('\n', ' ')
	return text if len(text) <= SHORT else text[:SHORT - 1] + '…'


class Short(reprlib.Repr):
	"""Calls a repr() of the user's that was interrupted after a while no more for values of this type."""

	def repr_instance(self, x, level):
		kind = type(x)
		if kind in slow_types:
			return f'<{kind.__name__}: repr() took too long>'
		began = time.monotonic()
		try:
			return super().repr_instance(x, level)
		except KeyboardInterrupt:
			if time.monotonic() - began < SLOW_S:
				raise
			slow_types.add(kind)
			return f'<{kind.__name__}: repr() took too long>'


slow_types = set()
short = Short()
short.maxstring = short.maxother = SHORT
short.maxlong = 60
for kind in 'list', 'tuple', 'set', 'frozenset', 'deque', 'array', 'dict':
	setattr(short, 'max' + kind, 12)


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
	if isinstance(found, types.FunctionType) and not isinstance(value, type):
		return types.MethodType(found, value)
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


LOUD = {'__main__', 'antigravity', 'idlelib', 'test', 'this', 'tkinter', 'turtle', 'turtledemo'}


def module_of(name):
	"""A module that is loaded, or one of the standard library, which says nothing when it is; else NOTHING."""
	root = name.split('.')[0]
	if name not in sys.modules and root in getattr(sys, 'stdlib_module_names', ()) and root not in LOUD:
		import importlib
		try:
			importlib.import_module(name)
		except Exception:
			pass
	return sys.modules.get(name, NOTHING)


def imported_as(code, name):
	"""What the imports in code that has not run yet would make of a name."""
	for match in re.finditer(r'^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+([^\n#;]+)', code, re.MULTILINE):
		for part in match[2].strip('() \t').split(','):
			words = part.split()
			if not words or name != (words[-1] if match[1] or len(words) > 1 else words[0].split('.')[0]):
				continue
			if not match[1]:
				return module_of(words[0] if len(words) > 1 else name)
			module = module_of(match[1])
			return NOTHING if module is NOTHING else attribute_of(module, words[0])
	return NOTHING


def value_in(code, dotted):
	"""What the name stands for; if nothing has run that says so, what the code's imports say."""
	value = value_of(dotted)
	first, *rest = dotted.split('.')
	if value is not NOTHING or first in names:
		return value
	value = imported_as(code, first)
	for name in rest:
		value = NOTHING if value is NOTHING else attribute_of(value, name)
	return value


def text_at(before):
	"""What the cursor is in: '' for code, '#' for a comment, or what a string holds up to there, behind its
	first quote. In the braces of an f-string there is code."""
	rest = STRINGS.sub(lambda m: (m[0] if m[0][0] == '#' and m.end() == len(before) else ' ' * len(m[0])), before)
	match = re.search(r'([rbfuRBFU]{0,2})(\'\'\'|"""|[\'"#])', rest)
	if not match:
		return ''
	if match[2] == '#':
		return '#'
	text = before[match.start(2):]
	hole = text.rfind('{')
	if 'f' in match[1].lower() and hole >= 0 and '}' not in text[hole:]:
		return ''
	return text


def paths(text):
	"""Files in the folder that the text names, as (rows of name and kind, how much of the text they continue)."""
	folder, _, start = text.rpartition('/')
	folder = os.path.expanduser(folder + '/') if '/' in text else '.'
	rows = {}
	try:
		for entry in os.scandir(folder):
			if entry.name[0] != '.' or start[:1] == '.':
				is_folder = entry.is_dir()
				rows[entry.name + ('/' if is_folder else '')] = 'directory' if is_folder else 'file'
	except OSError:
		pass
	return rows, len(start)


def kind_of(value, otherwise):
	if isinstance(value, type):
		return 'class'
	if isinstance(value, types.ModuleType):
		return 'module'
	return 'function' if callable(value) else otherwise


def modules_below(package):
	"""Names of the modules in a package, or of all top-level ones. Imports nothing of the user's."""
	import pkgutil
	if not package:
		find_packages()
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
			value = value_in(before, called[1]) if called else NOTHING
			if value is NOTHING or not callable(value):
				return set()
			try:
				parameters = inspect.signature(value).parameters.values()
			except (TypeError, ValueError):
				return set()
			return {p.name + '=' for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
	return set()


def literal_at(before):
	"""A value of the type of the literal that ends there, or NOTHING."""
	if re.search(r"['\"]$", before):
		return b'' if re.search(r"\b[rR]?[bB][rR]?(['\"]).*\1$", before) else ''
	return [] if before.endswith(']') and re.search(r'(^|[=(,\[:\s])\s*\[[^\[\]]*\]$', before) else NOTHING


def candidates(before, owner, prefix):
	"""Names, and for each its kind or a function that tells it."""
	found = names_to_import(re.split(r'[\n;]', before)[-1])
	if found is not None:
		return dict.fromkeys(found, 'module')
	behind_dot = before[:len(before) - len(prefix)].rstrip()
	if owner or behind_dot.endswith('.'):
		value = value_in(before, owner) if owner else literal_at(behind_dot[:-1].rstrip())
		if value is NOTHING:
			return {}  # behind a call or a subscript: it would have to be run
		return {name: lambda name: kind_of(attribute_of(value, name), 'property')
			for name in dir(value) if isinstance(name, str)}
	rows = dict.fromkeys(keyword.kwlist, 'keyword')
	rows.update((name, lambda name: kind_of(vars(builtins)[name], 'builtin')) for name in vars(builtins))
	rows.update((name, lambda name: kind_of(names[name], 'variable')) for name in names if isinstance(name, str))
	rows.update(dict.fromkeys(parameters_at(before), 'parameter'))
	return rows


def complete(request):
	code = request['code']
	cursor = max(0, min(request.get('cursor', len(code)), len(code)))
	before = code[:cursor]
	match = re.search(r'(?:((?:[^\W\d]\w*\.)*[^\W\d]\w*)\s*\.\s*)?([^\W\d]\w*)?$', before)
	owner, prefix = match[1] or '', match[2] or ''
	text = text_at(before)
	if not text:
		rows, length = candidates(before, owner, prefix), len(prefix)
	elif text == '#' or '\n' in text:
		rows, length = {}, len(prefix)
	else:
		rows, length = paths(text.lstrip('\'"'))
		prefix = before[len(before) - length:]
	found = sorted(name for name in rows
		if name.startswith(prefix) and (text or prefix.startswith('_') or not name.startswith('_')))
	kinds = [rows[name] if isinstance(rows[name], str) else rows[name](name) for name in found[:KINDS_MAX]]
	return {'matches': found[:MATCHES_MAX], 'kinds': kinds, 'start': cursor - length, 'end': cursor}


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
	value = value_in(code, name) if name else NOTHING
	if value is NOTHING:
		return {'found': False}
	answer = {'found': True, 'name': name, 'type': type(value).__name__, 'value': short_repr(value)}
	if callable(value):
		try:
			answer['signature'] = name.rpartition('.')[2] + str(inspect.signature(value))
		except (TypeError, ValueError):
			pass  # written in C, without one
	doc = inspect.getdoc(value)
	says_much = callable(value) or isinstance(value, types.ModuleType) or type(value).__module__ != 'builtins'
	if isinstance(doc, str) and says_much:
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
	whole = request.get('cursor') != 1
	rows = [{'name': name, 'type': type(value).__name__,
			'size': size_of(value) if whole else '', 'value': short_repr(value) if whole else '',
			'has_members': later('has_members')(value), 'is_table': later('kind_of_table')(value) is not None}
		for name, value in list(names.items())
		if isinstance(name, str) and not name.startswith('__') and name != '_exit_code'
		and not isinstance(value, types.ModuleType)]
	return {'variables': rows}


def reset(request):
	global flags, event_loop, has_prompts
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
	has_prompts = False
	sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
	sys.displayhook, sys.excepthook = sys.__displayhook__, first_excepthook
	sys.unraisablehook = on_unraisable
	for name in ('last_type', 'last_value', 'last_traceback', *PROMPTS):
		vars(sys).pop(name, None)
	import gc
	gc.collect()
	return {}


# ---- is the code complete? ---------------------------------------------------------------

def is_unfinished(code):
	"""Python 3.9 does not tell it by itself."""
	import codeop
	compiler = codeop.Compile()
	compiler.flags |= flags | AWAIT
	return codeop._maybe_compile(compiler, code, '<input>', 'exec') is None


def is_complete(request):
	code = request['code']
	rows = code.split('\n')
	import warnings
	with warnings.catch_warnings():
		warnings.simplefilter('ignore')
		try:
			if sys.version_info < (3, 10) and is_unfinished(code):
				return {'status': 'incomplete', 'indent': indent_after(code)}
			incomplete = INCOMPLETE if sys.version_info >= (3, 10) else 0
			tree = compile(code + '\n', '<input>', 'exec', flags | AWAIT | incomplete | ONLY_AST, True)
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


answers = {
	'complete': complete, 'inspect': inspect_name, 'is_complete': is_complete,
	'variables': variables, 'reset': reset,
	'members': lambda request: later('members')(request), 'table': lambda request: later('table')(request),
}


def answer(request):
	global state
	try:
		state = RUNNING
		if early:
			raise_early()
		members = '"data":' + to_json(answers[request['op']](request))
		state = ENDING
	except BaseException as e:
		state = ENDING
		members = '"error":' + quote(f'the kernel could not answer: {type(e).__name__}')
	if in_child:
		os._exit(1)
	flush()
	state = WAITING
	put(f'{{"ev":"reply","id":{quote(request["id"])},{members}}}\n')
