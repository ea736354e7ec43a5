/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_CONTAINER_SETUP_H
#define TRM_AGENT_CONTAINER_CONTAINER_SETUP_H

/* Settling in a container: what the agent does to itself before it serves. Everything that it starts inherits
 * it.
 *
 * Started as root it makes the working directory and gives it to the user whom it then becomes, for good: no
 * supplementary groups, no capabilities, none in the bounding set, no new privileges. Asked to be root it
 * stays what the engine made it. Started as anybody else it is content with that. Of the environment only
 * HOME, USER, LOGNAME, PWD and a missing PATH are set; all other variables stay as the image has them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "agent/container/passwd.h"

struct container_setup_opts {
	const char *user;               /* NULL: whoever it is */
	const char *workdir;            /* absolute; NULL: where it is */
	uint64_t nproc, files, file_mb; /* RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_FSIZE in MiB; 0: as they are */
};

struct container_identity {
	struct passwd passwd;
	char workdir[4096];
	char words[1024]; /* clauses about what could not be done, with "; " between; "": all was */
};

/* What can be gone on without is told in ret->words. An error (nothing to serve with then): no such user, or
 * it may not be become. */
int container_setup(const struct container_setup_opts *opts, struct container_identity *ret,
		struct trm_error *reterr);

#endif
