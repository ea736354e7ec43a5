# SPDX-License-Identifier: MIT
"""net_test.py root-tun|user-tun|root-veth|user-veth PROGRAM [CASE]: what a sandbox with a network reaches, and what it must not reach."""
import json
import os
import shutil
import subprocess
import sys
import time

import world

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.py")) as f:
    PROBE = f.read()
P, OUTSIDE, OUTSIDE6 = world.PORT, "203.0.113.10", "2001:db8:ffff::10"
failures = 0
program = None


def check(what, holds, more=""):
    global failures
    print("ok     " if holds else "FAILED ", what, more if not holds else "")
    failures += not holds


def probe(options, tries):
    return dict(zip(map(tuple, tries), program.python(options, PROBE, tries)))


REACHED = [("tcp", OUTSIDE, P), ("udp", OUTSIDE, P), ("tcp", OUTSIDE6, P), ("udp", OUTSIDE6, P),
           ("tcp", "public.test", P), ("tcp", "public6.test", P), ("tcp", "198.51.100.1", P),
           ("tcp-device", OUTSIDE, P)]

# Everything that means the host's loopback, in all ways of writing it.
LOOPBACK = ["127.0.0.1", "127.1", "127.255.255.254", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0",
            "localhost", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "10.0.2.2", "fd00::2",
            "::ffff:10.0.2.2", "rebind-loopback.test"]
HOST = ["198.51.100.2", "10.55.0.2", "169.254.7.2", "2001:db8:1::2", "fd55::2", "::ffff:198.51.100.2",
        "3325256706", "rebind-host.test"]
PRIVATE = ["10.55.0.1", "172.16.5.5", "192.168.7.7", "100.64.9.9", "192.0.0.192", "198.18.5.5", "169.254.169.254",
           "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "::ffff:169.254.169.254",
           "::ffff:10.55.0.1", "::10.55.0.1", "fd55::1", "fd00:ec2::254", "64:ff9b::a37:1", "2002:a37:1::1",
           "::ffff:0:a37:1", "rebind-private.test", "rebind-metadata.test", "rebind6.test", "rebind-mapped.test"]
REFUSED = ([("tcp", a, 8081) for a in LOOPBACK] + [("tcp", a, 8082) for a in LOOPBACK + HOST]
           + [("tcp", a, P) for a in PRIVATE]
           + [("udp", a, P) for a in PRIVATE if a[0] in "12f:6" and "." in a or ":" in a]
           + [("udp", a, 8082) for a in ("10.0.2.2", "198.51.100.2", "10.55.0.2", "fd55::2", "fd00::2")]
           + [(w, a, P) for w in ("tcp-device", "udp-device")
              for a in ("10.55.0.1", "169.254.169.254", "fd55::1", "64:ff9b::a37:1")]
           + [("tcp-device", a, 8082) for a in ("10.0.2.2", "198.51.100.2", "2001:db8:1::2", "fd00::2")]
           + [("tcp-unicast-if", "fd55::1", P), ("scoped", "fe80::2", 8082), ("scoped", "fe80::1", 8082)]
           + [("udp-broadcast", a, 8082) for a in ("255.255.255.255", "10.55.0.255", "10.0.2.255")]
           + [("udp", a, P) for a in ("224.0.0.1", "239.255.255.250", "ff02::1", "240.0.0.1")]
           + [("lsrr", "10.55.0.1", OUTSIDE), ("tcp", "10.0.2.3", 8082), ("udp", "10.0.2.3", 8082),
              ("tcp", "10.0.2.3", 853), ("tcp", "fd00::3", 8082), ("tcp", "10.0.2.100", 9000),
              ("tcp", "10.0.2.15", 9000)])


def expect_refused(options, tries, w):
    w.take_seen()
    for what, came in probe(options, tries).items():
        check(f"refused: {' '.join(map(str, what))}", came.startswith("error"), came)


