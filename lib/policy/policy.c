/* SPDX-License-Identifier: MIT */
/* Policies as data: the shipped ones, those of the config file, and what may be wrong with them. */
#include "policy/policy.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "base/json.h"
#include "embed/embed.h"

enum { RULES_MAX = 1000, LIKE_MAX = 8 };

static const char *const severities[] = {"safe", "low", "medium", "high"};
static const char *const modes[] = {"advise", "ask", "enforce"};

static int find_word(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	return -1;
}

const char *trm_severity_name(enum trm_severity severity)
{
	return severity <= TRM_HIGH ? severities[severity] : "?";
}

int trm_policy_mode_find(const char *word, enum trm_policy_mode *ret, struct trm_error *reterr)
{
	int found = find_word(modes, sizeof modes / sizeof *modes, word);
	if (found < 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.40s' is not a policy mode: use advise, ask or enforce", word);
	*ret = (enum trm_policy_mode)found;
	return 0;
}

const char *trm_policy_name(const struct trm_policy *policy)
{
	return policy->name;
}

enum trm_severity trm_policy_threshold(const struct trm_policy *policy)
{
	return policy->threshold;
}

static int no_memory(struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOMEM, "cannot read the policies: out of memory");
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Where one is: "policy 'mine', patterns[2]". */
struct reader {
	const char *policy, *list;
	bool is_shipped;
	size_t nth;
	struct trm_error *err;
};

/* Where a policy that is named is looked for; its own ones come first. */
struct shelf {
	cJSON *own, *shipped;
};

static int fail(const struct reader *r, const char *key, const char *why)
{
	char place[48] = "", name[64];
	trm_text_clean_line(name, sizeof name, r->policy, strlen(r->policy));
	if (r->list)
		snprintf(place, sizeof place, ", %s[%zu]", r->list, r->nth);
	return trm_error_set(r->err, TRM_EINVAL, "policy '%s'%s, \"%s\": %s", name, place, key, why);
}

static int read_severity(const struct reader *r, const cJSON *object, const char *key, enum trm_severity *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	int found = cJSON_IsString(item) ? find_word(severities, 4, item->valuestring) : -1;
	if (found < 0)
		return fail(r, key, "must be \"safe\", \"low\", \"medium\" or \"high\"");
	*ret = (enum trm_severity)found;
	return 0;
}

static int read_text(const struct reader *r, const cJSON *object, const char *key, char **ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	if (!cJSON_IsString(item) || !item->valuestring[0])
		return fail(r, key, "must be a string");
	*ret = strdup(item->valuestring);
	return *ret ? 0 : trm_error_set(r->err, TRM_ENOMEM, "out of memory");
}

static int read_lang(const struct reader *r, const cJSON *object, const struct trm_lang **ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "language");
	struct trm_error why;
	if (!item)
		return 0;
	if (!cJSON_IsString(item) || trm_lang_find(item->valuestring, ret, &why) < 0)
		return fail(r, "language", "must be one of the languages of terrarium langs");
	return 0;
}

static int check_keys(const struct reader *r, const cJSON *object, const char *const *known)
{
	if (!cJSON_IsObject(object))
		return fail(r, r->list ? r->list : r->policy, "must be an object");
	for (const cJSON *item = object->child; item; item = item->next) {
		const char *const *word = known;
		while (*word && strcmp(*word, item->string))
			word++;
		char key[40];
		trm_text_clean_line(key, sizeof key, item->string, strlen(item->string));
		if (!*word)
			return fail(r, key, "is an unknown key");
	}
	return 0;
}

/* The reason and all that follows it are the same for patterns and modules. */
static int read_rule(const struct reader *r, const cJSON *object, char **ret_reason,
		enum trm_severity *ret_severity, const struct trm_lang **ret_lang)
{
	int code = read_text(r, object, "reason", ret_reason);
	if (code == 0)
		code = read_severity(r, object, "severity", ret_severity);
	return code == 0 ? read_lang(r, object, ret_lang) : code;
}

