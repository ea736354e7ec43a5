/* SPDX-License-Identifier: MIT */
#include "fault/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tree_sitter/api.h>

/* The linker's names: __wrap_x() is what others call x(), __real_x() is x(). */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
int __real_vasprintf(char **ret, const char *format, va_list args);
FILE *__real_open_memstream(char **text, size_t *n);
DIR *__real_opendir(const char *path);
DIR *__real_fdopendir(int fd);
int __real_closedir(DIR *dir);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_vasprintf(char **ret, const char *format, va_list args);
int __wrap_asprintf(char **ret, const char *format, ...);
FILE *__wrap_open_memstream(char **text, size_t *n);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_fdopendir(int fd);
int __wrap_closedir(DIR *dir);

enum { SLOTS = 1 << 16, FRAMES = 12 };

/* Living pieces by their address, with linear probing. A removed one leaves a grave. */
static struct slot {
	void *p;
	void *from; /* a whole backtrace each time would take minutes */
	bool is_marked;
} slots[SLOTS];
static void *const GRAVE = (void *)1;
static size_t n_living;

/* Seen by children too: what is refused to them is refused. */
static struct refusal {
	unsigned left;
	bool is_on, is_for_ever, has_refused;
	void *at[FRAMES];
	int n_at;
} * refusal;

static size_t hash(const void *p)
{
	return ((uintptr_t)p >> 4) * 2654435761u % SLOTS;
}

static void remember(void *p, void *from)
{
	size_t i = hash(p);
	while (slots[i].p && slots[i].p != GRAVE)
		i = (i + 1) % SLOTS;
	slots[i].p = p;
	slots[i].is_marked = false;
	slots[i].from = from;
	n_living++;
}

static void forget(const void *p)
{
	size_t i = hash(p);
	while (slots[i].p && slots[i].p != p)
		i = (i + 1) % SLOTS;
	if (!slots[i].p)
		return; /* one of the C library's */
	slots[i].p = slots[(i + 1) % SLOTS].p ? GRAVE : NULL;
	n_living--;
}

static bool is_refused(void)
{
	struct refusal *r = refusal;
	if (!r || !r->is_on || (r->left > 0 && --r->left > 0))
		return false;
	if (r->has_refused && !r->is_for_ever)
		return false;
	if (!r->has_refused)
		r->n_at = backtrace(r->at, FRAMES);
	r->has_refused = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	void *p = is_refused() ? NULL : __real_malloc(n);
	if (p)
		remember(p, __builtin_return_address(0));
	return p;
}

void *__wrap_calloc(size_t n, size_t size)
{
	void *p = is_refused() ? NULL : __real_calloc(n, size);
	if (p)
		remember(p, __builtin_return_address(0));
	return p;
}

void *__wrap_realloc(void *p, size_t n)
{
	if (is_refused())
		return NULL;
	if (p)
		forget(p);
	p = __real_realloc(p, n);
	if (p)
		remember(p, __builtin_return_address(0));
	return p;
}

void __wrap_free(void *p)
{
	if (p)
		forget(p);
	__real_free(p);
}

char *__wrap_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = __wrap_malloc(len + 1);
	if (copy) {
		memcpy(copy, s, len);
		copy[len] = '\0';
	}
	return copy;
}

char *__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	int n = is_refused() ? -1 : __real_vasprintf(ret, format, args);
	if (n >= 0)
		remember(*ret, __builtin_return_address(0));
	else
		*ret = NULL;
	return n;
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return n;
}

FILE *__wrap_open_memstream(char **text, size_t *n)
{
	return is_refused() ? NULL : __real_open_memstream(text, n);
}

/* A directory that is open is memory as well. */
static DIR *remember_dir(DIR *dir, void *from)
{
	if (dir)
		remember(dir, from);
	return dir;
}

DIR *__wrap_opendir(const char *path)
{
	return is_refused() ? NULL : remember_dir(__real_opendir(path), __builtin_return_address(0));
}

DIR *__wrap_fdopendir(int fd)
{
	return is_refused() ? NULL : remember_dir(__real_fdopendir(fd), __builtin_return_address(0));
}

int __wrap_closedir(DIR *dir)
{
	forget(dir);
	return __real_closedir(dir);
}

void alloc_refuse(unsigned nth, bool ever_after)
{
	if (!refusal) {
		refusal = mmap(NULL, sizeof *refusal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
				0);
		if (refusal == MAP_FAILED)
			abort();
	}
	*refusal = (struct refusal){.left = nth, .is_for_ever = ever_after, .is_on = true};
}

bool alloc_relent(void)
{
	if (!refusal)
		return false;
	refusal->is_on = false;
	return refusal->has_refused;
}

void alloc_spare_tree_sitter(void)
{
	ts_set_allocator(__real_malloc, __real_calloc, __real_realloc, __real_free);
}

void alloc_tell(void)
{
	if (refusal)
		backtrace_symbols_fd(refusal->at, refusal->n_at, 2);
}

size_t alloc_living(void)
{
	return n_living;
}

void alloc_mark(void)
{
	for (size_t i = 0; i < SLOTS; i++)
		slots[i].is_marked = true;
}

void alloc_tell_living(void)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[i].p && slots[i].p != GRAVE && !slots[i].is_marked) {
			fputs("still allocated, from:\n", stderr);
			backtrace_symbols_fd(&slots[i].from, 1, 2);
		}
}