def outside_is_reached(w):
    for what, came in probe([], REACHED).items():
        check(f"reached: {' '.join(map(str, what))}", not came.startswith("error"), came)
    check("the servers outside saw it", OUTSIDE6 in w.take_seen())


def the_rest_is_refused(w):
    expect_refused([], REFUSED, w)
    time.sleep(0.2)  # for what would come late
    seen = [s for s in w.take_seen()]
    check("nobody forbidden was asked", not seen, seen)


def source_routes_go_nowhere(w):
    w.take_seen()
    came = probe([], [("lsrr", OUTSIDE, "10.55.0.1")])
    check("a source route is not followed", "10.55.0.1" not in w.take_seen(), came)


def opened_ranges(w):
    one = ["--net-allow", "10.55.0.0/24"]
    came = probe(one, [("tcp", "10.55.0.1", P), ("udp", "10.55.0.1", P), ("tcp", "rebind-private.test", P)])
    check("an opened range is reached", not any(c.startswith("error") for c in came.values()), came)
    expect_refused(one, [("tcp", a, P) for a in ("192.168.7.7", "169.254.169.254", "fd55::1")]
                   + [("tcp", a, 8082) for a in HOST + ["10.0.2.2"]], w)
    two = ["--net-allow", "fd55::/16", "--net-allow", "192.168.7.7,169.254.169.254/32"]
    came = probe(two, [("tcp", a, P) for a in ("fd55::1", "192.168.7.7", "169.254.169.254")])
    check("several opened ranges", not any(c.startswith("error") for c in came.values()), came)
    wide = ["--net-allow=0.0.0.0/0", "--net-allow=::/0"]
    came = probe(wide, [("tcp", a, P) for a in ("10.55.0.1", "172.16.5.5", "fd55::1")])
    check("wide ranges", not any(c.startswith("error") for c in came.values()), came)
    expect_refused(wide, [("tcp", a, P) for a in ("169.254.169.254", "192.0.0.192", "fd00:ec2::254")]
                   + [("tcp", a, 8082) for a in HOST + LOOPBACK if a not in ("10.0.2.2",)], w)
    came = probe(["--net-allow", "10.55.0.2"], [("tcp", "10.55.0.2", 8082)])
    check("an address of the host, by name", not any(c.startswith("error") for c in came.values()), came)
    expect_refused(["--net-allow", "10.55.0.2"], [("tcp", "10.55.0.1", P), ("tcp", "198.51.100.2", 8082)], w)


CHANGES = r"""
import ctypes, json, os, socket, struct, subprocess
libc = ctypes.CDLL(None, use_errno=True)
done = []
def attempt(name, fn):
    try:
        if fn() is not False: done.append(name)
    except OSError: pass
def netlink(protocol, message):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    s.settimeout(2); s.send(message)
    code = struct.unpack_from("i", s.recv(4096), 16)[0]
    return code == 0
# RTM_NEWROUTE 10.0.0.0/8 dev tap0; RTM_DELROUTE; RTM_DELLINK tap0
tap = socket.if_nametoindex("tap0")
route = lambda kind: struct.pack("IHHII", 44, kind, 0x405, 1, 0) + struct.pack("BBBBBBBBI", 2, 8, 0, 0, 254, 3, 253, 1, 0) \
    + struct.pack("HH4s", 8, 1, b"\x0a\0\0\0") + struct.pack("HHI", 8, 4, tap)
attempt("add a route", lambda: netlink(0, route(24)))
attempt("remove a route", lambda: netlink(0, route(25)))
attempt("remove the device", lambda: netlink(0, struct.pack("IHHII", 32, 17, 5, 1, 0) + struct.pack("BBHiII", 0, 0, 0, tap, 0, 0)))
# nf_tables: remove the table (batch begin, DELTABLE, batch end)
def flush():
    part = lambda kind, seq, family, res, more=b"": struct.pack("IHHII", 20 + len(more), kind, 5 if more else 1, seq, 0) + struct.pack("BBH", family, 0, socket.htons(res)) + more
    return netlink(12, part(16, 0, 0, 10) + part(0xa02, 1, 2, 0, struct.pack("HH10s2x", 14, 1, b"terrarium\0")) + part(17, 2, 0, 10))
attempt("remove the filter", flush)
attempt("a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255))
attempt("a raw socket, IPv6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 255))
attempt("a packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x300))
attempt("another device", lambda: os.open("/dev/net/tun", os.O_RDWR))
attempt("a namespace", lambda: libc.unshare(0x50000000) == 0)
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
import fcntl
attempt("device down", lambda: fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"tap0", 0)))
attempt("an address", lambda: fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"tap0", 2, 0, b"\x0a\x37\0\7")))
attempt("forwarding", lambda: open("/proc/sys/net/ipv4/ip_forward", "w").write("1"))
print(json.dumps(done))
"""


