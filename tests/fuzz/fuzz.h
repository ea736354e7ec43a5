/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry: must not crash, leak or hang, whatever the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Inputs to start from, for mutate.c; ends with n == 0. What libFuzzer has found lies in corpus/NAME besides,
 * one input a file. */
struct fuzz_seed {
	const char *bytes;
	size_t n;
};
#define SEED(text) \
	{ \
		text, sizeof text - 1 \
	}
extern const struct fuzz_seed fuzz_seeds[];

#endif
