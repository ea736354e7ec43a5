/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <terrarium/text.h>

#include "base/base64.h"
#include "base/err.h"
#include "kernel/protocol.h"

enum { WORDS_MAX = 220 }; /* of a server's text in our sentence */

/* Advice for people, by HTTP status. */
static const struct {
	int status, code;
	const char *advice;
} STATUSES[] = {
		{400, TRM_EINVAL, NULL},
		{404, TRM_EINVAL, "is it a microsandbox server, and is the URL right (server_url)?"},
		{405, TRM_EINVAL, "is it a microsandbox server, and is the URL right (server_url)?"},
		{407, TRM_EPERM, "the proxy requires a name and password: put them in http_proxy"},
		{408, TRM_EIO, "try again"},
		{413, TRM_ETOOBIG, "the request is too big for it"},
		{429, TRM_EBUSY, "it is too busy: try again later"},
		{502, TRM_EIO, "the proxy in front of the server cannot reach it"},
		{503, TRM_EBUSY, "try again later"},
		{504, TRM_EIO, "the proxy in front of the server got no answer from it in time"},
};

/* ---- texts ---------------------------------------------------------------------------------- */

/* Replace the key, if the server repeats it, by asterisks. */
static void hide_key(char *text, const char *key)
{
	size_t n = key ? strlen(key) : 0;
	for (char *at = text; n && (at = strstr(at, key)); at += n)
		memset(at, '*', n);
}

/* Separate words by single blanks, with none at the ends. Returns the new length. */
static size_t squeeze(char *text)
{
	size_t n = 0;
	for (const char *at = text; *at; at++) {
		bool is_blank = strchr(" \t\r\n", *at) != NULL;
		if (!is_blank)
			text[n++] = *at;
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	n -= n && text[n - 1] == ' ';
	text[n] = '\0';
	return n;
}

/* Copy the first words of a text in one clean line, cut to WORDS_MAX. */
static void take_words(char *out, size_t cap, const char *text, size_t n, const char *key)
{
	char *copy = strndup(text, n);
	char line[WORDS_MAX];
	snprintf(out, cap, "%s", "");
	if (!copy)
		return;
	hide_key(copy, key);
	n = squeeze(copy);
	trm_text_clean_line(line, sizeof line, copy, n);
	snprintf(out, cap, "%s%s", line, n >= sizeof line ? "…" : "");
	free(copy);
}

static bool is_html(const struct http_answer *a)
{
	size_t blank = strspn(a->body, " \t\r\n\xef\xbb\xbf");
	return strncasecmp(a->content_type, "text/html", 9) == 0
	       || strncasecmp(a->body + blank, "<!doctype", 9) == 0
	       || strncasecmp(a->body + blank, "<html", 5) == 0;
}

/* Copy the title of an HTML page. */
static void take_title(char *out, size_t cap, const char *body, const char *key)
{
	const char *title = strcasestr(body, "<title");
	const char *begin = title ? strchr(title, '>') : NULL;
	const char *end = begin ? strcasestr(begin, "</title") : NULL;
	snprintf(out, cap, "%s", "");
	if (end)
		take_words(out, cap, begin + 1, (size_t)(end - begin - 1), key);
}

/* The variable that names a proxy for such a URL, whether or not NO_PROXY exempts the server. */
static const char *proxy_variable(const char *url)
{
	static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL},
				 *const tls[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
						 NULL};
	for (const char *const *name = strncasecmp(url, "https:", 6) == 0 ? tls : plain; *name; name++) {
		const char *value = getenv(*name);
		if (value && *value)
			return *name;
	}
	return NULL;
}

/* ---- no answer --------------------------------------------------------------------------------- */

/* Advice by words of the failure. The first match counts. */
static const struct {
	int code;
	const char *words, *advice;
} MISSING[] = {
		{TRM_EPERM, "certificate has expired", "the operator of the server must renew it"},
		{TRM_EPERM, "certificate is not yet valid", "is this machine's clock right?"},
		{TRM_EPERM, "certificate subject name", "use the name in its certificate in the URL"},
		{TRM_EPERM, "setting certificate file", "it must contain certificates in PEM format"},
		{TRM_EPERM, "certificate", "name your own authority (ca_file, or SSL_CERT_FILE)"},
		{TRM_EPERM, "", "does it speak http:// only?"},
		{TRM_ENOENT, "",
				"is a server running there? 'terrarium serve' starts one; server_url names another"},
		{TRM_EPROTO, "", "is the URL right, and is it https:// perhaps?"},
};

