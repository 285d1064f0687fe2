"""Files that are larger than anything there can be, and records that miss a great many files: what they may cost."""
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

from attacks import attacker
from attacks.world import LOCKS, PATIENCE, WAYS, Judge, archive, backup, do, measured, room
from invariants import json_of

MIB, GIB = 1 << 20, 1 << 30
# Who holds the store's lock for longer is in the way of others.
HELD = 0.1

WATCH = """
import fcntl, os, sys, time
longest, count = 0.0, 0
print(flush=True)
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
while os.getppid() == int(sys.argv[2]) and not os.path.exists(sys.argv[3]):
    started = time.monotonic()
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    longest, count = max(longest, time.monotonic() - started), count + 1
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    time.sleep(0.002)
print(longest, count)
"""


@dataclass
class Step:
    """A command of the first device, how it may end, and what it may take where nothing of what is there is worth it;
    `read` is a limit from the second time on."""
    words: tuple
    codes: set
    memory: int = 512 * MIB
    written: int = 64 * MIB
    read: int = 1 << 62
    # Somebody else than the first device, whose disk is looked at.
    by: object = None


def jobs(bench, worlds):
    clear = worlds["clear"]
    found = [lambda case=case: costs(case, clear) for case in (
        carrier_files, carrier_identities, change_files, directory_files, archive_members, copies)]
    return found + [lambda way=way: missing_files(way, clear) for way in WAYS]


def costs(case, origin):
    """Goes through the steps of a case: each ends as it must, takes little, and leaves no more on the disk."""
    world = origin.copy()
    judge, world.zeros = Judge.without_files(world, case.__doc__), 0
    had = None
    for step in case(world):
        had = disk(world) if had is None else had
        name, sandbox = " ".join(step.words), step.by or world.here
        cost = measured(sandbox, *step.words)
        judge.ended(name, cost.run, step.codes)
        for what, is_cost, limit in (("of memory", cost.memory, step.memory), ("written", cost.written, step.written),
                                     ("read", cost.read, step.read)):
            if is_cost > limit:
                judge.violate(f"{name}: {is_cost // MIB} MiB {what}")
        if step.by and room(step.by.path) > 64 * MIB:
            judge.violate(f"{name}: {room(step.by.path) // MIB} MiB on the disk")
        world.last = cost.run
    if disk(world) > had + 64 * MIB:
        judge.violate(f"{(disk(world) - had) // MIB} MiB more on the disk")
    gigabytes = world.zeros // GIB
    world.remove()
    return Counter({"gigabytes": gigabytes})


def sparse(world, path, size):
    """A file of zeros that takes no room."""
    attacker.write(path, b"")
    os.truncate(path, size)
    world.zeros += size


def disk(world):
    return room(world.here.store, os.path.join(world.here.path, "state"), os.path.join(world.here.path, "cache"))


def is_told(world, said):
    if not said:
        world.bench.violate("size", "the suite itself, or what is good beside it is not taken in")


# What a carrier may cost


def carrier_files(world):
    """The files of a device's new things, one with each lock, are gigabytes of zeros in the carrier."""
    def blobs():
        root = os.path.join(world.carrier, "blobs")
        return {os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}
    before = blobs()
    do(world.there, "item", "add", "Clock")
    do(world.there, "item", "attach", "Clock", "photo.jpg")
    for lock in LOCKS:
        if not (world.bench.short and LOCKS[lock].needs_scrypt):
            do(world.there, "create", f"New {lock}", "--unlock", "2090-01-01", "photo.jpg", *world.words_of(lock))
    do(world.there, "sync", "-q")
    new = blobs() - before
    is_told(world, len(new) >= 5)
    for path in new:
        sparse(world, path, 3 * GIB)
    yield Step(("sync", "-q"), {3, 7})
    for _ in range(2):
        yield Step(("sync", "-q"), {3, 7}, read=64 * MIB)
    # The other device puts them there again, and all is well.
    for path in new:
        os.unlink(path)
    do(world.there, "sync", "verify", "--repair", codes=(0, 7))
    yield Step(("sync", "-q"), {0})
    yield Step(("verify",), {0})


def carrier_identities(world):
    """`identities.age` of 2 GiB, and a header of 2 GiB, when a device joins or meets the carrier."""
    for name in ("identities.age", "carrier.json"):
        path = os.path.join(world.carrier, name)
        shutil.move(path, path + "-kept")
        sparse(world, path, 2 * GIB)
        fresh = world.bench.sandbox()
        shutil.copy(os.path.join(world.here.work, "key"), fresh.work)
        words = ("sync", "clone", world.carrier, "--name", "meet", "--identity", "key")
        yield Step(words, {7, 12}, 256 * MIB, by=fresh)
        fresh.remove()
        yield Step(("sync", "-q"), {0, 7, 12}, 256 * MIB)
        shutil.move(path + "-kept", path)
    yield Step(("sync", "-q"), {0})


def change_files(world):
    """Change files of zeros under good names: each is fetched once at most."""
    heads = os.path.join(world.carrier, "heads", "e" * 32)
    for number, size in ((1, 2 * GIB), (2, 32 * MIB), (3, 32 * MIB), (4, MIB)):
        sparse(world, os.path.join(heads, f"{number}-{name(bytes([number]))[:16]}.age"), size)
    # The first may look at what could be one; from then on it is known.
    yield Step(("sync", "-q"), {7}, written=512 * MIB)
    for _ in range(2):
        yield Step(("sync", "-q"), {7}, written=16 * MIB, read=32 * MIB)
    # What is good among them is taken in.
    do(world.there, "item", "add", "Beside")
    do(world.there, "sync", "-q", codes=(0, 7))
    yield Step(("sync", "-q"), {7})
    yield Step(("item", "list", "--json"), {0})
    is_told(world, b"Beside" in world.last.out)
    shutil.rmtree(heads)
    yield Step(("sync", "-q"), {0})


