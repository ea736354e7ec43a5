/* SPDX-License-Identifier: MIT */
/* What every resident driver has to do, asked of each language in its own words: one row per language, one
 * function per behavior. A row names the behaviors that its language cannot have, with the reason. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "kernel/drivers/harness.h"

/* What `check` asks a driver; `exceptions` of a row are indexed by it. */
enum behavior {
	SHOWS_VALUES,
	KEEPS_STATE,
	PRINTS,
	PRINTS_ERRORS,
	TELLS_LINES,
	REFUSES_BAD_CODE,
	EXITS_WITH_CODES,
	READS_LINES,
	READS_TO_THE_END,
	STOPS_LOOPS,
	STOPS_WAITS,
	KNOWS_UNICODE,
	WRITES_BYTES,
	WRITES_LONG_LINES,
	WRITES_MANY_LINES,
	SURVIVES_RECURSION,
	HOLDS_LATE_OUTPUT_APART,
	COMPLETES,
	INSPECTS,
	TELLS_COMPLETENESS,
	LISTS_VARIABLES,
	RUNS_PROGRAMS,
	TELLS_ERRORS_OF_PROGRAMS,
	CAN_BE_KILLED,
	BEHAVIORS,
};

struct sample {
	const char *code, *want;
};

static const struct row {
	const char *name;
	const char *interpreter; /* what must be there, if it is not what is started */
	const char *probe;       /* a shell command that fails where the language cannot run; NULL: none */
	struct sample sum;       /* an expression and its value */
	const char *set_x;       /* let x be 42 */
	struct sample x;         /* its value */
	struct sample function, call;      /* of a function and the type of another run */
	struct sample print, complain;     /* to stdout, to stderr */
	const char *fail, *fail_name;      /* an error on line 3, in a function of line 2 */
	const char *bad, *bad_line;        /* code that is none, and how the traceback names its place */
	const char *exit_3;                /* ends the run with 3 */
	struct sample read_line, read_all; /* prints what it has read: "one", and "one\ntwo\n" */
	const char *loop;                  /* prints "going", then goes on for ever */
	const char *sleep;                 /* prints "going", then waits for a minute */
	const char *unicode;               /* prints héé ☃ 😀 */
	const char *bytes;                 /* prints ff fe 0a */
	const char *long_line;             /* prints ten million x and a newline */
	const char *many_lines;            /* prints the numbers up to 99999, one on a line */
	struct sample recursion;           /* without end; part of the name of its error */
	const char *late;  /* a background process that waits for a file `go`, then prints "late" and makes
			      `end` */
	const char *pause; /* lets it, waits for `end`, then prints "mine" */
	struct sample complete;            /* the name of x2 or the like is to be found */
	struct sample inspect;             /* a name, and its value */
	const char *whole, *half, *broken; /* code that is complete, incomplete and invalid */
	const char *type;                  /* of x */
	const char *file;
	struct sample program;   /* prints its arguments and a line of standard input; exits with 3 */
	const char *bad_program; /* an error on its third line */
	const char *kill;        /* SIGKILL for its own process */
	const char *exceptions[BEHAVIORS];
} ROWS[] = {
		{
				.name = "ruby",
				.sum = {"1+1", "2"},
				.set_x = "x = 42",
				.x = {"x", "42"},
				.function = {"class Box\n  def initialize(v) = @v = v\n  def double = @v * 2\nend\n"
					     "def box(v) = Box.new(v)",
						":box"},
				.call = {"box(x).double", "84"},
				.print = {"puts 'out'", "out\n"},
				.complain = {"warn 'err'", "err\n"},
				.fail = "# one\ndef f = raise(ArgumentError, 'no')\nf",
				.fail_name = "ArgumentError",
				.bad = "a = 1\nb = )\n",
				.bad_line = ":2: syntax error",
				.exit_3 = "exit 3",
				.read_line = {"p gets", "\"one\\n\"\n"},
				.read_all = {"p $stdin.read", "\"one\\ntwo\\n\"\n"},
				.loop = "puts 'going'\nloop {}",
				.sleep = "puts 'going'\nsleep 60",
				.unicode = "puts 'h\u00e9\u00e9 \u2603 \U0001f600'",
				.bytes = "STDOUT.write(\"\\xff\\xfe\\n\") && nil",
				.long_line = "puts 'x' * 10_000_000",
				.many_lines = "100_000.times { |i| puts i }; nil",
				.recursion = {"def r = r\nr", "SystemStackError"},
				.late = "spawn('until [ -e go ]; do sleep 0.01; done; echo late; : > end'); nil",
				.pause = "File.write('go', '')\nsleep 0.01 until File.exist?('end')\nputs 'mine'",
				.complete = {"'text'.swapc", "swapcase"},
				.inspect = {"x", "42"},
				.whole = "def g\n  1\nend",
				.half = "def g\n  1",
				.broken = "1 + )",
				.type = "Integer",
				.file = "p.rb",
				.program = {"p ARGV, __FILE__ == $0, DATA.read\nputs $stdin.gets\nexit 3\n__END__\ndata\n",
						"[\"a b\", \"c\"]\ntrue\n\"data\\n\"\nline\n"},
				.bad_program = "# one\n# two\nraise 'no'\n",
				.kill = "Process.kill(:KILL, Process.pid)",
		},
		{
				.name = "r",
				.sum = {"1+1", "[1] 2"},
				.set_x = "x <- 42",
				.x = {"x", "[1] 42"},
				.function = {"double <- function(v) v * 2", NULL},
				.call = {"double(x)", "[1] 84"},
				.print = {"cat('out\\n')", "out\n"},
				.complain = {"message('err')", "err\n"},
				.fail = "f <- function() {\n  stop('no') }\nf()",
				.fail_name = "simpleError",
				.bad = "a <- 1\nb <- )\n",
				.bad_line = ":2:6: unexpected ')'",
				.exit_3 = "quit(status = 3)",
				.read_line = {"print(readline())", "[1] \"one\"\n"},
				.read_all = {"print(readLines(file('stdin')))", "[1] \"one\" \"two\"\n"},
				.loop = "cat('going\\n')\nrepeat {}",
				.sleep = "cat('going\\n')\nSys.sleep(60)",
				.unicode = "cat('h\u00e9\u00e9 \u2603 \U0001f600\\n')",
				.bytes = "cat('\\xff\\xfe\\n')",
				.long_line = "cat(strrep('x', 1e7), '\\n', sep = '')",
				.many_lines = "writeLines(format(0:99999, trim = TRUE, scientific = FALSE))",
				.recursion = {"f <- function(n) f(n + 1)\nf(1)", "StackOverflowError"},
				.late = "system('(until [ -e go ]; do sleep 0.01; done; echo late; : > end) &')",
				.pause = "invisible(file.create('go'))\n"
					 "while (!file.exists('end')) Sys.sleep(0.01)\ncat('mine\\n')",
				.complete = {"stats::medi", "median"},
				.inspect = {"x", "42"},
				.whole = "g <- function() {\n  1\n}",
				.half = "g <- function() {\n  1",
				.broken = "1 + )",
				.type = "numeric",
				.file = "p.R",
				.program = {"print(commandArgs(TRUE))\n1 + 1\nwriteLines(readLines('stdin', 1))\n"
					    "quit(status = 3)\n",
						"[1] \"a b\" \"c\"  \n[1] 2\nline\n"},
				.bad_program = "# one\n# two\nstop('no')\n",
				.kill = "tools::pskill(Sys.getpid(), 9)",
		},
		{
				.name = "java",
				.interpreter = "/usr/bin/javac",
				.sum = {"1+1", "2"},
				.set_x = "int x = 42;",
				.x = {"x", "42"},
				.function = {"class Box {\n  final int v;\n  Box(int v) { this.v = v; }\n"
					     "  int twice() { return 2 * v; }\n}\n"
					     "Box box(int v) { return new Box(v); }",
						NULL},
				.call = {"box(x).twice()", "84"},
				.print = {"System.out.println(\"out\")", "out\n"},
				.complain = {"System.err.println(\"err\")", "err\n"},
				.fail = "int f() {\n  throw new IllegalStateException(\"no\"); }\nf()",
				.fail_name = "IllegalStateException",
				.bad = "int a = 1;\nint b = );\n",
				.bad_line = ":2:9: error: illegal start of expression",
				.exit_3 = "System.exit(3)",
				.read_line = {"System.out.println(new Scanner(System.in).nextLine())",
						"one\n"},
				.read_all = {"System.out.print(new String(System.in.readAllBytes()))",
						"one\ntwo\n"},
				.loop = "System.out.println(\"going\");\nwhile (true);",
				.sleep = "System.out.println(\"going\");\nThread.sleep(60_000);",
				.unicode = "System.out.println(\"h\u00e9\u00e9 \u2603 \U0001f600\")",
				.bytes = "System.out.write(new byte[] { -1, -2, 10 }, 0, 3)",
				.long_line = "System.out.println(\"x\".repeat(10_000_000))",
				.many_lines = "for (int i = 0; i < 100_000; i++) System.out.println(i);",
				.recursion = {"int r() { return r(); }\nr()", "StackOverflowError"},
				.late = "var p = new ProcessBuilder(\"sh\", \"-c\", \"until [ -e go ]; do sleep 0.01; done; echo late; : > end\")"
					".inheritIO().start();",
				.pause = "Files.createFile(Path.of(\"go\"));\n"
					 "while (!Files.exists(Path.of(\"end\"))) Thread.sleep(10);\n"
					 "System.out.println(\"mine\");",
				.complete = {"\"text\".toUpp", "toUpperCase"},
				.inspect = {"x", "42"},
				.whole = "int g() {\n  return 1;\n}",
				.half = "int g() {\n  return 1;",
				.broken = "1 + )",
				.type = "int",
				.file = "p.java",
				.program = {"import java.util.*;\npublic class Any {\n"
					    "  public static void main(String[] args) {\n"
					    "    System.out.println(Arrays.toString(args));\n"
					    "    System.out.println(new Scanner(System.in).nextLine());\n"
					    "    System.exit(3);\n  }\n}\n",
						"[a b, c]\nline\n"},
				.bad_program = "public class Any {\n  public static void main(String[] args) {\n"
					       "    throw new IllegalStateException(\"no\");\n  }\n}\n",
				.kill = "new ProcessBuilder(\"sh\", \"-c\", \"kill -9 $PPID\").start().waitFor()",
		},
		{
				.name = "typescript",
				.probe = "/usr/bin/node -e \"process.exit(require('module').stripTypeScriptTypes ? 0 : 1)\""
					 " || test -d /usr/share/nodejs/typescript",
				.sum = {"1 + (1 as number)", "2"},
				.set_x = "var x: number = 42",
				.x = {"x", "42"},
				.function = {"interface Has { v: number }\n\nclass Box implements Has {\n"
					     "  constructor(public v: number) {}\n"
					     "  twice(): number { return 2 * this.v }\n}\nenum Size { Small = 5 }",
						NULL},
				.call = {"new Box(x).twice() + Size.Small - 5", "84"},
				.print = {"console.log('out')", "out\n"},
				.complain = {"console.error('err')", "err\n"},
				.fail = "interface A { a: string }\nfunction f(): never { throw new RangeError('no') }\nf()",
				.fail_name = "RangeError",
				.bad = "let a: number = 1;\nlet b: = 2\n",
				.bad_line = ":2:8",
				.exit_3 = "process.exit(3)",
				.read_line = {"process.stdin.once('data', (s: Buffer) => {\n"
					      "  console.log(String(s).trim()); process.stdin.pause() }); void 0",
						"one\n"},
				.read_all = {"console.log(require('fs').readFileSync(0, 'utf8').trimEnd() as string)",
						"one\ntwo\n"},
				.loop = "console.log('going')\nfor (;;);",
				.sleep = "console.log('going')\nawait new Promise<void>((done) => setTimeout(done, 60000))",
				.unicode = "console.log('h\u00e9\u00e9 \u2603 \U0001f600')",
				.bytes = "process.stdout.write(Buffer.from([0xff, 0xfe, 10])); void 0",
				.long_line = "console.log('x'.repeat(10_000_000))",
				.many_lines = "for (let i: number = 0; i < 100_000; i++) console.log(i)",
				.recursion = {"function r(): number { return r() + 1 }\nr()", "RangeError"},
				.late = "require('child_process').spawn('sh', ['-c', 'until [ -e go ]; do sleep 0.01; done; echo late; : > end'],\n"
					"  { stdio: 'inherit' }).unref()",
				.pause = "require('fs').writeFileSync('go', '')\n"
					 "while (!require('fs').existsSync('end'))\n"
					 "  await new Promise<void>((done) => setTimeout(done, 10))\n"
					 "console.log('mine')",
				.complete = {"Math.sqr", "sqrt"},
				.inspect = {"x", "42"},
				.whole = "function g(a: number): number {\n  return a\n}",
				.half = "function g(a: number): number {\n  return a",
				.broken = "1 + )",
				.type = "number",
				.file = "p.ts",
				.program = {"import { readSync } from 'fs'\ninterface P { a: number }\n"
					    "console.log(JSON.stringify(process.argv.slice(2)))\n"
					    "const bytes: Buffer = Buffer.alloc(5)\n"
					    "console.log(bytes.toString('utf8', 0, readSync(0, bytes)))\n"
					    "process.exit(3)\n",
						"[\"a b\",\"c\"]\nline\n"},
				.bad_program = "interface A {\n  a: string }\nthrow new RangeError('no')\n",
				.kill = "process.kill(process.pid, 'SIGKILL')",
		},
		{
				.name = "cpp",
				.interpreter = "/usr/bin/g++",
				.sum = {"1+1", "2"},
				.set_x = "int x = 42;",
				.x = {"x", "42"},
				.function = {"class Box {\n  int v;\npublic:\n  explicit Box(int v) : v(v) {}\n"
					     "  int twice() const { return 2 * v; }\n};\n"
					     "Box box(int v) { return Box{v}; }",
						NULL},
				.call = {"box(x).twice()", "84"},
				.print = {"std::cout << \"out\\n\";", "out\n"},
				.complain = {"std::cerr << \"err\\n\";", "err\n"},
				.fail = "#include <stdexcept>\nint f() { throw std::invalid_argument(\"no\"); }\nf()",
				.fail_name = "std::invalid_argument",
				.bad = "int a = 1;\nint b = );\n",
				.bad_line = ":2:9: error: expected primary-expression",
				.exit_3 = "#include <cstdlib>\nexit(3);",
				.read_line = {"std::string line;\nstd::getline(std::cin, line);\n"
					      "std::cout << line << '\\n';",
						"one\n"},
				.read_all = {"{ char c; while (std::cin.get(c)) std::cout.put(c); }",
						"one\ntwo\n"},
				.loop = "std::cout << \"going\" << std::endl;\nfor (;;);",
				.sleep = "#include <unistd.h>\nstd::cout << \"going\" << std::endl;\nsleep(60);",
				.unicode = "std::cout << \"h\u00e9\u00e9 \u2603 \U0001f600\\n\";",
				.bytes = "std::cout << \"\\xff\\xfe\\n\";",
				.long_line = "std::cout << std::string(10'000'000, 'x') << '\\n';",
				.many_lines = "for (int i = 0; i < 100'000; i++) std::cout << i << '\\n';",
				.recursion = {"int r(volatile int n) { return r(n + 1) + n; }\nr(0)",
						"Segmentation fault"},
				.late = "#include <cstdlib>\nstd::system(\"(until [ -e go ]; do sleep 0.01; done; echo late; : > end) &\");",
				.pause = "#include <unistd.h>\n#include <fstream>\nstd::ofstream(\"go\").flush();\n"
					 "while (access(\"end\", F_OK)) usleep(10'000);\nstd::cout << \"mine\\n\";",
				.complete = {"dou", "double"},
				.inspect = {"x", "42"},
				.whole = "int g() {\n  return 1;\n}",
				.half = "int g() {\n  return 1;",
				.broken = "1 + )",
				.type = "int",
				.file = "p.cpp",
				.program = {"#include <iostream>\nint main(int argc, char **argv) {\n"
					    "  std::string line;\n  std::getline(std::cin, line);\n"
					    "  for (int i = 1; i < argc; i++) std::cout << argv[i] << '\\n';\n"
					    "  std::cout << line << '\\n';\n  return 3;\n}\n",
						"a b\nc\nline\n"},
				.exceptions =
						{
								[TELLS_ERRORS_OF_PROGRAMS] =
										"a compiled program has no traceback",
								[CAN_BE_KILLED] =
										"a signal ends only the piece: pieces_test.c",
						},
		},
};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

