/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_MAKING_H
#define TRM_AGENT_MAKING_H

/* What pieces of C and C++ (pieces.h) are compiled with: the headers that stand in front of them, and the
 * program that keeps the state. What `terrarium langs --prepare` has made (prepared.h) is used instead, if it
 * fits. */

#include <limits.h>
#include <stdbool.h>

struct buf;
struct pieces;

enum { MAKING_ARGS = 24 }; /* words behind those of the row */

/* Options of objects. Another one would take frames out of a trace. */
#define MAKING_OBJECT "-fPIC", "-fno-optimize-sibling-calls"

/* The path of a file in the folder of the pieces. */
void making_name(char out[PATH_MAX], const struct pieces *p, const char *format, ...)
		__attribute__((format(printf, 3, 4)));
/* Write a file: one text, and another one, which may be NULL. */
bool making_write(const char *path, const struct buf *a, const struct buf *b);
/* A command line of the row's compiler and its options, then `more`; and more words behind those. */
void making_begin(const struct pieces *p, const char *argv[], const char *const *more);
void making_append(const char *argv[], const char *const *more);
bool making_succeeded(int error, int status);

/* Write the header of that number: what is included, and `more`, which may be NULL. */
bool making_write_front(const struct pieces *p, unsigned number, const struct buf *more);
/* The options that put it in front of a piece. What was prepared is used until there is something better. */
void making_put_front(
		const struct pieces *p, unsigned number, char paths[2][PATH_MAX], const char *options[5]);
/* Precompile the newest header, if that helps, while nothing else is done; look whether it is ready. */
void making_precompile(struct pieces *p);

/* Start the compiler for the program that keeps the state, unless it was prepared. Gives errno. */
int making_begin_host(struct pieces *p);
/* Wait for it. Gives errno; ENOEXEC: *said has the compiler's words. */
int making_finish_host(struct pieces *p, struct buf *said);

#endif
