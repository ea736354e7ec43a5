/* SPDX-License-Identifier: MIT */
#ifndef TUI_RUNS_H
#define TUI_RUNS_H

/* The runs whose output is stored, with everything for their headers. Each run has a serial of the
 * workbench, from 1, because each sandbox numbers its runs from 1. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/result.h>

#define RUNS_MAX 4096          /* stored runs; a power of two */
#define RUNS_CODE 256          /* of these, with their code … */
#define RUNS_CODE_BYTES 65536u /* … unless it is longer than this */

struct output_line;
struct trm_lang;

enum run_state { RUN_NONE, RUN_QUEUED, RUN_RUNNING, RUN_INTERRUPTING, RUN_KILLING, RUN_DONE };

struct run_info {
	uint32_t serial;
	enum run_state state;
	uint64_t number; /* in its session; 0: unknown yet. A peer run without a number is a command */
	const struct trm_lang *lang;
	uint32_t buffer;        /* id of the buffer with its code, which may be closed */
	enum trm_status status; /* if it is done */
	bool is_state_lost;     /* its end took the variables with it */
	int exit_code;
	bool is_exit; /* the code chose exit_code, and no error explains it */
	uint64_t wall_us;
	bool is_wall_unknown;
	bool is_drawn;                   /* an image shows its value */
	uint64_t began_ms;               /* by the system clock, of a peer run; 0: unknown */
	uint64_t began_ns, ended_ns;     /* by the model's clock; 0: not yet */
	uint64_t install_us, compile_us; /* 0: nothing was installed or compiled */
	bool has_cpu;
	uint64_t cpu_us; /* CPU time of the interpreter and its children */
	bool has_mem_peak;
	uint64_t mem_peak_bytes;
	uint64_t out_bytes; /* printed so far */
	/* Time of the last calculation of the rate, and out_bytes at that time. */
	uint64_t rate_at_ns, rate_bytes;
	uint64_t bytes_per_s;
	bool is_paused;    /* suspended near the memory limit */
	bool is_install;   /* no code: an installation of packages */
	bool is_spilling;  /* its output also goes to a file */
	char *code;        /* as it ran; NULL: not stored */
	char by[64];       /* client of a peer run; "": a run of this workbench */
	char excerpt[200]; /* the start of its code, as one line */
	bool is_excerpt_cut;
};

struct runs {
	struct run_info *items; /* ring, grows up to RUNS_MAX */
	uint32_t last;          /* newest serial */
	uint32_t cap;
};

void runs_finish(struct runs *r); /* accepts a zeroed object */
/* Add a run. NULL when out of memory. */
struct run_info *runs_add(struct runs *r, const struct trm_lang *lang, const char *code, size_t len);
/* NULL: it was dropped. */
struct run_info *runs_find(const struct runs *r, uint32_t serial);

/* The run has ended at now_ns by the model's clock. */
void run_info_end(struct run_info *run, const struct trm_result *result, uint64_t now_ns);

/* Count output of a run, and update its rate. */
void run_count(struct run_info *run, uint64_t bytes);
void run_tick(struct run_info *run, uint64_t now_ns);

/* Does more than files stay from run to run in this language? */
bool run_keeps_variables(const struct trm_lang *lang);
/* State that stays after an interrupt, and state that is lost when the interpreter has ended. */
const char *run_interrupted_text(const struct trm_lang *lang);
const char *run_restarted_text(const struct trm_lang *lang);

/* Fill a line with "▾ [3] python  0.4 ms  ✓  cpu 0.3 ms  peak 12 MiB  print(x)". `n_folded`: the number of
 * folded lines, or -1. */
void run_header(struct output_line *line, const struct run_info *run, bool has_utf8, uint64_t now_ns,
		int64_t n_folded);

#endif
