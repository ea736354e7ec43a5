/* SPDX-License-Identifier: MIT */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <terrarium/regex.h>

#include <stdlib.h>

#include <pcre2.h>

#include <terrarium/dynlib.h>
#include <terrarium/error.h>

#include "base/clock.h"

/* How much work one line may cost before it counts as not matching: catastrophic patterns must not block
 * the workbench. */
#define MATCH_LIMIT 100000
/* PCRE counts the limit again for each possible start of a match. So a search of a long text proceeds in
 * windows of possible starts, and checks the clock after each window. */
enum { WINDOW_MIN = 4 << 10, WINDOW_MAX = 128 << 10, WINDOW_QUICK_NS = 2000000 };

struct library {
	__typeof__(pcre2_compile_8) *compile;
	__typeof__(pcre2_jit_compile_8) *jit_compile;
	__typeof__(pcre2_code_free_8) *code_free;
	__typeof__(pcre2_match_8) *match;
	__typeof__(pcre2_match_data_create_8) *data_create;
	__typeof__(pcre2_match_data_free_8) *data_free;
	__typeof__(pcre2_get_ovector_pointer_8) *ovector;
	__typeof__(pcre2_match_context_create_8) *context_create;
	__typeof__(pcre2_match_context_free_8) *context_free;
	__typeof__(pcre2_set_match_limit_8) *set_match_limit;
	__typeof__(pcre2_set_offset_limit_8) *set_offset_limit;
	__typeof__(pcre2_get_error_message_8) *error_message;
};

struct trm_regex {
	struct library library;
	pcre2_code_8 *code;
	pcre2_match_data_8 *data;
	pcre2_match_context_8 *context;
	bool gave_up;
};

static int load_library(struct trm_regex *r, struct trm_error *reterr)
{
	static const char *const SYMBOLS[] = {"pcre2_compile_8", "pcre2_jit_compile_8", "pcre2_code_free_8",
			"pcre2_match_8", "pcre2_match_data_create_8", "pcre2_match_data_free_8",
			"pcre2_get_ovector_pointer_8", "pcre2_match_context_create_8",
			"pcre2_match_context_free_8", "pcre2_set_match_limit_8", "pcre2_set_offset_limit_8",
			"pcre2_get_error_message_8"};
	static const struct trm_dynlib LIBRARY = {"libpcre2-8.so.0", "libpcre2-8-0",
			"regular expressions need", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS};
	_Static_assert(sizeof(struct library) == sizeof SYMBOLS, "one symbol for each member");
	return trm_dynlib_load(&LIBRARY, &r->library, reterr);
}

static int compile_pattern(struct trm_regex *r, const char *pattern, size_t n, uint32_t options,
		struct trm_error *reterr)
{
	const struct library *l = &r->library;
	int code;
	PCRE2_SIZE at;
	PCRE2_UCHAR8 why[160];

	r->code = l->compile((PCRE2_SPTR8)pattern, n, options, &code, &at, NULL);
	if (!r->code) {
		l->error_message(code, why, sizeof why);
		return trm_error_set(reterr, TRM_EINVAL, "%s, at %zu", (char *)why, at + 1);
	}
	l->jit_compile(r->code,
			PCRE2_JIT_COMPLETE); /* if this is not possible, PCRE2 interprets the pattern */
	r->data = l->data_create(TRM_REGEX_GROUPS, NULL);
	r->context = l->context_create(NULL);
	if (!r->data || !r->context)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the pattern");
	l->set_match_limit(r->context, MATCH_LIMIT);
	return 0;
}

int trm_regex_create(const char *pattern, size_t n, bool is_literal, bool ignores_case,
		struct trm_regex **ret, struct trm_error *reterr)
{
	struct trm_regex *r = calloc(1, sizeof *r);
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT
			   | (is_literal ? PCRE2_LITERAL : PCRE2_UCP) | (ignores_case ? PCRE2_CASELESS : 0);

	if (!r)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the pattern");
	int code = load_library(r, reterr);
	if (code == 0)
		code = compile_pattern(r, pattern, n, options, reterr);
	if (code < 0) {
		trm_regex_destroy(r);
		return code;
	}
	*ret = r;
	return 0;
}

void trm_regex_destroy(struct trm_regex *r)
{
	if (!r)
		return;
	if (r->context)
		r->library.context_free(r->context);
	if (r->data)
		r->library.data_free(r->data);
	if (r->code)
		r->library.code_free(r->code);
	free(r);
}

bool trm_regex_match_until(struct trm_regex *r, const char *text, size_t n, size_t from, uint64_t deadline_ns,
		struct trm_regex_span spans[TRM_REGEX_GROUPS])
{
	bool found = false;
	size_t window = WINDOW_MIN;
	r->gave_up = false;
	for (uint64_t now = clock_ns(); !found && !r->gave_up && from <= n;) {
		r->library.set_offset_limit(r->context, from + window);
		found = trm_regex_match(r, text, n, from, spans);
		from += window + 1;
		uint64_t then = now;
		now = clock_ns();
		if (now - then > WINDOW_QUICK_NS)
			window = WINDOW_MIN;
		else if (window < WINDOW_MAX)
			window *= 2;
		r->gave_up |= !found && from <= n && now > deadline_ns;
	}
	r->library.set_offset_limit(r->context, PCRE2_UNSET);
	return found;
}

bool trm_regex_match(struct trm_regex *r, const char *line, size_t n, size_t from,
		struct trm_regex_span spans[TRM_REGEX_GROUPS])
{
	int found = r->library.match(r->code, (PCRE2_SPTR8)line, n, from, 0, r->data, r->context);

	r->gave_up = found < 0 && found != PCRE2_ERROR_NOMATCH;
	if (found < 0)
		return false;
	if (found == 0)
		found = TRM_REGEX_GROUPS; /* the pattern has more groups than there are spans */
	const PCRE2_SIZE *ends = r->library.ovector(r->data);
	for (int i = 0; i < TRM_REGEX_GROUPS; i++) {
		bool took_part = i < found && ends[2 * i] != PCRE2_UNSET;
		spans[i] = took_part ? (struct trm_regex_span){ends[2 * i], ends[2 * i + 1]}
				     : (struct trm_regex_span){1, 0};
	}
	/* \K may put the start after the end. */
	return spans[0].start <= spans[0].end;
}

bool trm_regex_gave_up(const struct trm_regex *r)
{
	return r->gave_up;
}
