"""Files that are larger than anything there can be, and records that miss a great many files: what they may cost."""
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections import Counter

from attacks import attacker
from attacks.world import LOCKS, PATIENCE, Judge, archive, backup, do, measured, room
from general import json_of

MIB = 1 << 20
# What a run may take where nothing of what is there is worth it.
MEMORY, WRITTEN = 512 * MIB, 64 * MIB
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


def jobs(bench, worlds):
    clear = worlds["clear"]
    found = [lambda: carrier_files(clear), lambda: carrier_identities(clear), lambda: change_files(clear),
             lambda: directory_files(clear), lambda: archive_members(clear), lambda: copies(clear)]
    found += [lambda way=way: missing_files(way, clear) for way in ("directory", "backup", "archive", "sync")]
    return found


def sparse(path, size):
    """A file of zeros that takes no room."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.truncate(size)


def cheap(judge, what, cost, codes, memory=MEMORY, written=WRITTEN):
    """A run ended as it must, and took little."""
    judge.ended(what, cost.run, codes)
    if cost.memory > memory:
        judge.violate(f"{what}: {cost.memory // MIB} MiB of memory")
    if cost.written > written:
        judge.violate(f"{what}: {cost.written // MIB} MiB written")
    return cost


def disk(world):
    return room(world.here.store, os.path.join(world.here.path, "state"), os.path.join(world.here.path, "cache"))


# Point 5: what a carrier may cost


def carrier_files(origin):
    """The files of a device's new things, one with each lock, are gigabytes of zeros in the carrier."""
    world = origin.copy()
    judge = Judge.without_files(world, "files in the carrier of 3 GiB")
    before = blobs(world.carrier)
    do(world.there, "item", "add", "Clock")
    do(world.there, "item", "attach", "Clock", "photo.jpg")
    for lock in LOCKS:
        if not (world.bench.short and LOCKS[lock].needs_scrypt):
            do(world.there, "create", f"New {lock}", "--unlock", "2090-01-01", "photo.jpg", *world.words_of(lock))
    do(world.there, "sync", "-q")
    new = blobs(world.carrier) - before
    if len(new) < 5:
        judge.violate(f"the suite itself: only {len(new)} files are new in the carrier")
    for path in new:
        sparse(path, 3 << 30)
    had = disk(world)
    for number in range(3):
        cost = measured(world.here, "sync", "-q")
        cheap(judge, f"sync {number + 1}", cost, {3, 7})
        if number and cost.read > WRITTEN:
            judge.violate(f"sync {number + 1} reads {cost.read // MIB} MiB once more")
    if disk(world) > had + WRITTEN:
        judge.violate(f"{(disk(world) - had) // MIB} MiB more on the disk")
    # The other device puts them there again, and all is well.
    for path in new:
        os.unlink(path)
    do(world.there, "sync", "verify", "--repair", codes=(0, 7))
    judge.ended("sync with the files put again", world.here.run("sync", "-q", timeout=PATIENCE), {0})
    judge.ended("verify with the files put again", world.here.run("verify", timeout=PATIENCE), {0})
    world.remove()
    return Counter({"gigabytes": 3 * len(new)})


def blobs(carrier):
    root = os.path.join(carrier, "blobs")
    return {os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names}


def carrier_identities(origin):
    """`identities.age` of 2 GiB, and a header of 2 GiB, when a device joins or meets the carrier."""
    world = origin.copy()
    judge = Judge.without_files(world, "identities of 2 GiB")
    for name in ("identities.age", "carrier.json"):
        path = os.path.join(world.carrier, name)
        shutil.move(path, path + "-kept")
        sparse(path, 2 << 30)
        fresh = world.bench.sandbox()
        shutil.copy(os.path.join(world.here.work, "key"), fresh.work)
        cost = measured(fresh, "sync", "join", world.carrier, "--name", "meet", "--identity", "key")
        cheap(judge, f"sync join with {name}", cost, {7, 12}, memory=256 * MIB)
        if room(fresh.path) > WRITTEN:
            judge.violate(f"sync join with {name}: {room(fresh.path) // MIB} MiB on the disk")
        fresh.remove()
        cheap(judge, f"sync with {name}", measured(world.here, "sync", "-q"), {0, 7, 12}, memory=256 * MIB)
        shutil.move(path + "-kept", path)
    judge.ended("sync afterwards", world.here.run("sync", "-q", timeout=PATIENCE), {0})
    world.remove()
    return Counter({"gigabytes": 4})


