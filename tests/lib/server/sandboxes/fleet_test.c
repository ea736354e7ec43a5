/* SPDX-License-Identifier: MIT */
/* The fleet on the fake backend, whose outcomes do not vary. */
#include "cmocka_all.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "server/sandboxes/fleet.h"
#include "support/bed.h"

static struct trm_loop *loop;
static struct fleet *fleet;
static char dir[64];
static char story[1024]; /* what was answered, in order */
static unsigned n_answers;
static bool is_closed;

static void on_answer(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	size_t n = strlen(story);
	(void)served, (void)note;
	snprintf(story + n, sizeof story - n, "%s%s ", (const char *)user, why->code ? "!" : "");
	n_answers++;
}

/* The use ends at once. */
static void on_use(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	on_answer(user, served, why, note);
	if (!why->code)
		served_unuse(served);
}

static void on_closed(void *user)
{
	(void)user;
	is_closed = true;
}

static void turn_until(bool (*holds)(void))
{
	double end = bed_now_ms() + 20000;
	while (!holds() && bed_now_ms() < end)
		trm_loop_step(loop, 50);
	assert_true(holds());
}

static unsigned wanted;

static bool are_answered(void)
{
	return n_answers >= wanted;
}

static void answers(unsigned n, const char *expected)
{
	wanted = n;
	turn_until(are_answered);
	assert_string_equal(story, expected);
	story[0] = '\0';
	n_answers = 0;
}

static bool has_closed(void)
{
	return is_closed;
}

static void open_with(struct fleet_opts opts)
{
	struct trm_error why = {0};
	opts.dir = dir;
	opts.backend = "fake";
	trm_limits_default(&opts.limits);
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	if (fleet_open(loop, &opts, &fleet, &why) < 0)
		fail_msg("%s", why.msg);
	is_closed = false;
	story[0] = '\0';
	n_answers = 0;
}

static void close_all(void)
{
	fleet_close(fleet, on_closed, NULL);
	turn_until(has_closed);
	trm_loop_destroy(loop);
}

static void start(const char *space, const char *name, const char *config, const char *what)
{
	cJSON *json = config ? cJSON_Parse(config) : NULL;
	fleet_start(fleet, space, name, json, on_answer, (void *)what);
	cJSON_Delete(json);
}

static void stop(const char *name, const char *what)
{
	fleet_stop(fleet, "default", name, on_answer, (void *)what);
}

static void use(const char *space, const char *name, fleet_done_fn *fn, const char *what)
{
	fleet_use(fleet, space, name, fn, (void *)what);
}

#define PYTHON "{\"image\":\"microsandbox/python\"}"

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/fleet-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command);
}

static void requests_wait_for_what_is_under_way(void **state)
{
	struct served *served;
	(void)state;
	open_with((struct fleet_opts){0});
	start("default", "a", PYTHON, "start");
	use("default", "a", on_use, "use");
	stop("a", "stop");
	use("default", "a", on_use, "late");
	start("default", "a", NULL, "again");
	use("default", "a", on_use, "use2");
	assert_int_equal(n_answers, 0);
	assert_int_equal(fleet_find(fleet, "default", "a", &served, NULL), 0);
	assert_int_equal(served->state, SERVED_STARTING);
	answers(6, "start use stop late! again use2 ");
	assert_int_equal(served->state, SERVED_RUNNING);
	start("default", "a", "{\"image\":\"no/such\"}", "noop");
	answers(1, "noop "); /* it runs, and is left as it is */
	assert_int_equal(fleet_running(fleet), 1);
	close_all();
}

static void a_use_that_waits_can_be_given_up(void **state)
{
	char one[] = "one", two[] = "two", three[] = "three";
	(void)state;
	open_with((struct fleet_opts){0});
	start("default", "a", PYTHON, "start");
	use("default", "a", on_use, one);
	use("default", "a", on_use, two);
	fleet_use_cancel(fleet, "default", "a", two);
	fleet_use_cancel(fleet, "default", "b", two);
	assert_string_equal(story, "two! ");
	use("default", "a", on_use, three);
	answers(4, "two! start one three ");
	close_all();
}

static void what_cannot_be_is_refused(void **state)
{
	struct served *served;
	(void)state;
	open_with((struct fleet_opts){.max_sandboxes = 1});
	start("default", "a", NULL, "unknown");
	start("default", "a", "{\"memory\":64}", "no-image");
	start("default", "a", "{\"image\":\"no/such\"}", "bad-image");
	stop("a", "stop");
	use("nowhere", "a", on_use, "use");
	answers(5, "unknown! no-image! bad-image! stop! use! ");
	assert_int_equal(fleet_find(fleet, "default", "a", &served, NULL), TRM_ENOENT);
	assert_int_equal(fleet_find(fleet, "nowhere", "a", &served, NULL), TRM_EINVAL);
	start("default", "a", PYTHON, "a");
	start("default", "b", PYTHON, "b");
	answers(2, "b! a ");
	stop("a", "stop");
	stop("a", "stop");
	answers(2, "stop stop ");
	start("default", "b", PYTHON, "b");
	answers(1, "b ");
	close_all();
}

