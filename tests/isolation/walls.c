/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "isolation/cases.h"
#include "isolation/exceptions.h"
#include "isolation/inside.h"
#include "wire/folder.h"

static struct inside in;
static struct outcome o;
static int host_file_fd = -1;

static int open_one(void **state)
{
	(void)state;
	setenv("ISOLATION_SECRET", "swordfish", 1);
	/* Something open, and not close-on-exec, as many a host program has it. */
	host_file_fd = open("/etc/hostname", O_RDONLY);
	inside_open(&in, NULL);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	inside_close(&in);
	close(host_file_fd);
	return 0;
}

/* Before every program: where its files are, the agent, and looking without failing. */
#define PRELUDE \
	"import os\n" \
	"W, H, T, AGENT = os.getcwd(), os.environ['HOME'], os.environ['TMPDIR'], os.getppid()\n" \
	"def names(d):\n" \
	"  try: return set(os.listdir(d))\n" \
	"  except OSError: return set()\n" \
	"def text(f):\n" \
	"  try: return open(f, errors='replace').read()\n" \
	"  except OSError: return ''\n"

/* Every line that the code prints is a complaint. */
static void expect_silence_of(const char *name, const char *code)
{
	char all[4096];
	assert_true(snprintf(all, sizeof all, PRELUDE "%s", code) < (int)sizeof all);
	exceptions_check(name, inside_python(&in, all, &o));
}

#define expect_silence(code) expect_silence_of(__func__, code)

/* ---- what can be seen --------------------------------------------------------------- */

static void the_hosts_files_are_not_there(void **state)
{
	(void)state;
	expect_silence("for extra in names('/') - set('bin dev etc home lib lib32 lib64 libx32 proc run sbin tmp "
		       "usr workspace'.split()): print('in /:', extra)\n"
		       "for extra in names('/home') - {'user'}: print('in /home:', extra)\n"
		       "for d in (W, H, T, '/dev/shm'):\n"
		       "  if names(d): print('in', d, names(d))\n"
		       "for extra in names('/etc') - set('alternatives group hosts ld.so.cache "
		       "localtime nsswitch.conf "
		       "passwd R fonts'.split()):\n" /* what R, Java and plots cannot do without */
		       "  if not extra.startswith('java'): print('in /etc:', extra)\n"
		       "for extra in names('/run') - {'agent'}: print('in /run:', extra)\n"
		       "for p in '/root /var/lib /etc/shadow'.split():\n"
		       "  if os.path.lexists(p): print('can be named:', p)\n");
}

static void mounts_tell_nothing_of_the_host(void **state)
{
	(void)state;
	char cwd[512], code[1024];
	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(code, sizeof code,
			"t = text('/proc/self/mountinfo')\n"
			"for word in ('/root', '/tmp/tmp', 'oldroot', '%s/'):\n"
			"  if word in t: print('mountinfo has', word, t)\n",
			strlen(cwd) > 1 ? cwd : "/nowhere");
	expect_silence(code);
}

static void only_its_own_processes_are_seen(void **state)
{
	char code[512];
	(void)state;
	snprintf(code, sizeof code,
			"pids = {int(p) for p in names('/proc') if p.isdigit()}\n"
			"if pids - {1, os.getpid()}: print('others:', pids)\n"
			"if text('/proc/1/comm') not in ('', 'agent\\n'): print('init is', text('/proc/1/comm'))\n"
			"for f in 'stat status cmdline comm'.split():\n"
			"  if text('/proc/%d/' + f): print(f, 'can be read')\n"
			"if os.path.exists('/proc/%d'): print('numbers of processes')\n",
			(int)getpid(), (int)getpid());
	expect_silence(code);
}

static bool has_line(void *user)
{
	struct inside *at = &in;
	trm_loop_step(at->loop, 10);
	return strchr(((struct outcome *)user)->text, '\n') != NULL;
}

