/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

#include "backend/host/netenv.h"
#include "backend/local/netplan.h"
#include "cmocka_all.h"

static struct netenv env;
static char home[32];

static const char *value(const char *name)
{
	const char *at = buf_at(&env.vars), *end = at + env.vars.len;
	while (at < end) {
		const char *v = at + strlen(at) + 1;
		if (!strcmp(at, name))
			return v;
		at = v + strlen(v) + 1;
	}
	return NULL;
}

static void expect(const char *name, const char *is)
{
	const char *v = value(name);
	if ((!v) != (!is) || (v && strcmp(v, is)))
		fail_msg("%s is %s, not %s", name, v ? v : "missing", is ? is : "missing");
}

static void begin(bool has_credentials)
{
	netenv_finish(&env);
	env = (struct netenv){.has_credentials = has_credentials, .sees_host = true};
	buf_init(&env.vars, 8192);
	buf_init(&env.certs, 1 << 20);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", home, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void credentials_are_cut(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
			{"http://user:pass@proxy:3128/", "http://proxy:3128/"},
			{"http://proxy:3128", "http://proxy:3128"},
			{"user:pass@proxy:3128", "proxy:3128"},
			{"https://a:p@ss@host/simple/", "https://host/simple/"},
			{"https://token@host/x@y/", "https://host/x@y/"},
			{"https://host/@scope/pkg?u=a@b", "https://host/@scope/pkg?u=a@b"},
			{"https://a:b@one/ https://c:d@two/", "https://one/ https://two/"},
			{"https://a:b@one/,c:d@two:80", "https://one/,two:80"},
			{"https://one,https://c:d@two", "https://one,https://two"},
			{"https://a:b,c@one/x", "https://one/x"},
			{"socks5h://u:p@[::1]:1080", "socks5h://[::1]:1080"},
			{"", ""},
			{"@", ""},
			{"://@", "://"},
	};
	char text[200];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "%s", rows[i].in);
		netenv_strip(text, false);
		assert_string_equal(text, rows[i].out);
	}
}

/* Python's urllib takes them so, though a password should have such characters as %2F. */
static void passwords_of_proxies_may_hold_anything(void **state)
{
	static const char *const rows[] = {"http://u:p,w@h:80", "http://u:p/w@h:80", "http://u:1#w@h:80",
			"http://u:p?w@h:80", "http://u/x:p@w@h:80", "http://u:p w@h:80", "http://h:80"};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(false);
		netenv_put(&env, "https_proxy", rows[i], true);
		expect("https_proxy", "http://h:80");
	}
	begin(false);
	netenv_put(&env, "NPM_CONFIG_PROXY", "u:p/w@h:80", true);
	expect("NPM_CONFIG_PROXY", "h:80");
}

static void pip_is_read(void **state)
{
	char text[] = "# comment\n"
		      "[global]\n"
		      "index-url = https://me:secret@pypi.example/simple\n"
		      "extra_index_url =\n"
		      "    https://one.example/simple\n"
		      "    https://u:p@two.example/simple\n"
		      "Trusted-Host: pypi.example\n"
		      "[freeze]\n"
		      "timeout = 99\n"
		      "[install]\n"
		      "timeout = 20\n"
		      "no value\n";
	char again[sizeof text];
	(void)state;
	memcpy(again, text, sizeof text);
	begin(false);
	netenv_read_pip(&env, text);
	expect("PIP_INDEX_URL", "https://pypi.example/simple");
	expect("PIP_EXTRA_INDEX_URL", "https://one.example/simple https://two.example/simple");
	expect("PIP_TRUSTED_HOST", "pypi.example");
	expect("PIP_TIMEOUT", "20");
	begin(true);
	netenv_read_pip(&env, again);
	expect("PIP_INDEX_URL", "https://me:secret@pypi.example/simple");
}

