// SPDX-License-Identifier: MIT
'use strict';
/* The kernel driver for JavaScript. What is spoken on its descriptors is in kernel.h.
 * This file begins a strict eval that goes on in node_stop.js, node_streams.js, node_syntax.js, node_display.js,
 * node_program.js and node_ask.js: their names are seen by each other, and not by the user's code.
 *
 * Code is evaluated by V8's inspector as in the console of a browser: top-level await,
 * `let`, `const` and `class` that stay and may be declared again, the value of the last
 * expression. The user's code runs in the main thread, and there nothing but V8 can stop it.
 * So a second thread waits for SIGINT and calls us through the inspector, which
 * reaches code that never gives way. Then execution is terminated, which leaves no `finally`
 * block a chance, neither ours nor node's: the driver's own code is either shielded or does not
 * mind, and what node has left half done is mended (node_stop.js).
 *
 * To which run a callback belongs is written on its asynchronous resource, under RUN. */
const { require } = globalThis; // a program's global object has none
const { closeSync, openSync, readdirSync, readSync, writeSync, constants: { O_NONBLOCK, O_RDONLY, O_WRONLY } } = require('fs');
const { Session } = require('inspector');
const { AsyncResource, createHook, executionAsyncResource } = require('async_hooks');
const { Writable, Readable } = require('stream');
const { MessageChannel, Worker } = require('worker_threads');
const Module = require('module');
const net = require('net');
const path = require('path');
const util = require('util');
const { setImmediate, setTimeout, clearTimeout, Buffer, Atomics, performance } = globalThis;
const { defineProperty } = Object;

const DRIVER = '<terrarium>'; // our own file name, by which our frames are known
const REQUESTS = 3, EVENTS = 4;
const VALUE_MAX = 1_000_000;
const TRACEBACK_MAX = 200;
const RUN = Symbol('run');
const mark = { __proto__: null, value: 0, writable: true, configurable: true }; // not seen where a timer is shown
const BLANK = '\u{10FFF0}'; // for blanks in file names, where V8 takes none; never seen by the user
const WAITING = 0, TAKEN = 1, RUNNING = 2, STOPPING = 3, ENDING = 4;

let state = WAITING;
let run = null;          // the one under way
let run_count = 0;
let early = false;       // an interrupt has come before its run began
let is_early = false;    // one has come while none was known to wait: it may be in the pipe
let shield = 0;          // code of the driver that must not be terminated is running
let stop_asked = false;  // an interrupt came meanwhile
let may_wait = true;     // for room in a pipe: not when called by the other thread, in the midst of another wait perhaps
let is_torn = false;     // something was terminated: node's own timers may be torn
let owner;               // number of the run that the last callback was of
let last;                // the last immediate that was begun
let is_ours = false;     // the resource being made belongs to the driver
let watcher = null; // the thread that waits for SIGINT; null: the kernel begins with a program, and has none
let has_watcher = false; // the thread is there
let is_leaving = false;  // the program has ended, but for what it has left to do
let is_lost = false;     // the inspector takes no more code: the next run needs another process
let ends_at_once = false; // something was terminated: node may have lost count of what is left to do
let late_exit_code;      // a callback of an earlier run has called process.exit(), or has thrown
let requests_socket;
const queue = [];        // requests not yet taken
const session = new Session();
const cells = new Int32Array(new SharedArrayBuffer(24)); // see below
const UNFLUSHED = 0, NEVER = 1, STOPS = 2, LEFT = 3; // output waits to be flushed; always 0; a run is being stopped; the thread lets go of us
const ENDS = 4; // of runs, until now
const DYING = 5; // what runs is being terminated: see set_dying()
const sink = { value: undefined };
let sink_id;
let held;                // the promise of the code that is evaluated: see hold()

const main_module = globalThis.module; // what `node -e` puts the library 'module' in the place of when it has run

closeSync(5);
process.execArgv = [];

