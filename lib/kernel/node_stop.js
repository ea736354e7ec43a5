// SPDX-License-Identifier: MIT
/* How what runs is ended before its end: interrupts, exits, errors that nobody has caught; and the thread that
 * waits for SIGINT. Goes on from node.js. */

// ---- what a termination may leave half done in node ---------------------------------------

const { immediateQueue, immediateInfoFields, timerListMap, timerListQueue } = require('internal/timers');
const timers = internal_binding('timers');

/* A callback of setImmediate() that was terminated, and those behind it, are not counted off: node would turn round
 * and round for them. */
function count_immediates() {
	let count = 0, count_refs = 0;
	for (let at = immediateQueue.head; at !== null; at = at._idleNext) {
		count++;
		count_refs += at.hasRef();
	}
	timers.immediateInfo[immediateInfoFields.kCount] = count;
	timers.immediateInfo[immediateInfoFields.kRefCount] = count_refs;
	timers.toggleImmediateRef(count_refs > 0); // not by itself: compiled code would abort
}

/* Node begins a terminated immediate again, takes it for one that was cleared, and throws for ever. It is the last one that we know of, or the one behind. False: this was no such error. */
function mend_immediates(error) {
	if (!(error instanceof TypeError) || !safely(() => error.message.includes("'_idleNext'")))
		return false;
	const broken = [last, last?._idleNext].filter((one) => one?._destroyed);
	for (const one of broken) {
		one._destroyed = false;
		one._onImmediate = () => {};
	}
	wake();
	return broken.length > 0;
}

/* Node's heap of lists of timers is torn by a termination in the middle of a change: then a list that is not there
 * any more is looked at for ever, or one that is not in it yet is removed, and timers never fire. While that may have
 * come about, the heap is made anew, from the lists themselves, wherever node relies on it. */
const { peek: heap_peek, removeAt: heap_remove } = timerListQueue;

function mend_timers() {
	while (heap_peek.call(timerListQueue) !== undefined)
		heap_remove.call(timerListQueue, 1);
	for (const [ms, list] of Object.entries(timerListMap)) {
		if (list._idleNext === list) // it is empty
			delete timerListMap[ms];
		else
			timerListQueue.insert(list);
	}
}

timerListQueue.peek = function () {
	if (is_torn)
		mend_timers();
	return heap_peek.call(this);
};

/* Only empty lists are removed. */
timerListQueue.removeAt = function (at) {
	if (is_torn)
		mend_timers();
	else
		heap_remove.call(this, at);
};

/* Modules that were being loaded would be taken for loaded, with whatever they had got to. One of node's own cannot be
 * loaded again, so that is not terminated halfway. */
const modules_of_node = new Set(Module.builtinModules);

replace(Module, '_load', (old) => function (name) {
	if (!modules_of_node.has(String(name).replace(/^node:/, '')))
		return old.apply(this, arguments);
	shield_up();
	try {
		return old.apply(this, arguments);
	} finally {
		unshield();
	}
});

function drop_modules() {
	for (const [name, module] of Object.entries(Module._cache))
		if (!module.loaded)
			delete Module._cache[name];
}

// ---- ending a run that goes on ------------------------------------------------------------
/* Whatever runs here may be terminated between any two steps, and calls of the other thread may come in between. So
 * these do next to nothing, and a run is ended by tidy(), which the event loop calls with nothing below it, and only
 * when no termination is under way. */

const { port1: bell, port2: rope } = new MessageChannel();

/* Have tidy() called. Immediates would not do: who terminates one takes those behind it along. */
function wake() {
	rope.postMessage(0);
}

/* While something is being terminated, the other thread makes no call. V8 would end that call instead of what runs, and
 * refuse to terminate again: the run would go on for ever. */
function set_dying(is_dying) {
	Atomics.store(cells, DYING, is_dying);
	Atomics.notify(cells, DYING);
}

/* Terminate what is running now. It goes on to its next call or turn of a loop; a call of the other thread returns
 * first, and must have nothing left to do, or it alone would be terminated. */
function kill() {
	is_torn = true;
	set_dying(true);
	session.post('Runtime.terminateExecution', on_killed);
}

