// SPDX-License-Identifier: MIT
/* How what runs is ended before its end: interrupts, exits, errors that nobody has caught; and the thread that
 * waits for SIGINT. Goes on from node.js. */

/* A callback of setImmediate() that was terminated, and those behind it, are not counted off: node would turn round
 * and round for them. From a timer, where none of them is under way, they are counted anew. */
function count_immediates_soon() {
	const { immediateQueue, immediateInfoFields: { kCount, kRefCount } } = require('internal/timers');
	const timers = internal_binding('timers'), { immediateInfo } = timers;
	is_ours = true;
	setTimeout(() => {
		let count = 0, count_refs = 0;
		for (let at = immediateQueue.head; at !== null; at = at._idleNext) {
			count++;
			count_refs += at.hasRef();
		}
		immediateInfo[kCount] = count;
		immediateInfo[kRefCount] = count_refs;
		timers.toggleImmediateRef(count_refs > 0); // not by itself: compiled code would abort
	}, 1);
	is_ours = false;
}

/* One of several immediates that was terminated is begun again by node, which then throws, again and again: it takes
 * it for one that was cleared. It is the last one that we know of, or the one behind. False: this was no such error. */
function mend_immediates(error) {
	if (!(error instanceof TypeError) || !safely(() => error.message.includes("'_idleNext'")))
		return false;
	const broken = [last, last?._idleNext].filter((one) => one?._destroyed);
	for (const one of broken) {
		one._destroyed = false;
		one._onImmediate = () => {};
	}
	count_immediates_soon();
	return broken.length > 0;
}

/* The heap of node's lists of timers anew, from the lists themselves: a termination may have come in the middle of a
 * change of it, and then clearTimeout() throws, or node looks at a list for ever that is not there any more. */
function mend_timers() {
	const { timerListMap, timerListQueue } = require('internal/timers');
	while (timerListQueue.peek() !== undefined)
		safely(() => timerListQueue.shift());
	for (const [ms, list] of Object.entries(timerListMap)) {
		if (list._idleNext === list) // it is empty
			delete timerListMap[ms];
		else
			timerListQueue.insert(list);
	}
	internal_binding('timers').scheduleTimer(1); // then node looks itself which is the next
}

// ---- ending a run that goes on ------------------------------------------------------------

/* Terminate what is running now, from within it: does not return; only the event loop goes on. */
function terminate() {
	session.post('Runtime.terminateExecution');
	for (;;)
		; // for as long as it takes
}

/* The run ends with this, once what it does is terminated: by the other thread, which calls resume() then, or by
 * ourselves. What node has noted of asynchronous calls that will not return is forgotten, as after an exception,
 * or it would abort. */
function stop(status, by_watcher) {
	state = STOPPING;
	is_told = by_watcher;
	ends_at_once = true;
	stop_asked = false;
	Atomics.store(cells, STOPS, 1);
	run.outcome = { status };
	clearAsyncIdStack();
}

/* Immediates are emptied, not cleared: node may have those in hand, and trips over one that is gone. */
function after_stop() {
	for (const timer of run.timers) {
		safely(() => clearTimeout(timer));
		if (timer._onImmediate)
			timer._onImmediate = () => {};
	}
	safely(mend_timers);
	count_immediates_soon();
	finish();
}

function after_stop_soon() {
	const mine = run;
	later(() => {
		if (run === mine && state === STOPPING && !is_told)
			after_stop();
	});
}

function stop_here(status) {
	stop(status, false);
	after_stop_soon();
	terminate();
}

/* Other code of a run that is being stopped, or of one before it, has come to where it would be shielded. */
function stop_as_well() {
	while (is_told && Atomics.load(cells, STOPS) === 1)
		; // the other thread sees to it
	if (state === STOPPING)
		after_stop_soon(); // what was to do it may be behind us in the queue of immediates, and goes with us
	terminate();
}

/* What the other thread calls through the inspector, in between any two steps of whatever runs here. */
const calls = {
	/* SIGINT has come. True: the caller is to terminate execution, and to call `resume` then. It cannot be
	 * done from here: V8 would take it as meant for this function only. */
	signal() {
		if (state === RUNNING && shield === 0) {
			stop('interrupted', true);
			later(() => {}); // if nothing is running, this is what will be terminated
			return true;
		}
		if (state === STOPPING && !is_told) { // which other code that runs may keep from coming to its end
			is_told = true;
			later(() => {});
			return true;
		}
		if (state === RUNNING) {
			stop_asked = true;
		} else if (state === TAKEN) {
			early = true;
		} else if (state === WAITING) {
			pull();
			early = has_run();
			is_early = !early; // the pipe may just have been read: then we hear of it in this turn of the loop
			later(() => { is_early = false; });
		}
		return false;
	},
	resume() {
		if (state === STOPPING && run !== null)
			after_stop();
	},
	/* Output has been waiting for a while. */
	flush() {
		if (shield === 0 && Atomics.load(cells, STOPS) === 0)
			flush(stdout);
	},
};

