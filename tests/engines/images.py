#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""images.py ARCHIVE STATIC DYNAMIC: the images that tests of engines use, made of what this machine has
installed and of two small programs of ours (hello.c, linked with musl). One archive with all of them, which both
`docker load` and `podman load` read; nothing is fetched. It is made anew when what it is made of has changed.

  deb      Debian: bash, coreutils, Python, JavaScript
  user     the same, with USER 1234:1234, an ENV and a WORKDIR
  slim     bash only as /bin/bash, Python only as /usr/local/bin/python3, no merged /usr
  musl     busybox, and a program that is linked with musl
  static   one static program and nothing else, USER 65532
  exits    an entrypoint that ends at once, with code 3
  foreign  says that it is of another architecture
"""
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile

PREFIX = "localhost/tt:"
PACKAGES = ("base-files bash coreutils dash debianutils findutils grep gzip nodejs procps python3 python3-pip-whl "
            "sed tar util-linux").split()
LEFT_OUT = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/usr/share/info/", "/usr/share/lintian/",
            "/usr/share/bash-completion/", "/usr/share/zsh/", "/usr/lib/python3.11/test/",
            "/usr/lib/python3.11/idlelib/", "/usr/lib/python3.11/lib2to3/")
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # links to usr/… in every Debian since 12
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSWD = """root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
worker:x:1234:1234:worker:/home/worker:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = "root:x:0:\ndaemon:x:1:\nworker:x:1234:\nnogroup:x:65534:\n"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class Layer:
    """A tar whose folders come before what is in them, in a file of its own."""

    def __init__(self, path):
        self.path = path
        self.tar = tarfile.open(path, "w", format=tarfile.GNU_FORMAT)
        self.seen = set()

    def add(self, info, content=None):
        folder = os.path.dirname(info.name)
        if folder and folder not in self.seen:
            self.folder(folder)
        if info.name not in self.seen:
            self.seen.add(info.name)
            info.uname = info.gname = ""
            self.tar.addfile(info, content)

    def folder(self, name, mode=0o755, owner=0):
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, mode, owner, owner
        self.add(info)

    def link(self, name, target):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = tarfile.SYMTYPE, target
        self.add(info)

    def text(self, name, text):
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(text), 0o644
        self.add(info, io.BytesIO(text.encode()))

    def file(self, source, name=None):
        name = name or source.lstrip("/")
        info = self.tar.gettarinfo(source, name)
        if info.islnk():  # what it is a link to may not come along, or under another name
            info.type, info.linkname, info.size = tarfile.REGTYPE, "", os.path.getsize(source)
        if info.isreg():
            with open(source, "rb") as content:
                self.add(info, content)
        elif info.isdir() or info.issym():
            self.add(info)

    def finish(self):
        self.tar.close()
        with open(self.path, "rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()


def closure(names):
    """These packages and what they depend on; only what is installed."""
    form = "${db:Status-Abbrev}\t${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    text = subprocess.run(["dpkg-query", "-W", "-f", form], check=True, capture_output=True, text=True).stdout
    needs, providers = {}, {}
    for status, name, provides, depends in (line.split("\t") for line in text.splitlines()):
        if status.startswith("ii"):
            needs[name] = [alternative.split()[0].split(":")[0] for group in depends.split(",")
                           for alternative in group.split("|")[:1] if alternative.strip()]
            for word in provides.split(","):
                if word.strip():
                    providers.setdefault(word.split()[0], name)
    wanted, todo = set(), list(names)
    while todo:
        name = todo.pop()
        name = name if name in needs else providers.get(name)
        if name and name not in wanted and name not in ("debconf", "perl", "perl-base", "dpkg", "init-system-helpers"):
            wanted.add(name)
            todo += needs[name]
    return sorted(wanted)


def files_of(packages):
    text = subprocess.run(["dpkg-query", "-L", *packages], check=True, capture_output=True, text=True).stdout
    files = {line for line in text.splitlines() if line.startswith("/") and line != "/."}
    cached = set()
    for file in files:
        if file.endswith(".py") and os.path.isdir(os.path.dirname(file) + "/__pycache__"):
            cached.add(os.path.dirname(file) + "/__pycache__")
    for folder in cached:
        files |= {folder + "/" + name for name in os.listdir(folder) if name.endswith(".cpython-311.pyc")}
    return sorted(f for f in files if not f.startswith(LEFT_OUT) and os.path.lexists(f))


def usr_merged(path):
    """Where a file of a package lies in a Debian whose /bin is a link."""
    return "usr" + path if path.split("/")[1] in MERGED else path.lstrip("/")


def add_bases(layer):
    for name, mode in (("tmp", 0o1777), ("root", 0o700), ("proc", 0o555), ("sys", 0o555), ("dev", 0o755),
                       ("var/tmp", 0o1777), ("run", 0o755)):
        layer.folder(name, mode)
    layer.folder("home/worker", 0o755, 1234)
    layer.text("etc/passwd", PASSWD)
    layer.text("etc/group", GROUP)


def debian(path):
    layer = Layer(path)
    for name in MERGED[:3] + ("lib64",):
        layer.folder("usr/" + name)
        layer.link(name, "usr/" + name)
    add_bases(layer)
    for file in files_of(closure(PACKAGES)):
        if file.strip("/") not in MERGED:
            layer.file(file, usr_merged(file))
    layer.link("usr/bin/python", "python3")  # as in the images that others expect
    return layer.finish()


def slim(path):
    layer = Layer(path)
    add_bases(layer)
    for file in files_of(closure(["bash", "coreutils", "dash", "python3"])):
        if file.strip("/") in MERGED:
            layer.folder(file.strip("/"))
        else:
            layer.file(file, file.lstrip("/").replace("usr/bin/python3", "usr/local/bin/python3"))
    return layer.finish()


def musl(path, program):
    layer = Layer(path)
    layer.file("/bin/busybox", "bin/busybox")
    applets = subprocess.run(["/bin/busybox", "--list"], check=True, capture_output=True, text=True).stdout
    for name in applets.split():
        layer.link("bin/" + name, "busybox")
    layer.folder("tmp", 0o1777)
    layer.text("etc/passwd", PASSWD.replace("/bin/bash", "/bin/sh"))
    layer.text("etc/group", GROUP)
    loader = "/lib/ld-musl-%s.so.1" % os.uname().machine
    layer.file(os.path.realpath(loader), loader[1:])
    layer.file(program, "bin/hello")
    return layer.finish()


def static(path, program):
    layer = Layer(path)
    layer.file(program, "hello")
    return layer.finish()


def image(tag, layer, digest, architecture, **config):
    return {"tag": tag, "layer": layer, "json": json.dumps({
        "architecture": architecture, "os": "linux", "created": "2020-01-01T00:00:00Z",
        "config": {"Env": [PATH], **config},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]},
        "history": [{"created": "2020-01-01T00:00:00Z", "created_by": "Terrarium's tests"}]}).encode()}


