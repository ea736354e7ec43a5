/* SPDX-License-Identifier: MIT */
#include "isolation/bait.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

static void path_of(const char *dir, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", dir, name);
}

/* ---- sockets ------------------------------------------------------------------------- */

/* -1: no such address here. */
static int listen_at(int type, const struct sockaddr *addr, socklen_t n)
{
	int fd = socket(addr->sa_family, type | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, addr, n) == 0 && listen(fd, 8) == 0)
		return fd;
	close(fd);
	return -1;
}

static int receive_at(const struct sockaddr_un *addr, size_t path_length)
{
	socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_length);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)addr, n), 0);
	return fd;
}

static void lay_packet_sockets(struct bait *b)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX}, file = name;
	int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "%s-datagrams", b->word);
	snprintf(file.sun_path, sizeof file.sun_path, "%s/datagrams", b->dir);
	b->abstract_datagrams = receive_at(&name, 1 + (size_t)n);
	b->file_datagrams = receive_at(&file, strlen(file.sun_path) + 1);
	assert_int_equal(chmod(file.sun_path, 0777), 0);
	snprintf(file.sun_path, sizeof file.sun_path, "%s/packets", b->dir);
	b->file_packets = listen_at(SOCK_SEQPACKET, (struct sockaddr *)&file, sizeof file);
	assert_true(b->file_packets >= 0);
	assert_int_equal(chmod(file.sun_path, 0777), 0);
}

static void lay_sockets(struct bait *b)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	struct sockaddr_un name = {.sun_family = AF_UNIX}, file = name;
	strcpy(name.sun_path + 1, b->word);
	snprintf(file.sun_path, sizeof file.sun_path, "%s/socket", b->dir);
	b->tcp = listen_at(SOCK_STREAM, (struct sockaddr *)&v4, sizeof v4);
	b->tcp6 = listen_at(SOCK_STREAM, (struct sockaddr *)&v6, sizeof v6);
	b->abstract = listen_at(SOCK_STREAM, (struct sockaddr *)&name,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(b->word)));
	b->file = listen_at(SOCK_STREAM, (struct sockaddr *)&file, sizeof file);
	assert_true(b->tcp >= 0 && b->abstract >= 0 && b->file >= 0);
	assert_int_equal(chmod(file.sun_path, 0777), 0);
	lay_packet_sockets(b);
}

static int port_of(int fd)
{
	struct sockaddr_in6 addr = {0}; /* has room for the other, with the port at the same place */
	socklen_t n = sizeof addr;
	return fd >= 0 && getsockname(fd, (struct sockaddr *)&addr, &n) == 0 ? ntohs(addr.sin6_port) : 0;
}

/* ---- the rest -------------------------------------------------------------------------- */

static void write_word(const struct bait *b, const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->word, strlen(b->word)), (ssize_t)strlen(b->word));
	close(fd);
}

static void lay_process(struct bait *b)
{
	char secret[64];
	snprintf(secret, sizeof secret, "ISOLATION_SECRET=%s", b->word);
	b->pid = fork();
	assert_true(b->pid >= 0);
	if (b->pid)
		return;
	char *env[] = {secret, NULL};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* the attack does not look at its own group */
	execle("/bin/sleep", b->word, "600", (char *)NULL, env);
	_exit(127);
}

static void find_spaces(char *out, size_t cap)
{
	static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"};
	size_t n = 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char path[64], link[64];
		snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
		ssize_t len = readlink(path, link, sizeof link);
		n += (size_t)snprintf(out + n, cap - n, "%.*s,", (int)(len > 0 ? len : 0), link);
	}
}

static void tell_args(struct bait *b)
{
	char host[256] = "";
	gethostname(host, sizeof host - 1);
	snprintf(b->args[0], sizeof b->args[0], "bait=%d", (int)b->pid);
	snprintf(b->args[1], sizeof b->args[1], "word=%s", b->word);
	snprintf(b->args[2], sizeof b->args[2], "dir=%s", b->dir);
	snprintf(b->args[3], sizeof b->args[3], "port4=%d", port_of(b->tcp));
	snprintf(b->args[4], sizeof b->args[4], "port6=%d", port_of(b->tcp6));
	snprintf(b->args[5], sizeof b->args[5], "host=%s", host);
	snprintf(b->args[6], sizeof b->args[6], "key=%d", b->key);
	strcpy(b->args[7], "spaces=");
	find_spaces(b->args[7] + strlen("spaces="), sizeof b->args[7] - strlen("spaces="));
}

void bait_lay(struct bait *b)
{
	char path[128];
	*b = (struct bait){.key = (int)getpid() | 0x51000000};
	snprintf(b->word, sizeof b->word, "swordfish-%d", (int)getpid());
	snprintf(b->dir, sizeof b->dir, "/tmp/isolation-bait-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	assert_int_equal(chmod(b->dir, 0755), 0); /* open to a user of the sandbox's own, too */
	path_of(b->dir, "bait", path);
	write_word(b, path);
	path_of("/dev/shm", b->word, path);
	write_word(b, path);
	b->queue = msgget(b->key, IPC_CREAT | 0666);
	b->semaphores = semget(b->key, 1, IPC_CREAT | 0666);
	b->segment = shmget(b->key, 4096, IPC_CREAT | 0666);
	lay_sockets(b);
	lay_process(b);
	setenv("ISOLATION_SECRET", b->word, 1);
	tell_args(b);
}

void bait_remove(struct bait *b)
{
	char path[128];
	static const char *const names[] = {"bait", "socket", "datagrams", "packets"};
	const int sockets[] = {b->tcp, b->tcp6, b->abstract, b->file, b->abstract_datagrams,
			b->file_datagrams, b->file_packets};
	for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++)
		close(sockets[i]);
	msgctl(b->queue, IPC_RMID, NULL);
	semctl(b->semaphores, 0, IPC_RMID);
	shmctl(b->segment, IPC_RMID, NULL);
	kill(b->pid, SIGKILL);
	waitpid(b->pid, NULL, 0);
	path_of("/dev/shm", b->word, path);
	unlink(path);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		path_of(b->dir, names[i], path);
		unlink(path);
	}
	rmdir(b->dir);
	unsetenv("ISOLATION_SECRET");
}

void bait_command(const struct bait *b, const char *program, const char *victim, const char **ret)
{
	size_t n = 0;
	ret[n++] = program;
	ret[n++] = victim;
	for (size_t i = 0; i < BAIT_ARGS; i++)
		ret[n++] = b->args[i];
	ret[n] = NULL;
}
