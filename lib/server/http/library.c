/* SPDX-License-Identifier: MIT */
#include "server/http/library.h"

#include <string.h>

#include <terrarium/dynlib.h>

/* In the order of the members of the struct, which are all pointers. */
static const char *const symbols[] = {
		"MHD_start_daemon",
		"MHD_stop_daemon",
		"MHD_add_connection",
		"MHD_run",
		"MHD_get_timeout",
		"MHD_get_daemon_info",
		"MHD_get_connection_info",
		"MHD_lookup_connection_value",
		"MHD_get_connection_values",
		"MHD_suspend_connection",
		"MHD_resume_connection",
		"MHD_create_response_from_buffer",
		"MHD_create_response_from_callback",
		"MHD_add_response_header",
		"MHD_queue_response",
		"MHD_destroy_response",
};
#define N_SYMBOLS (sizeof symbols / sizeof *symbols)

_Static_assert(sizeof(struct mhd) == N_SYMBOLS * sizeof(void *), "one symbol for each member");

int mhd_load(struct mhd *ret, struct trm_error *reterr)
{
	static const struct trm_dynlib LIBRARY = {
			"libmicrohttpd.so.12", "libmicrohttpd12", "serving needs", symbols, N_SYMBOLS};
	return trm_dynlib_load(&LIBRARY, ret, reterr);
}

int hmac_load(struct hmac *ret, struct trm_error *reterr)
{
	static const char *const SYMBOL[] = {"gnutls_hmac_fast"};
	static const struct trm_dynlib LIBRARY = {"libgnutls.so.30", "libgnutls30", "keys need", SYMBOL, 1};
	return trm_dynlib_load(&LIBRARY, ret, reterr);
}

bool hmac_sha256(const struct hmac *hmac, const char *key, const void *text, size_t n,
		unsigned char ret[SHA256_LEN])
{
	enum { GNUTLS_MAC_SHA256 = 6 };
	return hmac->fast(GNUTLS_MAC_SHA256, key, strlen(key), text, n, ret) == 0;
}
