"""Two devices of one store and the carrier between them, with a capsule of every lock; the ways by which what somebody
wrote elsewhere comes to the first device; and what holds after each."""
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

from attacks import attacker
from invariants import json_of
from invariants import is_explained
from reader import AGE, files
from sandbox import Result
from worlds import ROUND_BEACON, ROUND_TIME, Meeting

# Scrypt at 2^18 takes a second where the program is built with optimization, and ten where it is not.
PATIENCE = 300
PASSPHRASE = "a dog in the rain, twice, and a lamp"
UNLOCK = "2090-01-01T00:00:00Z"


@dataclass
class Lock:
    """A lock: the words that make it, and whether it takes a recovery copy for the group of the setting, or has that
    group among its own keys."""
    words: tuple
    has_copy: bool = False
    is_of_group: bool = False
    needs_scrypt: bool = False

    @property
    def has_timelock(self):
        return "--timelock" in self.words


# `RECIPIENT` stands for Mia's.
LOCKS = {
    "honor": Lock((), has_copy=True),
    "passphrase": Lock(("--passphrase-file", "word"), has_copy=True, needs_scrypt=True),
    "recipients": Lock(("-r", "RECIPIENT")),
    "trustees": Lock(("--trustees", "family"), is_of_group=True),
    "timelock": Lock(("--timelock",)),
    "timelock and passphrase": Lock(("--timelock", "--passphrase-file", "word"), has_copy=True, needs_scrypt=True),
    "timelock and recipients": Lock(("--timelock", "-r", "RECIPIENT")),
    "timelock and escrow": Lock(("--timelock", "--escrow", "RECIPIENT")),
    "timelock and trustees": Lock(("--timelock", "--trustees", "family", "--and"), is_of_group=True),
}
# How `create` may answer.
MODES = ((), ("--quiet",), ("--json",))


class World(Meeting):
    """`here` is the device that is held to its word, `there` another one of its owner; `folder` has all of it."""

    def __init__(self, bench, here, there, folder, thief, ids):
        super().__init__(bench, folder, [here, there])
        self.here, self.there, self.folder, self.thief, self.ids = here, there, folder, thief, ids

    def like(self, place, machines):
        return World(self.bench, *machines, place, self.thief, self.ids)

    @property
    def is_protected(self):
        return attacker.load(os.path.join(self.here.store, "store.json"))["format"] == 2

    @property
    def passphrase(self):
        """The words by which a command gets the store's passphrase."""
        return ("--passphrase-file", "word") if self.is_protected else ()

    @property
    def kind(self):
        return "protected" if self.is_protected else "clear"

    def take(self, *words):
        """Has the first device take something in."""
        return self.here.run(*words, timeout=PATIENCE)

    def put_header(self, store):
        """Puts the header of a store into the carrier."""
        with open(os.path.join(store, "store.json"), "rb") as file:
            sealed = attacker.sealing(self.here, file.read(), "-r", self.thief.mia)
        attacker.write(os.path.join(self.carrier, "identities.age"), sealed)

    def words_of(self, lock):
        return [self.thief.mia if word == "RECIPIENT" else word for word in LOCKS[lock].words]

    def create(self, lock, *options, unlock=UNLOCK):
        return self.here.run("create", f"New {lock}", "--unlock", unlock, "--allow-past", "--text", "new",
                             *self.words_of(lock), *options, timeout=PATIENCE)


@dataclass
class Thief:
    """Somebody's key, in the clear and under a passphrase of his own; `mia` is the recipient of an honest person."""
    identity: str
    recipient: str
    sealed: str
    mia: str

    @property
    def clear(self):
        """The identity as `store.json` has one."""
        with open(self.identity, encoding="utf-8") as file:
            return {"recipient": self.recipient, "file": file.read()}


def do(sandbox, *words, codes=(0,)):
    return sandbox.do(*words, codes=codes, timeout=PATIENCE)


