"""What people do in a simulated year: each change with what it makes of a thing, and when it is refused."""
import json
import os
from datetime import datetime, time, timedelta

from models.due_dates import ALERTS, REPEATS, civil, instant
from models.things import fits

VERBS = ["create"] * 7 + ["event"] * 5 + ["item"] * 2 + ["remind"] * 3 + ["log"] * 3 + ["beneficiary"] + [
    "bequeath"] * 2 + ["sent", "done", "move event", "edit", "later", "later", "open", "open", "delete",
    "delete", "restore", "purge"]


class Deed:
    """A command. Of a new thing the key is the kind alone."""

    def __init__(self, words, thing=None, key=None, place="live", refused=()):
        self.words, self.thing, self.key, self.place, self.refused = words, thing, key, place, refused
        # Not so where it leaves all as it is, as a second opening does.
        self.changes = True
        self.is_refused_for_sure = True


def act(year, user, verb=None):
    """One deed of somebody: what was acknowledged is there, all else is there or not, and nothing else
    changed."""
    deed = People(year, user).deed(verb or year.rng.choice(VERBS))
    if deed is None:
        return
    machine, is_new = user.machine, isinstance(deed.key, str)
    is_killed = verb is None and year.rng.random() < 0.06
    if is_killed:
        year.count("kills")
        ran = user.run_killed(year.rng.uniform(0.3, 1.1) * year.usual, *deed.words)
    else:
        ran = user.run(*deed.words)
    live, trash = machine.records(), machine.records("trash")
    old_live, old_trash = year.snap[machine]
    keys = {deed.key}
    if is_new:
        keys = {key for key in live if key not in old_live and key[0] == deed.key}
        if len(keys) > 1:
            year.violate(f"{deed.words} made {keys}")
    key = next(iter(keys), None)
    rev = 0
    if not is_new and (data := live.get(key) or trash.get(key)):
        rev = json.loads(data)["rev"]
    was = year.world.get(key)
    is_done = key is not None and (live.get(key), trash.get(key)) != (old_live.get(key), old_trash.get(key))
    may_fail = is_killed and ran.code == -9 or machine.disk.is_full and ran.code == 10
    if is_done and is_new:
        rev = json.loads(live[key])["rev"]
    # An opening gives the contents, and warns, where it cannot be kept.
    is_unkept = machine.disk.is_full and b"could not save that the capsule was opened" in ran.err
    if ran.done and deed.changes and not is_done and not is_unkept:
        year.violate(f"{deed.words} is acknowledged, and not there")
    elif not ran.done and not may_fail and (is_done or ran.code not in deed.refused):
        year.violate(f"{deed.words}: exit code {ran.code}: {ran.tail()}")
    elif ran.done and deed.refused and deed.is_refused_for_sure:
        year.violate(f"{deed.words} is not refused")
    if is_done:
        year.count("changes")
        settle(year, deed, key, rev, was, live, trash)
    # What is on its way between two places may be put in order by any command.
    year.settled(user, ran, keys)


def settle(year, deed, key, rev, was, live, trash):
    """Holds what came of a deed to what was wanted."""
    if deed.place == "gone":
        if key in live or key in trash:
            year.violate(f"{deed.words}: {key} is half gone")
        year.world.pop(key, None)
        year.purged.add(key)
        return
    there = live if deed.place == "live" else trash
    if key not in there:
        year.violate(f"{deed.words}: {key} is not {deed.place}")
        return
    if was and deed.thing is not None and rev != was[1] + 1:
        year.violate(f"{deed.words}: revision {rev} after {was[1]}")
    if deed.thing is None:
        deed.thing = year.things[(*key, was[1])]
    for problem in fits(deed.thing, json.loads(there[key])):
        year.violate(f"{deed.words}: {problem}")
    year.things[(*key, rev)] = deed.thing
    year.world[key] = (deed.place, rev)


