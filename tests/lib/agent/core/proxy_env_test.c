/* SPDX-License-Identifier: MIT */
/* What the agent of a container is told of the host's network, and tells what it starts. */
#include "lib/agent/rig.h"

static void send_environ(struct link *link, char **env, char **names)
{
	struct buf payload;
	struct pack pack = {.to = &payload};
	buf_init(&payload, FRAME_MAX_PAYLOAD);
	pack_strv(&pack, (const char *const *)env);
	pack_strv(&pack, (const char *const *)names);
	assert_int_equal(pack.error, 0);
	link_send(link, 0, FRAME_ENVIRON, 0, buf_at(&payload), payload.len);
	buf_finish(&payload);
}

/* What a shell says, in *tape. */
static const char *ask(struct link *link, struct tape *tape, uint32_t stream, const char *command)
{
	tape_init(tape, stream);
	link_shell(link, stream, command, 0, BIG_WINDOW);
	assert_int_equal(link_exit(link, tape).exit_code, 0);
	return tape_text(tape, CHANNEL_STDOUT);
}

static void test_it_is_there_for_all_that_is_started(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig), other;
	struct tape tape;
	char path[256];
	link_send(&link, 0, FRAME_CERTS, 0, "first\n", 6);
	link_send(&link, 0, FRAME_CERTS, 0, "second\n", 7);
	send_environ(&link, STRV("TT_PROXY=http://x:1", "TT_ODD", "=odd", "PATH=/nowhere"),
			STRV("TT_CERT", "TT_OTHER", "HOME"));
	assert_string_equal(
			ask(&link, &tape, 1,
					"cat $TT_CERT; echo $TT_PROXY; [ $TT_CERT = $TT_OTHER ] && stat -c %a $TT_CERT "
					"${TT_CERT%/*}"),
			"first\nsecond\nhttp://x:1\n444\n700\n");
	tape_finish(&tape);
	/* For other clients as well; and what was set before it stays. */
	other = link_open(rig);
	snprintf(path, sizeof path, "%s", ask(&other, &tape, 1, "[ -d $HOME ] && printf %s $TT_CERT"));
	tape_finish(&tape);
	assert_int_equal(access(path, R_OK), 0);
	link_close(&other);
	/* The file goes with the agent. */
	link_pack(&link, 0, FRAME_SHUTDOWN, "");
	assert_int_equal(waitpid(rig->agent, NULL, 0), rig->agent);
	rig->agent = 0;
	assert_int_equal(access(path, F_OK), -1);
	*strrchr(path, '/') = '\0';
	assert_int_equal(access(path, F_OK), -1);
	link_close(&link);
}

static void test_without_certificates_no_variable_names_them(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	send_environ(&link, STRV("TT_PROXY=x"), STRV("TT_CERT"));
	assert_string_equal(ask(&link, &tape, 1, "echo ${TT_CERT-none} $TT_PROXY"), "none x\n");
	tape_finish(&tape);
	link_close(&link);
}

static void test_more_than_the_ceiling_ends_the_connection(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	static char piece[FRAME_MAX_PAYLOAD];
	for (int i = 0; i <= 8 * 1024 * 1024 / FRAME_MAX_PAYLOAD; i++)
		link_send(&link, 0, FRAME_CERTS, 0, piece, sizeof piece);
	link_error(&link, 0, &error);
	assert_non_null(strstr(error.msg, "certificates"));
	link_close(&link);
}

static void test_an_unreadable_list_ends_the_connection(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	link_send(&link, 0, FRAME_ENVIRON, 0, "\xff\xff\xff\xff", 4);
	link_error(&link, 0, &error);
	assert_non_null(strstr(error.msg, "payload"));
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_it_is_there_for_all_that_is_started),
			T(test_without_certificates_no_variable_names_them),
			T(test_more_than_the_ceiling_ends_the_connection),
			T(test_an_unreadable_list_ends_the_connection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
