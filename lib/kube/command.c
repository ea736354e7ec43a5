/* SPDX-License-Identifier: MIT */
#include "kube/command.h"

#include <string.h>

#include <terrarium/error.h>

#define LISTED "pods,configmaps"
#define KUBE_AGENT_SANDBOX "/apis/extensions.agents.x-k8s.io/v1beta1"

/* ---- reading a command line -------------------------------------------------------------------------- */

/* Options with a value of their own. Returns false if this is none. */
static bool take_option(struct kube_command *c, const char *option, const char *value)
{
	const struct {
		const char *name;
		const char **to;
	} rows[] = {{"--context", &c->context}, {"--namespace", &c->space}, {"--container", &c->container}};
	static const char field[] = "metadata.name=";
	const size_t n = sizeof field - 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(option, rows[i].name) == 0 && value) {
			*rows[i].to = value;
			return true;
		}
	if (strcmp(option, "--field-selector") != 0 || !value || strncmp(value, field, n) != 0)
		return false;
	c->name = value + n;
	return true;
}

/* The words of each verb that mean what the recipe means by them. Any other makes the command one for
 * kubectl. */
static bool is_expected(enum kube_verb verb, const char *word)
{
	static const char *const words[][7] = {
			[KUBE_CREATE] = {"--validate=false", "--filename", "-"},
			[KUBE_WATCH] = {"pod", "--watch", LISTED, KUBE_CLAIMS, "--selector", KUBE_LABEL,
					KUBE_CLAIMS_SELECTOR},
			[KUBE_EXEC] = {"--stdin", "--quiet"},
			[KUBE_DELETE] = {"--ignore-not-found", "--wait=false", KUBE_CLAIMS, "--selector",
					KUBE_CLAIMS_SELECTOR},
	};
	for (size_t i = 0; i < 7 && words[verb][i]; i++)
		if (strcmp(words[verb][i], word) == 0)
			return true;
	return false;
}

static enum kube_verb read_verb(const char *word)
{
	static const char *const verbs[] = {[KUBE_CREATE] = "create",
			[KUBE_WATCH] = "get",
			[KUBE_EXEC] = "exec",
			[KUBE_DELETE] = "delete"};
	for (size_t i = KUBE_CREATE; word && i < sizeof verbs / sizeof *verbs; i++)
		if (strcmp(verbs[i], word) == 0)
			return (enum kube_verb)i;
	return KUBE_NONE;
}

/* Returns false if the word belongs to no command that we know. */
static bool take_word(struct kube_command *c, const char *word)
{
	if (is_expected(c->verb, word)) {
		c->has_stdin |= strcmp(word, "--stdin") == 0;
		return true;
	}
	if (*word == '-')
		return false;
	if (c->verb == KUBE_DELETE && c->n_targets < KUBE_TARGETS)
		c->targets[c->n_targets++] = word;
	else if ((c->verb == KUBE_WATCH || c->verb == KUBE_EXEC) && !c->pod)
		c->pod = word;
	else
		return false;
	return true;
}

static bool has_word(char *const *argv, const char *word)
{
	for (; *argv; argv++)
		if (strcmp(*argv, word) == 0)
			return true;
	return false;
}

static bool is_complete(const struct kube_command *c, char *const *argv)
{
	switch (c->verb) {
	case KUBE_CREATE: return has_word(argv, "--filename");
	case KUBE_WATCH: return c->pod && !c->name && has_word(argv, "--watch");
	case KUBE_LIST_CLAIMS:
		return has_word(argv, KUBE_CLAIMS_SELECTOR) && !has_word(argv, "--watch") && !c->name;
	case KUBE_RELEASE:
		return c->name && *c->name && !c->n_targets && has_word(argv, KUBE_CLAIMS_SELECTOR)
		       && has_word(argv, "--wait=false");
	case KUBE_LIST: return has_word(argv, KUBE_LABEL) && !has_word(argv, "--watch") && !c->name;
	case KUBE_EXEC: return c->pod && c->args && *c->args;
	case KUBE_DELETE: return c->n_targets && !c->name && has_word(argv, "--ignore-not-found");
	default: return false;
	}
}

/* sh -c SCRIPT NAME OPERAND… kubectl OPTION…: returns false if it is no script that we can do. */
static bool read_script(char *const *argv, struct kube_command *ret)
{
	static const struct {
		const char *name;
		enum kube_verb verb;
		size_t n_operands;
	} rows[] = {{"claim", KUBE_CLAIM, 6}, {"await-claim", KUBE_AWAIT_CLAIM, 5}};
	enum { FIRST = 4 };
	size_t n = 0, i = 0;
	while (n < FIRST + KUBE_OPERANDS + 1 && argv[n])
		n++;
	if (n < FIRST || strcmp(argv[0], "sh") != 0 || strcmp(argv[1], "-c") != 0)
		return false;
	while (i < sizeof rows / sizeof *rows && strcmp(rows[i].name, argv[FIRST - 1]) != 0)
		i++;
	if (i == sizeof rows / sizeof *rows || n <= FIRST + rows[i].n_operands)
		return false;
	char *const *at = argv + FIRST + rows[i].n_operands;
	struct kube_command c = {.verb = rows[i].verb, .program = *at, .operands = argv + FIRST};
	for (at++; *at; at += 2)
		if (!take_option(&c, *at, at[1]))
			return false;
	if (c.container || c.name)
		return false;
	*ret = c;
	return true;
}

