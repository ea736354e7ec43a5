/* SPDX-License-Identifier: MIT */
#include "theme/theme.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells/canvas.h"
#include <terrarium/error.h>

static const char *const role_names[ROLE_COUNT] = {
#define X(name, text, stand_in) [ROLE_##name] = text,
		ROLE_MAP(X)
#undef X
};

static const uint8_t stand_ins[ROLE_COUNT] = {
#define X(name, text, stand_in) [ROLE_##name] = ROLE_##stand_in,
		ROLE_MAP(X)
#undef X
};

static const struct {
	const char *name;
	uint16_t bit;
} attr_names[] = {{"bold", ATTR_BOLD}, {"dim", ATTR_DIM}, {"italic", ATTR_ITALIC},
		{"underline", ATTR_UNDERLINE}, {"reverse", ATTR_REVERSE}, {"strike", ATTR_STRIKE}};

struct parser {
	const char *json; /* comments are blanked, so that offsets are those of the file */
	size_t n;
	const char *file;
	const cJSON *palette;
	struct trm_error *err;             /* the first error */
	const struct theme_faults *faults; /* called for each error; NULL: the first one ends the parsing */
	size_t n_faults;
};

const char *role_name(enum role role)
{
	return role < ROLE_COUNT ? role_names[role] : "";
}

static enum role role_find(const char *name)
{
	int role = 0;
	while (role < ROLE_COUNT && strcmp(role_names[role], name) != 0)
		role++;
	return (enum role)role;
}

/* ---- positions in the file ---- */

/* Offset of the key `name`, searching from `from`; `from` if it is not found (it was written with
 * escapes). */
static size_t find_key(const struct parser *p, size_t from, const char *name)
{
	size_t len = strlen(name);
	for (size_t at = from; at + len + 2 <= p->n; at++) {
		if (p->json[at] != '"' || memcmp(p->json + at + 1, name, len) != 0
				|| p->json[at + 1 + len] != '"')
			continue;
		size_t behind = at + len + 2;
		while (behind < p->n && strchr(" \t\r\n", p->json[behind]))
			behind++;
		if (behind < p->n && p->json[behind] == ':')
			return at;
	}
	return from;
}

/* Fail with the position of a key: a path of keys from the top, NULL-terminated. 0: parsing goes on. */
static int fail_at(struct parser *p, const char *const *path, const char *sentence)
{
	size_t at = 0, line = 1, column = 1;
	for (; *path; path++)
		at = find_key(p, at, *path);
	for (size_t i = 0; i < at; i++) {
		column = p->json[i] == '\n' ? 1 : column + 1;
		line += p->json[i] == '\n';
	}
	struct trm_error fault;
	trm_error_set(&fault, TRM_EINVAL, "%s:%zu:%zu: %s", p->file, line, column, sentence);
	if (p->n_faults++ == 0 && p->err)
		*p->err = fault;
	if (!p->faults)
		return TRM_EINVAL;
	p->faults->tell(p->faults->user, fault.msg);
	return 0;
}

#define FAIL_AT(p, sentence, ...) fail_at(p, (const char *const[]){__VA_ARGS__, NULL}, sentence)

/* ---- values ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "#rrggbb" or "#rgb" */
static bool parse_hex(const char *s, uint32_t *ret)
{
	size_t n = strlen(s + 1);
	uint32_t rgb = 0;
	if (n != 3 && n != 6)
		return false;
	for (const char *c = s + 1; *c; c++) {
		int digit = hex_digit(*c);
		if (digit < 0)
			return false;
		rgb = rgb << 4 | (uint32_t)digit;
		if (n == 3)
			rgb = rgb << 4 | (uint32_t)digit;
	}
	*ret = COLOR_RGB(rgb);
	return true;
}

static bool parse_index(const char *digits, uint32_t *ret)
{
	char *end;
	unsigned long i = strtoul(digits, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || i > 255)
		return false;
	*ret = COLOR_INDEX(i);
	return true;
}

