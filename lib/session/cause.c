/* SPDX-License-Identifier: MIT */
/* Which limit it was. What the sandbox counts decides (kills for memory, refused processes, files
 * that fill the disk); where nothing is counted, what the code complained of last. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/procstat.h"
#include "base/signame.h"
#include "session/session.h"

enum { LAST_WORDS_BYTES = 4096 };
static const uint64_t mib = 1024 * 1024;

/* ---- the counters ------------------------------------------------------------------ */

void cause_look(struct trm_session *s, bool marks)
{
	struct trm_sample now;
	bool is_marked;
	s->knows_events = session_is_open(s) && metrics_events_now(s->sandbox, marks, &now, &is_marked);
	s->peak_is_marked = s->knows_events && is_marked;
	if (s->knows_events)
		s->events = now;
}

/* How far a counter has risen since the last look. */
static uint64_t rise(const struct trm_session *s, const struct trm_sample *now, enum trm_metric bit,
		uint64_t before, uint64_t after)
{
	return s->knows_events && s->events.known & now->known & bit && after > before ? after - before : 0;
}

static uint64_t oom_kills(const struct trm_session *s, const struct trm_sample *now)
{
	return rise(s, now, TRM_METRIC_OOM_KILLS, s->events.oom_kills, now->oom_kills);
}

/* "512 of 512 MiB". The kernel kills when not one page more is to be had: what is lacking to the limit
 * then is less than what was asked for. */
static void tell_memory(const struct trm_session *s, const struct trm_sample *now, char *out, size_t cap)
{
	uint64_t limit = s->sandbox->opts.limits.mem_bytes;
	uint64_t used = now->known & TRM_METRIC_MEM_PEAK ? now->mem_peak_bytes : limit;
	if (used > limit)
		used = limit;
	snprintf(out, cap, "out of memory at %" PRIu64 " of %" PRIu64 " MiB", (used + mib / 2) / mib,
			limit / mib);
}

/* ---- the interpreter's end ----------------------------------------------------------- */

/* "segmentation fault": as people know it, not as a constant's name. */
static void describe_signal(int signo, char *out, size_t cap)
{
	snprintf(out, cap, "%s", signal_words(signo));
	if (out[0] >= 'A' && out[0] <= 'Z' && !(out[1] >= 'A' && out[1] <= 'Z'))
		out[0] = (char)(out[0] - 'A' + 'a');
}

/* Somebody else who is attached to the sandbox. */
static void tell_killer(uint32_t pid, char *out, size_t cap)
{
	char command[64] = "";
	if (pid && pid <= INT32_MAX)
		procstat_command((pid_t)pid, command, sizeof command);
	if (*command)
		snprintf(out, cap, ", sent by another client, process %u: %s", pid, command);
	else if (pid)
		snprintf(out, cap, ", sent by another client, process %u", pid);
	else
		snprintf(out, cap, ", sent by another client");
}

void cause_of_death(struct trm_session *s, const struct trm_exit *status, char *out, size_t cap)
{
	struct trm_sample now = {0};
	char words[96];
	if (status->signal == SIGKILL)
		metrics_events_now(s->sandbox, false, &now, NULL);
	if (status->signal == SIGKILL && (status->oom_kills || oom_kills(s, &now))) {
		tell_memory(s, &now, words, sizeof words);
		snprintf(out, cap, "killed: %s", words);
	} else if (status->signal == SIGXFSZ) {
		snprintf(out, cap, "killed by signal %d: file size limit of %" PRIu64 " MiB exceeded",
				SIGXFSZ, s->sandbox->opts.limits.file_bytes / mib);
	} else if (status->signal) {
		describe_signal(status->signal, words, sizeof words);
		int n = snprintf(out, cap, "killed by signal %d (%s)", status->signal, words);
		if (n > 0 && (size_t)n < cap && status->is_by_other)
			tell_killer(status->by_pid, out + n, cap - (size_t)n);
	} else {
		snprintf(out, cap, "the interpreter exited with code %d", status->exit_code);
	}
}

size_t cause_of_interrupt(const struct trm_run *run, char *out, size_t cap)
{
	const struct trm_session *s = run->session;
	out[0] = '\0';
	if (run->is_stopped_for_output)
		flood_describe(s->opts.output_max_bytes, out, cap);
	else if (run->is_stopped_for_memory)
		snprintf(out, cap, "interrupted at %" PRIu64 " of %" PRIu64 " MiB, before the memory limit",
				run->memory_told_bytes / mib, s->sandbox->opts.limits.mem_bytes / mib);
	return strlen(out);
}

/* ---- what the code met ------------------------------------------------------------------ */

