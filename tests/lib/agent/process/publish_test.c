/* SPDX-License-Identifier: MIT */
/* Commands that the agent tells the other clients of. */
#include "lib/agent/rig.h"

/* What a follower has heard of one command. */
struct story {
	unsigned n_begins, n_ends;
	uint32_t id, client;
	uint64_t began_at; /* `position` of the begin */
	uint64_t position; /* after the newest output */
	uint64_t missed;
	struct buf text;
	char words[200], by[64];
	int32_t exit_code;
	uint32_t signal;
};

static struct link follow(struct rig *rig)
{
	struct link link = link_open(rig);
	link_send(&link, 0, FRAME_FOLLOW, 0, NULL, 0);
	link_send(&link, 0, FRAME_PING, 0, "", 0);
	while (link_next(&link, DEADLINE_MS, NULL)->type != FRAME_PONG)
		;
	return link;
}

static void command(struct link *link, uint32_t stream, const char *text, uint32_t window)
{
	link_spawn(link, stream,
			(struct spawn_msg){.window = window,
					.argv = STRV("sh", "-c", text),
					.by = (char *)(uintptr_t) "tester"});
}

static void story_init(struct story *s)
{
	*s = (struct story){0};
	buf_init(&s->text, 1u << 30);
}

/* Take in one frame. What is told must fit what was told before. */
static void hear(struct story *s, const struct frame *frame)
{
	struct announced_msg msg;
	if (frame->type != FRAME_ANNOUNCED)
		return;
	assert_int_equal(announced_msg_get(frame, &msg), 0);
	if (msg.kind == ANNOUNCED_BEGIN && !s->n_begins) {
		s->n_begins = 1;
		s->id = msg.id;
		s->client = msg.client;
		s->began_at = s->position = msg.position;
		snprintf(s->words, sizeof s->words, "%.*s", (int)msg.words_len, msg.words);
		snprintf(s->by, sizeof s->by, "%.*s", (int)msg.by_len, msg.by);
		return;
	}
	if (msg.id != s->id)
		return;
	assert_int_equal(s->n_ends, 0);
	s->n_begins += msg.kind == ANNOUNCED_BEGIN;
	assert_true(msg.position >= s->position);
	s->missed += msg.position - s->position;
	s->position = msg.position;
	if (msg.kind == ANNOUNCED_OUTPUT) {
		assert_int_equal(buf_append(&s->text, msg.bytes, msg.n_bytes), 0);
		s->position += msg.n_bytes;
	}
	s->n_ends += msg.kind == ANNOUNCED_END;
	s->exit_code = msg.exit_code;
	s->signal = msg.signal;
}

static void hear_end(struct link *link, struct story *s)
{
	while (!s->n_ends) {
		const struct frame *frame = link_next(link, DEADLINE_MS, NULL);
		if (!frame)
			fail_msg("no end of the command");
		hear(s, frame);
	}
	assert_int_equal(s->n_begins, 1);
	assert_int_equal(buf_append(&s->text, "", 1), 0);
	s->text.len--;
}

/* All frames until now, without waiting for more. Fails if one is of that type. */
static void hears_nothing(struct link *link)
{
	link_send(link, 0, FRAME_PING, 0, "", 0);
	for (const struct frame *frame; (frame = link_next(link, DEADLINE_MS, NULL))->type != FRAME_PONG;)
		assert_int_not_equal(frame->type, FRAME_ANNOUNCED);
}

static void test_followers_hear_of_a_command(void **state)
{
	struct link owner = follow(*state), one = follow(*state), two = follow(*state),
		    other = link_open(*state);
	struct link *const followers[] = {&one, &two};
	struct story s;
	struct tape tape;
	tape_init(&tape, 1);
	command(&owner, 1, "echo out; echo err >&2; exit 3", BIG_WINDOW);
	assert_int_equal(link_exit(&owner, &tape).exit_code, 3);
	for (size_t i = 0; i < 2; i++) {
		story_init(&s);
		hear_end(followers[i], &s);
		assert_string_equal(s.by, "tester");
		assert_string_equal(s.words, "sh -c 'echo out; echo err >&2; exit 3'");
		assert_true(s.text.len == 8 && strstr(buf_at(&s.text), "out\n")
				&& strstr(buf_at(&s.text), "err\n"));
		assert_true(s.exit_code == 3 && !s.signal && !s.missed && s.client);
		buf_finish(&s.text);
	}
	hears_nothing(&other);
	hears_nothing(&owner);
	/* Without a word by whom it is run it is nobody else's business. */
	link_shell(&owner, 2, "echo quiet", 0, BIG_WINDOW);
	tape.stream = 2;
	link_exit(&owner, &tape);
	hears_nothing(&one);
	tape_finish(&tape);
	for (size_t i = 0; i < 2; i++)
		link_close(followers[i]);
	link_close(&other);
	link_close(&owner);
}