// ---- node's own parts -----------------------------------------------------------------

/* Without the warning that they are for tests. */
function internals() {
	const { emitWarning } = process;
	process.emitWarning = () => {};
	const { internalBinding } = require('internal/test/binding');
	process.emitWarning = emitWarning;
	return internalBinding;
}

const internal_binding = internals();
const async_wrap = internal_binding('async_wrap');
const { clearAsyncIdStack } = require('internal/async_hooks');
const { prepareStackTrace, prepareStackTraceCallback = prepareStackTrace } = require('internal/errors'); // node 18, 20

/* What is running, as pairs of a file and a function in it; and we. */
let is_looking = false, running;

function look_below() {
	running = [];
	is_looking = true;
	safely(() => {
		const { stackTraceLimit } = Error;
		Error.stackTraceLimit = 100;
		new Error().stack;
		Error.stackTraceLimit = stackTraceLimit;
	});
	is_looking = false;
	return running;
}

/* What another language that is translated to this one puts its own in the place of: see typescript.js. */
let script_of = ({ code }) => code, map_places = (text) => text;

/* Stacks as if there was nothing below the user's code, and with the file names that the user knows. */
internal_binding('errors').setPrepareStackTraceCallback((realm, error, trace) => {
	const files = trace.map((site) => site.getScriptNameOrSourceURL());
	if (is_looking)
		running = trace.map((site, i) => [files[i], site.getFunctionName()]);
	const is_entry = (file, i) => file === 'node:inspector' && (i + 1 === files.length || files[i + 1] === DRIVER);
	const end = files.findIndex(is_entry);
	const top = trace.findIndex((site, i) => files[i] === DRIVER && site.getFunctionName() === 'run_program');
	const own = trace.filter((site, i) => files[i] !== DRIVER && (end < 0 || i < end) && (top < 0 || i < top));
	const text = prepareStackTraceCallback(realm, error, own);
	return typeof text === 'string' ? map_places(text.includes(BLANK) ? text.replaceAll(BLANK, ' ') : text) : text;
});

// ---- events ---------------------------------------------------------------------------

function wait_ms(ms) {
	Atomics.wait(cells, NEVER, 0, ms);
}

/* Write everything, to whatever kind of descriptor. Less: nobody listens, or it is let go for now. */
function write_whole(fd, bytes, may_stop) {
	let at = 0;
	for (let pause_ms = 0.05; at < bytes.length;) {
		try {
			at += writeSync(fd, bytes, at);
			pause_ms = 0.05;
		} catch (e) {
			if (e.code !== 'EAGAIN')
				break;
			if (may_stop && (stop_asked || !may_wait))
				break;
			wait_ms(pause_ms);
			pause_ms = Math.min(pause_ms * 2, 2);
		}
	}
	return at;
}

/* Not by Buffer.from(): a call of the other thread in the midst of that, wherever it is used, would get the same piece
 * of the memory that small ones share. */
const encode = TextEncoder.prototype.encode.bind(new TextEncoder());

function put(event) {
	const line = encode(JSON.stringify(event).replaceAll('\\u0000', '\ufffd') + '\n');
	shield_up();
	const n = write_whole(EVENTS, line, false);
	if (n < line.length)
		process.reallyExit(1); // nobody listens any more
	unshield();
}

/* What is in between is not terminated halfway. */
function shield_up() {
	if (Atomics.load(cells, STOPS) === 1)
		terminate(); // as well, whatever it is; does not return
	shield++;
}

function unshield() {
	if (--shield === 0 && stop_asked && state === RUNNING)
		stop_here('interrupted');
}

/* setImmediate() for the driver itself. */
function later(fn) {
	is_ours = true;
	const immediate = setImmediate(fn);
	is_ours = false;
	return immediate;
}

// ---- whose is it? -----------------------------------------------------------------------

