/* SPDX-License-Identifier: MIT */
/* Keys as the config names them: what is understood can be written, and is the same when it is read again. */
#include <stdlib.h>
#include <string.h>

#include "command/keymap.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct keys keys = {0}, again = {0};
	char written[KEYMAP_NAME_BYTES], twice[KEYMAP_NAME_BYTES];
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = '\0';
	if (keys_parse(text, &keys) == 0) {
		keys_write(&keys, written);
		if (keys_parse(written, &again) < 0)
			abort();
		keys_write(&again, twice);
		if (strcmp(written, twice) != 0)
			abort();
		keys_name(&keys, written);
	}
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {SEED("ctrl-x ctrl-s"), SEED("shift-f6"), SEED("alt-é"), SEED("f12"),
		SEED("ctrl-alt-pgdn"), {NULL, 0}};
