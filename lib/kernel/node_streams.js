// SPDX-License-Identifier: MIT
/* Standard streams of the JavaScript kernel, and the processes that share them; goes on from node_stop.js. */

const BURST = 64; // lines of a run that are written one by one; then in blocks
const BLOCK = 65536;
const FLUSH_MS = 30;
const SPARE_SETS = 4;
const fs = require('fs');
const { signals, errno: { ESRCH } } = require('os').constants;
const HARMLESS = new Set(['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGUSR1']);
const now_ms = performance.now.bind(performance);

// ---- output ---------------------------------------------------------------------------

class Output extends Writable {
	constructor(fd, name) {
		super({ decodeStrings: false });
		Object.defineProperty(this, 'my', {
			enumerable: false,
			value: { name, target: fd, text: '', rest: null, count: 0, flushed_ms: 0, immediate: null },
		});
		this.fd = fd;
		this._type = 'pipe';
		this._isStdio = true;
	}

	begin() {
		this.my.count = 0;
	}

	write(chunk, encoding, callback) {
		if (typeof encoding === 'function') {
			callback = encoding;
			encoding = undefined;
		}
		if (typeof chunk === 'string') {
			if (encoding && !/^utf-?8$/i.test(encoding))
				chunk = Buffer.from(chunk, encoding);
		} else if (!util.types.isUint8Array(chunk)) {
			return super.write(chunk, encoding, callback); // which throws what node throws
		}
		if (is_current())
			put_output(this, chunk);
		else
			put_late(this, chunk);
		if (callback)
			process.nextTick(callback, null);
		return true;
	}

	end(chunk, encoding, callback) {
		if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
			this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
		callback = [chunk, encoding, callback].find((x) => typeof x === 'function');
		if (callback)
			process.nextTick(callback);
		return this;
	}

	destroy() {
		return this;
	}

	_write(chunk, encoding, callback) {
		callback();
	}
}

function put_late(stream, chunk) {
	const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
	put({ ev: 'late', stream: stream.my.name, text });
}