/* One driver per row, started by the first test that wants it. */
static struct driver *drivers[N_ROWS];

static struct driver *start(const struct row *row)
{
	if (row->interpreter && access(row->interpreter, X_OK)) {
		print_message("%s is not installed\n", row->interpreter);
		skip();
	}
	if (row->probe && system(row->probe)) {
		print_message("%s cannot run here\n", row->name);
		skip();
	}
	struct driver **d = &drivers[row - ROWS];
	if (!*d) {
		const struct trm_lang *lang;
		assert_int_equal(trm_lang_find(row->name, &lang, NULL), 0);
		*d = driver_start(lang->index);
	}
	return *d;
}

static void stop(const struct row *row)
{
	driver_stop(drivers[row - ROWS]);
	drivers[row - ROWS] = NULL;
}

/* ---- behaviors ---------------------------------------------------------------- */

static void shows_values(const struct row *row, struct driver *d)
{
	check_value(d, row->sum.code, row->sum.want);
	check_run(d, "", "ok", "");
}

static void keeps_state(const struct row *row, struct driver *d)
{
	driver_run(d, row->set_x);
	check_value(d, row->x.code, row->x.want);
	check_value(d, row->function.code, row->function.want);
	check_value(d, row->call.code, row->call.want);
}

static void prints(const struct row *row, struct driver *d)
{
	check_run(d, row->print.code, "ok", row->print.want);
}

