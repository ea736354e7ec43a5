/* SPDX-License-Identifier: MIT */
/* Gives libFuzzer the target's seeds: they are written into the directory that TERRARIUM_FUZZ_SEEDS names,
 * before it reads its corpora. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = getenv("TERRARIUM_FUZZ_SEEDS");
	(void)argc, (void)argv;
	for (unsigned i = 0; dir && fuzz_seeds[i].n; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/seed%u", dir, i);
		FILE *file = fopen(path, "wb");
		if (!file || fwrite(fuzz_seeds[i].bytes, 1, fuzz_seeds[i].n, file) != fuzz_seeds[i].n
				|| fclose(file) != 0) {
			perror(path);
			exit(1);
		}
	}
	return 0;
}
