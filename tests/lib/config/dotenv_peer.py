# SPDX-License-Identifier: MIT
"""dotenv_peer.py FILE: compare the answers in FILE (dotenv_peer_test.c) with those of python-dotenv."""
import io
import logging
import struct
import sys

try:
    from dotenv.main import DotEnv
except ImportError:
    print("SKIP: no python-dotenv (Debian: python3-dotenv)")
    sys.exit(77)
logging.disable(logging.CRITICAL)
stream = open(sys.argv[1], "rb")


def read_bytes():
    head = stream.read(4)
    if not head:
        raise EOFError
    n = struct.unpack("=i", head)[0]
    return None if n < 0 else stream.read(n)


def read_case():
    text, ours = read_bytes(), {}
    while (key := read_bytes()) is not None:
        ours[key] = read_bytes()
    return text, ours


def theirs(text):
    file = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8")
    found = DotEnv(None, stream=file, override=False).dict()
    return {k.encode(): v if v is None else v.encode() for k, v in found.items()}


n = n_wrong = n_found = 0
while True:
    try:
        case, ours = read_case()
    except EOFError:
        break
    n += 1
    n_found += any(v for v in ours.values())
    if ours != theirs(case):
        n_wrong += 1
        if n_wrong <= 20:
            print(f"{case!r}\n  python-dotenv: {theirs(case)}\n  we:            {ours}")
print(f"{n} cases, {n_found} with values, {n_wrong} differ")
sys.exit(bool(n_wrong) or n_found < 1000)