def nothing_can_be_changed(w):
    done = program.python([], CHANGES)
    check("nothing of the network can be changed inside", done == [], done)


def new_addresses_of_the_host_are_refused(w):
    code, _, err = program.finish("run", "--yes", "--name", "roamer", "--keep", "--net", "on", "-c", "1")
    check("a kept sandbox with a network", code == 0, err)

    def tries(target):
        words = "exec", "roamer", "--", "/usr/bin/python3", "-c", PROBE, json.dumps([target, ("tcp", OUTSIDE, P)])
        return json.loads(program.finish(*words)[1])
    for address, prefix in ("203.0.113.77", 32), ("2001:db8:1::77", 128):
        words = [f"{address}/{prefix}", "dev", "lo", *(["nodad"] if ":" in address else [])]
        world.ip("addr", "add", *words)
        refused = wait_until(lambda: tries(("tcp", address, 8082))[0].startswith("error"))
        check(f"refused: new address {address}", refused)
        world.ip("addr", "del", *words[:3])
    check("the rest is still reached", not tries(("tcp", OUTSIDE, P))[1].startswith("error"))
    program.finish("stop", "roamer")
    w.take_seen()


LISTENER = ("import socket; s=socket.socket(); s.bind(('0.0.0.0', 9000)); s.listen(); print('up', flush=True)\n"
            "while 1: s.accept()[0].send(b'another sandbox')")


def sandboxes_do_not_meet(w):
    other = program.start("exec", "--net", "on", "--", "/usr/bin/python3", "-c", LISTENER)
    other.stdout.readline()
    expect_refused([], [("tcp", a, 9000) for a in ("10.0.2.100", "10.0.2.2", "198.51.100.2", "127.0.0.1",
                                                    "fd00::2")], w)
    other.terminate()
    other.wait()


def the_resolver_may_be_on_the_loopback(w):
    w.resolver("127.0.0.53")
    came = probe([], [("tcp", "public.test", P), ("tcp", "10.0.2.3", 8081), ("tcp", "rebind-loopback.test", 8081)])
    check("names by a resolver on the loopback", not came["tcp", "public.test", P].startswith("error"), came)
    check("and nothing else of it", came["tcp", "10.0.2.3", 8081].startswith("error")
          and came["tcp", "rebind-loopback.test", 8081].startswith("error"), came)


# ---- processes ------------------------------------------------------------------------------