static void prints_errors(const struct row *row, struct driver *d)
{
	driver_run(d, row->complain.code);
	assert_string_equal(d->err, row->complain.want);
	assert_string_equal(d->out, "");
}

static void has_no_frames_of_ours(struct driver *d)
{
	const char *text = driver_traceback(d);
	static const char *const OURS[] = {"<terrarium>", "Terrarium.", "jdk.jshell", "tryCatch"};
	for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++)
		assert_lacks(text, OURS[i]);
}

static void tells_lines(const struct row *row, struct driver *d)
{
	char place[40];
	check_error(d, row->fail, row->fail_name);
	for (int line = 2; line <= 3; line++) {
		snprintf(place, sizeof place, "<run %u>:%d", d->last_id, line);
		assert_contains(driver_traceback(d), place);
	}
	has_no_frames_of_ours(d);
	assert_string_equal(d->err, "");
}

static void refuses_bad_code(const struct row *row, struct driver *d)
{
	driver_run(d, row->bad);
	assert_string_equal(driver_text_of(d, "status"), "error");
	assert_contains(driver_traceback(d), row->bad_line);
	has_no_frames_of_ours(d);
	check_value(d, row->sum.code, row->sum.want);
}

static int exit_code(const struct driver *d)
{
	const cJSON *code = cJSON_GetObjectItem(d->done, "exit_code");
	return code ? code->valueint : -1;
}

