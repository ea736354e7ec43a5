# SPDX-License-Identifier: MIT
"""A little internet in network namespaces, for tests of sandboxes with a network.

    sandbox ── slirp4netns ── the host (a namespace of its own) ── veth ── outside (another)

The host has public, private and link-local addresses and a service on each, on its loopback
too. Outside are public servers, a private one, a metadata service and a name server. No packet leaves
the two namespaces: there is no device that leads on.
"""
import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

SKIPPED = 77
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)

HOST = ["198.51.100.2/24", "10.55.0.2/24", "169.254.7.2/16", "2001:db8:1::2/64", "fd55::2/64"]
OUTSIDE = ["198.51.100.1/24", "10.55.0.1/24", "169.254.169.254/16", "2001:db8:1::1/64", "fd55::1/64",
           "203.0.113.10/32", "172.16.5.5/32", "192.168.7.7/32", "100.64.9.9/32", "192.0.0.192/32",
           "10.55.0.53/32", "2001:db8:ffff::10/128", "fd00:ec2::254/128", "64:ff9b::a37:1/128",
           "2002:a37:1::1/128", "198.18.5.5/32", "::ffff:0:a37:1/128"]
PORT, DNS_NAMES = 8080, {
    "public.test": ["203.0.113.10"], "public6.test": ["2001:db8:ffff::10"],
    "rebind-private.test": ["10.55.0.1"], "rebind-metadata.test": ["169.254.169.254"],
    "rebind-loopback.test": ["127.0.0.1"], "rebind-host.test": ["198.51.100.2"],
    "rebind6.test": ["fd55::1"], "rebind-mapped.test": ["::ffff:10.55.0.1"],
}


def skip(why):
    print("SKIP:", why)
    sys.exit(SKIPPED)


def unshare(flags):
    if libc.unshare(flags):
        skip("namespaces of its own: " + os.strerror(ctypes.get_errno()))


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL)


# ---- servers ------------------------------------------------------------------------

def serve_one(listener, name, log):
    while True:
        connection, _ = listener.accept()
        at = connection.getsockname()[0]
        log(at)
        try:
            connection.sendall(f"{name} {at}\n".encode())
        except OSError:
            pass
        connection.close()


def serve_datagrams(sock, log):
    """Answers come from the address that was asked, of all that the machine has."""
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    while True:
        data, control, _, peer = sock.recvmsg(2000, 200)
        log("udp")
        sock.sendmsg([data], [c for c in control if c[1] == socket.IPV6_PKTINFO], 0, peer)


def serve(name, port, log, address="::"):
    """TCP, and UDP that answers; on all addresses, of both versions, unless one is given."""
    v6 = ":" in address
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, kind)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if v6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, address != "::")
        sock.bind((address, port))
        if kind == socket.SOCK_STREAM:
            sock.listen(64)
            target = serve_one, (sock, name, log)
        else:
            if not v6:
                continue
            target = serve_datagrams, (sock, log)
        threading.Thread(target=target[0], args=target[1], daemon=True).start()


