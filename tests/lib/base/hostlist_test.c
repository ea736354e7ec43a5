/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/hostlist.h"
#include "cmocka_all.h"

static bool allows(const char *list, const char *name, uint16_t port)
{
	struct host_rule rules[HOSTLIST_MAX];
	struct host host;
	size_t n;
	assert_int_equal(hostlist_parse(list, rules, &n, NULL), 0);
	return hostlist_read(name, strlen(name), &host) && hostlist_find(rules, n, &host, port);
}

static void names_are_allowed(void **state)
{
	(void)state;
	assert_true(allows("example.org", "example.org", 443));
	assert_true(allows("example.org", "EXAMPLE.org.", 80));
	assert_true(allows("Example.ORG.", "example.org", 80));
	assert_false(allows("example.org", "example.org", 22));
	assert_false(allows("example.org", "www.example.org", 443));
	assert_false(allows("example.org", "example.org.evil.net", 443));
	assert_false(allows("example.org", "notexample.org", 443));
	assert_true(allows("a.b, *.example.org:8080", "x.y.example.org", 8080));
	assert_false(allows("*.example.org", "example.org", 443));
	assert_false(allows("*.example.org", ".example.org", 443));
	assert_false(allows("*.example.org", "notexample.org", 443));
	assert_false(allows("*.example.org:8080", "x.example.org", 443));
	assert_false(allows("", "example.org", 443));
}

static void addresses_have_one_form(void **state)
{
	(void)state;
	static const char *const none[] = {"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1",
			"127.0.0.01", "127.0.0.1.", "::ffff:127.0.0.1", "127.0.0.1/8", "1.2.3", "1.2.3.4.5",
			"fe80::1%eth0"};
	struct host host;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (hostlist_read(none[i], strlen(none[i]), &host))
			fail_msg("%s is read as %s", none[i], host.name);
	assert_true(allows("127.0.0.1:8080", "127.0.0.1", 8080));
	assert_false(allows("127.0.0.1:8080", "127.0.0.1", 80));
	assert_true(allows("[fd00::1]:22", "FD00:0::1", 22));
	assert_true(allows("fd00::1", "fd00::1", 443));
}

static void names_are_names(void **state)
{
	(void)state;
	struct host host;
	char longest[300];
	static const char *const none[] = {"", ".", "..", "a..b", ".a", "a b", "a/b", "a@b", "a:b", "a\tb",
			"é.org", "a,b", "*.a", "a.0x1f", "a.12"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (hostlist_read(none[i], strlen(none[i]), &host))
			fail_msg("'%s' is read as %s", none[i], host.name);
	assert_false(hostlist_read("a\0.example.org", 14, &host));
	memset(longest, 'a', sizeof longest);
	assert_false(hostlist_read(longest, 64, &host));
	assert_true(hostlist_read(longest, 63, &host));
	for (size_t i = 50; i < sizeof longest; i += 50)
		longest[i] = '.';
	assert_false(hostlist_read(longest, 255, &host));
	assert_true(hostlist_read(longest, 249, &host));
}

static void mistakes_are_reported(void **state)
{
	(void)state;
	static const char *const wrong[] = {"a..b", "*", "*.", "*.1.2.3.4", "a:0", "a:65536", "a:", "a:b",
			"http://a", "a/b", "[::1", "[::1]x", "[::1]:", "*a.b", "10.0.0.0/8"};
	struct host_rule rules[HOSTLIST_MAX];
	struct trm_error why;
	size_t n;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (hostlist_parse(wrong[i], rules, &n, &why) != TRM_EINVAL || !strstr(why.msg, "is no host"))
			fail_msg("'%s' is taken", wrong[i]);
	assert_int_equal(hostlist_parse(" a.b ,\tc.d,", rules, &n, NULL), 0);
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(names_are_allowed),
			cmocka_unit_test(addresses_have_one_form),
			cmocka_unit_test(names_are_names),
			cmocka_unit_test(mistakes_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
