# SPDX-License-Identifier: MIT
# Runs inside the sandbox: tries every target given and prints what came of it, as JSON. An answer that
# is not an error means that something was reached.
import json
import socket
import struct
import sys
import threading


def connect(host, port, options=()):
    last = "no address"
    for family, kind, proto, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        with socket.socket(family, kind, proto) as s:
            s.settimeout(8)
            try:
                for option in options:
                    s.setsockopt(*option)
                s.connect(address)
                return s.recv(200).decode().strip() or "connected"
            except OSError as e:
                last = f"error {type(e).__name__} {e.errno}"
    return last


def udp(host, port, options=()):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(1.5)
        try:
            for option in options:
                s.setsockopt(*option)
            s.connect((host, port))
            s.send(b"ping")
            s.send(b"ping")  # the first one's refusal comes with the second
            return "udp " + s.recv(100).decode()
        except OSError as e:
            return f"error {type(e).__name__} {e.errno}"


def scoped(host, port):
    """A link-local address through the one device."""
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as s:
        s.settimeout(4)
        try:
            s.connect((host, port, 0, socket.if_nametoindex("tap0")))
            return s.recv(200).decode().strip() or "connected"
        except OSError as e:
            return f"error {type(e).__name__} {e.errno}"


DEVICE = (socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"tap0")
BROADCAST = (socket.SOL_SOCKET, socket.SO_BROADCAST, 1)


def lsrr(via, to):
    """Loose source routing: the packet goes to the first address, and names another."""
    option = struct.pack("BBB", 131, 7, 4) + socket.inet_aton(to) + b"\0"
    return connect(via, 8080, [(socket.IPPROTO_IP, socket.IP_OPTIONS, option)])


WAYS = {
    "tcp": connect, "udp": udp, "scoped": scoped, "lsrr": lsrr,
    "tcp-device": lambda h, p: connect(h, p, [DEVICE]),
    "udp-device": lambda h, p: udp(h, p, [DEVICE]),
    "udp-broadcast": lambda h, p: udp(h, p, [BROADCAST]),
    "tcp-unicast-if": lambda h, p: connect(
        h, p, [(socket.IPPROTO_IPV6, 76, struct.pack("!I", socket.if_nametoindex("tap0")))]),
}


def attempt(results, i, way, args):
    try:
        results[i] = WAYS[way](*args)
    except OSError as e:
        results[i] = f"error {type(e).__name__} {e.errno}"


tries = json.loads(sys.argv[1])
results = [None] * len(tries)
threads = [threading.Thread(target=attempt, args=(results, i, t[0], t[1:])) for i, t in enumerate(tries)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(json.dumps(results))
