# SPDX-License-Identifier: MIT
"""net_test.py PROGRAM: what a sandbox with a network reaches, and what it must not reach."""
import os
import shutil
import subprocess
import sys
import time

import world

PROGRAM = os.path.abspath(sys.argv[1])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe.py")) as f:
    PROBE = f.read()
P, OUTSIDE, OUTSIDE6 = world.PORT, "203.0.113.10", "2001:db8:ffff::10"
failures = 0


def check(what, holds, more=""):
    global failures
    print("ok     " if holds else "FAILED ", what, more if not holds else "")
    failures += not holds


def probe(options, tries):
    return dict(zip(map(tuple, tries), world.run(PROGRAM, options, PROBE, tries)))


REACHED = [("tcp", OUTSIDE, P), ("udp", OUTSIDE, P), ("tcp", OUTSIDE6, P), ("udp", OUTSIDE6, P),
           ("tcp", "public.test", P), ("tcp", "public6.test", P), ("tcp", "198.51.100.1", P),
           ("tcp-device", OUTSIDE, P)]

# Everything that means the host's loopback, in all ways of writing it.
LOOPBACK = ["127.0.0.1", "127.1", "127.255.255.254", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0",
            "localhost", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "10.0.2.2", "fd00::2",
            "::ffff:10.0.2.2", "rebind-loopback.test"]
HOST = ["198.51.100.2", "10.55.0.2", "169.254.7.2", "2001:db8:1::2", "fd55::2", "::ffff:198.51.100.2",
        "3325256706", "rebind-host.test"]
PRIVATE = ["10.55.0.1", "172.16.5.5", "192.168.7.7", "100.64.9.9", "192.0.0.192", "169.254.169.254",
           "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "::ffff:169.254.169.254",
           "::ffff:10.55.0.1", "::10.55.0.1", "fd55::1", "fd00:ec2::254", "64:ff9b::a37:1", "2002:a37:1::1",
           "rebind-private.test", "rebind-metadata.test", "rebind6.test", "rebind-mapped.test"]
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
    done = world.run(PROGRAM, [], CHANGES)
    check("nothing of the network can be changed inside", done == [], done)


LISTENER = ("import socket; s=socket.socket(); s.bind(('0.0.0.0', 9000)); s.listen(); print('up', flush=True)\n"
            "while 1: s.accept()[0].send(b'another sandbox')")


def sandboxes_do_not_meet(w):
    other = subprocess.Popen([PROGRAM, "exec", "--net", "on", "--", "/usr/bin/python3", "-c", LISTENER],
                             stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
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


def helpers():
    """Processes of slirp4netns that are in our network namespace's family: children of keepers."""
    found = subprocess.run(["pgrep", "-c", "-x", "slirp4netns"], capture_output=True)
    return int(found.stdout or 0)


def nothing_is_left(w):
    before = helpers()
    for signal_name in "TERM", "KILL":
        client = subprocess.Popen([PROGRAM, "exec", "--net", "on", "--", "sh", "-c", "echo up; exec sleep 100"],
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        client.stdout.readline()
        check("slirp4netns runs", helpers() == before + 1)
        client.send_signal(getattr(world.signal, "SIG" + signal_name))
        client.wait()
        deadline = time.monotonic() + 5
        while helpers() > before and time.monotonic() < deadline:
            time.sleep(0.01)
        check(f"nothing is left after SIG{signal_name} to the client", helpers() == before)


def counters_tell(w):
    out = subprocess.run([PROGRAM, "exec", "--net", "on", "--", "cat", "/proc/net/dev"], capture_output=True)
    check("one device beside the loopback", out.stdout.decode().count(":") == 2, out)


def bad_ranges_are_refused(w):
    for bad in ("300.1.1.1/8", "10.0.0.0/33", "10.0.0.1/8", "fd00::/129", "nonsense", "10.0.0.0/", "/8", "10/8",
                "127.0.0.0/8", "::1", "224.0.0.1", "::ffff:10.0.0.0/104", "10.0.0.0/8,,fd00::/8"):
        done = subprocess.run([PROGRAM, "exec", "--net", "on", "--net-allow", bad, "--", "true"],
                              capture_output=True, text=True)
        check(f"--net-allow {bad}", done.returncode == 125 and "net-allow" in done.stderr, done)


def main():
    if os.geteuid() != 0:
        world.skip("namespaces with devices need root")
    for tool in "ip", "slirp4netns":
        if not shutil.which(tool):
            world.skip(f"{tool} is not installed")
    w = world.World()
    cases = [outside_is_reached, the_rest_is_refused, source_routes_go_nowhere, opened_ranges,
             nothing_can_be_changed, sandboxes_do_not_meet, nothing_is_left, counters_tell,
             bad_ranges_are_refused, the_resolver_may_be_on_the_loopback]
    for case in cases:
        if len(sys.argv) > 2 and sys.argv[2] not in case.__name__:
            continue
        print(f"-- {case.__name__}")
        case(w)
    w.close()
    return 1 if failures else 0


sys.exit(main())
