/* SPDX-License-Identifier: MIT */
/* Both steps of a save, one after the other, as tests want it. */
#ifndef TESTS_SAVE_TEXT_H
#define TESTS_SAVE_TEXT_H

#include "editor/editor.h"
#include "text/file.h"

static int save_text(struct editor *e, struct trm_error *reterr)
{
	struct file_saving *saving;
	struct file_stamp stamp;
	int r = editor_save_begin(e, NULL, &saving, reterr);

	if (r < 0)
		return r;
	r = file_save_end(saving, &stamp, reterr);
	editor_saved(e, r == 0 ? &stamp : NULL);
	return r;
}

#endif