def household(bench):
    """The world in the clear, from which all others are copied."""
    here, there, folder = (bench.sandbox() for _ in range(3))
    for sandbox in (here, there):
        # Nobody is asked for a beacon.
        relays = os.path.join(sandbox.path, "config", "capsule", "relays")
        attacker.write(relays, b"http://127.0.0.1:9\n")
        for name, data in (("word", PASSPHRASE.encode()), ("other-word", PASSPHRASE[::-1].encode()),
                           ("beacon", ROUND_BEACON.encode()), ("photo.jpg", b"\xff\xd8\xff" + bytes(4000))):
            attacker.write(os.path.join(sandbox.work, name), data)
    key = os.path.join(folder.path, "key")
    thieves, paper = os.path.join(folder.path, "thief"), os.path.join(folder.path, "paper")
    for path in (key, thieves, paper):
        do(here, "keygen", "-o", path)
        shutil.copy(path, here.work)
        shutil.copy(path, there.work)
    with open(thieves, "rb") as file:
        sealed = attacker.sealing(here, file.read(), "--passphrase-file", "other-word", "--armor").decode()
    thief = Thief(thieves, do(here, "keygen", "--recipients", thieves), sealed, do(here, "keygen", "--recipients", key))
    world = World(bench, here, there, folder, thief, {})
    here.ids = world.ids
    here.script(f"""
        trustees make family -k 2 --holder Ann --holder Ben -o pages
        trustees combine --share 'pages/1 Ann.txt' --share 'pages/2 Ben.txt' -o family.key
        settings set trustees family
        Mia = beneficiary add Mia --recipient {thief.mia}
        Ring = item add Ring --notes gold
        item attach Ring photo.jpg
        bequest = bequeath Ring --to Mia --access immediate""")
    shutil.copy(os.path.join(here.work, "family.key"), there.work)
    for lock in LOCKS:
        world.ids[lock] = do(here, "create", lock, "--unlock", UNLOCK, "-q", "--text", f"the text of {lock}",
                             *world.words_of(lock))
    do(here, "sync", "add", "meet", world.carrier, "--recipient", thief.mia)
    do(here, "sync", "-q")
    do(there, "sync", "clone", world.carrier, "--name", "meet", "--identity", key)
    do(there, "sync", "-q")
    do(there, "store", "accept", "--yes")
    do(here, "sync", "-q")
    do(here, "verify")
    return world


def protected(world):
    """The same with a passphrase on the store here. The other device goes on without."""
    other = world.copy()
    do(other.here, "store", "protect", "--passphrase-file", "word")
    do(other.here, "verify")
    return other


# The ways in. Each brings what `tamper` does to a store's directory to the first device, and returns the runs by which
# that took it in.


def by_directory(world, tamper):
    """Somebody writes the files where they are."""
    tamper(world.here.store)
    return []


def by_backup(world, tamper):
    """Somebody writes a backup, and it is put in the place of the store."""
    copy = backup(world)
    tamper(copy)
    exchange(copy, world.here.store)
    return []


def by_repair(world, tamper):
    """Somebody writes a backup, and `repair` takes from it what is lost here."""
    copy, given = backup(world), world.passphrase
    tamper(copy)
    os.unlink(os.path.join(world.here.store, "store.json"))
    shutil.rmtree(os.path.join(world.here.store, "journal"))
    return [world.take("repair", "--from", copy, "--yes", *given)]


def by_copy(world, tamper):
    """The same where nothing is lost."""
    copy = backup(world)
    tamper(copy)
    return [world.take("repair", "--from", copy, "--yes", *world.passphrase)]


def by_archive(world, tamper):
    """Somebody sends an archive that claims to be of the store."""
    return [world.take("import", "archive", archive(world, tamper))]


def by_new_archive(world, tamper):
    """The store is lost, and an archive makes it again in its place."""
    path = archive(world, tamper)
    shutil.rmtree(world.here.store)
    return [world.take("import", "archive", path)]


