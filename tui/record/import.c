/* SPDX-License-Identifier: MIT */
#include "record/import.h"

#include <stdlib.h>

#include <terrarium/error.h>

#include "notebook/notebook.h"
#include "record/writer.h"

int notebook_import(
		const char *json, size_t n, struct writer *w, struct imported *ret, struct trm_error *reterr)
{
	struct notebook *nb;
	char *script = NULL;
	size_t len = 0;
	int r = notebook_parse(json, n, &nb, reterr);

	if (r < 0)
		return r;
	FILE *out = open_memstream(&script, &len);
	if (out)
		notebook_put_script(nb, out);
	if (!out || fclose(out) != 0)
		r = trm_error_set(reterr, TRM_ENOMEM, "it is too big, or memory is short");
	else
		writer_put(w, script, len);
	*ret = (struct imported){.lang = nb->lang,
			.n_code = nb->n_code,
			.n_text = nb->n_text,
			.n_outputs = nb->n_outputs,
			.n_foreign = nb->n_foreign,
			.is_lang_guessed = nb->is_lang_guessed};
	free(script);
	notebook_destroy(nb);
	return r;
}