/* Shipped ones are known to be sound, and are compiled when they are wanted. */
static int read_pattern(const struct reader *r, const cJSON *object, struct pattern *p)
{
	static const char *const keys[] = {"pattern", "reason", "severity", "in", "language", NULL};
	const cJSON *in = cJSON_GetObjectItemCaseSensitive(object, "in");
	struct trm_error why;
	int code = check_keys(r, object, keys);
	if (code == 0)
		code = read_rule(r, object, &p->reason, &p->severity, &p->lang);
	if (code == 0 && in
			&& (!cJSON_IsString(in)
					|| (strcmp(in->valuestring, "code")
							&& strcmp(in->valuestring, "text"))))
		code = fail(r, "in", "must be \"code\" or \"text\"");
	p->is_in_text = code == 0 && in && !strcmp(in->valuestring, "text");
	if (code == 0)
		code = read_text(r, object, "pattern", &p->text);
	if (code < 0 || r->is_shipped)
		return code;
	code = trm_regex_create(p->text, strlen(p->text), false, false, &p->regex, &why);
	if (code == TRM_EINVAL)
		code = fail(r, "pattern", why.msg);
	else if (code < 0)
		trm_error_set(r->err, code, "%s", why.msg);
	return code;
}

static int read_module(const struct reader *r, const cJSON *object, struct module *m)
{
	static const char *const keys[] = {"name", "reason", "severity", "language", NULL};
	int code = check_keys(r, object, keys);
	if (code == 0)
		code = read_text(r, object, "name", &m->name);
	return code == 0 ? read_rule(r, object, &m->reason, &m->severity, &m->lang) : code;
}

/* The array of that name, or NULL where there is none. */
static int find_list(struct reader *r, const cJSON *root, const char *name, const cJSON **ret)
{
	*ret = cJSON_GetObjectItemCaseSensitive(root, name);
	if (*ret && (!cJSON_IsArray(*ret) || cJSON_GetArraySize(*ret) > RULES_MAX))
		return fail(r, name, "must be a list of at most 1000");
	r->list = name;
	r->nth = 0;
	return 0;
}

/* Add a zeroed element of `size` bytes to an array of *n; NULL: no memory. */
static void *add_element(void **array, size_t *n, size_t size, struct trm_error *err)
{
	char *grown = realloc(*array, (*n + 1) * size);
	if (!grown) {
		trm_error_set(err, TRM_ENOMEM, "out of memory");
		return NULL;
	}
	*array = grown;
	return memset(grown + (*n)++ * size, 0, size);
}

static struct pattern *new_pattern(struct trm_policy *policy, struct trm_error *err)
{
	void *all = policy->patterns;
	struct pattern *pattern = add_element(&all, &policy->n_patterns, sizeof *pattern, err);
	policy->patterns = all;
	return pattern;
}

static struct module *new_module(struct trm_policy *policy, struct trm_error *err)
{
	void *all = policy->modules;
	struct module *module = add_element(&all, &policy->n_modules, sizeof *module, err);
	policy->modules = all;
	return module;
}

static int read_patterns(struct reader *r, const cJSON *root, struct trm_policy *policy)
{
	const cJSON *list, *item;
	int code = find_list(r, root, "patterns", &list);
	cJSON_ArrayForEach(item, list)
	{
		struct pattern *pattern = code < 0 ? NULL : new_pattern(policy, r->err);
		if (!pattern)
			return code < 0 ? code : TRM_ENOMEM;
		code = read_pattern(r, item, pattern);
		r->nth++;
	}
	return code;
}

static int read_modules(struct reader *r, const cJSON *root, struct trm_policy *policy)
{
	const cJSON *list, *item;
	int code = find_list(r, root, "modules", &list);
	cJSON_ArrayForEach(item, list)
	{
		struct module *module = code < 0 ? NULL : new_module(policy, r->err);
		if (!module)
			return code < 0 ? code : TRM_ENOMEM;
		code = read_module(r, item, module);
		r->nth++;
	}
	return code;
}

static int read_policy(const struct shelf *shelf, const char *name, const cJSON *root, unsigned depth,
		struct trm_policy *policy, struct trm_error *reterr);
static const cJSON *find_policy(const struct shelf *shelf, const char *name);

/* All of another one. One of the same name is the shipped one that it takes the place of. */
static int read_like(const struct reader *r, const struct shelf *shelf, const cJSON *root, unsigned depth,
		struct trm_policy *policy)
{
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(root, "like");
	if (!like)
		return 0;
	if (!cJSON_IsString(like))
		return fail(r, "like", "must be the name of a policy");
	if (depth == LIKE_MAX)
		return fail(r, "like", "goes round in a circle, or over more than 8 policies");
	struct shelf shipped = {.shipped = shelf->shipped};
	const struct shelf *where = strcmp(like->valuestring, r->policy) ? shelf : &shipped;
	const cJSON *found = find_policy(where, like->valuestring);
	return found ? read_policy(where, like->valuestring, found, depth + 1, policy, r->err)
		     : fail(r, "like", "there is no such policy");
}