static void npm_is_read(void **state)
{
	static const char file[] = "; comment\n"
				   "registry=https://u:p@npm.example/\n"
				   "@corp:registry = \"https://corp.example/npm/\"\n"
				   "//corp.example/npm/:_authToken=${NT_TOKEN}\n"
				   "_auth=c2VjcmV0\n"
				   "https-proxy=http://proxy.example:8080\n"
				   "init-author-name=Somebody\n"
				   "script-shell=/evil\n";
	char text[sizeof file];
	(void)state;
	setenv("NT_TOKEN", "abc", 1);
	memcpy(text, file, sizeof file);
	begin(false);
	netenv_read_npm(&env, text);
	expect("npm_config_registry", "https://npm.example/");
	expect("npm_config_@corp:registry", "https://corp.example/npm/");
	expect("npm_config_//corp.example/npm/:_authToken", NULL);
	expect("npm_config__auth", NULL);
	expect("npm_config_https_proxy", "http://proxy.example:8080");
	expect("npm_config_init_author_name", NULL);
	expect("npm_config_script_shell", NULL);
	memcpy(text, file, sizeof file);
	begin(true);
	netenv_read_npm(&env, text);
	expect("npm_config_//corp.example/npm/:_authToken", "abc");
	expect("npm_config_registry", "https://u:p@npm.example/");
}

static void odd_texts_do_no_harm(void **state)
{
	static const char *const texts[] = {"", "\n\n", "[", "[global]\n=\n= x\n  y\n", "[global]\nindex-url",
			"registry", "=", "\"", "registry=\"", "registry=${", "registry=${}", "a=${NT_NONE}b",
			"[global]\r\nindex-url = x\r\n"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char text[64];
		begin(true);
		snprintf(text, sizeof text, "%s", texts[i]);
		netenv_read_pip(&env, text);
		snprintf(text, sizeof text, "%s", texts[i]);
		netenv_read_npm(&env, text);
	}
	char *long_text = malloc(300000);
	assert_non_null(long_text);
	memset(long_text, 'x', 299999);
	memcpy(long_text, "[global]\nindex-url = ", 21);
	long_text[299999] = '\0';
	begin(true);
	netenv_read_pip(&env, long_text);
	expect("PIP_INDEX_URL", NULL);
	free(long_text);
}