/* Without namespaces a program sees nothing of others in /proc, also if they were started before it. */
static void earlier_programs_are_not_seen(void **state)
{
	static struct outcome earlier;
	const char *argv[] = {"/usr/bin/python3", "-c",
			"import os, signal; print(os.getpid(), flush=True); signal.pause()", NULL};
	char code[1024];
	(void)state;
	if (inside_isolation == TRM_ISOLATION_NAMESPACES)
		skip();
	struct trm_proc *proc = inside_start(&in, argv, &earlier);
	host_wait(has_line, &earlier);
	snprintf(code, sizeof code,
			"for f in 'cmdline stat status environ comm maps'.split():\n"
			"  if not text('/proc/self/' + f): print('its own', f, 'cannot be read')\n"
			"  if text('/proc/%d/' + f): print(f, 'of another can be read')\n"
			"  if text('/proc/%d/' + f): print(f, 'of the agent can be read')\n"
			"if not names('/proc/self/fd'): print('its own descriptors cannot be listed')\n"
			"if names('/proc/%d/fd') or names('/proc/%d/task'): print('of another')\n"
			"for f in 'cpuinfo meminfo stat uptime version sys/kernel/ostype'.split():\n"
			"  if not text('/proc/' + f): print(f, 'cannot be read')\n"
			"for f in 'mounts net/tcp locks modules partitions sysrq-trigger'.split():\n"
			"  if text('/proc/' + f): print(f, 'can be read')\n",
			atoi(earlier.text), (int)host_agent(host_supervisor()), atoi(earlier.text),
			atoi(earlier.text));
	expect_silence(code);
	trm_proc_signal(proc, SIGKILL, TRM_SIGNAL_GROUP);
	inside_wait(&in, &earlier.is_over);
}

static void the_environment_is_its_own(void **state)
{
	(void)state;
	expect_silence("want = dict(PATH='/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin:' + H + '/.local/bin', USER='user', "
		       "LANG='C.UTF-8', TERM='dumb')\n"
		       "for k, v in want.items():\n"
		       "  if os.environ.get(k) != v: print(k, os.environ.get(k))\n"
		       "extra = set(os.environ) - set(want) - set('HOME TMPDIR SHELL LOGNAME PWD LC_CTYPE "
		       "TERRARIUM_WORKSPACE PIP_BREAK_SYSTEM_PACKAGES PYTHONUNBUFFERED PIP_NO_INDEX npm_config_offline'.split())\n"
		       "if extra: print('also', extra)\n"
		       "if [W, H, T] != ['/workspace', '/home/user', '/tmp']: print('places:', W, H, T)\n"
		       "if os.uname().nodename != 'sandbox': print('name of the machine')\n"
		       "import pwd\n"
		       "try: user = pwd.getpwuid(os.getuid()).pw_name\n"
		       "except KeyError: user = 'none'\n"
		       "if user != 'user': print('name of the user:', user)\n");
}

static void only_standard_descriptors_are_open(void **state)
{
	(void)state;
	expect_silence("fds = sorted(int(f) for f in os.listdir('/proc/self/fd'))\n"
		       "links = {f: os.readlink(f'/proc/self/fd/{f}') for f in fds if "
		       "os.path.lexists(f'/proc/self/fd/{f}')}\n"
		       "if set(links) - {0, 1, 2}: print('descriptors', links)\n"
		       "for f, l in links.items():\n"
		       "  if not l.startswith(('pipe:', 'socket:')): print(f, l)\n");
}

static void masked_proc_files_are_empty(void **state)
{
	(void)state;
	expect_silence("for f in 'kcore keys key-users kallsyms timer_list interrupts iomem cmdline "
		       "config.gz'.split():\n"
		       "  try:\n"
		       "    if open('/proc/' + f, 'rb').read(1): print(f, 'can be read')\n"
		       "  except OSError: pass\n"
		       "for d in 'acpi scsi driver fs pressure'.split():\n"
		       "  if names('/proc/' + d): print(d, names('/proc/' + d))\n");
}

/* ---- bubblewrap and the agent, from the host -------------------------------------------- */

/* The agent's is the code's, as above. */
static void supervisor_and_agent_have_no_environment_of_ours(void **state)
{
	(void)state;
	char path[64], text[4096];
	pid_t supervisor = host_supervisor();
	snprintf(path, sizeof path, "/proc/%d/environ", (int)supervisor);
	assert_int_equal(host_read(path, text, sizeof text), 0);
	snprintf(path, sizeof path, "/proc/%d/environ", (int)host_agent(supervisor));
	host_read(path, text, sizeof text);
	assert_null(strstr(text, "swordfish"));
}

static void bubblewrap_has_no_environment(void **state)
{
	(void)state;
	if (inside_isolation != TRM_ISOLATION_NAMESPACES)
		skip();
	char path[64], text[4096];
	pid_t bwrap = host_bwrap(host_supervisor()), init = host_child_of(bwrap);
	assert_true(bwrap > 0 && init > 0);
	snprintf(path, sizeof path, "/proc/%d/environ", (int)bwrap);
	assert_int_equal(host_read(path, text, sizeof text), 0);
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)bwrap);
	assert_true(host_read(path, text, sizeof text) > 0);
	assert_string_equal(text, "bwrap --args 4 -- /run/agent serve 3 ");
}

