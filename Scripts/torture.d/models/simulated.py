"""A machine whose clock, sleep and disk are those of a story: the program runs there under libfaketime,
with the clock standing still at the second that it is told."""
import calendar
import errno
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from zoneinfo import ZoneInfo

from reader import KINDS
from sandbox import Result, Sandbox

FAKETIME = sorted(glob.glob("/usr/lib/*/faketime/libfaketime.so.1"))


class SharedMemory:
    """What the library shares among its processes; they do not remove it, and one that is killed may
    leave it locked."""

    def __init__(self):
        environment = {"PATH": "/usr/bin:/bin", "LD_PRELOAD": FAKETIME[-1], "FAKETIME": "+0"}
        # The names have the process's number: those of one long gone may stand there still.
        for _ in range(20):
            made = subprocess.run(["sh", "-c", "echo $FAKETIME_SHARED"], env=environment, check=False,
                                  capture_output=True, text=True)
            self.names = made.stdout.strip()
            if len(self.names.split()) == 2:
                return
        raise RuntimeError(f"libfaketime makes no memory to share: {made.stderr}")

    def remove(self):
        for name in self.names.split():
            for path in ("/dev/shm/sem." + name.strip("/"), "/dev/shm/" + name.strip("/")):
                if os.path.exists(path):
                    os.unlink(path)


class Disk:
    """A directory that can be full: a small file system of its own where one may be mounted."""

    def __init__(self, path):
        self.path, self.is_full = path, False
        os.makedirs(path)
        self.is_mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=32m,mode=0700", "none", path], capture_output=True,
            check=False).returncode == 0

    @property
    def ballast(self):
        return os.path.join(self.path, "ballast")

    def fill(self, blocks):
        """Leaves room for so many blocks of 4 KiB."""
        self.is_full = True
        if self.is_mounted:
            free = os.statvfs(self.path).f_bavail * 4096
            with open(self.ballast, "wb") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, max(4096, free - blocks * 4096))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self):
        self.is_full = False
        if os.path.exists(self.ballast):
            os.unlink(self.ballast)

    def remove(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.path], check=False)


class Machine:
    """A store, its users, a disk and a clock. `shift` is how far the clock is ahead."""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        self.path = os.path.join(bench.root, name.replace(" ", "-"))
        self.disk = Disk(self.path)
        # What people have elsewhere: there is room where the disk is full.
        self.outside = self.path + "-outside"
        os.mkdir(self.outside)
        self.store = os.path.join(self.path, "store")
        self.shared = SharedMemory()
        self.users, self.shift, self.time = [], 0, 0

    @property
    def clock(self):
        return self.time + self.shift

    def user(self, name, zone):
        path = os.path.join(self.path, name)
        os.makedirs(path)
        user = User(self, path, name, zone)
        self.users.append(user)
        return user

    def records(self, place=""):
        """The records that are there: `{(kind, id): bytes}`, the live ones, or those in the trash."""
        found = {}
        for kind in KINDS:
            for parent, _, names in os.walk(os.path.join(self.store, place, kind)):
                for name in names:
                    if name.endswith(".json") and "conflict" not in name:
                        with open(os.path.join(parent, name), "rb") as file:
                            found[(kind, name.split(".")[0])] = file.read()
        return found

    def remove(self):
        self.disk.remove()
        self.shared.remove()
        for path in (self.path, self.outside):
            shutil.rmtree(path, ignore_errors=True)


class User(Sandbox):
    """Somebody with a home, a zone, and what the program has announced to them."""

    def __init__(self, machine, path, name, zone):
        super().__init__(machine.bench, path)
        self.machine, self.name, self.zone_name = machine, name, zone
        self.zone = ZoneInfo(zone)
        self.store = machine.store
        self.told = Told()
        self.hooked = os.path.join(self.path, "hooked")

    @property
    def environment(self):
        return {**super().environment, "TZ": self.zone_name, "CAPSULE_STORE": self.machine.store,
                "LD_PRELOAD": FAKETIME[-1], "FAKETIME": str(self.machine.clock), "FAKETIME_FMT": "%s",
                "FAKETIME_SHARED": self.machine.shared.names, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "NO_FAKE_STAT": "1", "HOOKED": self.hooked}

    def run(self, *arguments, prefix=(), timeout=60, **options):
        return super().run(*arguments, prefix=prefix, timeout=timeout, **options)

    def run_killed(self, after, *arguments):
        """Runs it and kills it and what it started so many seconds after; it may have ended by then."""
        shared, self.machine.shared = self.machine.shared, SharedMemory()
        try:
            process = self.start(*arguments, start_new_session=True)
            time.sleep(after)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            out, err = process.communicate()
            return Result(process.returncode, out, err)
        finally:
            self.machine.shared.remove()
            self.machine.shared = shared

    @property
    def ledger(self):
        found = glob.glob(os.path.join(self.path, "state", "capsule", "*", "announced"))
        return found[0] if found else None


class Told:
    """What a ledger ought to say: the announcements of one user of one store."""

    def __init__(self):
        self.first_uses, self.summaries_told = [], []
        self.known = set()
        # What may have been kept or not: it may be announced once more.
        self.maybe = set()

    @property
    def is_empty(self):
        return not (self.first_uses or self.summaries_told or self.known or self.maybe)

    def first_use(self, now, created):
        """From when on things are announced; `None` where a first use is to be written now."""
        for seen in (self.first_uses, self.summaries_told):
            if past := [use for use in seen if use <= now]:
                return min(past)
        if self.is_empty:
            return None
        starts = [created] + [key[2] - 1 for key in self.known | self.maybe]
        return min((start for start in starts if start <= now), default=0)

    @staticmethod
    def read(path):
        """The whole lines of the file itself."""
        told = Told()
        with open(path, "rb") as file:
            for line in file.read().split(b"\n"):
                body, _, digits = line.rpartition(b" ")
                if not body or hashlib.sha256(body).hexdigest()[:8].encode() != digits:
                    continue
                words = body.decode().split(" ")
                if words[0] == "first-use":
                    told.first_uses.append(int(words[1]))
                elif words[0] == "first-use-told":
                    told.summaries_told.append(int(words[1]))
                elif len(words) == 4 and not words[2].startswith(("local:", "counted:")):
                    # The other line says the same; nobody here travels.
                    told.known.add((words[1], words[2], int(words[3])))
        return told


def announced(lines):
    """The announcements in lines of JSON, in order, and how many were summaries; a line that was cut
    off is none."""
    found, summaries = [], 0
    for line in lines.split(b"\n"):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if said["topic"] == "summary":
            summaries += 1
            continue
        due = said["occurrenceAt"] if said["kind"] == "item" else said["dueAt"]
        found.append((said["id"], said["topic"], seconds(due)))
    return found, summaries


def seconds(text):
    """Unix seconds of a time in UTC, as records have it."""
    parsed = time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return calendar.timegm(parsed)
