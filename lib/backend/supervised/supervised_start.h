/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISED_START_H
#define TRM_SUPERVISED_START_H

/* Starting the supervisor of a new sandbox, of any backend that has one. */

#include "backend/host/rundir.h"
#include "backend/supervised/supervised.h"
#include "base/buf.h"

/* Everything is borrowed. Descriptors that are -1 are not needed. */
struct supervised_request {
	const struct rundir_entry *entry;
	struct buf *spec; /* a spec_msg (wire/control.h) */
	int agent_fd;     /* what the supervisor gets as SUPERVISOR_AGENT, … */
	int certs_fd, plan_fd, snapshot_fd;
	const int *mount_fds; /* n_mounts of them */
	size_t n_mounts;
	uint64_t disk_bytes; /* for started.disk_bytes */
};

/* 0, or a code; then nothing was started and nothing is left behind. */
int supervised_start(const struct supervised_request *request, struct started *ret, struct trm_error *reterr);

#endif
