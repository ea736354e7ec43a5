/* SPDX-License-Identifier: MIT */
/* Drives a fuzz target without libFuzzer: argv[1] inputs, each a few random
 * changes away from a seed. The same sequence every time; what failed is
 * repeated by the number that is printed before the sanitizer stops us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { MAX_INPUT = 4096 };

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t pick(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

static size_t change(uint8_t *b, size_t n)
{
	size_t at = n ? pick((uint32_t)n) : 0;
	switch (pick(6)) {
	case 0:
		if (n)
			b[at] ^= (uint8_t)(1u << pick(8));
		return n;
	case 1:
		if (n)
			b[at] = (uint8_t)pick(256);
		return n;
	case 2:
		if (n)
			b[at] = (uint8_t)(pick(2) ? 0xFF : 0);
		return n;
	case 3: return at; /* cut */
	case 4:            /* repeat a part at the end */
		if (n && n + (n - at) <= MAX_INPUT) {
			memcpy(b + n, b + at, n - at);
			return n + (n - at);
		}
		return n;
	default: /* insert */
		if (n >= MAX_INPUT)
			return n;
		memmove(b + at + 1, b + at, n - at);
		b[at] = (uint8_t)pick(256);
		return n + 1;
	}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 20000;
	uint32_t n_seeds = 0;
	while (fuzz_seeds[n_seeds].n)
		n_seeds++;
	for (long i = 0; i < rounds; i++) {
		const struct fuzz_seed *seed = &fuzz_seeds[pick(n_seeds)];
		uint8_t work[MAX_INPUT + 1];
		size_t n = seed->n < MAX_INPUT ? seed->n : MAX_INPUT;
		memcpy(work, seed->bytes, n);
		for (uint32_t changes = pick(8); changes; changes--)
			n = change(work, n);
		uint8_t *exact = malloc(n ? n : 1); /* its own size: an overread is seen */
		memcpy(exact, work, n);
		LLVMFuzzerTestOneInput(exact, n);
		free(exact);
	}
	printf("%ld inputs, none crashed\n", rounds);
	return 0;
}