def answer(query):
    """One question, one answer, by RFC 1035."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind = struct.unpack(">H", query[at + 1:at + 3])[0]
    question = query[12:at + 5]
    found = DNS_NAMES.get(".".join(labels).lower())
    records = b""
    n = 0
    for address in found or []:
        v6 = ":" in address
        if kind == (28 if v6 else 1):
            data = socket.inet_pton(socket.AF_INET6 if v6 else socket.AF_INET, address)
            records += struct.pack(">HHHIH", 0xc00c, kind, 1, 1, len(data)) + data
            n += 1
    code = 0x8180 if found else 0x8183
    return query[:2] + struct.pack(">HHHHH", code, 1, n, 0, 0) + question + records


def resolve_stream(listener):
    while True:
        connection, _ = listener.accept()
        try:
            n = struct.unpack(">H", connection.recv(2))[0]
            reply = answer(connection.recv(n))
            connection.sendall(struct.pack(">H", len(reply)) + reply)
        except (OSError, struct.error, IndexError):
            pass
        connection.close()


def resolve_datagrams(sock):
    while True:
        query, peer = sock.recvfrom(1500)
        try:
            sock.sendto(answer(query), peer)
        except (OSError, struct.error, IndexError):
            pass


def name_server(address):
    stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    stream.bind((address, 53))
    stream.listen(16)
    datagrams.bind((address, 53))
    threading.Thread(target=resolve_stream, args=(stream,), daemon=True).start()
    threading.Thread(target=resolve_datagrams, args=(datagrams,), daemon=True).start()


# ---- the two namespaces ---------------------------------------------------------------

def be_outside(to_host, from_host):
    libc.prctl(1, signal.SIGKILL)
    unshare(CLONE_NEWNET)
    os.write(to_host, b"n")
    os.read(from_host, 1)  # the device is there now
    ip("link", "set", "lo", "up")
    ip("link", "set", "out", "up")
    for address in OUTSIDE:
        ip("addr", "add", address, "dev", "out" if "/24" in address or "/16" in address or "/64" in address
           else "lo", *(["nodad"] if ":" in address else []))
    ip("route", "add", "default", "via", "198.51.100.2")
    ip("-6", "route", "add", "default", "via", "2001:db8:1::2")

    def log(what):
        os.write(to_host, (what + "\n").encode())
    serve("outside", PORT, log)
    name_server("10.55.0.53")
    os.write(to_host, b"up\n")
    signal.pause()


class World:
    """Made in the calling process, which then is on the host."""

    def __init__(self, resolver="10.55.0.53"):
        unshare(CLONE_NEWNET | CLONE_NEWNS)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        self.seen, self.lock, self.has_resolver = [], threading.Lock(), False
        from_outside, to_host = os.pipe()
        from_host, to_outside = os.pipe()
        self.outside = os.fork()
        if not self.outside:
            be_outside(to_host, from_host)
        os.close(to_host)
        self.heard = os.fdopen(from_outside, "rb", 0)
        if self.heard.read(1) != b"n":
            os.waitpid(self.outside, 0)
            skip("a second network namespace cannot be had")
        self.wire()
        os.write(to_outside, b"g")
        if self.heard.readline() != b"up\n":
            sys.exit("the servers outside did not come up")
        threading.Thread(target=self.listen, daemon=True).start()
        for address, port in ("127.0.0.1", 8081), ("::1", 8081):
            serve("loopback", port, self.note, address)
        serve("host", 8082, self.note)
        self.resolver(resolver)

    def wire(self):
        try:
            ip("link", "add", "eth0", "type", "veth", "peer", "name", "out", "netns", str(self.outside))
        except subprocess.CalledProcessError:
            skip("no veth devices here")
        ip("link", "set", "lo", "up")
        ip("link", "set", "eth0", "up")
        for address in HOST:
            ip("addr", "add", address, "dev", "eth0", *(["nodad"] if ":" in address else []))
        ip("route", "add", "default", "via", "198.51.100.1")
        ip("route", "add", "10.0.0.0/8", "via", "10.55.0.1")
        ip("-6", "route", "add", "default", "via", "2001:db8:1::1")

    def resolver(self, address):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write(f"nameserver {address}\n")
            f.flush()
            os.chmod(f.name, 0o644)
            target = os.path.realpath("/etc/resolv.conf")
            if self.has_resolver:
                subprocess.run(["umount", target], check=True)
            subprocess.run(["mount", "--bind", f.name, target], check=True)
            self.has_resolver = True
        if address.startswith("127."):
            name_server(address)

    def note(self, what):
        with self.lock:
            self.seen.append(what)

    def listen(self):
        for line in self.heard:
            self.note(line.decode().strip())

    def take_seen(self):
        with self.lock:
            seen, self.seen = self.seen, []
        return seen

    def close(self):
        os.kill(self.outside, signal.SIGKILL)
        os.waitpid(self.outside, 0)


class Program:
    """terrarium, as root or as an ordinary user; its runtime directory is to be empty in the end."""

    def __init__(self, path, who):
        self.home = tempfile.mkdtemp(prefix="terrarium-net-")
        self.words = [os.path.abspath(path)]
        self.env = {"HOME": self.home, "XDG_RUNTIME_DIR": self.home, "PATH": os.environ["PATH"],
                    "LANG": "C.UTF-8"}
        if who.startswith("user"):
            copy = os.path.join(self.home, "program")
            shutil.copy(path, copy)
            os.chown(self.home, 65534, 65534)
            self.words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy]
        self.change_tun("tun" in who)

    @staticmethod
    def change_tun(has_tun):
        """In our own mounts: /dev/net/tun for everybody, or for nobody."""
        if not has_tun and not os.path.isdir("/dev/net"):
            return
        try:
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev/net"], check=True)
            if has_tun:
                subprocess.run(["mknod", "-m", "666", "/dev/net/tun", "c", "10", "200"], check=True)
                os.close(os.open("/dev/net/tun", os.O_RDWR))
        except (subprocess.CalledProcessError, OSError):
            skip("/dev/net/tun cannot be put in place")

    def start(self, *words, **more):
        return subprocess.Popen([*self.words, *words], env=dict(self.env, **more), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, *words, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def python(self, options, code, argument=None):
        """Python code in a sandbox with a network; what it prints, as JSON."""
        more = [json.dumps(argument)] if argument is not None else []
        code, out, err = self.finish("exec", "--net", "on", *options, "--", "/usr/bin/python3", "-c", code, *more)
        if code:
            sys.exit(f"exit code {code}: {err}{out}")
        return json.loads(out)

    def left(self):
        return [f for f in os.listdir(self.home) if f not in ("program", ".cache")]

    def close(self):
        self.finish("stop", "roamer")  # kept, should a test have been cut short
        shutil.rmtree(self.home)
