/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "backend/host/rundir.h"
#include "cmocka_all.h"
#include "wire/control.h"

static char base[64], dir[128];

static int make_base(void **state)
{
	(void)state;
	snprintf(base, sizeof base, "/tmp/rundir-XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(dir, sizeof dir, "%s/terrarium", base);
	return setenv("XDG_RUNTIME_DIR", base, 1);
}

static int remove_base(void **state)
{
	(void)state;
	rmdir(dir);
	assert_int_equal(rmdir(base), 0); /* nothing is left in it */
	return 0;
}

static void it_is_made_and_closed_to_others(void **state)
{
	char path[RUNDIR_PATH];
	struct stat st;
	(void)state;
	int fd = rundir_open(path, NULL);
	assert_true(fd >= 0);
	assert_string_equal(path, dir);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

/* As the supervisor of the last sandbox does while the next sandbox starts. */
static void it_is_made_again_when_somebody_removes_it(void **state)
{
	enum { TIMES = 5000 };
	char path[RUNDIR_PATH];
	struct trm_error e;
	(void)state;
	pid_t parent = getpid(), remover = fork();
	if (remover == 0) {
		while (getppid() == parent)
			rmdir(dir);
		_exit(0);
	}
	assert_true(remover > 0);
	int fd = 0;
	for (int i = 0; i < TIMES && fd >= 0; i++) {
		fd = rundir_open(path, &e);
		if (fd >= 0)
			close(fd);
	}
	kill(remover, SIGKILL);
	waitpid(remover, NULL, 0);
	if (fd < 0)
		fail_msg("%s", e.msg);
}

static void one_open_to_others_is_refused(void **state)
{
	char path[RUNDIR_PATH];
	struct trm_error e;
	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(rundir_open(path, &e), TRM_EPERM);
	assert_non_null(strstr(e.msg, dir));
	rmdir(dir);
	assert_int_equal(symlink("/tmp", dir), 0);
	assert_int_equal(rundir_open(path, &e), TRM_EPERM);
	unlink(dir);
}

static void a_base_that_others_may_read_will_do(void **state)
{
	char path[RUNDIR_PATH];
	(void)state;
	assert_int_equal(chmod(base, 0755), 0);
	int fd = rundir_open(path, NULL);
	assert_true(fd >= 0);
	assert_string_equal(path, dir);
	close(fd);
}

static void a_base_that_others_may_write_is_refused(void **state)
{
	char path[RUNDIR_PATH];
	struct trm_error e;
	(void)state;
	assert_int_equal(chmod(base, 0777), 0);
	assert_int_equal(rundir_open(path, &e), TRM_EPERM);
	assert_non_null(strstr(e.msg, base));
	assert_non_null(strstr(e.msg, "0777"));
	assert_int_equal(rundir_find(path, &e), TRM_EPERM);
	assert_int_equal(chmod(base, 0700), 0);
}

static void without_a_base_there_is_another_place(void **state)
{
	char path[RUNDIR_PATH];
	(void)state;
	setenv("XDG_RUNTIME_DIR", "/nowhere/at/all", 1);
	int fd = rundir_open(path, NULL);
	assert_true(fd >= 0);
	assert_true(strncmp(path, "/run/terrarium", 14) == 0 || strncmp(path, "/tmp/terrarium-", 15) == 0);
	close(fd);
	rmdir(path);
	setenv("XDG_RUNTIME_DIR", base, 1);
}

static void a_name_is_taken_once(void **state)
{
	struct rundir_entry first = {0}, second = {0};
	struct trm_error e;
	(void)state;
	assert_int_equal(rundir_entry_make(&first, "one", &e), 0);
	assert_int_equal(rundir_entry_make(&second, "one", &e), TRM_EEXIST);
	assert_non_null(strstr(e.msg, "'one'"));
	assert_int_equal(rundir_entry_make(&second, "two", &e), 0);
	rundir_entry_remove(&first);
	rundir_entry_remove(&second);
	assert_int_equal(access(dir, F_OK), -1); /* the last one takes the directory along */
}

static void one_left_behind_is_taken_over(void **state)
{
	struct rundir_entry e = {0};
	int listen_fd, handoff_fd, stream_fd;
	(void)state;
	assert_int_equal(rundir_entry_make(&e, "one", NULL), 0);
	assert_int_equal(rundir_listen(&e, &listen_fd, &handoff_fd, &stream_fd, NULL), 0);
	close(listen_fd);
	close(handoff_fd);
	close(stream_fd);
	rundir_entry_leave(&e); /* the lock goes, the directory and the socket stay */
	assert_int_equal(rundir_entry_make(&e, "one", NULL), 0);
	assert_int_equal(rundir_listen(&e, &listen_fd, &handoff_fd, &stream_fd, NULL), 0);
	close(listen_fd);
	close(handoff_fd);
	close(stream_fd);
	rundir_entry_remove(&e);
}

static void the_connection_waits_in_the_backlog(void **state)
{
	struct rundir_entry e = {0};
	int listen_fd, handoff_fd, stream_fd;
	char byte;
	(void)state;
	assert_int_equal(rundir_entry_make(&e, "one", NULL), 0);
	assert_int_equal(rundir_listen(&e, &listen_fd, &handoff_fd, &stream_fd, NULL), 0);
	assert_true(fcntl(stream_fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(write(stream_fd, "x", 1), 1);
	int fd = accept(listen_fd, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(fd);
	close(listen_fd);
	close(handoff_fd);
	close(stream_fd);
	rundir_entry_remove(&e);
}

static void a_long_path_works(void **state)
{
	char deep[200];
	struct rundir_entry e = {0};
	int listen_fd, handoff_fd, stream_fd;
	(void)state;
	snprintf(deep, sizeof deep, "%s/%0120d", base, 0);
	assert_int_equal(mkdir(deep, 0700), 0);
	setenv("XDG_RUNTIME_DIR", deep, 1);
	assert_int_equal(rundir_entry_make(&e, "one", NULL), 0);
	assert_int_equal(rundir_listen(&e, &listen_fd, &handoff_fd, &stream_fd, NULL), 0);
	close(listen_fd);
	close(handoff_fd);
	close(stream_fd);
	rundir_entry_remove(&e);
	setenv("XDG_RUNTIME_DIR", base, 1);
	assert_int_equal(rmdir(deep), 0);
}

/* As when the other side was stopped, and many have come since. */
static void nobody_waits_without_end_to_be_let_in(void **state)
{
	enum { MANY = 200 };
	struct rundir_entry e = {0};
	struct trm_error why = {0};
	int listen_fd, handoff_fd, stream_fd, fds[MANY], n = 0;
	(void)state;
	assert_int_equal(rundir_entry_make(&e, "one", NULL), 0);
	assert_int_equal(rundir_listen(&e, &listen_fd, &handoff_fd, &stream_fd, NULL), 0);
	alarm(60);
	while (n < MANY && (fds[n] = rundir_connect(NULL, e.entry_fd, "one", AGENT_FILE, &why)) >= 0)
		n++;
	alarm(0);
	assert_true(n < MANY);
	assert_int_equal(why.code, TRM_ETIMEDOUT);
	assert_non_null(strstr(why.msg, "'one'"));
	while (n)
		close(fds[--n]);
	close(listen_fd);
	close(handoff_fd);
	close(stream_fd);
	rundir_entry_remove(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					it_is_made_and_closed_to_others, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					it_is_made_again_when_somebody_removes_it, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					one_open_to_others_is_refused, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					a_base_that_others_may_read_will_do, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					a_base_that_others_may_write_is_refused, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					without_a_base_there_is_another_place, make_base, remove_base),
			cmocka_unit_test_setup_teardown(a_name_is_taken_once, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					one_left_behind_is_taken_over, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					the_connection_waits_in_the_backlog, make_base, remove_base),
			cmocka_unit_test_setup_teardown(
					nobody_waits_without_end_to_be_let_in, make_base, remove_base),
			cmocka_unit_test_setup_teardown(a_long_path_works, make_base, remove_base),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