void cause_note_stderr(struct trm_run *run, const char *bytes, size_t n)
{
	const size_t room = LAST_WORDS_BYTES - 1;
	if (!run->last_words && !(run->last_words = malloc(LAST_WORDS_BYTES)))
		return;
	if (n >= room) {
		memcpy(run->last_words, bytes + n - room, room);
		run->n_last_words = room;
	} else {
		size_t keep = run->n_last_words < room - n ? run->n_last_words : room - n;
		memmove(run->last_words, run->last_words + run->n_last_words - keep, keep);
		memcpy(run->last_words + keep, bytes, n);
		run->n_last_words = keep + n;
	}
	run->last_words[run->n_last_words] = '\0';
}

static const char *last_words(const struct trm_run *run)
{
	return run->last_words ? run->last_words : "";
}

/* What programs say when an allocation was refused, before they give up. Where nothing is counted,
 * nothing else tells of it. */
static bool starved(const char *words)
{
	static const char *const SAID[] = {"JavaScript heap out of memory", "Fatal javascript OOM",
			"xrealloc: cannot allocate", "xmalloc: cannot allocate", "memory exhausted",
			"Cannot allocate memory", "std::bad_alloc"};
	for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++)
		if (strstr(words, SAID[i]))
			return true;
	return false;
}

/* Did the code complain of this, in its error or in the last it printed? Node says the constant's
 * name, Python and the C library the sentence. */
static bool complains(
		const struct trm_run *run, const struct trm_result *r, const char *name, const char *sentence)
{
	const char *const texts[] = {r->error_message, r->error_name, run->last_words};
	if (r->status == TRM_STATUS_OK)
		return false;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i] && (strstr(texts[i], name) || strstr(texts[i], sentence)))
			return true;
	return false;
}

struct look {
	const struct trm_session *s;
	const struct trm_run *run;
	const struct trm_result *result;
	const struct trm_limits *limits;
	struct trm_sample now;
};

static bool met_memory(const struct look *l, char *out, size_t cap)
{
	char words[96];
	uint64_t kills = oom_kills(l->s, &l->now);
	if (!kills || l->result->status == TRM_STATUS_KILLED)
		return false;
	tell_memory(l->s, &l->now, words, sizeof words);
	if (kills == 1)
		snprintf(out, cap, "a process of this run was killed: %s", words);
	else
		snprintf(out, cap, "%" PRIu64 " processes of this run were killed: %s", kills, words);
	return true;
}

/* Bash tries again, and may succeed. */
static bool complains_of_processes(const struct look *l)
{
	return complains(l->run, l->result, "EAGAIN", "Resource temporarily unavailable")
	       || complains(l->run, l->result, "can't start new thread", "can't start new thread")
	       || strstr(last_words(l->run), "fork: retry: Resource temporarily unavailable");
}

static bool met_processes(const struct look *l, char *out, size_t cap)
{
	const struct trm_sample *before = &l->s->events, *now = &l->now;
	uint64_t times = rise(l->s, now, TRM_METRIC_PROCS_REFUSED, before->procs_refused, now->procs_refused);
	bool is_counted = now->known & TRM_METRIC_PROCS_REFUSED;
	if (times > 1)
		snprintf(out, cap, "process limit %u reached %" PRIu64 " times during this run",
				l->limits->procs, times);
	else if (times == 1 || (!is_counted && complains_of_processes(l)))
		snprintf(out, cap, "process limit %u reached during this run", l->limits->procs);
	return times || out[0];
}

static bool has_full_table(const struct trm_sample *at)
{
	return at->known & TRM_METRIC_FILES && at->files + 8 >= at->files_limit;
}

static bool has_full_disk(const struct trm_sample *at)
{
	return at->known & TRM_METRIC_DISK && at->known & TRM_METRIC_DISK_LIMIT
	       && at->disk_bytes + 64 * 1024 >= at->disk_limit_bytes;
}

/* What did well, and said nothing, on a disk that was full before has not met its limit. */
static bool ran_into(const struct look *l, bool (*is_full)(const struct trm_sample *))
{
	bool was_full = l->s->knows_events && is_full(&l->s->events);
	bool is_content = l->result->status == TRM_STATUS_OK
			  && !strstr(last_words(l->run), "No space left on device");
	return is_full(&l->now) && !(was_full && is_content);
}

/* Every file takes some of the host's memory, even an empty one. */
static bool met_files(const struct look *l, char *out, size_t cap)
{
	const struct trm_sample *now = &l->now;
	if (!ran_into(l, has_full_table))
		return false;
	snprintf(out, cap, "disk full: %" PRIu64 " of %" PRIu64 " files and folders", now->files,
			now->files_limit);
	return true;
}

