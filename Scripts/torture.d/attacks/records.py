"""Attacks on what a record promises: another device, an archive or a backup that takes it back, and chains that prove a
time that has not come."""
import json
import os
import shutil
from collections import Counter

from attacks import attacker
from attacks.world import ALL_WAYS, LOCKS, PATIENCE, WAYS, Judge, archive, backup, do, exchange
from invariants import json_of
from reader import decrypted

PAST = "2020-01-01T00:00:00Z"
# Round 1000 of a chain with quicknet's key and this beginning comes in 2095.
FAR = 3_944_678_400


def jobs(bench, worlds):
    kinds = bench.pick(tuple(worlds), ("clear",))
    cells = [(attack, way) for number, attack in enumerate(PROMISES) for place, way in enumerate(PROMISE_WAYS)
             if way == "change file" or not bench.short or (number + place) % len(PROMISES) == 0]
    found = [lambda attack=attack, way=way, kind=kind: promises(attack, way, worlds[kind])
             for attack, way in cells for kind in kinds]
    found += [lambda way=way, kind=kind: early_chain(way, worlds[kind]) for way in CHAIN_WAYS for kind in kinds]
    found += [lambda way=way: strange_chain(way, worlds["clear"]) for way in WAYS]
    found.append(lambda: refused_chains(worlds["clear"]))
    return found


# Point 3: what a merge promises


def earlier(record, _):
    record["unlockAt"] = PAST


def emptied(record, _):
    record["contents"] = []


def another_lock(record, world):
    record["lock"] = {"kind": "recipients", "recipient": world.thief.recipient, "key": world.stolen}


PROMISES = {"an earlier time": earlier, "no contents": emptied, "another lock": another_lock}


def capsules(world, store=None):
    """The capsules of the household by their locks."""
    store = store or world.here.store
    return {lock: attacker.load(attacker.place(store, "capsules", world.ids[lock])) for lock in LOCKS}


def rewriting(attack, world):
    """Does the attack to every capsule of a store's directory, as a later revision, and takes back a delivery."""
    def tamper(store):
        for lock in LOCKS:
            attacker.revise(attacker.place(store, "capsules", world.ids[lock]), lambda record: attack(record, world))
        attacker.revise(attacker.place(store, "bequests", world.ids["bequest"]),
                        lambda record: record.update(delivery=[]))
    return tamper


def by_change_file(world, _):
    """A change file in the carrier, of somebody who has the store's identity and had seen everything."""
    attack = PROMISES[world.attack]
    segments = attacker.Segments(world.there, world.carrier)
    states, changes = segments.states(), {}
    for lock in LOCKS:
        name = f"capsule/{world.ids[lock]}"
        record = capsules(world)[lock]
        attack(record, world)
        cells = {"an earlier time": {"unlock": {"unlockAt": PAST, "unlockZone": "UTC"}},
                 "no contents": {"contents": None}, "another lock": {"lock": record["lock"]}}[world.attack]
        changes[name] = segments.replacing(states[name], {**cells, "rev": 99, "updatedAt": "2099-12-31T23:59:59Z"})
    name = f"bequest/{world.ids['bequest']}"
    changes[name] = segments.replacing(states[name], {"delivery": None, "rev": 99})
    segments.forge(changes)
    return [world.take("sync", "-q", *world.passphrase)]


# How the attack comes, and the codes with which it is taken in: nothing of it counts. Where it is in the store's own
# files nothing opens, and what was there is brought back.
PROMISE_WAYS = {"change file": (by_change_file, {3}), "device": (ALL_WAYS["sync"], {0, 3}),
                "archive": (ALL_WAYS["archive"], {0, 3}), "copy": (ALL_WAYS["copy"], {0, 3, 7}),
                "directory": (ALL_WAYS["directory"], set()), "backup": (ALL_WAYS["backup"], set())}


def promises(name, way, origin):
    world = origin.copy()
    world.attack = name
    world.stolen = attacker.armored(attacker.sealing(world.here, b"# nothing\n", "-r", world.thief.recipient))
    do(world.here, "bequest", "mark", world.ids["bequest"], "sent")
    do(world.here, "sync", "-q", *world.passphrase)
    do(world.there, "sync", "-q")
    judge = Judge(world, f"{name}, by {way}, {world.kind}")
    before, bequest = capsules(world), attacker.place(world.here.store, "bequests", world.ids["bequest"])
    delivery, honest = attacker.load(bequest)["delivery"], backup(world)
    bring, codes = PROMISE_WAYS[way]
    for run in bring(world, rewriting(PROMISES[name], world)):
        judge.ended(f"taking it in by {way}", run, codes)
    if not codes:
        opens_none(judge, ["--beacon", "beacon"])
    if way == "backup":
        shutil.rmtree(os.path.join(world.here.store, "journal"))
        judge.ended("repair --from", world.take("repair", "--from", honest, "--yes", *world.passphrase), {0, 3, 7})
    elif way == "directory":
        for lock in LOCKS:
            goes_back(judge, lock, before[lock])
    keeps(judge, before)
    if codes:
        if attacker.load(bequest)["delivery"] != delivery:
            judge.violate(f"the delivery is {attacker.load(bequest)['delivery']}")
        judge.ended("verify", world.here.run("verify", timeout=PATIENCE), {0})
        opens_none(judge, ["--beacon", "beacon"])
    world.remove()
    return Counter({"promises": len(LOCKS)})