def below(pid):
    """Processes that descend from one, as (pid, name)."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as f:
            for child in f.read().split():
                with open(f"/proc/{child}/comm") as name:
                    found.append((int(child), name.read().strip()))
                found += below(child)
    return found


def find(pid, name, n=0):
    """The nth process of that name below a process; None if there is none."""
    try:
        found = [p for p, is_called in below(pid) if is_called == name]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return found[n] if len(found) > n else None


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def start_waiting():
    client = program.start("exec", "--net", "on", "--", "sh", "-c", "echo up; exec sleep 1000")
    client.stdout.readline()
    wait_until(lambda: find(client.pid, "slirp4netns"))
    return client, find(client.pid, "terrarium-super") or find(client.pid, "terrarium-supervisor")


def nothing_is_left(w):
    for victim, number in ("client", 15), ("client", 9), ("supervisor", 15), ("supervisor", 9), ("agent", 9):
        client, supervisor = start_waiting()
        helper, agent = find(client.pid, "slirp4netns"), find(client.pid, "bwrap", 0)
        check("slirp4netns runs", helper is not None)
        os.kill({"client": client.pid, "supervisor": supervisor, "agent": agent}[victim], number)
        client.communicate(timeout=60)
        gone = wait_until(lambda: not is_alive(helper) and not is_alive(supervisor))
        check(f"nothing is left after signal {number} to the {victim}", gone)
    program.finish("exec", "--", "true")  # sweeps what a killed supervisor has left
    check("no entry is left", not program.left(), program.left())


def the_helper_comes_back(w):
    client, supervisor = start_waiting()
    for victim in "slirp4netns", "terrarium-wire":
        helper, killed = find(client.pid, "slirp4netns"), find(client.pid, victim)
        if killed:
            os.kill(killed, 9)
            check(f"slirp4netns is started again after {victim}",
                  wait_until(lambda: find(supervisor, "slirp4netns") not in (None, helper)))
            wait_until(lambda: victim == "slirp4netns" or find(supervisor, victim))
    client.kill()
    client.communicate()


def the_helper_can_do_little(w):
    client, supervisor = start_waiting()
    helper = find(client.pid, "slirp4netns")
    with open(f"/proc/{helper}/status") as f:
        status = dict(line.split(":", 1) for line in f if ":" in line)
    caps = int(status["CapEff"].strip(), 16)
    check("slirp4netns is not root", status["Uid"].split()[1] != "0", status["Uid"])
    check("it has lost its capabilities", caps & ~(1 << 10) == 0, status["CapEff"])
    check("it has a system call filter", status["Seccomp"].strip() == "2", status["Seccomp"])
    check("it sees no files of the host", not os.path.exists(os.path.join(f"/proc/{helper}/root", "usr")))
    with open(f"/proc/{helper}/environ", "rb") as f:
        check("it has no environment", f.read() == b"")
    client.kill()
    client.communicate()


# ---- the rest ---------------------------------------------------------------------------------

def counters_tell(w):
    out = program.finish("exec", "--net", "on", "--", "cat", "/proc/net/dev")[1]
    check("one device beside the loopback", out.count(":") == 2, out)


def bad_ranges_are_refused(w):
    for bad in ("300.1.1.1/8", "10.0.0.0/33", "10.0.0.1/8", "fd00::/129", "nonsense", "10.0.0.0/", "/8", "10/8",
                "127.0.0.0/8", "::1", "224.0.0.1", "::ffff:10.0.0.0/104", "10.0.0.0/8,,fd00::/8"):
        code, _, err = program.finish("exec", "--net", "on", "--net-allow", bad, "--", "true")
        check(f"--net-allow {bad}", code == 125 and "--net-allow" in err, err)


def the_environment_is_passed_on(w):
    ca = os.path.join(program.home, "ca.pem")
    with open(ca, "w") as f:
        f.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
                "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n")
    more = {"https_proxy": "http://me:secret@127.0.0.1:3128", "PIP_INDEX_URL": "https://t0ken@pypi.test/simple",
            "SSL_CERT_FILE": ca, "AWS_SECRET_ACCESS_KEY": "secret"}
    show = ["--", "sh", "-c", "env; cat /etc/host-certificates.pem; ls /etc/ssl/private"]
    _, out, err = program.finish("exec", "--net", "on", *show, **more)
    check("the proxy is known", "https_proxy=http://127.0.0.1:3128\n" in out, out)
    check("the index is known", "PIP_INDEX_URL=https://pypi.test/simple\n" in out, out)
    check("the certificates are there", "AAAA" in out and "SSL_CERT_FILE=/etc/host-certificates.pem" in out, out)
    check("no secret is", "secret" not in out.lower() and "t0ken" not in out, out)
    check("a proxy on this machine is told of", "this machine itself" in err, err)
    _, out, _ = program.finish("exec", "--net", "on", "--net-credentials", "on", *show, **more)
    check("credentials on request", "me:secret@" in out and "t0ken@" in out and "AWS" not in out, out)
    _, out, err = program.finish("exec", *show, **more)
    check("nothing of it without a network", "proxy" not in out and "AAAA" not in out and "note" not in err, out)
    os.unlink(ca)


def it_says_what_is_missing(w):
    path = os.path.realpath(shutil.which("slirp4netns"))
    subprocess.run(["mount", "--bind", "/dev/null", path], check=True)
    code, _, err = program.finish("exec", "--net", "on", "--", "true")
    check("without slirp4netns it says what to install", code == 125 and "apt install slirp4netns" in err, err)
    code, _, err = program.finish("exec", "--", "true")
    check("which is needed for nothing else", code == 0, err)
    subprocess.run(["umount", path], check=True)


def without_our_filter_it_is_all_there(w):
    """These tests can fail: slirp4netns by itself leads to all of it."""
    if not os.path.exists("/dev/net/tun"):
        return
    inside = subprocess.Popen(["unshare", "-Urn", "sleep", "60"])
    wait_until(lambda: os.readlink(f"/proc/{inside.pid}/ns/net") != os.readlink("/proc/self/ns/net"))
    ready, wrote = os.pipe()
    helper = subprocess.Popen(["slirp4netns", "-c", "-6", "-r", str(wrote), str(inside.pid), "tap0"],
                              pass_fds=[wrote], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(wrote)
    os.read(ready, 1)
    tries = [("tcp", "10.0.2.2", 8081)] + [("tcp", a, 8082) for a in ("198.51.100.2", "10.55.0.2", "169.254.7.2")]
    tries += [("tcp", a, P) for a in ("10.55.0.1", "172.16.5.5", "192.168.7.7", "100.64.9.9", "169.254.169.254",
                                      "192.0.0.192")] + [("udp", "10.55.0.1", P), ("tcp-device", "10.55.0.1", P)]
    done = subprocess.run(["nsenter", "-t", str(inside.pid), "-U", "-n", "--preserve-credentials",
                           "/usr/bin/python3", "-c", PROBE, json.dumps(tries)], capture_output=True, timeout=60)
    for what, came in zip(tries, json.loads(done.stdout)):
        check(f"reached without a filter: {' '.join(map(str, what))}", not came.startswith("error"), came)
    for process in helper, inside:
        process.kill()
        process.wait()
    os.close(ready)
    w.take_seen()


CASES = [outside_is_reached, the_rest_is_refused, source_routes_go_nowhere, opened_ranges,
         nothing_can_be_changed, new_addresses_of_the_host_are_refused,
         sandboxes_do_not_meet, nothing_is_left, the_helper_comes_back,
         the_helper_can_do_little, counters_tell, bad_ranges_are_refused, the_environment_is_passed_on,
         it_says_what_is_missing, without_our_filter_it_is_all_there,
         the_resolver_may_be_on_the_loopback]


def main(who, path, wanted=""):
    global program
    if os.geteuid() != 0:
        world.skip("namespaces with devices need root")
    for tool in "ip", "slirp4netns", "bwrap", "setpriv":
        if not shutil.which(tool):
            world.skip(f"{tool} is not installed")
    w = world.World()
    program = world.Program(path, who)
    try:
        for case in CASES:
            if wanted in case.__name__:
                print(f"-- {case.__name__}")
                case(w)
    finally:
        program.close()
        w.close()
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
