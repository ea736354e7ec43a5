/* SPDX-License-Identifier: MIT */
#include "term/direct.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
	".local direct_begin, direct_end\n"
	"direct_begin:\n.incbin \"" TERMINFO_BUILD_DIR "/t/" DIRECT_NAME "\"\ndirect_end:\n"
	".previous\n");
extern const unsigned char direct_begin[], direct_end[];

bool direct_is_wanted(void)
{
	/* Not screen: it knows no 24-bit color, and passes on the COLORTERM of the surrounding terminal. */
	static const char *const kinds[] = {"xterm", "tmux", "alacritty", "foot", "kitty", "wezterm",
			"konsole", "vte", "gnome", "st-", "rio", "ghostty", "contour", "iterm"};
	const char *says = getenv("COLORTERM"), *term = getenv("TERM");
	if (!says || !term || (strcmp(says, "truecolor") != 0 && strcmp(says, "24bit") != 0))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(term, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

char *direct_terminfo(void)
{
	static const char digits[] = "0123456789ABCDEF", prefix[] = "hex:";
	size_t n = (uintptr_t)direct_end - (uintptr_t)direct_begin, len = sizeof(prefix) - 1;
	char *out = malloc(len + n * 2 + 1);
	if (!out)
		return NULL;
	memcpy(out, prefix, len);
	for (size_t i = 0; i < n; i++) {
		out[len++] = digits[direct_begin[i] >> 4];
		out[len++] = digits[direct_begin[i] & 15];
	}
	out[len] = '\0';
	return out;
}