static void exits_with_codes(const struct row *row, struct driver *d)
{
	driver_run(d, row->set_x);
	driver_run(d, row->exit_3);
	assert_string_equal(driver_text_of(d, "status"), "error");
	assert_int_equal(exit_code(d), 3);
	check_value(d, row->x.code, row->x.want);
}

static void reads_lines(const struct row *row, struct driver *d)
{
	d->answers = "one\n";
	check_run(d, row->read_line.code, "ok", row->read_line.want);
	assert_non_null(driver_wait_event(d, "input"));
	d->answers = NULL;
}

static void reads_to_the_end(const struct row *row, struct driver *d)
{
	d->answers = "one\ntwo\n";
	check_run(d, row->read_all.code, "ok", row->read_all.want);
	d->answers = NULL;
}

static void stop_and_go_on(const struct row *row, struct driver *d, const char *code)
{
	driver_run(d, row->set_x);
	driver_send(d, code);
	driver_wait_text(d, 2 * d->set, "going");
	driver_interrupt(d);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
	check_value(d, row->x.code, row->x.want);
}

static void stops_loops(const struct row *row, struct driver *d)
{
	stop_and_go_on(row, d, row->loop);
}

static void stops_waits(const struct row *row, struct driver *d)
{
	stop_and_go_on(row, d, row->sleep);
}