static void advise_missing(
		const struct trm_error *failure, const struct reply_about *about, char *out, size_t cap)
{
	const char *proxy = proxy_variable(about->url);
	if (proxy && strstr(failure->msg, "proxy")) {
		snprintf(out, cap, " (it is set by %s; NO_PROXY goes around it)", proxy);
		return;
	}
	for (size_t i = 0; i < sizeof MISSING / sizeof *MISSING; i++)
		if (MISSING[i].code == failure->code && strstr(failure->msg, MISSING[i].words)) {
			snprintf(out, cap, "; %s", MISSING[i].advice);
			return;
		}
	if (about->is_first && failure->code == TRM_ECLOSED && strncasecmp(about->url, "http:", 5) == 0)
		snprintf(out, cap, "; is the URL right, and is it https:// perhaps?");
}

int reply_missing(const struct trm_error *failure, const struct reply_about *about, struct trm_error *reterr)
{
	char advice[160] = "";
	advise_missing(failure, about, advice, sizeof advice);
	return trm_error_set(reterr, failure->code, "cannot %s at %s: %s%s", about->what, about->url,
			failure->msg, advice);
}

/* ---- an answer -------------------------------------------------------------------------------------- */

static cJSON *parse_answer(const struct http_answer *a)
{
	char *copy = malloc(a->n + 1);
	if (!copy)
		return NULL;
	memcpy(copy, a->body, a->n + 1);
	cJSON *json = kernel_json_parse(copy, a->n, NULL);
	free(copy);
	return json;
}

/* Copy the error text of the answer; "" if it has none. */
static void error_words(const struct http_answer *a, const cJSON *json, const char *key, char *out,
		size_t cap, double *ret_code)
{
	const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
	const cJSON *holder = cJSON_IsObject(error) ? error : json;
	const cJSON *words =
			cJSON_IsString(error) ? error : cJSON_GetObjectItemCaseSensitive(holder, "message");
	const cJSON *code = cJSON_GetObjectItemCaseSensitive(holder, "code");
	*ret_code = cJSON_IsNumber(code) ? code->valuedouble : 0;
	snprintf(out, cap, "%s", "");
	if (cJSON_IsString(words))
		take_words(out, cap, words->valuestring, strlen(words->valuestring), key);
	else if (is_html(a))
		take_title(out, cap, a->body, key);
	else
		take_words(out, cap, a->body, a->n < 4 * WORDS_MAX ? a->n : 4 * WORDS_MAX, key);
}

/* Has the key expired, and when? Keys of these servers are JSON web tokens, "msb_HEAD.CLAIMS.SIGNATURE".
 * False also if the key cannot be read. */
static bool is_past(const char *key, char *ret_when, size_t cap)
{
	const char *claims = strchr(key, '.');
	size_t n = claims ? strcspn(++claims, ".") : 0, n_bytes;
	char letters[1024];
	struct tm tm;
	if (!n || n + 3 >= sizeof letters)
		return false;
	for (size_t i = 0; i < n; i++)
		letters[i] = claims[i] == '-' ? '+' : claims[i] == '_' ? '/' : claims[i];
	while (n % 4)
		letters[n++] = '=';
	char *bytes = base64_decode(letters, n, &n_bytes);
	cJSON *json = bytes ? cJSON_ParseWithLength(bytes, n_bytes) : NULL;
	const cJSON *exp = cJSON_GetObjectItemCaseSensitive(json, "exp");
	double at = cJSON_IsNumber(exp) ? exp->valuedouble : 0;
	cJSON_Delete(json);
	free(bytes);
	time_t when = at > 0 && at < 1e11 ? (time_t)at : 0;
	return when && when <= time(NULL) && gmtime_r(&when, &tm)
	       && strftime(ret_when, cap, "%Y-%m-%d %H:%M", &tm);
}

static const char *advice_on_key(const char *key, char *room, size_t cap)
{
	char when[32];
	if (!key)
		return "the server requires a key: set MSB_API_KEY, or name a key file (api_key_file)";
	if (!is_past(key, when, sizeof when))
		return "the API key is wrong or no longer valid: ask for a new one";
	snprintf(room, cap,
			"the API key has expired (%s UTC): get a new one ('terrarium keygen' at the server), set "
			"MSB_API_KEY to it, and start again",
			when);
	return room;
}

