"""A place for one store, and the program in it."""
import hashlib
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass
class Result:
    """How a run of the program ended: `code` is negative for a signal, `None` for a time-out."""
    code: object
    out: bytes
    err: bytes
    # Whether it had no standard error to say anything on.
    is_silenced: bool = False

    @property
    def done(self):
        return self.code == 0

    def tail(self):
        return self.err.decode(errors="replace").strip().replace("\n", " | ")[-300:]


class Sandbox:
    """A directory with the store, the user's homes and the files that are put into capsules."""

    def __init__(self, bench, path):
        self.bench = bench
        self.path = path
        self.store = os.path.join(path, "store")
        self.work = os.path.join(path, "work")
        # What is known of the store by who made it: ids by title, how each capsule opens, titles by id.
        self.ids, self.openings, self.titles = {}, {}, {}
        # Whether this machine takes a copy for the store itself, and not for one that came from elsewhere.
        self.is_same_machine = False
        for name in ("work", "home", "cache", "state", "config", "out"):
            os.makedirs(os.path.join(path, name), exist_ok=True)

    @property
    def environment(self):
        return {
            "PATH": "/usr/bin:/bin", "HOME": os.path.join(self.path, "home"), "TZ": "UTC",
            "CAPSULE_STORE": self.store, "LC_ALL": "C",
            "XDG_CACHE_HOME": os.path.join(self.path, "cache"),
            "XDG_STATE_HOME": os.path.join(self.path, "state"),
            "XDG_CONFIG_HOME": os.path.join(self.path, "config"),
        }

    def start(self, *arguments, prefix=(), **options):
        return subprocess.Popen(
            [*prefix, self.bench.binary, "--no-input", *arguments], cwd=self.work,
            env=self.environment, stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def run(self, *arguments, prefix=(), timeout=20, is_silenced=False, **options):
        """Runs the program with these words, by way of `prefix` if there is one."""
        process = self.start(*arguments, prefix=prefix, start_new_session=True, **options)
        try:
            out, err = process.communicate(timeout=timeout)
            return Result(process.returncode, out, err, is_silenced)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Result(None, out, err, is_silenced)

    def do(self, *words, codes=(0,), timeout=300):
        """Runs what must work for anything to be tried, and returns what it prints."""
        ran = self.run(*words, timeout=timeout)
        if ran.code not in codes:
            raise RuntimeError(f"{' '.join(words)}: {ran.code} {ran.tail()}")
        return ran.out.decode().strip()

    def script(self, text):
        """Does command lines, one a line: `name = words` keeps the id that one prints, `{name}` stands for it."""
        for line in text.strip().splitlines():
            name, is_named, words = line.strip().rpartition(" = ")
            said = self.do(*shlex.split(words.format_map(self.ids)), *["-q"] * bool(is_named))
            if is_named:
                self.ids[name] = said

    def put(self, name, data):
        """Writes a file among those that are put into capsules, and returns its path."""
        path = os.path.join(self.work, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def copy(self, is_same_machine=None):
        """Another sandbox with the same store and the same work files, hard links and times included."""
        other = self.bench.sandbox()
        parts = [os.path.join(self.path, name) for name in ("store", "work", "home", "state", "config")]
        subprocess.run(["cp", "-a", *(part for part in parts if os.path.exists(part)), other.path], check=True)
        other.ids, other.openings, other.titles = self.ids, self.openings, self.titles
        other.is_same_machine = self.is_same_machine if is_same_machine is None else is_same_machine
        if other.is_same_machine:
            adopt(other)
        return other

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def adopt(sandbox):
    """Has a machine's state name the journal's folder of a copy, by its inodes, as that of its own store."""
    root = os.path.join(sandbox.path, "state", "capsule")
    inode = os.stat(sandbox.store).st_ino
    for parent, folders, names in os.walk(root):
        if parent == root:
            # The ids of stores, which may end in digits too.
            continue
        for name in [*folders, *names]:
            old = os.path.join(parent, name)
            if name == "memory":
                remember(old, inode)
            kind, _, number = name.rpartition("-")
            if not kind or not number.isdigit():
                continue
            if name in folders:
                os.rename(old, os.path.join(parent, f"{kind}-{inode}"))
                continue
            with open(old, encoding="utf-8") as file:
                text = file.read()
            if kind == "machine":
                machine = text.split()[0]
                folder = os.path.join(sandbox.store, "journal", machine)
                if not os.path.isdir(folder):
                    continue
                text = f"{machine} {inode} {os.stat(folder).st_ino}\n"
            os.unlink(old)
            with open(os.path.join(parent, f"{kind}-{inode}"), "w", encoding="utf-8") as file:
                file.write(text)


def remember(path, inode):
    """Has the lines of a machine's memory that are of a directory be of the one with this inode."""
    with open(path, "rb") as file:
        lines = [line[26:] for line in file.read().split(b"\n")
                 if len(line) > 26 and line[:8] == b"%08x" % zlib.crc32(line[9:])]
    with open(path, "wb") as file:
        for text in lines:
            name, value = text.split(b" ", 1)
            kind, _, number = name.rpartition(b"-")
            text = b"%s-%d %s" % (kind, inode, value) if number.isdigit() else text
            rest = b"%s %s" % (hashlib.sha256(text).hexdigest()[:16].encode(), text)
            file.write(b"%08x %s\n" % (zlib.crc32(rest), rest))


class Bench:
    """What the suites share: the program, the random numbers, the violations."""

    class Skip(Exception):
        pass

    def __init__(self, options, name, slots):
        self.name, self.slots = name, slots
        self.binary = options.binary
        # The one whose clock libfaketime moves.
        self.moving = options.moving
        self.short = options.short
        self.jobs = options.jobs
        self.keep = options.keep
        self.random = random.Random(options.seed)
        self.violations = []
        # What `world` has made, and what the engine has read of it.
        self._worlds, self.known = {}, {}
        self._lock = threading.Lock()
        self._count = 0
        memory = "/dev/shm"
        parent = memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30 else None
        self.root = tempfile.mkdtemp(prefix="capsule-torture-", dir=parent)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not (self.keep and self.violations):
            subprocess.run(["chmod", "-R", "u+rwx", self.root], check=False)
            shutil.rmtree(self.root, ignore_errors=True)

    def sandbox(self):
        with self._lock:
            self._count += 1
            path = os.path.join(self.root, str(self._count))
        os.mkdir(path)
        return Sandbox(self, path)

    def world(self, make):
        """What a function of `worlds` makes, once; it is copied, and not changed."""
        if make not in self._worlds:
            self._worlds[make] = make(self)
        return self._worlds[make]

    def violate(self, where, what):
        with self._lock:
            self.violations.append((where, what))
            if len(self.violations) <= 40:
                print(f"  VIOLATION {self.name}: {where}: {what}", file=sys.stderr, flush=True)

    def guard(self, where, body):
        """Runs it; an exception of its own is a violation, and the suite goes on."""
        try:
            body()
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
            self.violate(where, f"the suite itself: {error!r} at {place}")

    def each(self, items, body):
        """Runs `body` on every item, several at once, of all suites together as many as there are slots."""
        def one(item):
            with self.slots:
                self.guard(item, lambda: body(item))
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(one, items))

    def pick(self, full, short):
        return short if self.short else full
