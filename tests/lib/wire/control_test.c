/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "wire/control.h"
#include "wire/pack.h"

static struct slice slice(const char *s)
{
	return (struct slice){s, strlen(s)};
}

static void put_spec(struct buf *b)
{
	const struct spec_msg m = {.name = "n",
			.run_path = "/run/x",
			.bwrap = "/usr/bin/bwrap",
			.mem_bytes = 1,
			.disk_bytes = 2,
			.file_bytes = 3,
			.cpus = 0.5,
			.procs = 4,
			.open_files = 5,
			.args_shared = slice("a"),
			.args_separate = slice("b"),
			.calls = slice("c"),
			.arguments = slice("d"),
			.calls_strict = slice("e"),
			.arguments_strict = slice("f"),
			.older = slice("g"),
			.n_files = 2,
			.files = {slice("g"), slice("")},
			.cache = "/home/u/.cache/terrarium/packages",
			.slirp = "/usr/bin/slirp4netns",
			.net_subnet = 0x0a000200,
			.net_open = slice("h"),
			.net_allow = "10.0.0.0/8",
			.net_hosts = "example.org",
			.is_kept = true,
			.idle_timeout_ms = 6,
			.max_lifetime_ms = 7,
			.n_mounts = 2,
			.writable_mounts = 2,
			.mounts = "/a:/b:ro\n/c:/d:rw\n",
			.env = "A,B",
			.workdir = "/d",
			.group = "serve:5555/default",
			.has_plan = true};
	buf_init(b, CONTROL_MAX_BYTES);
	assert_int_equal(spec_msg_put(b, &m), 0);
}

static void a_spec_comes_through(void **state)
{
	struct buf b;
	struct spec_msg m;
	(void)state;
	put_spec(&b);
	assert_int_equal(spec_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.name, "n");
	assert_string_equal(m.run_path, "/run/x");
	assert_string_equal(m.bwrap, "/usr/bin/bwrap");
	assert_int_equal(m.mem_bytes, 1);
	assert_true(m.cpus == 0.5);
	assert_int_equal(m.open_files, 5);
	assert_int_equal(m.n_files, 2);
	assert_memory_equal(m.files[0].bytes, "g", 1);
	assert_int_equal(m.files[1].n, 0);
	assert_string_equal(m.cache, "/home/u/.cache/terrarium/packages");
	assert_string_equal(m.slirp, "/usr/bin/slirp4netns");
	assert_int_equal(m.net_subnet, 0x0a000200);
	assert_memory_equal(m.net_open.bytes, "h", 1);
	assert_string_equal(m.net_allow, "10.0.0.0/8");
	assert_string_equal(m.net_hosts, "example.org");
	assert_true(m.is_kept);
	assert_int_equal(m.idle_timeout_ms, 6);
	assert_int_equal(m.max_lifetime_ms, 7);
	assert_int_equal(m.n_mounts, 2);
	assert_int_equal(m.writable_mounts, 2);
	assert_string_equal(m.mounts, "/a:/b:ro\n/c:/d:rw\n");
	assert_string_equal(m.env, "A,B");
	assert_string_equal(m.workdir, "/d");
	assert_string_equal(m.group, "serve:5555/default");
	assert_true(m.has_plan);
	spec_msg_finish(&m);
	buf_finish(&b);
}

static void a_cut_spec_is_refused(void **state)
{
	struct buf b;
	struct spec_msg m;
	(void)state;
	put_spec(&b);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(spec_msg_get(buf_at(&b), n, &m), TRM_EPROTO);
	buf_finish(&b);
}

/* What no supervisor of ours writes: another kind of message, too many, processes that nobody may signal. */
static void impossible_values_are_refused(void **state)
{
	static char some[] = "";
	struct control_msg got, ready = {.type = CONTROL_READY};
	struct info_msg info = {.supervisor = 2,
					.command = some,
					.boot_id = some,
					.engine = some,
					.from = some,
					.net_hosts = some},
			read;
	struct spec_msg spec;
	struct buf b;
	(void)state;
	put_spec(&b);
	assert_int_equal(spec_msg_get(buf_at(&b), b.len, &spec), 0);
	spec.n_mounts = CONTROL_MAX_MOUNTS + 1;
	buf_clear(&b);
	assert_int_equal(spec_msg_put(&b, &spec), 0);
	struct spec_msg many;
	assert_int_equal(spec_msg_get(buf_at(&b), b.len, &many), TRM_EPROTO);
	spec_msg_finish(&spec);
	for (int pid = -1; pid < 2; pid++) {
		buf_clear(&b);
		info.ready.origin.root_pid = pid;
		assert_int_equal(info_msg_put(&b, &info), 0);
		assert_int_equal(info_msg_get(buf_at(&b), b.len, &read), pid < 0 ? TRM_EPROTO : 0);
		if (pid >= 0)
			info_msg_finish(&read);
		buf_clear(&b);
		ready.ready.origin.root_pid = pid;
		assert_int_equal(control_put(&b, &ready), 0);
		assert_int_equal(control_get(buf_at(&b), b.len, &got), pid < 0 ? TRM_EPROTO : 0);
		if (pid >= 0)
			control_finish(&got);
		assert_int_equal(info_msg_get(buf_at(&b), b.len, &read), TRM_EPROTO);
		assert_int_equal(spec_msg_get(buf_at(&b), b.len, &many), TRM_EPROTO);
	}
	for (int pid = -1; pid < 2; pid++) {
		buf_clear(&b);
		info.ready.origin.root_pid = 0;
		info.supervisor = pid; /* a signal to it would reach others, or init */
		assert_int_equal(info_msg_put(&b, &info), 0);
		assert_int_equal(info_msg_get(buf_at(&b), b.len, &read), TRM_EPROTO);
	}
	buf_finish(&b);
}

