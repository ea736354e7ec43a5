/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>

#include "base/cidr.h"
#include "cmocka_all.h"

static struct cidr parse(const char *text)
{
	struct cidr c;
	struct trm_error e = {0};
	if (cidr_parse(text, strlen(text), &c, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return c;
}

static void good_ranges_are_read(void **state)
{
	static const struct {
		const char *text, *is;
	} rows[] = {
			{"10.0.0.0/8", "10.0.0.0/8"},
			{"192.168.7.7", "192.168.7.7/32"},
			{"0.0.0.0/0", "0.0.0.0/0"},
			{"172.16.0.0/12", "172.16.0.0/12"},
			{"fd00::/8", "fd00::/8"},
			{"2001:DB8::1", "2001:db8::1/128"},
			{"::/0", "::/0"},
	};
	char text[CIDR_TEXT];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct cidr c = parse(rows[i].text);
		cidr_format(&c, text);
		assert_string_equal(text, rows[i].is);
	}
}

static void bad_ranges_are_reported(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
			{"300.1.1.1/8", "not a range of addresses"},
			{"10.0.0.0/33", "/0 and /32"},
			{"fd00::/129", "/0 and /128"},
			{"10.0.0.0/", "/0 and /32"},
			{"10.0.0.0/-1", "/0 and /32"},
			{"10.0.0.0/08", "/0 and /32"},
			{"10.0.0.0/8x", "/0 and /32"},
			{"10.0.0.0/99999999999", "/0 and /32"},
			{"10.1.2.3/8", "did you mean 10.0.0.0/8"},
			{"fd00::1/64", "did you mean fd00::/64"},
			{"10/8", "not a range of addresses"},
			{"010.0.0.0/8", "not a range of addresses"},
			{"0x0a000000", "not a range of addresses"},
			{"/8", "not a range of addresses"},
			{"", "not a range of addresses"},
			{"example.org", "not a range of addresses"},
			{"fe80::1%eth0", "not a range of addresses"},
			{"::ffff:10.0.0.0/104", "without ::ffff:"},
			{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
					"not a range"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cidr c;
		struct trm_error e = {0};
		assert_int_equal(cidr_parse(rows[i].text, strlen(rows[i].text), &c, &e), TRM_EINVAL);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("%s: %s", rows[i].text, e.msg);
	}
}

static size_t list(const char *text)
{
	struct cidr all[CIDR_LIST_MAX];
	struct trm_error e = {0};
	size_t n;
	if (cidr_parse_list(text, all, &n, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return n;
}

static void lists_are_read(void **state)
{
	(void)state;
	assert_int_equal(list(""), 0);
	assert_int_equal(list("  "), 0);
	assert_int_equal(list("10.0.0.0/8"), 1);
	assert_int_equal(list("10.0.0.0/8,fd00::/8"), 2);
	assert_int_equal(list(" 10.0.0.0/8 ,\t192.168.1.0/24 fd00::/8 "), 3);
	assert_int_equal(list("169.254.169.254"), 1);
	assert_int_equal(list("0.0.0.0/0,::/0"), 2);
}

static void bad_lists_are_reported(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
			{",", "missing before a comma"},
			{"10.0.0.0/8,", "missing after a comma"},
			{"10.0.0.0/8,,fd00::/8", "missing before a comma"},
			{"127.0.0.0/8", "can never be opened (loopback)"},
			{"127.0.0.1", "can never be opened (loopback)"},
			{"0.0.0.0", "can never be opened"},
			{"::1", "can never be opened"},
			{"224.0.0.251", "can never be opened (multicast)"},
			{"255.255.255.255", "can never be opened"},
			{"ff02::/16", "can never be opened (multicast)"},
			{"10.0.0.0/8 nonsense", "'nonsense' is not a range"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cidr all[CIDR_LIST_MAX];
		struct trm_error e = {0};
		size_t n;
		assert_int_equal(cidr_parse_list(rows[i].text, all, &n, &e), TRM_EINVAL);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("%s: %s", rows[i].text, e.msg);
	}
}

static void too_many_are_refused(void **state)
{
	char text[(CIDR_LIST_MAX + 1) * 9 + 1] = "";
	struct cidr all[CIDR_LIST_MAX];
	size_t n;
	(void)state;
	for (int i = 0; i < CIDR_LIST_MAX; i++)
		strcat(text, i ? ",10.0.0.1" : "10.0.0.1");
	assert_int_equal(cidr_parse_list(text, all, &n, NULL), 0);
	strcat(text, ",10.0.0.1");
	assert_int_equal(cidr_parse_list(text, all, &n, NULL), TRM_EINVAL);
}

static void sets(void **state)
{
	const struct cidr ten = parse("10.0.0.0/8"), net = parse("10.0.2.0/24"), one = parse("10.0.2.3"),
			  other = parse("11.0.0.0/8"), odd = parse("172.16.0.0/12"),
			  in_odd = parse("172.31.255.255"), out_odd = parse("172.32.0.0"),
			  v6 = parse("a00::/8"), all = parse("0.0.0.0/0");
	(void)state;
	assert_true(cidr_holds(&ten, &net) && cidr_holds(&ten, &one) && cidr_holds(&ten, &ten));
	assert_false(cidr_holds(&net, &ten) || cidr_holds(&ten, &other) || cidr_holds(&ten, &v6));
	assert_true(cidr_holds(&odd, &in_odd) && !cidr_holds(&odd, &out_odd));
	assert_true(cidr_meets(&net, &ten) && cidr_meets(&ten, &net) && cidr_meets(&all, &odd));
	assert_false(cidr_meets(&net, &other) || cidr_meets(&all, &v6));
	assert_true(cidr_is_single(&one) && !cidr_is_single(&net));
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *text;
		int kind; /* -1: public */
	} rows[] = {
			{"127.0.0.1", CIDR_NEVER},
			{"0.0.0.0", CIDR_NEVER},
			{"::1", CIDR_NEVER},
			{"::", CIDR_NEVER},
			{"::10.0.0.1", CIDR_NEVER},
			{"239.1.2.3", CIDR_NEVER},
			{"255.255.255.255", CIDR_NEVER},
			{"169.254.169.254", CIDR_LINK},
			{"168.63.129.16", CIDR_LINK},
			{"100.100.100.200", CIDR_LINK},
			{"fd00:ec2::254", CIDR_LINK},
			{"fe80::1", CIDR_LINK},
			{"10.255.255.255", CIDR_PRIVATE},
			{"172.16.0.1", CIDR_PRIVATE},
			{"192.168.0.1", CIDR_PRIVATE},
			{"100.64.0.1", CIDR_PRIVATE},
			{"198.18.0.1", CIDR_PRIVATE},
			{"198.19.255.255", CIDR_PRIVATE},
			{"::ffff:0:a00:1", CIDR_PRIVATE},
			{"fc00::1", CIDR_PRIVATE},
			{"64:ff9b::a00:1", CIDR_PRIVATE},
			{"2002:a00:1::", CIDR_PRIVATE},
			{"2001:0:1::", CIDR_PRIVATE},
			{"8.8.8.8", -1},
			{"172.32.0.1", -1},
			{"100.128.0.1", -1},
			{"198.20.0.1", -1},
			{"168.63.129.17", -1},
			{"2001:db8::1", -1},
			{"2600::1", -1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct cidr c = parse(rows[i].text);
		const struct cidr_refused *row = cidr_find_refused(&c);
		if ((row ? (int)row->kind : -1) != rows[i].kind)
			fail_msg("%s is %s", rows[i].text, row ? row->name : "public");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(good_ranges_are_read),
			cmocka_unit_test(bad_ranges_are_reported),
			cmocka_unit_test(lists_are_read),
			cmocka_unit_test(bad_lists_are_reported),
			cmocka_unit_test(too_many_are_refused),
			cmocka_unit_test(sets),
			cmocka_unit_test(what_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