# What the store's own files, an archive and a backup may cost


def directory_files(world):
    """Gigabytes of zeros in the place of the store's own files: every command is refused or goes on, and is cheap."""
    store = world.here.store
    identities = os.path.join(store, "identities")
    for path in (os.path.join(store, "settings.json"), os.path.join(identities, min(os.listdir(identities))),
                 *(attacker.place(store, "capsules", world.ids[lock]) for lock in LOCKS)):
        sparse(world, path, 2 * GIB)
    create = ("create", "New", "--unlock", "2090-01-01", "--text", "x", "-r", world.thief.mia)
    for words in (("list",), create, ("verify",)):
        yield Step(words, {0, 3, 7})
    yield Step(("repair", "--yes"), {0, 7})
    yield Step(("verify",), {0, 7})
    sparse(world, os.path.join(store, "store.json"), 2 * GIB)
    for words in (("list",), ("verify",)):
        yield Step(words, {0, 3, 7, 10})


def archive_members(world):
    """Members of an archive of 2 GiB."""
    for member in ("store.json", "settings.json", "identities/.*", "capsules/.*", "trustees/.*"):
        world.zeros += 2 * GIB
        yield Step(("import", "archive", archive(world, lambda store: None, (member, 2 * GIB))), {7})


def copies(world):
    """A backup whose files are gigabytes of zeros, from which `repair` is to take what is lost."""
    copy, store = backup(world), world.here.store
    lost = [os.path.relpath(os.path.join(folder, name), store)
            for folder, _, names in os.walk(os.path.join(store, "blobs")) for name in names]
    records = [os.path.relpath(attacker.place(store, "capsules", world.ids[lock]), store) for lock in LOCKS]
    for path in [*lost, *records]:
        os.unlink(os.path.join(store, path))
        # A file may be read to see what it is.
        sparse(world, os.path.join(copy, path), 3 * GIB if path in records else world.bench.pick(3 * GIB, 128 * MIB))
    shutil.rmtree(os.path.join(store, "journal"))
    yield Step(("repair", "--from", copy, "--yes"), {0, 7})


# What a verification may cost others


def missing_files(way, origin):
    """Thousands of files that records name are not there: it is said of each, soon, and nobody else waits."""
    count, world = origin.bench.pick(16_000, 2_000), origin.copy()
    judge = Judge.without_files(world, f"{count} missing files, by {way}")
    is_here, codes = way in ("directory", "backup"), {"verify": {0, 7}}

    def held(*words):
        # Whoever has no processor waits too: what is held is held each time.
        tries = []
        while len(tries) < 8 and (not tries or HELD < tries[-1][1] < 10 * HELD):
            tries.append(watched(world, words))
        cost, longest = min(tries, key=lambda one: one[1])
        judge.ended(words[0], cost.run, codes.get(words[0], {0, 3, 7}))
        seconds = min(one[0].seconds for one in tries)
        if seconds > 3:
            judge.violate(f"{words[0]} takes {seconds:.1f} s of the processor")
        if longest > HELD and words[0] == "verify":
            judge.violate(f"{words[0]} holds the store's lock for {longest * 1000:.0f} ms")
        if cost.memory > 512 * MIB:
            judge.violate(f"{words[0]}: {cost.memory // MIB} MiB of memory")
        return cost.run

    world.take = held
    WAYS[way](world, lambda store: name_missing(world, store, count))
    if is_here:
        codes["verify"] = {7}
    answer = json_of(held("verify", "--json")) or {"problems": []}
    if is_here and (said := sum(problem["isDamage"] for problem in answer["problems"])) < count:
        judge.violate(f"verify names {said} of {count}")
    if way == "directory":
        held("verify", "--budget", "1 second")
    # Beside it all goes on.
    process = world.here.start("verify", "-q")
    time.sleep(0.05)
    judge.ended("item add beside verify", world.here.run("item", "add", "Beside", "--lock-timeout", "2"), {0})
    process.communicate(timeout=PATIENCE)
    world.remove()
    return Counter({"missing files": count})


def name_missing(world, store, count):
    """Has an item and a capsule of each lock name files that are nowhere."""
    half = count // 2
    share = -(-(count - half) // len(LOCKS))

    def more_media(item):
        item["media"] += [{**item["media"][0], "blob": name(("item", number)), "addedAt": "2026-01-01T00:00:00Z"}
                          for number in range(half)]

    def more_contents(lock):
        def change(record):
            record["contents"] = [record["contents"][0], *(
                {**record["contents"][0], "id": identifier((lock, number)), "kind": "other", "sealedSize": 4000,
                 "blob": name((lock, number))} for number in range(share))]
        return change
    attacker.revise(attacker.place(store, "items", world.ids["Ring"]), more_media)
    for lock in LOCKS:
        attacker.revise(attacker.place(store, "capsules", world.ids[lock]), more_contents(lock))


def name(what):
    return hashlib.sha256(what if isinstance(what, bytes) else repr(what).encode()).hexdigest()


def identifier(what):
    digits = name(what)
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"


def watched(world, words):
    """Runs a command while another process takes the store's lock over and over, and measures how long it waited."""
    stop = os.path.join(world.folder.path, f"stop-{time.monotonic_ns()}")
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCH, os.path.join(world.here.store, "lock"), str(os.getpid()), stop],
        stdout=subprocess.PIPE)
    watcher.stdout.readline()
    try:
        cost = measured(world.here, *words)
    finally:
        with open(stop, "wb"):
            pass
        out, _ = watcher.communicate(timeout=60)
    return cost, float(out.split()[0])
