/* SPDX-License-Identifier: MIT */
/* The languages: a small run in a running kernel against the language's own tool over a pipe, a compiled
 * program against its compiler and its own run, and the first result of a new sandbox against the tool's
 * start under bubblewrap. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "bench/bench.h"

enum { TRIPS = 60, TRIPS_COMPILED = 12, COLD_TRIPS = 5, WORDS = 8 };

/* ---- a run through the library ---- */

struct lang_trip {
	bool is_done, is_good, is_closed;
	char why[512];
};

static void on_trip_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct lang_trip *t = user;
	(void)run;
	t->is_done = true;
	t->is_good = result->status == TRM_STATUS_OK;
	if (!t->is_good)
		snprintf(t->why, sizeof t->why, "%.280s",
				result->error_message ? result->error_message
						      : trm_status_name(result->status));
}

static void on_trip_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct lang_trip *t = user;
	(void)sandbox;
	t->is_closed = t->is_done = true;
	snprintf(t->why, sizeof t->why, "%s", why->msg);
}

static bool run_once(struct trm_loop *loop, struct trm_session *session, const struct trm_lang *lang,
		const char *code, struct lang_trip *t)
{
	static const struct trm_run_cb cb = {.done = on_trip_done};
	struct trm_run_opts opts;
	struct trm_run *run;
	trm_run_opts_default(&opts);
	opts.lang = lang;
	opts.code = code;
	opts.code_len = strlen(code);
	t->is_done = t->is_good = false;
	if (trm_session_run(session, &opts, &cb, t, &run, NULL) < 0)
		return false;
	while (!t->is_done)
		trm_loop_step(loop, -1);
	return t->is_good;
}

/* Without the first two, in a new sandbox. `first` is run before them; NULL: nothing is. False: t->why tells.
 */
static bool measure_runs(const char *name, const char *first, const char *code, int n, struct samples *s,
		struct lang_trip *t)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_trip_closed};
	static const struct trm_session_cb session_cb = {0};
	struct trm_sandbox_opts opts;
	struct trm_session_opts session_opts;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_loop *loop;
	const struct trm_lang *lang;
	struct trm_error e = {0};
	bool good = false;
	trm_sandbox_opts_default(&opts);
	trm_session_opts_default(&session_opts);
	*t = (struct lang_trip){0};
	snprintf(t->why, sizeof t->why, "there is no such language");
	if (trm_lang_find(name, &lang, &e) < 0 || trm_loop_create(&loop, &e) < 0)
		return false;
	if (trm_sandbox_open(loop, &opts, &sandbox_cb, t, &sandbox, &e) == 0) {
		if (trm_session_open(sandbox, &session_opts, &session_cb, NULL, &session, &e) == 0) {
			good = !first || run_once(loop, session, lang, first, t);
			for (int i = 0; good && i < n + 2; i++) {
				uint64_t start_ns = now_ns();
				good = run_once(loop, session, lang, code, t);
				if (i >= 2)
					samples_add(s, ms_since(start_ns));
			}
			trm_session_close(session);
		}
		trm_sandbox_close(sandbox);
		while (!t->is_closed)
			trm_loop_step(loop, -1);
	}
	trm_loop_destroy(loop);
	return good;
}

/* ---- a tool's own prompt over a pipe ---- */

/* Read until the answer has come. */
static bool await_answer(int fd, const char *answer)
{
	char text[4096];
	size_t n = 0;
	while (n < sizeof text - 1) {
		ssize_t got = read(fd, text + n, sizeof text - 1 - n);
		if (got <= 0)
			return false;
		n += (size_t)got;
		text[n] = '\0';
		if (strstr(text, answer))
			return true;
	}
	return false;
}

static bool measure_tool(
		const char *const *argv, const char *line, const char *answer, int n, struct samples *s)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	pid_t pid;
	if (pipe(in) < 0 || pipe(out) < 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
	for (int i = 0; i < 2; i++) {
		posix_spawn_file_actions_addclose(&actions, in[i]);
		posix_spawn_file_actions_addclose(&actions, out[i]);
	}
	bool good = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv,
				    (char *const *)bench_env())
		    == 0;
	bool has_started = good;
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	for (int i = 0; good && i < n + 2; i++) {
		uint64_t start_ns = now_ns();
		good = write(in[1], line, strlen(line)) == (ssize_t)strlen(line)
		       && await_answer(out[0], answer);
		if (i >= 2)
			samples_add(s, ms_since(start_ns));
	}
	close(in[1]);
	close(out[0]);
	if (has_started) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return good;
}

