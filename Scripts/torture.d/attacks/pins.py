"""Attacks on what a device knows of a store: copies of it at other paths, and other stores that claim its id."""
import os
import shutil
from collections import Counter

from attacks import attacker
from attacks.keys import ARRIVAL, in_header, under_a_passphrase
from attacks.world import LOCKS, PATIENCE, WAYS, Judge, do, kept, newest, put_back


def jobs(bench, worlds):
    found = []
    for number, way in enumerate(WAYS):
        for kind in bench.pick(tuple(worlds), (("clear", "protected")[number % 2],)):
            found.append(lambda way=way, kind=kind: new_place(way, worlds[kind]))
        found.append(lambda way=way: claimed_id(way, worlds["protected"]))
    return found


def moved(judge, way, source, target, word, codes):
    """Brings the store of a directory to a path where this device has not used it."""
    world, run = judge.world, None
    if way == "directory":
        shutil.copytree(source, target)
    elif way == "backup":
        generations = os.path.join(world.folder.path, "generations")
        os.makedirs(generations, exist_ok=True)
        run = world.there.run("backup", generations, "--store", source, timeout=PATIENCE)
        if os.listdir(generations):
            shutil.copytree(newest(generations), target)
    elif way == "archive":
        attacker.pack(source, target + ".tar")
        run = world.here.run("import", "archive", target + ".tar", "--store", target, timeout=PATIENCE)
    else:
        world.put_header(source)
        run = world.here.run("sync", "clone", world.carrier, "--name", os.path.basename(target), "--identity", "key",
                             "--store", target, timeout=PATIENCE)
        if run.code == 6:
            # The store is there, and protected: its own passphrase is another than that of the carrier.
            run = world.here.run("sync", "-q", "--store", target, "--passphrase-file", word, timeout=PATIENCE)
    if run:
        judge.ended(f"bringing it to {os.path.basename(target)}", run, codes)
    return os.path.exists(os.path.join(target, "store.json"))


def new_place(way, origin):
    """A store that is moved keeps what this device knows of it, and what is accepted there counts there alone."""
    world = origin.copy()
    world.was_protected = world.is_protected
    judge = Judge(world, f"a new path, by {way}, {world.kind}")
    here = world.here.store
    clean, source, changed = (os.path.join(world.folder.path, name) for name in ("clean", "source", "changed"))
    moved(judge, way, here, clean, "word", {0, 3})
    at_home(judge, clean, {0}, "at a new path")
    # The same with another recipient, from whom it comes to a third path.
    shutil.copytree(here, source)
    in_header(under_a_passphrase)(world, source)
    if moved(judge, way, source, changed, "other-word", ARRIVAL):
        at_home(judge, changed, {7}, "at a new path with another recipient")
        judge.thief_reads_nothing()
        accepted(judge, changed, "recipients")
    honest = kept(here)
    at_home(judge, here, {0}, "at the path that is known")
    in_header(under_a_passphrase)(world, here)
    at_home(judge, here, {7}, "where nothing was accepted")
    put_back(here, {**kept(here), "store.json": honest["store.json"]})
    at_home(judge, here, {0}, "with what it was")
    world.remove()
    return Counter({"paths": 2})


def claimed_id(way, origin):
    """Another protected store says that it is this one. Opened and accepted where it lies, it changes nothing here."""
    world = origin.copy()
    judge = Judge(world, f"a store that claims the id, by {way}")
    here = world.here.store
    source, target = (os.path.join(world.folder.path, name) for name in ("claims", "claimed"))
    shutil.copytree(here, source)
    shutil.rmtree(os.path.join(source, "journal"))
    in_header(under_a_passphrase)(world, source)
    identities = os.path.join(source, "identities")
    for name in os.listdir(identities):
        os.unlink(os.path.join(identities, name))
    attacker.write(os.path.join(identities, world.thief.recipient + ".age"), world.thief.sealed.encode())
    if moved(judge, way, source, target, "other-word", ARRIVAL):
        judge.ended("create there", created(world, "honor", target), {7})
        # Its passphrase opens it, which proves nothing.
        judge.ended("verify there", world.here.run("verify", "--passphrase-file", "other-word", "--store", target,
                                                   timeout=PATIENCE), {7})
        judge.ended("create there after its passphrase", created(world, "honor", target), {7})
        judge.thief_reads_nothing()
        accepted(judge, target, "honor")
    judge.known = judge.sealed()
    at_home(judge, here, {0}, "in the store itself")
    judge.thief_reads_nothing()
    in_header(under_a_passphrase)(world, here)
    at_home(judge, here, {7}, "with the other store's recipient")
    judge.thief_reads_nothing()
    world.remove()
    return Counter({"claimed ids": 1})


def accepted(judge, store, lock):
    do(judge.world.here, "store", "accept", "--yes", "--store", store)
    judge.ended("create where it was accepted", created(judge.world, lock, store), {0})


def created(world, lock, store):
    return world.here.run("create", "New", "--unlock", "2090-01-01", "--text", "new", *world.words_of(lock),
                          "--store", store, timeout=PATIENCE)


def at_home(judge, store, codes, note):
    """`create` with every lock in the store of a path."""
    for lock in LOCKS:
        if codes == {7} or not (LOCKS[lock].needs_scrypt and judge.bench.short):
            judge.ended(f"create with {lock} {note}", created(judge.world, lock, store), codes)
