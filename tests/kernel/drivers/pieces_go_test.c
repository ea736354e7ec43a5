/* SPDX-License-Identifier: MIT */
/* Pieces of Go: what is carried over, and what cannot be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "kernel/drivers/harness.h"

static struct driver *driver;

static int start(void **state)
{
	const struct trm_lang *lang;
	(void)state;
	char cache[4096];
	snprintf(cache, sizeof cache, "%s/.cache/go-build", getenv("HOME") ? getenv("HOME") : "/tmp");
	setenv("GOCACHE", cache, 0);
	setenv("GOTELEMETRY", "off", 1);
	/* The first one to use a package compiles it, which may take longer than a test waits. */
	if (system("PATH=$PATH:/usr/local/go/bin go build fmt net/http os/signal >/dev/null 2>&1")) {
		print_message("SKIP: go is not installed\n");
		exit(77);
	}
	if (trm_lang_find("go", &lang, NULL) < 0)
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

static void values_of_go_are_shown(void **state)
{
	static const struct {
		const char *code, *value;
	} samples[] = {{"6 * 7", "42"}, {"1 < 2", "true"}, {"\"a\\n\"", "\"a\\n\""}, {"0.1", "0.1"},
			{"[]int{1, 2}", "[]int{1, 2}"}, {"import \"strconv\"\nstrconv.Atoi(\"7\")", "7, nil"},
			{"import \"time\"\n90 * time.Second", "1m30s"},
			{"import \"errors\"\nerrors.New(\"no\")", "no"},
			{"type pair struct{ a, b int }\npair{1, 2}", "pair{a:1, b:2}"},
			{"import \"fmt\"\nfunc nothing() { _ = fmt.Sprint() }\nnothing()", NULL},
			{"i := 3\ni += 2\ni", "5"}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		check_value(driver, samples[i].code, samples[i].value);
}

static void declarations_of_go_stay(void **state)
{
	(void)state;
	check_run(driver,
			"import (\n\t\"fmt\"\n\t\"strings\"\n)\n"
			"type point struct {\n\tx, y int\n}\n\nfunc (p *point) move(by int) { p.x += by }\n"
			"type list[T any] struct {\n\titems []T\n}\n"
			"const (\n\tred = iota\n\tgreen\n)\nvar (\n\tcount int\n\tname  = \"n\"\n)\n"
			"func twice(n int) int { return 2 * n }\n"
			"where := point{1, 2}\nwords := map[string][]int{\"a\": {1}}\nvar limit float64 = 3\n"
			"add := func(a, b int) int { return a + b }\nbuilder := &strings.Builder{}\n"
			"fmt.Println(\"begun\")",
			"ok", "begun\n");
	check_run(driver,
			"where.move(twice(4))\nwords[\"b\"] = append(words[\"b\"], green)\ncount++\nbuilder.WriteString(\"xy\")",
			"ok", "");
	check_value(driver, "add(where.x, count)", "10");
	check_value(driver, "fmt.Sprint(words, limit, name, builder.String(), list[int]{[]int{1}})",
			"\"map[a:[1] b:[1]] 3nxy{[1]}\"");
}

/* As soon as the packages are known. `go build` would write down how it has built the program. */
static void go_pieces_soon_need_no_go_build(void **state)
{
	static const char code[] =
			"import (\"os\"; \"runtime/debug\")\nfunc init() {\n"
			"\tif _, is := debug.ReadBuildInfo(); !is { os.WriteFile(\"%s\", nil, 0o600) }\n}";
	char text[400], mark[] = "/tmp/terrarium-test-go-XXXXXX";
	(void)state;
	int fd = mkstemp(mark);
	assert_true(fd >= 0);
	close(fd);
	unlink(mark);
	snprintf(text, sizeof text, code, mark);
	for (int i = 0; i < 100 && access(mark, F_OK) < 0; i++)
		check_run(driver, text, "ok", "");
	assert_int_equal(access(mark, F_OK), 0);
	unlink(mark);
	check_run(driver, "carried := map[string]int{\"a\": 1}", "ok", "");
	check_value(driver, "carried", "map[string]int{\"a\":1}");
}

static void what_is_shared_stays_shared(void **state)
{
	(void)state;
	check_run(driver,
			"type node struct {\n\tv    int\n\tnext *node\n}\n"
			"ring := &node{v: 1}\nring.next = &node{2, ring}\nsquares := []int{1, 4, 9, 16}\nmiddle := squares[1:3]\n"
			"number, shape := 5, &[]int{7}\nat := &number\nfield := &ring.next.v\nvar any1 interface{} = ring\n"
			"counts := map[string]int{\"z\": 1}\nsame := counts",
			"ok", "");
	check_run(driver, "middle[0] = 40\n*at = 6\n*field = 20\nsame[\"y\"] = 2\nany1.(*node).v = 10", "ok",
			"");
	check_value(driver, "ring.next.next == ring && squares[1] == 40 && number == 6 && len(counts) == 2",
			"true");
	check_value(driver, "ring.v*100 + ring.next.v", "1020");
	check_value(driver, "cap(middle)", "3");
}

static void errors_of_packages_stay_the_same(void **state)
{
	(void)state;
	check_run(driver,
			"import (\n\t\"errors\"\n\t\"io\"\n\t\"os\"\n)\nend := io.EOF\nmine := errors.New(\"mine\")\nother := mine\n"
			"_, failed := os.Open(\"/nowhere\")",
			"ok", "");
	check_value(driver, "end == io.EOF && mine == other && errors.Is(failed, os.ErrNotExist)", "true");
}

static void no_piece_of_go_runs_again(void **state)
{
	(void)state;
	check_run(driver,
			"import \"os\"\nlog, err := os.ReadFile(\"none\")\nfile, err := os.OpenFile(\"go.log\", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n"
			"file.WriteString(\"line\\n\")\nfile.Close()\nfile = nil\nerr = nil",
			"ok", "");
	check_value(driver, "len(log)", "0");
	check_value(driver, "err", "nil");
	check_run(driver, "log, _ = os.ReadFile(\"go.log\")", "ok", "");
	check_value(driver, "string(log)", "\"line\\n\"");
}

static void a_name_of_go_can_be_declared_anew(void **state)
{
	(void)state;
	check_run(driver, "again := 1\ntype shape struct{ a int }\nold := shape{1}", "ok", "");
	check_value(driver, "again := \"text\"\nagain", "\"text\"");
	check_error(driver, "type shape struct{ a, b int }", "NotCarriedOver");
	check_value(driver, "old.a", "1");
	check_value(driver, "type shape struct{ a, b int }\nold := shape{1, 2}\nold.b", "2");
	check_value(driver, "old.b", "2");
	check_error(driver, "dup := 1\nvar dup = 2", "CompileError");
}

static void what_cannot_stay_is_an_error(void **state)
{
	static const struct {
		const char *code, *message;
	} ends[] = {{"pipe := make(chan int)", "pipe is a channel"},
			{"import \"os\"\nopened, _ := os.Open(\"/dev/null\")", "opened is an open file"},
			{"go func() { select {} }()", "goroutine"},
			{"n := 1\nstep := func() func() { return func() { n++ } }()", "step is a function"},
			{"import \"net/http\"\nclient := http.DefaultClient", "client"},
			{"import \"os\"\narguments := &os.Args", "a variable of a package"}};
	(void)state;
	check_run(driver, "steady := 42", "ok", "");
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char code[400];
		snprintf(code, sizeof code, "%s\nsteady = 1", ends[i].code);
		check_error(driver, code, "NotCarriedOver");
		assert_contains(driver_traceback(driver), ends[i].message);
		check_value(driver, "steady", "42");
	}
}

