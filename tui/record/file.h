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

/* The place of an event in the file, and the keys for finding it. */
struct rec_place {
	uint64_t t_us;
	size_t offset, n;
	enum rec_kind kind;
};

/* A checked recording: every event in it is valid. */
struct recording {
	struct rec_header header;
	char *bytes;
	size_t n_bytes;
	struct rec_place *places;
	size_t n, cap;
	uint32_t n_runs;
	size_t cut_bytes; /* bytes of an incomplete last line */
	bool is_finished; /* the last event is "end": the recording is complete */
};

/* Read and check a file. Errors, each a sentence with the line number: the file is not found, it is no
 * recording, an event is invalid, times decrease, runs are out of order, or the file is larger than
 * RECORDING_MAX_BYTES. */
int recording_load(struct recording *r, const char *path, struct trm_error *reterr);
/* The same from malloc'd memory; the recording takes ownership. `label` names the recording in messages. */
int recording_parse(struct recording *r, char *bytes, size_t n, const char *label, struct trm_error *reterr);
void recording_finish(struct recording *r); /* takes a zeroed object */

/* Decode event k; the caller calls rec_event_finish(). False: out of memory. */
bool recording_event(const struct recording *r, size_t k, struct rec_event *ret);
uint64_t recording_length_us(const struct recording *r);
/* The whole recording as a transcript without a size limit. */
void recording_fill_transcript(const struct recording *r, struct transcript *s);

/* ---- writing ---- */

/* A recording in progress. Events are collected until recorder_flush(), which the caller calls at the end
 * of each turn of the loop. Flushed events survive the end of the program. */
struct recorder {
	int fd;            /* -1: none */
	uint64_t begun_ns; /* by the caller's clock */
	struct writer pending;
	uint64_t bytes; /* bytes written so far */
};

/* Make the file (mode 0600) and write the first line. An existing file is refused with TRM_EEXIST unless
 * it is empty. */
int recorder_open(struct recorder *r, const char *path, uint64_t now_ns, int rows, int cols,
		struct trm_error *reterr);
static inline bool recorder_is_open(const struct recorder *r)
{
	return r->fd >= 0;
}
/* Sets the time of the event. */
void recorder_add(struct recorder *r, struct rec_event *event, uint64_t now_ns);
/* 0, or a negative code, for example for a full disk. After an error the recording is closed. */
int recorder_flush(struct recorder *r, struct trm_error *reterr);
/* Write the "end" event and close. Does nothing when the recorder is not open. */
void recorder_close(struct recorder *r, uint64_t now_ns);

/* Write a whole file. Where the folder permits it, the write is atomic: a temporary file beside the
 * target, then rename. */
int file_write(const char *path, const char *bytes, size_t n, struct trm_error *reterr);
/* Read a whole file into malloc'd memory with a NUL behind. */
int file_read(const char *path, size_t max, char **ret, size_t *ret_n, struct trm_error *reterr);

#endif