static void knows_unicode(const struct row *row, struct driver *d)
{
	check_run(d, row->unicode, "ok", "h\u00e9\u00e9 \u2603 \U0001f600\n");
}

static void writes_bytes(const struct row *row, struct driver *d)
{
	check_run(d, row->bytes, "ok", "\xff\xfe\n");
}

static void writes_long_lines(const struct row *row, struct driver *d)
{
	driver_run(d, row->long_line);
	assert_string_equal(driver_text_of(d, "status"), "ok");
	assert_int_equal(d->out_len, 10000001);
	assert_int_equal(strspn(d->out, "x"), 10000000);
}

static void writes_many_lines(const struct row *row, struct driver *d)
{
	driver_run(d, row->many_lines);
	assert_string_equal(driver_text_of(d, "status"), "ok");
	const char *at = d->out;
	for (int i = 0; i < 100000; i++) {
		char *end;
		assert_int_equal(strtol(at, &end, 10), i);
		assert_int_equal(*end, '\n');
		at = end + 1;
	}
	assert_int_equal(*at, '\0');
}

static const char *error_name(const struct driver *d)
{
	const cJSON *error = cJSON_GetObjectItem(d->done, "error");
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(error, "name"));
	return name ? name : "";
}

static void survives_recursion(const struct row *row, struct driver *d)
{
	driver_run(d, row->set_x);
	driver_run(d, row->recursion.code);
	assert_string_equal(driver_text_of(d, "status"), "error");
	assert_contains(error_name(d), row->recursion.want);
	assert_true(strlen(driver_traceback(d)) < 100000);
	check_value(d, row->x.code, row->x.want);
}

