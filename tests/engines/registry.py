#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""registry.py PROGRAM: a registry of images on loopback, as much of one as a pull needs (the OCI distribution
specification). Prints its port, and serves until it is killed. What an image is called decides what becomes of it:
whole:1 has PROGRAM as /hello; of cut:1 the layer breaks off in the middle, of slow:1 it never ends; others there are
none."""
import gzip
import hashlib
import http.server
import io
import json
import os
import platform
import sys
import tarfile
import time

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def make_image(name, program):
    """Its manifest, and what that names, by digest. Each name's layer is another one: engines keep what they have."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, data, mode in (("hello", program, 0o755), ("name", name.encode() + os.urandom(1 << 20), 0o644)):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
    layer = gzip.compress(packed.getvalue(), 1)
    config = json.dumps({"architecture": ARCHITECTURE, "os": "linux", "config": {},
                         "rootfs": {"type": "layers", "diff_ids": [digest(packed.getvalue())]}}).encode()
    kind = "application/vnd.docker."
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": kind + "distribution.manifest.v2+json",
        "config": {"mediaType": kind + "container.image.v1+json", "size": len(config), "digest": digest(config)},
        "layers": [{"mediaType": kind + "image.rootfs.diff.tar.gzip", "size": len(layer),
                    "digest": digest(layer)}]}).encode()
    return manifest, {digest(config): config, digest(layer): layer}, digest(layer)


class Handler(http.server.BaseHTTPRequestHandler):
    images = {}

    def log_message(self, *_):
        pass

    def answer(self, code, kind, data, sent=None):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.send_header("Docker-Content-Digest", digest(data))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data if sent is None else data[:sent])
            self.wfile.flush()

    def do_GET(self):
        parts = self.path.strip("/").split("/")
        manifest, blobs, layer = self.images.get(parts[1] if len(parts) > 1 else "", (b"", {}, ""))
        if parts == ["v2"]:
            self.answer(200, "application/json", b"{}")
        elif parts[2:3] == ["manifests"] and manifest and parts[3] in ("1", digest(manifest)):
            self.answer(200, "application/vnd.docker.distribution.manifest.v2+json", manifest)
        elif parts[2:3] == ["blobs"] and parts[3] in blobs:
            data, is_layer = blobs[parts[3]], parts[3] == layer
            whole = parts[1] == "whole" or not is_layer
            self.answer(200, "application/octet-stream", data, None if whole else len(data) // 2)
            if parts[1] == "slow" and is_layer:
                time.sleep(600)
        else:
            self.answer(404, "application/json", b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"unknown"}]}')

    do_HEAD = do_GET


def main(path):
    with open(path, "rb") as f:
        program = f.read()
    Handler.images = {name: make_image(name, program) for name in ("whole", "cut", "slow")}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main(sys.argv[1])
