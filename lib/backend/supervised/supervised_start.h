/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISED_START_H
#define TRM_SUPERVISED_START_H

/* Starting the supervisor of a new sandbox, of any backend that has one. */

#include "backend/host/rundir.h"
#include "backend/supervised/supervised.h"
#include "base/buf.h"

/* Everything is borrowed. A descriptor of -1 means that the sandbox does not need it. */
struct supervised_request {
	const struct rundir_entry *entry;
	struct buf *spec; /* a spec_msg (wire/control.h) */
	int agent_fd;     /* what the supervisor gets as SUPERVISOR_AGENT, … */
	int certs_fd, plan_fd, snapshot_fd;
	const int *mount_fds; /* n_mounts of them */
	size_t n_mounts;
	uint64_t disk_bytes; /* for started.disk_bytes */
};

/* The initial value: no descriptor is open. */
#define SUPERVISED_REQUEST_INIT .agent_fd = -1, .certs_fd = -1, .plan_fd = -1, .snapshot_fd = -1
/* Close agent_fd, certs_fd, plan_fd and snapshot_fd, for a caller that opened them for this request. */
void supervised_request_close(const struct supervised_request *request);

/* 0, or a code; then nothing was started and nothing is left behind. */
int supervised_start(const struct supervised_request *request, struct started *ret, struct trm_error *reterr);

#endif