static void a_bad_end_costs_one_piece_of_go(void **state)
{
	(void)state;
	check_run(driver, "kept := 42", "ok", "");
	check_error(driver, "kept = 1\nfunc fails(m map[string]int) {\n\tm[\"a\"] = 1\n}\nfails(nil)",
			"panic");
	assert_contains(driver_traceback(driver), "assignment to entry in nil map");
	assert_contains(driver_traceback(driver), "at fails (");
	assert_contains(driver_traceback(driver), ":3");
	check_value(driver, "kept", "42");
	driver_run(driver, "import \"os\"\nkept = 1\nos.Exit(4)");
	assert_int_equal(cJSON_GetObjectItem(driver->done, "exit_code")->valueint, 4);
	check_value(driver, "kept", "42");
	driver_send(driver,
			"import (\n\t\"fmt\"\n\t\"os\"\n\t\"os/signal\"\n)\nsignal.Ignore(os.Interrupt)\nkept = 1\nfmt.Println(\"going\")\nfor {\n}");
	driver_wait_text(driver, 2 * driver->set, "going");
	driver_interrupt(driver);
	driver_wait(driver);
	assert_string_equal(driver_text_of(driver, "status"), "interrupted");
	check_value(driver, "kept", "42");
}

static void errors_of_go_have_their_place(void **state)
{
	(void)state;
	check_error(driver, "fine := 1\nfine + unheard", "CompileError");
	assert_contains(driver_traceback(driver), ":2:8: undefined: unheard");
	assert_lacks(driver_traceback(driver), "/tmp/");
	check_error(driver, "fine", "CompileError");
}

static void variables_of_go_are_known(void **state)
{
	(void)state;
	check_run(driver, "known := []string{\"a\"}", "ok", "");
	const cJSON *data = driver_ask(driver, "inspect", "known", 2);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "type")), "[]string");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "value")), "[]string{\"a\"}");
	data = driver_ask(driver, "complete", "kno", -1);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(data, "matches")), 1);
	check_run(driver, "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"whole\") }", "ok",
			"whole\n");
	driver_ask(driver, "reset", "", 0);
	check_error(driver, "known", "CompileError");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(values_of_go_are_shown),
			cmocka_unit_test(declarations_of_go_stay),
			cmocka_unit_test(go_pieces_soon_need_no_go_build),
			cmocka_unit_test(what_is_shared_stays_shared),
			cmocka_unit_test(errors_of_packages_stay_the_same),
			cmocka_unit_test(no_piece_of_go_runs_again),
			cmocka_unit_test(a_name_of_go_can_be_declared_anew),
			cmocka_unit_test(what_cannot_stay_is_an_error),
			cmocka_unit_test(a_bad_end_costs_one_piece_of_go),
			cmocka_unit_test(errors_of_go_have_their_place),
			cmocka_unit_test(variables_of_go_are_known),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
