/* SPDX-License-Identifier: MIT */
/* The front's heap, in place of the C library's: that maps some pages of its own for each size of block,
 * which for a program of a few hundred microseconds is a fifth of its time. Here blocks of all sizes lie one
 * behind the other, in memory that costs nothing until it is touched. A page costs as much as three thousand
 * instructions: so small blocks lie close together, and the wide ones, mostly empty, at the other end. Either
 * end shares its page with other data of the program's, which is touched anyway.
 *
 * A block has a header, and with it one of four lengths between two powers of two; one that was given back
 * waits in the list of its length. What is bigger than BIG_BYTES has a mapping of its own. There is one
 * thread. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MIN_BYTES = 32, WIDE_BYTES = 8192, MAX_BITS = 17, LENGTHS = 4, CHUNK_BYTES = 1 << 20 };
#define BIG_BYTES (1u << MAX_BITS)

/* Numbers that an overflow is not likely to write. */
#define USED UINT64_C(0x5553454421)
#define GIVEN_BACK UINT64_C(0x4652454521)

/* Keeps what follows aligned for every type. */
struct block {
	union {
		size_t bytes;       /* with the header, while in use */
		struct block *next; /* given back, of the same size */
	};
	uint64_t state;
} __attribute__((aligned(16)));

/* The heap is the process's own. */
static char first_chunk[CHUNK_BYTES] __attribute__((aligned(16)));
static char *at = first_chunk, *end = first_chunk + CHUNK_BYTES;
static struct block *given_back[(MAX_BITS + 1) * LENGTHS]; /* by length_of() */

static void *map(size_t n)
{
	void *mem = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

/* Rounds a length up to one that blocks have, and numbers these. */
static unsigned length_of(size_t *n)
{
	if (*n < MIN_BYTES)
		*n = MIN_BYTES;
	unsigned bits = 64 - (unsigned)__builtin_clzll(*n - 1);
	size_t step = (size_t)1 << (bits - 3);
	if (step < sizeof(struct block))
		step = sizeof(struct block);
	*n = (*n + step - 1) & ~(step - 1);
	return bits * LENGTHS + (unsigned)((*n - 1) >> (bits - 3)) % LENGTHS;
}

/* What is left of a chunk when the next block does not fit is not used. */
static struct block *cut(size_t n)
{
	if ((size_t)(end - at) < n) {
		char *chunk = map(CHUNK_BYTES);
		if (!chunk)
			return NULL;
		at = chunk;
		end = chunk + CHUNK_BYTES;
	}
	if (n <= WIDE_BYTES) {
		end -= n;
		return (struct block *)(void *)end;
	}
	struct block *b = (struct block *)(void *)at;
	at += n;
	return b;
}

/* `ret_is_zero`: nobody has had it before. */
static void *take(size_t n, int *ret_is_zero)
{
	struct block *b;

	*ret_is_zero = 1;
	if (n > PTRDIFF_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	n += sizeof *b;
	struct block **list = n > BIG_BYTES ? NULL : &given_back[length_of(&n)];
	if (!list) {
		b = map(n);
	} else if ((b = *list)) {
		if (b->state != GIVEN_BACK)
			abort();
		*list = b->next;
		*ret_is_zero = 0;
	} else {
		b = cut(n);
	}
	if (!b) {
		errno = ENOMEM;
		return NULL;
	}
	b->bytes = n;
	b->state = USED;
	return b + 1;
}

static struct block *block_of(void *mem)
{
	struct block *b = (struct block *)mem - 1;

	if (b->state != USED)
		abort();
	return b;
}

void *malloc(size_t n)
{
	int is_zero;

	return take(n, &is_zero);
}

void *calloc(size_t count, size_t each)
{
	size_t n;
	int is_zero;

	if (__builtin_mul_overflow(count, each, &n)) {
		errno = ENOMEM;
		return NULL;
	}
	void *mem = take(n, &is_zero);
	return mem && !is_zero ? memset(mem, 0, n) : mem;
}

void free(void *mem)
{
	if (!mem)
		return;
	struct block *b = block_of(mem);
	if (b->bytes > BIG_BYTES) {
		int saved = errno;
		munmap(b, b->bytes);
		errno = saved;
		return;
	}
	struct block **list = &given_back[length_of(&b->bytes)];
	b->state = GIVEN_BACK;
	b->next = *list;
	*list = b;
}

void *realloc(void *mem, size_t n)
{
	if (!mem)
		return malloc(n);
	struct block *b = block_of(mem);
	size_t room = b->bytes - sizeof *b;
	if (n <= room)
		return mem;
	if (b->bytes > BIG_BYTES && n <= PTRDIFF_MAX / 2) {
		b = mremap(b, b->bytes, n + sizeof *b, MREMAP_MAYMOVE);
		if (b == MAP_FAILED)
			return NULL;
		b->bytes = n + sizeof *b;
		return b + 1;
	}
	void *grown = malloc(n);
	if (!grown)
		return NULL;
	memcpy(grown, mem, room);
	free(mem);
	return grown;
}
