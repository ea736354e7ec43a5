/* SPDX-License-Identifier: MIT */
#ifndef TUI_SEQUENCE_H
#define TUI_SEQUENCE_H

/* One control sequence from a terminal (CSI or SS3): its parts, and the key, click or change of focus
 * that it means. For keys.c. */

#include <stdbool.h>
#include <stddef.h>

#include "cells/event.h"

#define SEQUENCE_MAX 64 /* bytes; longer sequences are no keys */

struct sequence {
	size_t len;      /* length, if WHOLE or BROKEN */
	char introducer; /* '[' or 'O' */
	char prefix;     /* '<', '?', '>' or '=' before the parameters, else 0 */
	char final;
	int params[4]; /* -1: missing */
	int subparam;  /* after a ':' in the second parameter (kitty: 3 is a release), else 0 */
	int n_params;
	bool is_linux_f;  /* CSI [ A to E: F1 to F5 of the Linux console */
	const char *tail; /* X10 mouse: the three bytes after CSI M */
	bool is_known;    /* set by sequence_event(): it is known, even if it is no event */
};

enum sequence_result { SEQUENCE_WHOLE, SEQUENCE_MORE, SEQUENCE_BROKEN };

/* Parse s[0..n), which begins with ESC [ or ESC O. BROKEN: drop ret->len bytes. */
enum sequence_result sequence_parse(const char *s, size_t n, struct sequence *ret);

/* The event that it means. False: none. */
bool sequence_event(struct sequence *seq, struct event *ret);

/* The key of a C0 control or DEL. */
void sequence_control(unsigned char c, struct event *ret);

#endif
