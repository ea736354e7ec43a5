/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. They run on a
 * directory that looks like a control group tree: what a real tree would refuse is not seen here. */

#include "supervisor/limits/group.c"
#include "supervisor/limits/group_find.c"
#include "supervisor/limits/group_v1.c"
#include "supervisor/limits/group_v2.c"

#include "cmocka_all.h"

static char root[64];
static const struct group_limits want = {.mem_bytes = 1 << 20, .pids = 7, .cpus = 0.5};

static void make_dir(const char *path)
{
	char full[512];
	snprintf(full, sizeof full, "%s/%s", root, path);
	assert_int_equal(mkdir(full, 0755), 0);
}

static void make_file(const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof full, "%s/%s", root, path);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void expect_file(const char *path, const char *text)
{
	char full[512], have[256];
	snprintf(full, sizeof full, "%s/%s", root, path);
	assert_true(sysfile_read(full, have, sizeof have) >= 0);
	assert_string_equal(have, text);
}

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/group-XXXXXX");
	assert_non_null(mkdtemp(root));
	return 0;
}

static int remove_root(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

static void the_quota_follows_the_cores(void **state)
{
	uint64_t quota, period;
	(void)state;
	group_cpu_quota(1.0, &quota, &period);
	assert_int_equal(quota, period);
	group_cpu_quota(2.5, &quota, &period);
	assert_int_equal(quota * 2, period * 5);
	group_cpu_quota(0.01, &quota, &period);
	assert_int_equal(quota * 100, period);
	assert_true(quota >= 1000); /* the kernel takes no less */
	group_cpu_quota(0.001, &quota, &period);
	assert_true(quota >= 1000);
}

static void names_of_supervisors(void **state)
{
	(void)state;
	assert_true(sweep_is_group("terrarium-12"));
	assert_false(sweep_is_group("terrarium-"));
	assert_false(sweep_is_group("terrarium-host"));
	assert_false(sweep_is_group("terrarium-12x"));
	assert_false(sweep_is_group("system.slice"));
	assert_false(sweep_is_group(""));
}

/* ---- version 1 ------------------------------------------------------------------- */

static void version_1_makes_one_group_in_each_tree(void **state)
{
	struct groups g;
	char path[128];
	(void)state;
	make_dir("memory");
	make_dir("memory/mine");
	make_dir("cpu");
	make_dir("pids");
	/* The files of a new group are missing here, so no limit takes hold and each is taken back. */
	groups_create(&g, root, "9:name=systemd:/\n8:pids:/\n4:memory:/mine\n2:cpuacct,cpu:/\n0::/\n", &want,
			1);
	assert_int_equal(g.n, 0);
	assert_int_equal(g.limits, 0);
	snprintf(path, sizeof path, "%s/memory/mine/terrarium-%d", root, (int)getpid());
	assert_int_equal(access(path, F_OK), -1);
}

static void version_1_writes_its_limits(void **state)
{
	struct group_dir d;
	(void)state;
	make_file("memory.limit_in_bytes", "");
	make_file("memory.kmem.tcp.limit_in_bytes", "");
	make_file("memory.memsw.limit_in_bytes", "");
	make_file("pids.max", "");
	make_file("cpu.cfs_period_us", "");
	make_file("cpu.cfs_quota_us", "");
	snprintf(d.path, sizeof d.path, "%s", root);
	assert_int_equal(limit_memory(&d, &want), LIMIT_MEMORY | LIMIT_SWAP);
	assert_int_equal(limit_pids(&d, &want), LIMIT_PIDS);
	assert_int_equal(limit_cpu(&d, &want), LIMIT_CPU);
	expect_file("memory.limit_in_bytes", "1048576");
	expect_file("memory.memsw.limit_in_bytes", "1048576");
	expect_file("memory.kmem.tcp.limit_in_bytes", "262144");
	expect_file("pids.max", "7");
	expect_file("cpu.cfs_period_us", "5000");
	expect_file("cpu.cfs_quota_us", "2500");
}

static void version_1_without_swap_counting(void **state)
{
	struct group_dir d;
	(void)state;
	snprintf(d.path, sizeof d.path, "%s", root);
	make_file("memory.limit_in_bytes", "");
	assert_int_equal(limit_memory(&d, &want), LIMIT_MEMORY);
	make_file("memory.swappiness", "60");
	assert_int_equal(limit_memory(&d, &want), LIMIT_MEMORY | LIMIT_SWAP);
	expect_file("memory.swappiness", "00"); /* written over, in a plain file */
}

/* ---- version 2 ------------------------------------------------------------------- */

static void make_scope(const char *procs)
{
	make_dir("a");
	make_file("cgroup.controllers", "");
	make_file("a/cgroup.controllers", "cpuset cpu io memory pids\n");
	make_file("a/cgroup.subtree_control", "");
	make_file("a/cgroup.procs", procs);
}

static void version_2_steps_aside_where_it_is_alone(void **state)
{
	char base[GROUP_PATH], procs[64];
	(void)state;
	snprintf(procs, sizeof procs, "%d\n%d\n", (int)getpid(), 10004711);
	make_scope(procs);
	make_dir("a/terrarium-host");
	make_file("a/terrarium-host/cgroup.procs", "");
	assert_true(own_dir(base, sizeof base, root, "3:x:/\n0::/a\n"));
	assert_true(delegate(base, 10004711));
	expect_file("a/terrarium-host/cgroup.procs",
			"10004711"); /* the last that was moved, in a plain file */
	expect_file("a/cgroup.subtree_control", "+memory");
}

/* As after scope_enter(): the client is in a session that is not ours to change. */
static void version_2_leaves_a_client_where_it_is(void **state)
{
	char base[GROUP_PATH], procs[64];
	(void)state;
	snprintf(procs, sizeof procs, "%d\n", (int)getpid());
	make_scope(procs);
	make_dir("a/terrarium-host");
	make_file("a/terrarium-host/cgroup.procs", "");
	assert_true(own_dir(base, sizeof base, root, "0::/a\n"));
	assert_true(delegate(base, 4711));
	procs[strlen(procs) - 1] = '\0';
	expect_file("a/terrarium-host/cgroup.procs", procs); /* only ourselves */
}

static void version_2_leaves_others_alone(void **state)
{
	char base[GROUP_PATH], procs[64];
	(void)state;
	snprintf(procs, sizeof procs, "%d\n%d\n", 4712, (int)getpid());
	make_scope(procs);
	assert_true(own_dir(base, sizeof base, root, "0::/a\n"));
	assert_false(delegate(base, 4711));
	expect_file("a/cgroup.subtree_control", "");
}

static void version_2_knows_where_it_stepped(void **state)
{
	char base[GROUP_PATH], expected[GROUP_PATH];
	(void)state;
	make_scope("");
	snprintf(expected, sizeof expected, "%s/a", root);
	assert_true(own_dir(base, sizeof base, root, "0::/a/terrarium-host\n"));
	assert_string_equal(base, expected);
	make_file("a/cgroup.subtree_control", "memory pids\n");
	assert_true(delegate(base, 4711)); /* it has been done before */
	assert_false(own_dir(base, sizeof base, root, "4:memory:/\n"));
}

static void version_2_writes_its_limits(void **state)
{
	struct group_dir d;
	(void)state;
	make_file("memory.max", "");
	make_file("memory.swap.max", "");
	make_file("pids.max", "");
	make_file("cpu.max", "");
	snprintf(d.path, sizeof d.path, "%s", root);
	assert_int_equal(set_limits(&d, &want),
			LIMIT_MEMORY | LIMIT_SWAP | LIMIT_PIDS | LIMIT_CPU | LIMIT_CPUACCT);
	expect_file("memory.max", "1048576");
	expect_file("memory.swap.max", "0");
	expect_file("pids.max", "7");
	expect_file("cpu.max", "2500 5000");
}

static void kills_for_memory_are_read(void **state)
{
	struct groups g = {.kind = LIMITS_CGROUP_V1, .n = 1};
	(void)state;
	snprintf(g.dir[0].path, sizeof g.dir[0].path, "%s", root);
	g.dir[0].serves = LIMIT_MEMORY;
	make_file("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	assert_int_equal(groups_oom_kills(&g), 3);
	make_file("memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 5\n");
	g.kind = LIMITS_CGROUP_V2;
	assert_int_equal(groups_oom_kills(&g), 5);
	g.dir[0].serves = LIMIT_PIDS;
	assert_int_equal(groups_oom_kills(&g), 0);
}

#define ON_A_TREE(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

/* ---- groups of an engine ---- */

static void make_v1(const char *controller, const char *count, const char *limit, const char *value)
{
	char path[256];
	make_dir(controller);
	snprintf(path, sizeof path, "%s/docker", controller);
	make_dir(path);
	snprintf(path, sizeof path, "%s/docker/c1", controller);
	make_dir(path);
	snprintf(path, sizeof path, "%s/docker/c1/%s", controller, count);
	make_file(path, "1\n");
	snprintf(path, sizeof path, "%s/docker/c1/%s", controller, limit);
	make_file(path, value);
}

static void an_engines_groups_are_found(void **state)
{
	struct groups g;
	char dir[512];
	(void)state;
	make_v1("memory", "memory.usage_in_bytes", "memory.limit_in_bytes", "536870912\n");
	make_v1("pids", "pids.current", "pids.max", "max\n");
	make_v1("cpu", "cpu.stat", "cpu.cfs_quota_us", "-1\n");
	groups_find(&g, root,
			"4:memory:/docker/c1\n3:pids:/docker/c1\n1:cpu:/docker/c1\n2:freezer:/docker/c1\n",
			"4:memory:/\n3:pids:/\n");
	assert_int_equal(g.kind, LIMITS_CGROUP_V1);
	snprintf(dir, sizeof dir, "%s/memory/docker/c1", root);
	assert_string_equal(groups_dir(&g, LIMIT_MEMORY), dir);
	assert_int_equal(g.limits, LIMIT_MEMORY); /* the others are counted, not limited */
	assert_int_not_equal(*groups_dir(&g, LIMIT_PIDS), '\0');
	assert_int_not_equal(*groups_dir(&g, LIMIT_CPU), '\0');
}

static void sockets_of_an_engines_group_get_a_limit(void **state)
{
	static const char *const theirs = "4:memory:/docker/c1\n";
	const char *file = "memory/docker/c1/memory.kmem.tcp.limit_in_bytes";
	struct groups g;
	(void)state;
	make_v1("memory", "memory.usage_in_bytes", "memory.limit_in_bytes", "536870912\n");
	make_file(file, "0\n");
	groups_find(&g, root, theirs, "");
	groups_limit_sockets(&g);
	expect_file(file, "134217728");
	make_file("memory/docker/c1/memory.limit_in_bytes", "9223372036854771712\n");
	make_file(file, "0\n");
	groups_find(&g, root, theirs, "");
	groups_limit_sockets(&g); /* nothing of nothing */
	expect_file(file, "0\n");
}

static void groups_that_we_are_in_are_not_an_engines(void **state)
{
	struct groups g;
	(void)state;
	make_v1("memory", "memory.usage_in_bytes", "memory.limit_in_bytes", "536870912\n");
	groups_find(&g, root, "4:memory:/docker/c1\n", "4:memory:/docker/c1\n");
	assert_int_equal(g.kind, LIMITS_ENGINE);
	assert_int_equal(g.n, 0);
	groups_find(&g, root, "4:memory:/../docker/c1\n", "");
	assert_int_equal(g.n, 0);
	groups_find(&g, root, "nonsense\n::\n4:memory\n", "");
	assert_int_equal(g.n, 0);
}

/* crun: what is limited is one level above the processes. */
static void a_group_of_version_2_above_the_processes(void **state)
{
	struct groups g;
	char dir[512];
	(void)state;
	make_file("cgroup.controllers", "memory pids\n");
	make_dir("libpod-c1.scope");
	make_dir("libpod-c1.scope/container");
	make_file("libpod-c1.scope/memory.current", "1\n");
	make_file("libpod-c1.scope/memory.max", "536870912\n");
	make_file("libpod-c1.scope/pids.current", "1\n");
	make_file("libpod-c1.scope/pids.max", "128\n");
	make_file("libpod-c1.scope/cpu.stat", "usage_usec 7\n");
	make_file("libpod-c1.scope/cpu.max", "max 100000\n");
	groups_find(&g, root, "0::/libpod-c1.scope/container\n", "0::/user.slice\n");
	assert_int_equal(g.kind, LIMITS_CGROUP_V2);
	snprintf(dir, sizeof dir, "%s/libpod-c1.scope", root);
	assert_string_equal(groups_dir(&g, LIMIT_MEMORY), dir);
	assert_int_equal(g.limits, LIMIT_MEMORY | LIMIT_PIDS | LIMIT_CPUACCT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_quota_follows_the_cores),
			cmocka_unit_test(names_of_supervisors),
			ON_A_TREE(an_engines_groups_are_found),
			ON_A_TREE(sockets_of_an_engines_group_get_a_limit),
			ON_A_TREE(groups_that_we_are_in_are_not_an_engines),
			ON_A_TREE(a_group_of_version_2_above_the_processes),
			ON_A_TREE(version_1_makes_one_group_in_each_tree),
			ON_A_TREE(version_1_writes_its_limits),
			ON_A_TREE(version_1_without_swap_counting),
			ON_A_TREE(version_2_steps_aside_where_it_is_alone),
			ON_A_TREE(version_2_leaves_a_client_where_it_is),
			ON_A_TREE(version_2_leaves_others_alone),
			ON_A_TREE(version_2_knows_where_it_stepped),
			ON_A_TREE(version_2_writes_its_limits),
			ON_A_TREE(kills_for_memory_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
