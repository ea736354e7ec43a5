# SPDX-License-Identifier: MIT
"""Pages of tables and members of values, for the Python kernel; see python.py. What is a table: data frames,
arrays, lists of records or of rows, and dictionaries. Only what is asked for is made into text."""

#: tables

from array import array

CELL = 200  # characters of a cell
CELLS_TEXT = 1_000_000  # … of all cells of an answer
CELLS_MAX = 20_000
SAMPLE = 1000  # rows that tell a list's columns and their types
MEMBERS = 100  # in an answer
LOOK_S = 0.5  # that one search may take; the next one goes on behind it
NUMBERS = {'int', 'float', 'complex', 'Decimal', 'Fraction'}
PLAIN = {'datetime', 'decimal', 'fractions', 'uuid', 'numpy', 'pandas._libs.tslibs.timestamps',
	'pandas._libs.tslibs.timedeltas', 'pandas._libs.tslibs.nattype', 'pandas._libs.missing'}  # modules whose str() is good
MISSING = object()  # a record has no such key


def cell_text(value):
	"""A value as a line, cut; None for a cell that is not there. Runs repr() of the user's, but never for long."""
	kind = type(value)
	if value is MISSING:
		return None
	if kind is str:
		return value[:CELL + 1]
	if kind is float or (kind.__module__ == 'numpy' and isinstance(value, float)):
		text = float.__repr__(float(value))
		return 'NaN' if value != value else text if len(text) <= 12 else '%.8g' % value
	if kind in (bytes, bytearray):
		return repr(bytes(value[:CELL]))
	if isinstance(value, str):
		return str.__str__(value)[:CELL + 1]
	if kind.__module__ in PLAIN and (kind.__module__ != 'numpy' or value.ndim == 0):
		text = str(value)[:CELL + 1]
		return 'NaN' if text == 'nan' else text
	return short_repr(value)


def is_none(value):
	return value is MISSING or value is None or (type(value) is float and value != value)


def sort_values(values, is_down):
	"""Places of the values in their order; those that are missing come last."""
	places = [i for i, value in enumerate(values) if not is_none(value)]
	try:
		places.sort(key=values.__getitem__, reverse=is_down)
	except Exception:  # of different types, or of one without an order
		places.sort(key=lambda i: (type(values[i]).__name__, cell_text(values[i])), reverse=is_down)
	return array('I', places + [i for i, value in enumerate(values) if is_none(value)])


def type_names(values):
	kinds = []
	for value in values:
		name = type(value).__name__
		if not is_none(value) and name not in kinds:
			kinds.append(name)
	is_number = bool(kinds) and NUMBERS.issuperset(kinds)
	return ('|'.join(kinds) if 0 < len(kinds) < 4 else 'mixed' if kinds else 'None'), is_number


# ---- tables ----------------------------------------------------------------------------

class Rows:
	"""A list of records, of rows, or of single values."""

	def __init__(self, value):
		self.value, self.rows = value, len(value)
		self.sample = [self.value[i] for i in range(min(SAMPLE, self.rows))]
		self.kind = self.kind_of()
		if self.kind == 'records':
			self.keys = list(dict.fromkeys(key for row in self.sample for key in row))
		elif self.kind == 'objects':
			first = type(self.sample[0])
			self.keys = list(getattr(first, '_fields', None) or first.__dataclass_fields__)
		elif self.kind == 'rows':
			self.keys = list(range(max(map(len, self.sample))))
		else:
			self.keys = ['value']
		self.columns = len(self.keys)

	def kind_of(self):
		kinds = set(map(type, self.sample))
		if kinds == {dict}:
			return 'records'
		if kinds and kinds <= {list, tuple}:
			return 'rows'
		kind = kinds.pop() if len(kinds) == 1 else None
		if kind and (issubclass(kind, tuple) and hasattr(kind, '_fields') or hasattr(kind, '__dataclass_fields__')):
			return 'objects'
		return 'values'

	def name(self, column):
		key = self.keys[column]
		return key if isinstance(key, str) else cell_text(key)

	def type(self, column):
		return type_names(self.cell(row, column) for row in range(len(self.sample)))

	def label(self, row):
		return row

	def cell(self, row, column):
		value, key = self.value[row], self.keys[column]
		if self.kind == 'records':
			return value.get(key, MISSING) if type(value) is dict else MISSING if column else value
		if self.kind == 'rows':
			return MISSING if type(value) not in (list, tuple) or key >= len(value) else value[key]
		if self.kind == 'objects':
			got = attribute_of(value, key)
			return MISSING if got is NOTHING else got
		return value

	def page(self, rows, columns):
		return [[self.cell(row, column) for column in columns] for row in rows]

	def order(self, column, is_down):
		return sort_values([self.cell(row, column) for row in range(self.rows)], is_down)