static void answers_come_through(void **state)
{
	char mem[] = "/m", none[] = "", words[] = "it failed", command[] = "vi x", docker[] = "docker",
	     id[] = "0a1b";
	const struct ready_msg ready = {.kind = LIMITS_CGROUP_V1,
			.limits = LIMIT_MEMORY | LIMIT_CPU,
			.is_shared = true,
			.uid = 61000,
			.mem_dir = mem,
			.pids_dir = none,
			.cpuacct_dir = none,
			.origin = {.way = WAY_EXEC, .backend = docker, .where = id, .root_pid = 12}};
	const struct gone_msg gone = {.cause = GONE_STOPPED,
			.pid = 42,
			.after_ms = 8,
			.status = -1,
			.oom_kills = 9,
			.words = words,
			.command = command};
	struct control_msg m;
	struct buf b;
	(void)state;
	buf_init(&b, 4096);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_READY, .ready = ready}), 0);
	assert_int_equal(control_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.type, CONTROL_READY);
	assert_int_equal(m.ready.limits, LIMIT_MEMORY | LIMIT_CPU);
	assert_string_equal(m.ready.mem_dir, "/m");
	assert_int_equal(m.ready.uid, 61000);
	assert_int_equal(m.ready.origin.way, WAY_EXEC);
	assert_string_equal(m.ready.origin.backend, "docker");
	assert_string_equal(m.ready.origin.where, "0a1b");
	assert_string_equal(m.ready.origin.note, "");
	assert_int_equal(m.ready.origin.root_pid, 12);
	control_finish(&m);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(control_get(buf_at(&b), n, &m), TRM_EPROTO);
	buf_clear(&b);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_GONE, .gone = gone}), 0);
	assert_int_equal(control_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.gone.cause, GONE_STOPPED);
	assert_int_equal(m.gone.pid, 42);
	assert_int_equal(m.gone.after_ms, 8);
	assert_string_equal(m.gone.command, "vi x");
	assert_int_equal(m.gone.status, -1);
	assert_string_equal(m.gone.words, "it failed");
	control_finish(&m);
	buf_clear(&b);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_OOM, .oom_kills = 5}), 0);
	assert_int_equal(control_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.oom_kills, 5);
	control_finish(&m);
	buf_clear(&b);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_PROGRESS,
							 .progress = "creating"}),
			0);
	assert_int_equal(control_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.type, CONTROL_PROGRESS);
	assert_string_equal(m.progress, "creating");
	control_finish(&m);
	assert_int_equal(control_get("\xff", 1, &m), TRM_EPROTO);
	buf_finish(&b);
}

static void requests_come_through(void **state)
{
	struct buf b;
	struct control_msg m;
	(void)state;
	buf_init(&b, 64);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_KEEP, .is_kept = true}), 0);
	assert_int_equal(request_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.type, CONTROL_KEEP);
	assert_true(m.is_kept);
	assert_int_equal(request_get(buf_at(&b), 1, &m), TRM_EPROTO);
	buf_clear(&b);
	assert_int_equal(control_put(&b, &(struct control_msg){.type = CONTROL_STOP}), 0);
	assert_int_equal(request_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.type, CONTROL_STOP);
	assert_int_equal(control_get(buf_at(&b), b.len, &m), TRM_EPROTO); /* that is no message to a client */
	assert_int_equal(request_get("", 0, &m), TRM_EPROTO);
	assert_int_equal(request_get("\xff", 1, &m), TRM_EPROTO);
	buf_finish(&b);
}

static void a_group_that_is_too_long_is_refused(void **state)
{
	struct control_msg msg = {.type = CONTROL_GROUP}, got;
	struct buf b;
	(void)state;
	buf_init(&b, 256);
	memset(msg.group, 'g', sizeof msg.group - 1);
	assert_int_equal(control_put(&b, &msg), 0);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(request_get(buf_at(&b), n, &got), TRM_EPROTO);
	assert_int_equal(request_get(buf_at(&b), b.len, &got), 0);
	assert_string_equal(got.group, msg.group);
	buf_clear(&b);
	struct pack p = {.to = &b};
	char text[STATE_GROUP + 1] = {0};
	memset(text, 'g', STATE_GROUP);
	pack_u8(&p, CONTROL_GROUP);
	pack_str(&p, text);
	assert_int_equal(request_get(buf_at(&b), b.len, &got), TRM_EPROTO);
	buf_finish(&b);
}

