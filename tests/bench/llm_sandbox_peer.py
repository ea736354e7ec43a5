# SPDX-License-Identifier: MIT
"""llm_sandbox_peer.py --pod IMAGE: milliseconds until the first result of a new pod of its Kubernetes session.

llm_sandbox_peer.py IMAGE FILE: how long llm-sandbox takes for what we do, in milliseconds, as lines of a name and a
number, medians. Its environment set-up, which fetches packages, is left out; it is to do the same as we do.

Copying out is measured with its get_archive() alone: what unpacks that refuses to work with Python 3.11.2."""
import os
import statistics
import sys
import time

from llm_sandbox import SandboxBackend, SandboxSession

RUNS, COPIES, SESSIONS = 9, 3, 3


def took(call):
    start = time.perf_counter()
    result = call()
    return (time.perf_counter() - start) * 1e3, result


def run_once(session):
    ms, result = took(lambda: session.run("print(1+1)"))
    if result.stdout.strip() != "2":
        sys.exit("llm-sandbox answers: %r" % (result,))
    return ms


def read_archive(session):
    bits, _ = session.get_archive("/sandbox/file")
    for _ in [bits] if isinstance(bits, bytes) else bits:
        pass


def open_pod(image):
    session = SandboxSession(backend=SandboxBackend.KUBERNETES, lang="python", image=image,
                             skip_environment_setup=True, kube_namespace="default")
    start = time.perf_counter()
    session.open()
    try:
        run_once(session)
        print((time.perf_counter() - start) * 1e3)
    finally:
        session.close()


def main(image, file):
    figures = {name: [] for name in ("open", "run", "in", "out", "close")}
    for n in range(SESSIONS):
        session = SandboxSession(lang="python", image=image, skip_environment_setup=True, keep_template=True)
        figures["open"].append(took(session.open)[0])
        try:
            if n == 0:
                figures["run"] = [run_once(session) for _ in range(RUNS)]
                for _ in range(COPIES):
                    figures["in"].append(took(lambda: session.copy_to_runtime(file, "/sandbox/file"))[0])
                    figures["out"].append(took(lambda: read_archive(session))[0])
        finally:
            figures["close"].append(took(session.close)[0])
    for name, values in figures.items():
        print(name, statistics.median(values))


if __name__ == "__main__":
    os.environ.pop("PYTHONUNBUFFERED", None)
    if sys.argv[1] == "--pod":
        open_pod(sys.argv[2])
    else:
        main(*sys.argv[1:])
