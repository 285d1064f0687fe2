"""Attacks on whom a store seals to: the recipients in store.json, the settings, the groups and the people."""
import os
import shutil
from collections import Counter
from dataclasses import dataclass

from attacks import attacker
from attacks.world import ALL_WAYS, LOCKS, PATIENCE, WAYS, Judge, do, kept, put_back
from invariants import json_of

# How taking something in may end: done, held back, a passphrase that is asked for, damage, a rule.
ARRIVAL = {0, 3, 6, 7, 12}


@dataclass
class Attack:
    """A change of whom the store seals to."""
    name: str
    # What is done to the directory of a store.
    tamper: object
    # Whether the store of a world says what the attack wanted it to say.
    is_there: object
    # In which codes `create` may end with a lock while it is there.
    expected: object = lambda lock, world: {7}
    # Other commands while it is there, and their codes.
    writers: object = lambda world: []
    kinds: tuple = ("clear", "protected")
    ways: tuple = tuple(WAYS)
    # Whether `verify` has the thief's recipient to name, and whether `store accept` can take it.
    names_thief: bool = True
    can_be_accepted: bool = True


# Point 1: the recipients in store.json


def header_of(world):
    path = os.path.join(world.here.store, "store.json")
    return attacker.load(path) if os.path.exists(path) else None


def facts(header):
    """Whom a header seals to, and of which store it says that it is."""
    identities = header["identities"]
    identities = identities if isinstance(identities, list) else [identities]
    return (header["format"], header["id"], isinstance(header["identities"], list),
            [identity["recipient"] for identity in identities])


def in_header(change):
    def tamper(world, store):
        attacker.edit(os.path.join(store, "store.json"), lambda header: change(header, world))
    return tamper


def behind_own(header, world):
    own = header["identities"]
    header["identities"] = [*(own if isinstance(own, list) else [own]), world.thief.clear]


def behind_own_in_format_1(header, world):
    behind_own(header, world)
    header["format"] = 1


def in_its_place(header, world):
    own = header["identities"]
    if isinstance(own, list):
        header["identities"] = [world.thief.clear]
    else:
        header["identities"] = {"recipient": world.thief.recipient, "file": own["file"]}


def under_a_passphrase(header, world):
    header["format"] = 2
    header["identities"] = {"recipient": world.thief.recipient, "file": world.thief.sealed}


def another_id(header, world):
    header["id"] = "00000000-0000-4000-8000-000000000000"
    in_its_place(header, world)


def as_before_protection(world, store):
    """The header and the identity of the time before: whoever kept a copy of the directory has them."""
    before = world.before.store
    shutil.copy(os.path.join(before, "store.json"), os.path.join(store, "store.json"))
    for name in os.listdir(os.path.join(before, "identities")):
        shutil.copy(os.path.join(before, "identities", name), os.path.join(store, "identities"))


def header_writers(world):
    """Commands that seal to the store's own key."""
    found = [(["trustees", "make", "more", "-k", "2", "--holder", "A", "--holder", "B", "-o", "../out/more"], {7})]
    if world.was_protected:
        found.append((["identity", "import", "paper"], {7}))
        found.append((["import", "archive", world.foreign], {7}))
    elif not world.is_protected:
        found.append((["store", "protect", "--passphrase-file", "word"], {7}))
    if header_of(world)["identities"] == {"recipient": world.thief.recipient, "file": world.thief.sealed}:
        # Whoever knows its passphrase does not make it the store's.
        found.append((["store", "protect", "--passphrase-file", "other-word"], {7}))
    if not world.is_protected and header_of(world)["id"] == world.store_id:
        found.append((["sync", "-q"], {7}))
    # Sealed to others than the store: refused or not, the thief reads none of it.
    found.append((["export", "archive", "-r", world.thief.mia, "-o", "../out/all.age"], {0, 7}))
    found.append((["estate", "--trustees", "family", "-o", "../out/estate.age", *world.passphrase], {0, 5, 6, 7}))
    return found


