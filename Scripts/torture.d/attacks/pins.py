"""Attacks on what a device knows of a store: copies of it at other paths, and other stores that claim its id."""
import os
import shutil
from collections import Counter

from attacks import attacker
from attacks.world import LOCKS, PATIENCE, Judge, kept, put_back
from attacks.keys import ARRIVAL, in_header, under_a_passphrase


def jobs(bench, worlds):
    found = []
    for number, way in enumerate(("directory", "backup", "archive", "sync")):
        for kind in bench.pick(tuple(worlds), (("clear", "protected")[number % 2],)):
            found.append(lambda way=way, kind=kind: new_place(way, worlds[kind]))
        found.append(lambda way=way: claimed_id(way, worlds["protected"]))
    return found


def moved(world, way, source, target, word="word"):
    """Brings the store of a directory to a path where this device has not used it."""
    if way == "directory":
        shutil.copytree(source, target)
        return None
    if way == "backup":
        kept_at = os.path.join(world.folder.path, "generations")
        os.makedirs(kept_at, exist_ok=True)
        run = world.there.run("backup", kept_at, "--store", source, timeout=PATIENCE)
        names = [name for name in os.listdir(kept_at) if name[0].isdigit()]
        if names:
            shutil.copytree(os.path.join(kept_at, max(names)), target)
        return run
    if way == "archive":
        path = target + ".tar"
        attacker.pack(source, path)
        return world.here.run("import", "archive", path, "--store", target, timeout=PATIENCE)
    with open(os.path.join(source, "store.json"), "rb") as file:
        sealed = attacker.sealing(world.here, file.read(), "-r", world.thief.mia)
    attacker.write(os.path.join(world.carrier, "identities.age"), sealed)
    run = world.here.run("sync", "join", world.carrier, "--name", os.path.basename(target), "--identity", "key",
                         "--store", target, timeout=PATIENCE)
    if run.code != 6:
        return run
    # The store is there, and protected: its own passphrase is another than that of the carrier.
    return world.here.run("sync", "-q", "--store", target, "--passphrase-file", word, timeout=PATIENCE)


def new_place(way, origin):
    """A store that is moved keeps what this device knows of it, and what is accepted there counts there alone."""
    world = origin.copy()
    world.was_protected = world.is_protected
    judge = Judge(world, f"a new path, by {way}, {'protected' if world.is_protected else 'clear'}")
    clean, changed = (os.path.join(world.folder.path, name) for name in ("clean", "changed"))
    run = moved(world, way, world.here.store, clean)
    if run:
        judge.ended("bringing the store to a new path", run, {0, 3})
    at_home(judge, world, clean, lambda lock: {0}, "at a new path")
    # The same with another recipient, from whom it comes to a third path.
    source = os.path.join(world.folder.path, "source")
    shutil.copytree(world.here.store, source)
    in_header(under_a_passphrase)(world, source)
    run = moved(world, way, source, changed, "other-word")
    if run:
        judge.ended("bringing another recipient to a new path", run, ARRIVAL)
    if os.path.exists(os.path.join(changed, "store.json")):
        at_home(judge, world, changed, lambda lock: {7}, "at a new path with another recipient")
        judge.thief_reads_nothing()
        judge.ended("store accept there", world.here.run("store", "accept", "--yes", "--store", changed), {0})
        judge.ended("create where it was accepted", created(world, "recipients", changed), {0})
    honest = kept(world.here.store)
    at_home(judge, world, world.here.store, lambda lock: {0}, "at the path that is known")
    in_header(under_a_passphrase)(world, world.here.store)
    at_home(judge, world, world.here.store, lambda lock: {7}, "where nothing was accepted")
    put_back(world.here.store, {**kept(world.here.store), "store.json": honest["store.json"]})
    at_home(judge, world, world.here.store, lambda lock: {0}, "with what it was")
    world.remove()
    return Counter({"paths": 2})


def claimed_id(way, origin):
    """Another protected store says that it is this one. Opened and accepted where it lies, it changes nothing here."""
    world = origin.copy()
    judge = Judge(world, f"a store that claims the id, by {way}")
    source, target = (os.path.join(world.folder.path, name) for name in ("claims", "claimed"))
    shutil.copytree(world.here.store, source)
    shutil.rmtree(os.path.join(source, "journal"))
    in_header(under_a_passphrase)(world, source)
    for name in os.listdir(os.path.join(source, "identities")):
        os.unlink(os.path.join(source, "identities", name))
    attacker.write(os.path.join(source, "identities", world.thief.recipient + ".age"), world.thief.sealed.encode())
    run = moved(world, way, source, target, "other-word")
    if run:
        judge.ended("bringing the other store", run, ARRIVAL)
    if os.path.exists(os.path.join(target, "store.json")):
        judge.ended("create there", created(world, "honor", target), {7})
        # Its passphrase opens it, which proves nothing.
        judge.ended("verify there", world.here.run("verify", "--passphrase-file", "other-word", "--store", target,
                                                   timeout=PATIENCE), {7})
        judge.ended("create there after its passphrase", created(world, "honor", target), {7})
        judge.thief_reads_nothing()
        judge.ended("store accept there", world.here.run("store", "accept", "--yes", "--store", target), {0})
        judge.ended("create there once accepted", created(world, "honor", target), {0})
    judge.known = judge.sealed()
    at_home(judge, world, world.here.store, lambda lock: {0}, "in the store itself")
    judge.thief_reads_nothing()
    in_header(under_a_passphrase)(world, world.here.store)
    at_home(judge, world, world.here.store, lambda lock: {7}, "with the other store's recipient")
    judge.thief_reads_nothing()
    world.remove()
    return Counter({"claimed ids": 1})


def created(world, lock, store):
    return world.here.run("create", "New", "--unlock", "2090-01-01", "--text", "new", *world.words_of(lock),
                          "--store", store, timeout=PATIENCE)


def at_home(judge, world, store, expected, note):
    """`create` with every lock in the store of a path."""
    for lock in LOCKS:
        codes = expected(lock)
        if LOCKS[lock].needs_scrypt and codes != {7} and judge.bench.short:
            continue
        judge.ended(f"create with {lock} {note}", created(world, lock, store), codes)