static void a_bad_config_does_not_replace_the_old(void **state)
{
	(void)state;
	open_with((struct fleet_opts){0});
	start("default", "a", PYTHON, "start");
	stop("a", "stop");
	answers(2, "start stop ");
	start("default", "a", "{\"image\":\"no/such\"}", "bad");
	start("default", "a", NULL, "old");
	answers(2, "bad! old ");
	close_all();
}

static bool is_idle_stopped(void)
{
	return fleet_running(fleet) == 0;
}

static void the_idle_are_stopped(void **state)
{
	struct served *served;
	(void)state;
	open_with((struct fleet_opts){.idle_timeout_ms = 30});
	start("default", "a", PYTHON, "start");
	use("default", "a", on_answer, "use"); /* and goes on */
	answers(2, "start use ");
	double end = bed_now_ms() + 100;
	while (bed_now_ms() < end)
		trm_loop_step(loop, 10);
	assert_int_equal(fleet_find(fleet, "default", "a", &served, NULL), 0);
	assert_int_equal(served->state, SERVED_RUNNING);
	served_unuse(served);
	turn_until(is_idle_stopped);
	assert_non_null(strstr(served->why.msg, "idle for 0.03 s"));
	start("default", "a", NULL, "start");
	answers(1, "start ");
	assert_int_equal(served->why.code, TRM_OK);
	close_all();
}

static void the_next_server_remembers(void **state)
{
	struct served *served;
	(void)state;
	open_with((struct fleet_opts){0});
	start("default", "a", PYTHON, "a");
	start("team-1", "b", "{\"image\":\"terrarium/all\",\"memory\":64,\"unknown\":1,\"envs\":null}", "b");
	answers(2, "a b ");
	close_all();
	open_with((struct fleet_opts){0});
	assert_int_equal(fleet_find(fleet, "team-1", "b", &served, NULL), 0);
	assert_int_equal(served->state, SERVED_STOPPED);
	char *config = cJSON_PrintUnformatted(served->config);
	assert_string_equal(config, "{\"image\":\"terrarium/all\",\"memory\":64}");
	cJSON_free(config);
	start("team-1", "b", NULL, "b");
	answers(1, "b ");
	close_all();
}

static void stopped_ones_without_files_are_forgotten_in_the_end(void **state)
{
	enum { MANY = 300 };
	struct served *served;
	char name[16];
	(void)state;
	open_with((struct fleet_opts){0});
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "s%d", i);
		start("default", name, PYTHON, "");
		stop(name, "");
		wanted = 2;
		turn_until(are_answered);
		n_answers = 0;
		story[0] = '\0';
	}
	assert_int_equal(fleet_find(fleet, "default", "s0", &served, NULL), TRM_ENOENT);
	assert_int_equal(fleet_find(fleet, "default", "s299", &served, NULL), 0);
	close_all();
}

static void the_end_waits_for_all(void **state)
{
	(void)state;
	open_with((struct fleet_opts){0});
	start("default", "a", PYTHON, "a");
	answers(1, "a ");
	start("default", "b", PYTHON, "b");
	use("default", "b", on_use, "use");
	fleet_close(fleet, on_closed, NULL);
	turn_until(has_closed);
	assert_string_equal(story, "b use! ");
	trm_loop_destroy(loop);
}

static void a_folder_open_to_others_is_refused(void **state)
{
	char command[128];
	struct trm_error why = {0};
	const struct fleet_opts opts = {.dir = dir, .backend = "fake"};
	(void)state;
	snprintf(command, sizeof command, "chmod 777 '%s'", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	assert_int_equal(fleet_open(loop, &opts, &fleet, &why), TRM_EPERM);
	trm_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					requests_wait_for_what_is_under_way, set_up, tear_down),
			cmocka_unit_test_setup_teardown(a_use_that_waits_can_be_given_up, set_up, tear_down),
			cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, set_up, tear_down),
			cmocka_unit_test_setup_teardown(
					a_bad_config_does_not_replace_the_old, set_up, tear_down),
			cmocka_unit_test_setup_teardown(the_idle_are_stopped, set_up, tear_down),
			cmocka_unit_test_setup_teardown(the_next_server_remembers, set_up, tear_down),
			cmocka_unit_test_setup_teardown(stopped_ones_without_files_are_forgotten_in_the_end,
					set_up, tear_down),
			cmocka_unit_test_setup_teardown(the_end_waits_for_all, set_up, tear_down),
			cmocka_unit_test_setup_teardown(
					a_folder_open_to_others_is_refused, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
