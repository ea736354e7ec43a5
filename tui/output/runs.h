/* SPDX-License-Identifier: MIT */
#ifndef TUI_RUNS_H
#define TUI_RUNS_H

/* What is known of the runs whose output is kept: enough to write their headers. Runs have
 * serials of the workbench's own, from 1: numbers begin anew with every sandbox. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/result.h>

#define RUNS_MAX 4096          /* remembered; a power of two */
#define RUNS_CODE 256          /* of these, with their code, … */
#define RUNS_CODE_BYTES 65536u /* … unless it is longer */

struct output_line;
struct trm_lang;

enum run_state { RUN_NONE, RUN_QUEUED, RUN_RUNNING, RUN_INTERRUPTING, RUN_KILLING, RUN_DONE };

struct run_info {
	uint32_t serial;
	enum run_state state;
	uint64_t number; /* in its session; 0: not yet known; another program's without one is a command */
	const struct trm_lang *lang;
	uint32_t buffer;        /* id of the one that its code is from; it may be closed */
	enum trm_status status; /* when done */
	int exit_code;
	bool is_exit; /* no error is shown that says why: the code chose exit_code */
	uint64_t wall_us;
	bool is_wall_unknown;
	bool is_drawn;               /* an image stands for its value */
	uint64_t began_ns, ended_ns; /* by the model's clock; 0: not yet */
	bool has_cpu;
	uint64_t cpu_us; /* CPU time of the interpreter and its children */
	bool has_mem_peak;
	uint64_t mem_peak_bytes;
	uint64_t out_bytes;              /* printed so far */
	uint64_t rate_at_ns, rate_bytes; /* when the rate was last worked out, and out_bytes then */
	uint64_t bytes_per_s;
	bool is_paused;   /* stands still before the memory limit */
	bool is_install;  /* no code: packages are being installed */
	bool is_spilling; /* what it prints goes to a file, too */
	char *code;       /* as it was run; NULL: not kept */
	char by[64];      /* another program's run: whose; "" it is this workbench's */
	char excerpt[64]; /* how its code begins, one line */
};

struct runs {
	struct run_info *items; /* ring, grows up to RUNS_MAX */
	uint32_t last;          /* newest serial */
	uint32_t cap;
};

void runs_finish(struct runs *r); /* takes a zeroed object */
/* A new run; NULL when out of memory. */
struct run_info *runs_add(struct runs *r, const struct trm_lang *lang, const char *code, size_t len);
/* NULL if it is forgotten. */
struct run_info *runs_find(const struct runs *r, uint32_t serial);

/* It has ended, by the model's clock at now_ns. */
void run_info_end(struct run_info *run, const struct trm_result *result, uint64_t now_ns);

/* More output of a run, and the time: its rate follows. */
void run_count(struct run_info *run, uint64_t bytes);
void run_tick(struct run_info *run, uint64_t now_ns);

/* Fill a line with "▾ [3] python  0.4 ms  ✓  cpu 0.3 ms  peak 12 MiB  print(x)". `n_folded`: lines that are
 * folded away, or -1. */
void run_header(struct output_line *line, const struct run_info *run, bool has_utf8, uint64_t now_ns,
		int64_t n_folded);

/* "0.4 ms", "12 ms", "1.2 s", "3:05 min". Returns out. */
char *format_duration(char out[24], uint64_t us);
/* "640 B", "12.5 KiB", "64 MiB". Returns out. */
char *format_bytes(char out[24], uint64_t bytes);
char *format_count(char out[32], uint64_t n);   /* "9,379,344" */
char *format_uptime(char out[24], uint64_t ms); /* "01:02:03", "4d 07h" */

#endif
