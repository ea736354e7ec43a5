// SPDX-License-Identifier: MIT
/* Tables and members for the questions to the JavaScript kernel; before node_ask.js. A table is an array of
 * objects, of arrays or of values, or a typed array. No getter is called. */

const TABLE_CELL = 200, TABLE_CELLS = 20_000, TABLE_TEXT = 1_000_000, TABLE_SAMPLE = 1000, TABLE_LOOK_MS = 500, MEMBERS_PAGE = 100;
const GONE = Symbol('gone'); // there is no such cell
let table_order = null; // of the rows, for the question that follows: {array, length, column, down, places}; forgotten at the next run

/* Only what has its own value: nothing runs. */
function own_value(owner, name) {
	const own = Object.getOwnPropertyDescriptor(owner, name);
	return own && 'value' in own ? own.value : GONE;
}

function cell_of(value) {
	if (value === GONE)
		return null;
	const text = typeof value === 'string' ? value.slice(0, TABLE_CELL + 1)
		: safely(() => text_of(value, { depth: 1, breakLength: Infinity, maxArrayLength: 12, maxStringLength: TABLE_CELL }));
	return text.replaceAll('\n', typeof value === 'string' ? '\n' : ' ');
}

function cut(text, most) {
	return text === null || text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function is_table(value) {
	return !util.types.isProxy(value) && (Array.isArray(value) || (util.types.isTypedArray(value) && typeof value[0] !== 'undefined'))
		&& value.length > 0;
}

function is_record(value) {
	return is_object(value) && typeof value !== 'function' && !util.types.isProxy(value);
}

/* Names of the columns, and how a row gives them. */
function columns_of(array) {
	const sample = Array.prototype.slice.call(array, 0, TABLE_SAMPLE);
	if (sample.every((row) => is_record(row) && Array.isArray(row))) {
		const width = Math.min(10_000, Math.max(...sample.map((row) => row.length)));
		return { sample, keys: [...Array(width).keys()], cell: (row, key) => is_record(row) ? own_value(row, key) : GONE };
	}
	if (sample.every(is_record)) {
		const keys = [...new Set(sample.flatMap((row) => Object.keys(row)))];
		return { sample, keys, cell: (row, key) => is_record(row) ? own_value(row, key) : GONE };
	}
	return { sample, keys: ['value'], cell: (row) => row };
}

function is_missing(value) {
	return value === GONE || value === null || value === undefined || Number.isNaN(value);
}

function compare_cells(a, b) {
	if (typeof a !== typeof b || typeof a === 'object')
		return typeof a === typeof b ? compare_cells(cell_of(a), cell_of(b)) : typeof a < typeof b ? -1 : 1;
	return a < b ? -1 : a > b ? 1 : 0;
}

function order_of(array, table, request) {
	const { sort, down } = request, key = table.keys[sort];
	if (sort === undefined || sort >= table.keys.length)
		return null;
	const known = table_order;
	if (known && known.array.deref() === array && known.length === array.length && known.sort === sort && known.down === !!down)
		return known.places;
	const values = Array.from(array, (row) => table.cell(row, key));
	const places = Array.from(values.keys()).filter((i) => !is_missing(values[i]));
	places.sort((a, b) => (down ? -1 : 1) * compare_cells(values[a], values[b]));
	for (const [i, value] of values.entries())
		if (is_missing(value))
			places.push(i);
	table_order = { array: new WeakRef(array), length: array.length, sort, down: !!down, places };
	return places;
}

function find_text(array, table, order, request) {
	const text = request.find.toLowerCase(), end = Date.now() + TABLE_LOOK_MS;
	for (let at = request.from ?? 0; at < array.length; at++) {
		const row = array[order ? order[at] : at];
		for (const key of table.keys)
			if ((cell_of(table.cell(row, key)) ?? '').toLowerCase().includes(text))
				return { hit: at };
		if (at % 100 === 0 && Date.now() > end)
			return { looked: at + 1 };
	}
	return { looked: array.length };
}

function head_of(table, key) {
	const types = new Set();
	for (const row of table.sample) {
		const value = table.cell(row, key);
		if (!is_missing(value))
			types.add(type_of(value));
	}
	const is_number = types.size > 0 && [...types].every((type) => type === 'number' || type === 'bigint');
	return { name: cut(String(key), TABLE_CELL), type: types.size > 3 ? 'mixed' : [...types].join('|'), is_number };
}

function table({ code, ...request }) {
	const array = value_at(code);
	if (array === NOTHING || !is_table(array))
		return { found: false, why: array === NOTHING ? `there is no variable of this name: ${code}`
			: `no table: ${code} is of the type ${type_of(array)}` };
	const found = columns_of(array), order = order_of(array, found, request);
	const first = request.row ?? 0, column = request.column ?? 0;
	const keys = found.keys.slice(column, column + Math.min(request.width ?? 20, 200));
	const count = Math.min(request.count ?? 50, 500, Math.floor(TABLE_CELLS / Math.max(1, keys.length)));
	const rows = [];
	for (let i = first; i < Math.min(first + count, array.length); i++)
		rows.push(order ? order[i] : i);
	const longest = Math.max(8, Math.min(TABLE_CELL, Math.floor(TABLE_TEXT / Math.max(1, rows.length * keys.length))));
	return {
		found: true, type: type_of(array), rows: array.length, columns: found.keys.length, row: first, column,
		...(request.find ? find_text(array, found, order, request) : {}),
		heads: keys.map((key) => head_of(found, key)), labels: rows.map(String),
		cells: rows.map((i) => keys.map((key) => cut(cell_of(found.cell(array[i], key)), longest))),
	};
}

// ---- members ----------------------------------------------------------------------------------

function has_members(value) {
	return is_record(value) && (util.types.isMap(value) || util.types.isSet(value) ? value.size > 0
		: Object.keys(value).length > 0);
}

/* Their names and values, from `first` on. */
function members_from(value, first, most) {
	const rows = [];
	let i = 0;
	const add = (name, one) => {
		if (i >= first && rows.length < most)
			rows.push([name, one]);
		i++;
	};
	if (!is_record(value))
		return { rows, count: 0 };
	if (util.types.isMap(value))
		for (const [key, one] of Map.prototype.entries.call(value))
			add(cell_of(key), one);
	else if (util.types.isSet(value))
		for (const one of Set.prototype.values.call(value))
			add(String(i), one);
	else
		for (const key of Object.keys(value))
			add(Array.isArray(value) ? `[${key}]` : `.${key}`, own_value(value, key));
	return { rows, count: i };
}

function value_at(path) {
	const [, name, steps] = /^([^]*?)((?:\/\d+)*)$/.exec(path);
	if (!new RegExp(`^${NAME}$`, 'u').test(name))
		return NOTHING;
	let value = probe(name, 1000); // a name is quick, but the machine may be busy
	for (const step of steps.split('/').slice(1)) {
		const { rows } = value === NOTHING ? { rows: [] } : members_from(value, Number(step), 1);
		value = rows.length && rows[0][1] !== GONE ? rows[0][1] : NOTHING;
	}
	return value;
}

function answer_members({ code, cursor }) {
	const value = value_at(code), first = cursor ?? 0;
	if (value === NOTHING)
		return { found: false };
	const { rows, count } = members_from(value, first, MEMBERS_PAGE);
	const list = rows.map(([name, one]) => row_of(cut(name, TABLE_CELL), one === GONE ? NOTHING : one, true));
	return { found: true, count, first, members: list };
}

