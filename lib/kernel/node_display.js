// SPDX-License-Identifier: MIT
/* Part of the JavaScript driver (node.js): showing things.
 *
 *   display(value, …)     each value as richly as it knows, and else as the console prints it
 *   display({'image/png': buffer, 'text/plain': 'a plot'})    forms of one thing, by MIME type
 *   display(buffer)       a PNG, JPEG or GIF, known by its first bytes
 *
 * A value says how it looks by a method [Symbol.for('terrarium.display')]() that gives such an object
 * (Deno's name for it, Symbol.for('Jupyter.display'), is understood too), or by Jupyter's methods:
 * _repr_png_(), _repr_jpeg_(), _repr_svg_(), _repr_html_(), _repr_markdown_(). Such a value is also shown when it is the
 * last expression. Images are Buffers, typed arrays, or text in base64. */
const DISPLAY_MAX = 16 << 20; // bytes of one display on their way, all its forms together
const DISPLAY_NAMES = ['terrarium.display', 'Jupyter.display'].map((name) => Symbol.for(name));
const DISPLAY_METHODS = {
	_repr_png_: 'image/png', _repr_jpeg_: 'image/jpeg', _repr_svg_: 'image/svg+xml', _repr_html_: 'text/html',
	_repr_markdown_: 'text/markdown',
};
const MIME = /^[\w.+-]+\/[\w.+-]+$/;
const MAGIC = [['image/png', '89504e470d0a1a0a'], ['image/jpeg', 'ffd8ff'], ['image/gif', '474946383961'],
	['image/gif', '474946383761']];

/* A form as text: base64 for what is no text. */
function form_of(mime, data) {
	if (typeof data === 'string')
		return data;
	if (data instanceof ArrayBuffer)
		data = Buffer.from(data);
	if (ArrayBuffer.isView(data)) {
		const is_text = mime.startsWith('text/') || /[+/](?:xml|json)$/.test(mime);
		return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString(is_text ? 'utf8' : 'base64');
	}
	return mime.endsWith('json') ? JSON.stringify(data) : undefined;
}

/* What a method of the user's gives; undefined if it fails, after a line that says so. */
function try_shown(name, fn) {
	try {
		return fn();
	} catch (e) {
		stderr.write(`display: ${name} failed: ${safely(() => String(e))}\n`);
		return undefined;
	}
}

/* The forms that a value says it has; undefined if it says nothing. */
function rich_forms(value) {
	if (value === null || (typeof value !== 'object' && typeof value !== 'function') || util.types.isProxy(value))
		return undefined;
	for (const name of DISPLAY_NAMES)
		if (typeof safely(() => value[name]) === 'function')
			return try_shown(`[${name.description}]()`, () => ({ ...value[name]() }));
	const forms = {};
	for (const [name, mime] of Object.entries(DISPLAY_METHODS))
		if (typeof safely(() => value[name]) === 'function')
			forms[mime] = try_shown(`${name}()`, () => value[name]());
	return Object.keys(forms).length ? forms : undefined;
}

/* The forms of what is handed to display(). */
function forms_of(value) {
	const rich = rich_forms(value);
	if (rich)
		return { 'text/plain': safely(() => util.inspect(value)), ...rich };
	if (ArrayBuffer.isView(value)) {
		const head = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, 16)).toString('hex');
		const known = MAGIC.find(([, magic]) => head.startsWith(magic));
		if (known)
			return { [known[0]]: value };
	}
	const keys = value !== null && typeof value === 'object' ? safely(() => Object.keys(value)) || [] : [];
	if (keys.length && keys.every((key) => MIME.test(key)))
		return value;
	return { 'text/plain': typeof value === 'string' ? value : safely(() => util.inspect(value)) };
}

function put_forms(forms) {
	const data = {}, too_big = [];
	let room = DISPLAY_MAX;
	for (const [mime, given] of Object.entries(forms)) {
		const text = given === undefined || given === null ? undefined : form_of(mime, given);
		const size = text === undefined ? 0 : JSON.stringify(text).length;
		if (text === undefined)
			continue;
		if (size > room) {
			too_big.push(`${mime} left out: ${text.length} characters are too many to show`);
			continue;
		}
		data[mime] = text;
		room -= size;
	}
	if (too_big.length && Object.keys(data).every((mime) => mime === 'text/plain'))
		data['text/plain'] = too_big.join('\n');
	if (!Object.keys(data).length)
		return;
	flush_all();
	if (!is_current()) {
		const text = `a display (${Object.keys(data).join(', ')}) came after its run had ended\n`;
		return put({ ev: 'late', stream: 'stderr', text });
	}
	put({ ev: 'display', id: run.id, data });
	wait_ms(1); // that it is read before what is printed next, which comes by another pipe
}

/* The value of the last expression, if it knows how it looks. */
function show_rich(value, text) {
	const forms = rich_forms(value);
	if (forms)
		put_forms({ 'text/plain': text, ...forms });
}

hide('display', (...values) => {
	for (const value of values)
		try_shown('display()', () => put_forms(forms_of(value)));
});
