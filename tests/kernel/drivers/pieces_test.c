/* SPDX-License-Identifier: MIT */
/* Pieces of C++: what stays, what a bad end costs, and how values are shown. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "kernel/drivers/harness.h"

static struct driver *driver;

static int start(void **state)
{
	const struct trm_lang *lang;
	(void)state;
	if (access("/usr/bin/g++", X_OK)) {
		print_message("SKIP: g++ is not installed\n");
		exit(77);
	}
	if (trm_lang_find("cpp", &lang, NULL) < 0)
		return -1;
	driver = driver_start(lang->index);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	driver_stop(driver);
	return 0;
}

static void values_are_shown(void **state)
{
	static const struct {
		const char *code, *value;
	} samples[] = {{"1 < 2", "true"}, {"'a'", "'a'"}, {"\"a\\n\\\"\"", "\"a\\n\\\"\""}, {"0.1", "0.1"},
			{"2.0", "2.0"}, {"std::string(\"s\")", "\"s\""},
			{"#include <map>\n#include <vector>\nstd::map<int, std::vector<char>>{{1, {'a', 'b'}}}",
					"{{1, {'a', 'b'}}}"},
			{"std::make_tuple(1, \"b\", nullptr)", "{1, \"b\", nullptr}"},
			{"#include <optional>\nstd::optional<int>(3)", "3"},
			{"enum class E { a, b };\nE::b", "(E) 1"}, {"struct Bare {};\nBare()", "(Bare)"},
			{"static_cast<void>(0)", NULL}, {"std::cout", NULL}, {"1;", NULL},
			{"int i = 3;\ni += 2", "5"}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		check_value(driver, samples[i].code, samples[i].value);
}

static void declarations_of_all_kinds_stay(void **state)
{
	(void)state;
	check_run(driver,
			"#include <vector>\n#define TWICE(x) (2 * (x))\nusing ints = std::vector<int>;\n"
			"auto add = [&](int a, int b) { return a + b; };\nauto [one, two] = std::make_pair(1, 2);\n"
			"template <class T> T largest(T a, T b) { return a > b ? a : b; }\n"
			"namespace counted { int n = add(3, 4); }\nnamespace { int hidden = 5; }\n"
			"static int count() { static int calls = 0; return ++calls; }\n"
			"struct Node { int v; static int made; Node(int v); };\nint Node::made = 0;\n"
			"Node::Node(int v) : v{v} { made++; }\nconst int limit = 10;\nint list[3] = {1, 2, 3};\n"
			"int (*chosen)(int, int) = largest<int>;",
			"ok", "");
	check_value(driver, "count()", "1");
	check_value(driver, "ints{TWICE(add(1, 1)), one, two, largest(3, 2), counted::n, hidden, limit}",
			"{4, 1, 2, 3, 7, 5, 10}");
	check_run(driver, "Node node(9);\ntwo = 7;\ncounted::n++;", "ok", "");
	check_value(driver,
			"std::make_tuple(Node::made, node.v, two, counted::n, count(), list[2], chosen(4, 5))",
			"{1, 9, 7, 8, 2, 3, 5}");
	check_value(driver, "list", "{1, 2, 3}");
}

static void no_piece_runs_again(void **state)
{
	(void)state;
	check_run(driver,
			"#include <fstream>\nint opened = (std::ofstream(\"log\", std::ios::app) << \"line\\n\", 1);\n"
			"std::ofstream(\"log\", std::ios::app) << \"line\\n\";",
			"ok", "");
	for (int i = 0; i < 3; i++)
		check_value(driver, "opened", "1");
	check_value(driver,
			"#include <iterator>\n#include <algorithm>\nstd::ifstream log_file(\"log\");\n"
			"std::count(std::istreambuf_iterator<char>(log_file), {}, '\\n')",
			"2");
}

static void parts_run_in_the_order_of_the_text(void **state)
{
	(void)state;
	check_run(driver,
			"int first = 1;\nfirst += 4;\nint second = first * 2;\nfirst = 0;\nif (second == 10)\n\tfirst = 1;\nelse\n\tfirst = 2;",
			"ok", "");
	check_value(driver, "first * 100 + second", "110");
}

static void a_name_can_be_declared_anew(void **state)
{
	(void)state;
	check_run(driver, "int again = 1;\nint seen() { return again; }\nstruct Pair { int a; };", "ok", "");
	check_run(driver, "double again = 2.5;\nstruct Pair { int a, b; };", "ok", "");
	check_value(driver, "again", "2.5");
	check_value(driver, "seen()", "1");
	check_value(driver, "Pair{1, 2}.b", "2");
	check_run(driver,
			"#include <numeric>\nint seen() { return 7; }\nnamespace std { template <> struct hash<Pair> {}; }",
			"ok", "");
	check_value(driver, "seen()", "7");
	check_error(driver, "int dup = 1;\nint dup = 2;", "CompileError");
}

/* The value of `kept` after each end is that before the piece. */
static void a_bad_end_costs_one_piece(void **state)
{
	static const struct {
		const char *code, *name;
		int exit_code;
	} ends[] = {{"*(volatile int *)0 = 1;", "Segmentation fault", 139}, {"abort();", "Aborted", 134},
			{"throw std::string(\"no\");", "std::__cxx11::basic_string", -1},
			{"raise(SIGKILL);", "Killed", 137}, {"exit(0);", "", 0}, {"exit(4);", "", 4},
			{"volatile int zero = 0; { std::cout << 7 / zero; }", "Floating point exception",
					136}};
	char code[300];
	(void)state;
	check_run(driver, "#include <csignal>\n#include <cstdlib>\nint kept = 42;", "ok", "");
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(code, sizeof code, "kept = 1;\n%s", ends[i].code);
		driver_run(driver, code);
		const cJSON *error = cJSON_GetObjectItem(driver->done, "error");
		const cJSON *exit_code = cJSON_GetObjectItem(driver->done, "exit_code");
		if (*ends[i].name && !error)
			fail_msg("%s: no error, exit code %d", code, exit_code ? exit_code->valueint : -1);
		if (*ends[i].name)
			assert_contains(cJSON_GetStringValue(cJSON_GetObjectItem(error, "name")),
					ends[i].name);
		assert_int_equal(exit_code ? exit_code->valueint : -1, ends[i].exit_code);
		check_value(driver, "kept", "42");
	}
}

