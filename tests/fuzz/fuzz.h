/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry: must not crash, leak or hang, whatever the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Inputs to start from, for mutate.c; ends with n == 0. */
struct fuzz_seed {
	const char *bytes;
	size_t n;
};
extern const struct fuzz_seed fuzz_seeds[];

#endif