void kube_command_read(char *const *argv, struct kube_command *ret)
{
	struct kube_command c = {.program = argv[0]};
	*ret = (struct kube_command){.program = argv[0]};
	if (read_script(argv, ret))
		return;
	char *const *at = argv[0] ? argv + 1 : argv;
	for (; *at; at++) {
		if (take_option(&c, *at, at[1]))
			at++;
		else if (c.verb == KUBE_EXEC && strcmp(*at, "--") == 0) {
			c.args = at + 1;
			break;
		} else if (c.verb == KUBE_WATCH && strcmp(*at, "--output") == 0 && at[1])
			at++; /* a template: see kube/pod_state.h */
		else if (c.verb == KUBE_NONE && (c.verb = read_verb(*at)) != KUBE_NONE)
			continue;
		else if (c.verb == KUBE_NONE || !take_word(&c, *at))
			return;
	}
	if (c.verb == KUBE_WATCH && !c.pod && has_word(argv, LISTED))
		c.verb = KUBE_LIST;
	if (c.verb == KUBE_WATCH && !c.pod && has_word(argv, KUBE_CLAIMS))
		c.verb = KUBE_LIST_CLAIMS;
	if (c.verb == KUBE_DELETE && has_word(argv, KUBE_CLAIMS))
		c.verb = KUBE_RELEASE;
	if (is_complete(&c, argv))
		*ret = c;
}

/* ---- paths ------------------------------------------------------------------------------------------- */

static int put_words(struct buf *out, const char *words)
{
	return buf_append(out, words, strlen(words));
}

/* Whether it is a name that Kubernetes allows; "" is one, too. */
static bool is_plain(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	return *name != '.' && strlen(name) < KUBE_NAME && !name[strspn(name, letters)];
}

int kube_path_put(struct buf *out, const char *space, const char *kind, const char *name)
{
	static const struct {
		const char *kind[2], *group, *plural;
	} rows[] = {{{"pod", "Pod"}, "/api/v1", "/pods"},
			{{"configmap", "ConfigMap"}, "/api/v1", "/configmaps"},
			{{"networkpolicy", "NetworkPolicy"}, "/apis/networking.k8s.io/v1",
					"/networkpolicies"},
			{{"sandboxclaim", "SandboxClaim"}, KUBE_AGENT_SANDBOX, "/sandboxclaims"},
			{{"sandboxwarmpool", "SandboxWarmPool"}, KUBE_AGENT_SANDBOX, "/sandboxwarmpools"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(kind, rows[i].kind[0]) != 0 && strcmp(kind, rows[i].kind[1]) != 0)
			continue;
		if (!*space || !is_plain(space) || !is_plain(name))
			return TRM_EINVAL;
		const char *const words[] = {
				rows[i].group, "/namespaces/", space, rows[i].plural, *name ? "/" : "", name};
		int r = 0;
		for (size_t k = 0; r == 0 && k < sizeof words / sizeof *words; k++)
			r = put_words(out, words[k]);
		return r;
	}
	return TRM_EINVAL;
}

int kube_watch_path_put(struct buf *out, const char *space, const char *kind, const char *name)
{
	if (!*name || !is_plain(name))
		return TRM_EINVAL;
	int r = kube_path_put(out, space, kind, "");
	r = r == 0 ? put_words(out, "?watch=true&fieldSelector=metadata.name%3D") : r;
	return r == 0 ? put_words(out, name) : r;
}

static int put_parameter(struct buf *out, const char *name, const char *value)
{
	static const char hex[] = "0123456789ABCDEF";
	int r = put_words(out, name);
	for (; r == 0 && *value; value++) {
		const unsigned char c = (unsigned char)*value;
		const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
				     || (c >= '0' && c <= '9') || strchr("-._~/", c);
		const char coded[] = {'%', hex[c >> 4], hex[c & 15]};
		r = is_safe ? buf_append(out, value, 1) : buf_append(out, coded, 3);
	}
	return r;
}

int kube_exec_path_put(struct buf *out, const char *space, const struct kube_command *command)
{
	int r = kube_path_put(out, space, "pod", command->pod);
	r = r == 0 ? put_words(out, "/exec?stdout=true&stderr=true") : r;
	if (r == 0 && command->has_stdin)
		r = put_words(out, "&stdin=true");
	if (r == 0 && command->container)
		r = put_parameter(out, "&container=", command->container);
	for (char *const *at = command->args; r == 0 && *at; at++)
		r = put_parameter(out, "&command=", *at);
	return r;
}