static void what_it_declares_is_gone_as_well(void **state)
{
	(void)state;
	check_error(driver, "int gone = 1;\nthrow 5;", "int");
	check_error(driver, "gone", "CompileError");
	check_value(driver, "int gone = 2;\ngone", "2");
}

static void threads_and_children_go_on(void **state)
{
	(void)state;
	check_run(driver,
			"#include <atomic>\n#include <thread>\n#include <unistd.h>\n#include <sys/wait.h>\n"
			"std::atomic<int> stage{0};\nstd::thread worker([] { while (stage != 1) usleep(1000); stage = 2; });\n"
			"pid_t child = fork();\nif (child == 0) _exit(6);",
			"ok", "");
	check_run(driver, "stage = 1;\nworker.join();\nint status;\nwaitpid(child, &status, 0);", "ok", "");
	check_value(driver, "stage * 10 + WEXITSTATUS(status)", "26");
}

static void lost_threads_are_reported(void **state)
{
	(void)state;
	check_run(driver,
			"#include <thread>\n#include <unistd.h>\nstd::thread endless([] { for (;;) pause(); });",
			"ok", "");
	driver_run(driver, "abort();");
	assert_contains(driver_traceback(driver), "1 thread of earlier pieces ended");
	check_run(driver, "endless.detach();", "ok", "");
}

static void code_that_waits_for_all_children_ends(void **state)
{
	(void)state;
	check_run(driver, "#include <sys/wait.h>\nwhile (wait(nullptr) > 0)\n\t;", "ok", "");
}

static void interrupts_cannot_be_ignored(void **state)
{
	(void)state;
	driver_send(driver,
			"#include <csignal>\n#include <unistd.h>\nsignal(SIGINT, SIG_IGN);\nstd::cout << \"going\" << std::endl;\nfor (;;) pause();");
	driver_wait_text(driver, 2 * driver->set, "going");
	driver_interrupt(driver);
	driver_wait(driver);
	assert_string_equal(driver_text_of(driver, "status"), "interrupted");
	check_value(driver, "1 + 1", "2");
}

static void programs_run_between_pieces(void **state)
{
	(void)state;
	check_run(driver, "int mine = 3;", "ok", "");
	check_run(driver, "#include <cstdio>\nint main() { std::puts(\"whole\"); }", "ok", "whole\n");
	check_value(driver, "mine", "3");
}

static void reset_forgets(void **state)
{
	(void)state;
	check_run(driver, "int forgotten = 3;", "ok", "");
	driver_ask(driver, "reset", "", 0);
	check_error(driver, "forgotten", "CompileError");
	check_value(driver, "int forgotten = 4;\nforgotten", "4");
}

/* Is there a file with that ending in the folder? */
static bool holds(const char *folder, const char *ending)
{
	DIR *dir = opendir(folder);
	bool has = false;
	assert_non_null(dir);
	for (struct dirent *one; !has && (one = readdir(dir));) {
		size_t n = strlen(one->d_name), len = strlen(ending);
		has = n > len && !strcmp(one->d_name + n - len, ending);
	}
	closedir(dir);
	return has;
}

static void includes_are_precompiled(void **state)
{
	char folder[200];
	time_t deadline = time(NULL) + 60;
	(void)state;
	driver_run(driver, "#include <list>\n__FILE__");
	snprintf(folder, sizeof folder, "%s", driver_text_of(driver, "value") + 1);
	*strrchr(folder, '/') = '\0';
	while (!holds(folder, ".gch") && time(NULL) < deadline)
		check_value(driver, "1 + 1", "2");
	assert_true(holds(folder, ".gch"));
	check_value(driver, "std::list<int>{1}", "{1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(values_are_shown),
			cmocka_unit_test(declarations_of_all_kinds_stay),
			cmocka_unit_test(no_piece_runs_again),
			cmocka_unit_test(parts_run_in_the_order_of_the_text),
			cmocka_unit_test(a_name_can_be_declared_anew),
			cmocka_unit_test(a_bad_end_costs_one_piece),
			cmocka_unit_test(what_it_declares_is_gone_as_well),
			cmocka_unit_test(threads_and_children_go_on),
			cmocka_unit_test(lost_threads_are_reported),
			cmocka_unit_test(code_that_waits_for_all_children_ends),
			cmocka_unit_test(interrupts_cannot_be_ignored),
			cmocka_unit_test(programs_run_between_pieces),
			cmocka_unit_test(reset_forgets),
			cmocka_unit_test(includes_are_precompiled),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