def header_attacks():
    def changed(world):
        return header_of(world) is not None and facts(header_of(world)) != world.facts

    ways = ("directory", "backup", "repair", "archive", "new archive", "join", "join here")
    rest = {"is_there": changed, "writers": header_writers, "ways": ways}
    both, one = ("clear", "protected"), ("protected",)
    return [
        Attack("a recipient behind the store's own", in_header(behind_own), kinds=both, can_be_accepted=False, **rest),
        Attack("a recipient behind the store's own, in format 1", in_header(behind_own_in_format_1), kinds=one,
               can_be_accepted=False, **rest),
        Attack("a recipient in the place of the store's own", in_header(in_its_place), kinds=both,
               can_be_accepted=False, **rest),
        Attack("a recipient under another passphrase", in_header(under_a_passphrase), kinds=both, **rest),
        Attack("another id", in_header(another_id), kinds=both, can_be_accepted=False, **rest),
        Attack("no passphrase any more", as_before_protection, kinds=one, names_thief=False, can_be_accepted=False,
               **rest),
    ]


# Point 2: settings, groups and people


def settings_of(world):
    return attacker.load(os.path.join(world.here.store, "settings.json"))


def set_by_hand(**values):
    def tamper(_, store):
        attacker.edit(os.path.join(store, "settings.json"), lambda settings: settings.update(values))
    return tamper


def add_group(world, store, name, other="0badcafe-0000-4000-8000-000000000001"):
    """A group of the thief's key, as one of the store's own looks."""
    family = next(iter(attacker.records(store, "trustees").values()))
    attacker.write(attacker.place(store, "trustees", other), attacker.encoded(
        {**family, "id": other, "name": name, "recipient": world.thief.recipient, "schema": 1}))


def setting_of_another_group(world, store):
    add_group(world, store, "kin")
    set_by_hand(trustees="kin")(world, store)


def another_key(folder):
    def tamper(world, store):
        path = next(iter(attacker.records(store, folder)))
        attacker.revise(path, lambda record: record.update(recipient=world.thief.recipient))
    return tamper


def another_group_of_that_name(other):
    """One whose id comes before that of the store's own, or behind it."""
    def tamper(world, store):
        path = next(iter(attacker.records(store, "trustees")))
        add_group(world, store, "family", other)
        os.unlink(path)
    return tamper


def has_thiefs_key(folder):
    return lambda world: any(record["recipient"] == world.thief.recipient
                             for record in attacker.records(world.here.store, folder).values())


def by_group(lock, world):
    """A lock that is sealed to the group is refused; of another it does not matter."""
    has_copy = LOCKS[lock].has_copy and (lock != "honor" or world.is_protected)
    return {7} if LOCKS[lock].is_of_group or has_copy else {0, 7}


def by_ambiguous_group(lock, world):
    codes = by_group(lock, world)
    groups = len(attacker.records(world.here.store, "trustees"))
    # Of two groups of one name neither is meant.
    return {5, 7, 12} if codes == {7} and groups > 1 else codes


def group_writers(world):
    found = [(["edit", world.ids["honor"], "--trustees", "family", *world.passphrase], {7}),
             (["estate", "--trustees", "family", "-o", "../out/estate.age", *world.passphrase], {7}),
             (["export", "archive", "--trustees", "family", "-o", "../out/all.age"], {7})]
    if not world.is_protected:
        found.append((["store", "protect", "--trustees", "family", "--passphrase-file", "word"], {7}))
    return found


def setting_writers(_):
    return [(["trustees", "make", "more", "-k", "2", "--holder", "A", "--holder", "B", "-o", "../out/more"], {7})]


def person_writers(world):
    return [(["deliver", "--seal", "-o", "../out/people"], {7}),
            (["estate", "--trustees", "family", "-o", "../out/estate.age", *world.passphrase], {7})]


def trust_attacks():
    return [
        Attack("a setting of another group", setting_of_another_group,
               lambda world: settings_of(world).get("trustees") == "kin", writers=setting_writers,
               names_thief=False),
        Attack("a weaker setting", set_by_hand(postQuantum="off"),
               lambda world: settings_of(world).get("postQuantum") == "off", writers=setting_writers,
               names_thief=False),
        Attack("a setting that is gone", set_by_hand(trustees=None),
               lambda world: not settings_of(world).get("trustees"), writers=setting_writers, names_thief=False),
        Attack("a group of another key", another_key("trustees"), has_thiefs_key("trustees"), by_group, group_writers),
        Attack("another group of a known name", another_group_of_that_name("00000000-0000-4000-8000-000000000001"),
               has_thiefs_key("trustees"), by_ambiguous_group, names_thief=False),
        Attack("another group of a known name, listed later",
               another_group_of_that_name("ffffffff-0000-4000-8000-000000000001"), has_thiefs_key("trustees"),
               by_ambiguous_group, names_thief=False),
        Attack("a person of another key", another_key("beneficiaries"), has_thiefs_key("beneficiaries"),
               lambda lock, world: {0}, person_writers),
    ]


