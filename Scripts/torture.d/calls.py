"""The system calls that a run makes, seen by `strace`, and faults at them."""
import os
import re
import shutil
import subprocess
from collections import Counter

STRACE = shutil.which("strace")
FILE_CALLS = (
    "openat read pread64 write pwrite64 fsync fdatasync close fstat newfstatat lstat stat statx "
    "mkdir mkdirat rmdir link linkat rename renameat renameat2 unlink unlinkat flock fchmod chmod "
    "fchmodat getdents64 ftruncate getrandom readlink readlinkat utimensat lseek access faccessat2"
).split()


def usable():
    if not STRACE:
        return False
    probe = subprocess.run([STRACE, "-qq", "-o", "/dev/null", "true"], capture_output=True,
                           check=False)
    return probe.returncode == 0


def trace(sandbox, words, timeout=20):
    """Runs a command line, and returns `(call, number, text)` of each file call after the start.

    `number` counts the calls of one name from the program's start, as `when=` of strace does. The
    calls of the dynamic loader and of the runtime's own start are left out: they come before the
    last line that names a shared library.
    """
    log = os.path.join(sandbox.path, "trace")
    run = sandbox.run(*words, prefix=[STRACE, "-f", "-qq", "-o", log, "-e",
                                      "trace=" + ",".join("?" + name for name in FILE_CALLS)],
                      timeout=timeout)
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    os.unlink(log)
    seen, points, start, is_loading = Counter(), [], 0, False
    for line in lines:
        match = re.match(r"\d+ +(\w+)\((.*)", line)
        if not match:
            continue
        name, rest = match.groups()
        seen[name] += 1
        points.append((name, seen[name], rest))
        if re.search(r'\.so[."0-9]|/ld\.so', rest):
            start, is_loading = len(points), True
        elif is_loading:
            # What is done with the last library, until it is closed.
            start, is_loading = len(points), name != "close"
    return run, points[start:]


def injecting(call, number, effect):
    """The words that run a program with one fault: `error=EIO`, `signal=KILL`, `retval=0`."""
    return [STRACE, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
            f"inject={call}:{effect}:when={number}"]
