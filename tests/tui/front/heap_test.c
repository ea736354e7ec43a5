/* SPDX-License-Identifier: MIT */
/* The front's heap under other names, beside the C library's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#define malloc heap_malloc
#define calloc heap_calloc
#define realloc heap_realloc
#define free heap_free
void *heap_malloc(size_t n);
void *heap_calloc(size_t count, size_t each);
void *heap_realloc(void *mem, size_t n);
void heap_free(void *mem);
#include "front/heap.c"
#undef malloc
#undef calloc
#undef realloc
#undef free

enum { BLOCKS = 64, STEPS = 20000 };

static size_t random_size(unsigned *seed)
{
	static const size_t below[] = {16, 200, 5000, 100000, 300000};
	return (size_t)rand_r(seed) % below[(size_t)rand_r(seed) % (sizeof below / sizeof *below)];
}

static void is_filled(const unsigned char *mem, size_t n, int byte)
{
	assert_true(n == 0 || (mem[0] == byte && mem[n / 2] == byte && mem[n - 1] == byte));
}

/* No block lies in another's, and what was in it is there yet when it has grown. */
static void blocks_are_apart(void **state)
{
	unsigned char *mem[BLOCKS] = {0};
	size_t n[BLOCKS] = {0};
	unsigned seed = 1;

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		size_t i = (size_t)rand_r(&seed) % BLOCKS, size = random_size(&seed);
		is_filled(mem[i], n[i], (int)i + 1);
		if (step % 3) {
			heap_free(mem[i]);
			mem[i] = step % 3 == 1 ? heap_malloc(size) : heap_calloc(1, size);
			if (step % 3 == 2)
				is_filled(mem[i], size, 0);
		} else {
			mem[i] = heap_realloc(mem[i], size);
			is_filled(mem[i], size < n[i] ? size : n[i], (int)i + 1);
		}
		assert_non_null(mem[i]);
		assert_int_equal((uintptr_t)mem[i] % 16, 0);
		memset(mem[i], (int)i + 1, size);
		n[i] = size;
	}
	for (size_t i = 0; i < BLOCKS; i++)
		heap_free(mem[i]);
}

static void too_much_is_refused(void **state)
{
	(void)state;
	assert_null(heap_malloc(SIZE_MAX));
	assert_null(heap_malloc(SIZE_MAX - 8));
	assert_null(heap_calloc(SIZE_MAX / 2, 3));
	void *mem = heap_malloc(10);
	assert_null(heap_realloc(mem, SIZE_MAX - 8));
	heap_free(mem);
	heap_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(blocks_are_apart),
			cmocka_unit_test(too_much_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
