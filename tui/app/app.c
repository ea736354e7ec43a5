/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <stdio.h>
#include <string.h>

void app_opts_default(struct app_opts *opts)
{
	memset(opts, 0, sizeof *opts);
	trm_sandbox_opts_default(&opts->sandbox);
	trm_session_opts_default(&opts->session);
	opts->confirm = true;
}

int app_main(const struct app_opts *opts)
{
	(void)opts;
	fprintf(stderr, "terrarium: the workbench is not part of this build\n");
	return 125;
}