/* Promises are left alone, which makes them quick: what follows upon one runs right after the callback
 * that has settled it. So `owner`, set by that callback, still holds. */
const owners = createHook({
	init(id, type, trigger, resource) {
		if (type === 'PROMISE') // where the user has hooks for promises
			held ??= resource;
		const number = owner_now();
		if (number === undefined || is_ours)
			return;
		mark.value = number;
		defineProperty(resource, RUN, mark);
		if ((type === 'Timeout' || type === 'Immediate') && run !== null && number === run.number)
			note_timer(run, resource);
	},
	before() {
		const resource = executionAsyncResource();
		owner = resource?.[RUN]; // there is none for a moment, when an interrupt has come in between
		if (Atomics.load(cells, STOPS) === 1 && owner === run.number)
			disarm(resource);
		if (resource?._onImmediate)
			last = resource;
	},
}).enable();
async_wrap.setPromiseHooks(undefined, undefined, undefined, undefined);
async_wrap.async_hook_fields[async_wrap.constants.kCheck] = 0; // node would abort when a callback was terminated

function owner_now() {
	return executionAsyncResource()?.[RUN] ?? owner;
}

function note_timer(mine, timer) {
	mine.timers.push(timer);
	if (mine.timers.length === mine.timers_max) {
		mine.timers = mine.timers.filter((t) => !t._destroyed);
		mine.timers_max = 2 * mine.timers.length + 1000;
	}
}

/* What runs now belongs to the run that is under way. */
function is_current() {
	if (is_program)
		return true;
	const number = owner_now();
	return run !== null && (number === undefined || number === run.number);
}

// ---- running ------------------------------------------------------------------------------

/* Variables and directory of one run. Gives what puts them back. */
function begin_place({ env = [], cwd }) {
	const pairs = env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
	const before = Object.keys(Object.fromEntries(pairs)).map((name) => [name, process.env[name]]);
	const where = cwd && safely(() => process.cwd());
	if (cwd)
		change_directory(cwd);
	for (const [name, value] of pairs)
		process.env[name] = value;
	return { before, where };
}

function end_place({ before, where }) {
	for (const [name, value] of before)
		if (value === undefined)
			delete process.env[name];
		else
			process.env[name] = value;
	if (where)
		change_directory(where);
}

function change_directory(path) {
	try {
		process.chdir(path);
	} catch (e) {
		stderr.write(`cannot change to the directory ${path}: ${e.code}\n`);
	}
}

