/* SPDX-License-Identifier: MIT */
/* What a kernel writes on its control descriptor. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "fuzz/fuzz.h"
#include "kernel/protocol.h"

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What is read without a tree is read alike with one, as a blank in front has it. */
static void compare(const struct kernel_event *plain, const char *line, size_t n)
{
	char *copy = malloc(n + 1);
	struct kernel_event event;
	struct trm_error e;
	if (!copy)
		return;
	copy[0] = ' ';
	memcpy(copy + 1, line, n);
	if (kernel_event_decode(copy, n + 1, &event, &e) < 0 || event.type != plain->type
			|| event.id != plain->id || event.done != plain->done
			|| event.exit_code != plain->exit_code || event.set != plain->set
			|| event.has_cpu != plain->has_cpu || event.cpu_us != plain->cpu_us
			|| !is_same_text(event.value, plain->value) || event.error_name || event.error_message
			|| event.traceback || event.data || event.text)
		abort();
	kernel_event_finish(&event);
	free(copy);
}

static void decode(char *line, size_t n)
{
	struct kernel_event event;
	struct trm_error e;
	if (kernel_done_read(line, n, &event)) {
		compare(&event, line, n);
		kernel_event_finish(&event);
	}
	if (kernel_event_decode(line, n, &event, &e) == 0)
		kernel_event_finish(&event);
}

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
			decode(line, len);
			kernel_lines_done(&lines, len);
		}
	}
	kernel_lines_finish(&lines);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED(" {\"ev\":\"ready\",\"version\":\"3.11.2\"}\n"),
		SEED("\x05{\"ev\":\"done\",\"id\":\"7\",\"status\":\"ok\",\"value\":\"2\",\"set\":1,\"cpu_us\":12}\n"),
		SEED("\x50{\"ev\":\"done\",\"id\":\"9999999999999999999\",\"status\":\"interrupted\",\"exit_code\":"
		     "255,\"cpu_us\":0}\n"),
		SEED("\x50{\"ev\":\"done\",\"id\":\"7\",\"status\":\"error\",\"exit_code\":1,\"error\":{\"name\":\"E\","
		     "\"message\":\"m\",\"traceback\":[\"a\",\"b\"]}}\n"),
		SEED("\xff{\"ev\":\"display\",\"id\":\"7\",\"data\":{\"image/png\":\"aGk=\",\"text/plain\":\"x\"}}\n"),
		SEED("\xff{\"ev\":\"input\",\"id\":\"7\",\"prompt\":\"? \",\"secret\":true}\n{\"ev\":\"late\",\"stream\":"
		     "\"stderr\",\"text\":\"\\ud800\"}\n"),
		SEED("\xff{\"ev\":\"reply\",\"id\":\"8\",\"data\":{\"matches\":[\"a\"],\"start\":0,\"end\":1}}\n"),
		{NULL, 0},
};