function put_output(stream, chunk) {
	const { my } = stream;
	if (stream === stderr) {
		settle_stream(stdout);
	} else if (stderr.my.has_news) {
		settle_stream(stderr);
	}
	my.has_news = true;
	if (typeof chunk === 'string') {
		my.text += chunk;
		if (stream === stderr || my.count < BURST || my.text.length >= BLOCK) {
			my.count++;
			flush(stream);
		} else if (now_ms() - my.flushed_ms > FLUSH_MS) {
			flush(stream);
		} else {
			flush_soon(stream);
		}
	} else {
		my.count++;
		flush(stream);
		write_bytes(stream, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
	}
}

/* Two pipes do not tell their reader which was written first, so the one is given a little time
 * to be read before the other is written. Only for the first lines of a run. */
function settle_stream(other) {
	if (!other.my.has_news)
		return;
	flush(other);
	other.my.has_news = false;
	if (stderr.my.count < BURST)
		wait_ms(0.1);
}

function write_bytes(stream, bytes) {
	const { my } = stream;
	shield_up();
	if (my.rest !== null)
		bytes = Buffer.concat([my.rest, bytes]);
	my.rest = null;
	const n = write_whole(my.target, bytes, state === RUNNING);
	if (n < bytes.length && (stop_asked || !may_wait))
		my.rest = bytes.subarray(n);
	my.flushed_ms = now_ms();
	unshield();
}

function flush(stream) {
	const { my } = stream;
	if (my.text === '' && my.rest === null)
		return;
	shield_up();
	const bytes = encode(my.text);
	my.text = '';
	Atomics.store(cells, UNFLUSHED, 0);
	write_bytes(stream, bytes);
	unshield();
}

function flush_all() {
	flush(stdout);
	flush(stderr);
}

/* Once the code has given way, or else when the watcher calls. */
function flush_soon(stream) {
	const { my } = stream;
	if (Atomics.load(cells, UNFLUSHED) === 0) {
		Atomics.store(cells, UNFLUSHED, 1);
		Atomics.notify(cells, UNFLUSHED);
	}
	if (my.immediate === null) {
		my.immediate = later(() => {
			my.immediate = null;
			if (my.text !== '')
				flush(stream);
		});
	}
}

// ---- input ------------------------------------------------------------------------------

let input_fd = -1; // another way to the pipe of descriptor 0, on which read() does not wait
let stdin = null;

function open_input() {
	try {
		return openSync('/proc/self/fd/0', O_RDONLY | O_NONBLOCK);
	} catch {
		return 0;
	}
}

/* Gives what there is: a count, 0 at the end, -1: nothing yet. */
function read_now(buffer, offset, length) {
	if (input_fd < 0)
		input_fd = open_input();
	try {
		return readSync(input_fd, buffer, offset, length);
	} catch (e) {
		if (e.code === 'EAGAIN')
			return -1;
		if (e.code === 'EOF')
			return 0;
		throw e;
	}
}

function announce_input() {
	flush_all();
	if (run !== null)
		put({ ev: 'input', id: run.id, prompt: '', secret: false });
}

function read_waiting(buffer, offset, length) {
	if (input_fd === 0)
		announce_input();
	let n = read_now(buffer, offset, length);
	if (n < 0)
		announce_input();
	for (let pause_ms = 0.1; n < 0; pause_ms = Math.min(pause_ms * 1.5, 10)) {
		wait_ms(pause_ms);
		n = read_now(buffer, offset, length);
	}
	return n;
}

class Input extends Readable {
	constructor() {
		super({ highWaterMark: 65536 });
		Object.defineProperty(this, 'my', { enumerable: false, value: { socket: null } });
		this.fd = 0;
	}

	_read(size) {
		const buffer = Buffer.allocUnsafe(65536);
		const n = read_now(buffer, 0, buffer.length);
		if (n > 0)
			return void this.push(buffer.subarray(0, n));
		if (n === 0)
			return void this.push(null);
		announce_input();
		if (this.my.socket)
			this.my.socket.resume();
		else
			this.my.socket = listen(this);
	}

	_destroy(error, callback) {
		this.my.socket?.destroy();
		callback(error);
	}
}

/* Wait for input; a piece at a time. */
function listen(stream) {
	const socket = new net.Socket({
		fd: open_input(), readable: true, writable: false,
		onread: {
			buffer: Buffer.allocUnsafeSlow(65536),
			callback(n, buffer) {
				socket.pause();
				stream.push(Buffer.from(buffer.subarray(0, n)));
				return true;
			},
		},
	});
	socket.on('end', () => stream.push(null));
	socket.on('error', (error) => stream.destroy(error));
	return socket;
}

/* Each run has its own: one that has come to its end would stay there. */
function get_stdin() {
	if (stdin === null)
		stdin = new Input();
	return stdin;
}

function drop_input() {
	if (stdin === null)
		return;
	stdin.removeAllListeners();
	stdin.on('error', () => {});
	stdin.destroy();
	stdin = null;
}

// ---- functions that use the descriptors ----------------------------------------------------

/* Put ours in the place of a function, with everything that is known of it. */
function replace(owner, name, make) {
	const old = owner[name];
	const ours = make(old);
	Object.defineProperties(ours, Object.getOwnPropertyDescriptors(old));
	owner[name] = ours;
}

function is_output(fd) {
	return fd === 1 || fd === 2;
}

function before_write(fd) {
	settle_stream(fd === 1 ? stderr : stdout);
	flush(fd === 1 ? stdout : stderr);
	(fd === 1 ? stdout : stderr).my.has_news = true;
}

/* The bytes that write() and writeSync() are to write, of what they are given behind the descriptor; undefined if
 * that is for node to refuse. */
function written_bytes(data, at, third) {
	if (typeof data === 'string')
		return Buffer.from(data, Buffer.isEncoding(third) ? third : 'utf8');
	if (!ArrayBuffer.isView(data))
		return undefined;
	const { offset, length } = at !== null && typeof at === 'object' ? at : { offset: at, length: third };
	const begin = Number.isInteger(offset) ? offset : 0, most = data.byteLength - begin;
	const n = Number.isInteger(length) ? length : most;
	return begin >= 0 && n >= 0 && n <= most ? Buffer.from(data.buffer, data.byteOffset + begin, n) : undefined;
}

/* What a callback of an earlier run writes. */
function write_late(fd, data, at, third) {
	const bytes = is_output(fd) && !is_current() ? written_bytes(data, at, third) : undefined;
	if (bytes !== undefined)
		put_late(fd === 1 ? stdout : stderr, bytes);
	return bytes?.length;
}

for (const name of ['write', 'writeSync', 'writev', 'writevSync', 'writeFile', 'writeFileSync', 'appendFileSync']) {
	replace(fs, name, (old) => function (fd, ...args) {
		if (is_output(fd))
			before_write(fd);
		return old.call(this, fd, ...args);
	});
}

replace(fs, 'writeSync', (old) => function (fd, ...args) {
	return write_late(fd, ...args) ?? old.call(this, fd, ...args);
});
replace(fs, 'write', (old) => function (fd, ...args) {
	const done = args[args.length - 1];
	const n = typeof done === 'function' ? write_late(fd, ...args.slice(0, -1)) : undefined;
	if (n === undefined)
		old.call(this, fd, ...args);
	else
		setImmediate(done, null, n, args[0]);
});

replace(fs, 'readSync', (old) => function (fd, buffer, offset, length, position) {
	if (fd !== 0 || !ArrayBuffer.isView(buffer))
		return old.apply(this, arguments);
	if (offset !== null && typeof offset === 'object')
		({ offset, length } = offset);
	offset ??= 0;
	return read_waiting(buffer, offset, length ?? buffer.byteLength - offset);
});

replace(fs, 'readFileSync', (old) => function (path, options) {
	if (path !== 0 && path !== '/dev/stdin')
		return old.apply(this, arguments);
	const parts = [];
	for (;;) {
		const buffer = Buffer.allocUnsafe(BLOCK);
		const n = read_waiting(buffer, 0, BLOCK);
		if (n === 0)
			break;
		parts.push(buffer.subarray(0, n));
	}
	const encoding = typeof options === 'string' ? options : options?.encoding;
	const whole = Buffer.concat(parts);
	return encoding && encoding !== 'buffer' ? whole.toString(encoding) : whole;
});

// ---- processes ----------------------------------------------------------------------------------

let spawned = false, has_spawned = false; // this run, or any, has started processes
let current_set = 0;
let has_sets = true; // output can be moved to other descriptors

function before_spawn() {
	spawned = has_spawned = true;
	flush_all();
	stdout.my.has_news = stderr.my.has_news = false;
}

replace(process.binding('process_wrap').Process.prototype, 'spawn', (old) => function (...args) {
	before_spawn();
	return old.apply(this, args);
});
replace(process.binding('spawn_sync'), 'spawn', (old) => function (...args) {
	before_spawn();
	const result = old.apply(this, args);
	for (let i = 0; i < 20 && result?.signal === 'SIGINT'; i++)
		wait_ms(5); // the child was interrupted, and so shall we be: not to be taken for a mere failure of it
	wait_ms(0); // an interrupt that has come meanwhile takes effect here
	return result;
});

/* CPU time of children that have ended, as Linux tells it to everybody: in hundredths of a second. */
function children_us() {
	if (!has_spawned)
		return 0;
	try {
		const fields = fs.readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ');
		return (Number(fields[13]) + Number(fields[14])) * 10000;
	} catch {
		return 0;
	}
}

const set_path = (set, stream) => `/proc/self/fd/${set === 0 ? zero_set[stream] : 10 + 2 * (set - 1) + stream}`;
const zero_set = [1, 2];

const strangers = new Set(); // processes that have none of our pipes, and get none any more
let newest = 0; // the process with the highest number when they were last looked at

/* What a process that does not run has in its status: as long as that is the same, it has done nothing. Undefined: it
 * runs, or is gone. */
function rest_of(pid) {
	const text = safely(() => fs.readFileSync(`/proc/${pid}/status`, 'latin1'));
	return text === '' || /^State:\tR/m.test(text) ? undefined : text;
}

/* Which of our pipes that process can write to. Undefined: it is not ours to look at, nor are our pipes its. */
function held_by(pid, ours) {
	const held = new Set();
	let fds = [];
	try {
		fds = fs.readdirSync(`/proc/${pid}/fd`);
	} catch (e) {
		if (e.code === 'EACCES')
			return undefined;
	}
	// One may be closed meanwhile: a shell that redirects does that all the time.
	for (const fd of fds) {
		const link = safely(() => fs.readlinkSync(`/proc/${pid}/fd/${fd}`));
		if (!ours.has(link) || held.has(link))
			continue;
		const info = safely(() => fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1'));
		const flags = /flags:\s+(\d+)/.exec(info);
		if (flags && parseInt(flags[1], 8) & 3)
			held.add(link);
	}
	return held;
}

/* Adds to `found` which of our output pipes other processes can write to; and is that sure? A shell that redirects puts
 * them aside, and has them back a moment later: so all have been seen of those only that rested meanwhile; and who has
 * ended may have left a child that nobody has seen. */
function look_for_writers(ours, found) {
	let is_sure = true;
	for (const pid of fs.readdirSync('/proc')) {
		if (!/^\d+$/.test(pid) || Number(pid) === process.pid || strangers.has(pid))
			continue;
		const rest = rest_of(pid), held = held_by(pid, ours);
		const is_seen = !held || (rest !== undefined && rest === rest_of(pid));
		held?.forEach((link) => found.add(link));
		if (!held?.size && is_seen)
			strangers.add(pid);
		is_sure &&= is_seen && !/^State:\tZ/m.test(rest);
	}
	return is_sure;
}

/* The names in /proc of our output pipes that other processes can write to, and of the current ones if somebody may
 * have been overlooked. */
function writers(ours, current) {
	const latest = Number(fs.readFileSync('/proc/loadavg', 'latin1').split(' ').pop());
	if (latest < newest)
		strangers.clear(); // their numbers are given away again
	newest = latest;
	const found = new Set();
	for (let i = 0; i < 3; i++)
		if (look_for_writers(ours, found))
			return found;
	return new Set([...found, ...current]);
}

/* Processes of this run may go on printing: later runs take other pipes. Gives the new set, or undefined. */
function leave_set() {
	if (!spawned || !has_sets)
		return undefined;
	spawned = false;
	const links = [];
	for (let set = 0; set <= SPARE_SETS; set++)
		links.push([0, 1].map((stream) => safely(() => fs.readlinkSync(set_path(set, stream)))));
	const held = safely(() => writers(new Set(links.flat()), links[current_set])) || new Set(links.flat());
	const is_taken = (set) => links[set].some((link) => held.has(link));
	if (!is_taken(current_set))
		return undefined;
	const order = Array.from({ length: SPARE_SETS }, (_, i) => (current_set + 1 + i) % (SPARE_SETS + 1));
	current_set = order.find((set) => !is_taken(set)) ?? order[0];
	for (const stream of [0, 1]) {
		closeSync(1 + stream); // the next to be opened gets its number
		openSync(set_path(current_set, stream), 'w');
	}
	aim(current_set);
	return current_set;
}

/* Our own writes go through descriptors of their own, which do not block: so an interrupt finds us
 * waiting, and no child can change them. */
function aim(set) {
	for (const [i, stream] of [stdout, stderr].entries()) {
		if (stream.my.target > 2)
			closeSync(stream.my.target);
		stream.my.target = openSync(set_path(set, i), O_WRONLY | O_NONBLOCK);
	}
}

/* What a signal to all does. Those spare who sends them, but node would take one for its own end, and let go of the
 * inspector. */
function kill_others(kill) {
	let all;
	try {
		all = readdirSync('/proc').map(Number);
	} catch { // Landlock: only the children are known, and no others can be signaled
		all = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').map(Number);
	}
	const others = all.filter((pid) => pid > 1 && pid !== process.pid);
	return others.map(kill).includes(0) ? 0 : -ESRCH;
}

/* A signal that is the end of us: node would first wait for the other thread, as it is a debugger. And our own
 * SIGINT is the interrupt that it would become on its way. */
replace(process, '_kill', (old) => function (pid, signal) {
	if (pid === -1)
		return kill_others((other) => old.call(this, other, signal));
	const is_own = pid === process.pid || pid === 0 || pid === -process.pid;
	const name = is_own && Object.keys(signals).find((key) => signals[key] === signal);
	if (!name || process.listenerCount(name) > 0 || HARMLESS.has(name) || is_program)
		return old.call(this, pid, signal);
	if (name === 'SIGINT' && state === RUNNING && is_current())
		stop_here('interrupted');
	flush_all();
	watcher.postMessage('leave');
	Atomics.wait(cells, LEFT, 0, 5000);
	Atomics.wait(cells, LEFT, 1, 20); // what it has left behind for us to do is done while we wait
	return old.call(this, pid, signal);
});

// ---- what the user's code finds -------------------------------------------------------------------

const stdout = new Output(1, 'stdout'), stderr = new Output(2, 'stderr');

function open_streams() {
	const give = (name, get) => Object.defineProperty(process, name, { get, configurable: true, enumerable: true });
	give('stdout', () => stdout);
	give('stderr', () => stderr);
	give('stdin', get_stdin);
	try {
		zero_set[0] = openSync('/proc/self/fd/1', 'w');
		zero_set[1] = openSync('/proc/self/fd/2', 'w');
		aim(0);
	} catch {
		has_sets = false; // no /proc, or not our pipes
	}
	const { Console } = console;
	const own = new Console({ stdout, stderr, ignoreErrors: false });
	for (const name of Object.keys(own))
		if (typeof own[name] === 'function')
			console[name] = own[name];
}

/* Put back what the user's code may have taken away. */
function mend_hooks() {
	if (!process.hasUncaughtExceptionCaptureCallback())
		process.setUncaughtExceptionCaptureCallback(on_uncaught);
	for (const [event, listener] of [['unhandledRejection', on_rejection], ['beforeExit', on_idle]])
		if (!process.listeners(event).includes(listener))
			process.on(event, listener);
}