/* V8 calls this when nothing is left of what was running, or says that it was about it already. What node has noted of
 * asynchronous calls that will not return is forgotten, as after an exception, or it would abort. */
function on_killed(error) {
	if (error)
		return;
	clearAsyncIdStack();
	set_dying(false);
	wake();
}

/* The same from within what is running: does not return; only the event loop goes on. */
function terminate() {
	for (;;)
		kill(); // for as long as it takes
}

let kills = 0;
let looks = 0; // of interrupt(), since the run is being stopped, that have seen nothing running

/* The run ends with this, once what it does is terminated. */
function stop(status) {
	state = STOPPING;
	ends_at_once = true;
	stop_asked = false;
	Atomics.store(cells, STOPS, 1);
	run.outcome = { status };
	looks = kills = 0;
}

function stop_here(status) {
	if (state === RUNNING)
		stop(status);
	terminate();
}

/* A callback of a run that is being stopped does nothing, where it might go on for ever by making others. It is not
 * cleared: node may have it in hand, and trips over one that is gone. */
function disarm(resource) {
	for (const name of ['callback', '_onImmediate', '_onTimeout'])
		if (typeof resource[name] === 'function')
			resource[name] = () => {};
}

function drop_timers() {
	for (const timer of run.timers) {
		safely(() => clearTimeout(timer));
		disarm(timer);
	}
}

const { tickInfo } = internal_binding('task_queue'); // its first element: process.nextTick() was called

/* Everything is as after a termination, whether or not there was one: mended, and what was to be done goes on. */
function tidy() {
	if (Atomics.load(cells, DYING) === 1)
		return; // comes again after that
	if (state === STOPPING && tickInfo[0] !== 0)
		return wake(); // what follows upon us is the run's
	const is_end = state === STOPPING;
	if (is_end)
		state = ENDING; // from here on nobody is told to terminate
	is_torn = is_ours = false;
	may_wait = true;
	mend_timers();
	timers.scheduleTimer(1); // then node looks itself which is the next
	count_immediates();
	stdout.my.immediate = stderr.my.immediate = null;
	if (is_end) {
		drop_timers();
		safely(drop_modules);
		finish();
		renew_session();
	} else if (state === RUNNING) {
		run.look?.();
	} else {
		notice_early();
		take();
	}
}

bell.on('message', tidy);
bell.unref();

/* Where a termination would end the process: V8 and node do not expect one from what they call themselves. In on_killed()
 * V8 refuses to terminate. */
const FRAGILE = {
	[DRIVER]: /^on_killed$/,
	'node:internal/async_hooks': /^(?!callbackTrampoline)/, 'node:internal/process/execution': /^/,
	'node:internal/process/promises': /^promiseRejectHandler/,
};

function is_fragile([file, name]) {
	return Object.hasOwn(FRAGILE, file) && FRAGILE[file].test(name);
}

/* If nothing is running, the event loop gets to tidy() before it has called us that often: only V8's own work with
 * promises looks the same. */
const LOOKS_MAX = 2;

/* Amid promises V8 takes it for meant for this call alone: then the other thread is to do it, which takes a little
 * longer. */
const TERMINATE = 'terminate';

function on_message(word) {
	if (word !== TERMINATE)
		return;
	set_dying(false);
	tidy();
}

/* Gives what signal() gives. */
function interrupt() {
	if (state === RUNNING && shield > 0)
		stop_asked = true;
	if ((state !== RUNNING || shield > 0) && state !== STOPPING)
		return true;
	const below = look_below();
	if (below.some(is_fragile))
		return Atomics.load(cells, ENDS);
	if (state === RUNNING)
		stop('interrupted');
	if (below.every(([file]) => file === DRIVER) && ++looks <= LOOKS_MAX) {
		wake();
		return Atomics.load(cells, ENDS);
	}
	if (kills++ % 2 === 0) {
		kill();
		return true;
	}
	is_torn = true;
	set_dying(true); // until on_message()
	clearAsyncIdStack();
	return TERMINATE;
}

/* What the other thread calls through the inspector, in between any two steps of whatever runs here. The first two give
 * true, what again() is to be called with a little later, or TERMINATE. */
