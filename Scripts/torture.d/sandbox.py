"""A place for one store, and the program in it."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
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
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **options)

    def run(self, *arguments, prefix=(), timeout=20, **options):
        """Runs the program with these words, by way of `prefix` if there is one."""
        process = self.start(*arguments, prefix=prefix, start_new_session=True, **options)
        try:
            out, err = process.communicate(timeout=timeout)
            return Result(process.returncode, out, err)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Result(None, out, err)

    def copy(self):
        """Another sandbox with the same store and the same work files."""
        other = self.bench.sandbox()
        for name in ("store", "work", "home", "state", "config"):
            target = os.path.join(other.path, name)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(os.path.join(self.path, name), target, symlinks=True,
                            copy_function=shutil.copy2)
        return other

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Bench:
    """What the suites share: the program, the random numbers, the violations."""

    class Skip(Exception):
        pass

    def __init__(self, options):
        self.binary = options.binary
        # The one whose clock libfaketime moves.
        self.moving = options.moving
        self.short = options.short
        self.jobs = options.jobs
        self.keep = options.keep
        self.random = random.Random(options.seed)
        self.violations = []
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

    def violate(self, where, what):
        with self._lock:
            self.violations.append((where, what))
            if len(self.violations) <= 40:
                print(f"  VIOLATION {where}: {what}", file=sys.stderr, flush=True)

    def each(self, items, body):
        """Runs `body` on every item, several at once; an exception of its own is a violation."""
        def guarded(item):
            try:
                body(item)
            except Exception as error:  # the suite must go on, and say what happened
                frame = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
                self.violate(item, f"the suite itself: {error!r} at {place}")
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(guarded, items))

    def pick(self, full, short):
        return short if self.short else full
