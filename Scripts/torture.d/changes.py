"""The changes that the suites make, each with what it leaves when it was done."""
import json
import os
import sys
from dataclasses import dataclass, field

from changes_items import add_items, item_changes
from reader import AGE, Contents

PAST = "2020-01-01"
FUTURE = "2099-01-01"
PHOTO = bytes.fromhex("ffd8ffe000104a464946") + bytes(range(256)) * 300
SOUND = b"RIFF\x24\x08\x00\x00WAVEfmt " + bytes(reversed(range(256))) * 20
CALENDAR = "".join(["BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"] + [
    f"BEGIN:VEVENT\r\nUID:{day}@example.org\r\nDTSTART;VALUE=DATE:2099010{day}\r\n"
    f"SUMMARY:Day {day}\r\nEND:VEVENT\r\n" for day in range(1, 6)] + ["END:VCALENDAR\r\n"]).encode()
CARDS = "".join(
    f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{number}\r\nFN:Guest {number}\r\nEND:VCARD\r\n"
    for number in range(1, 6)).encode()
VOLATILE = ("checksum", "rev", "updatedAt", "openedAt", "contents")


def base(bench):
    """A sandbox with a store of capsules in every state. Their ids stand in `ids` by their titles."""
    sandbox = bench.sandbox()
    for name, data in (("photo.jpg", PHOTO), ("sound.wav", SOUND), ("new.jpg", PHOTO[::-1]),
                       ("days.ics", CALENDAR), ("guests.vcf", CARDS)):
        with open(os.path.join(sandbox.work, name), "wb") as file:
            file.write(data)
    sandbox.ids = {}
    for title, unlock, rest in (
            ("locked", FUTURE, ["--text", "a secret", "photo.jpg"]),
            ("plain", FUTURE, ["--empty", "--notes", "some notes", "--tag", "one", "--tag", "two"]),
            ("ready", PAST, ["--text", "it is time", "sound.wav"]),
            ("opened", PAST, ["--text", "seen"]),
            ("deleted", FUTURE, ["--text", "gone", "sound.wav"]),
            ("purged", FUTURE, ["--text", "going", "new.jpg"])):
        run = sandbox.run("create", title, "--unlock", unlock, "--allow-past", "-q", *rest)
        if not run.done:
            raise RuntimeError(f"the base store cannot be made: {run.code} {run.tail()}")
        sandbox.ids[title] = run.out.decode().strip()
    for name, words in (
            ("ring", ["item", "add", "Ring"]),
            ("mia", ["beneficiary", "add", "Mia"]),
            ("ida", ["beneficiary", "add", "Ida"]),
            ("ring to mia", ["bequeath", "Ring", "--to", "Mia", "-m", "for you"]),
            ("plain to mia", ["bequeath", "plain", "--to", "Mia", "--access", "upon-passing"])):
        run = sandbox.run(*words, "-q")
        if not run.done:
            raise RuntimeError(f"the base store cannot be made: {words} {run.code} {run.tail()}")
        sandbox.ids[name] = run.out.decode().strip()
    for words in (["open", sandbox.ids["opened"], "--json"],
                  ["settings", "set", "owner", "Anna"],
                  ["delete", sandbox.ids["deleted"], sandbox.ids["purged"], "--yes"]):
        run = sandbox.run(*words)
        if not run.done:
            raise RuntimeError(f"the base store cannot be made: {words} {run.code} {run.tail()}")
    add_items(sandbox)
    return sandbox


@dataclass
class Change:
    """A command line, and a predicate on what was before and what is now.

    `effect` answers "absent", "done", or says what is neither.
    """
    name: str
    words: list
    effect: object
    makes_store: bool = False
    is_optional: bool = False
    # Whether the next command finishes what a killed one has begun.
    is_finished_later: bool = False
    source_files: list = field(default_factory=list)


def unchanged(before, now, kinds=("live", "trash"), but=()):
    """Why the records are not byte for byte what they were; `None` when they are."""
    for kind in kinds:
        old, new = getattr(before, kind), getattr(now, kind)
        for key in {*old, *new} - set(but):
            if old.get(key) != new.get(key):
                state = "gone" if key not in new else "new" if key not in old else "changed"
                return f"{kind} record {key[1]} is {state}"
    return None


def created(title, contents):
    def effect(before, now):
        new = [key for key in now.live if key not in before.live]
        problem = unchanged(before, now, but=new)
        if problem or not new:
            return problem or "absent"
        record = now.record(*new[0])
        if len(new) > 1 or record["title"] != title:
            return f"{len(new)} new records, one is called {record['title']!r}"
        return holds(now, record, contents)
    return effect


def imported(kind, count):
    """So many new records of a kind, which come together or not at all."""
    def effect(before, now):
        new = [key for key in now.live if key not in before.live]
        problem = unchanged(before, now, but=new)
        if problem or not new:
            return problem or "absent"
        if len(new) != count or {key[0] for key in new} != {kind}:
            return f"{len(new)} of {count} are there"
        return "done"
    return effect


def holds(now, record, contents):
    if len(record["contents"]) != len(contents):
        return f"{len(record['contents'])} contents instead of {len(contents)}"
    if AGE and now.opened(record) != contents:
        return "the contents are not the bytes that were given"
    return "done"


def edited(key, check):
    """An effect on one live record, whose other fields stay."""
    def effect(before, now):
        problem = unchanged(before, now, but=[key])
        if problem:
            return problem
        if key not in now.live:
            return "the record is gone"
        if before.live[key] == now.live[key]:
            return "absent"
        old, new = before.record(*key), now.record(*key)
        if new["rev"] != old["rev"] + 1:
            return f"rev went from {old['rev']} to {new['rev']}"
        return check(old, new, now)
    return effect