static void its_user_is_nobody_else_on_the_host(void **state)
{
	(void)state;
	char path[64], text[4096];
	unsigned uid[4], groups;
	if (geteuid() != 0)
		skip();
	pid_t agent = host_agent(host_supervisor());
	snprintf(path, sizeof path, "/proc/%d/status", (int)agent);
	assert_true(host_read(path, text, sizeof text) > 0);
	const char *at = strstr(text, "Uid:");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "Uid: %u %u %u %u", &uid[0], &uid[1], &uid[2], &uid[3]), 4);
	assert_true(folder_is_user(uid[0]));
	for (int i = 1; i < 4; i++)
		assert_int_equal(uid[i], uid[0]);
	at = strstr(text, "Groups:");
	assert_non_null(at);
	if (sscanf(at, "Groups: %u", &groups) == 1)
		assert_int_not_equal(groups, 0);
}

/* What the process has opened in there itself: it lies on one of the mounts that are its own. */
static bool is_on_own_mount(pid_t pid, int fd)
{
	char path[64], info[1024], mounts[16384], line[32];
	unsigned mount;
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
	const char *at = host_read(path, info, sizeof info) > 0 ? strstr(info, "mnt_id:") : NULL;
	snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)pid);
	if (!at || sscanf(at, "mnt_id: %u", &mount) != 1 || host_read(path, mounts, sizeof mounts) <= 0)
		return false;
	int n = snprintf(line, sizeof line, "\n%u ", mount);
	return strstr(mounts, line) || strncmp(mounts, line + 1, (size_t)n - 1) == 0;
}

/* Without mounts of its own: in its folder, or in /proc. */
static bool is_in_own_places(const char *link)
{
	char folder[256];
	host_folder(trm_sandbox_name(in.sandbox), folder, sizeof folder);
	return strncmp(link, folder, strlen(folder)) == 0 || strncmp(link, "/proc", 5) == 0;
}

static bool is_its_own(pid_t agent, int fd, const char *link)
{
	return inside_isolation == TRM_ISOLATION_NAMESPACES ? is_on_own_mount(agent, fd)
							    : is_in_own_places(link);
}

static bool is_harmless(const char *link)
{
	return !strcmp(link, "/dev/null") || strstr(link, "pipe:") || strstr(link, "socket:")
	       || strstr(link, "anon_inode:");
}

static void nothing_is_inherited(void **state)
{
	(void)state;
	pid_t supervisor = host_supervisor(), bwrap = host_bwrap(supervisor), agent = host_agent(supervisor);
	const pid_t pids[] = {supervisor, bwrap ? bwrap : agent, agent};
	for (size_t i = 0; i < 3; i++) {
		for (int fd = 0; fd < 64; fd++) {
			char path[64], link[256];
			snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pids[i], fd);
			ssize_t n = readlink(path, link, sizeof link - 1);
			if (n < 0)
				continue;
			link[n] = '\0';
			assert_null(strstr(link, "hostname"));
			if (i > 0 && !is_harmless(link) && !(pids[i] == agent && is_its_own(agent, fd, link)))
				fail_msg("process %zu has %d open: %s", i, fd, link);
		}
	}
}

/* ---- what can be touched ---------------------------------------------------------------- */

static void the_system_is_read_only(void **state)
{
	(void)state;
	expect_silence("for p in '/x /usr/x /usr/bin/x /etc/x /run/x /dev/x /home/x "
		       "/proc/sys/kernel/x'.split():\n"
		       "  try: open(p, 'w'); print('made', p)\n"
		       "  except OSError: pass\n"
		       "for p in '/etc/passwd /etc/hosts /run/agent /usr/bin/env "
		       "/proc/sys/kernel/core_pattern "
		       "/proc/sys/kernel/hostname /proc/sysrq-trigger'.split():\n"
		       "  try: open(p, 'r+b'); print('opened', p)\n"
		       "  except OSError: pass\n"
		       "  try: os.chmod(p, 0o777); print('chmod', p)\n"
		       "  except OSError: pass\n"
		       "for p in (W, T, H, '/dev/shm'):\n"
		       "  try: open(p + '/mine', 'w').write('x'); os.unlink(p + '/mine')\n"
		       "  except OSError: print('cannot write in', p)\n");
}

