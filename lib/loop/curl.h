/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_CURL_H
#define TRM_LOOP_CURL_H

/* What we use of libcurl, which is loaded when HTTP is needed. Building needs no headers of it: on Debian
 * these bring thirty other packages along. The declarations follow curl/curl.h of 7.88 (Debian 12). The ABI
 * of libcurl.so.4 keeps these numbers. */

#include <stdint.h>

typedef void CURL, CURLM;
typedef int CURLcode, CURLMcode, curl_socket_t; /* an enum is an int in each ABI that we build for */
typedef int64_t curl_off_t;
struct curl_slist;

typedef struct {
	int msg; /* CURLMSG_DONE */
	CURL *easy_handle;
	union {
		void *whatever;
		CURLcode result;
	} data;
} CURLMsg;

/* Results of a transfer. */
enum {
	CURLE_OK = 0,
	CURLE_UNSUPPORTED_PROTOCOL = 1,
	CURLE_URL_MALFORMAT = 3,
	CURLE_COULDNT_RESOLVE_PROXY = 5,
	CURLE_COULDNT_RESOLVE_HOST = 6,
	CURLE_COULDNT_CONNECT = 7,
	CURLE_WEIRD_SERVER_REPLY = 8,
	CURLE_PARTIAL_FILE = 18,
	CURLE_OUT_OF_MEMORY = 27,
	CURLE_OPERATION_TIMEDOUT = 28,
	CURLE_SSL_CONNECT_ERROR = 35,
	CURLE_GOT_NOTHING = 52,
	CURLE_SEND_ERROR = 55,
	CURLE_RECV_ERROR = 56,
	CURLE_SSL_CIPHER = 59,
	CURLE_PEER_FAILED_VERIFICATION = 60,
	CURLE_SEND_FAIL_REWIND = 65,
	CURLE_SSL_CACERT_BADFILE = 77,
	CURLE_PROXY = 97,
};

/* Options of a transfer. 0: long, 10000: pointer, 20000: function, 30000: curl_off_t. */
enum {
	CURLOPT_POST = 47,
	CURLOPT_FOLLOWLOCATION = 52,
	CURLOPT_SSL_VERIFYPEER = 64,
	CURLOPT_SSL_VERIFYHOST = 81,
	CURLOPT_HTTP_VERSION = 84,
	CURLOPT_NOSIGNAL = 99,
	CURLOPT_TCP_NODELAY = 121,
	CURLOPT_TIMEOUT_MS = 155,
	CURLOPT_CONNECTTIMEOUT_MS = 156,
	CURLOPT_TCP_KEEPALIVE = 213,
	CURLOPT_TCP_KEEPIDLE = 214,
	CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
	CURLOPT_QUICK_EXIT = 322,
	CURLOPT_WRITEDATA = 10001,
	CURLOPT_URL = 10002,
	CURLOPT_READDATA = 10009,
	CURLOPT_ERRORBUFFER = 10010,
	CURLOPT_POSTFIELDS = 10015,
	CURLOPT_HTTPHEADER = 10023,
	CURLOPT_HEADERDATA = 10029,
	CURLOPT_CAINFO = 10065,
	CURLOPT_NOPROXY = 10177,
	CURLOPT_PROTOCOLS_STR = 10318,
	CURLOPT_WRITEFUNCTION = 20011,
	CURLOPT_READFUNCTION = 20012,
	CURLOPT_HEADERFUNCTION = 20079,
	CURLOPT_POSTFIELDSIZE_LARGE = 30120,
};

/* Facts about a transfer, for curl_easy_getinfo(). */
enum {
	CURLINFO_EFFECTIVE_URL = 1048577,
	CURLINFO_CONTENT_TYPE = 1048594,
	CURLINFO_HTTP_CONNECTCODE = 2097174,
	CURLINFO_OS_ERRNO = 2097177,
	CURLINFO_SIZE_UPLOAD_T = 6291463,
	CURLINFO_PRETRANSFER_TIME_T = 6291509,
};

/* The interface of many transfers. */
enum {
	CURLM_OK = 0,
	CURLMSG_DONE = 1,
	CURLMOPT_SOCKETDATA = 10002,
	CURLMOPT_TIMERDATA = 10005,
	CURLMOPT_SOCKETFUNCTION = 20001,
	CURLMOPT_TIMERFUNCTION = 20004,
};

/* Events of sockets, and ways to pause a transfer. */
enum {
	CURLPAUSE_CONT = 0,
	CURLPAUSE_RECV = 1,
	CURL_CSELECT_ERR = 4,
	CURL_CSELECT_IN = 1,
	CURL_CSELECT_OUT = 2,
	CURL_HTTP_VERSION_1_1 = 2,
	CURL_POLL_IN = 1,
	CURL_POLL_OUT = 2,
	CURL_POLL_REMOVE = 4,
	CURL_SOCKET_TIMEOUT = -1,
	CURL_ERROR_SIZE = 256,
	CURL_WRITEFUNC_PAUSE = 0x10000001,
};

CURL *curl_easy_init(void);
void curl_easy_cleanup(CURL *easy);
CURLcode curl_easy_setopt(CURL *easy, int option, ...);
CURLcode curl_easy_getinfo(CURL *easy, int info, ...);
CURLcode curl_easy_pause(CURL *easy, int directions);
const char *curl_easy_strerror(CURLcode code);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *line);
void curl_slist_free_all(struct curl_slist *list);
CURLM *curl_multi_init(void);
CURLMcode curl_multi_cleanup(CURLM *multi);
CURLMcode curl_multi_setopt(CURLM *multi, int option, ...);
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_assign(CURLM *multi, curl_socket_t socket, void *user);
CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *ret_running);
CURLMsg *curl_multi_info_read(CURLM *multi, int *ret_left);

#endif