static const struct {
	const char *lang, *code; /* ours */
	const char *tool[WORDS]; /* its own prompt */
	const char *line, *answer;
	double target; /* 0: the group `warm` has the bound */
} prompts[] = {
		{"python", "1+1", {"/usr/bin/python3", "-q", "-i"}, "1+1\n", "2\n", 0},
		{"javascript", "1+1", {"/usr/bin/node", "-i"}, "1+1\n", "2\n", 0},
		{"bash", "echo $((1+1))", {"/usr/bin/bash"}, "echo $((1+1))\n", "2\n", 0},
		{"ruby", "1+1", {"/usr/bin/irb", "-f", "--noprompt", "--nomultiline", "--nocolorize"},
				"1+1\n", "2\n", 3},
		{"r", "1+1", {"/usr/bin/R", "--no-echo", "--no-save", "--no-restore"}, "1+1\n", "2\n", 3},
		{"java", "1+1", {"/usr/bin/jshell", "-s", "-"}, "System.out.println(1+1)\n", "2\n", 1.3},
};

static void bench_prompt(size_t i)
{
	struct samples ours = {0}, tool = {0};
	struct lang_trip t;
	char name[60];
	snprintf(name, sizeof name, "warm 1+1, %s", prompts[i].lang);
	if (!program_exists(prompts[i].tool[0]))
		report_missing(name, "the tool is not installed");
	else if (!measure_tool(prompts[i].tool, prompts[i].line, prompts[i].answer, TRIPS, &tool))
		report_missing(name, "the tool gave no answer");
	else if (!measure_runs(prompts[i].lang, NULL, prompts[i].code, TRIPS, &ours, &t))
		report_missing(name, t.why);
	else if (prompts[i].target > 0)
		report(name, samples_at(&ours, 0.5), "ms", samples_at(&tool, 0.5), prompts[i].target);
	else
		report_beside(name, samples_at(&ours, 0.5), "ms");
	samples_free(&ours);
	samples_free(&tool);
}

/* ---- pieces that are compiled ---- */

static const struct {
	const char *lang, *first, *code;
	double target_ms;
} pieces[] = {
		{"c", "int x = 1;", "printf(\"%d\\n\", x);", 200},
		{"cpp", "#include <iostream>\n#include <vector>\n#include <map>\nint x = 1;",
				"std::cout << x << std::endl;", 200},
		{"go", "import \"fmt\"\nx := 1", "fmt.Println(x)", 300},
};

static void bench_piece(size_t i)
{
	struct samples ours = {0};
	struct lang_trip t;
	char name[60];
	snprintf(name, sizeof name, "a piece that prints, %s", pieces[i].lang);
	if (measure_runs(pieces[i].lang, pieces[i].first, pieces[i].code, TRIPS_COMPILED, &ours, &t))
		report(name, samples_at(&ours, 0.5), "ms", 0, pieces[i].target_ms);
	else
		report_missing(name, t.why);
	samples_free(&ours);
}

/* ---- whole programs ---- */

static const struct {
	const char *lang, *ending, *code, *command;
} programs[] = {
		{"c", "c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n",
				"gcc -O1 -g -I. -o out p.c -lm && ./out"},
		{"cpp", "cpp", "#include <iostream>\nint main() { std::cout << \"hello\\n\"; }\n",
				"g++ -std=c++17 -O1 -g -I. -o out p.cpp && ./out"},
		{"go", "go", "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"hello\") }\n",
				"PATH=$PATH:/usr/local/go/bin go build -o out p.go && ./out && rm out"},
};

/* The same commands, without a sandbox; the first two warm the caches. */
static bool measure_compiler(size_t i, struct samples *s)
{
	char folder[] = "/tmp/terrarium-bench-lang-XXXXXX", path[200], command[600];
	if (!mkdtemp(folder))
		return false;
	snprintf(path, sizeof path, "%s/p.%s", folder, programs[i].ending);
	FILE *f = fopen(path, "w");
	bool good = f && fputs(programs[i].code, f) >= 0 && fclose(f) == 0;
	snprintf(command, sizeof command, "cd %s && %s", folder, programs[i].command);
	for (int k = 0; good && k < TRIPS_COMPILED + 2; k++) {
		double ms = spawn_ms((const char *const[]){"/bin/sh", "-c", command, NULL}, true);
		good = ms >= 0;
		if (good && k >= 2)
			samples_add(s, ms);
	}
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) == 0 && good;
}

