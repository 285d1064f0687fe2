"""The operations: what each command changes, and how the store is told before it from after it."""
import hashlib
from dataclasses import dataclass, field

from reader import AGE, Contents
from worlds import (DONE, HOLDERS, MAKE_GROUP, PAST, PHOTO, SOUND, UNDONE, base, fresh, large_log, no_group, protected,
                    to_deliver, unprotected, verified, with_estate, with_group)

# What a refused system call may end as; 13 is a bug and a signal is a crash.
REFUSED = (1, 2, 3, 5, 6, 7, 8, 10, 12)


@dataclass
class Operation:
    """A command line in a world. `effect` compares what was before with what is now: it answers "absent", "done" or
    "either", or says what is neither."""
    name: str
    words: list
    # Of the module `worlds`, which makes what it begins in.
    world: object
    effect: object = None
    # Whether it may be acknowledged though nothing was kept, as an opening is.
    is_optional: bool = False
    # Whether the next command finishes what a killed one has begun.
    is_finished_later: bool = False
    # How it may end when it is refused.
    codes: tuple = REFUSED
    timeout: int = 30
    # What its own invariants know of a run without a fault.
    facts: dict = field(default_factory=dict)


# Effects


def unchanged(before, now, but=()):
    """Why the records are not byte for byte what they were; `None` when they are."""
    for kind in ("live", "trash"):
        old, new = getattr(before, kind), getattr(now, kind)
        for key in {*old, *new} - set(but):
            if old.get(key) != new.get(key):
                state = "gone" if key not in new else "new" if key not in old else "changed"
                return f"{kind} record {key[1]} is {state}"
    return None


def nothing(before, now):
    return unchanged(before, now) or "done"


def either(before, now):
    """No record changes; what changes elsewhere is old or new."""
    return unchanged(before, now) or "either"


def made(kind, is_right=lambda record, now: True, count=1):
    """New records of a kind, which come together or not at all."""
    def effect(before, now):
        new = [key for key in now.live if key not in before.live]
        problem = unchanged(before, now, but=new)
        if problem or not new:
            return problem or "absent"
        if len(new) != count or {key[0] for key in new} != {kind}:
            return f"{len(new)} of {count} are there"
        is_done = all(is_right(now.record(*key), now) for key in new)
        return "done" if is_done else "what is new is not what was asked for"
    return effect


def edited(key, **wanted):
    """A live record with these members changed, each to a value, or so that a function of the old and the new record
    and of what is there now says so; its other members stay."""
    def effect(before, now):
        if problem := unchanged(before, now, but=[key]):
            return problem
        if key not in now.live:
            return "the record is gone"
        if before.live[key] == now.live[key]:
            return "absent"
        old, new = before.record(*key), now.record(*key)
        if new["rev"] != old["rev"] + 1:
            return f"rev went from {old['rev']} to {new['rev']}"
        for name in {*old, *new} - {"checksum", "rev", "updatedAt"}:
            value = wanted.get(name, old.get(name))
            if not (value(old, new, now) if callable(value) else new.get(name) == value):
                return f"half of a change: {name} went from {old.get(name)!r} to {new.get(name)!r}"
        return "done"
    return effect


def moved(key, source, target):
    def effect(before, now):
        if problem := unchanged(before, now, but=[key]):
            return problem
        data = getattr(before, source)[key]
        places = [getattr(now, place).get(key) for place in (source, target)]
        return {(data, None): "absent", (None, data): "done"}.get(
            tuple(places), "the record is in neither place, or in other bytes")
    return effect


def moved_with(person, bequests):
    """A deletion of a person with bequests: what names the person goes first."""
    def effect(before, now):
        keys = [person, *bequests]
        if problem := unchanged(before, now, but=keys):
            return problem
        for key in keys:
            places = [place.get(key) for place in (now.live, now.trash)]
            if sorted(places, key=bool) != [None, before.live[key]]:
                return f"{key} is in neither place, or in other bytes"
        # While the person is there, some bequests may be in the trash: that is no deletion yet.
        return "absent" if person in now.live else "done"
    return effect


def moved_all(keys, source, target):
    """Records that go to another place together, as they are."""
    def effect(before, now):
        if problem := unchanged(before, now, but=keys):
            return problem
        for name, other, answer in ((source, target, "absent"), (target, source, "done")):
            if all(getattr(now, name).get(key) == getattr(before, source)[key] and key not in getattr(now, other)
                   for key in keys):
                return answer
        return "some of the records are in one place and some in the other, or in other bytes"
    return effect