static void test_what_cannot_start_is_not_published(void **state)
{
	struct link owner = link_open(*state), one = follow(*state);
	struct trm_error error;
	link_spawn(&owner, 1,
			(struct spawn_msg){.window = BIG_WINDOW,
					.argv = STRV("/no/such/program"),
					.by = (char *)(uintptr_t) "tester"});
	link_error(&owner, 1, &error);
	hears_nothing(&one);
	link_close(&one);
	link_close(&owner);
}

static void test_who_comes_later_hears_the_rest(void **state)
{
	struct link owner = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_spawn(&owner, 1,
			(struct spawn_msg){.flags = SPAWN_STDIN_OPEN,
					.window = BIG_WINDOW,
					.argv = STRV("sh", "-c", "echo early; read -r x; echo late"),
					.by = (char *)(uintptr_t) "tester"});
	link_until_text(&owner, &tape, 0, "early\n");
	struct link one = follow(*state);
	link_send(&owner, 1, FRAME_INPUT, CHANNEL_STDIN, "\n", 1);
	link_exit(&owner, &tape);
	/* The begin came with FOLLOW: follow() has skipped it. */
	struct announced_msg msg;
	bool has_late = false;
	for (bool has_end = false; !has_end;) {
		const struct frame *frame = link_next(&one, DEADLINE_MS, NULL);
		assert_non_null(frame);
		if (frame->type != FRAME_ANNOUNCED)
			continue;
		assert_int_equal(announced_msg_get(frame, &msg), 0);
		assert_int_not_equal(msg.kind, ANNOUNCED_BEGIN);
		has_late |= msg.kind == ANNOUNCED_OUTPUT && msg.position == 6 && msg.n_bytes == 5;
		has_end = msg.kind == ANNOUNCED_END;
	}
	assert_true(has_late && msg.position == 11 && msg.exit_code == 0);
	tape_finish(&tape);
	link_close(&one);
	link_close(&owner);
}

/* Each of many short ones has a begin, its output and an end, in this order. */
static void test_short_commands_are_published_whole(void **state)
{
	enum { N = 100 };
	struct link owner = link_open(*state), one = follow(*state);
	for (uint32_t i = 1; i <= N; i++)
		command(&owner, i, "echo x", BIG_WINDOW);
	struct {
		bool has_begun, has_ended;
		unsigned n;
	} all[N + 1] = {0};
	for (unsigned n_ended = 0; n_ended < N;) {
		struct announced_msg msg;
		const struct frame *frame = link_next(&one, DEADLINE_MS, NULL);
		assert_non_null(frame);
		if (frame->type != FRAME_ANNOUNCED)
			continue;
		assert_int_equal(announced_msg_get(frame, &msg), 0);
		assert_in_range(msg.id, 1, N);
		assert_true(all[msg.id].has_begun == (msg.kind != ANNOUNCED_BEGIN));
		assert_false(all[msg.id].has_ended);
		all[msg.id].has_begun = true;
		if (msg.kind == ANNOUNCED_OUTPUT)
			all[msg.id].n += (unsigned)msg.n_bytes;
		if (msg.kind != ANNOUNCED_END)
			continue;
		assert_int_equal(all[msg.id].n, 2);
		all[msg.id].has_ended = true;
		n_ended++;
	}
	link_close(&one);
	link_close(&owner);
}

#define FLOOD_BYTES 50000000
#define FLOOD "head -c 50000000 /dev/zero | tr '\\0' x; echo last"

/* It never holds up the command. When it reads again it gets the newest output, and the end. */
static void test_who_does_not_read_misses_output_but_never_the_end(void **state)
{
	struct link owner = link_open(*state), deaf = follow(*state);
	struct tape tape;
	struct story s;
	tape_init(&tape, 1);
	command(&owner, 1, FLOOD, BIG_WINDOW);
	assert_int_equal(link_exit(&owner, &tape).exit_code, 0);
	assert_int_equal(tape.bytes, FLOOD_BYTES + 5);
	story_init(&s);
	hear_end(&deaf, &s);
	assert_int_equal(s.missed + s.text.len, FLOOD_BYTES + 5);
	assert_true(s.missed > FLOOD_BYTES / 2 && s.text.len > 5);
	assert_string_equal(buf_at(&s.text) + s.text.len - 5, "last\n");
	buf_finish(&s.text);
	tape_finish(&tape);
	link_close(&deaf);
	link_close(&owner);
}