static void bench_program(size_t i)
{
	struct samples ours = {0}, theirs = {0};
	struct lang_trip t;
	char name[60];
	snprintf(name, sizeof name, "a whole program, %s", programs[i].lang);
	if (!measure_compiler(i, &theirs))
		report_missing(name, "the compiler is not installed");
	else if (!measure_runs(programs[i].lang, NULL, programs[i].code, TRIPS_COMPILED, &ours, &t))
		report_missing(name, t.why);
	else
		report(name, samples_at(&ours, 0.5), "ms", samples_at(&theirs, 0.5), 1.2);
	samples_free(&ours);
	samples_free(&theirs);
}

/* ---- the first result of a new sandbox ---- */

static const struct {
	const char *lang, *code, *command; /* what the tool does for the same result */
	bool is_prepared;                  /* by terrarium langs --prepare */
} starts[] = {
		{"python", "print(1)", "python3 -c 'print(1)'", false},
		{"javascript", "console.log(1)", "node -e 'console.log(1)'", false},
		{"bash", "echo 1", "bash -c 'echo 1'", false},
		{"ruby", "puts 1", "ruby -e 'puts 1'", false},
		{"r", "cat(1)", "R --no-echo --no-save --no-restore -e 'cat(1)'", false},
		{"java", "System.out.println(1)", "echo 'System.out.println(1)' | jshell -s -", true},
		{"c", "printf(\"1\\n\");",
				"cd /tmp && echo '#include <stdio.h>\nint main(void) { puts(\"1\"); }' >p.c && gcc -O1 -g -o p p.c && ./p",
				true},
		{"cpp", "std::cout << 1 << std::endl;",
				"cd /tmp && echo '#include <iostream>\nint main() { std::cout << 1 << std::endl; }' >p.cpp && "
				"g++ -std=c++17 -O1 -g -o p p.cpp && ./p",
				true},
};

/* `is_before`: of those that are prepared, without it. */
static void bench_start(size_t i, bool is_before)
{
	const char *ours[] = {
			BENCH_PROGRAM, "run", "--yes", "-l", starts[i].lang, "-c", starts[i].code, NULL};
	const char *theirs[] = {"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc",
			"--dev", "/dev", "--tmpfs", "/tmp", "/bin/sh", "-c", starts[i].command, NULL};
	struct samples a = {0}, b = {0};
	char name[60];
	bool good = true;
	snprintf(name, sizeof name, "first result, %s%s", starts[i].lang, is_before ? ", not prepared" : "");
	for (int k = 0; good && k < COLD_TRIPS; k++) {
		double x = spawn_ms(ours, true), y = spawn_ms(theirs, true);
		good = x >= 0 && y >= 0;
		samples_add(&a, x);
		samples_add(&b, y);
	}
	if (good && is_before)
		report_beside(name, samples_at(&a, 0.5), "ms");
	else if (good)
		report(name, samples_at(&a, 0.5), "ms", samples_at(&b, 0.5), 1.5);
	else
		report_missing(name, "the language is not installed, or a run failed");
	samples_free(&a);
	samples_free(&b);
}

/* A cache of the bench's own, where sandboxes of root can reach it. */
static bool prepare(char *folder)
{
	const char *argv[] = {BENCH_PROGRAM, "langs", "--prepare", "all", NULL};
	return mkdtemp(folder) && chmod(folder, 0755) == 0 && setenv("XDG_CACHE_HOME", folder, 1) == 0
	       && spawn_ms(argv, true) >= 0;
}

void bench_lang(void)
{
	char folder[] = "/var/tmp/terrarium-bench-XXXXXX", command[80];
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (starts[i].is_prepared)
			bench_start(i, true);
	if (!prepare(folder))
		report_missing("what is prepared", "terrarium langs --prepare all has failed");
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
		bench_prompt(i);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		bench_piece(i);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		bench_program(i);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		bench_start(i, false);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0)
		fprintf(stderr, "bench: %s is left\n", folder);
}
