// SPDX-License-Identifier: MIT
/* What V8 would not take as it is; goes on from node_streams.js. The parser is the one that node has
 * for its own REPL, and code is changed in place, so that lines and columns stay.
 *
 * import() and `import … from`: V8 does not know where such code would be at home.
 * const: could never be declared again as anything else. It becomes `let`, and who assigns to it
 * finds in front of the name what throws as V8 would have.
 * An object literal alone: would be a block.
 * A name that was declared by `var` or `function` in another run and now by `let` or `class`,
 * or the other way round: becomes what it was. */

const IMPORT = '\u0456mport'; // as long as the keyword; its i is Ukrainian
const CONSTANT = '\u0441onst()'; // its c is Cyrillic
const constants = new Set(); // names that were declared so at top level
const PARSER = 'internal/deps/acorn/acorn/dist/acorn';

function options(sourceType) {
	return { ecmaVersion: 'latest', sourceType, allowAwaitOutsideFunction: true, allowHashBang: true };
}

function parse(code, sourceType) {
	return require(PARSER).parse(code, options(sourceType));
}

function try_parse(code) {
	for (const type of ['script', 'module']) {
		try {
			return parse(code, type);
		} catch {
			// V8 will tell what is wrong with it.
		}
	}
	return null;
}

/* Does it lack nothing but its end? Node's own console has a function for that, which knows no await at top level. */
function is_open(code) {
	const { Parser, tokTypes } = require(PARSER);
	let ends_early;
	class Reader extends Parser {
		nextToken() {
			super.nextToken();
			ends_early ||= this.type === tokTypes.eof;
		}

		raise(at, message) {
			ends_early ||= /^Unterminated (?:template|comment)/.test(message)
				|| (/^Unterminated string/.test(message) && this.input.slice(0, this.pos).endsWith('\\\n'));
			super.raise(at, message);
		}
	}
	const is_open_as = (text, type) => {
		ends_early = false;
		try {
			Reader.parse(`${text}\n`, options(type));
			return false;
		} catch {
			return ends_early;
		}
	};
	return is_open_as(code, 'script') || (/^\s*\{/.test(code) && is_open_as(`(${code}`, 'script'))
		|| (/\bimport\b/.test(code) && is_open_as(code, 'module'));
}

/* `{ a: 1 }` is a block to the language, and meant as an object: in parentheses it is one, as in node's own console. */
function as_value(code) {
	if (!/^\s*\{/.test(code))
		return code;
	try {
		const { body } = parse(`(${code}\n)`, 'script');
		return body.length === 1 && body[0].expression?.type === 'ObjectExpression' ? `(${code}\n)` : code;
	} catch {
		return code;
	}
}

function needs_change(code, clashes) {
	if (/\b(?:import|const)\b/.test(code) || clashes)
		return true;
	return constants.size > 0 && [...constants].some((name) => code.includes(name));
}

/* Code for V8. `clashes`: names that were declared before, and what as: 'let' or 'var'. */
function adapt(code, clashes = undefined) {
	const tree = needs_change(code, clashes) ? try_parse(code) : null;
	if (!tree)
		return code;
	const edits = [];
	const edit = (start, end, text) => edits.push({ start, end, text });
	const own = names_at_top(tree);
	for (const [name, kind] of own)
		kind === 'const' ? constants.add(name) : constants.delete(name);
	for (const node of tree.body)
		adapt_statement(node, code, clashes ?? new Map(), edit);
	adapt_inside(tree, [], edit, clashes);
	return apply(code, edits);
}

function apply(code, edits) {
	let changed = '', at = 0;
	for (const { start, end, text } of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
		changed += code.slice(at, start) + text;
		at = end;
	}
	return changed + code.slice(at);
}

// ---- names ------------------------------------------------------------------------------

/* Identifiers that a pattern binds or assigns to. */
function* targets(pattern) {
	switch (pattern?.type) {
	case 'Identifier':
		yield pattern;
		break;
	case 'ObjectPattern':
		for (const property of pattern.properties)
			yield* targets(property.type === 'RestElement' ? property.argument : property.value);
		break;
	case 'ArrayPattern':
		for (const element of pattern.elements)
			yield* targets(element);
		break;
	case 'AssignmentPattern':
		yield* targets(pattern.left);
		break;
	case 'RestElement':
		yield* targets(pattern.argument);
		break;
	}
}

/* Names that a statement declares, and how. */
function* declared(node) {
	if (node.type === 'VariableDeclaration') {
		for (const { id } of node.declarations)
			for (const { name } of targets(id))
				yield [name, node.kind];
	} else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
		yield [node.id.name, node.type === 'ClassDeclaration' ? 'class' : 'function'];
	} else if (node.type === 'ImportDeclaration') {
		for (const { local } of node.specifiers)
			yield [local.name, 'const'];
	}
}

function names_at_top(tree) {
	return new Map(tree.body.flatMap((node) => [...declared(node)]));
}

function is_node(value) {
	return value !== null && typeof value === 'object' && typeof value.type === 'string';
}

function* children(node) {
	for (const key in node) {
		const value = node[key];
		if (Array.isArray(value))
			yield* value.filter(is_node);
		else if (is_node(value))
			yield value;
	}
}

const is_function = (node) => /Function/.test(node.type);

/* `var` in a function, at any depth. */
function* hoisted(node) {
	for (const child of children(node)) {
		if (child.type === 'VariableDeclaration' && child.kind === 'var')
			for (const [name] of declared(child))
				yield name;
		if (!is_function(child))
			yield* hoisted(child);
	}
}

/* Names that are bound in a node for what is in it. Those of the top level are no concern here. */
function bound_in(node) {
	const names = new Set();
	const add = (statement) => {
		for (const [name] of declared(statement))
			names.add(name);
	};
	if (is_function(node)) {
		for (const pattern of node.params)
			for (const { name } of targets(pattern))
				names.add(name);
		for (const name of hoisted(node))
			names.add(name);
	}
	if (node.type === 'CatchClause')
		for (const { name } of targets(node.param))
			names.add(name);
	if (/^(?:Function|Class)Expression$/.test(node.type) && node.id)
		names.add(node.id.name);
	if (node.type === 'BlockStatement' || node.type === 'StaticBlock')
		node.body.forEach(add);
	if (node.type === 'SwitchStatement')
		node.cases.flatMap((c) => c.consequent).forEach(add);
	for (const head of [node.init, node.left])
		if (/^For/.test(node.type) && head?.type === 'VariableDeclaration' && head.kind !== 'var')
			add(head);
	return names;
}

// ---- changes ------------------------------------------------------------------------------

function adapt_statement(node, code, clashes, edit) {
	const kinds = new Set([...declared(node)].map(([name]) => clashes.get(name)));
	const other = kinds.has('var') ? 'var' : kinds.has('let') ? 'let' : undefined;
	if (node.type === 'ImportDeclaration') {
		edit(node.start, node.end, import_of(node, code, other));
	} else if (node.type === 'VariableDeclaration') {
		const keyword = other ?? (node.kind === 'const' ? 'let' : node.kind);
		if (keyword !== node.kind)
			edit(node.start, node.start + node.kind.length, keyword.padEnd(node.kind.length));
	} else if (other && /^(?:Function|Class)Declaration$/.test(node.type)) {
		edit(node.start, node.start, `${other} ${node.id.name} = `);
		edit(node.end, node.end, ';');
	}
}

/* An import declaration as a statement, on as many lines. */
function import_of(node, code, keyword = 'let') {
	const from = `await ${IMPORT}(${node.source.raw})`;
	const whole = node.specifiers.find((s) => s.type === 'ImportNamespaceSpecifier');
	const names = node.specifiers.filter((s) => s !== whole).map(({ imported, local }) =>
		`${imported ? imported.raw ?? imported.name : 'default'}: ${local.name}`);
	const parts = [];
	if (whole)
		parts.push(`${whole.local.name} = ${from}`);
	if (names.length)
		parts.push(`{${names.join(', ')}} = ${whole ? whole.local.name : from}`);
	const lines = code.slice(node.start, node.end).match(/\n/g) ?? [];
	return `${parts.length ? `${keyword} ${parts.join(', ')}` : from};${lines.join('')}`;
}

function adapt_inside(node, scopes, edit, clashes) {
	const names = bound_in(node);
	if (names.size)
		scopes = [...scopes, names];
	const guard = (pattern) => {
		for (const { name, start } of targets(pattern))
			if (constants.has(name) && !scopes.some((scope) => scope.has(name)))
				edit(start, start, CONSTANT + '.');
	};
	if (node.type === 'ImportExpression')
		edit(node.start, node.start + 'import'.length, IMPORT);
	else if (node.type === 'AssignmentExpression' || (/^For(?:In|Of)/.test(node.type) && is_target(node.left)))
		guard(node.left);
	else if (node.type === 'UpdateExpression')
		guard(node.argument);
	for (const child of children(node))
		adapt_inside(child, scopes, edit, clashes);
}

function is_target(node) {
	return node.type !== 'VariableDeclaration';
}

/* The names that a run declares otherwise than an earlier one did, if that is what is wrong; else undefined. */
function clash_of({ exception }, code) {
	const name = /^SyntaxError: Identifier '(.*)' has already been declared/.exec(exception?.description ?? '')?.[1];
	const tree = name && try_parse(code);
	if (!tree)
		return undefined;
	const lexical = new Set(lexical_names());
	const clashes = new Map();
	for (const [own] of names_at_top(tree)) {
		if (lexical.has(own))
			clashes.set(own, 'let');
		else if (Object.getOwnPropertyDescriptor(globalThis, own)?.configurable === false)
			clashes.set(own, 'var');
	}
	return clashes.has(name) ? clashes : undefined;
}

function lexical_names() {
	let found = [];
	session.post('Runtime.globalLexicalScopeNames', {}, (error, reply) => {
		found = reply?.names ?? [];
	});
	return found;
}

function hide(name, value) {
	Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
}

hide(IMPORT, (specifier, options) => (options === undefined ? import(specifier) : import(specifier, options)));
hide(CONSTANT.slice(0, -2), () => {
	throw new TypeError('Assignment to constant variable.');
});
