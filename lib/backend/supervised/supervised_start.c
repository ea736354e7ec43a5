/* SPDX-License-Identifier: MIT */
#include "backend/supervised/supervised_start.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/host/program.h"
#include "backend/host/spawn.h"
#include "base/err.h"
#include "embed/embed.h"
#include "wire/control.h"

void supervised_request_close(const struct supervised_request *request)
{
	const int fds[] = {request->agent_fd, request->certs_fd, request->plan_fd, request->snapshot_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Descriptors that each start opens; -1: not open yet. The caller gets STREAM and NEAR, the rest is closed.
 */
enum part { NULL_FD, PROGRAM, LISTEN, CONTROL, FAR, THEIRS, STREAM = THEIRS, NEAR, PARTS };

static int open_parts(int p[PARTS], const struct rundir_entry *entry, struct trm_error *reterr)
{
	int line[2];
	struct embed supervisor = embed_supervisor();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a connection to the supervisor");
	p[NEAR] = line[0];
	p[FAR] = line[1];
	if ((p[NULL_FD] = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		return trm_error_set_errno(reterr, errno, "cannot open /dev/null");
	if ((p[PROGRAM] = program_open(entry->run_fd, supervisor.bytes, supervisor.n, reterr)) < 0)
		return p[PROGRAM];
	return rundir_listen(entry, &p[LISTEN], &p[CONTROL], &p[STREAM], reterr);
}

static int send_spec(int control_fd, struct buf *spec, struct trm_error *reterr)
{
	if (send(control_fd, buf_at(spec), spec->len, MSG_NOSIGNAL) < 0)
		return trm_error_set_errno(reterr, errno, "cannot tell the supervisor what to start");
	return 0;
}

static pid_t spawn_supervisor(
		const int p[PARTS], const struct supervised_request *q, struct trm_error *reterr)
{
	int fds[SUPERVISOR_MOUNTS + CONTROL_MAX_MOUNTS] = {
			[SUPERVISOR_CLIENT] = p[FAR],
			[SUPERVISOR_RUN_DIR] = q->entry->run_fd,
			[SUPERVISOR_ENTRY_DIR] = q->entry->entry_fd,
			[SUPERVISOR_LISTEN] = p[LISTEN],
			[SUPERVISOR_CONTROL] = p[CONTROL],
			[SUPERVISOR_AGENT] = q->agent_fd,
			[SUPERVISOR_CERTS] = q->certs_fd,
			[SUPERVISOR_PLAN] = q->plan_fd,
			[SUPERVISOR_SNAPSHOT] = q->snapshot_fd,
	};
	fds[0] = fds[1] = fds[2] = p[NULL_FD];
	for (size_t i = 0; i < SUPERVISOR_FD_END; i++)
		if (fds[i] < 0)
			fds[i] = p[NULL_FD];
	for (size_t i = 0; i < q->n_mounts; i++)
		fds[SUPERVISOR_MOUNTS + i] = q->mount_fds[i];
	return spawn_program(
			p[PROGRAM], "terrarium-supervisor", fds, SUPERVISOR_MOUNTS + q->n_mounts, reterr);
}

int supervised_start(const struct supervised_request *request, struct started *ret, struct trm_error *reterr)
{
	int p[PARTS];
	pid_t pid = -1;
	for (size_t i = 0; i < PARTS; i++)
		p[i] = -1;
	int r = open_parts(p, request->entry, reterr);
	if (r == 0)
		r = send_spec(p[NEAR], request->spec, reterr);
	if (r == 0)
		r = pid = spawn_supervisor(p, request, reterr);
	for (size_t i = 0; i < (r < 0 ? PARTS : THEIRS); i++)
		if (p[i] >= 0)
			close(p[i]);
	embed_forget(); /* both programs have been copied */
	if (r < 0)
		return r;
	*ret = (struct started){p[STREAM], p[NEAR], pid, request->disk_bytes};
	return 0;
}
