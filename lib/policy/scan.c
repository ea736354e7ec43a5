/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/magic.h>
#include <terrarium/text.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "policy/fold.h"
#include "policy/policy.h"
#include "policy/sieve.h"
#include "policy/view.h"

enum { CODE_MAX = 16 << 20, HITS_MAX = 65536, SHOWN_BYTES = 60, SCAN_MS = 5000 };

/* ---- hits ----------------------------------------------------------------------------------- */

struct hit {
	size_t at, n; /* in the code */
	enum trm_severity severity;
	const char *reason; /* also tells the rule: each has one of its own */
};

struct scan {
	const struct trm_policy *policy;
	const struct view *view;
	const char *code;
	size_t n;
	uint64_t deadline_ns;
	struct hit *hits;
	size_t n_hits, cap_hits;
	size_t n_beyond, n_beyond_refused; /* of hits that are too many to be kept */
	const char *unfinished;            /* reason of a pattern that would take too long on this code */
	bool is_out_of_memory;
};

static bool is_refused(const struct scan *s, enum trm_severity severity)
{
	return s->policy->threshold != TRM_SAFE && severity >= s->policy->threshold;
}

static void add_hit(struct scan *s, size_t at, size_t n, enum trm_severity severity, const char *reason)
{
	if (s->n_hits == HITS_MAX) {
		s->n_beyond++;
		s->n_beyond_refused += is_refused(s, severity);
		return;
	}
	if (s->n_hits == s->cap_hits) {
		size_t cap = s->cap_hits ? 2 * s->cap_hits : 32;
		struct hit *grown = realloc(s->hits, cap * sizeof *grown);
		if (!grown) {
			s->is_out_of_memory = true;
			return;
		}
		s->hits = grown;
		s->cap_hits = cap;
	}
	s->hits[s->n_hits++] = (struct hit){at, n, severity, reason};
}

static int by_offset(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	uintptr_t rule_x = (uintptr_t)x->reason, rule_y = (uintptr_t)y->reason;
	return rule_x != rule_y ? (rule_x < rule_y ? -1 : 1) : (x->n < y->n) - (x->n > y->n);
}

/* A rule that finds a place in several ways has found it once. */
static void sort_hits(struct scan *s)
{
	size_t kept = 0;
	if (s->n_hits)
		qsort(s->hits, s->n_hits, sizeof *s->hits, by_offset);
	for (size_t i = 0; i < s->n_hits; i++)
		if (!i || s->hits[i].at != s->hits[i - 1].at || s->hits[i].reason != s->hits[i - 1].reason)
			s->hits[kept++] = s->hits[i];
	s->n_hits = kept;
}

/* ---- findings of sorted hits ------------------------------------------------------------------ */

struct place {
	size_t at;
	unsigned line, column;
};

static void move_on(const struct scan *s, size_t to, struct place *p)
{
	for (; p->at < to; p->at++)
		if (s->code[p->at] == '\n') {
			p->line++;
			p->column = 1;
		} else {
			p->column += ((unsigned char)s->code[p->at] & 0xC0) != 0x80;
		}
}

static int tell_hits(struct scan *s, struct trm_findings *out)
{
	sort_hits(s);
	out->n = s->n_hits < POLICY_FINDINGS_MAX ? s->n_hits : POLICY_FINDINGS_MAX;
	out->n_dropped = s->n_hits - out->n + s->n_beyond;
	out->n_refused = s->n_beyond_refused;
	out->all = calloc(out->n + 1, sizeof *out->all);
	if (!out->all)
		return TRM_ENOMEM;
	struct place place = {.line = 1, .column = 1};
	for (size_t i = 0; i < s->n_hits; i++) {
		const struct hit *hit = &s->hits[i];
		out->n_refused += is_refused(s, hit->severity);
		out->worst = hit->severity > out->worst ? hit->severity : out->worst;
		if (i >= out->n)
			continue;
		struct trm_finding *f = &out->all[i];
		move_on(s, hit->at, &place);
		*f = (struct trm_finding){hit->severity, is_refused(s, hit->severity), place.line,
				place.column, hit->reason, ""};
		trm_text_clean_line(f->what, sizeof f->what, s->code + hit->at,
				hit->n < SHOWN_BYTES ? hit->n : SHOWN_BYTES);
	}
	return 0;
}