def by_sync(world, tamper):
    """Somebody writes the store of another device, which meets this one."""
    tamper(world.there.store)
    world.there.run("sync", "-q", timeout=PATIENCE)
    return [world.take("sync", "-q", *world.passphrase)]


def by_join(world, tamper, is_lost=True):
    """The store is lost, and made again from a carrier, in which somebody put his header as one can who knows what it
    is sealed to."""
    given, copy = world.passphrase, os.path.join(world.folder.path, "sealed")
    shutil.copytree(world.here.store, copy)
    tamper(copy)
    world.put_header(copy)
    if is_lost:
        shutil.rmtree(world.here.store)
    return [world.take("sync", "clone", world.carrier, "--name", "again", "--identity", "key", *given)]


def by_join_here(world, tamper):
    """The store joins the carrier once more, as after a protection that was taken off elsewhere."""
    return by_join(world, tamper, is_lost=False)


def exchange(source, target):
    """Puts a copy of a directory in the place of another."""
    shutil.rmtree(target)
    shutil.copytree(source, target, symlinks=True)


def newest(folder):
    """The last generation of a directory of backups."""
    return os.path.join(folder, max(name for name in os.listdir(folder) if name[0].isdigit()))


def backup(world):
    kept = os.path.join(world.folder.path, "kept")
    os.makedirs(kept, exist_ok=True)
    do(world.here, "backup", kept)
    return newest(kept)


def archive(world, tamper, sparse=None):
    copy = tempfile.mkdtemp(prefix="copy-", dir=world.folder.path)
    shutil.copytree(world.here.store, copy, dirs_exist_ok=True)
    tamper(copy)
    target = copy + ".tar"
    attacker.pack(copy, target, sparse)
    shutil.rmtree(copy)
    return target


WAYS = {"directory": by_directory, "backup": by_backup, "archive": by_archive, "sync": by_sync}
ALL_WAYS = {**WAYS, "repair": by_repair, "copy": by_copy, "new archive": by_new_archive, "join": by_join,
            "join here": by_join_here}


# What holds


