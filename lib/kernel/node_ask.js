// SPDX-License-Identifier: MIT
/* Questions to the JavaScript kernel; goes on from node_syntax.js. No code of the user's runs for an answer,
 * but what V8 finds to be without side effects, and that for a short time only. */

const PROBE_MS = 20;
const MATCHES_MAX = 1000, KINDS_MAX = 300, ROWS_MAX = 2000, DOC_MAX = 20_000, SHORT = 200;
const NOTHING = Symbol('nothing');
const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$\u200c\u200d]*';
const KEYWORDS = ('async await break case catch class const continue debugger default delete do else export extends false '
	+ 'finally for function if import in instanceof let new null of return static super switch this throw true try '
	+ 'typeof undefined var void while with yield').split(' ');
const NAMES_ONLY = 1;
const first_globals = new Set(Object.getOwnPropertyNames(globalThis));

/* The value of an expression, or NOTHING: it fails, would change something, or takes too long. */
function probe(expression, timeout = PROBE_MS) {
	let found = NOTHING;
	session.post('Runtime.evaluate', {
		expression: `(${expression}\n)`, throwOnSideEffect: true, timeout, silent: true, objectGroup: 'ask',
	}, (error, reply) => {
		if (!error && !reply.exceptionDetails)
			found = value_of(reply.result);
	});
	return found;
}