static void the_state_comes_through(void **state)
{
	const struct state_msg msg = {
			.is_kept = true, .n_clients = 3, .active_ms = 1795271904724, .group = "lab"};
	enum { OF_BEFORE = 1 + 1 + 4 + 8 }; /* what supervisors without groups in it wrote */
	struct state_msg m;
	struct buf b;
	(void)state;
	buf_init(&b, STATE_MAX_BYTES);
	assert_int_equal(state_msg_put(&b, &msg), 0);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(state_msg_get(buf_at(&b), n, &m), n == OF_BEFORE ? 0 : TRM_EPROTO);
	assert_int_equal(state_msg_get(buf_at(&b), b.len, &m), 0);
	assert_true(m.is_kept);
	assert_int_equal(m.n_clients, 3);
	assert_int_equal(m.active_ms, msg.active_ms);
	assert_string_equal(m.group, "lab");
	buf_finish(&b);
}

/* What it says of its origin and its isolation comes last: supervisors of before did not. */
static void info_of_before_is_of_a_local_one(void **state)
{
	char some[] = "", boot[] = "b";
	const struct info_msg msg = {.supervisor = 5,
			.command = some,
			.boot_id = boot,
			.ready = {.origin = {.way = WAY_DIRECT, .backend = boot},
					.isolation = ISOLATION_LANDLOCK,
					.landlock_abi = 7,
					.folder = boot},
			.engine = boot,
			.from = boot,
			.net_hosts = boot};
	enum {
		ORIGIN_BYTES = 1 + 1 + 6 * 4 + 1 + 4 + 4,
		ISOLATION_BYTES = 1 + 4 + 4 + 1,
		ENGINE_BYTES = 4 + 1,
		FROM_BYTES = 4 + 1,
		HOSTS_BYTES = 4 + 1,
		MADE_BYTES = 2,
		STREAM_BYTES = 4
	};
	struct info_msg m;
	struct buf b;
	(void)state;
	buf_init(&b, INFO_MAX_BYTES);
	assert_int_equal(info_msg_put(&b, &msg), 0);
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_int_equal(m.ready.origin.way, WAY_DIRECT);
	assert_string_equal(m.ready.origin.backend, "b");
	assert_int_equal(m.ready.isolation, ISOLATION_LANDLOCK);
	assert_int_equal(m.ready.landlock_abi, 7);
	assert_string_equal(m.ready.folder, "b");
	assert_string_equal(m.engine, "b");
	assert_string_equal(m.from, "b");
	assert_string_equal(m.net_hosts, "b");
	info_msg_finish(&m);
	assert_int_equal(info_msg_get(buf_at(&b), b.len - 1, &m), TRM_EPROTO);
	b.len -= STREAM_BYTES;
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.ready.origin.stream, "");
	info_msg_finish(&m);
	b.len -= MADE_BYTES;
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.net_hosts, "b");
	info_msg_finish(&m);
	b.len -= HOSTS_BYTES;
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.from, "b");
	assert_string_equal(m.net_hosts, "");
	info_msg_finish(&m);
	b.len -= FROM_BYTES;
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.engine, "b");
	assert_string_equal(m.from, "");
	info_msg_finish(&m);
	b.len -= ENGINE_BYTES;
	assert_int_equal(info_msg_get(buf_at(&b), b.len, &m), 0);
	assert_string_equal(m.engine, "");
	info_msg_finish(&m);
	assert_int_equal(info_msg_get(buf_at(&b), b.len - ISOLATION_BYTES, &m), 0);
	assert_int_equal(m.ready.origin.way, WAY_DIRECT);
	assert_int_equal(m.ready.isolation, ISOLATION_NAMESPACES);
	assert_string_equal(m.ready.folder, "");
	info_msg_finish(&m);
	assert_int_equal(info_msg_get(buf_at(&b), b.len - ISOLATION_BYTES - ORIGIN_BYTES, &m), 0);
	assert_int_equal(m.ready.origin.way, WAY_LOCAL);
	assert_string_equal(m.ready.origin.backend, "");
	info_msg_finish(&m);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(requests_come_through),
			cmocka_unit_test(a_group_that_is_too_long_is_refused),
			cmocka_unit_test(the_state_comes_through),
			cmocka_unit_test(a_spec_comes_through),
			cmocka_unit_test(a_cut_spec_is_refused),
			cmocka_unit_test(impossible_values_are_refused),
			cmocka_unit_test(answers_come_through),
			cmocka_unit_test(info_of_before_is_of_a_local_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