/* ---- patterns and modules ------------------------------------------------------------------ */

/* The last use that begins at an offset or before it; NULL: none. In the code, or in what is renamed. */
static const struct view_use *use_before(const struct view *v, size_t at, bool in_renamed)
{
	size_t from = 0, to = v ? v->n_uses : 0;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		size_t begin = in_renamed ? v->uses[middle].renamed : v->uses[middle].at;
		*(begin <= at ? &from : &to) = begin <= at ? middle + 1 : middle;
	}
	return from ? &v->uses[from - 1] : NULL;
}

/* What is found inside a name that stands for another is found where that name is. */
static void add_found(
		struct scan *s, size_t start, size_t end, enum trm_severity severity, const char *reason)
{
	const struct view_use *use = use_before(s->view, start, false);
	if (use && start < use->at + use->n) {
		start = use->at;
		end = end > use->at + use->n ? end : use->at + use->n;
	}
	add_hit(s, start, end - start, severity, reason);
}

static bool match_next(struct scan *s, struct trm_regex *regex, const char *text, size_t n, size_t from,
		const char *reason, struct trm_regex_span *spans)
{
	bool found = from <= n && trm_regex_match_until(regex, text, n, from, s->deadline_ns, spans);
	if (!found && from <= n && trm_regex_gave_up(regex) && !s->unfinished)
		s->unfinished = reason;
	return found;
}

static void search(struct scan *s, struct trm_regex *regex, const char *text, size_t group,
		enum trm_severity severity, const char *reason)
{
	struct trm_regex_span spans[TRM_REGEX_GROUPS];
	for (size_t from = 0; match_next(s, regex, text, s->n, from, reason, spans);) {
		struct trm_regex_span found = spans[group];
		if (found.start <= found.end)
			add_found(s, found.start, found.end, severity, reason);
		from = spans[0].end > from ? spans[0].end : from + 1;
	}
}

/* In the names themselves: what is behind them has been searched where it is. */
static void search_renamed(struct scan *s, const struct pattern *p)
{
	struct trm_regex_span spans[TRM_REGEX_GROUPS];
	const struct view *v = s->view;
	const struct buf *renamed = p->is_in_text ? &v->renamed_text : &v->renamed_code;
	for (size_t from = 0;
			v->n_uses
			&& match_next(s, p->regex, buf_at(renamed), renamed->len, from, p->reason, spans);) {
		const struct view_use *use = use_before(v, spans[0].start, true);
		bool is_name = spans[0].start < use->renamed + use->name_n;
		if (is_name)
			add_hit(s, use->at, use->n, p->severity, p->reason);
		from = spans[0].end > from ? spans[0].end : from + 1;
		if (!is_name && use + 1 < v->uses + v->n_uses && from > use[1].renamed)
			from = use[1].renamed;
	}
}

/* "os" restricts os and os.path, "fs" also node:fs and fs/promises, "curl" also /usr/bin/curl. */
static bool is_module(const struct trm_lang *lang, const char *name, const char *imported, size_t n)
{
	size_t len = strlen(name);
	const char *slash = lang->style == TRM_STYLE_SHELL ? memrchr(imported, '/', n) : NULL;
	if (slash) {
		n -= (size_t)(slash + 1 - imported);
		imported = slash + 1;
	}
	size_t prefix = strlen(lang->module_prefix);
	if (prefix && n > prefix && !memcmp(imported, lang->module_prefix, prefix)) {
		imported += prefix;
		n -= prefix;
	}
	if (n < len || memcmp(imported, name, len))
		return false;
	return n == len || (imported[len] && strchr(lang->module_parts, imported[len]));
}

/* The language's pattern of an import, with the module's name in it. */
static int import_pattern(const struct trm_lang *lang, const char *module, struct buf *out)
{
	static const char word[] = "{module}";
	const char *at = lang->imports;
	int r = 0;
	for (const char *next; r == 0 && (next = strstr(at, word)); at = next + sizeof word - 1) {
		const char *const parts[] = {"(\\Q", module, "\\E)"};
		r = buf_append(out, at, (size_t)(next - at));
		for (size_t i = 0; r == 0 && i < 3; i++)
			r = buf_append(out, parts[i], strlen(parts[i]));
	}
	return r == 0 ? buf_append(out, at, strlen(at)) : r;
}

