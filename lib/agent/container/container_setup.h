/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_CONTAINER_SETUP_H
#define TRM_AGENT_CONTAINER_CONTAINER_SETUP_H

/* What the agent does to itself in a container before it serves. All programs that it starts inherit this.
 *
 * If it is started as root, it makes the working directory and gives it to the requested user. Then it
 * becomes that user for good: no supplementary groups, no capabilities, none in the bounding set, no new
 * privileges. If root is requested, it stays what the engine made it. If it is started as another user, it
 * stays that user. It sets only HOME, USER, LOGNAME, PWD and a missing PATH; all other variables stay as
 * the image has them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "agent/container/passwd.h"

struct container_setup_opts {
	const char *user;               /* NULL: unchanged */
	const char *workdir;            /* absolute; NULL: unchanged */
	uint64_t nproc, files, file_mb; /* RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_FSIZE in MiB; 0: unchanged */
	bool is_visit; /* in a container that existed before: record the directories that the agent makes */
};

/* Beside the agent's program: the directories that it has made for a visit, one per line. */
#define SETUP_MADE_FILE "made"

struct container_identity {
	struct passwd passwd;
	char workdir[4096];
	char words[1024]; /* failed operations, as clauses separated by "; "; "": nothing failed */
};

/* Failures that the agent can go on with are listed in ret->words. Returns an error, with which it cannot
 * serve, if the user does not exist or may not be changed to. */
int container_setup(const struct container_setup_opts *opts, struct container_identity *ret,
		struct trm_error *reterr);

#endif
