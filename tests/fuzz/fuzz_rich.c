/* SPDX-License-Identifier: MIT */
/* HTML and Markdown that a sandbox shows: whatever comes out holds no control characters but ours. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "text/rich.h"

static void check(char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == 0x1B
				&& (strncmp(text + i, "\033[1m", 4) == 0
						|| strncmp(text + i, "\033[22m", 5) == 0))
			continue;
		if ((c < 0x20 && c != '\n') || c == 0x7F)
			abort();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t len;
	char *text = rich_from_html((const char *)bytes, n, n % 100, &len);

	if (text)
		check(text, len);
	text = rich_from_markdown((const char *)bytes, n, &len);
	if (text)
		check(text, len);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("<table border='1'><tr><th colspan=\"2\">a</th></tr><tr><td>1.5</td><td>b&amp;c</table><p>x<br>y"),
		SEED("<script>if (a<b) {}</script><h1>T</h1><ul><li>x<li>y</ul><pre> a\n b</pre>&#27;[2J&#x1b;&unknown;<!-- -->"),
		SEED("# Head\n**b** *i* `code` [w](u) ![p](q)\n```\nx\n```\n- item\n\\*"),
		{NULL, 0},
};
