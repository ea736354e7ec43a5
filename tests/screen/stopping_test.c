/* SPDX-License-Identifier: MIT */
/* The interrupt ladder on the screen: a clock that counts down, is held, and is skipped. */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};

static const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor",
		"XDG_CONFIG_HOME=/nonexistent", NULL};

static void start(const char *grace, const char *terminate_grace)
{
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", "--grace", grace,
			"--terminate-grace", terminate_grace, NULL};

	screen_start(&s, 24, 80, argv, env);
	screen_wait(&s, "idle");
	screen_send(&s, "set x 1");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
	/* The kernel is asked for its variables when it has been idle for a moment. */
	screen_send(&s, "\033v");
	screen_wait(&s, "variables of python (1)");
	screen_send(&s, "\033v");
	screen_wait_gone(&s, "variables of python (1)");
	screen_send(&s, "\x01"
			"immortal");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "running");
	screen_wait(&s, "^C Interrupt");
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

static void the_clock_counts_down(void **state)
{
	(void)state;
	start("1.5", "1");
	screen_send(&s, "\x03");
	screen_wait(&s, "SIGTERM in 1.");
	screen_wait(&s, " s, then kill: at least 1 variable of python would be lost");
	assert_true(screen_shows(&s, "^C Terminate"));
	screen_wait(&s, "SIGTERM in 0.");
	screen_wait(&s, "SIGTERM sent, kill in 0.");
	screen_wait(&s, " s: at least 1 variable of python would be lost");
	assert_true(screen_shows(&s, "terminating"));
	assert_true(screen_shows(&s, "^C Kill"));
	screen_wait(&s, "python was restarted");
	screen_wait(&s, "● idle");
	leave();
}

static void a_key_holds_it_and_another_skips(void **state)
{
	(void)state;
	start("60", "60");
	screen_send(&s, "\x03");
	screen_wait(&s, "Esc Wait");
	screen_send(&s, "\033");
	screen_wait(&s, "countdown paused");
	assert_true(screen_shows(&s, "Esc Resume"));
	screen_send(&s, "\033");
	screen_wait(&s, "SIGTERM in 59.");
	screen_send(&s, "\x03");
	screen_wait(&s, "SIGTERM sent, kill in 59.");
	screen_send(&s, "\x03");
	screen_wait(&s, "python was restarted");
	leave();
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(the_clock_counts_down),
			TEST(a_key_holds_it_and_another_skips),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