static void it_has_no_privileges(void **state)
{
	(void)state;
	expect_silence("s = dict(l.split(':', 1) for l in open('/proc/self/status').read().splitlines())\n"
		       "for k in 'CapInh CapPrm CapEff CapAmb'.split():\n"
		       "  if int(s[k], 16): print(k, s[k])\n"
		       "if s['NoNewPrivs'].strip() != '1': print('privileges can grow')\n"
		       "if s['Seccomp'].strip() != '2': print('no filter')\n"
		       "if int(s.get('Seccomp_filters', '2')) < 2: print('filters', s['Seccomp_filters'])\n"
		       "if s['Uid'].split() != ['1000'] * 4: print('number of the user:', s['Uid'])\n"
		       "if '0' in s['Uid'].split(): print('it is root')\n");
}

static void it_cannot_mount_or_leave(void **state)
{
	(void)state;
	expect_silence("import ctypes\n"
		       "c = ctypes.CDLL(None, use_errno=True)\n"
		       "def refused(name, *a):\n"
		       "  if getattr(c, name)(*a) != -1: print(name, 'was allowed')\n"
		       "refused('mount', b'x', b'/tmp', b'tmpfs', 0, None)\n"
		       "refused('umount2', b'/proc', 2)\n"
		       "refused('pivot_root', b'/tmp', b'/tmp') if hasattr(c, 'pivot_root') else None\n"
		       "refused('chroot', b'/tmp')\n"
		       "refused('sethostname', b'x', 1)\n"
		       "refused('unshare', 0x10000000)\n"
		       "refused('unshare', 0x00020000)\n"
		       "refused('setns', 0, 0)\n"
		       "refused('swapon', b'/tmp/x', 0)\n"
		       "refused('reboot', 0)\n"
		       "refused('ptrace', 0, 0, 0, 0)\n"
		       "refused('syscall', 323)\n"          /* userfaultfd */
		       "refused('syscall', 425, 8, 0)\n"    /* io_uring_setup */
		       "refused('syscall', 435, 0, 0)\n"    /* clone3 */
		       "refused('syscall', 321, 0, 0, 0)\n" /* bpf */
		       "refused('syscall', 250, 0, 0, 0)\n" /* keyctl */);
}

static void the_agent_cannot_be_read_or_hurt(void **state)
{
	(void)state;
	expect_silence("import ctypes\n"
		       "P = '/proc/%d/' % AGENT\n"
		       "for f in 'mem environ maps stack syscall auxv'.split():\n"
		       "  try:\n"
		       "    if open(P + f, 'rb').read(1): print(f, 'can be read')\n"
		       "  except OSError: pass\n"
		       "for d in 'fd fdinfo map_files'.split():\n"
		       "  try: os.listdir(P + d); print(d, 'can be listed')\n"
		       "  except OSError: pass\n"
		       "for l in 'exe root cwd ns/user'.split():\n"
		       "  try: os.readlink(P + l); print(l, 'can be followed')\n"
		       "  except OSError: pass\n"
		       "c = ctypes.CDLL(None, use_errno=True)\n"
		       "if c.ptrace(16, AGENT, 0, 0) != -1: print('traced')\n");
	if (inside_contains_signals())
		expect_silence("for s in (9, 11, 15, 19):\n"
			       "  try: os.kill(AGENT, s)\n"
			       "  except OSError: pass\n");
	else
		expect_silence("try: os.kill(-1, 0); print('all can be signaled at once')\n"
			       "except PermissionError: pass\n");
	/* It still answers. */
	expect_silence("pass");
}

/* ---- by way of the agent ------------------------------------------------------------------ */

struct answer {
	bool is_done;
	int code;
	size_t n;
};

static void on_bytes(void *user, const void *bytes, size_t n)
{
	struct answer *a = user;
	(void)bytes;
	a->n += n;
}

static void on_got(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct answer *a = user;
	(void)size, (void)mode;
	*a = (struct answer){true, why->code, a->n};
}

static void on_file(void *user, const struct trm_file *file)
{
	struct answer *a = user;
	(void)file;
	a->n++;
}

static void on_listed(void *user, const struct trm_error *why)
{
	on_got(user, why, 0, 0);
}

