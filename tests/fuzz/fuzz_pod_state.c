/* SPDX-License-Identifier: MIT */
/* JSON of an API server, as the watch of a pod reads it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "kube/pod_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct json_value value, items, item, name;
	char state[POD_STATE], text[32];
	char *copy = malloc(n ? n : 1); /* exactly as long, so that reading behind it is seen */
	if (n)
		memcpy(copy, bytes, n);
	if (copy && json_scan(copy, n, &value)) {
		if (value.at < copy || value.n > n)
			abort();
		if (strlen(pod_state_format(value, KUBE_MAIN, state)) >= sizeof state)
			abort();
		json_member(value, "items", &items);
		while (json_item(&items, &item))
			if (json_member(item, "kind", &name)
					&& strlen(json_value_text(name, text, sizeof text)) >= sizeof text)
				abort();
	}
	free(copy);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"metadata\":{\"deletionTimestamp\":\"x\"},\"status\":{\"reason\":\"Evicted\",\"message\":\"\\ud83d\\ude00\"}}"),
		SEED("{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"message\":\"0/1\"}],"
		     "\"initContainerStatuses\":[{\"name\":\"cut-network\",\"ready\":false,\"state\":{\"terminated\":{\"exitCode\":1}}}],"
		     "\"containerStatuses\":[{\"name\":\"sandbox\",\"state\":{\"waiting\":{\"reason\":\"ErrImagePull\"}}}]}}"),
		SEED("{\"items\":[{\"kind\":\"Pod\"},{\"kind\":\"Config\\u004dap\"}]}"),
		{NULL, 0},
};
