#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Container engines for tests, real ones, with everything of theirs in one folder.

  engine.py up ENGINE DIR ARCHIVE      start it and load the images; the work of a fixture
  engine.py down ENGINE DIR            end it, and everything that it leaves behind
  engine.py restart docker DIR HOW     end it by SIGHOW, TERM or KILL, and start it again
  engine.py with ENGINE DIR -- COMMAND the command, with the environment in which the engine's own command line
                                       finds it
  engine.py net ENGINE DIR -- COMMAND  the same, in a network of its own: ADDRESS is an address there that containers
                                       with a network reach, and the only one

DIR is absolute, or a name in the folder for temporary files.
ENGINE is docker, podman, rootless (podman of user nobody), or docker-host (docker for containers that have this
machine's network). Where one cannot run, `up` says why in one line, and
`with` says it again and exits with 77; with TERRARIUM_NEED_ENGINES=1 in the environment both are failures (not for
rootless, which needs more of the machine).

A minder stays beside the engine until `down`, or until the ctest that started it is gone. For docker it lives in a
mount and a network namespace of its own, so that neither mounts nor bridges are seen outside, no other containerd is
met, and nothing can be fetched. What it hides there is what cannot be put elsewhere by an option: /etc/docker,
/run/containerd.
"""
import contextlib
import fcntl
import glob
import json
import os
import pwd
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
ADDRESS = "10.77.0.1"
HERE = os.path.dirname(os.path.abspath(__file__))
PODMANS = "/run/terrarium-test-podmans"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Unable(Exception):
    """Says why an engine cannot be had on this machine."""


def quiet(*argv, stdin=subprocess.DEVNULL, **more):
    return subprocess.run(argv, stdin=stdin, capture_output=True, text=True, check=False, **more)


def need_programs(*names):
    missing = [name for name in names if not shutil.which(name, path=PATH)]
    if missing:
        raise Unable("%s is not installed" % missing[0])


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Unable("%s after %d seconds" % (what, seconds))
        time.sleep(0.05)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def read(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as f:
        return f.read()
    return ""


def can_overlay(folder):
    """Whether an overlay may lie on this file system; tried where nobody sees it."""
    parts = [os.path.join(folder, "probe", name) for name in ("lower", "upper", "work", "merged")]
    for part in parts:
        os.makedirs(part)
    tried = quiet("unshare", "-m", "mount", "-t", "overlay", "overlay", "-o",
                  "lowerdir=%s,upperdir=%s,workdir=%s" % tuple(parts[:3]), parts[3])
    shutil.rmtree(os.path.join(folder, "probe"))
    return tried.returncode == 0


def remove_cgroups(pattern):
    """Those of these names, and what is below them; what is in them is killed."""
    for top in glob.glob("/sys/fs/cgroup/**/" + pattern, recursive=True):
        for folder, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError), open(folder + "/cgroup.procs", encoding="ascii") as procs:
                for pid in map(int, procs.read().split()):
                    if pid > 1:  # 0: of another namespace of pids; to kill that would be to kill our own group
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(Unable):
                wait_until(lambda folder=folder: try_rmdir(folder), 30, "")


def try_rmdir(folder):
    with contextlib.suppress(OSError):
        os.rmdir(folder)
    return not os.path.isdir(folder)


def remove_tree(folder):
    """With the mounts in it."""
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        inside = [line.split()[1] for line in mounts if line.split()[1].startswith(folder + "/")]
    for point in reversed(inside):
        quiet("umount", "-l", point)
    end = time.monotonic() + 30
    while os.path.exists(folder) and time.monotonic() < end:  # somebody who is just ending may write there still
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)


class Engine:
    """What all have in common: a folder, a command line, images."""

    def __init__(self, folder):
        self.dir = folder

    def path(self, name):
        return os.path.join(self.dir, name)

    def cli(self, *argv, **more):
        return quiet(*self.wrap([self.program, *argv]), env={**os.environ, **self.env()}, **more)

    def wrap(self, argv):
        return argv

    def enter_net(self):
        """Podman's containers have the network of whoever starts them: slirp4netns, or a bridge, is made there."""
        return ["unshare", "-n", "--"]

    def load(self, archive):
        with open(archive, "rb") as images:  # a path may lead through folders that are not this user's
            done = self.cli("load", stdin=images)
        if done.returncode:
            raise Unable("%s load: %s" % (self.program, done.stderr.strip()))

    def remove_containers(self):
        ids = self.cli("ps", "-aq", "--no-trunc").stdout.split()
        if ids:
            self.cli("rm", "-f", *self.rm_at_once, *ids)


class Docker(Engine):
    program = "docker"
    rm_at_once = ()
    unshare = ["-m", "--propagation", "slave", "-n"]
    options = ()

    def env(self):
        return {"DOCKER_HOST": "unix://" + self.path("docker.sock"), "DOCKER_CONFIG": self.path("config")}

    def enter_net(self):
        """The daemon's, where its bridge is."""
        return ["nsenter", "-t", read(self.path("minder")), "-n", "--"]

    def check(self):
        if os.geteuid():
            raise Unable("a dockerd of one's own needs root")
        need_programs("dockerd", "docker", "containerd", "runc", "unshare", "ip")

    def start(self):
        """In the namespaces of the minder."""
        quiet("ip", "link", "set", "lo", "up")
        self.hide("/etc/docker")
        self.hide("/run/containerd")
        driver = "overlay2"
        if not can_overlay(self.dir):
            os.mkdir(self.path("data"))
            if quiet("mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", self.path("data")).returncode:
                driver = "vfs"
        write(self.path("containerd.toml"), """version = 2
root = "%s"
state = "%s"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]
[grpc]
address = "%s"
""" % (self.path("containerd"), self.path("containerd-state"), self.path("containerd.sock")))
        os.mkdir(self.path("config"))
        write(self.path("config/config.json"), "{}")
        self.children = [self.spawn("containerd", "--config", self.path("containerd.toml"), "-l", "error")]
        wait_until(lambda: os.path.exists(self.path("containerd.sock")) or self.is_dead(), 20, "no containerd")
        self.daemon = (
            "dockerd", "--data-root", self.path("data"), "--exec-root", self.path("exec"), "-H",
            self.env()["DOCKER_HOST"], "--pidfile", self.path("pid"), "--containerd", self.path("containerd.sock"),
            "--iptables=false", "--ip6tables=false", "--max-download-attempts=1", "--userland-proxy=false", "--storage-driver", driver,
            "--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", "/" + os.path.basename(self.dir),
            "--group", "root", "-l", "error", *self.options)
        self.start_daemon()

    def start_daemon(self):
        self.children[1:] = [self.spawn(*self.daemon)]
        wait_until(lambda: self.is_dead() or self.cli("info").returncode == 0, 120, "dockerd does not answer")
        if self.is_dead():
            raise Unable("it ended at once")

    def restart(self, signum):
        self.children[1].send_signal(signum)
        self.children[1].wait(120)
        self.start_daemon()

    def hide(self, folder):
        """An empty one in its place; it is made if it must be, and then removed by stop()."""
        if not os.path.isdir(folder):
            os.makedirs(folder)
            with open(self.path("made"), "a", encoding="utf-8") as f:
                f.write(folder + "\n")
        if quiet("mount", "-t", "tmpfs", "tmpfs", folder).returncode:
            raise Unable("no mounts in a mount namespace of one's own")

    def spawn(self, *argv):
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL)

    def is_dead(self):
        return any(child.poll() is not None for child in self.children)

    def stop(self):
        self.remove_containers()
        for child in reversed(getattr(self, "children", [])):
            child.terminate()
            try:
                child.wait(60)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.kill_companions()
        remove_cgroups(os.path.basename(self.dir))
        if os.path.exists(self.path("made")):
            with open(self.path("made"), encoding="utf-8") as f:
                for folder in f.read().split():
                    quiet("umount", folder)
                    try_rmdir(folder)

    @staticmethod
    def kill_companions():
        """Who else lives in the minder's namespace: shims whose containerd was killed."""
        own = os.stat("/proc/self/ns/mnt").st_ino
        for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
            with contextlib.suppress(OSError):
                if pid != os.getpid() and os.stat("/proc/%d/ns/mnt" % pid).st_ino == own:
                    os.kill(pid, signal.SIGKILL)