def purged(key):
    def effect(before, now):
        if problem := unchanged(before, now, but=[key]):
            return problem
        if key not in now.trash:
            return "done"
        return "absent" if now.trash[key] == before.trash[key] else "the record changed"
    return effect


def capsule_of(title, contents):
    def is_right(record, now):
        return record["title"] == title and len(record["contents"]) == len(contents) \
            and (not AGE or now.opened(record) == contents)
    return is_right


def media_of(old, new, now):
    """The media are the one that was there and the two that were given, with their bytes in their blobs."""
    given = [hashlib.sha256(data).hexdigest() for data in (PHOTO, SOUND, PHOTO)]
    return new["media"][:1] == old["media"][:1] and [part["blob"] for part in new["media"]] == given \
        and all(hashlib.sha256(now.blobs.get(name, b"")).hexdigest() == name for name in given)


def appended(old, new, now):
    """What was there is followed by a text and a sound."""
    return new["contents"][:len(old["contents"])] == old["contents"] \
        and len(new["contents"]) == len(old["contents"]) + 2 \
        and (not AGE or now.opened(new)[-2:] == [b"one more", SOUND])


# The table


def first(world=fresh):
    """The first capsule, which makes the store."""
    return Operation("first", ["create", "new", "--unlock", PAST, "--allow-past", "--text", "hello", "photo.jpg"],
                     world, made("capsules", capsule_of("new", [b"hello", PHOTO])))


def changes(bench, world=base):
    """Every changing command on the base store, by name."""
    ids = bench.world(world).ids
    rows = [
        ("create", ["create", "new", "--unlock", PAST, "--allow-past", "--text", "hello", "photo.jpg", "sound.wav"],
         made("capsules", capsule_of("new", [b"hello", PHOTO, SOUND]))),
        ("edit", ["edit", ids["locked"], "--title", "renamed", "--notes", "other"],
         edited(("capsules", ids["locked"]), title="renamed", notes="other")),
        ("add", ["add", ids["plain"], "--text", "one more", "sound.wav"],
         edited(("capsules", ids["plain"]), contents=appended)),
        ("open", ["open", ids["ready"], "--output", "../out"],
         edited(("capsules", ids["ready"]), openedAt=lambda old, new, now: new["openedAt"])),
        ("delete", ["delete", ids["locked"], "--yes"], moved(("capsules", ids["locked"]), "live", "trash")),
        ("restore", ["restore", ids["deleted"]], moved(("capsules", ids["deleted"]), "trash", "live")),
        ("purge", ["purge", ids["purged"], "--yes"], purged(("capsules", ids["purged"]))),
        ("bequeath", ["bequeath", "--access", "immediate", ids["ring"], "--to", ids["ida"], "-m", "hello"],
         made("bequests", lambda record, now: (record["item"], record["beneficiary"], record["delivery"]) == (
             ids["ring"], ids["ida"], []))),
        ("mark", ["bequest", "mark", ids["ring to mia"], "sent"],
         edited(("bequests", ids["ring to mia"]),
                delivery=lambda old, new, now: [change["state"] for change in new["delivery"]] == ["sent"])),
        ("disinherit", ["beneficiary", "delete", ids["mia"], "--with-bequests", "--yes"],
         moved_with(("beneficiaries", ids["mia"]),
                    [("bequests", ids[name]) for name in ("ring to mia", "plain to mia")])),
        ("declare", ["passing", "declare", "--owner", "Anna"], either),
        ("settings", ["settings", "set", "maxFileSize", "2GiB"], either),
        ("event-import", ["event", "import", "days.ics"], made("events", count=5)),
        ("people-import", ["beneficiary", "import", "guests.vcf"], made("beneficiaries", count=5)),
        ("check", ["check"], nothing),
        ("repair", ["repair"], nothing),
        ("item-add", ["item", "add", "new", "--value", "EUR 3"],
         made("items", lambda record, now: (record["name"], record["value"]["amount"]) == ("new", "3.00"))),
        ("item-edit", ["item", "edit", ids["watch"], "--name", "band", "--location", "bank"],
         edited(("items", ids["watch"]), name="band", location="bank")),
        ("item-attach", ["item", "attach", ids["box"], "sound.wav", "photo.jpg"],
         edited(("items", ids["box"]), media=media_of)),
        ("item-detach", ["item", "detach", ids["watch"], "2", "--yes"],
         edited(("items", ids["watch"]), media=lambda old, new, now: new["media"] == old["media"][:1])),
        ("item-log", ["item", "log", ids["watch"], "--notes", "again"],
         edited(("items", ids["watch"]), history=lambda old, new, now: len(new["history"]) == 3 and [
             entry for entry in new["history"] if entry["notes"] != "again"] == old["history"])),
        ("item-unlog", ["item", "unlog", ids["watch"], "1", "--yes"],
         edited(("items", ids["watch"]), history=lambda old, new, now: new["history"] == old["history"][1:])),
        ("item-remind", ["item", "remind", ids["watch"], "--every", "2 weeks"],
         edited(("items", ids["watch"]), reminder=lambda old, new, now: (
             new["reminder"]["every"], new["reminder"]["unit"]) == (2, "week"))),
        ("item-delete", ["item", "delete", ids["watch"], "--yes"], moved(("items", ids["watch"]), "live", "trash")),
        ("item-restore", ["restore", ids["lost"]], moved(("items", ids["lost"]), "trash", "live")),
        ("item-purge", ["purge", ids["sold"], "--yes"], purged(("items", ids["sold"]))),
    ]
    return {name: Operation(name, words, world, effect, is_optional=name == "open",
                            is_finished_later=name.endswith("-import")) for name, words, effect in rows}