class Columns(Rows):
	"""A dictionary of columns, all as long, of records by name, or of anything."""

	def __init__(self, value):
		self.by_key = None
		values = list(value.values())
		kinds = set(map(type, values[:SAMPLE]))
		if kinds and kinds <= {list, tuple} and len(set(map(len, values))) == 1 and len(values[0]):
			self.names, self.lists = list(value), values
			self.rows, self.columns = len(values[0]), len(values)
		else:
			self.by_key = list(value)
			super().__init__(values)
			if self.kind == 'values':
				self.keys = ['value']

	def name(self, column):
		return super().name(column) if self.by_key else cell_text(self.names[column])

	def type(self, column):
		return super().type(column) if self.by_key else type_names(self.lists[column][:SAMPLE])

	def label(self, row):
		return self.by_key[row] if self.by_key else row

	def cell(self, row, column):
		return super().cell(row, column) if self.by_key else self.lists[column][row]


class Array(Rows):
	"""An array of numpy: of one dimension, or the last two of more."""

	def __init__(self, value):
		self.fields = value.dtype.names
		self.shape = value.shape[:-1] if value.ndim > 1 and not self.fields else value.shape
		if self.fields:
			self.value = value.reshape(-1)
		else:
			self.value = value.reshape(-1, value.shape[-1] if value.ndim > 1 else 1)
		self.rows, self.columns = len(self.value), len(self.fields or range(self.value.shape[-1]))

	def column(self, column):
		return self.value[self.fields[column]] if self.fields else self.value[:, column]

	def name(self, column):
		return self.fields[column] if self.fields else str(column)

	def type(self, column):
		kind = self.column(column).dtype
		return str(kind), kind.kind in 'iufc'

	def label(self, row):
		if len(self.shape) < 2:
			return row
		places = []
		for n in reversed(self.shape):
			places.insert(0, str(row % n))
			row //= n
		return ','.join(places)

	def page(self, rows, columns):
		return [[self.column(column)[row] for column in columns] for row in rows]

	def order(self, column, is_down):
		values = self.column(column)
		if values.dtype.kind == 'O' or values.ndim != 1:
			return sort_values(list(values), is_down)
		places = values.argsort(kind='stable')
		if not is_down:
			return places
		places = len(values) - 1 - values[::-1].argsort(kind='stable')
		missing = values != values
		n = int(missing.sum())
		return places[::-1] if not n else values_last(places[::-1], missing)


def values_last(places, missing):
	gone = missing[places]
	kept, lost = places[~gone], places[gone]
	return array('I', [*kept.tolist(), *lost.tolist()])


class Frame(Rows):
	"""A data frame of pandas, or something with its iloc, dtypes, columns and index."""

	def __init__(self, value):
		self.value = value
		self.rows, self.columns = value.shape

	def name(self, column):
		return label_text(self.value.columns[column])

	def type(self, column):
		kind = self.value.dtypes.iloc[column]
		return str(kind), getattr(kind, 'kind', 'O') in 'iufc'

	def label(self, row):
		return self.value.index[row]

	def page(self, rows, columns):
		if not len(columns):
			return [[] for _ in rows]
		rows = list(rows)
		is_block = bool(rows) and rows == list(range(rows[0], rows[0] + len(rows)))
		part = self.value.iloc[slice(rows[0], rows[-1] + 1) if is_block else rows, columns.start:columns.stop]
		lists = [list(part.iloc[:, i]) for i in range(len(columns))]
		return [[values[i] for values in lists] for i in range(len(rows))]

	def order(self, column, is_down):
		values = self.value.iloc[:, column]
		try:
			values = values.reset_index(drop=True)
			return values.sort_values(ascending=not is_down, kind='stable', na_position='last').index.to_numpy()
		except KeyboardInterrupt:
			raise
		except Exception:  # values of different types
			return sort_values(list(values), is_down)