def keeps(judge, before):
    """No earlier time, no fewer contents, the lock that it had."""
    broken = {}
    for lock, now in capsules(judge.world).items():
        old = before[lock]
        lost = {content["id"] for content in old["contents"]} - {content["id"] for content in now["contents"]}
        for is_broken, what in ((now["unlockAt"] < old["unlockAt"], f"the unlock time is {now['unlockAt']}"),
                                (lost, "contents are gone"),
                                (now["lock"] != old["lock"], "the lock is another")):
            if is_broken:
                broken.setdefault(what, []).append(lock)
    for what, locks in broken.items():
        judge.violate(f"{what}, of {len(locks)} of {len(LOCKS)} capsules: {', '.join(locks)}")


def goes_back(judge, lock, old):
    """`versions --restore` puts back contents and lock."""
    number = None
    versions = json_of(judge.world.here.run("versions", old["id"], "--json")) or []
    versions = versions["versions"] if isinstance(versions, dict) else versions
    for version in versions:
        record = version["record"]
        if (record["contents"], record["lock"]) == (old["contents"], old["lock"]) and number is None:
            number = str(version["number"])
    if number is None:
        judge.violate(f"{lock}: no version has what was there")
        return
    judge.ended(f"versions --restore of {lock}",
                judge.world.here.run("versions", old["id"], "--restore", number, timeout=PATIENCE), {0})


def keys_of(world, lock):
    """The words by which the owner, or who has the keys, would open it."""
    words = ["-i", "key"] if "RECIPIENT" in LOCKS[lock].words else []
    if LOCKS[lock].is_of_group:
        words += ["-i", "family.key"]
    return words + (["--passphrase-file", "word"] if LOCKS[lock].needs_scrypt or world.is_protected else [])


def opens_none(judge, words, sandbox=None, also=()):
    """Nobody reads a capsule before its time, with all keys of its own and the beacon."""
    read = []
    for lock in LOCKS:
        if judge.bench.short and LOCKS[lock].needs_scrypt and lock not in also:
            continue
        run = (sandbox or judge.world.here).run("open", judge.world.ids[lock], *words, *keys_of(judge.world, lock),
                                                timeout=PATIENCE)
        if run.done or b"the text of" in run.out:
            read.append(lock)
        else:
            judge.ended(f"open of {lock}", run, {3, 4, 5, 6, 7, 9, 12})
    if read:
        judge.violate(f"read before their time: {', '.join(read)}")


# Point 6: a chain that is none


def chain_files(world):
    """Descriptions with quicknet's key and other parameters, each with the hash that they make."""
    found = {}
    for name, changes in (
            ("genesis", {"genesis_time": FAR}), ("period", {"period": 3600}),
            ("name", {"metadata": {"beaconID": "keepsake"}}), ("default", {"metadata": {"beaconID": "default"}}),
            ("group", {"groupHash": "00" * 32})):
        info = attacker.chain(attacker.QUICKNET, **changes)
        path = os.path.join(world.here.work, f"{name}.chain")
        attacker.write(path, json.dumps(info).encode())
        second = {"public_key": info["public_key"], "period": info["period"], "genesis_time": info["genesis_time"],
                  "genesis_seed": info["groupHash"], "chain_hash": info["hash"], "scheme": info["schemeID"],
                  "beacon_id": info["metadata"]["beaconID"]}
        attacker.write(path + "2", json.dumps(second).encode())
        found[name] = info
    return found


def refused_chains(origin):
    """A file with quicknet's key and other parameters is refused wherever a chain is taken."""
    world = origin.copy()
    judge, count = Judge(world, "a chain with quicknet's key"), 0
    for name, info in chain_files(world).items():
        attacker.write(os.path.join(world.here.work, "early.age"), attacker.wrapped(b"the text of it", info).encode())
        for path in (f"{name}.chain", f"{name}.chain2"):
            taken = []
            for words in (["create", "New", "--unlock", "2098-01-01", "--text", "new", "--timelock"],
                          ["seal", "--until", "2098-01-01", "beacon"], ["seal", "--round", "1000", "beacon"],
                          ["unseal", "--beacon", "beacon", "early.age"],
                          ["open", world.ids["timelock"], "--beacon", "beacon"]):
                count += 1
                run = world.here.run(*words, "--chain", path, timeout=PATIENCE)
                if run.done or b"the text of" in run.out:
                    taken.append(" ".join(words[:2]))
                else:
                    judge.ended(f"{words[0]} {words[1]} --chain {path}", run, {2, 6, 7, 9, 12})
            if taken:
                judge.violate(f"'{path}' is taken by {', '.join(taken)}")
    world.remove()
    return Counter({"chains": count})


