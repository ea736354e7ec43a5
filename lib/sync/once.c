/* SPDX-License-Identifier: MIT */
#include "base/err.h"
#include "sync/sync.h"

int trm_run_once(const char *language, const char *code, struct trm_execution *ret, struct trm_error *reterr)
{
	struct trm_sync_opts opts;
	struct trm_sync *s = NULL;
	*ret = (struct trm_execution){.status = "unknown", .language = "unknown", .exit_code = -1};
	trm_sync_opts_default(&opts);
	int r = language ? trm_lang_find(language, &opts.language, reterr) : 0;
	if (r == 0)
		r = trm_sync_create(&opts, &s, reterr);
	if (r == 0)
		r = trm_sync_start(s, reterr);
	if (r == 0)
		r = trm_sync_run(s, code, ret, reterr);
	trm_sync_destroy(s);
	return r;
}