static bool is_among(const cJSON *root, const cJSON *policies)
{
	for (const cJSON *item = policies ? policies->child : NULL; item; item = item->next)
		if (item == root)
			return true;
	return false;
}

/* On top of what is in `policy`. */
static int read_policy(const struct shelf *shelf, const char *name, const cJSON *root, unsigned depth,
		struct trm_policy *policy, struct trm_error *reterr)
{
	static const char *const keys[] = {"description", "like", "threshold", "patterns", "modules", NULL};
	struct reader r = {.policy = name, .is_shipped = is_among(root, shelf->shipped), .err = reterr};
	int code = check_keys(&r, root, keys);
	if (code == 0)
		code = read_like(&r, shelf, root, depth, policy);
	if (code == 0 && (cJSON_HasObjectItem(root, "threshold") || !cJSON_HasObjectItem(root, "like")))
		code = read_severity(&r, root, "threshold", &policy->threshold);
	if (code == 0)
		code = read_patterns(&r, root, policy);
	r.list = NULL;
	return code == 0 ? read_modules(&r, root, policy) : code;
}

static int make_policy(const struct shelf *shelf, const char *name, const cJSON *root,
		struct trm_policy **ret, struct trm_error *reterr)
{
	struct trm_policy *policy = calloc(1, sizeof *policy);
	if (!policy)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	trm_text_clean_line(policy->name, sizeof policy->name, name, strlen(name));
	int code = read_policy(shelf, name, root, 0, policy, reterr);
	if (code < 0) {
		trm_policy_free(policy);
		return code;
	}
	*ret = policy;
	return 0;
}