static void holds_late_output_apart(const struct row *row, struct driver *d)
{
	check_run(d, row->late, "ok", "");
	check_run(d, row->pause, "ok", "mine\n");
}

static bool is_listed(const cJSON *list, const char *text)
{
	const cJSON *one;
	cJSON_ArrayForEach(one, list) if (strcmp(cJSON_GetStringValue(one), text) == 0) return true;
	return false;
}

static void completes(const struct row *row, struct driver *d)
{
	const cJSON *data = driver_ask(d, "complete", row->complete.code, -1);
	if (!is_listed(cJSON_GetObjectItem(data, "matches"), row->complete.want))
		fail_msg("%s is not among %s", row->complete.want, cJSON_Print(data));
	assert_int_equal(cJSON_GetObjectItem(data, "end")->valueint, strlen(row->complete.code));
	data = driver_ask(d, "complete", "no_such_name_", -1);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(data, "matches")), 0);
}

static void inspects(const struct row *row, struct driver *d)
{
	driver_run(d, row->set_x);
	const cJSON *data = driver_ask(d, "inspect", row->inspect.code, -1);
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(data, "found")));
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "value")), row->inspect.want);
	data = driver_ask(d, "inspect", "no_such_name_", -1);
	assert_true(cJSON_IsFalse(cJSON_GetObjectItem(data, "found")));
}

static void tells_completeness(const struct row *row, struct driver *d)
{
	const struct sample samples[] = {
			{row->whole, "complete"}, {row->half, "incomplete"}, {row->broken, "invalid"}};
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		const cJSON *data = driver_ask(d, "is_complete", samples[i].code, -1);
		assert_string_equal(
				cJSON_GetStringValue(cJSON_GetObjectItem(data, "status")), samples[i].want);
		assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(data, "indent")));
	}
}

static const char *variable(const cJSON *data, const char *name, const char *member)
{
	const cJSON *one;
	cJSON_ArrayForEach(one, cJSON_GetObjectItem(data, "variables"))
	{
		if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(one, "name")), name) == 0)
			return cJSON_GetStringValue(cJSON_GetObjectItem(one, member));
	}
	fail_msg("no %s of %s", member, name);
	return NULL;
}

static void lists_variables(const struct row *row, struct driver *d)
{
	driver_run(d, row->set_x);
	const cJSON *data = driver_ask(d, "variables", "", 0);
	assert_string_equal(variable(data, "x", "type"), row->type);
	assert_string_equal(variable(data, "x", "value"), row->inspect.want);
	data = driver_ask(d, "variables", "", 1);
	assert_string_equal(variable(data, "x", "type"), row->type);
	assert_string_equal(variable(data, "x", "value"), "");
}

/* ---- programs, and the end: each in a driver of its own ------------------------- */

static void send_program(struct driver *d, const struct row *row, const char *code, const char *args)
{
	cJSON *text = cJSON_CreateString(code);
	char *quoted = cJSON_PrintUnformatted(text), members[1000];
	snprintf(members, sizeof members, "\"op\":\"run\",\"code\":%s,\"file\":\"%s\",\"program\":true%s",
			quoted, row->file, args);
	cJSON_free(quoted);
	cJSON_Delete(text);
	driver_send_request(d, members);
}

/* Its exit code, which its process or `done` tells. */
static int end_of_program(struct driver *d)
{
	int code = driver_wait_end(d) ? exit_code(d) : -1;
	if (code >= 0)
		driver_send_request(d, "\"op\":\"leave\"");
	int status = driver_wait_exit(d);
	assert_true(WIFEXITED(status));
	return code >= 0 ? code : WEXITSTATUS(status);
}