static void the_environment_comes_first(void **state)
{
	(void)state;
	write_file(".npmrc", "registry=https://file.example/\nproxy=http://from.file:1\n");
	setenv("npm_config_registry", "https://env.example/", 1);
	setenv("https_proxy", "http://a:b@proxy.example:3128", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	netenv_finish(&env);
	netenv_find(&env, false, true);
	expect("npm_config_registry", "https://env.example/");
	expect("npm_config_proxy", "http://from.file:1");
	expect("https_proxy", "http://proxy.example:3128");
	expect("AWS_SECRET_ACCESS_KEY", NULL);
	unsetenv("npm_config_registry");
	unsetenv("https_proxy");
}

static void certificates_go_along_without_keys(void **state)
{
	char path[128];
	(void)state;
	write_file("ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
			     "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n"
			     "-----BEGIN CERTIFICATE-----\nBBBB\n-----END CERTIFICATE-----");
	write_file("key.pem", "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n");
	begin(false);
	snprintf(path, sizeof path, "%s/key.pem", home);
	netenv_put_certs(&env, "CURL_CA_BUNDLE", path);
	expect("CURL_CA_BUNDLE", NULL);
	snprintf(path, sizeof path, "%s/ca.pem", home);
	netenv_put_certs(&env, "SSL_CERT_FILE", path);
	expect("SSL_CERT_FILE", NETENV_CERTS);
	assert_int_equal(buf_append(&env.certs, "", 1), 0);
	assert_non_null(strstr(buf_at(&env.certs), "AAAA"));
	assert_non_null(strstr(buf_at(&env.certs), "BBBB"));
	assert_null(strstr(buf_at(&env.certs), "SECRET"));
	netenv_put_certs(&env, "PIP_CERT", "/etc/ssl/certs/ca-certificates.crt");
	expect("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt");
	netenv_put_certs(&env, "GIT_SSL_CAINFO", "/nonexistent");
	netenv_put_certs(&env, "NODE_EXTRA_CA_CERTS", "/etc/ssl/certs/../private/key");
	expect("GIT_SSL_CAINFO", NULL);
	expect("NODE_EXTRA_CA_CERTS", NULL);
}

/* A container sees nothing of the host, and several variables may name one file. */
static void a_container_gets_each_file_once(void **state)
{
	char path[128], other[128];
	(void)state;
	write_file("ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
	begin(false);
	env.sees_host = false;
	snprintf(path, sizeof path, "%s/ca.pem", home);
	snprintf(other, sizeof other, "%s/./ca.pem", home);
	netenv_put_certs(&env, "PIP_CERT", path);
	size_t once = env.certs.len;
	netenv_put_certs(&env, "SSL_CERT_FILE", other);
	expect("SSL_CERT_FILE", NETENV_CERTS);
	assert_int_equal(env.certs.len, once);
	netenv_put_certs(&env, "CURL_CA_BUNDLE", "/usr/share/doc");
	expect("CURL_CA_BUNDLE", NULL);
}

static void what_cannot_be_reached_is_reported(void **state)
{
	static const struct {
		const char *url, *allow, *says;
	} rows[] = {
			{"http://127.0.0.1:3128", "", "this machine itself"},
			{"http://localhost:3128", "", "this machine itself"},
			{"http://[::1]:3128/", "", "this machine itself"},
			{"10.1.2.3:3128", "", "open 10.1.2.3 (net_allow)"},
			{"http://u:p@192.168.1.1/", "", "open 192.168.1.1 (net_allow)"},
			{"http://10.1.2.3:3128", "10.0.0.0/8", NULL},
			{"http://[fd00::7]:80", "", "open fd00::7 (net_allow)"},
			{"http://proxy.example:3128", "", NULL},
			{"http://203.0.113.1:3128", "", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct trm_limits limits = {.net = true};
		char hint[TRM_NET_HINT] = "";
		snprintf(limits.net_allow, sizeof limits.net_allow, "%s", rows[i].allow);
		setenv("http_proxy", rows[i].url, 1);
		bool has_hint = trm_net_hint(&limits, hint, sizeof hint);
		if (has_hint != (rows[i].says != NULL) || (has_hint && !strstr(hint, rows[i].says)))
			fail_msg("%s: %s", rows[i].url, hint);
		limits.net = false;
		assert_false(trm_net_hint(&limits, hint, sizeof hint));
	}
	unsetenv("http_proxy");
}

static uint32_t choose(const char *open)
{
	struct cidr ranges[CIDR_LIST_MAX];
	size_t n;
	assert_int_equal(cidr_parse_list(open, ranges, &n, NULL), 0);
	return netplan_choose_subnet(ranges, n);
}

static void the_subnet_keeps_out_of_the_way(void **state)
{
	(void)state;
	assert_int_equal(choose(""), 0x0a000200);
	assert_int_equal(choose("192.168.1.0/24"), 0x0a000200);
	assert_int_equal(choose("10.0.0.0/8"), 0xac1ffe00);
	assert_int_equal(choose("10.0.2.2 172.16.0.0/12"), 0xc0a8fe00);
	assert_int_equal(choose("0.0.0.0/0"), 0x0a000200);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(home, "/tmp/netenv-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	for (char **at = environ; *at;) {
		char name[256];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
		if (strcmp(name, "PATH") && strncmp(name, "ASAN", 4) && strncmp(name, "UBSAN", 5))
			unsetenv(name);
		else
			at++;
	}
	setenv("HOME", home, 1);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const files[] = {".npmrc", "ca.pem", "key.pem"};
	char path[128];
	(void)state;
	netenv_finish(&env);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", home, files[i]);
		unlink(path);
	}
	return rmdir(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(credentials_are_cut),
			cmocka_unit_test(passwords_of_proxies_may_hold_anything),
			cmocka_unit_test(pip_is_read),
			cmocka_unit_test(npm_is_read),
			cmocka_unit_test(odd_texts_do_no_harm),
			cmocka_unit_test(the_environment_comes_first),
			cmocka_unit_test(certificates_go_along_without_keys),
			cmocka_unit_test(a_container_gets_each_file_once),
			cmocka_unit_test(what_cannot_be_reached_is_reported),
			cmocka_unit_test(the_subnet_keeps_out_of_the_way),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
