/* SPDX-License-Identifier: MIT */
#include "output/cursor_sequences.h"

#include <string.h>

enum { GROUND, ESCAPE, CSI };

#define ESC 0x1b

/* ECMA-48 by final byte: A B e k CUU CUD VPR VPB, E F CNL CPL, H f HVP CUP, d VPA, J ED, L M IL DL, S T SU
 * SD, P @ X DCH ICH ECH, r DECSTBM, s u save and restore, I Z tabs, a j ` HPR HPB HPA, b REP. */
static const char csi_finals[] = "ABEFHIJLMPSTXZ@`abdefjkrsu";
/* DECSC DECRC, IND RI NEL, RIS. */
static const char escape_finals[] = "78DMEc";

static bool is_one_of(const char *set, uint8_t b)
{
	return b && strchr(set, b);
}

/* Handle a byte of a sequence. True: it completes a sequence that moves the cursor. */
static bool step_sequence(struct cursor_sequences *m, uint8_t b)
{
	bool is_csi = m->state == CSI;

	if (b == ESC) {
		m->state = ESCAPE;
		return false;
	}
	if ((b < 0x20 && b != 0x18 && b != 0x1a) || b == 0x7f)
		return false; /* C0 controls within a sequence are carried out or ignored */
	if (!is_csi && b == '[') {
		m->state = CSI;
		m->is_private = false;
		return false;
	}
	if (is_csi && b >= 0x20 && b < 0x40) {
		m->is_private |= b < '0' || b > ';';
		return false;
	}
	m->state = GROUND;
	return is_csi ? !m->is_private && is_one_of(csi_finals, b) : is_one_of(escape_finals, b);
}

size_t cursor_sequences_find(struct cursor_sequences *m, const char *bytes, size_t n)
{
	const char *p = bytes, *end = bytes + n;

	while (p < end) {
		if (m->state == GROUND) {
			p = memchr(p, ESC, (size_t)(end - p));
			if (!p)
				return n;
		}
		if (step_sequence(m, (uint8_t)*p))
			return (size_t)(p - bytes);
		p++;
	}
	return n;
}