def change_files(origin):
    """Change files of zeros under good names: each is fetched once at most."""
    world = origin.copy()
    judge = Judge.without_files(world, "change files of zeros")
    for number, size in ((1, 2 << 30), (2, 32 * MIB), (3, 32 * MIB), (4, MIB)):
        digest = hashlib.sha256(bytes([number])).hexdigest()[:16]
        sparse(os.path.join(world.carrier, "heads", "e" * 32, f"{number}-{digest}.age"), size)
    had = disk(world)
    # The first may look at what could be one; from then on it is known.
    cheap(judge, "the first sync", measured(world.here, "sync", "-q"), {7}, written=512 * MIB)
    for number in range(2):
        cost = cheap(judge, f"sync {number + 2}", measured(world.here, "sync", "-q"), {7}, written=16 * MIB)
        if cost.read > 32 * MIB:
            judge.violate(f"sync {number + 2} reads {cost.read // MIB} MiB once more")
    if disk(world) > had + WRITTEN:
        judge.violate(f"{(disk(world) - had) // MIB} MiB more on the disk")
    # What is good among them is taken in.
    do(world.there, "item", "add", "Beside")
    do(world.there, "sync", "-q", codes=(0, 7))
    judge.ended("sync with a good one", world.here.run("sync", "-q", timeout=PATIENCE), {7})
    if b"Beside" not in world.here.run("item", "list", "--json").out:
        judge.violate("a good change file beside them is not taken in")
    shutil.rmtree(os.path.join(world.carrier, "heads", "e" * 32))
    judge.ended("sync without them", world.here.run("sync", "-q", timeout=PATIENCE), {0})
    world.remove()
    return Counter({"gigabytes": 2})


def directory_files(origin):
    """Gigabytes of zeros in the place of the store's own files: every command is refused or goes on, and is cheap."""
    world = origin.copy()
    judge = Judge.without_files(world, "files of the store of 2 GiB")
    store = world.here.store
    identity = os.path.join(store, "identities", sorted(os.listdir(os.path.join(store, "identities")))[0])
    paths = [os.path.join(store, "settings.json"), identity]
    paths += [attacker.place(store, "capsules", world.ids[lock]) for lock in LOCKS]
    for path in paths:
        sparse(path, 2 << 30)
    create = ["create", "New", "--unlock", "2090-01-01", "--text", "x", "-r", world.thief.mia]
    for words in (["list"], create, ["verify"]):
        cost = measured(world.here, *words)
        cheap(judge, words[0], cost, {0, 3, 7})
    cheap(judge, "repair", measured(world.here, "repair", "--yes"), {0, 7})
    cheap(judge, "verify after it", measured(world.here, "verify"), {0, 7})
    sparse(os.path.join(store, "store.json"), 2 << 30)
    for words in (["list"], ["verify"]):
        cheap(judge, f"{words[0]} with the header", measured(world.here, *words), {0, 3, 7, 10})
    world.remove()
    return Counter({"gigabytes": 2 * len(paths) + 2})


def archive_members(origin):
    """Members of an archive of 2 GiB."""
    world, count = origin.copy(), 0
    judge = Judge.without_files(world, "archives of 2 GiB")
    for member in ("store.json", "settings.json", "identities/.*", "capsules/.*", "trustees/.*"):
        path = archive(world, lambda store: None, (member, 2 << 30))
        cost = measured(world.here, "import", "archive", path)
        cheap(judge, f"import archive with {member}", cost, {7})
        count += 2
    world.remove()
    return Counter({"gigabytes": count})