static const char *advice_of(const struct http_answer *a, const struct reply_about *about, const char *words,
		double code, int *ret_code, char *room, size_t cap)
{
	*ret_code = a->status == 401 || a->status == 403 ? TRM_EPERM : TRM_EIO;
	if (a->status == 401)
		return advice_on_key(about->key, room, cap);
	if (a->status == 403)
		return "the API key may not be used for this namespace";
	if (code == 5002 && strcasecmp(words, "Internal server error") == 0)
		return about->hidden;
	for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++)
		if (STATUSES[i].status == a->status) {
			*ret_code = STATUSES[i].code;
			return STATUSES[i].advice;
		}
	return NULL;
}

static int describe_refusal(const struct http_answer *a, const cJSON *json, const struct reply_about *about,
		struct trm_error *reterr)
{
	char words[WORDS_MAX + 8], detail[64], room[200];
	double number;
	int code;
	error_words(a, json, about->key, words, sizeof words, &number);
	const char *advice = advice_of(a, about, words, number, &code, room, sizeof room);
	if (number)
		snprintf(detail, sizeof detail, "HTTP %d, code %.0f", a->status, number);
	else
		snprintf(detail, sizeof detail, "HTTP %d", a->status);
	return trm_error_set(reterr, code, "cannot %s at %s: the server says %s%s%s (%s)%s%s", about->what,
			about->url, *words ? "'" : "nothing", words, *words ? "'" : "", detail,
			advice ? "; " : "", advice ? advice : "");
}

static int refuse_page(const struct http_answer *a, const struct reply_about *about, struct trm_error *reterr)
{
	char title[WORDS_MAX + 8], advice[160] = "";
	const char *proxy = proxy_variable(about->url);
	take_title(title, sizeof title, a->body, about->key);
	if (proxy)
		snprintf(advice, sizeof advice,
				"; it may come from the proxy that %s sets (NO_PROXY goes around it)", proxy);
	return trm_error_set(reterr, TRM_EPROTO,
			"cannot %s at %s: it sent a web page%s%s%s instead of an answer (HTTP %d), so it is not "
			"a microsandbox server%s",
			about->what, about->url, *title ? " '" : "", title, *title ? "'" : "", a->status,
			advice);
}

static int refuse_answer(const struct http_answer *a, const struct reply_about *about, const char *what,
		struct trm_error *reterr)
{
	char words[WORDS_MAX + 8], type[80];
	take_words(words, sizeof words, a->body, a->n < 80 ? a->n : 80, about->key);
	take_words(type, sizeof type, a->content_type, strlen(a->content_type), about->key);
	return trm_error_set(reterr, TRM_EPROTO,
			"cannot %s at %s: its answer %s (HTTP %d, content type '%s', it begins with '%s')",
			about->what, about->url, what, a->status, *type ? type : "none", words);
}

int reply_read(const struct http_answer *a, const struct reply_about *about, cJSON **ret_root,
		const cJSON **ret, struct trm_error *reterr)
{
	int r;
	if (a->status >= 300 && a->status < 400)
		return trm_error_set(reterr, TRM_EPROTO,
				"cannot %s at %s: the server redirects to another address (HTTP %d), where no key is "
				"sent; give the final address (server_url)",
				about->what, about->url, a->status);
	cJSON *json = parse_answer(a);
	const cJSON *result = cJSON_GetObjectItemCaseSensitive(json, "result");
	const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
	if (a->status == 200 && result && !cJSON_IsNull(result) && (!error || cJSON_IsNull(error))) {
		*ret_root = json;
		*ret = result;
		return 0;
	}
	if (is_html(a))
		r = refuse_page(a, about, reterr);
	else if (a->status >= 400 || (error && !cJSON_IsNull(error)))
		r = describe_refusal(a, json, about, reterr);
	else if (!a->n)
		r = trm_error_set(reterr, TRM_EPROTO, "cannot %s at %s: its answer is empty (HTTP %d)",
				about->what, about->url, a->status);
	else
		r = refuse_answer(a, about, json ? "is not a JSON-RPC reply" : "is not JSON", reterr);
	cJSON_Delete(json);
	return r;
}
