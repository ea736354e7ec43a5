/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trm_sandbox_opts;

/* ---- report.c: numbers and what they are held against ---- */

/* A measured value beside its reference, both in `unit`. `target`: the ratio (or, with
 * reference 0, the absolute value) that it must not exceed. */
void report(const char *name, double value, const char *unit, double reference, double target);
/* A value that tells what another one is worth on this machine today; nothing is asked of it. */
void report_beside(const char *name, double value, const char *unit);
/* Something could not be measured: said, and counted as not holding. */
void report_missing(const char *name, const char *why);
int report_write(const char *json_path); /* number of targets that do not hold, or -1 */

struct samples {
	double *v;
	size_t n, cap;
};
void samples_add(struct samples *s, double v);
double samples_at(struct samples *s, double quantile); /* 0.5 the median; sorts; NAN if empty */
void samples_free(struct samples *s);

uint64_t now_ns(void);
double ms_since(uint64_t start_ns);

/* ---- spawn.c: whole processes ---- */

/* Run argv with stdout to `out` (-1: /dev/null), a clean environment; returns wall milliseconds, negative if
 * it failed. Output on a pipe is read to its end when `drain` is set (and thrown away). */
double spawn_ms(const char *const *argv, bool drain);
const char *const *bench_env(void);
bool program_exists(const char *path);
/* Remove a file that editors were open on when they were killed, and what nano has saved beside it then. */
void bench_remove_edited(const char *path);

/* ---- pty.c: a program on a terminal of 40 rows and 120 columns ---- */

struct pty {
	int fd;
	pid_t pid;
	uint64_t start_ns;
	uint64_t bytes;                        /* drawn so far */
	uint64_t largest_gap_ns, last_read_ns; /* between reads; the caller resets */
	char tail[65536];                      /* the last text drawn, without escape sequences */
	size_t tail_len;
	int escape; /* state of the stripper */
};
bool pty_start(struct pty *p, const char *const *argv, const char *const *env);
/* Milliseconds until `text` has been drawn after the last pty_forget; negative: not within timeout_ms. */
double pty_wait(struct pty *p, const char *text, int timeout_ms);
void pty_forget(struct pty *p);
void pty_send(struct pty *p, const char *bytes, size_t n); /* reads meanwhile: neither side blocks */
void pty_drain(struct pty *p, int quiet_ms);               /* read until nothing comes for so long */
void pty_stop(struct pty *p);                              /* kills it if it is still there */

/* ---- warm.c ---- */

/* Round trips of 1+1 in a new sandbox, in milliseconds; false: why says why, if it is known. */
bool warm_measure(struct samples *s, const struct trm_sandbox_opts *opts, bool is_shared, char *why,
		size_t why_cap);

/* ---- cluster.c, pods.c ---- */

/* Memory of all processes that were started with this runtime directory. */
double helpers_mib(const char *dir, pid_t root);
/* Many pods behind one server. */
void bench_served_pods(const char *dir);

/* ---- the groups ---- */
void bench_warm(void);
void bench_cold(void);
void bench_big(void);
void bench_flood(void);
void bench_tui(void);
void bench_output(void);
void bench_typing(void);
void bench_copy(void);
void bench_kept(void);
void bench_serve(void);
void bench_figure(void);
void bench_scan(void);
void bench_pool(void);
void bench_lang(void);
void bench_docker(void);
void bench_cluster(void);
void bench_pods(void);

#endif
