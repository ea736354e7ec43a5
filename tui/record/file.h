/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_FILE_H
#define TUI_RECORD_FILE_H

/* Recordings on disk. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/event.h"
#include "record/writer.h"

struct transcript;

#define RECORDING_MAX_BYTES ((size_t)1 << 30)

/* ---- reading ---- */

/* Where an event lies in the file, and what one needs to know to find it. */
struct rec_place {
	uint64_t t_us;
	size_t offset, n;
	enum rec_kind kind;
};

/* A recording that has been looked through: every event in it is valid. */
struct recording {
	struct rec_header header;
	char *bytes;
	size_t n_bytes;
	struct rec_place *places;
	size_t n, cap;
	uint32_t n_runs;
	size_t cut_bytes; /* of a last line that was not written to its end */
	bool is_finished; /* it ends with "end": nothing is missing */
};

/* Read and check a file. Errors, each a sentence with the line's number: not found, no recording, an event
 * that is wrong, times that go back, runs out of order, more than RECORDING_MAX_BYTES. */
int recording_load(struct recording *r, const char *path, struct trm_error *reterr);
/* The same from memory, which is taken over (malloc'd). `label` is for messages. */
int recording_parse(struct recording *r, char *bytes, size_t n, const char *label, struct trm_error *reterr);
void recording_finish(struct recording *r); /* takes a zeroed object */

/* Event k; rec_event_finish() is due. False: out of memory. */
bool recording_event(const struct recording *r, size_t k, struct rec_event *ret);
uint64_t recording_length_us(const struct recording *r);
/* All of it as a story without a cap. */
void recording_tell(const struct recording *r, struct transcript *s);

/* ---- writing ---- */

/* A recording that is being made. Events are put together until recorder_flush(), which is for the end of
 * each turn of the loop: what has been flushed survives the end of the program. */
struct recorder {
	int fd;            /* -1: none */
	uint64_t begun_ns; /* of the caller's clock */
	struct writer pending;
	uint64_t bytes; /* written */
};

/* Make the file (mode 0600) and write its first line. One that exists is not replaced: TRM_EEXIST, unless it
 * is empty. */
int recorder_open(struct recorder *r, const char *path, uint64_t now_ns, int rows, int cols,
		struct trm_error *reterr);
static inline bool recorder_is_open(const struct recorder *r)
{
	return r->fd >= 0;
}
/* The time of the event is set. */
void recorder_add(struct recorder *r, struct rec_event *event, uint64_t now_ns);
/* 0, or a negative code: the disk is full … The recording has then been closed. */
int recorder_flush(struct recorder *r, struct trm_error *reterr);
/* With a last line that says that it was stopped. Takes one that is not open. */
void recorder_close(struct recorder *r, uint64_t now_ns);

/* Write a whole file, atomically where the folder lets us: a temporary one beside it, then rename. */
int file_write(const char *path, const char *bytes, size_t n, struct trm_error *reterr);
/* A whole file, malloc'd with a NUL behind. `what` for messages: "a recording". */
int file_read(const char *path, size_t max, char **ret, size_t *ret_n, struct trm_error *reterr);

#endif
