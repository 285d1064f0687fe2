"""The faults: what goes wrong in one run of an operation, or was wrong in the store before it."""
import os
import re
import resource
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field

STRACE = shutil.which("strace")
FILE_CALLS = (
    "openat read pread64 write pwrite64 fsync fdatasync close fstat newfstatat lstat stat statx "
    "mkdir mkdirat rmdir link linkat rename renameat renameat2 unlink unlinkat flock fchmod chmod "
    "fchmodat getdents64 ftruncate getrandom readlink readlinkat utimensat lseek access faccessat2"
).split()
# What each call may fail with, and any other.
ERRORS = {
    "flock": ["EIO", "ENOLCK", "EINTR"], "getrandom": ["ENOSYS", "EIO"],
    "openat": ["EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "EROFS"],
    "write": ["EIO", "ENOSPC", "EDQUOT", "EINTR"], "read": ["EIO", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"], "close": ["EIO", "EINTR"],
}
USUAL_ERRORS = ["EIO", "ENOSPC", "EACCES"]


@dataclass
class Fault:
    """What goes wrong. `begin` and `end` do it to a sandbox and take it back; `options` are for the run."""
    name: str
    # What is counted together: "kill", "interrupt", "error", "limit", "disk", "damage".
    kind: str
    options: dict = field(default_factory=dict)
    begin: object = None
    end: object = None
    # The system call that it happens at; the file that is damaged.
    call: str = ""
    path: str = ""
    # Whether the world is one that was copied from another machine.
    is_elsewhere: bool = False
    # What else its invariants want to know.
    facts: dict = field(default_factory=dict)

    @property
    def is_kill(self):
        return self.kind == "kill"


# At a system call


def can_trace():
    if not STRACE:
        return False
    probe = subprocess.run([STRACE, "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return probe.returncode == 0


def trace(sandbox, words, timeout=20):
    """Runs a command line, and returns `(call, number, text)` of each file call after the start.

    `number` counts the calls of one name from the program's start, as `when=` of strace does. The
    calls of the dynamic loader and of the runtime's own start are left out: they come before the
    last line that names a shared library.
    """
    log = os.path.join(sandbox.path, "trace")
    run = sandbox.run(*words, prefix=[STRACE, "-f", "-qq", "-o", log, "-e",
                                      "trace=" + ",".join("?" + name for name in FILE_CALLS)], timeout=timeout)
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


KINDS = {"signal=KILL": "kill", "signal=INT": "interrupt"}


def at_call(call, number, effect):
    """One fault at a call: `error=EIO`, `signal=KILL`, …"""
    return Fault(f"{effect} at {call}#{number}", KINDS.get(effect, "error"), call=call, options={"prefix": [
        STRACE, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:{effect}:when={number}"]})


def at_calls(*effects, but_close=False):
    """These effects at each call of an operation. A close that is refused by strace stays undone, as no real one does,
    and keeps its lock: `but_close` leaves those out."""
    def faults(points):
        return [at_call(call, number, effect) for call, number, _ in points for effect in effects
                if not (but_close and call == "close" and effect.startswith("error"))]
    return faults


def failing_calls(points):
    """Each call with each error that it may fail with."""
    return [at_call(call, number, "error=" + error) for call, number, _ in points
            for error in ERRORS.get(call, USUAL_ERRORS)]


def unreadable(path, calls):
    """A file or directory of the store that cannot be read for a while, as on a disk with a bad sector."""
    def begin(trial):
        trial.fault.options["prefix"] = [STRACE, "-f", "-qq", "-o", "/dev/null", "-P",
                                         os.path.join(trial.sandbox.store, path), "-e", f"trace={calls}", "-e",
                                         f"inject={calls}:error=EIO"]
    return Fault(f"{path} cannot be read", "sector", begin=begin, path=path)


# Limits of the process


def limit(name, value):
    which = getattr(resource, name)
    return Fault(f"{name}={value}", "limit", {"preexec_fn": lambda: resource.setrlimit(which, (value, value))})


def closed(bits):
    """The standard streams whose bits are set are closed."""
    def prepare():
        for number in range(3):
            if bits >> number & 1:
                os.close(number)
    return Fault(f"closed={bits}", "limit", {"preexec_fn": prepare, "is_silenced": bool(bits & 4)})


def full_output():
    def begin(trial):
        trial.fault.options["stdout"] = os.open("/dev/full", os.O_WRONLY)

    def end(trial, is_over=False):
        if is_over:
            os.close(trial.fault.options["stdout"])
    return Fault("standard output is full", "output", begin=begin, end=end)


# Disks


def may_mount(bench):
    mount = os.path.join(bench.root, "mount")
    os.makedirs(mount, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True, check=False)
    if done.returncode == 0:
        subprocess.run(["umount", mount], check=True)
    return done.returncode == 0


def small_disk(where, blocks=None, inodes=None):
    """A directory of the sandbox, `where` says which, on a disk with room for so many more blocks or files."""
    def remount(path, options):
        subprocess.run(["mount", "-o", "remount," + options, path], check=True)

    def begin(trial):
        path = where(trial.sandbox)
        if os.path.isdir(path):
            os.rename(path, path + ".moved")
        os.makedirs(path, mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,nr_inodes=100000,mode=700", "none", path], check=True)
        if os.path.isdir(path + ".moved"):
            subprocess.run(["cp", "-a", path + ".moved/.", path], check=True)
            shutil.rmtree(path + ".moved")
        used = os.statvfs(path)
        if blocks is not None:
            # A size of nothing is no limit.
            remount(path, f"size={max(1, used.f_blocks - used.f_bfree + blocks) * used.f_bsize}")
        else:
            remount(path, f"nr_inodes={used.f_files - used.f_ffree + inodes}")

    def end(trial, is_over=False):
        path = where(trial.sandbox)
        if is_over:
            subprocess.run(["umount", "-l", path], check=False)
        else:
            remount(path, "size=64m,nr_inodes=100000")
    room = f"{blocks} blocks" if blocks is not None else f"{inodes} files"
    return Fault(f"room for {room}", "disk", begin=begin, end=end, facts={"is_full_of_blocks": blocks is not None})


def read_only(where):
    """A directory of the sandbox on a file system that is mounted read-only."""
    def begin(trial):
        path = where(trial.sandbox)
        subprocess.run(["mount", "--bind", path, path], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", path], check=True)

    def end(trial, is_over=False):
        if not is_over:
            subprocess.run(["umount", "-l", where(trial.sandbox)], check=True)
    return Fault("mounted read-only", "read-only", begin=begin, end=end)


NOBODY = 65_534


def forbidden():
    """The store may not be written by who runs the program; the superuser becomes somebody else, who owns it."""
    def begin(trial):
        if os.getuid() == 0:
            parent = trial.sandbox.path
            while parent not in ("/", "/tmp", "/dev/shm"):
                os.chmod(parent, os.stat(parent).st_mode | 0o055)
                parent = os.path.dirname(parent)
            subprocess.run(["chown", "-R", str(NOBODY), trial.sandbox.path], check=True)
        for parent, _, _ in os.walk(trial.sandbox.store):
            os.chmod(parent, 0o500)

    def drop():
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
    return Fault("0500", "read-only", {"preexec_fn": drop}, begin=begin)


# Damage


def write(path, data):
    """Puts bytes in the place of a file, whatever its mode; `None` takes it away."""
    if os.path.lexists(path):
        os.unlink(path)
    if data is not None:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "xb") as file:
            file.write(data)
        os.chmod(path, 0o600)


def store_of(sandbox):
    return sandbox.store


def damage(path, what, data, where=store_of, **facts):
    """A file of the store, or of what `where` says, has other bytes, or is gone."""
    return Fault(f"{path} {what}", "damage", path=path, facts={"data": data, **facts},
                 begin=lambda trial: write(os.path.join(where(trial.sandbox), path), data))


def flipped(data, rng):
    """The bytes with one bit changed."""
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]


def losses_of(path, data, others, rng):
    """What may become of a file: `others` are files that may come in its place, by path."""
    other = rng.choice(sorted(name for name in others if others[name] != data))
    return [damage(path, what, new) for what, new in (
        ("removed", None), ("emptied", b""), ("cut in half", data[:len(data) // 2]), ("cut by a byte", data[:-1]),
        ("longer", data + b"\0"), ("zeros", bytes(len(data))), (f"replaced by {other}", others[other]))]


def folder_losses(folder, other):
    """What may become of a directory of the store; `other` is one that may come in its place."""
    def removed(place, _):
        shutil.rmtree(place)

    def emptied(place, _):
        for parent, _, names in os.walk(place):
            for name in names:
                os.unlink(os.path.join(parent, name))

    def a_file(place, _):
        shutil.rmtree(place)
        write(place, b"a file")

    def exchanged(place, store):
        shutil.rmtree(place)
        shutil.copytree(os.path.join(store, other), place)
    return [Fault(f"{folder}/ {what}", "damage", path=folder, begin=lambda trial, do=do: do(
        os.path.join(trial.sandbox.store, folder), trial.sandbox.store)) for what, do in (
            ("removed", removed), ("emptied", emptied), ("replaced by a file", a_file),
            (f"replaced by {other}", exchanged))]


def replaced_by(path, kind):
    """A path of the store is a link, a FIFO, a directory or a device; `outside` beside the store is where links lead
    that leave it, and has a file that nobody may touch."""
    def begin(trial):
        outside, place = os.path.join(trial.sandbox.path, "outside"), os.path.join(trial.sandbox.store, path)
        os.makedirs(os.path.join(outside, "directory"))
        write(os.path.join(outside, "canary"), b"do not touch")
        if os.path.isdir(place):
            shutil.rmtree(place)
        else:
            write(place, None)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if kind == "fifo":
            os.mkfifo(place)
        elif kind == "directory":
            os.mkdir(place)
        elif kind == "link to a fifo":
            os.mkfifo(place + ".fifo")
            os.symlink(place + ".fifo", place)
        else:
            os.symlink({"link to a file": os.path.join(outside, "canary"), "device": "/dev/zero",
                        "link to a directory": os.path.join(outside, "directory"),
                        "dangling link": os.path.join(outside, "nothing"), "circle": place}[kind], place)
    return Fault(f"{path} is a {kind}", "replaced", begin=begin, path=path)


REPLACEMENTS = ("link to a file", "link to a directory", "dangling link", "circle", "fifo", "directory", "device",
                "link to a fifo")
