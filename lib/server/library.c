/* SPDX-License-Identifier: MIT */
#include "server/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/err.h"

#define MHD_FILE "libmicrohttpd.so.12"
#define GNUTLS_FILE "libgnutls.so.30"

/* In the order of the members of the struct, which are nothing but pointers. */
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
	void *handle = dlopen(MHD_FILE, RTLD_NOW | RTLD_LOCAL);
	void *found[N_SYMBOLS];
	size_t n = 0;

	while (handle && n < N_SYMBOLS && (found[n] = dlsym(handle, symbols[n])))
		n++;
	if (n < N_SYMBOLS)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"serving needs " MHD_FILE ": install the package libmicrohttpd12");
	memcpy(ret, found, sizeof *ret); /* as POSIX has it, for ISO C knows no such cast */
	return 0;
}

int hmac_load(struct hmac *ret, struct trm_error *reterr)
{
	void *handle = dlopen(GNUTLS_FILE, RTLD_NOW | RTLD_LOCAL);
	void *found = handle ? dlsym(handle, "gnutls_hmac_fast") : NULL;
	if (!found)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"keys need " GNUTLS_FILE ": install the package libgnutls30");
	memcpy(&ret->fast, &found, sizeof ret->fast);
	return 0;
}

bool hmac_sha256(const struct hmac *hmac, const char *key, const void *text, size_t n,
		unsigned char ret[SHA256_LEN])
{
	enum { GNUTLS_MAC_SHA256 = 6 };
	return hmac->fast(GNUTLS_MAC_SHA256, key, strlen(key), text, n, ret) == 0;
}