const calls = {
	/* SIGINT has come. */
	signal() {
		requests_socket.ref(); // node may lose count of what it has left to do
		if (state === TAKEN) {
			early = true;
		} else if (state === WAITING) {
			is_early = true; // if a run is in the pipe
			wake();
		}
		return interrupt();
	},
	/* The run with this number of ends before it has not come to its own. */
	again(ends) {
		return Atomics.load(cells, ENDS) !== ends || interrupt();
	},
	/* Output has been waiting for a while. */
	flush() {
		if (shield > 0 || Atomics.load(cells, STOPS) === 1)
			return;
		may_wait = false;
		flush(stdout);
		may_wait = true;
		if (stdout.my.rest !== null)
			Atomics.store(cells, UNFLUSHED, 1); // call again
	},
};

function exit(code) {
	if (code !== undefined)
		process.exitCode = code;
	if (is_leaving) {
		if (!process._exiting) { // else it is a listener that calls it
			process._exiting = true;
			process.emit('exit', Number(process.exitCode) || 0);
		}
		leave_with(0);
	}
	if (is_current() && state === RUNNING) {
		try {
			process.emit('exit', Number(process.exitCode) || 0);
		} catch {
			// As in node, where a listener that throws cannot keep the process from exiting.
		}
		process.removeAllListeners('exit');
		stop_here('exit');
	} else {
		late_exit_code ??= Number(process.exitCode) || 0; // node would have ended with the first
		ends_at_once = true;
		process.exitCode = undefined;
		terminate();
	}
}

function on_uncaught(error) {
	if (mend_immediates(error) || Atomics.load(cells, STOPS) === 1)
		return;
	if (process.listenerCount('uncaughtException') > 0)
		process.emit('uncaughtException', error, 'uncaughtException');
	else
		fail(error);
}

function on_rejection(error, promise) {
	if (process.listenerCount('unhandledRejection') === 1)
		fail(error);
}

/* An error that nobody has caught, in a callback. */
function fail(error) {
	if (is_leaving) {
		stderr.write(describe(error).traceback.join('\n') + '\n');
		try {
			exit(1);
		} finally { // a listener has thrown
			leave_with(1);
		}
	} else if (!is_current()) {
		stderr.write(describe(error).traceback.join('\n') + '\n');
		late_exit_code ??= 1;
	} else if (run.outcome === null || run.outcome.status === 'ok') {
		const is_waiting = run.outcome === null;
		run.outcome = { status: 'error', error: describe(error) };
		if (is_waiting && state === RUNNING) {
			state = STOPPING;
			wake();
		}
	}
}

// ---- the thread that waits for SIGINT -----------------------------------------------------------

