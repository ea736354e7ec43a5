/* SPDX-License-Identifier: MIT */
#include "fault/walk.h"

#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "fault/alloc.h"

enum { MOST = 50000, ALL_OF = 600, STRIDE = 37, DEADLINE_MS = 60000, DEADLINE_S = 100 };

static const char *path_name;
static unsigned refused; /* which one, for messages */

/* Calls that wait by themselves do not come back to be asked. */
static void on_alarm(int signo)
{
	static const char words[] = "it hangs; refused was, at:\n";
	(void)signo;
	(void)!write(2, path_name, strlen(path_name));
	(void)!write(2, ": ", 2);
	(void)!write(2, words, sizeof words - 1);
	alloc_tell();
	_exit(1);
}

void walk_begin(void)
{
	signal(SIGALRM, on_alarm);
	cJSON_Hooks hooks = {.malloc_fn = malloc, .free_fn = free}; /* those of the linker's --wrap */
	cJSON_InitHooks(&hooks);
	alloc_spare_tree_sitter();
}

void walk_fail(const char *format, ...)
{
	char text[600];
	va_list args;
	va_start(args, format);
	alloc_relent();
	alloc_tell();
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fail_msg("%s: refusal %u: %s", path_name, refused, text);
}

/* Even where nothing is known of how far it got: no refusal is passed over in silence. */
static int walk(path_fn *path, unsigned nth, bool ever_after, bool *ret_refused)
{
	refused = nth;
	size_t before = alloc_living();
	alloc_mark();
	alarm(DEADLINE_S);
	alloc_refuse(nth, ever_after);
	int r = path();
	*ret_refused = alloc_relent();
	if (alloc_living() != before) {
		alloc_tell_living();
		fputs("refused at:\n", stderr);
		walk_fail("%zu pieces are left%s", alloc_living() - before,
				ever_after ? ", as all after it are refused too" : "");
	}
	return r;
}

unsigned walk_all(path_fn *path, const char *name)
{
	bool is_refused = true;
	unsigned n = 0;
	path_name = name;
	refused = 0;
	assert_int_equal(path(), 0); /* what is loaded once and kept is there now */
	assert_int_equal(path(), 0);
	while (is_refused && n < MOST) {
		n += n < ALL_OF ? 1 : STRIDE; /* what is read from long lists is alike */
		int r = walk(path, n, false, &is_refused);
		if (!is_refused)
			assert_int_equal(r, 0);
		walk(path, n, true, &is_refused);
	}
	assert_true(n < MOST);
	printf("%s: %u allocations or a few less\n", name, n - 1);
	fflush(stdout);
	alarm(0);
	return n - 1;
}

int reported(int r, const struct trm_error *why)
{
	if (r < 0 && refused == 0)
		walk_fail("%s", why->msg);
	if (r < 0 && (why->code != r || !why->msg[0]))
		walk_fail("code %d, told as %d \"%s\"", r, why->code, why->msg);
	return r;
}

int want_nomem(int r)
{
	if (r != 0 && r != TRM_ENOMEM)
		walk_fail("code %d (%s)", r, trm_strerror(r));
	return r;
}

void walk_until(struct trm_loop *loop, const bool *flag, const bool *other)
{
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (!*flag && !(other && *other)) {
		int r = trm_loop_step(loop, 100);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (r < 0 || (now.tv_sec - start.tv_sec) * 1000 > DEADLINE_MS)
			walk_fail("it hangs (%d)", r);
	}
}