def early_lock(record, world, info):
    """Wraps the key of a lock in a layer that a beacon of the past opens and that says to be of a far time."""
    lock = record["lock"]
    if lock["kind"] == "honor":
        identity = os.path.join(world.folder.path, "honor-identity")
        inner, plain = None, decrypted(lock["key"].encode(), ["-i", identity])
    elif lock["kind"] in ("passphrase", "recipients"):
        inner, plain = lock["kind"], lock["key"].encode()
    else:
        lock["timelock"] = {**attacker.timelock(info, 1000, lock["timelock"].get("inner")),
                            "escrow": lock["timelock"]["escrow"]}
        return
    lock.pop("spare", None)
    lock.update(kind="timelock", key=attacker.wrapped(plain, info), timelock=attacker.timelock(info, 1000, inner))


CHAIN_WAYS = ("directory", "backup", "archive", "new archive", "sync")


def early_chain(way, origin):
    world = origin.copy()
    judge = Judge(world, f"a lock of a chain that is none, by {way}, {world.kind}")
    info = attacker.chain(attacker.QUICKNET, genesis_time=FAR)
    store_identity(world)

    def tamper(store):
        for lock in LOCKS:
            if lock != "honor" or not world.is_protected:
                attacker.revise(attacker.place(store, "capsules", world.ids[lock]),
                                lambda record: early_lock(record, world, info))

    sandbox, before = world.here, capsules(world)
    if way == "new archive":
        # A device that knows nothing of them.
        sandbox = world.bench.sandbox()
        for name in os.listdir(world.here.work):
            if os.path.isfile(os.path.join(world.here.work, name)):
                shutil.copy(os.path.join(world.here.work, name), sandbox.work)
        run = sandbox.run("import", "archive", archive(world, tamper), timeout=PATIENCE)
        judge.ended("import archive", run, {0, 3, 7})
    else:
        for run in ALL_WAYS[way](world, tamper):
            judge.ended(f"taking it in by {way}", run, {0, 3, 7})
        if way in ("archive", "sync"):
            keeps(judge, before)
    opens_none(judge, ["--beacon", "beacon"], sandbox, also=("passphrase",) if way == "directory" else ())
    if sandbox is not world.here:
        sandbox.remove()
    world.remove()
    return Counter({"early locks": len(LOCKS)})


def store_identity(world):
    """The identity of a store in the clear, as a file for age."""
    header = attacker.load(os.path.join(world.there.store, "store.json"))
    attacker.write(os.path.join(world.folder.path, "honor-identity"), header["identities"][0]["file"].encode())


def strange_chain(way, origin):
    """Whoever made a chain signs its rounds when he likes: it moves the gate only where this device saw the chain."""
    world = origin.copy()
    judge = Judge(world, f"a chain of somebody's own, by {way}")
    info = attacker.chain(attacker.STRANGE)
    locks = [lock for lock in LOCKS if LOCKS[lock].has_timelock and not (
        world.bench.short and LOCKS[lock].needs_scrypt)]
    for sandbox in (world.here, world.there):
        attacker.write(os.path.join(sandbox.work, "strange"), json.dumps(info).encode())
        attacker.write(os.path.join(sandbox.work, "strange.beacon"), attacker.STRANGE_BEACON.encode())
    for lock in locks:
        do(world.there, "create", f"strange {lock}", "--unlock", "2090-01-01", "--text", f"the text of {lock}",
           "--chain", "strange", *world.words_of(lock))
    # The store of the device that made them comes, as it is.
    for run in WAYS[way](world, lambda store: store == world.there.store or exchange(world.there.store, store)):
        judge.ended(f"taking it in by {way}", run, {0})
    for note, sandbox, given, opens in (
            ("never saw the chain", world.here, [], False), ("made it", world.there, [], True),
            ("is given the chain", world.here, ["--chain", "strange"], True)):
        wrong = []
        for lock in locks:
            run = sandbox.run("open", f"strange {lock}", "--beacon", "strange.beacon", *keys_of(world, lock), *given,
                              timeout=PATIENCE)
            if (b"the text of" in run.out) != opens or run.code not in ({0} if opens else {4, 6, 7, 9, 12}):
                wrong.append(f"{lock}: {run.code} {run.tail()[:100]}")
        if wrong:
            judge.violate(f"open on a device that {note}: {'; '.join(wrong)}")
    world.remove()
    return Counter({"strange locks": len(locks)})