def pack(archive, layers, images):
    """In the form of `docker save`."""
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, path in layers.items():
            tar.add(path, name + "/layer.tar", recursive=False)
        manifest = []
        for one in images:
            name = hashlib.sha256(one["json"]).hexdigest() + ".json"
            manifest.append({"Config": name, "RepoTags": [PREFIX + one["tag"]],
                             "Layers": [one["layer"] + "/layer.tar"]})
            add_bytes(tar, name, one["json"])
        add_bytes(tar, "manifest.json", json.dumps(manifest).encode())


def add_bytes(tar, name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def made_of(sources):
    """What the archive depends on, in one line."""
    state = subprocess.run(["dpkg-query", "-W"], check=True, capture_output=True).stdout
    for path in (__file__, *sources):
        with open(path, "rb") as f:
            state += f.read()
    return hashlib.sha256(state).hexdigest()


def is_fresh(archive, state):
    try:
        with open(archive + ".state", encoding="ascii") as f:
            return os.path.exists(archive) and f.read() == state
    except OSError:
        return False


def main(archive, hello, hello_musl):
    state = made_of((hello, hello_musl))
    if is_fresh(archive, state):
        return
    here = MACHINES.get(os.uname().machine, os.uname().machine)
    other = "arm64" if here != "arm64" else "amd64"
    made = {name: "%s.%s" % (archive, name) for name in ("deb", "slim", "musl", "static")}
    deb, thin = debian(made["deb"]), slim(made["slim"])
    busy, one = musl(made["musl"], hello_musl), static(made["static"], hello)
    pack(archive + ".new", made, [
        image("deb", "deb", deb, here, Cmd=["bash"]),
        image("user", "deb", deb, here, Cmd=["bash"], User="1234:1234", WorkingDir="/home/worker",
              Env=[PATH, "FROM_IMAGE=yes"]),
        image("slim", "slim", thin, here, Cmd=["python3"]),
        image("musl", "musl", busy, here, Cmd=["sh"]),
        image("static", "static", one, here, Entrypoint=["/hello"], User="65532:65532"),
        image("exits", "static", one, here, Entrypoint=["/hello", "exit", "3"]),
        image("foreign", "static", one, other, Entrypoint=["/hello"])])
    for path in made.values():
        os.unlink(path)
    os.rename(archive + ".new", archive)
    with open(archive + ".state", "w", encoding="ascii") as f:
        f.write(state)


if __name__ == "__main__":
    main(*sys.argv[1:])