function watch(cells) {
	const { internalBinding } = require('internal/test/binding');
	const { parentPort } = require('worker_threads');
	const fs = require('fs');
	const { Session } = require('inspector');
	const session = new Session();
	session.connectToMainThread();
	const stat_of = (pid) => {
		const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
	};
	const is_in_group = (pid, group) => {
		try {
			return stat_of(pid)[2] === group;
		} catch (e) {
			return e.code === 'EACCES'; // it is a child of ours
		}
	};
	/* Where /proc cannot be listed (Landlock) only the children are known. */
	const list_processes = () => {
		try {
			return fs.readdirSync('/proc').map(Number);
		} catch {
			const path = `/proc/self/task/${process.pid}/children`;
			return fs.readFileSync(path, 'latin1').split(' ').filter(Boolean).map(Number);
		}
	};
	/* The main thread may be waiting for processes that were started just after the signal. */
	const interrupt_child = (pid, group) => {
		try {
			if (pid > 0 && pid !== process.pid && is_in_group(pid, group))
				process.kill(pid, 'SIGINT');
		} catch {
			// Gone.
		}
	};
	const interrupt_children = () => {
		try {
			const group = stat_of(process.pid)[2];
			for (const pid of list_processes())
				interrupt_child(pid, group);
		} catch {
			// No file can be opened now, for instance: insist() comes again. An error would end this thread.
		}
	};
	let is_asking = false, is_again = false, ends = 0, timer;
	let signal;
	parentPort.on('message', () => {
		signal?.close(); // from now on SIGINT does what it does anywhere
		session.disconnect();
		Atomics.store(cells, 3, 1);
		Atomics.notify(cells, 3);
		parentPort.postMessage('left');
	});
	session.post('Runtime.evaluate', { expression: '__terrarium' }, (error, { result: { objectId } }) => {
		const call = (code, fn) => session.post('Runtime.callFunctionOn', {
			objectId, functionDeclaration: `function(){return this.${code}}\n//# sourceURL=<terrarium>\n`, returnByValue: true,
		}, (error, reply) => fn(reply?.result?.value));
		const ends_now = () => Atomics.load(cells, 4);
		const ask = async (code) => {
			is_asking = true;
			await Atomics.waitAsync(cells, 5, 1).value; // nothing is being terminated
			call(code, (answer) => {
				if (answer === true)
					end();
				else if (answer === 'terminate')
					session.post('Runtime.terminateExecution', (error) => {
						if (!error)
							parentPort.postMessage(answer);
						end();
					});
				else // without an answer something else was to be terminated, and this was
					setTimeout(ask, 1, `again(${answer ?? ends})`);
			});
		};
		const begin = () => {
			is_again = false;
			ends = ends_now();
			clearTimeout(timer);
			timer = setTimeout(insist, 20);
			ask(Atomics.load(cells, 2) ? `again(${ends})` : 'signal()'); // it is meant for the run that is being stopped
		};
		const end = () => {
			is_asking = false;
			if (is_again)
				begin();
		};
		const insist = () => {
			const stopping = ends_now(); // asked first: while children are looked for the next run may begin
			if (!is_asking && !Atomics.load(cells, 2))
				return;
			interrupt_children();
			if (!is_asking)
				ask(`again(${stopping})`);
			timer = setTimeout(insist, 20);
		};
		signal = new (internalBinding('signal_wrap').Signal)();
		signal.onsignal = () => {
			const has_ended = ends_now() !== ends; // asked first: an answer may come in between
			if (!is_asking)
				begin();
			else if (has_ended)
				is_again = true; // that run has ended: it is meant for the next one
		};
		signal.start(2);
		parentPort.postMessage('ready');
		/* Not while something is to be terminated: it alone would be. */
		flush_now_and_then(() => is_asking || Atomics.load(cells, 2) || Atomics.load(cells, 5) || call('flush()', () => {}));
	});
	const flush_now_and_then = async (flush) => {
		for (;;) {
			await Atomics.waitAsync(cells, 0, 0).value;
			await new Promise((resolve) => setTimeout(resolve, 30));
			if (Atomics.load(cells, 0))
				flush();
		}
	};
}

/* Tried again and again while this user has no room for one more thread (RLIMIT_NPROC counts all of them): a run would
 * wait for the thread for ever. */
const WATCHER_TRIES = 100, WATCHER_PAUSE_MS = 50;

function on_early_signal() {
	early = state === TAKEN;
}

function on_watcher_ready(thread) {
	process.off('SIGINT', on_early_signal);
	delete globalThis.__terrarium;
	hide('module', main_module);
	has_watcher = true;
	thread.on('message', on_message);
	thread.unref();
	state = WAITING;
	take();
}

/* Without it no run can be stopped: the session starts another interpreter, and says that the state is lost. */
function on_watcher_failed(error, tries) {
	if (!has_watcher && tries < WATCHER_TRIES) {
		setTimeout(create_watcher, WATCHER_PAUSE_MS, tries + 1);
		return;
	}
	stderr.write(`the thread that waits for interrupts has failed: ${error?.message}\n`);
	flush_all();
	process.reallyExit(1);
}

function create_watcher(tries) {
	const source = `(${watch})(require('worker_threads').workerData)`;
	try {
		const thread = new Worker(source, { eval: true, workerData: cells, execArgv: ['--expose-internals', '--no-warnings'] });
		thread.once('message', () => on_watcher_ready(thread));
		thread.once('error', (error) => on_watcher_failed(error, tries));
		watcher = thread;
	} catch (error) {
		on_watcher_failed(error, tries);
	}
}

function start_watcher() {
	hide('__terrarium', calls);
	connect();
	process.on('SIGINT', on_early_signal);
	watcher = undefined; // not yet
	create_watcher(1);
}