class People:
    def __init__(self, year, user):
        self.year, self.user, self.rng = year, user, year.rng
        self.machine = user.machine

    def deed(self, verb):
        return getattr(self, verb.replace(" ", "_"))()

    def title(self, word):
        return f"{word} {self.rng.getrandbits(40):010x}"

    # What there is, and is not on its way.

    def some(self, kind, place=0, wanted=lambda thing: True):
        busy = self.year.busy()
        free = []
        for key in sorted(self.year.snap[self.machine][place]):
            where = self.year.world.get(key)
            if key[0] == kind and key[1] not in busy and where \
                    and wanted(self.year.things[(*key, where[1])]):
                free.append(key)
        if not free:
            return None, None
        key = self.rng.choice(free)
        return key, self.year.things[(*key, self.year.world[key][1])]

    def is_left(self, key):
        """Whether a bequest names it, in the trash too, on any machine."""
        return any(key[1] in (thing["subject"], thing["person"])
                   for name, (_, rev) in self.year.world.items() if name[0] == "bequests"
                   for thing in [self.year.things[(*name, rev)]])

    # When.

    def when(self, minimum=600):
        """A local time to come, as it is written, with its instant."""
        rng, zone, now = self.rng, self.user.zone, self.machine.time
        kind = rng.random()
        if kind < 0.2:
            local = rng.choice([
                datetime(2027, 3, 28, 2, 30), datetime(2027, 3, 28, 3, 0), datetime(2027, 10, 31, 2, 30),
                datetime(2027, 3, 14, 2, 15), datetime(2027, 11, 7, 1, 30), datetime(2027, 12, 31, 23, 59),
                datetime(2028, 2, 29), datetime(2027, 3, 1)])
        else:
            span = rng.choice([3600 * 3, 86_400 * 4, 86_400 * 40, 86_400 * 200])
            local = civil(now + minimum + rng.randrange(span), zone).replace(second=0)
            if kind < 0.4:
                local = datetime.combine(local.date() + timedelta(days=1), time())
            elif kind < 0.6:
                local = local.replace(minute=local.minute // 15 * 15)
        if instant(local, zone) <= now + minimum:
            local = civil(now + 86_400, zone).replace(second=0)
        return local.strftime("%Y-%m-%d %H:%M"), instant(local, zone), local

    # The deeds.

    def create(self):
        rng = self.rng
        written, unlock, _ = self.when()
        text = f"text {rng.getrandbits(60)}"
        thing = {"kind": "capsules", "title": self.title("Letter"), "notes": "", "unlock": unlock,
                 "contents": [text.encode()], "opened": False}
        words = ["create", thing["title"], "--unlock", written, "--text", text, "-q"]
        if rng.random() < 0.3:
            photo = b"\xff\xd8\xff" + rng.randbytes(3000)
            path = os.path.join(self.machine.outside, "photo.jpg")
            with open(path, "wb") as file:
                file.write(photo)
            words.append(path)
            thing["contents"] = [text.encode(), photo]
        # Who asks for a time that is past by a wrong clock is refused.
        return Deed(words, thing, "capsules", refused=(2,) if unlock <= self.machine.clock else ())

    def event(self):
        rng = self.rng
        written, _, local = self.when()
        is_deadline = rng.random() < 0.3
        repeat = None if is_deadline or rng.random() < 0.4 else rng.choice(sorted(REPEATS))
        is_all_day = rng.random() < 0.5
        alerts = rng.sample(sorted(ALERTS), rng.randint(0 if is_deadline else 1, 3))
        thing = {"kind": "events", "title": self.title("Event"), "on": local.date() if is_all_day else local,
                 "zone": self.user.zone, "repeat": repeat, "alerts": alerts, "deadline": is_deadline,
                 "done": False, "created": self.machine.clock}
        words = ["event", "add", thing["title"], "--on", written[:10] if is_all_day else written, "-q",
                 *(word for alert in alerts for word in ("--alert", alert))]
        words += ["--deadline"] if is_deadline else ["--repeat", repeat] if repeat else []
        return Deed(words, thing, "events")

    def move_event(self):
        key, thing = self.some("events", wanted=lambda thing: not thing["repeat"] and not thing["done"])
        if not key:
            return None
        written, _, local = self.when()
        if isinstance(thing["on"], datetime):
            return Deed(["event", "edit", key[1], "--on", written],
                        {**thing, "on": local, "zone": self.user.zone}, key)
        return Deed(["event", "edit", key[1], "--on", written[:10]], {**thing, "on": local.date()}, key)

    def done(self):
        key, thing = self.some("events", wanted=lambda thing: thing["deadline"] and not thing["done"])
        return key and Deed(["event", "done", key[1]], {**thing, "done": True}, key)

    def item(self):
        thing = {"kind": "items", "title": self.title("Thing"), "reminder": None, "history": []}
        return Deed(["item", "add", thing["title"], "-q"], thing, "items")

    def remind(self):
        key, thing = self.some("items", wanted=lambda thing: not thing["reminder"])
        if not key:
            return self.item()
        rng = self.rng
        every, unit = rng.choice([(5, "hour"), (1, "day"), (10, "day"), (2, "week"), (1, "month"),
                                  (3, "month")])
        clock = time(rng.choice([2, 9, 0]), rng.choice([0, 30])) if unit != "hour" and rng.random() < 0.7 \
            else None
        words = ["item", "remind", key[1], "--every", f"{every} {unit}s"]
        words += ["--time", clock.strftime("%H:%M")] if clock else []
        start = None
        if rng.random() < 0.3:
            written, start, _ = self.when()
            words += ["--from", written]
        rule = {"every": every, "unit": unit, "since": self.machine.clock, "from": start, "time": clock,
                "on": True}
        return Deed(words, {**thing, "reminder": rule}, key)

    def log(self):
        key, thing = self.some("items", wanted=lambda thing: thing["reminder"])
        if not key:
            return self.remind()
        return Deed(["item", "log", key[1]], {**thing, "history": thing["history"] + [self.machine.clock]}, key)

    def beneficiary(self):
        thing = {"kind": "beneficiaries", "title": self.title("Person")}
        return Deed(["beneficiary", "add", thing["title"], "-q"], thing, "beneficiaries")

    def bequeath(self):
        person, _ = self.some("beneficiaries")
        subject, _ = self.some(self.rng.choice(["items", "capsules"]))
        if not person or not subject or self.is_left(subject):
            return None
        written, after, _ = self.when()
        thing = {"kind": "bequests", "subject": subject[1], "person": person[1], "after": after, "sent": False,
                 "made": self.machine.clock}
        return Deed(["bequeath", subject[1], "--to", person[1], "--access-after", written, "-q"], thing,
                    "bequests")

    def sent(self):
        key, thing = self.some("bequests", wanted=lambda thing: not thing["sent"])
        if not key:
            return None
        return Deed(["bequest", "mark", key[1], "sent"], {**thing, "sent": True}, key)

    def edit(self):
        key, thing = self.some("capsules")
        notes = self.title("notes")
        return key and Deed(["edit", key[1], "--notes", notes], {**thing, "notes": notes}, key)

    def later(self):
        key, thing = self.some("capsules", wanted=lambda thing: not thing["opened"])
        if not key:
            return None
        written, unlock, _ = self.when()
        # Later is enough, even where a clock ahead has passed it.
        deed = Deed(["edit", key[1], "--unlock", written, "--yes"], {**thing, "unlock": unlock}, key,
                    refused=(12,) if unlock < thing["unlock"] else ())
        deed.changes = unlock != thing["unlock"]
        return deed

    def open(self):
        """The gate opens by the machine's clock, and gives the very bytes."""
        key, thing = self.some("capsules")
        if not key:
            return None
        record = json.loads(self.year.snap[self.machine][0][key])
        contents = [content["blob"] for content in record["contents"] if content["blob"]]
        refused = ()
        if thing["unlock"] > self.machine.clock:
            refused = (4,)
        elif any(content in path for content in contents for path in self.year.pending[self.machine]):
            # A content that is on its way is missing.
            refused = (7,)
        deed = Deed(["open", key[1], "--output", os.path.join(self.user.path, "out", self.title("o"))],
                    {**thing, "opened": True}, key, refused=refused)
        deed.changes = not thing["opened"] and not deed.refused
        return deed

    def delete(self):
        key, _ = self.some(self.rng.choice(["capsules", "events", "items"]))
        if not key or self.is_left(key):
            return None
        words = {"capsules": ["delete"], "events": ["event", "delete"], "items": ["item", "delete"]}[key[0]]
        return Deed([*words, key[1], "--yes"], None, key, "trash")

    def restore(self):
        key, _ = self.some(self.rng.choice(["capsules", "events", "items"]), place=1)
        return key and Deed(["restore", key[1]], None, key)

    def purge(self):
        key, _ = self.some(self.rng.choice(["capsules", "events", "items"]), place=1)
        if not key or self.rng.random() < 0.5:
            return None
        # It refuses while something may be on its way, or a conflict copy is there.
        is_unsure = any(self.year.pending.values()) or self.year.conflicts()
        deed = Deed(["purge", key[1], "--yes"], None, key, "gone", refused=(7, 12) if is_unsure else ())
        deed.is_refused_for_sure = False
        return deed