class Judge:
    """Holds a world to the rules after an attack; everything that does not hold is a violation of `where`."""

    def __init__(self, world, where):
        self.world, self.where, self.bench = world, where, world.bench
        self.known = self.sealed()

    @classmethod
    def without_files(cls, world, where):
        """One that reads no files: they may be larger than the memory."""
        judge = cls.__new__(cls)
        judge.world, judge.where, judge.bench, judge.known = world, where, world.bench, {}
        return judge

    def violate(self, what):
        self.bench.violate(self.where, what)

    def sealed(self):
        """Every age file that lies anywhere: the store, the carrier, the archives, the estates."""
        found = {}
        for root in (self.world.here.path, self.world.folder.path):
            for path, data in files(root).items():
                for sealed in attacker.sealed_files(data):
                    found.setdefault(sealed, path)
        return found

    def ended(self, words, run, codes):
        """A run ended as it must, with a message where it refused."""
        if run.code not in codes:
            self.violate(f"{words}: exit code {run.code}, not {' or '.join(map(str, sorted(codes)))}: {run.tail()}")
        elif run.code and not is_explained(run):
            self.violate(f"{words}: exit code {run.code} without a message")
        return run

    def refused(self, words, run, store=None):
        """A writer refused with 7, and wrote nothing."""
        self.ended(words, run, {7})
        if store is not None and kept(self.world.here.store) != store:
            self.violate(f"{words}: refused, and the store changed")

    def thief_reads_nothing(self):
        """What was sealed since the attack began opens with the thief's key in no layer."""
        count = 0
        for sealed, path in self.sealed().items():
            if sealed in self.known:
                continue
            count += 1
            if self.opens(sealed):
                self.violate(f"'{path}' opens with the thief's key")
        return count

    def opens(self, sealed):
        run = subprocess.run([AGE, "-d", "-i", self.world.thief.identity], input=sealed, capture_output=True,
                             check=False)
        if run.returncode == 0:
            return True
        if b"\n-> tlock " not in sealed[:200] and not sealed.startswith(attacker.BINARY + b"-> tlock "):
            return False
        # What the beacon lifts is looked into.
        run = subprocess.run([self.bench.binary, "unseal", "--beacon", "beacon", "-"], input=sealed,
                             cwd=self.world.here.work, env=self.world.here.environment, capture_output=True,
                             check=False)
        return any(self.opens(inner) for inner in attacker.sealed_files(run.stdout))

    def creates(self, expected, note=""):
        """`create` with every lock. `expected` says of a lock in which codes it may end; all ways to answer are tried
        where it is to refuse."""
        before = kept(self.world.here.store)
        for number, name in enumerate(LOCKS):
            codes = expected(name)
            if self.bench.short and LOCKS[name].needs_scrypt and codes != {7}:
                continue
            modes = MODES if codes == {7} and name in ("honor", "passphrase") else [MODES[number % len(MODES)]]
            for mode in modes:
                unlock = ROUND_TIME if LOCKS[name].has_timelock else UNLOCK
                run = self.world.create(name, *mode, unlock=unlock)
                self.ended(f"create with {name} {' '.join(mode)}{note}", run, codes)
                if run.code == 7:
                    if kept(self.world.here.store) != before:
                        self.violate(f"create with {name}{note}: refused, and the store changed")
                    if not run.err:
                        self.violate(f"create with {name} {' '.join(mode)}{note}: nothing is said")
                elif run.done:
                    before = kept(self.world.here.store)
                    if mode == ("--json",):
                        self.sealed_to_none(run)

    def sealed_to_none(self, run):
        """The answer of `create --json` says whom it sealed to, and not to the thief."""
        recipients = [entry["recipient"] for entry in (json_of(run) or {}).get("sealedTo", [])]
        if not recipients:
            self.violate(f"create --json does not say whom it sealed to: {run.out[:200]!r}")
        if self.world.thief.recipient in recipients:
            self.violate("create --json says that it sealed to the thief")


def kept(store):
    """What a refused command leaves alone: every file but the lock and what is under way."""
    return {path: data for path, data in files(store).items()
            if path != "lock" and path.split(os.sep)[0] not in ("tmp", "journal")}


def put_back(store, honest):
    """Makes the files what they were."""
    now = kept(store)
    for path in now:
        if path not in honest and not path.startswith("backups"):
            os.unlink(os.path.join(store, path))
    for path, data in honest.items():
        if now.get(path) != data:
            attacker.write(os.path.join(store, path), data)


@dataclass
class Cost:
    """What a run took."""
    run: Result
    seconds: float
    memory: int
    read: int
    written: int


def measured(sandbox, *words, timeout=120):
    """Runs the program and measures it, its bytes read and written as the system counts them."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        # Nothing fills the machine: a file of 1 GiB is a violation, and ends the run.
        process = subprocess.Popen(
            [sandbox.bench.binary, "--no-input", *words], cwd=sandbox.work, env=sandbox.environment,
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30)))
        # It is waited for and not taken away yet: until then the system has its counts.
        deadline, is_late = time.monotonic() + timeout, False
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            if time.monotonic() > deadline and not is_late:
                is_late = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.002)
        counts = {"rchar": 0, "wchar": 0}
        try:
            with open(f"/proc/{process.pid}/io", encoding="ascii") as file:
                counts.update((line.split(":")[0], int(line.split(":")[1])) for line in file)
        except OSError:
            pass
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        code = None if is_late else process.returncode
        out.seek(0)
        err.seek(0)
        # Of the processor: what else runs meanwhile does not count.
        seconds = usage.ru_utime + usage.ru_stime
        return Cost(Result(code, out.read(), err.read()), seconds, usage.ru_maxrss * 1024, counts["rchar"],
                    counts["wchar"])


def room(*paths):
    """The bytes that files take on the disk."""
    total = 0
    for root in paths:
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    total += os.lstat(path).st_blocks * 512
    return total
