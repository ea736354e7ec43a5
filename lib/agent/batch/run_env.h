/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_RUN_ENV_H
#define TRM_AGENT_RUN_ENV_H

/* The variables and the working directory of one run: commands inherit them from the driver. */

struct order;

struct run_env {
	const struct order *order;
	char **before; /* of the order's variables, as they were; an element is NULL where there was none */
	int cwd_fd;    /* -1: it has not changed */
};

/* What cannot be changed is said on stderr. */
void run_env_begin(struct run_env *env, const struct order *order);
/* As it was. */
void run_env_end(struct run_env *env);

#endif