/* The agent may look at /proc. Code could plant a link to it, and its clients follow it. */
static void clients_see_no_processes_of_the_host(void **state)
{
	static const struct trm_transfer_cb get_cb = {.data = on_bytes, .done = on_got};
	static const struct trm_list_cb list_cb = {.file = on_file, .done = on_listed};
	static const char *const prefixes[] = {"/proc", "link"};
	char path[128];
	(void)state;
	expect_silence("os.symlink('/proc', 'link')\n");
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		struct answer got = {0}, listed = {0};
		snprintf(path, sizeof path, "%s/%d/cmdline", prefixes[i], (int)getpid());
		assert_int_equal(trm_file_get(in.sandbox, path, 1 << 20, &get_cb, &got, NULL), 0);
		inside_wait(&in, &got.is_done);
		assert_int_not_equal(got.code, TRM_OK);
		assert_int_equal(got.n, 0);
		snprintf(path, sizeof path, "%s/%d", prefixes[i], (int)getpid());
		assert_int_equal(trm_file_list(in.sandbox, path, 1000, &list_cb, &listed, NULL), 0);
		inside_wait(&in, &listed.is_done);
		assert_int_not_equal(listed.code, TRM_OK);
		assert_int_equal(listed.n, 0);
	}
	expect_silence("os.unlink('link')\n");
}

/* ---- network ------------------------------------------------------------------------------ */

static int listen_on_loopback(uint16_t *ret_port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof addr;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, n), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &n), 0);
	*ret_port = ntohs(addr.sin_port);
	return fd;
}

static int listen_on_abstract(char name[32])
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int n = snprintf(name, 32, "isolation-%d", (int)getpid());
	memcpy(addr.sun_path + 1, name, (size_t)n);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void there_is_no_network(void **state)
{
	(void)state;
	char name[32], code[1600];
	uint16_t port;
	int tcp = listen_on_loopback(&port), un = listen_on_abstract(name);
	snprintf(code, sizeof code,
			"import socket\n"
			"def refused(what, family, address, kind=socket.SOCK_STREAM):\n"
			"  try:\n"
			"    s = socket.socket(family, kind); s.settimeout(2); s.connect(address); "
			"print(what, 'answers')\n"
			"  except OSError: pass\n"
			"refused('loopback of the host', socket.AF_INET, ('127.0.0.1', %u))\n"
			"refused('abstract socket', socket.AF_UNIX, '\\0%s')\n"
			"refused('a network', socket.AF_INET, ('192.0.2.1', 80))\n"
			"refused('datagrams', socket.AF_INET, ('192.0.2.1', 80), socket.SOCK_DGRAM)\n"
			"refused('hypervisor', 40, (2, 1024))\n"
			"try: devices = [n for _, n in socket.if_nameindex()]\n"
			"except OSError: devices = ['lo']\n"
			"if devices != ['lo']: print(devices)\n"
			"for family, kind, proto in ((2, 3, 1), (10, 3, 58), (17, 3, 0), (16, 3, 9), (38, 5, "
			"0), (31, 3, 1)):\n"
			"  try: socket.socket(family, kind, proto); print('made a socket', family, kind, "
			"proto)\n"
			"  except OSError: pass\n"
			"try:\n"
			"  a = socket.create_server(('127.0.0.1', 0)); b = "
			"socket.create_connection(a.getsockname())\n"
			"  socket.getaddrinfo('localhost', 80)\n"
			"except OSError: print('no loopback of its own')\n",
			(unsigned)port, name);
	expect_silence(code);
	close(tcp);
	close(un);
}

int cases_walls(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(the_hosts_files_are_not_there),
			cmocka_unit_test(mounts_tell_nothing_of_the_host),
			cmocka_unit_test(only_its_own_processes_are_seen),
			cmocka_unit_test(earlier_programs_are_not_seen),
			cmocka_unit_test(the_environment_is_its_own),
			cmocka_unit_test(only_standard_descriptors_are_open),
			cmocka_unit_test(masked_proc_files_are_empty),
			cmocka_unit_test(supervisor_and_agent_have_no_environment_of_ours),
			cmocka_unit_test(bubblewrap_has_no_environment),
			cmocka_unit_test(its_user_is_nobody_else_on_the_host),
			cmocka_unit_test(nothing_is_inherited),
			cmocka_unit_test(the_system_is_read_only),
			cmocka_unit_test(it_has_no_privileges),
			cmocka_unit_test(it_cannot_mount_or_leave),
			cmocka_unit_test(the_agent_cannot_be_read_or_hurt),
			cmocka_unit_test(clients_see_no_processes_of_the_host),
			cmocka_unit_test(there_is_no_network),
	};
	return EXCEPTIONS_RUN("walls", cases, open_one, close_it);
}
