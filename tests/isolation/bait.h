/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ISOLATION_BAIT_H
#define TESTS_ISOLATION_BAIT_H

/* What lies about on the host for attacks to find: a folder with a secret in it, a process with the secret in
 * its arguments and environment, sockets, shared memory, System V objects. All of it goes with bait_remove().
 */

#include <stddef.h>
#include <sys/types.h>

enum { BAIT_ARGS = 8 };

struct bait {
	char word[32], dir[64];
	pid_t pid;
	int key, queue, semaphores, segment; /* System V; -1: there is none */
	int tcp, tcp6, abstract, file;       /* sockets that listen; -1: there is none */
	int abstract_datagrams, file_datagrams, file_packets;
	char args[BAIT_ARGS][512]; /* for the program: isolation/attack/attack.h */
};

void bait_lay(struct bait *b);
void bait_remove(struct bait *b);
/* Command line of the program against that victim; borrows from b. `ret` has room for BAIT_ARGS + 3. */
void bait_command(const struct bait *b, const char *program, const char *victim, const char **ret);

#endif