int trm_policy_parse(const char *name, const char *json, size_t n, struct trm_policy **ret,
		struct trm_error *reterr)
{
	if (json_nul_offset(json, n) < n)
		return trm_error_set(reterr, TRM_EINVAL,
				"policy '%.60s': \\u0000 is not allowed in a string here", name);
	errno = 0; /* cJSON has one answer for what is no JSON and for what it has no memory for */
	cJSON *root = cJSON_ParseWithLength(json, n);
	if (!root && errno == ENOMEM)
		return no_memory(reterr);
	if (!root)
		return trm_error_set(reterr, TRM_EINVAL, "policy '%.60s' is not valid JSON", name);
	struct shelf shelf = {.shipped = cJSON_Parse(embed_policies().bytes)};
	int r = shelf.shipped ? make_policy(&shelf, name, root, ret, reterr) : no_memory(reterr);
	cJSON_Delete(shelf.shipped);
	cJSON_Delete(root);
	return r;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int check_entry(const struct trm_policy *policy, const char *text, const char *reason,
		enum trm_severity severity, struct trm_error *reterr)
{
	if (!text || !*text || !reason || !*reason)
		return trm_error_set(reterr, TRM_EINVAL, "policy '%s': an entry needs %s", policy->name,
				text && *text ? "a reason" : "a pattern or the name of a module");
	if ((unsigned)severity > TRM_HIGH)
		return trm_error_set(reterr, TRM_EINVAL, "policy '%s': there is no severity %d", policy->name,
				(int)severity);
	if (policy->n_patterns == RULES_MAX || policy->n_modules == RULES_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "policy '%s' has %d entries, and takes no more",
				policy->name, RULES_MAX);
	return 0;
}

int trm_policy_add_pattern(
		struct trm_policy *policy, const struct trm_policy_pattern *pattern, struct trm_error *reterr)
{
	struct trm_regex *regex;
	struct trm_error why;
	int code = check_entry(policy, pattern->pattern, pattern->reason, pattern->severity, reterr);
	if (code < 0)
		return code;
	code = trm_regex_create(pattern->pattern, strlen(pattern->pattern), false, false, &regex, &why);
	if (code < 0)
		return trm_error_set(reterr, code, "policy '%s', pattern '%.80s': %s", policy->name,
				pattern->pattern, why.msg);
	struct pattern p = {.text = strdup(pattern->pattern),
			.regex = regex,
			.reason = strdup(pattern->reason),
			.severity = pattern->severity,
			.lang = pattern->lang,
			.is_in_text = pattern->is_in_text};
	struct pattern *added = p.text && p.reason ? new_pattern(policy, reterr) : NULL;
	if (!added) {
		trm_regex_destroy(regex);
		free(p.text);
		free(p.reason);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	*added = p;
	return 0;
}

int trm_policy_add_module(
		struct trm_policy *policy, const struct trm_policy_module *module, struct trm_error *reterr)
{
	int code = check_entry(policy, module->name, module->reason, module->severity, reterr);
	if (code < 0)
		return code;
	struct module m = {.name = strdup(module->name),
			.reason = strdup(module->reason),
			.severity = module->severity,
			.lang = module->lang};
	struct module *added = m.name && m.reason ? new_module(policy, reterr) : NULL;
	if (!added) {
		free(m.name);
		free(m.reason);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	*added = m;
	return 0;
}

void trm_policy_free(struct trm_policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; policy->patterns && i < policy->n_patterns; i++) {
		trm_regex_destroy(policy->patterns[i].regex);
		free(policy->patterns[i].text);
		free(policy->patterns[i].reason);
	}
	for (size_t i = 0; policy->modules && i < policy->n_modules; i++) {
		for (size_t k = 0; k < trm_lang_count(); k++)
			trm_regex_destroy(policy->modules[i].imports[k]);
		free(policy->modules[i].name);
		free(policy->modules[i].reason);
	}
	for (size_t i = 0; i < trm_lang_count(); i++)
		trm_grammar_close(&policy->grammars[i]);
	free(policy->patterns);
	free(policy->modules);
	free(policy);
}

/* ---- finding ------------------------------------------------------------------------------ */

/* The names of both, for the message. */
static int not_found(const char *name, const cJSON *own, const cJSON *shipped, struct trm_error *reterr)
{
	char list[400] = "", clean[64];
	size_t n = 0;
	const cJSON *const all[] = {own, shipped};
	for (size_t i = 0; i < 2; i++)
		for (const cJSON *item = all[i] ? all[i]->child : NULL; item && n < sizeof list;
				item = item->next) {
			trm_text_clean_line(clean, sizeof clean, item->string, strlen(item->string));
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", clean);
		}
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	return trm_error_set(reterr, TRM_EINVAL, "there is no policy '%s': known are %s", clean, list);
}

/* Those of the config file (NULL: it has none), and the shipped ones. */
static int read_all(const char *config_path, cJSON **ret_own, cJSON **ret_shipped, struct trm_error *reterr)
{
	char *text = NULL;
	int r = trm_config_section(config_path, "policies", &text, reterr);
	if (r < 0)
		return r;
	*ret_own = text ? cJSON_Parse(text) : NULL;
	*ret_shipped = cJSON_Parse(embed_policies().bytes);
	/* Both texts are JSON: it is memory that was missing. */
	if ((text && !*ret_own) || !*ret_shipped) {
		cJSON_Delete(*ret_own);
		cJSON_Delete(*ret_shipped);
		r = no_memory(reterr);
	}
	free(text);
	return r;
}

static const cJSON *find_policy(const struct shelf *shelf, const char *name)
{
	const cJSON *own = cJSON_GetObjectItemCaseSensitive(shelf->own, name);
	return own ? own : cJSON_GetObjectItemCaseSensitive(shelf->shipped, name);
}

int trm_policy_load(
		const char *name, const char *config_path, struct trm_policy **ret, struct trm_error *reterr)
{
	struct shelf shelf;
	int r = read_all(config_path, &shelf.own, &shelf.shipped, reterr);
	if (r < 0)
		return r;
	const cJSON *found = find_policy(&shelf, name);
	r = found ? make_policy(&shelf, name, found, ret, reterr)
		  : not_found(name, shelf.own, shelf.shipped, reterr);
	cJSON_Delete(shelf.own);
	cJSON_Delete(shelf.shipped);
	return r;
}

static void report_all(
		const cJSON *policies, bool is_own, const cJSON *hidden_by, trm_policy_fn *fn, void *user)
{
	for (const cJSON *item = policies ? policies->child : NULL; item; item = item->next) {
		const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "description");
		if (!cJSON_GetObjectItemCaseSensitive(hidden_by, item->string))
			fn(user, item->string, cJSON_IsString(text) ? text->valuestring : "", is_own);
	}
}

int trm_policy_list(const char *config_path, trm_policy_fn *fn, void *user, struct trm_error *reterr)
{
	cJSON *own, *shipped;
	int r = read_all(config_path, &own, &shipped, reterr);
	if (r < 0)
		return r;
	report_all(shipped, false, own, fn, user);
	report_all(own, true, NULL, fn, user);
	cJSON_Delete(own);
	cJSON_Delete(shipped);
	return 0;
}