static bool parse_color(const cJSON *palette, const char *s, uint32_t *ret)
{
	if (*s == '#')
		return parse_hex(s, ret);
	if (strcmp(s, "default") == 0) {
		*ret = COLOR_NONE;
		return true;
	}
	if (strncmp(s, "color", 5) == 0 && parse_index(s + 5, ret))
		return true;
	const cJSON *named = palette ? cJSON_GetObjectItemCaseSensitive(palette, s) : NULL;
	/* A name stands for a color, not for another name, so there are no circles. */
	return cJSON_IsString(named) && parse_color(NULL, named->valuestring, ret);
}

static int set_color(struct parser *p, const char *role, const char *key, const cJSON *value, uint32_t *ret)
{
	char sentence[300];
	if (cJSON_IsString(value) && parse_color(p->palette, value->valuestring, ret))
		return 0;
	snprintf(sentence, sizeof(sentence),
			"role \"%s\": \"%s\" is not a color; write \"#rrggbb\", \"color0\" to \"color255\", \"default\""
			" or a name of the palette",
			role, cJSON_IsString(value) ? value->valuestring : key);
	return key == role ? FAIL_AT(p, sentence, "roles", role) : FAIL_AT(p, sentence, "roles", role, key);
}

static int set_attrs(struct parser *p, const char *role, const cJSON *list, uint16_t *ret)
{
	const cJSON *item;
	char sentence[300];
	uint16_t attrs = 0;
	if (!cJSON_IsArray(list))
		return FAIL_AT(p, "\"attrs\" must be a list, such as [\"bold\"]", "roles", role, "attrs");
	cJSON_ArrayForEach(item, list)
	{
		size_t i = 0, n = sizeof(attr_names) / sizeof(*attr_names);
		while (i < n && !(cJSON_IsString(item) && strcmp(attr_names[i].name, item->valuestring) == 0))
			i++;
		if (i == n) {
			snprintf(sentence, sizeof(sentence),
					"role \"%s\": \"%s\" is not an attribute; there are bold, dim,"
					" italic, underline, reverse and strike",
					role, cJSON_IsString(item) ? item->valuestring : "?");
			if (FAIL_AT(p, sentence, "roles", role, "attrs") < 0)
				return TRM_EINVAL;
			continue;
		}
		attrs |= attr_names[i].bit;
	}
	*ret = attrs;
	return 0;
}

/* ---- roles ---- */