function exit(code) {
	if (code !== undefined)
		process.exitCode = code;
	if (is_leaving)
		process.emit('exit', Number(process.exitCode) || 0); // does not return: see end_program()
	if (is_current() && state === RUNNING) {
		try {
			process.emit('exit', Number(process.exitCode) || 0);
		} catch {
			// As in node, where a listener that throws cannot keep the process from exiting.
		}
		process.removeAllListeners('exit');
		stop_here('exit');
	} else {
		late_exit_code = Number(process.exitCode) || 0;
		ends_at_once = true;
		process.exitCode = undefined;
		clearAsyncIdStack();
		count_immediates_soon();
		terminate();
	}
}

function on_uncaught(error) {
	if (mend_immediates(error))
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
		exit(1);
	} else if (!is_current()) {
		stderr.write(describe(error).traceback.join('\n') + '\n');
	} else if (run.outcome === null || run.outcome.status === 'ok') {
		const is_waiting = run.outcome === null;
		run.outcome = { status: 'error', error: describe(error) };
		if (is_waiting && state === RUNNING) {
			state = STOPPING;
			is_told = false;
			after_stop_soon();
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
	/* The main thread may be waiting for processes that were started just after the signal. */
	const interrupt_children = () => {
		const group = stat_of(process.pid)[2];
		for (const pid of fs.readdirSync('/proc').map(Number)) {
			try {
				if (pid > 0 && pid !== process.pid && stat_of(pid)[2] === group)
					process.kill(pid, 'SIGINT');
			} catch {
				// Gone.
			}
		}
	};
	let is_taken = true, is_stopping = false, is_again = false, ends = 0;
	const insist = () => {
		if (is_taken && !Atomics.load(cells, 2))
			return;
		interrupt_children();
		setTimeout(insist, 20);
	};
	let signal;
	parentPort.on('message', () => {
		signal?.close(); // from now on SIGINT does what it does anywhere
		session.disconnect();
		Atomics.store(cells, 3, 1);
		Atomics.notify(cells, 3);
		parentPort.postMessage('left');
	});
	session.post('Runtime.evaluate', { expression: '__terrarium' }, (error, { result: { objectId } }) => {
		const call = (name, fn) => session.post('Runtime.callFunctionOn',
			{ objectId, functionDeclaration: `function(){return this.${name}()}`, returnByValue: true },
			(error, reply) => fn(reply?.result?.value));
		const ends_now = () => Atomics.load(cells, 4);
		const begin = () => {
			is_stopping = true;
			is_taken = is_again = false;
			ends = ends_now();
			setTimeout(insist, 20);
			call('signal', on_answer);
		};
		const end = () => {
			is_stopping = false;
			if (is_again)
				begin();
		};
		/* Nothing is to be called until what is running has been terminated: it alone would be. */
		const on_answer = (is_to_stop) => {
			is_taken = true;
			if (is_to_stop)
				session.post('Runtime.terminateExecution', () => call('resume', end));
			else
				end();
		};
		signal = new (internalBinding('signal_wrap').Signal)();
		signal.onsignal = () => {
			const has_ended = ends_now() !== ends; // asked first: an answer may come in between
			if (!is_stopping)
				begin();
			else if (has_ended)
				is_again = true; // that run has ended: it is meant for the next one
		};
		signal.start(2);
		parentPort.postMessage('ready');
		flush_now_and_then(() => is_stopping || call('flush', () => {}));
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

function start_watcher() {
	hide('__terrarium', calls);
	hide('__terrarium_sink', sink);
	session.connect();
	session.post('Runtime.evaluate', { expression: '__terrarium_sink' }, (error, { result }) => {
		sink_id = result.objectId;
	});
	delete globalThis.__terrarium_sink;
	const source = `(${watch})(require('worker_threads').workerData)`;
	const watcher = new Worker(source, { eval: true, workerData: cells, execArgv: ['--expose-internals', '--no-warnings'] });
	const on_early = () => {
		early = state === TAKEN;
	};
	process.on('SIGINT', on_early);
	watcher.once('message', () => {
		process.off('SIGINT', on_early);
		delete globalThis.__terrarium;
		hide('module', main_module);
		has_watcher = true;
		state = WAITING;
		take();
	});
	return watcher;
}