function is_object(value) {
	return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/* The descriptor of a property, wherever it is inherited from, without running anything; undefined: none. */
function describe_property(value, name) {
	for (let at = Object(value); at !== null && !util.types.isProxy(at); at = Object.getPrototypeOf(at)) {
		const own = Object.getOwnPropertyDescriptor(at, name);
		if (own)
			return own;
	}
	return undefined;
}

function* property_names(value) {
	if (value === null || value === undefined || value === NOTHING)
		return;
	for (let at = Object(value); at !== null && !util.types.isProxy(at); at = Object.getPrototypeOf(at))
		yield* Object.getOwnPropertyNames(at);
}

function kind_of(value, otherwise) {
	if (typeof value !== 'function')
		return otherwise;
	const own = Object.getOwnPropertyDescriptor(value, 'prototype');
	return own && !own.writable ? 'class' : 'function';
}

// ---- where the cursor is ------------------------------------------------------------------

/* What `before` ends in: {kind: 'code' | 'string' | 'comment', from: where it begins, mark: its quote}. */
function place_of_cursor(before) {
	const token = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|(["'])(?:\\[^]|(?!\1)[^\\\n])*(\1)?|`(?:\\[^]|[^\\`])*(`)?/g;
	for (let match; (match = token.exec(before));) {
		if (token.lastIndex < before.length)
			continue;
		const mark = match[0][0];
		const is_closed = mark === '/' ? match[0].endsWith('*/') && match[0].length > 3 : match[2] ?? match[3];
		if (is_closed)
			break;
		const hole = mark === '`' ? match[0].lastIndexOf('${') : -1;
		if (hole >= 0 && !match[0].includes('}', hole))
			break; // code within a template
		return { kind: mark === '/' ? 'comment' : 'string', from: match.index, mark };
	}
	return { kind: 'code' };
}

/* The expression that ends where the text does: names, calls, subscripts and literals, joined by dots. */
function expression_at_end(text) {
	const pairs = { ')': '(', ']': '[' };
	let at = text.length;
	while (at > 0) {
		const c = text[at - 1];
		if (pairs[c]) {
			let depth = 0;
			do {
				at--;
				depth += (text[at] === c) - (text[at] === pairs[c]);
			} while (at > 0 && depth > 0);
		} else if (c === '"' || c === "'" || c === '`') {
			at = text.lastIndexOf(c, at - 2);
			return at < 0 ? '' : text.slice(at);
		} else if (/[\p{ID_Continue}$.?!\u200c\u200d]/u.test(c)) {
			at--;
		} else {
			break;
		}
	}
	return text.slice(at).replace(/^[?.!]+/, '');
}

// ---- complete -------------------------------------------------------------------------------

/* Files below the working directory, or wherever the path begins, as rows of [name, kind]. */
function paths(text) {
	const slash = text.lastIndexOf('/') + 1, folder = text.slice(0, slash);
	const place = folder.startsWith('~/') ? process.env.HOME + folder.slice(1) : folder || '.';
	const rows = [];
	for (const entry of safely(() => fs.readdirSync(place, { withFileTypes: true })) || []) {
		const is_folder = entry.isDirectory()
			|| (entry.isSymbolicLink() && safely(() => fs.statSync(`${place}/${entry.name}`).isDirectory()));
		if (entry.name[0] !== '.' || text[slash] === '.')
			rows.push([entry.name + (is_folder ? '/' : ''), is_folder ? 'directory' : 'file']);
	}
	return { rows, length: text.length - slash };
}

function modules(text) {
	const { builtinModules } = require('module');
	const rows = builtinModules.filter((name) => name[0] !== '_').map((name) => [name, 'module']);
	for (let folder = process.cwd(); ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
		for (const name of safely(() => fs.readdirSync(`${folder}/node_modules`)) || [])
			if (name[0] !== '.')
				rows.push([name, 'module']);
		if (!folder)
			break;
	}
	return { rows, length: text.length };
}

function in_string(before, { from }) {
	const text = before.slice(from + 1);
	const is_module = /(?:\brequire\s*\(|\bimport\s*\(?|\bfrom)\s*$/.test(before.slice(0, from));
	return is_module && !/^[./]/.test(text) ? modules(text) : paths(text);
}

function members(owner) {
	const value = probe(owner);
	const names = new Set(property_names(value));
	return [...names].filter((name) => new RegExp(`^${NAME}$`, 'u').test(name)).map((name) => [name, () => {
		const own = describe_property(value, name);
		return own && 'value' in own ? kind_of(own.value, 'property') : 'property';
	}]);
}

function names_in_scope() {
	const rows = KEYWORDS.map((name) => [name, 'keyword']);
	for (const name of lexical_names())
		rows.push([name, () => kind_of(probe(name), 'variable')]);
	for (const name of property_names(globalThis)) {
		const own = describe_property(globalThis, name);
		if (!name.includes('__') && name !== IMPORT && !CONSTANT.startsWith(name))
			rows.push([name, own && 'value' in own ? kind_of(own.value, 'variable') : 'variable']);
	}
	return rows;
}

function complete({ code, cursor }) {
	const before = [...code].slice(0, cursor).join('');
	const place = place_of_cursor(before);
	const prefix = new RegExp(`(?:${NAME})?$`, 'u').exec(before)[0];
	const head = before.slice(0, before.length - prefix.length);
	const dot = /\??\.\s*$/.exec(head);
	let found = { rows: [], length: prefix.length };
	if (place.kind === 'string')
		found = in_string(before, place);
	else if (place.kind === 'code' && dot && !/\d\.$/.test(head))
		found.rows = members(expression_at_end(head.slice(0, dot.index)));
	else if (place.kind === 'code')
		found.rows = names_in_scope();
	const wanted = before.slice(before.length - found.length);
	const kinds = new Map(found.rows.filter(([name]) => name.startsWith(wanted)
		&& (place.kind === 'string' || wanted.startsWith('_') || !name.startsWith('__'))));
	const matches = [...kinds.keys()].sort().slice(0, MATCHES_MAX);
	const kind = (name) => (typeof kinds.get(name) === 'function' ? safely(kinds.get(name)) : kinds.get(name));
	return {
		matches, kinds: matches.slice(0, KINDS_MAX).map(kind), start: cursor - [...wanted].length, end: cursor,
	};
}

// ---- inspect --------------------------------------------------------------------------------

/* The value as node shows it, but without calling anything of the user's. */
function text_of(value, more) {
	return util.inspect(value, { customInspect: false, getters: false, showProxy: true, maxStringLength: 2000, ...more });
}

function type_of(value) {
	if (!is_object(value))
		return value === null ? 'null' : typeof value;
	if (util.types.isProxy(value))
		return 'Proxy';
	if (typeof value === 'function')
		return kind_of(value);
	const maker = describe_property(value, 'constructor')?.value;
	const name = typeof maker === 'function' && Object.getOwnPropertyDescriptor(maker, 'name')?.value;
	return typeof name === 'string' && name ? name : 'Object';
}

/* What a function is called with: the parameters as its source has them, or how many there are. */
function signature_of(value, name) {
	const source = safely(() => Function.prototype.toString.call(value));
	const is_class = source.startsWith('class');
	const head = is_class ? /\bconstructor\s*\(/.exec(source) : /^[^(=]*\(/.exec(source);
	const lone = /^(?:async\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(source);
	let parameters = lone ? lone[1] : '';
	if (/\{\s*\[native code\]\s*\}$/.test(source)) {
		const count = Object.getOwnPropertyDescriptor(value, 'length')?.value || 0;
		if (count === 0)
			return undefined; // it takes none, or any number
		parameters = Array.from({ length: count }, (_, i) => `arg${i + 1}`).join(', ');
	} else if (head) {
		const start = head.index + head[0].length;
		let end = start;
		for (let depth = 1; end < source.length; end++) {
			depth += ('([{'.includes(source[end])) - (')]}'.includes(source[end]));
			if (depth === 0)
				break;
		}
		parameters = source.slice(start, end).replace(/\s+/g, ' ').trim();
	}
	return `${is_class ? 'new ' : ''}${name}(${parameters})`;
}

/* The dotted name that the cursor is in or behind, else that of the call that it is in. */
function name_at(code, cursor) {
	const characters = [...code];
	const before = characters.slice(0, cursor).join('');
	const rest = new RegExp(`^(?:[\\p{ID_Continue}$])*`, 'u').exec(characters.slice(cursor).join(''))[0];
	const last = new RegExp(`${NAME}(?:\\s*\\??\\.\\s*#?${NAME})*$`, 'u');
	const own = last.exec(before + rest);
	if (own && !KEYWORDS.slice(0, -4).includes(own[0]))
		return own[0];
	let depth = 0;
	for (let i = before.length - 1; i >= 0; i--) {
		depth += (')]}'.includes(before[i])) - ('([{'.includes(before[i]));
		if (depth < 0)
			return last.exec(before.slice(0, i))?.[0] ?? '';
	}
	return '';
}

function inspect_name({ code, cursor }) {
	const name = name_at(code, cursor);
	const value = name ? probe(name) : NOTHING;
	if (value === NOTHING || (value === undefined && !/^undefined$/.test(name) && !is_known(name)))
		return { found: false };
	const data = { found: true, name, type: type_of(value), value: text_of(value, { depth: 2 }).slice(0, DOC_MAX) };
	if (typeof value === 'function' && !util.types.isProxy(value)) {
		data.signature = signature_of(value, name.slice(name.lastIndexOf('.') + 1));
		const source = safely(() => Function.prototype.toString.call(value));
		if (!/\[native code\]/.test(source))
			data.doc = source.slice(0, DOC_MAX);
	}
	return data;
}

/* Is it a name whose value is undefined, rather than a property that is not there? */
function is_known(name) {
	const dot = name.lastIndexOf('.');
	if (dot < 0)
		return true; // or it would have been an error
	const owner = probe(name.slice(0, dot).replace(/\?$/, ''));
	return owner !== NOTHING && describe_property(owner, name.slice(dot + 1)) !== undefined;
}

// ---- the rest ---------------------------------------------------------------------------------

function size_of(value) {
	if (typeof value === 'string' || Array.isArray(value) || util.types.isTypedArray(value))
		return String(value.length);
	if (util.types.isMap(value) || util.types.isSet(value))
		return String(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(value), 'size') ? value.size : '');
	if (is_object(value) && typeof value !== 'function' && !util.types.isProxy(value))
		return String(Object.keys(value).length);
	return '';
}

function row_of(name, value, has_values) {
	const type = value === NOTHING ? 'not yet set' : type_of(value);
	const text = value === NOTHING || !has_values ? ''
		: text_of(value, { depth: 1, breakLength: Infinity, maxArrayLength: 20, maxStringLength: SHORT });
	return {
		name, type, size: value === NOTHING || !has_values ? '' : safely(() => size_of(value)),
		value: text.length > SHORT ? text.slice(0, SHORT - 1) + '…' : text.replaceAll('\n', ' '),
		has_members: value !== NOTHING && has_members(value), is_table: value !== NOTHING && is_table(value),
	};
}

function variables({ cursor }) {
	const rows = new Map();
	for (const name of Object.getOwnPropertyNames(globalThis)) {
		const own = Object.getOwnPropertyDescriptor(globalThis, name);
		if (!first_globals.has(name) && own.enumerable)
			rows.set(name, 'value' in own ? own.value : NOTHING);
	}
	for (const name of lexical_names())
		rows.set(name, probe(name));
	const all = [...rows].slice(0, ROWS_MAX);
	return { variables: all.map(([name, value]) => row_of(name, value, cursor !== NAMES_ONLY)) };
}

function is_complete({ code }) {
	if (try_parse(as_value(code)))
		return { status: 'complete', indent: '' };
	if (!is_open(code))
		return { status: 'invalid', indent: '' };
	const line = code.slice(code.lastIndexOf('\n', code.length - 2) + 1);
	if (/\\\s*$/.test(line))
		return { status: 'incomplete', indent: '' }; // what comes next is within a string
	const margin = /^\s*/.exec(line)[0];
	const opens = /[([{]\s*$|=>\s*$/.test(line.trimEnd());
	return { status: 'incomplete', indent: opens ? margin + (margin.endsWith('\t') ? '\t' : '  ') : margin };
}

const answers = {
	complete, inspect: inspect_name, is_complete, variables, members: answer_members, table,
	reset: () => ({}), // asked only of a process that has just begun
};

function answer(request) {
	if (!Object.hasOwn(answers, request.op))
		return { error: 'This operation is not known.' };
	try {
		return { data: answers[request.op](request) };
	} catch (e) {
		return { error: `the kernel could not answer: ${safely(() => String(e.message)) || 'it failed'}` };
	} finally {
		session.post('Runtime.releaseObjectGroup', { objectGroup: 'ask' });
	}
}

const node_exit = process.exit;
process.exit = exit;
mend_hooks();
open_streams();
serve();
pull();
if (!begins_with_program())
	start_watcher();
put({ ev: 'ready', version: process.version.slice(1) });
take();
//# sourceURL=<terrarium>
