#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""languages.py ARCHIVE: an image with the compilers and interpreters that this machine has, for languages_test.sh.
As images.py, of whose parts it is made."""
import hashlib
import os
import sys

from images import MACHINES, MERGED, PATH, Layer, add_bases, closure, files_of, image, pack, usr_merged

PACKAGES = ("base-files bash coreutils dash gcc g++ grep nodejs node-typescript procps python3 r-base-core ruby sed tar "
            "default-jdk-headless openjdk-17-jdk-headless openjdk-17-jre-headless openjdk-21-jdk-headless "
            "openjdk-21-jre-headless libopenblas0-pthread libblas3 liblapack3").split()
# Links that Debian's packages make when they are configured, and settings that they leave.
LINKS = ("/usr/bin/java", "/usr/bin/javac", "/usr/lib/%s-linux-gnu/libblas.so.3", "/usr/lib/%s-linux-gnu/liblapack.so.3",
         "/usr/lib/%s-linux-gnu/libopenblas.so.0")
SETTINGS = ("/etc/R", "/etc/java-17-openjdk", "/etc/java-21-openjdk")
GO = "/usr/local/go"  # where golang's own image has it, too


def languages(path):
    layer = Layer(path)
    for name in MERGED[:3] + ("lib64",):
        layer.folder("usr/" + name)
        layer.link(name, "usr/" + name)
    add_bases(layer)
    for file in files_of(closure(PACKAGES)):
        if file.strip("/") not in MERGED:
            layer.file(file, usr_merged(file))
    for link in LINKS:
        name = link.replace("%s", os.uname().machine)
        if os.path.exists(name):
            layer.link(name.lstrip("/"), os.path.realpath(name))
    for folder in (*SETTINGS, GO):
        for place, inner, files in os.walk(folder):
            inner[:] = [name for name in inner if name not in ("testdata", "test", "doc", "api")]
            for name in files:
                layer.file(os.path.join(place, name))
    return layer.finish()


def main(archive):
    layer = archive + ".layer"
    digest = languages(layer)
    machine = os.uname().machine
    pack(archive, {"languages": layer}, [image("languages", "languages", digest, MACHINES.get(machine, machine),
                                              Env=[PATH + ":" + GO + "/bin"])])
    os.unlink(layer)


if __name__ == "__main__":
    main(*sys.argv[1:])
