/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "behavior.h"

static void check_long_line(const struct bed *bed, const struct trm_result *r)
{
	if (bed->out[0].n != 10000001 || r->stdout_bytes != 10000001)
		behavior_fail("%zu bytes came", bed->out[0].n);
}

static void check_many_lines(const struct bed *bed, const struct trm_result *r)
{
	size_t lines = 0;
	(void)r;
	for (const char *at = bed->out[0].s; at && (at = strchr(at, '\n')); at++)
		lines++;
	if (lines != 1000000)
		behavior_fail("%zu lines came", lines);
}

static void check_raw_bytes(const struct bed *bed, const struct trm_result *r)
{
	(void)r;
	if (bed->out[0].n != 5 || memcmp(bed->out[0].s, "\xff\xfe\0a\n", 5) != 0)
		behavior_fail("the bytes changed on the way");
}

static void check_quick(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (r->wall_us > 30000000) /* nothing is waited for that takes longer */
		behavior_fail("it took %.1f ms", (double)r->wall_us / 1000);
}

#define FAILS .status = TRM_STATUS_ERROR, .exit_code = 1
#define INTERRUPTED .is_interrupted = true, .status = TRM_STATUS_INTERRUPTED, .exit_code = 130

static const struct behavior ROWS[] = {
		{.name = "an await of nothing",
				.code = "console.log('on'); await new Promise(() => {})",
				.status = TRM_STATUS_ERROR,
				.exit_code = 13,
				.out = "on\n",
				.shows = {"nothing is left to settle"}},
		{.name = "a promise of nothing",
				.code = "console.log('A'); new Promise(() => {})",
				.out = "A\n",
				.value = "Promise { <pending> }"},
		{.name = "a promise of nothing after a timer",
				.code = "async function late() { await new Promise((done) => setTimeout(done, 30)); "
					"await new Promise(() => {}) }; late()",
				.value = "Promise { <pending> }"},
		{.name = "a callback that waits for a line",
				.code = "const rl1 = require('readline').createInterface({input: process.stdin});\n"
					"rl1.question('', (name) => { console.log('hi ' + name); rl1.close(); });",
				.input = "Ada\n",
				.out_has = "hi Ada\n"},
		{.name = "the same at the end of input",
				.code = "const rl2 = require('readline').createInterface({input: process.stdin});\n"
					"rl2.question('', () => console.log('never')); rl2.on('close', () => console.log('eof'));",
				.out = "eof\n"},
		{.name = "an async main",
				.code = "async function main() { await new Promise((r) => setTimeout(r, 20));\n"
					"console.log('ended'); return 5; }\nmain()",
				.out = "ended\n",
				.value = "5"},
		{.name = "an async main that throws",
				.code = "async function broken() { throw new TypeError('bad'); }\nbroken()",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "TypeError"},
		{.name = "a last line without newline",
				.code = "console.log('a'); process.stdout.write('b'); undefined",
				.out = "a\nb"},
		{.name = "an expression's value", .code = "let y = 20\ny + 1", .value = "21", .out = ""},
		{.name = "undefined has no value", .code = "undefined", .value = "", .out = ""},
		{.name = "a string's value is quoted", .code = "'a' + 'b'", .value = "'ab'"},
		{.name = "an object's value", .code = "({a: [1, 2]})", .value = "{ a: [ 1, 2 ] }"},
		{.name = "let and const persist",
				.code = "const c1 = 1; let l1 = 2; class K1 { m() { return 3 } }; function "
					"f1() { return 4 }"},
		{.name = "and are seen",
				.code = "console.log(c1, l1, new K1().m(), f1())",
				.out = "1 2 3 4\n"},
		{.name = "and may be declared again",
				.code = "const c1 = 10; let l1 = 20; class K1 {}\nconsole.log(c1, l1)",
				.out = "10 20\n"},
		{.name = "an object literal is not a block", .code = "{a: 1}", .value = "{ a: 1 }"},
		{.name = "with several members", .code = " { a: 1, b: 2 } // so", .value = "{ a: 1, b: 2 }"},
		{.name = "a block is one", .code = "{ let z = 1; z + 1 }", .value = "2"},
		{.name = "also with a semicolon behind it", .code = "{ a: 1 };", .value = "1"},
		{.name = "also in front of something", .code = "{ a: 1 }\n(2)", .value = "2"},
		{.name = "an error is thrown",
				.code = "throw new RangeError('far')",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "RangeError"},
		{.name = "and remembered, as in node's console", .code = "_error.message", .value = "'far'"},
		{.name = "also one of a promise",
				.code = "Promise.reject(new Error('late'))",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "Error"},
		{.name = "and remembered, too", .code = "_error = _error.message", .value = "'late'"},
		{.name = "a variable of that name",
				.code = "delete globalThis._error; _error = 1; try { x.y } catch {}; null.a",
				.status = TRM_STATUS_ERROR,
				.exit_code = 1,
				.error = "TypeError"},
		{.name = "stays", .code = "_error", .value = "1"},
		{.name = "process.exit()",
				.code = "console.log('bye'); process.exit(); console.log('no')",
				.out = "bye\n"},
		{.name = "process.exit(3)",
				.code = "console.log('bye'); process.exit(3)",
				.status = TRM_STATUS_ERROR,
				.exit_code = 3,
				.out = "bye\n"},
		{.name = "process.exit in a function",
				.code = "function f() { try { process.exit(4) } catch (e) { "
					"console.log('caught') } }\nf(); console.log('no')",
				.status = TRM_STATUS_ERROR,
				.exit_code = 4,
				.out = ""},
		{.name = "process.exitCode",
				.code = "process.exitCode = 5; 0",
				.status = TRM_STATUS_ERROR,
				.exit_code = 5},
		{.name = "an unclosed bracket", .code = "console.log((1,\n2", FAILS, .error = "SyntaxError"},
		{.name = "an unclosed quote",
				.code = "a = 'x\nconsole.log(1)",
				FAILS,
				.error = "SyntaxError",
				.out = ""},
		{.name = "an unclosed template",
				.code = "a = `x\nconsole.log(1)",
				FAILS,
				.error = "SyntaxError",
				.out = ""},
		{.name = "an unclosed comment",
				.code = "/* x\nconsole.log(1)",
				FAILS,
				.error = "SyntaxError",
				.out = ""},
		{.name = "a syntax error prints nothing",
				.code = "console.log(1);\nlet = = 2",
				FAILS,
				.error = "SyntaxError",
				.out = ""},
		{.name = "readline",
				.code = "const rl = require('readline').createInterface({input: "
					"process.stdin});\n"
					"const answer = await new Promise(r => rl.once('line', r)); "
					"rl.close(); console.log('hi', answer)",
				.input = "bob\n",
				.out = "hi bob\n"},
		{.name = "readline question",
				.code = "const rl2 = require('readline').createInterface({input: "
					"process.stdin, output: process.stdout});\n"
					"const name = await new Promise(r => rl2.question('name? ', r)); "
					"rl2.close(); console.log('hi', name)",
				.input = "eve\n",
				.out_has = "hi eve\n"},
		{.name = "readline without an offer",
				.code = "const rl3 = require('readline').createInterface({input: "
					"process.stdin});\n"
					"await new Promise(r => rl3.on('close', r)); console.log('closed')",
				.out = "closed\n",
				.check = check_quick},
		{.name = "readline after the last line",
				.code = "const rl4 = require('readline').createInterface({input: "
					"process.stdin});\n"
					"for await (const line of rl4) console.log('line', line); "
					"console.log('end')",
				.input = "a\nb\n",
				.out = "line a\nline b\nend\n"},
		{.name = "stdin as a whole",
				.code = "let text = ''; for await (const c of process.stdin) text += c; "
					"console.log(text.toUpperCase())",
				.input = "ab\ncd\n",
				.out = "AB\nCD\n\n"},
		{.name = "readFileSync of stdin",
				.code = "console.log(require('fs').readFileSync(0, 'utf8'))",
				.input = "sync\n",
				.out = "sync\n\n"},
		{.name = "} else { on a new line",
				.code = "if (false)\n{\n  console.log(1)\n}\nelse\n{\n  console.log(2)\n}",
				.out = "2\n"},
		{.name = "a method chain on new lines",
				.code = "[1, 2, 3]\n  .map(n => n * 2)\n  .join('-')",
				.value = "'2-4-6'"},
		{.name = "blank lines inside bodies",
				.code = "function g() {\n\n  const a = 1\n\n\n  return "
					"a\n}\n\nconsole.log(g())",
				.out = "1\n"},
		{.name = "blank output lines",
				.code = "console.log(''); console.log('\\n'); console.log('x')",
				.out = "\n\n\nx\n"},
		{.name = "lines like prompts",
				.code = "console.log('> a'); console.log('... b'); console.log('.. c'); "
					"console.log('>'); console.log('...')",
				.out = "> a\n... b\n.. c\n>\n...\n"},
		{.name = "dot commands are code", .code = ".exit", FAILS, .error = "SyntaxError"},
		{.name = "top-level await",
				.code = "await new Promise(r => setTimeout(r, 10)); console.log('woke'); "
					"await Promise.resolve('v')",
				.out = "woke\n",
				.value = "'v'"},
		{.name = "await and declarations",
				.code = "const w = await Promise.resolve(7); let {q, r: [s]} = await {q: 1, "
					"r: [2]}; async function af() {}"},
		{.name = "are seen later",
				.code = "console.log(w, q, s, typeof af)",
				.out = "7 1 2 function\n"},
		{.name = "promises that end within the run",
				.code = "Promise.resolve().then(() => console.log('then')); "
					"console.log('now')",
				.out = "now\nthen\n"},
		{.name = "timers that end within the run",
				.code = "setTimeout(() => console.log('timer'), 20); console.log('now'); "
					"await new Promise(r => setTimeout(r, 60))",
				.out = "now\ntimer\n"},
		{.name = "a timer that outlives its run",
				.code = "setTimeout(() => console.log('timer'), 20); console.log('now')",
				.out = "now\n",
				.late = "timer\n",
				.late_of_any = true},
		{.name = "a rejected promise",
				.code = "await Promise.reject(new TypeError('no'))",
				FAILS,
				.error = "TypeError",
				.shows = {"no"}},
		{.name = "a rejection nobody handles",
				.code = "Promise.reject(new TypeError('lonely')); 1",
				FAILS,
				.error = "TypeError",
				.shows = {"lonely"}},
		{.name = "output of a child",
				.code = "const cp = require('child_process'); console.log('a'); "
					"cp.execFileSync('echo', ['b'], {stdio: 'inherit'}); "
					"console.log('c')",
				.out = "a\nb\nc\n"},
		{.name = "an asynchronous child",
				.code = "await new Promise(r => require('child_process').spawn('sh', ['-c', "
					"'sleep 0.05; echo b; echo e >&2'], {stdio: 'inherit'}).on('exit', "
					"r))\n"
					"console.log('c')",
				.out = "b\nc\n",
				.err = "e\n"},
		{.name = "writes to descriptor 1",
				.code = "console.log('a'); require('fs').writeSync(1, 'b\\n'); "
					"console.log('c')",
				.out = "a\nb\nc\n"},
		{.name = "output after the end, of a child",
				.code = "require('child_process').spawn('sh', ['-c', 'sleep 0.3; echo late "
					"one'], {stdio: 'inherit', detached: true}).unref(); "
					"console.log('now')",
				.out = "now\n",
				.late = "late one\n"},
		{.name = "a background process",
				.code = "var bg = require('child_process').spawn('sleep', ['1000'], "
					"{detached: true, stdio: 'ignore'}); bg.unref(); console.log(bg.pid "
					"> 0)",
				.out = "true\n",
				.check = check_quick},
		{.name = "and its end", .code = "process.kill(bg.pid)", .value = "true"},
		{.name = "bytes that are not UTF-8",
				.code = "process.stdout.write(Buffer.from([255, 254, 0, 97, 10])); undefined",
				.check = check_raw_bytes},
		{.name = "lone surrogates", .code = "'\\ud800'", .status = TRM_STATUS_OK},
		{.name = "a line of 10 MB",
				.code = "console.log('x'.repeat(10000000))",
				.check = check_long_line},
		{.name = "a value of 10 MB", .code = "'x'.repeat(10000000)", .check = check_quick},
		{.name = "1 000 000 lines",
				.code = "for (let i = 0; i < 1000000; i++) console.log(i)",
				.check = check_many_lines},
		{.name = "a traceback",
				.code = "function inner() {\n  const a = 1\n  throw new "
					"RangeError('lost')\n}\n\ninner()",
				FAILS,
				.error = "RangeError",
				.shows = {"lost", ":3:", "inner", ":6:"}},
		{.name = "a syntax error",
				.code = "let z = 1\nif (z {\n}",
				FAILS,
				.error = "SyntaxError",
				.shows = {":2"}},
		{.name = "a thrown string", .code = "throw 'words'", FAILS, .shows = {"words"}},
		{.name = "a thrown null", .code = "throw null", FAILS, .shows = {"null"}},
		{.name = "deep recursion",
				.code = "function d(n) { return d(n + 1) + 1 }\nd(0)",
				FAILS,
				.error = "RangeError",
				.check = check_quick},
		{.name = "a broken inspect",
				.code = "({[Symbol.for('nodejs.util.inspect.custom')]() { throw new "
					"Error('bad') }})",
				FAILS,
				.shows = {"bad"}},
		{.name = "require and import",
				.code = "const path = require('path'); const os = await import('os'); "
					"console.log(path.basename('/a/b'), typeof os.cpus)",
				.out = "b function\n"},
		{.name = "strict mode",
				.code = "'use strict'; undeclared = 1",
				FAILS,
				.error = "ReferenceError"},
		{.name = "this, __filename and module",
				.code = "module.exports.a = 1; console.log(typeof module, typeof require, "
					"typeof globalThis)",
				.out = "object function object\n"},
		{.name = "an endless loop", .code = "console.log('on'); while (true);", INTERRUPTED},
		{.name = "an endless flood",
				.code = "console.log('on'); while (true) console.log('x'.repeat(90))",
				INTERRUPTED},
		{.name = "an await",
				.code = "console.log('on'); await new Promise(() => setTimeout(() => {}, "
					"1e6))",
				INTERRUPTED},
		{.name = "an await of nothing, after an interrupt",
				.code = "console.log('on'); await new Promise(() => {})",
				INTERRUPTED},
		{.name = "a child that sleeps",
				.code = "console.log('on'); require('child_process').execSync('sleep 1000')",
				INTERRUPTED},
		{.name = "a loop in a timer",
				.code = "setTimeout(() => { console.log('on'); for (;;); }, 1); await new "
					"Promise(r => setTimeout(r, 50))",
				INTERRUPTED},
		{.name = "Atomics.wait",
				.code = "console.log('on'); Atomics.wait(new Int32Array(new "
					"SharedArrayBuffer(4)), 0, 0)",
				INTERRUPTED},
		{.name = "SIGKILL",
				.code = "process.kill(process.pid, 'SIGKILL'); for (;;);",
				.status = TRM_STATUS_KILLED,
				.exit_code = 137,
				.loses_state = true},
		{.name = "SIGSEGV",
				.code = "process.kill(process.pid, 'SIGSEGV'); for (;;);",
				.status = TRM_STATUS_KILLED,
				.exit_code = 139,
				.loses_state = true},
		{.name = "process.abort()",
				.code = "process.abort()",
				.status = TRM_STATUS_KILLED,
				.exit_code = 134,
				.loses_state = true},
		{0},
};

static const struct language JAVASCRIPT = {
		.name = "javascript",
		.set_state = "x = 42",
		.get_state = "console.log(x)",
		.driver_name = "terrarium",
		.rows = ROWS,
};

int main(int argc, char **argv)
{
	return behavior_main(&JAVASCRIPT, argc, argv);
}