class HostDocker(Docker):
    """Makes no network, so that nothing on this machine changes; its containers are run with --network host."""
    unshare = ["-m", "--propagation", "slave"]
    options = ("--bridge=none",)


class Podman(Engine):
    program = "podman"
    rm_at_once = ("-t", "0")
    unshare = None
    driver = "overlay"

    def env(self):
        return {"CONTAINERS_STORAGE_CONF": self.path("storage.conf"), "CONTAINERS_CONF": self.path("containers.conf"),
                "CONTAINERS_REGISTRIES_CONF": self.path("registries.conf")}

    def check(self):
        if os.geteuid():
            raise Unable("podman as root needs root")
        need_programs("podman", "conmon", "crun")

    def configure(self):
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # podman asks for a million, which not every root may
        write(self.path("storage.conf"), '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' %
              (self.driver, self.path("root"), self.path("run")))
        write(self.path("containers.conf"), """[containers]
default_ulimits = ["nofile=%d:%d", "nproc=32768:32768"]
log_driver = "k8s-file"
netns = "%s"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "%s"
tmp_dir = "%s"
volume_path = "%s"
[network]
network_config_dir = "%s"
""" % (min(files, 1024), files, self.netns(), self.runtime(), self.path("tmp"), self.path("volumes"),
       self.path("networks")))
        write(self.path("registries.conf"), "unqualified-search-registries = []\n")

    @staticmethod
    def netns():
        """Of the user's own, which leaves no bridge behind and needs none in the kernel; rootless takes it anyway."""
        has_slirp = os.path.exists("/dev/net/tun") and shutil.which("slirp4netns", path=PATH)
        return "slirp4netns" if has_slirp else "private"

    @staticmethod
    def runtime():
        """crun wants no controllers in the tree of version 2 when there are any of version 1."""
        with contextlib.suppress(OSError), open("/sys/fs/cgroup/unified/cgroup.controllers", encoding="ascii") as f:
            if f.read().strip() and shutil.which("runc", path=PATH):
                return "runc"
        return "crun"

    def start(self):
        if not can_overlay(self.dir):
            self.driver = "vfs"
        self.configure()
        self.join_others()
        done = self.cli("info")
        if done.returncode:
            raise Unable(done.stderr.strip())

    @staticmethod
    def traces():
        """What podman and its runtimes leave in places of their own choice."""
        return [path for path in ("/run/libpod", "/run/crun", "/run/containers", "/run/netns", "/var/lib/cni")
                if os.path.exists(path)] + glob.glob("/sys/fs/cgroup/*/libpod_parent") + \
            glob.glob("/sys/fs/cgroup/libpod_parent")

    def is_dead(self):
        return False

    def join_others(self):
        """The first of the podmans that tests have on this machine notes what was there before all of them."""
        self.others = os.open(PODMANS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(self.others, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write(PODMANS, "\n".join(self.traces()))
        fcntl.flock(self.others, fcntl.LOCK_SH)

    def stop(self):
        """The last of them removes what has come since."""
        self.remove_containers()
        with contextlib.suppress(AttributeError, BlockingIOError):
            fcntl.flock(self.others, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for path in set(self.traces()) - set(read(PODMANS).splitlines()):
                if path.startswith("/sys/fs/cgroup"):
                    remove_cgroups("libpod_parent")
                else:
                    shutil.rmtree(path, ignore_errors=True)
            os.unlink(PODMANS)


class Rootless(Podman):
    """Of user nobody, who is given subordinate ids in a mount namespace of the minder's."""
    unshare = ["-m", "--propagation", "slave"]
    user = "nobody"

    def env(self):
        return {**super().env(), "HOME": self.path("home"), "XDG_RUNTIME_DIR": self.path("xdg"),
                "TMPDIR": self.path("home"), "PATH": PATH, "USER": self.user}

    def check(self):
        if os.geteuid():
            raise Unable("giving somebody subordinate ids needs root")
        need_programs("podman", "conmon", "crun", "newuidmap", "setpriv", "nsenter")

    def wrap(self, argv):
        """As that user; from outside, in the minder's namespace."""
        enter = []
        if os.path.exists(self.path("minder")) and os.getpid() != self.minder():
            enter = ["nsenter", "-t", str(self.minder()), "-m", "--"]
        who = pwd.getpwnam(self.user)
        return [*enter, "setpriv", "--reuid=%d" % who.pw_uid, "--regid=%d" % who.pw_gid, "--clear-groups",
                "--inh-caps=-all", "--", *argv]

    def minder(self):
        with open(self.path("minder"), encoding="ascii") as f:
            return int(f.read())

    def start(self):
        who = pwd.getpwnam(self.user)
        for name in ("home", "xdg"):
            os.mkdir(self.path(name), 0o700)
            os.chown(self.path(name), who.pw_uid, who.pw_gid)
        os.chmod(self.dir, 0o755)
        for name in ("subuid", "subgid"):
            write(self.path(name), "%s:1000000:65536\n" % self.user)
            if not os.path.exists("/etc/" + name):
                raise Unable("there is no /etc/%s to hide" % name)
            if quiet("mount", "--bind", self.path(name), "/etc/" + name).returncode:
                raise Unable("no mounts in a mount namespace of one's own")
        self.configure()
        os.chown(self.dir, who.pw_uid, who.pw_gid)
        self.join_others()
        done = self.cli("info")
        if done.returncode:
            raise Unable(done.stderr.strip())

    def stop(self):
        super().stop()
        with contextlib.suppress(OSError, ValueError), open(self.path("tmp/pause.pid"), encoding="ascii") as f:
            os.kill(int(f.read()), signal.SIGKILL)  # who holds the user namespace


ENGINES = {"docker": Docker, "docker-host": HostDocker, "podman": Podman, "rootless": Rootless}


# ---- the minder, and the verbs ----

RESTARTS = {signal.SIGUSR1: signal.SIGTERM, signal.SIGUSR2: signal.SIGKILL}  # asked for by, and then sent


def mind(engine, parent):
    """Start, say "up" or why not on stdout, and end with `down` or with who asked for it."""
    asked, restarts = [], []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    for signum, sent in RESTARTS.items():
        signal.signal(signum, lambda _, __, sent=sent: restarts.append(sent))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    write(engine.path("minder"), str(os.getpid()))
    log = os.open(engine.path("log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    answer = os.dup(1)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        watched = os.pidfd_open(parent)
        engine.start()
        os.write(answer, b"up")
        os.close(answer)
        answer = -1
        while not asked and not engine.is_dead() and not select.select([watched], [], [], 0.25)[0]:
            if restarts:
                engine.restart(restarts.pop())
    except (Unable, OSError) as why:
        os.write(answer, str(why).encode())
    finally:
        engine.stop()
    while not asked and answer < 0 and select.select([watched], [], [], 0.25)[0] == []:
        pass  # an engine that died is found out by tests; its log is shown by `down`
    if not asked:
        remove_tree(engine.dir)


def start_minder(name, engine):
    argv = [sys.executable, "-B", os.path.abspath(__file__), "mind", name, engine.dir, str(os.getppid())]
    if engine.unshare is not None:
        argv = ["unshare", *engine.unshare, "--", *argv]
    minder = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
    answer = minder.stdout.read().decode()
    if answer == "up":
        return
    minder.wait()
    with contextlib.suppress(OSError), open(engine.path("log"), encoding="utf-8", errors="replace") as log:
        print(log.read()[-3000:])
    raise Unable(answer or "it could not be started")


def verdict(name, why):
    if os.environ.get("TERRARIUM_NEED_ENGINES") == "1" and name != "rootless":
        print("FAILED: no %s for tests: %s" % (name, why))
        return 1
    print("SKIP: no %s for tests: %s" % (name, why))
    return SKIP


def up(name, engine, archive):
    remove_tree(engine.dir)
    os.makedirs(engine.dir, 0o700)
    try:
        engine.check()
        start_minder(name, engine)
        start = time.monotonic()
        if archive:
            engine.load(archive)
        print("%s is up; images loaded in %.1f s" % (name, time.monotonic() - start))
        return 0
    except Unable as why:
        reason = str(why).strip().splitlines()[-1] if str(why).strip() else "unknown"
        with contextlib.suppress(OSError):
            write(engine.path("why"), reason)
        return verdict(name, reason)


def report_containers(engine):
    """Those that are still there; supervisors may need some moments to remove theirs."""
    def listed():
        return engine.cli("ps", "-a", "--format", "{{.Names}}\t{{.Image}}\t{{.Status}}").stdout.splitlines()
    with contextlib.suppress(Unable):
        wait_until(lambda: not listed(), 60, "")
    for line in listed():
        print("left behind: container %s" % line)
    return 1 if listed() else 0


def down(name, engine):
    code = report_containers(engine) if os.path.exists(engine.path("minder")) else 0
    with contextlib.suppress(OSError, ValueError):
        with open(engine.path("minder"), encoding="ascii") as f:
            pid = int(f.read())
        minder = os.pidfd_open(pid)
        signal.pidfd_send_signal(minder, signal.SIGTERM)
        if not select.select([minder], [], [], 240)[0]:
            print("the minder of %s does not end" % name)
            code = 1
    if code:
        with contextlib.suppress(OSError), open(engine.path("log"), encoding="utf-8", errors="replace") as log:
            print(log.read()[-3000:])
    remove_tree(engine.dir)
    if os.path.exists(engine.dir):
        print("left behind: %s" % engine.dir)
        code = 1
    return code


def restart(engine, how):
    """Only docker has something that can be started again; back when it answers again."""
    before = read(engine.path("pid"))
    asked_by = [by for by, sent in RESTARTS.items() if sent == signal.Signals["SIG" + how]][0]
    os.kill(int(read(engine.path("minder"))), asked_by)

    def is_new():
        return read(engine.path("pid")) not in ("", before) and engine.cli("info").returncode == 0
    try:
        wait_until(is_new, 200, "dockerd does not come back")
    except Unable as why:
        print(why)
        return 1
    return 0


def run_with(name, engine, argv, has_net=False):
    if not os.path.exists(engine.path("minder")) or os.path.exists(engine.path("why")):
        why = "it was not started"
        with contextlib.suppress(OSError), open(engine.path("why"), encoding="utf-8") as f:
            why = f.read()
        return verdict(name, why)
    if has_net and not os.environ.get("IN_TEST_NETWORK"):
        inside = 'ip link set lo up; ip addr replace %s/32 dev lo; exec "$@"' % ADDRESS
        again = [*engine.enter_net(), "sh", "-c", inside, "sh", sys.executable, "-B", *sys.argv]
        os.execvpe(again[0], again, {**os.environ, "IN_TEST_NETWORK": ADDRESS})
    argv = engine.wrap(argv)
    os.execvpe(argv[0], argv, {**os.environ, **engine.env()})


def main(argv):
    verb, name, folder, *rest = argv
    engine = ENGINES[name](os.path.join(tempfile.gettempdir(), folder))
    if verb == "up":
        return up(name, engine, rest[0])
    if verb == "mind":
        return mind(engine, int(rest[0]))
    if verb == "down":
        return down(name, engine)
    if verb == "restart":
        return restart(engine, rest[0])
    return run_with(name, engine, rest[rest.index("--") + 1:], verb == "net")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