def copies(origin):
    """A backup whose files are gigabytes of zeros, from which `repair` is to take what is lost."""
    world = origin.copy()
    judge = Judge.without_files(world, "files of a backup of 3 GiB")
    copy = backup(world)
    lost = []
    for folder, _, names in os.walk(os.path.join(world.here.store, "blobs")):
        lost += [os.path.relpath(os.path.join(folder, name), world.here.store) for name in names]
    records = [os.path.relpath(attacker.place(world.here.store, "capsules", world.ids[lock]), world.here.store)
               for lock in LOCKS]
    for path in [*lost, *records]:
        os.unlink(os.path.join(world.here.store, path))
        # A file may be read to see what it is.
        sparse(os.path.join(copy, path), 3 << 30 if path in records else world.bench.pick(3 << 30, 128 * MIB))
    shutil.rmtree(os.path.join(world.here.store, "journal"))
    had = disk(world)
    cheap(judge, "repair --from", measured(world.here, "repair", "--from", copy, "--yes"), {0, 7})
    if disk(world) > had + WRITTEN:
        judge.violate(f"{(disk(world) - had) // MIB} MiB more on the disk")
    world.remove()
    return Counter({"gigabytes": 3 * len(records)})


# Point 7: what a verification may cost others


def missing_files(way, origin):
    """Thousands of files that records name are not there: it is said of each, soon, and nobody else waits."""
    count = origin.bench.pick(16_000, 2_000)
    world = origin.copy()
    judge = Judge.without_files(world, f"{count} missing files, by {way}")

    def tamper(store):
        return name_missing(world, store, count)
    commands = [["verify", "--json"]]
    if way == "backup":
        copy = backup(world)
        tamper(copy)
        shutil.rmtree(world.here.store)
        shutil.copytree(copy, world.here.store)
    elif way == "directory":
        tamper(world.here.store)
    elif way == "archive":
        commands = [["import", "archive", archive(world, tamper)], ["verify", "--json"]]
    else:
        tamper(world.there.store)
        do(world.there, "sync", "-q", codes=(0, 3, 7))
        commands = [["sync", "-q"], ["verify", "--json"]]
    if way == "directory":
        commands.append(["verify", "--budget", "1 second"])
    for words in commands:
        # Whoever has no processor waits too: what is held is held each time.
        tries = []
        while len(tries) < 3 and (not tries or HELD < tries[-1][1] < 10 * HELD):
            tries.append(watched(world, words))
        cost, longest = min(tries, key=lambda one: one[1])
        name = " ".join(words[:1])
        codes = {"verify": {7} if way in ("directory", "backup") else {0, 7}}.get(words[0], {0, 3, 7})
        judge.ended(name, cost.run, codes)
        seconds = min(one[0].seconds for one in tries)
        if seconds > 3:
            judge.violate(f"{name} takes {seconds:.1f} s")
        if longest > HELD and words[0] == "verify":
            judge.violate(f"{name} holds the store's lock for {longest * 1000:.0f} ms")
        if cost.memory > MEMORY:
            judge.violate(f"{name}: {cost.memory // MIB} MiB of memory")
        if words == ["verify", "--json"] and way in ("directory", "backup"):
            said = [problem for problem in (json_of(cost.run) or {"problems": []})["problems"] if problem["isDamage"]]
            if len(said) < count:
                judge.violate(f"verify names {len(said)} of {count}")
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
    path = attacker.place(store, "items", world.ids["Ring"])
    item = attacker.load(path)
    media = item["media"][0]
    item["media"] = [*item["media"], *({**media, "blob": name(("item", number)), "addedAt": "2026-01-01T00:00:00Z"}
                                       for number in range(half))]
    attacker.revised(item)
    attacker.write(path, attacker.encoded(item))
    share = -(-(count - half) // len(LOCKS))
    for lock in LOCKS:
        path = attacker.place(store, "capsules", world.ids[lock])
        record = attacker.load(path)
        content = record["contents"][0]
        record["contents"] = [content, *(
            {**content, "id": identifier((lock, number)), "kind": "other", "sealedSize": 4000,
             "blob": name((lock, number))} for number in range(share))]
        attacker.revised(record)
        attacker.write(path, attacker.encoded(record))


def name(what):
    return hashlib.sha256(repr(what).encode()).hexdigest()


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