static bool met_disk(const struct look *l, char *out, size_t cap)
{
	const struct trm_sample *now = &l->now;
	bool is_known = now->known & TRM_METRIC_DISK && now->known & TRM_METRIC_DISK_LIMIT;
	uint64_t limit = is_known ? now->disk_limit_bytes : l->limits->disk_bytes;
	if (!ran_into(l, has_full_disk) && !complains(l->run, l->result, "ENOSPC", "No space left on device"))
		return false;
	if (is_known && now->disk_bytes < limit - limit / 20)
		snprintf(out, cap, "disk full during this run: limit %" PRIu64 " MiB, now %" PRIu64 " in use",
				limit / mib, now->disk_bytes / mib);
	else
		snprintf(out, cap, "disk full: %" PRIu64 " of %" PRIu64 " MiB",
				is_known ? (now->disk_bytes + mib / 2) / mib : limit / mib, limit / mib);
	return true;
}

static bool met_file_size(const struct look *l, char *out, size_t cap)
{
	bool is_child = l->result->exit_code == 128 + SIGXFSZ && l->result->status == TRM_STATUS_ERROR;
	if (!is_child && !complains(l->run, l->result, "EFBIG", "File too large")
			&& !complains(l->run, l->result, "File size limit exceeded",
					"file size limit exceeded"))
		return false;
	snprintf(out, cap, "file size limit %" PRIu64 " MiB reached", l->limits->file_bytes / mib);
	return true;
}

static bool met_open_files(const struct look *l, char *out, size_t cap)
{
	if (!complains(l->run, l->result, "EMFILE", "Too many open files"))
		return false;
	snprintf(out, cap, "limit of %u open files reached", l->limits->open_files);
	return true;
}

/* An allocation that was refused outright: nothing was killed, nothing was counted. */
static bool met_allocation(const struct look *l, char *out, size_t cap)
{
	if (!complains(l->run, l->result, "MemoryError", "Cannot allocate memory")
			&& !complains(l->run, l->result, "ENOMEM", "Array buffer allocation failed")
			&& (l->result->status == TRM_STATUS_OK || !starved(last_words(l->run))))
		return false;
	snprintf(out, cap, "an allocation was refused: memory limit %" PRIu64 " MiB",
			l->limits->mem_bytes / mib);
	return true;
}

/* Is it named where the code failed? */
static bool names(const struct look *l, const char *word)
{
	bool is_found = strstr(last_words(l->run), word);
	for (char **line = l->result->traceback; line && *line && !is_found; line++)
		is_found = strstr(*line, word);
	return is_found;
}

/* Our own sandbox where no control group counts its memory: the strict filter of system calls. */
static bool is_strict(const struct trm_sandbox *sandbox)
{
	const struct trm_guard *guards;
	size_t n = strcmp(sandbox->backend, "local") == 0 ? trm_sandbox_guards(sandbox, &guards) : 0;
	for (size_t i = 0; i < n; i++)
		if (strcmp(guards[i].what, "memory") == 0)
			return guards[i].strength == TRM_WEAK;
	return false;
}

/* Its error says only that there is no such call, or that it is not permitted. */
static bool met_uncounted_memory(const struct look *l, char *out, size_t cap)
{
	static const char *const MISSING[] = {
			"memfd", "shmget", "msgget", "semget", "share memory", "message queue", "semaphore"};
	bool is_met = complains(l->run, l->result, "EPERM", "peration not permitted") && names(l, "mmap");
	bool is_missing = complains(l->run, l->result, "ENOSYS", strerror(ENOSYS));
	for (size_t i = 0; is_missing && !is_met && i < sizeof MISSING / sizeof *MISSING; i++)
		is_met = names(l, MISSING[i]);
	if (!is_met || !is_strict(l->s->sandbox))
		return false;
	snprintf(out, cap,
			"without control groups, memory that nothing counts is refused: memfd_create, System V "
			"IPC, shared anonymous mmap (see 'terrarium doctor')");
	return true;
}

void cause_hint(struct trm_run *run, const struct trm_result *result, char *out, size_t cap)
{
	static bool (*const QUESTIONS[])(const struct look *, char *, size_t) = {met_memory, met_processes,
			met_files, met_disk, met_file_size, met_open_files, met_allocation,
			met_uncounted_memory};
	enum { N_QUESTIONS = sizeof QUESTIONS / sizeof *QUESTIONS };
	struct trm_session *s = run->session;
	struct look look = {.s = s, .run = run, .result = result};
	out[0] = '\0';
	if (!session_is_open(s)
			|| (result->status == TRM_STATUS_OK && result->wall_us < SAMPLE_RUN_MS * 1000))
		return;
	look.limits = &s->sandbox->opts.limits;
	metrics_events_now(s->sandbox, false, &look.now, NULL);
	size_t met = 0;
	while (met < N_QUESTIONS && !QUESTIONS[met](&look, out, cap))
		met++;
	stray_end(run, result, met < N_QUESTIONS && QUESTIONS[met] == met_processes, &look.now);
	if (look.now.known) { /* what it met is told: the next run begins from here */
		s->events = look.now;
		s->knows_events = true;
	}
}
