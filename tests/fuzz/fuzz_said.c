/* SPDX-License-Identifier: MIT */
/* What the commands of a recipe print, and engines with them: ids, states, lists, last words. Sentences that
 * are made of it are fit for a terminal, and nothing is an orphan's but what bears a dead supervisor's label.
 */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "fuzz/fuzz.h"
#include "recipe/recipe.h"
#include "supervisor/container/container_gc.h"
#include "supervisor/container/exit_reason.h"
#include "supervisor/container/step.h"
#include "wire/plan.h"

#define OWN "host/boot/4026531836/0/1/1"

static void check_clean(const char *text)
{
	char clean[STEP_WORDS];
	trm_text_clean_line(clean, sizeof clean, text, strlen(text));
	if (strcmp(clean, text) != 0)
		abort();
}

static void fill(struct step *s, const struct step_facts *facts, const uint8_t *bytes, size_t n)
{
	const uint8_t *cut = memchr(bytes, 0xff, n); /* stdout, and behind it stderr */
	size_t out = cut ? (size_t)(cut - bytes) : n, err = cut ? n - out - 1 : 0;
	*s = (struct step){.facts = facts, .which = PLAN_INSPECT, .end = STEP_FAILED, .command = "x"};
	s->out.n = out < STEP_OUT_BYTES ? out : STEP_OUT_BYTES;
	s->err.n = err < STEP_ERR_BYTES ? err : STEP_ERR_BYTES;
	memcpy(s->out_bytes, bytes, s->out.n);
	if (cut)
		memcpy(s->err_bytes, cut + 1, s->err.n);
}

static void tell(const struct step *s)
{
	struct exit_reason why = {0};
	char words[STEP_WORDS];
	bool is_known = exit_reason_read(s, &why);
	if (is_known && !*why.state && !*why.error && why.has_code == false && !s->out.n)
		abort();
	check_clean(why.state);
	check_clean(why.error);
	exit_reason_is_missing(s);
	check_clean(step_describe_failure(s, words, sizeof words));
	check_clean(exit_reason_format(s, is_known, &why, false, words, sizeof words));
	check_clean(exit_reason_format(s, false, &why, true, words, sizeof words));
	if (strlen(step_last_line(s, words, 16)) > 15 || memchr(words, '\n', strlen(words)))
		abort();
}

/* Line by line, as LIST prints them; and as fields. */
static void list(char *text)
{
	enum { FIELDS = 6 };
	const char *fields[FIELDS];
	char id[64], *rest;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (container_gc_is(line, strlen(line), OWN, false, id, sizeof id)
				&& (!*id || *id == '-' || !strstr(line, PLAN_NAME_PREFIX)))
			abort();
		recipe_fields(line, fields, FIELDS);
		for (size_t i = 0; i < FIELDS; i++)
			if (strchr(fields[i], '\t') && i + 1 < FIELDS)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct step step;
	const struct plan_msg plan = {.backend = "mine", .name = "", .container = ""};
	const struct step_facts facts = {.plan = &plan, .id = "", .supervisor = OWN};
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	fill(&step, &facts, bytes, n);
	tell(&step);
	memcpy(text, bytes, n);
	text[n] = '\0';
	list(text);
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("exited\t137\ttrue\tout of memory\n"),
		SEED("running\t0\tfalse\t\n"),
		SEED("\xff"
		     "Error: No such container: x\n"),
		SEED("id\thost/boot/4026531836/0/999999/5\texited\tterrarium-1\tmore\n"
		     "two\thost/boot/4026531836/0/1/1\trunning\tterrarium-2-kept\n"),
		SEED("sha256:0123\r\n\r\n"),
		{NULL, 0},
};
