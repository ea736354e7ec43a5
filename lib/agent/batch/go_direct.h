/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_GO_DIRECT_H
#define TRM_AGENT_GO_DIRECT_H

/* Compiles pieces of Go with the toolchain's `compile` and `link`, without `go build`, which takes longer to
 * look at the packages than these two take to work. They have to be told the file of each compiled package.
 * `terrarium langs --prepare go` has noted the usual ones; after a piece that `go build` has compiled,
 * `go list` tells those that it imports, while nothing else is done. */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

struct go_direct {
	bool is_off;                 /* pieces need `go build` */
	const char *const *compiler; /* "go", "build", … */
	char folder[PATH_MAX];
	const char *carry; /* kernel/carry.go */
	size_t carry_len;
	struct buf config;                      /* lines "packagefile PATH=FILE"; empty: none is known */
	char tools[PATH_MAX], object[PATH_MAX]; /* the folder of the two programs; carry.go, compiled */
	bool has_object;
	pid_t maker; /* go list, or the compiler of carry.go; 0: none */
	bool is_listing;
};

/* Pieces are compiled in the folder, by what `compiler` says for `go build`. */
void go_direct_open(struct go_direct *d, const char *language, const char *const *compiler,
		const char *folder, const char *carry, size_t carry_len);
void go_direct_close(struct go_direct *d);
/* `go build` has compiled the piece with this text: find out about the packages that it imports. */
void go_direct_learn(struct go_direct *d, const struct buf *text);
/* Compile a piece to the program. False: `go build` has to do it. True: the tools have run; *ret_status is
 * waitpid()'s, and `said` has their messages. */
bool go_direct_build(struct go_direct *d, const struct buf *text, const char *program, struct buf *said,
		int *ret_status);

#endif
