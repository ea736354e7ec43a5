# SPDX-License-Identifier: MIT
"""programs_test.py PROGRAM_DIR NAME [ARG…]: a program of docs/examples does what the page says.

What a program prints is a pattern here, because versions and languages that are installed differ."""
import os
import re
import subprocess
import sys
import tempfile

PROGRAMS, NAME, ARGS = sys.argv[1], sys.argv[2], sys.argv[3:]
MISSING = r"(?:\w+|c\+\+) is not installed: apt install .*"
PRINTS = {
    "session": r"stdout \[Hello, World!\] stderr \[\] exit code 0\nstdout \[\] stderr \[42\] exit code 3\n",
    "languages": "".join(rf"(?:Hello from {name}|{MISSING})\n" for name in (
        "Python", "JavaScript", "Java", r"C\+\+", "Go", "Ruby", "R")),
    "libraries": r"demo\n",
    "streaming": r"stdout: step 0\nstdout: step 1\nstdout: step 2\nstderr: done\nexit code 3\n",
    "commands": r"mkdir: exit code 0\nsh: exit code 3, 42\nls: (?:.*\n)*project\n",
    "files": r"result\.txt: data report\.csv \(15 bytes\)\n(?:deep/project/.*: \d+ bytes, mode \d+\n){2}",
    "policy": r"safe.*\n  # import os is just a text\nnot safe; line 1: .*runs code of others.*\n  refused\n"
              r"not safe; .*a placeholder.*\n  refused\n",
    "plots": r"plot 0: image/(?:png|svg\+xml), not empty, with a size\n",
    "limits": r"success: \ntimeout: .*0\.5 s.*\nsuccess: 42\n",
    "binding.py": r"stdout step 0\nstdout step 1\nResult\(output='42', error='', status='success', exit_code=0\)\n"
                  r"ZeroDivisionError: division by zero\n",
    "pool": r"(?:Hello from pool! False\n){3}",
    "interactive": r"\[1\] success: \n\[2\] success: \n\[3\] error: \n\[4\] success: a command\n"
                   r"\[5\] success: .*\bx\b.*\n\[6\] timeout: .*\n\[7\] success: 42\n",
    "several": r"(?:interrupted\n|ok: x is 5\n){6}",
    "kubernetes": r"Hello from a pod!\n",
    "image": r"built 1\nsaved x\n",
    "existing": r"Hello from existing container!\n42\n",
}


def make_folder(at):
    os.makedirs(at + "/project/data")
    with open(at + "/script.py", "w", encoding="utf-8") as file:
        file.write("print(6 * 7)\n")
    os.mkdir(at + "/env")
    with open(at + "/env/Dockerfile", "w", encoding="utf-8") as file:
        file.write("FROM localhost/tt:deb\nRUN mkdir -p /opt && chmod 777 /opt\n")
    for name, text in (("report.csv", "a,b\n"), ("data/numbers", "1\n2\n")):
        with open(f"{at}/project/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_folder(folder)
        program = [sys.executable, "-B"] if NAME.endswith(".py") else []
        done = subprocess.run([*program, f"{PROGRAMS}/{NAME}", *ARGS], cwd=folder, capture_output=True, text=True, timeout=500)
    if done.returncode != 0 or not re.fullmatch(PRINTS[NAME], done.stdout):
        sys.exit(f"{NAME}: exit code {done.returncode}\n{done.stdout}{done.stderr}\nis not\n{PRINTS[NAME]}")


main()
