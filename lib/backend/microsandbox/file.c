/* SPDX-License-Identifier: MIT */
/* Files, and what else a server of 0.2.x has no methods for. */
#include "backend/microsandbox/msb.h"

static const struct {
	enum frame_type type;
	const char *sentence;
} REFUSED[] = {
		{FRAME_PUT, "a plain microsandbox server takes no files: mount a volume (--volume), or let code write "
			    "them"},
		{FRAME_GET, "a plain microsandbox server gives no files: mount a volume (--volume), or let code print "
			    "them"},
		{FRAME_TREE_PUT,
				"a plain microsandbox server takes no files: mount a volume (--volume), or let code "
				"write them"},
		{FRAME_TREE_GET,
				"a plain microsandbox server gives no files: mount a volume (--volume), or let code "
				"print them"},
		{FRAME_FILE_OP, "a plain microsandbox server does nothing with files: let a command do it"},
		{FRAME_SIGNAL_PID, "a microsandbox server sends no signals to processes"},
};

void msb_file_frame(struct msb *m, const struct frame *frame)
{
	for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
		if (REFUSED[i].type == frame->type)
			error_msg_put(&m->out, frame->stream, TRM_ENOTSUP, REFUSED[i].sentence);
}
