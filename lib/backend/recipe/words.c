/* SPDX-License-Identifier: MIT */
#include "backend/recipe/box.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <terrarium/recipe.h>

#include "base/err.h"
#include "base/signame.h"
#include "wire/engine_words.h"

/* The purpose of a step; the noun of the sandbox follows. */
static const struct {
	const char *verb;
	bool wants_container;
} STEPS[STEP_COUNT] = {
		[STEP_PROBE] = {"does not work here", false},
		[STEP_PIN] = {"cannot find the cluster", false},
		[STEP_MANIFEST] = {"cannot read the manifest", false},
		[STEP_IMAGE] = {"cannot look for the image", false},
		[STEP_PULL] = {"cannot pull the image", false},
		[STEP_BUILD] = {"cannot build the image of", false},
		[STEP_ADOPT] = {"cannot look at the container", true},
		[STEP_WAKE] = {"cannot start the container", true},
};

enum { TAIL_BYTES = 250 };

/* The end of a text, from the beginning of a word. */
static const char *tail(const char *words)
{
	size_t n = strlen(words);
	if (n <= TAIL_BYTES)
		return words;
	const char *blank = strchr(words + n - TAIL_BYTES, ' ');
	return blank ? blank + 1 : words + n - TAIL_BYTES;
}

static const char *noun(const struct box *box, enum recipe_step step)
{
	const struct trm_container_opts *c = &box->container_spec.opts.container;
	if (STEPS[step].wants_container)
		return c->container;
	switch (step) {
	case STEP_BUILD: return box->container_spec.dockerfile;
	case STEP_MANIFEST: return c->kube.manifest;
	case STEP_PIN:
	case STEP_PROBE: return "";
	default: return box->container_spec.image;
	}
}

/* Fetching and building print much; the last line is the reason. */
static void how_it_ended(enum recipe_step step, const struct command_result *result, char *out, size_t cap)
{
	const char *said = tail(step == STEP_BUILD || step == STEP_PULL ? result->last : result->words);
	if (*said)
		snprintf(out, cap, "%s", said);
	else if (result->status > 0 && WIFSIGNALED(result->status))
		snprintf(out, cap, "%.40s was killed by signal %d (%s)", result->program,
				WTERMSIG(result->status), signal_text(WTERMSIG(result->status)));
	else
		snprintf(out, cap, "%.40s ended with exit status %d and no message", result->program,
				result->status > 0 ? WEXITSTATUS(result->status) : 1);
}

/* The advice answers a question at the end, such as "Is the docker daemon running?". */
static size_t without_question(const char *text, size_t n)
{
	if (!n || text[n - 1] != '?')
		return n;
	for (size_t i = n; i-- > 2;)
		if (text[i] == ' ' && (text[i - 1] == '.' || (text[i - 1] == '-' && text[i - 2] == ' ')))
			return text[i - 1] == '.' ? i - 1 : i - 2;
	return n;
}

static void append_advice(const struct trm_recipe *recipe, const char *said, struct trm_error *why)
{
	const char *hint = recipe_hint(recipe, said);
	size_t n = strlen(why->msg);
	while (n && (why->msg[n - 1] == '.' || why->msg[n - 1] == ' '))
		why->msg[--n] = '\0';
	if (!hint || strlen(hint) >= sizeof why->msg / 2)
		return;
	n = without_question(why->msg, n);
	size_t room = sizeof why->msg - strlen(hint) - sizeof "…; ";
	bool is_cut = n > room; /* the advice is worth more than the end of a long reason */
	for (n = is_cut ? room : n; is_cut && n && ((unsigned char)why->msg[n] & 0xC0) == 0x80;)
		n--;
	snprintf(why->msg + n, sizeof why->msg - n, "%s; %s", is_cut ? "…" : "", hint);
}

void advice_append(const struct trm_recipe *recipe, struct trm_error *why)
{
	append_advice(recipe, why->msg, why);
}

/* The code for a failed step with an unknown reason. */
static int code_of_step(enum recipe_step step)
{
	switch (step) {
	case STEP_PROBE: return TRM_EMISSING;
	case STEP_PULL: return TRM_EPULL;
	case STEP_IMAGE: return TRM_ENOIMAGE;
	default: return TRM_EIO;
	}
}

static int code_of_failure(enum recipe_step step, const struct command_result *result)
{
	int code = engine_words_code(result->words, 0);
	if (!code)
		code = engine_words_code(result->last, code_of_step(step));
	/* docker calls a missing container an object. */
	return step == STEP_ADOPT && strcasestr(result->words, "no such object") ? TRM_ENOENT : code;
}

int step_failure_text(const struct box *box, enum recipe_step step, const struct command_result *result,
		struct trm_error *ret)
{
	char how[TAIL_BYTES + 8];
	const char *name = trm_recipe_name(box->recipe), *what = noun(box, step);
	how_it_ended(step, result, how, sizeof how);
	if (result->is_timed_out)
		trm_error_set(ret, TRM_ETIMEDOUT,
				"%s %s%s%.60s: the step '%s' (%.40s) did not end within %u s, and was stopped%s%.150s",
				name, STEPS[step].verb, *what ? " " : "", what, recipe_step_name(step),
				result->program, (unsigned)(recipe_timeout_ms(box->recipe) / 1000),
				*result->words ? ": " : "", *result->words ? how : "");
	else
		trm_error_set(ret, code_of_failure(step, result), "%s %s%s%.100s: %s", name, STEPS[step].verb,
				*what ? " " : "", what, how);
	/* The sentence may be too short for the part that leads to a hint. */
	if (recipe_hint(box->recipe, ret->msg))
		advice_append(box->recipe, ret);
	else
		append_advice(box->recipe, result->words, ret);
	return ret->code;
}

const char *words_machine(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__i386__)
	return "386";
#elif defined(__arm__)
	return "arm";
#elif defined(__riscv)
	return "riscv64";
#elif defined(__powerpc64__)
	return "ppc64le";
#elif defined(__s390x__)
	return "s390x";
#else
	return "";
#endif
}
