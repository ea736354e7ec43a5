/* SPDX-License-Identifier: MIT */
/* Lines of notebooks: what is run and what a policy reads has the lines of what was written. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/magic.h>

#include "fuzz/fuzz.h"

static size_t count_newlines(const char *text, size_t n)
{
	size_t lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

static void check_text(const struct trm_lang *lang, const char *code, size_t n)
{
	struct trm_magic m;
	char hint[100];
	trm_magic_hint(lang, code, n, hint, sizeof hint);
	trm_magic_is_cell(lang, code, n);
	trm_magic_is_command(lang, code, n);
	if (trm_magic_read(lang, code, n, &m, NULL) <= 0)
		return;
	size_t lines = count_newlines(code, n);
	bool is_file = memmem(m.code, m.code_len, "__magic__.", 10) || memmem(m.code, m.code_len, "cat >", 5);
	if (!is_file && count_newlines(m.code, m.code_len) != lines)
		abort();
	if (m.shell && count_newlines(m.shell, m.shell_len) != count_newlines(m.plain, m.plain_len))
		abort();
	trm_magic_finish(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = '\0';
	for (unsigned i = 0; i < trm_lang_count(); i++)
		check_text(trm_lang_at(i), text, n);
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("!ls\nx = 1\n%time f(\n)\n%pip install six 'rich>=1'\ny = !cat {z} \\\n a\n"),
		SEED("%%time\n%%bash\nls\n"),
		SEED("%%writefile -a f\nEND_OF_FILE\n"),
		SEED("x = '''\n!a\n''' \\\n% 3 ; \"\\\"\n!b"),
		SEED("!pip list\n!./x y\n"),
		{NULL, 0},
};
