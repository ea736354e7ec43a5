/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_HTTP_LIBRARY_H
#define TRM_SERVER_HTTP_LIBRARY_H

/* GNU libmicrohttpd, loaded when a server is opened, so that no other command pays for it and building
 * needs no headers of it. The declarations follow microhttpd.h of 0.9.75 (Debian 12); all of it has been in
 * the library since 0.9.55. Tokens also need functions of GnuTLS, which Debian's libmicrohttpd is linked
 * with anyway. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct trm_error;

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

/* Of MHD_FLAG, MHD_OPTION, MHD_ValueKind, MHD_ConnectionInfoType, MHD_DaemonInfoType, MHD_ResponseMemoryMode.
 */
enum {
	MHD_YES = 1,
	MHD_NO = 0,
	MHD_USE_ERROR_LOG = 1,
	MHD_USE_NO_LISTEN_SOCKET = 256,
	MHD_USE_EPOLL = 512,
	MHD_USE_ITC = 1024,
	MHD_USE_SUSPEND_RESUME = 8192 | MHD_USE_ITC,
	MHD_OPTION_END = 0,
	MHD_OPTION_CONNECTION_MEMORY_LIMIT = 1, /* size_t */
	MHD_OPTION_CONNECTION_LIMIT = 2,        /* unsigned */
	MHD_OPTION_CONNECTION_TIMEOUT = 3,      /* unsigned: seconds without a byte */
	MHD_OPTION_NOTIFY_COMPLETED = 4,
	MHD_OPTION_EXTERNAL_LOGGER = 13,
	MHD_OPTION_NOTIFY_CONNECTION = 27,
	MHD_OPTION_STRICT_FOR_CLIENT =
			29, /* int: 1 requires Host and, in libmicrohttpd 1.0, refuses folded lines */
	MHD_HEADER_KIND = 1,
	MHD_CONNECTION_INFO_CONNECTION_FD = 6,
	MHD_CONNECTION_INFO_SOCKET_CONTEXT = 7,
	MHD_DAEMON_INFO_EPOLL_FD = 3,
	MHD_RESPMEM_PERSISTENT = 0,
	MHD_RESPMEM_MUST_FREE = 1,
	MHD_CONNECTION_NOTIFY_STARTED = 0,
	MHD_CONNECTION_NOTIFY_CLOSED = 1,
	MHD_REQUEST_TERMINATED_COMPLETED_OK = 0,
};
#define MHD_SIZE_UNKNOWN UINT64_MAX
enum { MHD_CONTENT_READER_END_OF_STREAM = -1, MHD_CONTENT_READER_END_WITH_ERROR = -2 };

/* The used members of the unions MHD_DaemonInfo and MHD_ConnectionInfo. */
union mhd_info {
	int fd;
	void *socket_context;
};

typedef int mhd_handler(void *user, struct MHD_Connection *connection, const char *url, const char *method,
		const char *version, const char *upload, size_t *upload_len, void **request);
typedef void mhd_completed(void *user, struct MHD_Connection *connection, void **request, int how);
typedef void mhd_connected(void *user, struct MHD_Connection *connection, void **socket_context, int what);
typedef int mhd_value(void *user, int kind, const char *key, const char *value);
typedef ssize_t mhd_reader(void *user, uint64_t at, char *out, size_t max);
typedef void mhd_reader_free(void *user);

/* In the order of the names in library.c. */
struct mhd {
	struct MHD_Daemon *(*start_daemon)(unsigned flags, uint16_t port, void *policy, void *policy_user,
			mhd_handler *handler, void *handler_user, ...);
	void (*stop_daemon)(struct MHD_Daemon *daemon);
	int (*add_connection)(struct MHD_Daemon *daemon, int fd, const struct sockaddr *address, socklen_t n);
	int (*run)(struct MHD_Daemon *daemon);
	int (*get_timeout)(struct MHD_Daemon *daemon, unsigned long long *ret_ms);
	const union mhd_info *(*daemon_info)(struct MHD_Daemon *daemon, int what, ...);
	const union mhd_info *(*connection_info)(struct MHD_Connection *connection, int what, ...);
	const char *(*lookup)(struct MHD_Connection *connection, int kind, const char *key);
	int (*values)(struct MHD_Connection *connection, int kind, mhd_value *fn, void *user);
	void (*suspend)(struct MHD_Connection *connection);
	void (*resume)(struct MHD_Connection *connection);
	struct MHD_Response *(*response_from_buffer)(size_t n, void *buffer, int memory_mode);
	struct MHD_Response *(*response_from_callback)(uint64_t size, size_t block, mhd_reader *reader,
			void *user, mhd_reader_free *free_user);
	int (*add_header)(struct MHD_Response *response, const char *name, const char *value);
	int (*queue_response)(
			struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);
	void (*destroy_response)(struct MHD_Response *response);
};

/* Fails with TRM_ENOTSUP and a message that names the Debian package. */
int mhd_load(struct mhd *ret, struct trm_error *reterr);

/* HMAC with SHA-256. */
enum { SHA256_LEN = 32 };
struct hmac {
	int (*fast)(int algorithm, const void *key, size_t key_len, const void *text, size_t n, void *digest);
};
/* Fails with TRM_ENOTSUP and a message that names the Debian package. */
int hmac_load(struct hmac *ret, struct trm_error *reterr);
/* Returns false if GnuTLS refuses, for example because of a policy of the machine. */
bool hmac_sha256(const struct hmac *hmac, const char *key, const void *text, size_t n,
		unsigned char ret[SHA256_LEN]);

#endif