/* Without a tree: by how an import reads. */
static int search_imports(
		struct scan *s, struct module *m, const struct trm_lang *lang, struct trm_error *reterr)
{
	enum { PATTERN_MAX = 8192 };
	if (!*lang->imports)
		return 0;
	if (!m->imports[lang->index]) {
		struct buf text;
		buf_init(&text, PATTERN_MAX);
		int r = strstr(m->name, "\\E") ? TRM_ETOOBIG : import_pattern(lang, m->name, &text);
		if (r < 0)
			trm_error_set(reterr, TRM_EINVAL, "policy '%s': no module is called '%.40s…'",
					s->policy->name, m->name);
		else
			r = trm_regex_create(buf_at(&text), text.len, false, false, &m->imports[lang->index],
					reterr);
		buf_finish(&text);
		if (r < 0)
			return r == TRM_ETOOBIG ? TRM_EINVAL : r;
	}
	const char *second = strstr(lang->imports, "{module}");
	search(s, m->imports[lang->index], s->view->text, 1, m->severity, m->reason);
	if (second && strstr(second + 1, "{module}"))
		search(s, m->imports[lang->index], s->view->text, 2, m->severity, m->reason);
	return 0;
}

bool policy_counts(const struct trm_lang *of_rule, const struct trm_lang *lang)
{
	return !of_rule || of_rule == lang || (*lang->imports && !strcmp(of_rule->imports, lang->imports));
}

static const struct trm_grammar *grammar_of(struct trm_policy *policy, const struct trm_lang *lang)
{
	struct trm_grammar *grammar = &policy->grammars[lang->index];
	if (!policy->has_tried[lang->index] && !view_reads(lang))
		trm_error_set(&policy->no_grammar[lang->index], TRM_ENOENT, "policies know no grammar of %s",
				lang->name);
	else if (!policy->has_tried[lang->index])
		trm_grammar_open(lang->grammar, grammar, &policy->no_grammar[lang->index]);
	policy->has_tried[lang->index] = true;
	return grammar->language ? grammar : NULL;
}

static int scan_view(struct scan *s, struct trm_policy *policy, const struct trm_lang *lang,
		const struct view *view, struct trm_error *reterr)
{
	int r = 0;
	for (size_t i = 0; i < policy->n_patterns; i++) {
		struct pattern *p = &policy->patterns[i];
		if (!policy_counts(p->lang, lang))
			continue;
		if (!p->regex)
			r = trm_regex_create(p->text, strlen(p->text), false, false, &p->regex, reterr);
		if (r < 0)
			return r;
		search(s, p->regex, p->is_in_text ? view->text : view->code, 0, p->severity, p->reason);
		search_renamed(s, p);
	}
	for (size_t i = 0; i < policy->n_modules && r == 0; i++) {
		struct module *m = &policy->modules[i];
		if (policy_counts(m->lang, lang) && !view->has_tree)
			r = search_imports(s, m, lang, reterr);
		for (size_t k = 0; policy_counts(m->lang, lang) && k < view->n_imports; k++) {
			const struct view_import *import = &view->imports[k];
			if (is_module(lang, m->name, buf_at(&view->names) + import->name, import->name_n))
				add_hit(s, import->at, import->n, m->severity, m->reason);
		}
	}
	return r;
}

static uint64_t deadline(void)
{
	return clock_ns() + SCAN_MS * 1000000ull;
}

static int scan_code(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	struct view view;
	struct scan s = {.policy = policy, .view = &view, .code = code, .n = n, .deadline_ns = deadline()};
	const struct trm_grammar *grammar = grammar_of(policy, lang);
	if (grammar && !sieve_may_find(policy, lang, code, n))
		return 0;
	int r = view_init(&view, grammar, lang, code, n, reterr);
	if (r < 0)
		return r;
	ret->has_no_tree = !view.has_tree;
	ret->comments_count = view.has_comments;
	if (!view.has_tree)
		snprintf(ret->why_no_tree, sizeof ret->why_no_tree, "%.239s",
				policy->grammars[lang->index].language ? "reading it would take too long"
								       : policy->no_grammar[lang->index].msg);
	r = scan_view(&s, policy, lang, &view, reterr);
	view_finish(&view);
	if (r == 0 && s.unfinished)
		r = trm_error_set(reterr, TRM_ETIMEDOUT,
				"the policy '%s' cannot check this code: its pattern for '%.100s' would take too long",
				policy->name, s.unfinished);
	if (r == 0 && (s.is_out_of_memory || tell_hits(&s, ret) < 0))
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	free(s.hits);
	if (r < 0)
		trm_findings_finish(ret);
	return r;
}

