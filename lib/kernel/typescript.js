// SPDX-License-Identifier: MIT
/* What makes the driver for JavaScript one for TypeScript; goes on from node_program.js. Types are removed, not checked:
 * by node itself where it can (22.13 and later), which leaves every place where it was, else by the package `typescript`,
 * whose source maps tell where lines have come from. */

const TRANSLATED_MAX = 1000;
const line_maps = new Map(); // of a file: for each line and segment of the script, [column, line, column of the source]
let refused; // why the code of the run cannot be translated
let compiler; // the package `typescript`, once it is wanted

const can_strip = typeof Module.stripTypeScriptTypes === 'function';

function find_compiler() {
	if (compiler !== undefined)
		return compiler;
	const find = () => require.resolve('typescript', { paths: [process.cwd()] }); // in NODE_PATH, too
	const homes = ['/usr/local/lib/node_modules', '/usr/lib/node_modules', '/usr/share/nodejs'];
	compiler = safely(() => require(find()));
	for (const home of homes)
		compiler ||= safely(() => require(path.join(home, 'typescript')));
	return compiler;
}

/* Members of `error`, thrown. */
class Refusal extends Error {
	constructor(name, message, traceback) {
		super(message);
		this.told = { name, message, traceback };
	}
}

/* The script that a source becomes. */
function translate(code, file, is_program) {
	if (can_strip)
		return strip(code, file);
	if (!find_compiler()) {
		const message = `TypeScript needs node 22.13 or later (this is ${process.version}) or the package typescript `
			+ '(Debian: node-typescript; or npm install typescript)';
		throw new Refusal('Error', message, [message]);
	}
	return transpile(code, file, is_program);
}

function quietly(fn) {
	const { emitWarning } = process;
	process.emitWarning = () => {};
	try {
		return fn();
	} finally {
		process.emitWarning = emitWarning;
	}
}

function strip(code, file) {
	try {
		return quietly(() => Module.stripTypeScriptTypes(code, { mode: 'strip' }));
	} catch (e) {
		if (e.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
			throw refusal_of(e, file, code);
	}
	try { // enum, namespace, parameter properties
		const text = quietly(() => Module.stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true }));
		const [script, map] = text.split('//# sourceMappingURL=data:application/json;base64,');
		remember_map(file, Buffer.from(map ?? '', 'base64').toString());
		return script;
	} catch (e) {
		throw refusal_of(e, file, code);
	}
}

/* Node shows lines of the source and a mark below the last of them, none if the mistake is that the source ends. */
function refusal_of({ message, stack }, file, code) {
	const [words] = String(message).split('\n'), [, line, shown = ''] = /^[^\n]*:(\d+)\n([^]*?)\n\n/.exec(stack) ?? [];
	const mark = /^( *)\^+$/m.exec(shown), rows = code.split('\n');
	const at = mark && line ? [Number(line), mark[1].length] : [rows.length, rows.at(-1).length];
	const row = rows[at[0] - 1] ?? '';
	return new Refusal('SyntaxError', words, [`${file}:${at[0]}:${at[1] + 1}`, row,
		`${row.slice(0, at[1]).replace(/[^\t]/g, ' ')}^`, '', `SyntaxError: ${words}`]);
}

function transpile(code, file, is_program) {
	const { flattenDiagnosticMessageText, ModuleKind, ScriptTarget, JsxEmit, versionMajorMinor } = compiler;
	const { outputText, sourceMapText, diagnostics } = compiler.transpileModule(code, {
		fileName: /\.[cm]?tsx?$/.test(file) ? file : 'run.ts', reportDiagnostics: true,
		compilerOptions: {
			target: ScriptTarget.ESNext, module: is_program ? ModuleKind.CommonJS : ModuleKind.ESNext, sourceMap: true,
			jsx: JsxEmit.React, esModuleInterop: true, experimentalDecorators: true,
			...(is_program ? {} : Number(versionMajorMinor) < 5 // an import that this piece does not use is for later ones
				? { preserveValueImports: true, importsNotUsedAsValues: 1 } : { verbatimModuleSyntax: true }),
		},
	});
	if (diagnostics.length) {
		const [{ start = 0, messageText }] = diagnostics, message = flattenDiagnosticMessageText(messageText, '\n');
		const before = code.slice(0, start).split('\n'), line = code.split('\n')[before.length - 1];
		const column = before.at(-1).length;
		throw new Refusal('SyntaxError', message, [`${file}:${before.length}:${column + 1}`, line,
			`${line.slice(0, column).replace(/[^\t]/g, ' ')}^`, '', `SyntaxError: ${message}`]);
	}
	remember_map(file, sourceMapText);
	return outputText.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n').replace(/^export \{\};\n/m, '');
}