# The table of both


def jobs(bench, worlds):
    found = []
    for number, attack in enumerate(header_attacks() + trust_attacks()):
        for place, way in enumerate(attack.ways):
            kinds = attack.kinds
            if bench.short and len(attack.ways) > len(WAYS) and (number + place) % 2:
                # Of the seven ways of a header every second one, each with half of the attacks.
                continue
            if bench.short and len(kinds) > 1:
                kinds = [kinds[(number + place // 2) % len(kinds)]]
            found += [lambda attack=attack, way=way, kind=kind: keys(attack, way, worlds[kind])
                      for kind in kinds]
    return found


def keys(attack, way, origin):
    world = origin.copy()
    world.before = getattr(origin, "before", None)
    world.facts, world.store_id = facts(header_of(world)), header_of(world)["id"]
    world.was_protected = world.is_protected
    world.foreign = foreign(world)
    judge = Judge(world, f"{attack.name}, by {way}, {world.kind}")
    honest = kept(world.here.store)
    for run in ALL_WAYS[way](world, lambda store: attack.tamper(world, store)):
        judge.ended(f"taking it in by {way}", run, ARRIVAL)
    counts = Counter(attacks=1)
    if header_of(world) is None:
        # Nothing was made of it.
        counts["refused on the way"] += 1
    elif attack.is_there(world):
        counts["refused at every writer"] += 1
        in_effect(attack, judge, world)
        if way == "directory":
            put_back(world.here.store, honest)
            judge.ended("create with what it was", world.create("honor"), {0})
            if attack.writers is header_writers:
                # Of a record that was there `verify` has written a second copy: it is missed now.
                judge.ended("verify with what it was", world.here.run("verify", timeout=PATIENCE), {0})
    else:
        counts["held back"] += 1
        if way in ("directory", "backup"):
            judge.violate("the suite itself: the attack is not there")
        judge.creates(lambda lock: {0}, " after what was held back")
    counts["sealed files tried"] += judge.thief_reads_nothing()
    if way in ("directory", "sync") and attack.can_be_accepted and attack.is_there(world) is False:
        # Put back above; what the owner accepts is done.
        attack.tamper(world, world.here.store)
        accept(attack, judge, world)
    world.remove()
    return counts


def in_effect(attack, judge, world):
    """While the store says what the attack wants: no writer seals anything."""
    judge.creates(lambda lock: attack.expected(lock, world))
    for words, codes in attack.writers(world):
        before = kept(world.here.store)
        run = world.here.run(*words, timeout=PATIENCE)
        judge.ended(" ".join(words), run, codes)
        if run.code == 7 and kept(world.here.store) != before:
            judge.violate(f"{' '.join(words)}: refused, and the store changed")
    for mode in ((), ("--json",)):
        run = judge.ended("verify", world.here.run("verify", *mode, timeout=PATIENCE), {7})
        if attack.names_thief and world.thief.recipient.encode() not in run.out:
            judge.violate(f"verify {' '.join(mode)} does not name the recipient: {run.out[-300:]!r}")


def accept(attack, judge, world):
    """The owner says that it was his doing: asked once, and done from then on."""
    judge.ended("store accept without an answer", world.here.run("store", "accept"), {12})
    judge.ended("create after no answer", world.create("trustees"), attack.expected("trustees", world))
    run = judge.ended("store accept", world.here.run("store", "accept", "--yes", "--json"), {0})
    if not (json_of(run) or {}).get("accepted"):
        judge.violate(f"store accept names nothing: {run.out[:200]!r}")
    run = judge.ended("create once accepted", world.create("trustees", "--json"), {0})
    if not (json_of(run) or {}).get("sealedTo"):
        judge.violate(f"create --json does not say whom it sealed to: {run.out[:200]!r}")
    judge.ended("store accept again", world.here.run("store", "accept"), {0})


def foreign(world):
    """An archive of another store, whose secret keys an import takes in."""
    path = os.path.join(world.folder.path, "foreign.tar")
    other = os.path.join(world.folder.path, "foreign")
    do(world.here, "event", "add", "Moved", "--on", "2030-01-01", "--store", other)
    do(world.here, "export", "archive", "--in-the-clear", "-o", path, "--store", other)
    return path
