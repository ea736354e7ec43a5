// SPDX-License-Identifier: MIT
/* A file as a program; goes on from node_display.js. Node itself loads and runs it, as it does with `node FILE`: as a
 * module or not, until nothing is left to be done. So there is no inspector, no other thread that waits for signals, and
 * no state that outlives it: the process ends with it. */

const { decorateErrorStack } = require('internal/util');
let is_program = false;

/* Where the program lies: in the working directory under its name, if that leads no further up and nothing else is
 * there; else in a new directory. What is made for it is removed at the end. */
function place(file, code) {
	const is_inside = !path.isAbsolute(file) && !file.split('/').includes('..');
	const here = path.resolve(is_inside ? file : path.basename(file));
	if (safely(() => fs.readFileSync(here, 'utf8')) === code)
		return here;
	try {
		fs.mkdirSync(path.dirname(here), { recursive: true });
		fs.writeFileSync(here, code, { flag: 'wx' });
		return remove_at_end(here);
	} catch {
		const made = fs.mkdtempSync('/tmp/terrarium-'), there = path.join(made, path.basename(file));
		fs.writeFileSync(there, code);
		return remove_at_end(there, made);
	}
}

function remove_at_end(file, folder = null) {
	const really_exit = process.reallyExit;
	const remove = () => {
		safely(() => fs.unlinkSync(file));
		if (folder)
			safely(() => fs.rmdirSync(folder));
	};
	process.reallyExit = function (code) {
		remove();
		really_exit.call(process, code);
	};
	later(() => process.on('exit', remove)); // behind the program's own listeners, if it has added them at once
	return file;
}

/* What is global at the prompt of node, and with -e, and not in a file. */
function drop_prompt() {
	for (const name of ['module', 'exports', 'require', '__filename', '__dirname', IMPORT, CONSTANT.slice(0, -2)])
		delete globalThis[name];
	for (const name of Module.builtinModules)
		if (!['console', 'process'].includes(name))
			delete globalThis[name];
	if (globalThis.CryptoKey)
		defineProperty(globalThis, 'crypto', { get: () => require('crypto').webcrypto, configurable: true, enumerable: true });
}

/* In a request a quote within text has a backslash before it. */
function begins_with_program() {
	return queue.length > 0 && queue[0].includes('"program":true');
}

/* The other thread, if there is one, lets go of us before. */
function take_program() {
	const begin = () => run_program(JSON.parse(queue.shift()));
	if (watcher === null) {
		later(begin);
		return;
	}
	watcher.once('message', () => {
		watcher.unref();
		session.disconnect();
		later(begin);
	});
	watcher.postMessage('leave');
}

function run_program({ id, code, file, args = [], env, cwd }) {
	begin_place({ env, cwd });
	const whole = place(file, code);
	run = { id, number: ++run_count, code, text: code, file: whole, outcome: null };
	state = RUNNING;
	is_program = true;
	stdout.my.count = -Infinity; // nothing is held back: there is nobody to see to that
	owners.disable();
	process.removeListener('unhandledRejection', on_rejection);
	process.removeListener('beforeExit', on_idle);
	process.setUncaughtExceptionCaptureCallback(null);
	const { _fatalException } = process; // called by node's C++ for each error that is not caught
	process._fatalException = (error, is_rejection) => _fatalException(error, is_rejection) || tell_fatal(error);
	process.exit = node_exit;
	process.argv = [process.execPath, whole, ...args];
	delete process._eval;
	drop_prompt();
	requests_socket.unref();
	Module.runMain(whole);
}

/* The end by an error that nothing has caught. Node has told those who listen, and would print it next. */
function tell_fatal(error) {
	const exit_code = Number(process.exitCode ?? 1) & 0xff;
	const { user, system } = process.cpuUsage();
	safely(() => decorateErrorStack(error));
	flush_all();
	put({
		ev: 'done', id: run.id, status: 'error', exit_code, error: describe(error, {}), cpu_us: user + system + children_us(),
	});
	process.reallyExit(exit_code);
}