// ---- places -------------------------------------------------------------------------------

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/* The numbers of a segment: base 64, five bits each, the lowest first, the sign in the very lowest. */
function numbers_of(segment) {
	const numbers = [];
	let value = 0, shift = 0;
	for (const char of segment) {
		const digit = DIGITS.indexOf(char);
		value += (digit & 31) << shift;
		shift += 5;
		if (digit < 32) {
			numbers.push(value & 1 ? -(value >> 1) : value >> 1);
			value = shift = 0;
		}
	}
	return numbers;
}

function remember_map(file, text) {
	let line = 0, column = 0;
	line_maps.delete(file);
	line_maps.set(file, JSON.parse(text).mappings.split(';').map((row) => {
		let at = 0;
		return row.split(',').map(numbers_of).filter((numbers) => numbers.length >= 4).map((numbers) => {
			at += numbers[0];
			line += numbers[2];
			column += numbers[3];
			return [at, line, column];
		});
	}));
	if (line_maps.size > TRANSLATED_MAX)
		line_maps.delete(line_maps.keys().next().value);
}

/* "<run 3>:4:5" as the source has it. */
map_places = (text) => {
	for (const [file, rows] of line_maps)
		if (text.includes(file))
			text = text.replaceAll(new RegExp(`${file.replace(/[^\w\s]/g, '\\$&')}:(\\d+):(\\d+)`, 'g'), (place, line, column) => {
				const found = rows[line - 1]?.filter(([at]) => at < column).at(-1) ?? rows[line - 1]?.[0];
				return found ? `${file}:${found[1] + 1}:${found[2] + 1}` : place;
			});
	return text;
};

// ---- running ------------------------------------------------------------------------------

script_of = ({ code, file = '<run>' }) => {
	refused = undefined;
	line_maps.delete(file);
	try {
		return translate(file[0] === '<' ? as_value(code) : code, file, false);
	} catch (e) {
		if (!(e instanceof Refusal))
			throw e;
		refused = e.told;
		return '';
	}
};

const evaluate_script = evaluate;

evaluate = (mine, ...others) => (refused ? conclude({ status: 'error', error: refused }) : evaluate_script(mine, ...others));

/* Node 22.18 and later load a program as it is. */
if (!process.features.typescript)
	for (const ending of ['.ts', '.tsx', '.mts', '.cts'])
		Module._extensions[ending] = (module, file) => {
			try {
				module._compile(translate(fs.readFileSync(file, 'utf8').replace(/^#!.*/, ''), file, true), file);
			} catch (e) {
				if (!(e instanceof Refusal))
					throw e;
				const error = new SyntaxError(e.message);
				error.stack = e.told.traceback.join('\n');
				throw error;
			}
		};

// ---- questions ------------------------------------------------------------------------------

const is_complete_script = is_complete;

function is_translatable(code) {
	try {
		translate(code, '<input>', false);
		return true;
	} catch {
		return false;
	}
}

/* Does it lack nothing but its end? The package tells where it is wrong, node how. */
is_open = (code) => {
	try {
		translate(code, '<input>', false);
		return false;
	} catch ({ message, told }) {
		if (/Unterminated (?:template|block comment)|'\*\/' expected/.test(message))
			return true;
		const [, line, column] = /:(\d+):(\d+)$/.exec(told?.traceback[0] ?? '') ?? [];
		const rows = code.trimEnd().split('\n');
		return line > rows.length || (Number(line) === rows.length && column > rows.at(-1).length);
	}
};

is_complete = (request) => (is_translatable(request.code) ? { status: 'complete', indent: '' } : is_complete_script(request));