def readings(bench, world=base):
    """The commands that change nothing, by name."""
    plain = bench.world(world).ids["plain"]
    rows = {"verify": ["verify"], "list": ["list", "--json"], "show": ["show", plain, "--json"],
            "countdown": ["countdown", "--once"], "item-list": ["item", "list", "--json"],
            "since": ["since", "--json"]}
    return {name: Operation(name, words, world, nothing) for name, words in rows.items()}


def everything(bench, world=base):
    return {**changes(bench, world), **readings(bench, world)}


def journalled(bench):
    """Of the changes those that leave different frames in the journal, and an edit that writes a log anew."""
    every = everything(bench, verified)
    plain = bench.world(large_log).ids["plain"]
    notes = "the last " + "x" * 60_000
    return [every[name] for name in ("create", "edit", "delete", "restore", "purge", "item-detach", "item-unlog",
                                     "verify", "repair")] + [
        Operation("edit-anew", ["edit", plain, "--notes", notes], large_log, edited(("capsules", plain), notes=notes))]


def undos(bench):
    """The newest operation undone, and what was undone done again."""
    ids = bench.world(verified).ids
    watch = ("items", ids["watch"])
    gone = [("beneficiaries", ids["mia"]), *(("bequests", ids[name]) for name in ("ring to mia", "plain to mia"))]
    came, went = ([key for key in getattr(Contents(bench.world(worlds["import"]).store), place) if key[0] == "events"]
                  for worlds, place in ((DONE, "live"), (UNDONE, "trash")))
    rows = {
        "edit": (edited(watch, name="watch", location=lambda old, new, now: not new.get("location")),
                 edited(watch, name="band", location="bank")),
        "disinherit": (moved_all(gone, "trash", "live"), moved_all(gone, "live", "trash")),
        "import": (moved_all(came, "live", "trash"), moved_all(went, "trash", "live")),
        "settings": (either, either),
    }
    return [Operation(f"{word} {name}", [word], worlds[name], effect, is_finished_later=True)
            for name, effects in rows.items()
            for word, worlds, effect in (("undo", DONE, effects[0]), ("redo", UNDONE, effects[1]))]


def deliveries(_):
    words = ["deliver", "--output", "../out/all", "--mark-sent"]
    return [Operation("deliver", words, to_deliver), Operation("deliver --seal", [*words, "--seal"], to_deliver)]


def estates(_):
    return [Operation("estate", ["estate", "--trustees", "family", "--output", "../out/estate.age"], with_estate)]


def groups(_):
    return [
        Operation("make", MAKE_GROUP, no_group),
        Operation("renew", ["trustees", "renew", "family", "--share", f"old/1 {HOLDERS[0]}.txt", "--share",
                            f"old/3 {HOLDERS[2]}.txt", "-o", "../out/pages"], with_group),
        Operation("replace", ["trustees", "replace", "family", "--without", HOLDERS[1], "--holder", "Ann", "-o",
                              "../out/pages"], with_group)]


def protections(_):
    # Scrypt at 2^18 takes a second where the program is built with optimization, and ten where it is not.
    return [Operation(command, ["store", command, "--passphrase-file", "word"], world, timeout=300)
            for command, world in (("protect", unprotected), ("unprotect", protected))]