def label_text(label):
	"""A label of an index of several levels is a tuple."""
	return ' / '.join(map(cell_text_of, label)) if type(label) is tuple else cell_text_of(label)


def cell_text_of(value):
	return cell_text(value) or ''


def kind_of_table(value):
	"""The class that shows it; None: it is no table. Looks only at types and lengths."""
	kind = type(value)
	module = kind.__module__.split('.')[0] if isinstance(kind.__module__, str) else ''
	if kind in (list, tuple):
		return Rows if len(value) else None
	if kind is dict:
		return Columns if len(value) else None
	if module == 'numpy' and kind.__name__ in ('ndarray', 'recarray', 'memmap', 'MaskedArray'):
		return Array if value.ndim else None
	if module == 'pandas' and kind.__name__ in ('DataFrame', 'Series'):
		return Frame
	if module != 'pandas' and all(hasattr(kind, name) for name in ('iloc', 'dtypes', 'columns', 'index', 'shape')):
		return Frame
	return None


def table_at(path):
	value = value_at(path)
	if value is NOTHING:
		raise LookupError(f'there is no variable of this name: {path}')
	shown = kind_of_table(value)
	if not shown:
		raise LookupError(f'no table: {path} is of the type {type(value).__name__}')
	if type(value).__name__ == 'Series' and shown is Frame:
		value = value.to_frame()
	return value, shown(value)


def table_order(path, rows, request):
	"""Places of the rows in the order that is asked for. The last one is kept until the next run."""
	column, is_down = request.get('sort'), request.get('down') is True
	if column is None or not 0 <= column < rows.columns:
		return range(rows.rows)
	key = (path, column, is_down, rows.rows)
	if key not in orders:
		orders.clear()
		orders[key] = rows.order(column, is_down)
	return orders[key]


def may_have(rows, column, text):
	"""Not a column of numbers or times when the text is none."""
	kind, is_number = rows.type(column)
	return not (is_number or kind.startswith('datetime64')) or not set(text) - set('0123456789.+-ejnaift()/: ')