static long resident_kib(pid_t pid)
{
	char path[40];
	long pages = 0;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages * 4;
}

/* Many commands end while nobody reads: what is kept of them has a ceiling. */
static void test_a_deaf_follower_costs_little(void **state)
{
	enum { N = 60, MOST_KIB = 24 * 1024 };
	const struct rig *rig = *state;
	struct link owner = link_open(*state), deaf = follow(*state);
	struct tape tape;
	long before_kib = resident_kib(rig->agent);
	for (uint32_t i = 1; i <= N; i++) {
		tape_init(&tape, i);
		command(&owner, i, "head -c 1000000 /dev/zero", BIG_WINDOW);
		link_exit(&owner, &tape);
		tape_finish(&tape);
	}
#ifndef __SANITIZE_ADDRESS__ /* its quarantine keeps what was freed */
	assert_in_range(resident_kib(rig->agent), 1, before_kib + MOST_KIB);
#else
	(void)before_kib;
#endif
	unsigned n_begins = 0, n_ends = 0;
	link_send(&deaf, 0, FRAME_PING, 0, "", 0);
	bool has_pong = false;
	while (!has_pong || n_ends < n_begins) {
		struct announced_msg msg;
		const struct frame *frame = link_next(&deaf, DEADLINE_MS, NULL);
		assert_non_null(frame);
		has_pong |= frame->type == FRAME_PONG;
		if (frame->type != FRAME_ANNOUNCED)
			continue;
		assert_int_equal(announced_msg_get(frame, &msg), 0);
		n_begins += msg.kind == ANNOUNCED_BEGIN;
		n_ends += msg.kind == ANNOUNCED_END;
	}
	assert_in_range(n_begins, 1, N);
	link_close(&deaf);
	link_close(&owner);
}

static void test_a_dead_owner_ends_its_command(void **state)
{
	struct link owner = link_open(*state), one = follow(*state);
	struct tape tape;
	struct story s;
	tape_init(&tape, 1);
	command(&owner, 1, "echo here; exec sleep 1000", BIG_WINDOW);
	link_until_text(&owner, &tape, 0, "here\n");
	shutdown(owner.fd, SHUT_RDWR);
	story_init(&s);
	hear_end(&one, &s);
	assert_string_equal(buf_at(&s.text), "here\n");
	assert_true(s.exit_code == -1 && !s.signal);
	buf_finish(&s.text);
	tape_finish(&tape);
	link_close(&one);
	link_close(&owner);
}

/* As many as there can be; some of them die in the middle of a flood, some never read. */
static void test_a_crowd_follows_a_flood(void **state)
{
	enum { N = 60 };
	struct link owner = link_open(*state), links[N];
	struct tape tape;
	tape_init(&tape, 1);
	for (size_t i = 0; i < N; i++)
		links[i] = follow(*state);
	command(&owner, 1,
			"for i in 1 2 3 4 5 6 7 8 9; do head -c 300000 /dev/zero | tr '\\0' x; done; echo last",
			BIG_WINDOW);
	for (size_t i = 0; i < N; i += 3) {
		assert_non_null(link_next(&links[i], DEADLINE_MS, NULL));
		shutdown(links[i].fd, SHUT_RDWR);
	}
	link_exit(&owner, &tape);
	for (size_t i = 1; i < N; i += 3) {
		struct story s;
		story_init(&s);
		hear_end(&links[i], &s);
		assert_int_equal(s.missed + s.text.len, 2700005);
		assert_string_equal(buf_at(&s.text) + s.text.len - 5, "last\n");
		buf_finish(&s.text);
	}
	tape_finish(&tape);
	for (size_t i = 0; i < N; i++)
		link_close(&links[i]);
	link_close(&owner);
}

/* The owner's own reading still slows the command down. */
static void test_the_owner_holds_up_its_command(void **state)
{
	struct link owner = link_open(*state), one = follow(*state);
	struct tape tape;
	struct announced_msg msg;
	uint64_t heard = 0;
	tape_init(&tape, 1);
	command(&owner, 1, "head -c 1000000 /dev/zero; echo last", 1000);
	while (tape.bytes < 1000)
		link_until(&owner, &tape, FRAME_OUTPUT);
	link_send(&one, 0, FRAME_PING, 0, "", 0);
	for (const struct frame *frame; (frame = link_next(&one, DEADLINE_MS, NULL))->type != FRAME_PONG;)
		if (frame->type == FRAME_ANNOUNCED && announced_msg_get(frame, &msg) == 0)
			heard += msg.kind == ANNOUNCED_OUTPUT ? msg.n_bytes : 0;
	assert_true(heard <= 1000);
	link_pack(&owner, 1, FRAME_CREDIT, "u", (uint32_t)BIG_WINDOW);
	link_exit(&owner, &tape);
	assert_int_equal(tape.bytes, 1000005);
	tape_finish(&tape);
	link_close(&one);
	link_close(&owner);
}

