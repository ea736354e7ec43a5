/* SPDX-License-Identifier: MIT */
#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "record/import.h"
#include "record/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct imported found;
	struct trm_error e;
	struct writer w;
	writer_init(&w, WRITER_MAX);
	notebook_import((const char *)bytes, n, &w, &found, &e);
	writer_finish(&w);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"nbformat\":4,\"metadata\":{\"kernelspec\":{\"language\":\"python\"}},\"cells\":[{\"cell_type\":\"code\","
		     "\"source\":[\"%%bash\\n\",\"ls\"],\"outputs\":[{}]},{\"cell_type\":\"markdown\",\"source\":\"# x\"}]}"),
		SEED("{\"worksheets\":[{\"cells\":[{\"cell_type\":\"code\",\"input\":\"%%script node\\n1\",\"metadata\":{"
		     "\"terrarium\":{\"language\":\"javascript\"}}}]}]}"),
		{NULL, 0},
};
