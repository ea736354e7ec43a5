/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MONKEY_H
#define TESTS_MONKEY_H

/* A workbench in the hands of something that knows no manners: random keys, commands, pastes, mouse, sizes,
 * and whatever a sandbox may tell, in any order. After each of them the model must be in order. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"

struct grammars;

struct monkey {
	uint64_t random;
	uint64_t now_ns;
	struct model model;
	struct effects effects;
	bool is_performing; /* effects: those of what is told meanwhile are added to the list */
	struct canvas canvas;
	struct grammars *grammars;
	uint64_t runs;  /* in their sandbox's count */
	char last[128]; /* what it did last, for the report of a crash */
};

uint32_t pick(struct monkey *k, uint32_t below);
/* Random text in a static buffer, valid UTF-8, at most `most` bytes: words, brackets, quotes, odd characters.
 */
const char *pick_text(struct monkey *k, size_t most, size_t *ret_len);
/* Random bytes as a program may print them. */
const char *pick_output(struct monkey *k, size_t *ret_len);

/* Hand a message over, carry its effects out as an app without a sandbox would, and check. */
void tell(struct monkey *k, struct msg msg);

void monkey_person(struct monkey *k);  /* does one thing at the terminal */
void monkey_sandbox(struct monkey *k); /* tells one thing */
void monkey_perform(struct monkey *k, const struct effect *effect);
void monkey_check(struct monkey *k);

#endif
