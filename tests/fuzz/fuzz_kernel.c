/* SPDX-License-Identifier: MIT */
/* What a kernel writes on its control descriptor. */
#include <stdlib.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "kernel/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct kernel_lines lines;
	kernel_lines_init(&lines);
	size_t step = n ? bytes[0] + 1u : 1;
	for (size_t at = 1; at < n; at += step) {
		char *line;
		size_t len;
		if (kernel_lines_feed(&lines, bytes + at, n - at < step ? n - at : step) < 0)
			break;
		while ((line = kernel_lines_next(&lines, &len))) {
			struct kernel_event event;
			struct trm_error e;
			if (kernel_event_decode(line, len, &event, &e) == 0)
				kernel_event_finish(&event);
			kernel_lines_done(&lines, len);
		}
	}
	kernel_lines_finish(&lines);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED(" {\"ev\":\"ready\",\"version\":\"3.11.2\"}\n"),
		SEED("\x05{\"ev\":\"done\",\"id\":\"7\",\"status\":\"ok\",\"value\":\"2\",\"set\":1,\"cpu_us\":12}\n"),
		SEED("\x50{\"ev\":\"done\",\"id\":\"7\",\"status\":\"error\",\"exit_code\":1,\"error\":{\"name\":\"E\","
		     "\"message\":\"m\",\"traceback\":[\"a\",\"b\"]}}\n"),
		SEED("\xff{\"ev\":\"display\",\"id\":\"7\",\"data\":{\"image/png\":\"aGk=\",\"text/plain\":\"x\"}}\n"),
		SEED("\xff{\"ev\":\"input\",\"id\":\"7\",\"prompt\":\"? \",\"secret\":true}\n{\"ev\":\"late\",\"stream\":"
		     "\"stderr\",\"text\":\"\\ud800\"}\n"),
		SEED("\xff{\"ev\":\"reply\",\"id\":\"8\",\"data\":{\"matches\":[\"a\"],\"start\":0,\"end\":1}}\n"),
		{NULL, 0},
};
