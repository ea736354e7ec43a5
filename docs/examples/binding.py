# SPDX-License-Identifier: MIT
"""libterrarium in Python, by ctypes: a sandbox whose variables stay, output as it comes, errors as exceptions.

    with Sandbox(on_output=lambda stream, data: ...) as box:
        box.run("x = 6")
        print(box.run("x * 7").output)

Only the first fields of the structs of options stand here: their size tells the library so."""
import ctypes
import sys
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint32, c_void_p, sizeof
from dataclasses import dataclass

OUTPUT = ctypes.CFUNCTYPE(None, c_void_p, c_int, POINTER(c_char), c_size_t)


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("msg", c_char * 480)]


class SandboxOpts(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("backend", c_char_p), ("name", c_char_p)]


class SyncOpts(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("may_join", c_bool), ("language", c_void_p), ("timeout_ms", c_uint32),
                ("output_keep_bytes", c_size_t), ("policy", c_void_p), ("output", OUTPUT), ("is_interrupted", c_void_p),
                ("interrupt_fd", c_int), ("user", c_void_p), ("sandbox", SandboxOpts)]


class Execution(ctypes.Structure):
    _fields_ = [("output", c_char_p), ("error", c_char_p), ("has_error", c_bool), ("status", c_char_p),
                ("language", c_char_p), ("exit_code", c_int), ("result", c_void_p)]


class SandboxError(Exception):
    """What failed, why, and what to do; `code` is one of TRM_E... in terrarium/error.h."""

    def __init__(self, why):
        super().__init__(why.msg.decode())
        self.code = why.code


@dataclass
class Result:
    output: str
    error: str
    status: str
    exit_code: int


class Sandbox:
    def __init__(self, backend="local", language="python", on_output=None, library="libterrarium.so.0.2"):
        self.lib = ctypes.CDLL(library)
        self.why, self.sync, opts, lang = Error(), c_void_p(), SyncOpts(), c_void_p()
        self.lib.trm_sync_opts_init(byref(opts), c_size_t(sizeof(opts)))
        self.check(self.lib.trm_lang_find(language.encode(), byref(lang), byref(self.why)))
        # Kept, because the library uses them as long as the sandbox lives.
        self.backend, self.output = backend.encode(), OUTPUT(lambda _user, stream, data, n: on_output(stream, data[:n]) if on_output else None)
        opts.language, opts.output, opts.sandbox.backend = lang, self.output, self.backend
        self.check(self.lib.trm_sync_create(byref(opts), byref(self.sync), byref(self.why)))

    def check(self, code):
        if code < 0:
            raise SandboxError(self.why)

    def run(self, code):
        done = Execution()
        try:
            self.check(self.lib.trm_sync_run(self.sync, code.encode(), byref(done), byref(self.why)))
            return Result(done.output.decode(), done.error.decode(), done.status.decode(), done.exit_code)
        finally:
            self.lib.trm_execution_finish(byref(done))

    def __enter__(self):
        self.check(self.lib.trm_sync_start(self.sync, byref(self.why)))
        return self

    def __exit__(self, *_):
        self.lib.trm_sync_destroy(self.sync)


if __name__ == "__main__":
    def show(stream, data):
        for line in data.decode().splitlines():  # several may have come at once
            print({1: "stdout", 2: "stderr"}[stream], line, flush=True)

    with Sandbox(on_output=show, **({"library": sys.argv[1]} if sys.argv[1:] else {})) as box:
        box.run("x = 6\nfor i in range(2):\n    print('step', i)")
        print(box.run("x * 7"))
        print(box.run("1 / 0").error.splitlines()[-1])