function begin(request) {
	const file = request.file || '<run>', script = script_of(request);
	run = {
		id: request.id, number: ++run_count, code: request.code, file,
		text: file[0] === '<' ? as_value(script) : script, // in a file it is a block
		url: file.replace(/\s/g, BLANK).replace(/["']/g, '’'),
		timers: [], timers_max: 1000, look: null, outcome: null, awaited: undefined, cpu: process.cpuUsage(), children: children_us(),
	};
	stdout.begin();
	stderr.begin();
	if (request.env || request.cwd)
		run.place = begin_place(request);
	if (file[0] !== '<')
		be_file(file);
	be_main();
	if (request.args) {
		run.argv = process.argv; // what is there again behind this run
		process.argv = [process.execPath, process.argv[1] ?? file, ...request.args];
	}
	if (early) {
		early = false;
		state = ENDING;
		run.outcome = { status: 'interrupted' };
		return finish();
	}
	state = RUNNING;
	requests_socket.unref(); // until it is over: see on_idle()
	const scope = new AsyncResource('RUN');
	scope[RUN] = run.number;
	scope.runInAsyncScope(evaluate, null, run, adapt(run.text));
}

/* As a program has it, although the file is not in the sandbox. */
function be_file(file) {
	const whole = path.resolve(file), { module } = globalThis;
	hide('__filename', whole);
	hide('__dirname', path.dirname(whole));
	process.argv[1] = whole;
	if (module) {
		module.filename = whole;
		module.id = '.';
	}
}

/* Programs ask by it whether somebody else has loaded them. */
function be_main() {
	const { module, require: global_require } = globalThis;
	if (module && global_require)
		global_require.main = process.mainModule = module;
}

/* V8 tells the inspector when the promise of code is collected: it waits for what cannot come any more, or was
 * terminated. Node 22 and later do not survive that. So it is held: it is the first promise that code makes. */
function hold(promise) {
	held = promise;
	async_wrap.setPromiseHooks(undefined, undefined, undefined, undefined);
}

/* Nobody waits for the code of this session any more; its promise may go. */
function renew_session() {
	session.disconnect();
	connect();
	held = undefined;
}

function connect() {
	session.connect();
	hide('__terrarium_sink', sink);
	session.post('Runtime.evaluate', { expression: '__terrarium_sink' }, (error, { result }) => {
		sink_id = result.objectId;
	});
	delete globalThis.__terrarium_sink;
}

function evaluate(mine, code, clashes = undefined) {
	held = undefined;
	if (async_wrap.async_hook_fields[async_wrap.constants.kInit] === 1) // but ours there are none
		async_wrap.setPromiseHooks(hold, undefined, undefined, undefined);
	const expression = `${code}\n//# sourceURL=${mine.url}`;
	session.post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true, objectGroup: 'run' },
		(error, reply) => {
			if (run !== mine || state !== RUNNING)
				return;
			const found = !clashes && reply?.exceptionDetails && clash_of(reply.exceptionDetails, mine.text);
			if (found)
				evaluate(mine, adapt(mine.text, found), found);
			else
				settle(error, reply);
		});
}

/* The value of something that the inspector talks about. */
function value_of(remote) {
	if (remote.objectId) {
		session.post('Runtime.callFunctionOn', {
			objectId: sink_id, functionDeclaration: 'function(v){this.value=v}', arguments: [{ objectId: remote.objectId }],
		});
		const { value } = sink;
		sink.value = undefined;
		return value;
	}
	if (remote.unserializableValue !== undefined)
		return remote.type === 'bigint' ? BigInt(remote.unserializableValue.slice(0, -1)) : Number(remote.unserializableValue);
	return remote.subtype === 'null' ? null : remote.value;
}

/* The code has ended. A promise as its value is waited for. */
function settle(error, reply) {
	const mine = run, is_mine = () => run === mine && state === RUNNING;
	if (error) {
		is_lost = true;
		return conclude({ status: 'error', error: { name: 'Error', message: error.message, traceback: [error.message] } });
	}
	if (reply.exceptionDetails) {
		const details = reply.exceptionDetails;
		const thrown = details.exception ? value_of(details.exception) : undefined;
		return conclude(failed(thrown, details));
	}
	const value = value_of(reply.result);
	if (!util.types.isPromise(value))
		return conclude(shown(value));
	mine.awaited = value;
	Promise.prototype.then.call(value,
		(result) => { if (is_mine()) conclude(shown(result)); },
		(reason) => { if (is_mine()) conclude(failed(reason)); });
}

/* Nothing is left to be done, so what the run waits for will never come. A promise as its value is then shown as it
 * is; code that stands at an await fails, as a module does in node. */
function on_idle() {
	requests_socket.ref(); // the next request is waited for, and what belongs to the driver
	if (run === null || state !== RUNNING || run.outcome !== null || ends_at_once)
		return;
	if (run.awaited)
		return conclude(shown(run.awaited));
	const message = 'await of a promise that nothing is left to settle';
	conclude({ status: 'error', exit_code: 13, error: { name: 'Error', message, traceback: [`Error: ${message}`] } });
}

