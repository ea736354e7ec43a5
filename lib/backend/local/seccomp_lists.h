/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_SECCOMP_LISTS_H
#define TRM_LOCAL_SECCOMP_LISTS_H

/* System calls of the sandbox, by name. A call in no list does not exist (ENOSYS), so calls that are
 * newer than these lists are refused until somebody has examined them. Names that this machine's
 * libseccomp does not know are refused, too. */

/* clang-format off */
static const char *const CALLS_ALLOWED[] = {
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
	"pwritev2", "open", "openat", "openat2", "creat", "close", "close_range", "lseek", "dup", "dup2",
	"dup3", "fcntl", "flock", "ioctl", "stat", "fstat", "lstat", "newfstatat", "statx", "statfs",
	"fstatfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents",
	"getdents64", "getcwd", "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat",
	"rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat",
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "umask",
	"truncate", "ftruncate", "fallocate", "fadvise64", "readahead", "copy_file_range", "sendfile",
	"splice", "tee", "sync", "fsync", "fdatasync", "syncfs", "sync_file_range", "msync", "utime",
	"utimes", "utimensat", "futimesat", "getxattr", "lgetxattr", "fgetxattr", "listxattr",
	"llistxattr", "flistxattr", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
	"fremovexattr", "cachestat", "poll", "ppoll", "select", "pselect6", "epoll_create",
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2",
	"signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime", "inotify_init",
	"inotify_init1", "inotify_add_watch", "inotify_rm_watch", "pipe", "pipe2", "brk", "mmap", "munmap",
	"mremap", "mprotect", "pkey_alloc", "pkey_free", "pkey_mprotect", "madvise", "mincore", "mlock",
	"mlock2", "munlock", "mlockall", "munlockall", "membarrier", "mseal", "map_shadow_stack", "clone",
	"fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "kill", "tkill",
	"tgkill", "rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
	"rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigreturn", "sigaltstack", "pause", "pidfd_open",
	"pidfd_send_signal", "getpid", "getppid", "gettid", "getpgid", "setpgid", "getpgrp", "getsid",
	"setsid", "set_tid_address", "set_robust_list", "get_robust_list", "futex", "futex_waitv",
	"futex_wait", "futex_wake", "futex_requeue", "rseq", "restart_syscall", "sched_yield",
	"sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler",
	"sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "sched_getattr",
	"sched_setscheduler", "sched_setparam", "sched_setattr", "getpriority", "setpriority",
	"ioprio_get", "ioprio_set", "prctl", "arch_prctl", "getrlimit", "setrlimit", "prlimit64",
	"getrusage", "times", "personality", "seccomp", "landlock_create_ruleset", "landlock_add_rule",
	"landlock_restrict_self", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
	"getgroups", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid",
	"setfsgid", "setgroups", "capget", "capset", "time", "gettimeofday", "clock_gettime",
	"clock_getres", "clock_nanosleep", "nanosleep", "alarm", "getitimer", "setitimer", "timer_create",
	"timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "adjtimex", "clock_adjtime",
	"socket", "socketpair", "bind", "listen", "accept", "accept4", "connect", "getsockname",
	"getpeername", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "shutdown",
	"setsockopt", "getsockopt", "semop", "semtimedop", "semctl", "msgsnd",
	"msgrcv", "msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify",
	"mq_getsetattr", "shmdt", "shmctl", "uname", "sysinfo", "getrandom", "getcpu",
	NULL,
};

/* These create memory that no rlimit counts (message queues up to 512 MiB, semaphores more), so they are
 * allowed only with a memory cgroup. */
static const char *const CALLS_ALLOWED_COUNTED[] = {
	"memfd_create", "shmget", "shmat", "msgget", "semget", NULL};

/* Calls that do not exist without namespaces. System V objects and message queues would belong to this machine
 * and outlive the sandbox. The flags of openat2 lie in memory, where no filter sees them. */
static const char *const CALLS_MISSING_BARE[] = {
	"openat2",
	"semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl", "shmget", "shmat",
	"shmdt", "shmctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify",
	"mq_getsetattr", NULL};

/* EPERM without namespaces: Landlock has no right for watching, so the names of the host's files could be
 * seen. Programs that know these calls poll instead, or say so. */
static const char *const CALLS_REFUSED_BARE[] = {"inotify_init", "inotify_init1", NULL};

/* EPERM instead of ENOSYS: programs that know these calls expect a refusal. */
static const char *const CALLS_REFUSED[] = {
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "ptrace", "process_vm_readv",
	"process_vm_writev", "pidfd_getfd", "kcmp", "bpf", "perf_event_open", "keyctl", "add_key",
	"request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
	"reboot", "swapon", "swapoff", "acct", "quotactl", "syslog", "iopl", "ioperm", "sethostname",
	"setdomainname", "settimeofday", "clock_settime", "open_by_handle_at", "name_to_handle_at",
	"fanotify_init", "vhangup", "move_pages", "migrate_pages", "mbind", "set_mempolicy",
	"get_mempolicy", "modify_ldt", "userfaultfd", "process_madvise", "lookup_dcookie",
	NULL,
};
/* clang-format on */

#endif