static int parse_role(struct parser *p, const cJSON *item, struct theme_style *look)
{
	const char *role = item->string;
	const cJSON *part;
	char sentence[300];
	int r = 0;
	if (cJSON_IsString(item))
		return set_color(p, role, role, item, &look->fg);
	if (!cJSON_IsObject(item)) {
		snprintf(sentence, sizeof(sentence),
				"role \"%s\" must be a color or an object with fg, bg, attrs", role);
		return FAIL_AT(p, sentence, "roles", role);
	}
	cJSON_ArrayForEach(part, item)
	{
		if (strcmp(part->string, "fg") == 0)
			r = set_color(p, role, "fg", part, &look->fg);
		else if (strcmp(part->string, "bg") == 0)
			r = set_color(p, role, "bg", part, &look->bg);
		else if (strcmp(part->string, "attrs") == 0)
			r = set_attrs(p, role, part, &look->attrs);
		else {
			snprintf(sentence, sizeof(sentence),
					"role \"%s\": unknown key \"%s\"; there are fg, bg and attrs", role,
					part->string);
			r = FAIL_AT(p, sentence, "roles", role, part->string);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

enum role theme_stand_in(const struct theme *t, enum role role)
{
	while (!t->is_given[role] && stand_ins[role] != role)
		role = (enum role)stand_ins[role];
	return role;
}

/* Set the looks of all roles that neither the file nor its parents define. */
static void fill_looks(struct theme *t)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (!t->is_given[i])
			t->looks[i] = t->looks[theme_stand_in(t, (enum role)i)];
	for (int i = 0; i < ROLE_COUNT; i++)
		if (!t->is_given[i] && theme_stand_in(t, (enum role)i) == ROLE_TEXT)
			t->looks[i].attrs = 0;
}

static int parse_known_role(struct parser *p, const cJSON *item, enum role role, struct theme *t)
{
	struct theme_style *look = &t->looks[role];
	if (!t->is_given[role])
		*look = (struct theme_style){t->looks[ROLE_TEXT].fg, t->looks[ROLE_TEXT].bg, 0};
	int r = parse_role(p, item, look);
	t->is_given[role] = true;
	return r;
}

/* "text" comes first, because other roles take missing values from it. */
static int parse_roles(struct parser *p, const cJSON *roles, struct theme *t)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(roles, role_names[ROLE_TEXT]), *item;
	char sentence[300];
	int r = text ? parse_known_role(p, text, ROLE_TEXT, t) : 0;
	if (r < 0)
		return r;
	cJSON_ArrayForEach(item, roles)
	{
		enum role role = role_find(item->string);
		if (role == ROLE_COUNT) {
			snprintf(sentence, sizeof(sentence), "unknown role \"%s\".", item->string);
			if (FAIL_AT(p, sentence, "roles", item->string) < 0)
				return TRM_EINVAL;
			continue;
		}
		if (role != ROLE_TEXT && (r = parse_known_role(p, item, role, t)) < 0)
			return r;
	}
	fill_looks(t);
	return 0;
}

/* ---- the file ---- */

/* Blank line and block comments outside of strings. Line ends stay. */
static void blank_comments(char *s, size_t n)
{
	bool in_string = false;
	for (size_t i = 0; i < n; i++) {
		if (in_string) {
			i += s[i] == '\\';
			in_string = i >= n || s[i] != '"';
			continue;
		}
		in_string = s[i] == '"';
		if (s[i] != '/' || i + 1 >= n || (s[i + 1] != '/' && s[i + 1] != '*'))
			continue;
		bool is_block = s[i + 1] == '*';
		s[i] = s[i + 1] = ' ';
		for (i += 2; i < n && (is_block || s[i] != '\n'); i++) {
			bool is_end = is_block && s[i] == '*' && i + 1 < n && s[i + 1] == '/';
			if (s[i] != '\n')
				s[i] = ' ';
			if (is_end) {
				s[++i] = ' ';
				break;
			}
		}
	}
}

static int parse_palette(struct parser *p)
{
	const cJSON *item;
	uint32_t ignored;
	char sentence[300];
	if (p->palette && !cJSON_IsObject(p->palette))
		return FAIL_AT(p, "\"palette\" must be an object of names and colors", "palette");
	cJSON_ArrayForEach(item, p->palette)
	{
		if (cJSON_IsString(item) && parse_color(NULL, item->valuestring, &ignored))
			continue;
		snprintf(sentence, sizeof(sentence),
				"palette: \"%s\" must be \"#rrggbb\", \"color0\" to \"color255\""
				" or \"default\".",
				item->string);
		if (FAIL_AT(p, sentence, "palette", item->string) < 0)
			return TRM_EINVAL;
	}
	return 0;
}

/* Fail if the rest cannot be used. */
static int fail_shape(struct parser *p, const char *sentence, const char *key)
{
	fail_at(p, (const char *const[]){key ? key : "", NULL}, sentence);
	return TRM_EINVAL;
}

static int parse_tree(
		struct parser *p, const cJSON *root, theme_find_fn *find_parent, void *user, struct theme *t)
{
	const cJSON *item;
	char sentence[300];
	if (!cJSON_IsObject(root))
		return fail_shape(p, "a theme must be an object: { \"roles\": { … } }", NULL);
	cJSON_ArrayForEach(item, root)
	{
		static const char *const known[] = {"name", "inherits", "palette", "roles"};
		size_t i = 0;
		while (i < 4 && strcmp(known[i], item->string) != 0)
			i++;
		snprintf(sentence, sizeof(sentence),
				"unknown key \"%s\"; there are name, inherits, palette and roles",
				item->string);
		if (i == 4 && FAIL_AT(p, sentence, item->string) < 0)
			return TRM_EINVAL;
		snprintf(sentence, sizeof(sentence), "\"%s\" must be a word", item->string);
		if (i < 2 && !cJSON_IsString(item))
			return fail_shape(p, sentence, item->string);
	}
	const cJSON *parent = cJSON_GetObjectItemCaseSensitive(root, "inherits");
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(root, "name");
	const cJSON *roles = cJSON_GetObjectItemCaseSensitive(root, "roles");
	struct trm_error why = {0};
	if (parent && (!find_parent || find_parent(parent->valuestring, t, &why, user) < 0)) {
		snprintf(sentence, sizeof(sentence), "cannot inherit from \"%s\": %.200s",
				parent->valuestring, find_parent ? why.msg : "not possible here");
		return fail_shape(p, sentence, "inherits");
	}
	p->palette = cJSON_GetObjectItemCaseSensitive(root, "palette");
	int r = parse_palette(p);
	if (r < 0)
		return r;
	if (!cJSON_IsObject(roles))
		return roles ? fail_shape(p, "\"roles\" must be an object", "roles")
			     : fail_shape(p, "\"roles\" is missing", NULL);
	if ((r = parse_roles(p, roles, t)) < 0)
		return r;
	snprintf(t->name, sizeof(t->name), "%s", name ? name->valuestring : "");
	return 0;
}

/* The file's name without folders and extension. */
static void name_from_file(struct theme *t, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t n = strlen(base);
	if (n > 5 && strcmp(base + n - 5, ".json") == 0)
		n -= 5;
	snprintf(t->name, sizeof(t->name), "%.*s", n < sizeof(t->name) ? (int)n : (int)sizeof(t->name) - 1,
			base);
}

static int fail_syntax(struct parser *p, const char *stop)
{
	size_t at = stop ? (size_t)(stop - p->json) : 0, line = 1, column = 1;
	for (size_t i = 0; i < at && i < p->n; i++) {
		column = p->json[i] == '\n' ? 1 : column + 1;
		line += p->json[i] == '\n';
	}
	struct trm_error fault;
	trm_error_set(&fault, TRM_EINVAL,
			"%s:%zu:%zu: this is not JSON (a comma or quote missing or too many?)", p->file, line,
			column);
	if (p->err)
		*p->err = fault;
	if (p->faults)
		p->faults->tell(p->faults->user, fault.msg);
	return TRM_EINVAL;
}

int theme_parse_most(const char *json, size_t n, const char *file, theme_find_fn *find_parent, void *user,
		const struct theme_faults *faults, struct theme *ret, struct trm_error *reterr)
{
	if (n > THEME_MAX_BYTES)
		return trm_error_set(reterr, TRM_ETOOBIG, "%s is too big for a theme (more than %d KiB)",
				file, THEME_MAX_BYTES >> 10);
	char *copy = malloc(n + 1);
	if (!copy)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to read %s", file);
	memcpy(copy, json, n);
	copy[n] = '\0';
	blank_comments(copy, n);

	struct parser p = {.json = copy, .n = n, .file = file, .err = reterr, .faults = faults};
	struct theme fresh = {0};
	const char *stop = NULL;
	/* Text after the object is an error, too. */
	cJSON *root = memchr(copy, '\0', n) ? NULL : cJSON_ParseWithOpts(copy, &stop, true);
	int r = root ? parse_tree(&p, root, find_parent, user, &fresh) : fail_syntax(&p, stop);
	cJSON_Delete(root);
	free(copy);
	if (r < 0)
		return r;
	if (!*fresh.name)
		name_from_file(&fresh, file);
	fresh.path[0] = '\0';
	*ret = fresh;
	return 0;
}

int theme_parse(const char *json, size_t n, const char *file, theme_find_fn *find_parent, void *user,
		struct theme *ret, struct trm_error *reterr)
{
	return theme_parse_most(json, n, file, find_parent, user, NULL, ret, reterr);
}