static bool is_ascii(const char *code, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)code[i] >= 0x80)
			return false;
	return true;
}

static int scan_text(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	size_t n_folded;
	*ret = (struct trm_findings){0};
	if (lang->style != TRM_STYLE_INDENT || is_ascii(code, n))
		return scan_code(policy, lang, code, n, ret, reterr);
	char *folded = fold_create(code, n, &n_folded);
	if (!folded)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	int r = scan_code(policy, lang, folded, n_folded, ret, reterr);
	free(folded);
	return r;
}

/* Commands of Bash among the code, and packages that are to be installed. */
static int scan_beside(struct trm_policy *policy, const struct trm_magic *magic, struct trm_findings *ret,
		struct trm_error *reterr)
{
	struct trm_findings more = {0};
	int r = 0;
	if (magic->shell)
		r = scan_text(policy, trm_lang_shell(), magic->shell, magic->shell_len, &more, reterr);
	if (r == 0 && magic->shell)
		r = policy_join_findings(ret, &more);
	for (char **name = magic->libraries; name && *name && r == 0; name++) {
		r = trm_policy_scan_package(policy, magic->lang, *name, &more, reterr);
		if (r == 0)
			r = policy_join_findings(ret, &more);
	}
	return r;
}

static int scan_magic(struct trm_policy *policy, const struct trm_magic *magic, struct trm_findings *ret,
		struct trm_error *reterr)
{
	int r = scan_text(policy, magic->lang, magic->plain, magic->plain_len, ret, reterr);
	if (r == 0)
		r = scan_beside(policy, magic, ret, reterr);
	if (r == TRM_ENOMEM)
		trm_error_set(reterr, r, "out of memory");
	if (r < 0)
		trm_findings_finish(ret);
	return r;
}

int trm_policy_scan(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	struct trm_magic magic;
	*ret = (struct trm_findings){0};
	if (!policy->n_patterns && !policy->n_modules)
		return 0;
	if (n > CODE_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "the code is too long for a policy: at most %d MiB",
				CODE_MAX >> 20);
	int r = trm_magic_read(lang, code, n, &magic, reterr);
	if (r > 0)
		r = scan_magic(policy, &magic, ret, reterr);
	else if (r == 0)
		r = scan_text(policy, lang, code, n, ret, reterr);
	trm_magic_finish(&magic);
	return r;
}

bool trm_policy_is_safe(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	struct trm_findings found;
	bool is_safe = trm_policy_scan(policy, lang, code, n, &found, reterr) == 0 && !found.n_refused;
	if (ret)
		*ret = found;
	else
		trm_findings_finish(&found);
	return is_safe;
}

/* ---- packages -------------------------------------------------------------------------------- */

int trm_policy_scan_package(struct trm_policy *policy, const struct trm_lang *lang, const char *package,
		struct trm_findings *ret, struct trm_error *reterr)
{
	struct scan s = {.policy = policy, .code = package, .n = strlen(package)};
	size_t n = strcspn(package + (*package == '@'), "=<>!~[; @") + (*package == '@');
	*ret = (struct trm_findings){0};
	for (size_t i = 0; i < policy->n_modules; i++) {
		const struct module *m = &policy->modules[i];
		bool is_same = strlen(m->name) == n && !strncasecmp(m->name, package, n);
		if (is_same && policy_counts(m->lang, lang))
			add_hit(&s, 0, n, m->severity, m->reason);
	}
	bool is_listed = !s.is_out_of_memory && tell_hits(&s, ret) == 0;
	free(s.hits);
	for (size_t i = 0; i < ret->n; i++)
		ret->all[i].line = ret->all[i].column = 0; /* a name has no lines */
	return is_listed ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}
