/* SPDX-License-Identifier: MIT */
/* A notebook that nobody has changed is printed as it was; one that has changed can be read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "notebook/notebook.h"

static char *print_again(const struct notebook *nb, const char *script, size_t n, size_t *ret_n)
{
	static const char outputs[] = "[{\"name\":\"stdout\",\"output_type\":\"stream\",\"text\":[]}]";
	struct notebook_result ran = {.outputs = outputs, .n = sizeof outputs - 1};
	char *printed = NULL;
	FILE *out = open_memstream(&printed, ret_n);

	if (out && notebook_print(nb, script, n, &ran, 0, out) < 0)
		abort();
	if (!out || fclose(out) != 0)
		abort();
	return printed;
}

static void change(const struct notebook *nb, char *script, size_t n)
{
	struct notebook *again;
	struct trm_error e;
	size_t len;

	for (size_t i = 0; i < n; i++)
		if (i % 7 == 3 && script[i] != '\n' && (unsigned char)script[i] < 0x80)
			script[i] = i % 2 ? '%' : '#';
	char *printed = print_again(nb, script, n, &len);
	if (notebook_parse(printed, len, &again, &e) == 0)
		notebook_destroy(again);
	else if (e.code != TRM_ENOMEM && e.code != TRM_ETOOBIG)
		abort();
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct notebook *nb;
	struct trm_error e;
	char *script = NULL;
	size_t len, printed_len;
	if (notebook_parse((const char *)bytes, n, &nb, &e) < 0)
		return 0;
	FILE *out = open_memstream(&script, &len);
	if (!out)
		abort();
	notebook_put_script(nb, out);
	fclose(out);
	if (!nb->is_old) {
		char *printed = print_again(nb, script, len, &printed_len);
		if (printed_len != nb->n || memcmp(printed, nb->json, nb->n) != 0)
			abort();
		free(printed);
		change(nb, script, len);
	}
	free(script);
	notebook_destroy(nb);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"nbformat\":4,\"metadata\":{\"kernelspec\":{\"language\":\"python\"}},\"cells\":[{\"cell_type\":\"code\","
		     "\"source\":[\"%%bash\\n\",\"ls\"],\"outputs\":[{}]},{\"cell_type\":\"markdown\",\"source\":\"# x\"}]}"),
		SEED("{\"worksheets\":[{\"cells\":[{\"cell_type\":\"code\",\"input\":\"%%script node\\n1\",\"metadata\":{"
		     "\"terrarium\":{\"language\":\"javascript\"}}}]}]}"),
		SEED("{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"a\",\n"
		     "   \"metadata\": {\"title\": \"T\"},\n   \"outputs\": [],\n   \"source\": [\n    \"# %% x\\n\",\n"
		     "    \"# # %% \\ud83d\\ude00\\u0000\"\n   ]\n  },\n  {\n   \"cell_type\": \"raw\",\n   \"source\": []\n"
		     "  }\n ],\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"),
		{NULL, 0},
};
