/* SPDX-License-Identifier: MIT */
/* Ranges of addresses: what is read can be written, and read again as the same. Never opened is what means
 * this machine. */
#include <stdlib.h>
#include <string.h>

#include "base/cidr.h"
#include "fuzz/fuzz.h"

static void check_one(const struct cidr *c)
{
	struct cidr again;
	char text[CIDR_TEXT];
	cidr_format(c, text);
	if (strlen(text) >= sizeof text || cidr_parse(text, strlen(text), &again, NULL) < 0)
		abort();
	if (!cidr_holds(c, &again) || !cidr_holds(&again, c) || !cidr_meets(c, &again))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct cidr one, list[CIDR_LIST_MAX];
	size_t n_list = 0;
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = '\0';
	if (cidr_parse(text, n, &one, NULL) == 0)
		check_one(&one);
	if (cidr_parse_list(text, list, &n_list, NULL) == 0) {
		for (size_t i = 0; i < n_list; i++) {
			const struct cidr_refused *row = cidr_find_refused(&list[i]);
			check_one(&list[i]);
			if (row && row->kind == CIDR_NEVER)
				abort();
		}
	}
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("10.1.0.0/16, fd00::/8"),
		SEED("127.0.0.1"),
		SEED("169.254.169.254 192.168.1.7/32"),
		SEED("::ffff:10.0.0.1"),
		SEED("64:ff9b::a00:1/128,2002:7f00:1::/48"),
		SEED("0.0.0.0/0"),
		{NULL, 0},
};