static void runs_programs(const struct row *row, struct driver *d)
{
	d->answers = "line\n";
	send_program(d, row, row->program.code, ",\"args\":[\"a b\",\"c\"]");
	driver_wait_text(d, 2 * d->set, row->program.want);
	assert_int_equal(end_of_program(d), 3);
}

static void tells_errors_of_programs(const struct row *row, struct driver *d)
{
	char place[40];
	send_program(d, row, row->bad_program, "");
	assert_true(driver_wait_end(d));
	assert_string_equal(driver_text_of(d, "status"), "error");
	snprintf(place, sizeof place, "%s:3", row->file);
	assert_contains(driver_traceback(d), place);
	has_no_frames_of_ours(d);
}

static void can_be_killed(const struct row *row, struct driver *d)
{
	driver_send(d, row->kill);
	int status = driver_wait_exit(d);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_null(d->done);
}

/* ---- the table ------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*check)(const struct row *row, struct driver *d);
	bool needs_own; /* driver */
} CHECKS[BEHAVIORS] = {
		[SHOWS_VALUES] = {"shows values", shows_values, false},
		[KEEPS_STATE] = {"keeps state", keeps_state, false},
		[PRINTS] = {"prints", prints, false},
		[PRINTS_ERRORS] = {"prints errors", prints_errors, false},
		[TELLS_LINES] = {"tells the lines of errors", tells_lines, false},
		[REFUSES_BAD_CODE] = {"refuses bad code", refuses_bad_code, false},
		[EXITS_WITH_CODES] = {"exits with a code", exits_with_codes, false},
		[READS_LINES] = {"reads lines", reads_lines, false},
		[READS_TO_THE_END] = {"reads to the end", reads_to_the_end, false},
		[STOPS_LOOPS] = {"stops loops", stops_loops, false},
		[STOPS_WAITS] = {"stops waits", stops_waits, false},
		[KNOWS_UNICODE] = {"knows Unicode", knows_unicode, false},
		[WRITES_BYTES] = {"writes bytes", writes_bytes, false},
		[WRITES_LONG_LINES] = {"writes long lines", writes_long_lines, false},
		[WRITES_MANY_LINES] = {"writes many lines", writes_many_lines, false},
		[SURVIVES_RECURSION] = {"survives recursion", survives_recursion, false},
		[HOLDS_LATE_OUTPUT_APART] = {"holds late output apart", holds_late_output_apart, false},
		[COMPLETES] = {"completes", completes, false},
		[INSPECTS] = {"inspects", inspects, false},
		[TELLS_COMPLETENESS] = {"tells completeness", tells_completeness, false},
		[LISTS_VARIABLES] = {"lists variables", lists_variables, false},
		[RUNS_PROGRAMS] = {"runs programs", runs_programs, true},
		[TELLS_ERRORS_OF_PROGRAMS] = {"tells errors of programs", tells_errors_of_programs, true},
		[CAN_BE_KILLED] = {"can be killed", can_be_killed, true},
};

struct trial {
	const struct row *row;
	enum behavior behavior;
	char name[80];
};

static void try(void **state)
{
	const struct trial *t = *state;
	const char *exception = t->row->exceptions[t->behavior];
	if (exception) {
		print_message("%s: %s\n", t->name, exception);
		skip();
	}
	if (CHECKS[t->behavior].needs_own)
		stop(t->row);
	CHECKS[t->behavior].check(t->row, start(t->row));
	if (t->behavior + 1 == BEHAVIORS)
		stop(t->row);
}

/* A driver that a failed test has left in the middle of something is of no use to the next one. */
static int drop_broken(void **state)
{
	const struct trial *t = *state;
	struct driver *d = drivers[t->row - ROWS];
	if (d && !d->done && d->last_id) {
		if (d->pid)
			kill(d->pid, SIGKILL);
		stop(t->row);
	}
	return 0;
}

int main(void)
{
	static struct trial trials[N_ROWS * BEHAVIORS];
	struct CMUnitTest tests[N_ROWS * BEHAVIORS];
	for (size_t i = 0; i < N_ROWS * BEHAVIORS; i++) {
		struct trial *t = &trials[i];
		*t = (struct trial){.row = &ROWS[i / BEHAVIORS], .behavior = i % BEHAVIORS};
		snprintf(t->name, sizeof t->name, "%s %s", t->row->name, CHECKS[t->behavior].name);
		tests[i] = (struct CMUnitTest){t->name, try, NULL, drop_broken, t};
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
