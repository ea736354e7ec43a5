/* SPDX-License-Identifier: MIT */
/* Drives a fuzz target without libFuzzer: all seeds and files of the corpus (argv[2], may be missing) as they
 * are, then argv[1] inputs that are a few random changes away from one of them. The same sequence every
 * time, within some seconds. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { BYTES_MAX = 4096 };

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
		if (n && n + (n - at) <= BYTES_MAX) {
			memcpy(b + n, b + at, n - at);
			return n + (n - at);
		}
		return n;
	default: /* insert */
		if (n >= BYTES_MAX)
			return n;
		memmove(b + at + 1, b + at, n - at);
		b[at] = (uint8_t)pick(256);
		return n + 1;
	}
}

/* ---- inputs to start from ---- */

enum { INPUTS_MAX = 4096 };

struct input {
	const uint8_t *bytes;
	size_t n;
};

static struct input inputs[INPUTS_MAX];
static uint32_t n_inputs;

static void add_file(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = malloc(BYTES_MAX);
	ssize_t n = fd >= 0 && bytes ? read(fd, bytes, BYTES_MAX) : -1;
	if (fd >= 0)
		close(fd);
	if (n > 0)
		inputs[n_inputs++] = (struct input){bytes, (size_t)n};
	else
		free(bytes);
}

/* By name, so that the sequence does not depend on the file system. */
static void add_corpus(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && n_inputs < INPUTS_MAX)
			add_file(fd, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	if (fd >= 0)
		close(fd);
}

/* ---- trying ---- */

static void try(const uint8_t *bytes, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1); /* its own size: an overread is seen */
	if (!exact)
		abort();
	memcpy(exact, bytes, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

static void try_changed(const struct input *input)
{
	uint8_t work[BYTES_MAX + 1];
	size_t n = input->n < BYTES_MAX ? input->n : BYTES_MAX;
	memcpy(work, input->bytes, n);
	for (uint32_t changes = pick(8); changes; changes--)
		n = change(work, n);
	try(work, n);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 20000;
	for (const struct fuzz_seed *seed = fuzz_seeds; seed->n; seed++)
		inputs[n_inputs++] = (struct input){(const uint8_t *)seed->bytes, seed->n};
	uint32_t n_seeds = n_inputs;
	if (argc > 2)
		add_corpus(argv[2]);
	for (uint32_t i = 0; i < n_inputs; i++)
		try(inputs[i].bytes, inputs[i].n);
	for (long i = 0; i < rounds; i++)
		try_changed(&inputs[pick(n_inputs)]);
	printf("%u inputs of the corpus, %ld changed ones, none crashed\n", n_inputs - n_seeds, rounds);
	for (uint32_t i = n_seeds; i < n_inputs; i++)
		free((void *)(uintptr_t)inputs[i].bytes);
	return 0;
}