def find_in(rows, order, request):
	"""The next row with a text in a cell or its label, looked for from a row on, for a short time. The answer's
	`looked` is the row to go on from."""
	text, at, end = request['find'].lower(), request.get('from', 0), time.monotonic() + LOOK_S
	columns = [column for column in range(rows.columns) if may_have(rows, column, text)]
	step = max(20, CELLS_MAX // max(1, len(columns)) // 4)
	while at < rows.rows:
		places = [int(place) for place in order[at:at + step]]
		hits = [i for i, place in enumerate(places) if text in label_text(rows.label(place)).lower()][:1]
		for column in columns:
			for i, (cell,) in enumerate(rows.page(places, range(column, column + 1))):
				if text in (cell_text(cell) or '').lower():
					hits.append(i)
					break
		if hits:
			return {'hit': at + min(hits)}
		at += len(places)
		if time.monotonic() > end:
			return {'looked': at}
	return {'looked': rows.rows}


def table(request):
	path = request['code']
	try:
		value, rows = table_at(path)
	except LookupError as e:
		return {'found': False, 'why': str(e.args[0])}
	order = table_order(path, rows, request)
	answer = {'found': True, 'type': type(value).__name__, 'rows': rows.rows, 'columns': rows.columns}
	if request.get('find'):
		answer.update(find_in(rows, order, request))
	first, column = request.get('row', 0), request.get('column', 0)
	columns = range(min(column, rows.columns), min(column + min(request.get('width', 20), 200), rows.columns))
	count = min(request.get('count', 50), CELLS_MAX // max(1, len(columns)))
	places = [int(order[i]) for i in range(min(first, rows.rows), min(first + count, rows.rows))]
	longest = max(8, min(CELL, CELLS_TEXT // max(1, len(places) * len(columns))))
	answer['heads'] = [dict(zip(('name', 'type', 'is_number'), (cut(rows.name(i), CELL), *rows.type(i))))
		for i in columns]
	answer['row'], answer['column'] = first, column
	answer['labels'] = [cut(label_text(rows.label(place)), CELL) for place in places]
	answer['cells'] = [[cut(cell_text(cell), longest) for cell in row] for row in rows.page(places, columns)]
	return answer


def cut(text, most):
	return text if text is None or len(text) <= most else text[:most - 1] + '…'


# ---- members ---------------------------------------------------------------------------

def members_of(value):
	"""How many members a value has, and a function that gives one's name and value, without code of the user's."""
	kind = type(value)
	if kind in (list, tuple):
		return len(value), lambda i: (f'[{i}]', value[i])
	if kind_of_table(value) is Frame and kind.__name__ != 'Series':
		return value.shape[1], lambda i: (label_text(value.columns[i]), value.iloc[:, i])
	if kind_of_table(value) is Array:
		return len(value), lambda i: (f'[{i}]', value[i])
	if isinstance(value, (str, bytes, int, float, complex, types.ModuleType, types.FunctionType, type(None))):
		return 0, None
	if isinstance(value, (dict, set, frozenset)):
		found = list(dict.items(value)) if isinstance(value, dict) else [(i, item) for i, item in enumerate(value)]
		return len(found), lambda i: (short_repr(found[i][0]), found[i][1])
	found = [(name, one) for name, one in attributes_of(value) if not name.startswith('__')]
	return len(found), lambda i: ('.' + found[i][0], found[i][1])


def attributes_of(value):
	rows = inspect.getattr_static(value, '__dict__', None)
	if isinstance(rows, SAFE):
		rows = rows.__get__(value, type(value))
	if isinstance(rows, (dict, types.MappingProxyType)):
		for name, one in list(rows.items()):
			if isinstance(name, str):
				yield name, one
	for base in type(value).__mro__ if not isinstance(value, type) else ():
		slots = vars(base).get('__slots__', ())
		for name in (slots,) if isinstance(slots, str) else slots:
			one = attribute_of(value, name)
			if one is not NOTHING and name not in ('__dict__', '__weakref__'):
				yield name, one


def has_members(value):
	kind = type(value)
	if kind in (list, tuple, dict, set, frozenset):
		return len(value) > 0
	return not isinstance(value, (str, bytes, int, float, complex, type(None), types.FunctionType,
		types.BuiltinFunctionType, types.ModuleType, type, range))


def value_at(path):
	"""What a path stands for: a name, with members by their number behind it: `x/3/0`."""
	name, steps = re.fullmatch(r'(.*?)((?:/\d+)*)', path, re.DOTALL).groups()
	value = value_of(name)
	for step in steps.split('/')[1:]:
		if value is NOTHING:
			break
		count, member = members_of(value)
		value = member(int(step))[1] if int(step) < count else NOTHING
	return value


def members(request):
	"""A page of what a value consists of, from the member with the number of the cursor on."""
	value, first = value_at(request['code']), request.get('cursor', 0)
	if value is NOTHING:
		return {'found': False}
	count, member = members_of(value)
	rows = []
	for i in range(first, min(first + MEMBERS, count)):
		name, one = member(i)
		rows.append({'name': cut(name, CELL), 'type': type(one).__name__, 'size': size_of(one),
			'value': cell_text(one) if type(one) is not str else short_repr(one),
			'has_members': has_members(one), 'is_table': kind_of_table(one) is not None})
	return {'found': True, 'count': count, 'first': first, 'members': rows}