def same_but(old, new, fields):
    for name in {*old, *new} - {"checksum", "rev", "updatedAt", *fields}:
        if old.get(name) != new.get(name):
            return f"{name} changed"
    return None


def moved(key, source, target):
    def effect(before, now):
        problem = unchanged(before, now, but=[key])
        if problem:
            return problem
        data = getattr(before, source)[key]
        if getattr(now, source).get(key) == data and key not in getattr(now, target):
            return "absent"
        if getattr(now, target).get(key) == data and key not in getattr(now, source):
            return "done"
        return "the record is in neither place, or in other bytes"
    return effect


def moved_with(person, bequests):
    """A deletion of a person with bequests: what names the person goes first."""
    def effect(before, now):
        keys = [person, *bequests]
        problem = unchanged(before, now, but=keys)
        if problem:
            return problem
        for key in keys:
            places = [place.get(key) for place in (now.live, now.trash)]
            if sorted(places, key=bool) != [None, before.live[key]]:
                return f"{key} is in neither place, or in other bytes"
        # While the person is there, some bequests may be in the trash: that is no deletion yet.
        return "absent" if person in now.live else "done"
    return effect


def left(title, person):
    def effect(before, now):
        new = [key for key in now.live if key not in before.live]
        problem = unchanged(before, now, but=new)
        if problem or not new:
            return problem or "absent"
        record = now.record(*new[0])
        named = (record["item"], record["beneficiary"], record["delivery"])
        return "done" if named == (title, person, []) else f"a bequest of {named}"
    return effect


def purged(key):
    def effect(before, now):
        problem = unchanged(before, now, but=[key])
        if problem:
            return problem
        if key not in now.trash:
            return "done"
        return "absent" if now.trash[key] == before.trash[key] else "the record changed"
    return effect


def nothing(before, now):
    return unchanged(before, now) or "done"


def all_changes(sandbox):
    """Every changing command on the base store, and the reading ones."""
    ids = sandbox.ids

    def key(title):
        return ("capsules", ids[title])

    def title_check(old, new, now):
        return same_but(old, new, ["title", "notes"]) or (
            "done" if new["title"] == "renamed" and new["notes"] == "other" else "half an edit")

    def opened_check(old, new, now):
        return same_but(old, new, ["openedAt"]) or ("done" if new["openedAt"] else "openedAt is unset")

    def added_check(old, new, now):
        problem = same_but(old, new, ["contents"])
        if problem or new["contents"][:len(old["contents"])] != old["contents"]:
            return problem or "earlier contents changed"
        if len(new["contents"]) != len(old["contents"]) + 2:
            return "half of what was added"
        if AGE and now.opened(new)[-2:] != [b"one more", SOUND]:
            return "what was added is not the bytes that were given"
        return "done"

    def sent_check(old, new, now):
        states = [change["state"] for change in new["delivery"]]
        return same_but(old, new, ["delivery"]) or ("done" if states == ["sent"] else f"{states}")

    def settings(before, now):
        return unchanged(before, now) or "either"

    return [
        Change("create", ["create", "new", "--unlock", PAST, "--allow-past", "--text", "hello",
                          "photo.jpg", "sound.wav"],
               created("new", [b"hello", PHOTO, SOUND])),
        Change("edit", ["edit", ids["locked"], "--title", "renamed", "--notes", "other"],
               edited(key("locked"), title_check)),
        Change("add", ["add", ids["plain"], "--text", "one more", "sound.wav"],
               edited(key("plain"), added_check)),
        Change("open", ["open", ids["ready"], "--output", "../out"],
               edited(key("ready"), opened_check), is_optional=True),
        Change("delete", ["delete", ids["locked"], "--yes"], moved(key("locked"), "live", "trash")),
        Change("restore", ["restore", ids["deleted"]], moved(key("deleted"), "trash", "live")),
        Change("purge", ["purge", ids["purged"], "--yes"], purged(key("purged"))),
        Change("bequeath", ["bequeath", ids["ring"], "--to", ids["ida"], "-m", "hello"],
               left(ids["ring"], ids["ida"])),
        Change("mark", ["bequest", "mark", ids["ring to mia"], "sent"],
               edited(("bequests", ids["ring to mia"]), sent_check)),
        Change("disinherit", ["beneficiary", "delete", ids["mia"], "--with-bequests", "--yes"],
               moved_with(("beneficiaries", ids["mia"]),
                          [("bequests", ids[name]) for name in ("ring to mia", "plain to mia")])),
        Change("declare", ["passing", "declare", "--owner", "Anna"], settings),
        Change("settings", ["settings", "set", "maxFileSize", "2GiB"], settings),
        Change("event-import", ["event", "import", "days.ics"], imported("events", 5),
               is_finished_later=True),
        Change("people-import", ["beneficiary", "import", "guests.vcf"],
               imported("beneficiaries", 5), is_finished_later=True),
        Change("check", ["check"], nothing),
        Change("repair", ["repair"], nothing),
        Change("verify", ["verify"], nothing),
        Change("list", ["list", "--json"], nothing),
        Change("show", ["show", ids["plain"], "--json"], nothing),
        Change("countdown", ["countdown", "--once"], nothing),
        *item_changes(ids, sys.modules[__name__], PHOTO, SOUND),
    ]


def first(sandbox):
    """The first capsule, which makes the store."""
    return Change("first", ["create", "new", "--unlock", PAST, "--allow-past", "--text", "hello",
                            "photo.jpg"],
                  created("new", [b"hello", PHOTO]), makes_store=True)


def contents(sandbox):
    return Contents(sandbox.store)


def json_of(run):
    try:
        return json.loads(run.out)
    except ValueError:
        return None