/* As in node's own console, unless the user has a variable of that name. */
function remember(name, value) {
	const owned = Object.getOwnPropertyDescriptor(globalThis, name);
	if (!owned || !owned.enumerable)
		defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

function failed(error, details) {
	safely(() => remember('_error', error));
	return { status: 'error', error: describe(error, details) };
}

function shown(value) {
	try {
		return { status: 'ok', value: show(value) };
	} catch (e) {
		return failed(e);
	}
}

/* The run lasts while it reads standard input: a callback of it waits for a line. */
function conclude(outcome) {
	const mine = run;
	const look = () => {
		const is_reading = outcome.status === 'ok' && stdin?.readableFlowing && !stdin.readableEnded && !stdin.destroyed;
		if (run !== mine || state !== RUNNING)
			return;
		if (is_reading) {
			for (const event of ['pause', 'end', 'close'])
				stdin.once(event, () => later(look));
		} else {
			state = ENDING;
			run.outcome = outcome;
			finish();
		}
	};
	mine.look = look;
	if (state === RUNNING)
		later(look);
}

/* The text of a value; it becomes `_`. */
function show(value) {
	if (value === undefined)
		return undefined;
	const text = util.inspect(value);
	remember('_', value);
	show_rich(value, text.slice(0, VALUE_MAX));
	return text.length <= VALUE_MAX ? text
		: `${text.slice(0, VALUE_MAX)}… ${text.length - VALUE_MAX} more characters`;
}

/* The state is ENDING, and was set so right after it was looked at: so no interrupt can come in between, or in here. */
function finish() {
	const { outcome, id } = run;
	Atomics.store(cells, STOPS, 0);
	shield = 0;
	const { status, ...members } = outcome;
	flush_all();
	const done = { ev: 'done', id, status, ...members };
	if (status === 'exit' || (status === 'ok' && process.exitCode !== undefined)) {
		done.exit_code = Number(process.exitCode) & 0xff;
		done.status = done.exit_code ? 'error' : 'ok';
	}
	process.exitCode = undefined;
	if (run.argv)
		process.argv = run.argv;
	requests_socket.ref();
	drop_input();
	mend_hooks();
	session.post('Runtime.releaseObjectGroup', { objectGroup: 'run' });
	const set = leave_set();
	if (set !== undefined)
		done.set = set;
	if (run.place)
		end_place(run.place);
	const { user, system } = process.cpuUsage(run.cpu);
	done.cpu_us = user + system + children_us() - run.children;
	run = null;
	stop_asked = false;
	state = WAITING; // from when `done` is read, the next request and its interrupt may come
	Atomics.add(cells, ENDS, 1);
	put(done);
	if (is_lost)
		process.reallyExit(1);
	if (queue.length)
		later(take);
}

// ---- errors ---------------------------------------------------------------------------------

/* Members of `error`. With what the inspector says of it, if it comes from there. */
function describe(error, details) {
	if (!util.types.isNativeError(error)) {
		const text = `Uncaught ${safely(() => util.inspect(error))}`;
		return { name: 'Uncaught', message: text.slice(9), traceback: shorten(text) };
	}
	const name = safely(() => String(error.name)), message = safely(() => String(error.message));
	const text = safely(() => util.inspect(error)).replace(/^\[([^\n]*)\]$/, '$1');
	const place = details && place_of(text, details);
	return { name, message, traceback: shorten(place ? place + text : text) };
}

function safely(fn) {
	try {
		return fn();
	} catch {
		return '';
	}
}

/* The line of the user's code where it was thrown, as node shows it. */
function place_of(text, details) {
	const frame = /\n\s+at .*?:(\d+):(\d+)\)?(?= \{|\n|$)/.exec(text);
	const is_syntax = !frame;
	if (frame ? !frame[0].includes(run.file) : details.lineNumber === undefined)
		return '';
	const row = is_syntax ? details.lineNumber : frame[1] - 1;
	const n_before = row === 0 && run.text !== run.code ? 1 : 0;
	const column = (is_syntax ? details.columnNumber : frame[2] - 1) - n_before;
	const line = run.code.split(/\r\n|[\n\r\u2028\u2029]/)[row];
	if (line === undefined || line.length > 1000)
		return `${run.file}:${row + 1}\n\n`;
	return `${run.file}:${row + 1}\n${line}\n${line.slice(0, column).replace(/[^\t]/g, ' ')}^\n\n`;
}

function shorten(text) {
	const rows = text.split('\n').map((row) => (row.length <= 4000 ? row : row.slice(0, 4000) + '…'));
	if (rows.length > TRACEBACK_MAX) {
		const left_out = rows.length - TRACEBACK_MAX;
		rows.splice(TRACEBACK_MAX / 2, left_out, `    … ${left_out} lines left out …`);
	}
	return rows;
}

// ---- requests ---------------------------------------------------------------------------------

let rest = '';
const decoder = new (require('string_decoder').StringDecoder)('utf8');

function receive(bytes) {
	const text = decoder.write(bytes);
	if (!text.includes('\n')) {
		rest += text;
		return;
	}
	const lines = (rest + text).split('\n');
	rest = lines.pop();
	const whole = lines.filter((line) => !line.endsWith('\x18')); // else its client has died before it was whole
	if (whole.length < lines.length && !has_run())
		early = is_early = false; // what was meant for it is not meant for the next one
	queue.push(...whole);
}

function has_run() {
	return queue.some((line) => line.includes('"run"'));
}

/* What is in the pipe and was not read yet. */
function pull() {
	const buffer = Buffer.allocUnsafe(65536);
	try {
		for (let n; (n = readSync(REQUESTS, buffer)) > 0;)
			receive(buffer.subarray(0, n));
	} catch {
		// Nothing there.
	}
}

/* An interrupt that has come when a run was in the pipe is meant for that run. */
function notice_early() {
	if (!is_early)
		return;
	pull();
	early ||= is_early && has_run();
	is_early = false;
}

function take() {
	if (state !== WAITING || !queue.length)
		return;
	if (watcher === null || (has_watcher && begins_with_program())) {
		state = TAKEN;
		take_program();
		return;
	}
	if (!has_watcher) {
		state = TAKEN; // taken up again when the thread is there
		return;
	}
	const request = JSON.parse(queue.shift());
	if (request.op === 'run') {
		table_order = null;
		state = TAKEN; // an interrupt that finds the request neither waiting nor begun would be lost
		begin(request);
	} else if (request.op === 'leave') {
		end_program();
	} else {
		put({ ev: 'reply', id: request.id, ...answer(request) });
		if (queue.length)
			later(take);
	}
}

function serve() {
	requests_socket = new net.Socket({
		fd: REQUESTS, readable: true, writable: false,
		onread: {
			buffer: Buffer.allocUnsafeSlow(65536),
			callback(n, buffer) {
				receive(buffer.subarray(0, n));
				notice_early();
				take();
				return true;
			},
		},
	});
	requests_socket.on('end', leave);
	requests_socket.on('error', leave);
}

/* The program has ended: node goes on by itself for as long as something is to be done, and its `exit`
 * is the end. The other thread lets go of us, for node would wait for it, as it is a debugger. */
function end_program() {
	is_leaving = true;
	requests_socket.unref();
	watcher.postMessage('leave');
	process.removeListener('beforeExit', on_idle);
	process.on('exit', leave_with);
	if (ends_at_once)
		exit(late_exit_code ?? 0);
	else if (late_exit_code)
		process.exitCode = late_exit_code;
}

function leave_with(code) {
	flush_all();
	Atomics.wait(cells, LEFT, 0, 500);
	process.reallyExit(Number(process.exitCode ?? code) || 0); // a listener may have changed it
}

/* The other side is gone. */
function leave() {
	flush_all();
	watcher.postMessage('leave'); // which would be waited for, as it is a debugger
	watcher.once('message', () => process.reallyExit(0));
}