static void expect_client(struct link *link, enum announced_kind kind, const char *by, uint32_t *client)
{
	struct announced_msg msg;
	const struct frame *frame = link_next(link, DEADLINE_MS, NULL);
	assert_non_null(frame);
	assert_int_equal(frame->type, FRAME_ANNOUNCED);
	assert_int_equal(announced_msg_get(frame, &msg), 0);
	assert_int_equal(msg.kind, kind);
	if (by)
		assert_true(msg.by_len == strlen(by) && !memcmp(msg.by, by, msg.by_len));
	if (*client)
		assert_int_equal(msg.client, *client);
	*client = msg.client;
}

static void test_clients_hear_what_the_others_are(void **state)
{
	struct link one = follow(*state), two = link_open(*state);
	uint32_t number = 0, same = 0;
	char much[ANNOUNCED_BY_MAX + 1] = "x";
	link_send(&two, 0, FRAME_PRESENT, 0, "repl, pid 4", 11);
	expect_client(&one, ANNOUNCED_PRESENT, "repl, pid 4", &number);
	struct link late = link_open(*state);
	link_send(&late, 0, FRAME_FOLLOW, 0, NULL, 0);
	expect_client(&late, ANNOUNCED_PRESENT, "repl, pid 4", &number);
	hears_nothing(&two);
	link_close(&two);
	expect_client(&one, ANNOUNCED_GONE, NULL, &number);
	same = number;
	expect_client(&late, ANNOUNCED_GONE, NULL, &same);
	link_send(&late, 0, FRAME_PRESENT, 0, much, sizeof much);
	assert_int_equal(link_next(&late, DEADLINE_MS, NULL)->type, FRAME_ERROR);
	link_close(&late);
	hears_nothing(&one); /* it had said nothing */
	link_close(&one);
}

/* The client asks for answers and reads none, until the agent takes no more requests. Its last one may be
 * torn. */
static void leave_much_unread(struct link *link)
{
	enum { MOST = 1 << 20, PAUSE_MS = 300 };
	struct pollfd poll_fd = {.fd = link->fd, .events = POLLOUT};
	struct buf pings;
	buf_init(&pings, 2 * MOST);
	while (pings.len < MOST)
		assert_int_equal(frame_put(&pings, 0, FRAME_PING, 0, "what is asked", 13), 0);
	while (pings.len && poll(&poll_fd, 1, PAUSE_MS) == 1) {
		ssize_t n = send(link->fd, buf_at(&pings), pings.len, MSG_DONTWAIT | MSG_NOSIGNAL);
		buf_take(&pings, n > 0 ? (size_t)n : 0);
	}
	assert_int_not_equal(pings.len, 0);
	buf_finish(&pings);
}

/* One comes and another goes meanwhile. */
static void test_a_slow_client_hears_later_who_has_come_and_gone(void **state)
{
	struct link one = follow(*state), two = link_open(*state), three = link_open(*state);
	uint32_t gone = 0;
	bool has_come = false, has_gone = false;
	link_send(&two, 0, FRAME_PRESENT, 0, "two", 3);
	expect_client(&one, ANNOUNCED_PRESENT, "two", &gone);
	leave_much_unread(&one);
	link_send(&three, 0, FRAME_PRESENT, 0, "three", 5);
	link_close(&two);
	hears_nothing(&three);
	while (!has_come || !has_gone) {
		const struct frame *frame = link_next(&one, DEADLINE_MS, NULL);
		struct announced_msg msg;
		assert_non_null(frame);
		if (frame->type != FRAME_ANNOUNCED)
			continue;
		assert_int_equal(announced_msg_get(frame, &msg), 0);
		has_come |= msg.kind == ANNOUNCED_PRESENT && msg.client != gone;
		has_gone |= msg.kind == ANNOUNCED_GONE && msg.client == gone;
	}
	link_close(&three);
	link_close(&one);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_followers_hear_of_a_command),
			T(test_what_cannot_start_is_not_published),
			T(test_who_comes_later_hears_the_rest),
			T(test_short_commands_are_published_whole),
			T(test_who_does_not_read_misses_output_but_never_the_end),
			T(test_a_deaf_follower_costs_little),
			T(test_a_dead_owner_ends_its_command),
			T(test_a_crowd_follows_a_flood),
			T(test_the_owner_holds_up_its_command),
			T(test_clients_hear_what_the_others_are),
			T(test_a_slow_client_hears_later_who_has_come_and_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
