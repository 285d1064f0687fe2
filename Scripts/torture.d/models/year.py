"""A year in an hour: two machines whose clocks are moved, three users who are told by cron what is due, two
of them of one store, and a synchroniser between the machines.

They sleep, their clocks go wrong and are set right, the disk is full now and then, commands are killed,
ledgers are torn. A model that knows the documentation, and no code, says of each `check` what it must
announce: that, and nothing else, once. Nothing that was acknowledged is lost.
"""
import json
import os
import random
import time
from collections import Counter
from datetime import date, datetime, timezone

from engine import Tally
from models.due_dates import dues, instant
from models.people import act
from models.simulated import FAKETIME, Machine, Told, announced, seconds
from models.synchroniser import Synchroniser
from models.things import fits
from reader import AGE, Contents, files, group, roster

START = instant(datetime(2027, 1, 1), timezone.utc)
END = instant(datetime(2028, 1, 1, 12), timezone.utc)
QUARTER = 900
HOOK = 'test ! -e "$HOOKED.no" && cat >> "$HOOKED"'
# What a check may warn of: the clock, what docs/internals/keeping.md says, and conflict copies.
WARNINGS = ("the clock is earlier than", "has not been fully verified", "has not been backed up", "is not a record")
# By how much a clock goes wrong; a text is the time that it begins to count from.
JUMPS = [-3600, "2020-01-01", "2050-01-01", 3600, 86_400]


def years(bench):
    bench.binary = bench.moving
    if not FAKETIME:
        raise bench.Skip("libfaketime is not installed (Debian's package faketime)")
    if not is_moved(bench):
        raise bench.Skip("the program takes no moved clock: --moving names a build with shared libraries")
    figures, seeds = Tally(), [bench.random.random() for _ in range(2)]

    def one(number):
        year = Year(bench, number, seeds[number], figures)
        try:
            year.live()
        finally:
            year.remove()

    bench.each(list(range(len(seeds))), one)
    words = ("changes", "checks", "announcements", "backups", "verifies",
             "verifies that miss what is on its way", "deliveries", "kills", "full disks", "jumps",
             "ledgers torn or lost", "repeated after a kill", "repeated for a torn ledger",
             "by a clock ahead", "only summed up", "quiet, made by a clock ahead", "records", "opened")
    return f"{len(seeds)} years: " + ", ".join(f"{figures[word]} {word}" for word in words)


def is_moved(bench):
    machine = Machine(bench, "clock")
    try:
        machine.time = instant(datetime(2050, 6, 15), timezone.utc)
        return b"2050" in machine.user("somebody", "UTC").run("date", "today").out
    finally:
        machine.remove()


class Year:
    def __init__(self, bench, number, seed, figures):
        self.bench, self.number, self.figures = bench, number, figures
        self.rng = random.Random(f"{seed} year {number}")
        self.home, self.laptop = Machine(bench, f"home {number}"), Machine(bench, f"laptop {number}")
        self.machines = (self.home, self.laptop)
        self.anna = self.home.user("anna", "Europe/Paris")
        self.bimal = self.home.user("bimal", "Asia/Kathmandu")
        self.away = self.laptop.user("away", "America/New_York")
        self.users = (self.anna, self.bimal, self.away)
        for user in self.users:
            user.has_hook, user.heard = user is self.anna, Counter()
            # What is to be repeated for a reason.
            user.again, user.is_summary_open, user.has_findings = set(), False, False
        self.backups = os.path.join(bench.root, f"backups-{number}")
        os.mkdir(self.backups)
        # Every revision that was acknowledged, by `(kind, id, rev)`; and where each record is now.
        self.things, self.world, self.purged = {}, {}, set()
        self.between = Synchroniser(*self.machines)
        self.seen, self.pending, self.look = self.between.seen, self.between.pending, self.between.look
        self.snap, self.created = {}, None
        self.usual = 0.2

    def remove(self):
        for machine in self.machines:
            machine.remove()

    def violate(self, what):
        at = datetime.fromtimestamp(self.home.time, timezone.utc).strftime("%Y-%m-%d %H:%M:%SZ")
        self.bench.violate(f"year {self.number}, {at}", what)

    # The year.

    def live(self):
        self.advance(START)
        self.begin()
        count = self.bench.pick(110, 13)
        moments = self.moments(count)
        plan = self.plan(count)
        for number, moment in enumerate(moments):
            self.watch(moment)
            self.advance(moment)
            for happening in plan.get(number, ()):
                happening()
            if self.home.disk.is_full:
                self.home.disk.empty()
                self.home.disk.fill(self.rng.randrange(12))
            for _ in range(self.rng.randint(1, 3)):
                machine = self.rng.choice([m for m in self.machines if self.is_on(m)] or [self.home])
                act(self, self.rng.choice(machine.users))
            self.synchronise(self.rng.randrange(12))
            self.cron((moment // QUARTER + 1) * QUARTER)
            self.nightly(number)
        self.finish()

    def moments(self, count):
        """When people are at their machines; also where the clocks change, and at midnights."""
        zones = [user.zone for user in self.users]
        odd = [instant(datetime(2027, *rest), self.rng.choice(zones)) for rest in (
            (3, 14, 1, 50), (3, 28, 1, 40), (3, 28, 3, 10), (10, 31, 1, 59), (10, 31, 2, 30), (11, 7, 1, 30),
            (2, 28, 23, 59), (12, 31, 23, 58), (6, 1, 0, 0))]
        usual = [START + 3600 + self.rng.randrange(END - START - 90_000) for _ in range(count)]
        taken = self.rng.sample(odd, min(len(odd), max(3, count // 12)))
        return sorted(usual[len(taken):] + taken)

    def plan(self, count):
        """What happens besides, by the number of the moment."""
        plan, rng = {}, self.rng

        def at(number, *happenings):
            plan.setdefault(min(number, count - 1), []).extend(happenings)

        jumps = JUMPS if not self.bench.short else [JUMPS[self.number * 2 % 4], JUMPS[self.number * 2 % 4 + 1]]
        length = max(2, count // 30)
        gap = (count - 3) // len(jumps)
        for place, jump in enumerate(rng.sample(jumps, len(jumps))):
            machine, first = rng.choice(self.machines), 2 + place * gap + rng.randrange(max(1, gap - length))
            at(first, lambda m=machine, j=jump: self.jump(m, j))
            at(first + rng.randint(1, length), lambda m=machine: self.jump(m, None))
        for _ in range(self.bench.pick(4, 1)):
            first = rng.randrange(3, count - 3)
            at(first, lambda: self.home.disk.fill(rng.randrange(12)), lambda: self.count("full disks"))
            at(first + rng.randint(1, length), self.home.disk.empty)
        for _ in range(self.bench.pick(4, 1)):
            at(rng.randrange(5, count), self.tear)
        if not self.bench.short:
            at(rng.randrange(count // 2, count), self.lose_ledger)
        return plan

    def count(self, word, by=1):
        self.figures.add(word, by)

    def advance(self, moment):
        for machine in self.machines:
            machine.time = max(machine.time, moment)

    def jump(self, machine, jump):
        """Sets a clock wrong, or right."""
        self.count("jumps", jump is not None)
        machine.shift = jump or 0
        if isinstance(jump, str):
            machine.shift = instant(datetime.fromisoformat(jump), timezone.utc) - machine.time

    def is_on(self, machine):
        """The one at home sleeps in some nights, at some weekends, and in a fortnight of August; the
        laptop is open on some days only."""
        local = datetime.fromtimestamp(machine.time, machine.users[0].zone)
        day = local.date()
        dice = random.Random(f"{self.number} {day} {machine.name}")
        if machine is self.laptop:
            return dice.random() < 0.5 and 8 <= local.hour < 23
        if date(2027, 8, 1) <= day < date(2027, 8, 15):
            return False
        if day.weekday() >= 5 and random.Random(f"{self.number} {day.isocalendar()[1]}").random() < 0.3:
            return False
        return 7 <= local.hour < 23 or dice.random() < 0.5

    def begin(self):
        """The store is made at home, and has arrived on the other machine before it is used there."""
        self.created = self.home.clock
        for machine in self.machines:
            self.snap[machine] = ({}, {})
        for _ in range(3):
            act(self, self.anna, "create")
        # The gate is closed.
        act(self, self.bimal, "open")
        act(self, self.anna, "beneficiary")
        act(self, self.anna, "item")
        while self.pending[self.laptop]:
            self.deliver(self.laptop, sorted(self.pending[self.laptop])[-1])
        for user in self.users:
            self.check(user, is_plain=True)

    # Cron.

    def watch(self, moment):
        """Runs cron around times at which something becomes due."""
        now, found = self.home.time, set()
        for user in self.users:
            for key, thing in self.live_things(user.machine):
                found.update(due for _, due, _ in dues(thing, moment, user.zone) if now < due < moment)
        chosen = self.rng.sample(sorted(found), min(len(found), self.bench.pick(3, 1)))
        ticks = {tick for due in chosen for tick in (
            (due - 1) // QUARTER * QUARTER, -(-due // QUARTER) * QUARTER) if now < tick < moment}
        # And some at which there is nothing.
        ticks.add(now + (moment - now) * 2 // 3 // QUARTER * QUARTER)
        for tick in sorted(ticks):
            if now < tick < moment:
                self.cron(tick)

    def cron(self, moment):
        self.advance(moment)
        for user in self.users:
            if self.is_on(user.machine):
                self.check(user)

    def nightly(self, number):
        """What docs/internals/keeping.md has cron do."""
        every = self.bench.pick(6, 5)
        if number % every == 2 and not self.home.disk.is_full:
            ran = self.anna.run("backup", self.backups, "--keep", "5", "--json")
            self.count("backups")
            if ran.code != 0 and not (ran.code == 7 and self.pending[self.home]):
                self.violate(f"backup: exit code {ran.code}: {ran.tail()}")
            elif ran.done:
                self.compare_backup(json.loads(ran.out)["path"])
        if number % every == 4:
            self.verify(self.rng.choice(self.users))

    def compare_backup(self, path):
        there = {name: data for name, data in files(path).items() if is_value(name)}
        here = {name: data for name, data in files(self.home.store).items() if is_value(name)}
        if there != here:
            wrong = {name for name in {*there, *here} if there.get(name) != here.get(name)}
            self.violate(f"the backup is not what the store is: {wrong}")

    def verify(self, user):
        ran = user.run("verify", "--json")
        self.count("verifies")
        try:
            problems = json.loads(ran.out)["problems"]
        except ValueError:
            problems = []
        wrong = [problem for problem in problems if problem["isDamage"]]
        busy, leaving = self.busy(), self.leaving(user.machine)
        if user.machine.disk.is_full and ran.code == 10:
            return
        if wrong and ran.code == 7 and all(is_on_its_way(problem, busy, leaving) for problem in wrong):
            # A record that is missed for a week, or a content that its record needs at once.
            self.count("verifies that miss what is on its way")
            user.has_findings = True
        elif wrong or not ran.done:
            self.violate(f"verify by {user.name}: exit code {ran.code}: {wrong or ran.tail()}")
        else:
            user.has_findings = False
        self.settled(user, ran)

    # Announcements.

    def live_things(self, machine):
        for (kind, name), data in self.snap[machine][0].items():
            thing = self.things.get((kind, name, json.loads(data)["rev"]))
            if thing is None:
                self.violate(f"{kind} {name} has a revision that nobody made")
            else:
                yield (kind, name), thing

    def due(self, user, first):
        """What is due, and of each what it stands for."""
        now = user.machine.clock
        return {(name, topic, due): {(name, *other) for other in others}
                for (kind, name), thing in self.live_things(user.machine)
                for topic, due, others in dues(thing, now, user.zone, first)}

    def check(self, user, is_plain=False):
        self.count("checks")
        told, now = user.told, user.machine.clock
        if told.is_empty and user.ledger:
            # A create has kept the first use before.
            told.first_uses = Told.read(user.ledger).first_uses
        first = told.first_use(now, self.created)
        is_first = first is None
        if is_first:
            first = now
        stands_for = self.due(user, first)
        due = set(stands_for) - told.known

        def marked(keys):
            return keys.union(*(stands_for[key] for key in keys))
        how = "plain" if is_plain else self.rng.choices(
            ["plain", "twice", "killed", "refused"], [80, 7, 8, 5 if user.has_hook else 0])[0]
        ran, got, summaries = self.run_check(user, how)
        for key, times in Counter(got).items():
            if key not in due:
                why = "again" if key in told.known else "and it is not due"
                self.violate(f"{user.name} is told {self.name(key)} {why} ({how}, exit code {ran.code})")
            elif times > 1:
                self.violate(f"{user.name} is told {self.name(key)} {times} times by one check ({how})")
        heard = due & set(got)
        self.note(user, heard)
        may_fail = how in ("killed", "refused") or user.machine.disk.is_full
        if ran.done:
            for key in due - told.maybe - heard:
                self.violate(f"{user.name} is not told {self.name(key)} ({how}): {ran.tail()}")
            told.known |= marked(due)
            told.maybe -= marked(due)
        elif how == "killed" and ran.code == -9:
            told.maybe |= marked(heard)
        else:
            told.known |= marked(heard)
            told.maybe -= marked(heard)
            if not may_fail or ran.code not in (3, 10):
                self.violate(f"check by {user.name} ({how}): exit code {ran.code}: {ran.tail()}")
        if is_first and (ran.done or user.ledger and Told.read(user.ledger).first_uses):
            told.first_uses.append(first)
        if summaries:
            if told.summaries_told and not user.is_summary_open or summaries > 1:
                self.violate(f"{user.name} is told again what was due before")
            user.is_summary_open = not ran.done
            told.summaries_told.append(first)
        if not got and not summaries and ran.done:
            self.hear_noise(user, ran)
        self.settled(user, ran)

    def run_check(self, user, how):
        """How it ended, what it announced, and how many summaries."""
        words = ["check", "--ndjson"] + (["--exec", HOOK] if user.has_hook else [])
        refusal = user.hooked + ".no"
        if how == "refused":
            open(refusal, "wb").close()
        if how == "killed":
            self.count("kills")
            ran = user.run_killed(self.rng.uniform(0.3, 1.1) * self.usual, *words)
        elif how == "twice":
            first = user.start(*words)
            ran = user.run(*words)
            out, err = first.communicate(timeout=60)
            ran.out += out
            ran.err += err
            ran.code = ran.code or first.returncode
        else:
            before = time.monotonic()
            ran = user.run(*words)
            self.usual = 0.9 * self.usual + 0.1 * (time.monotonic() - before)
        said, summaries = announced(ran.out)
        if user.has_hook:
            said = []
            if os.path.exists(user.hooked):
                with open(user.hooked, "rb") as file:
                    said = announced(file.read())[0]
                os.unlink(user.hooked)
            if os.path.exists(refusal):
                os.unlink(refusal)
        return ran, said, summaries

    def note(self, user, heard):
        self.count("announcements", len(heard))
        self.count("repeated after a kill", len(heard & user.told.maybe))
        self.count("repeated for a torn ledger", len(heard & user.again))
        self.count("by a clock ahead", sum(key[2] > user.machine.time for key in heard))
        allowed = user.told.maybe | user.again
        for key in heard:
            if user.heard[key] and key not in allowed:
                self.violate(f"{user.name} is told {self.name(key)} once more")
            user.heard[key] += 1
        user.again -= heard

    def name(self, key):
        at = datetime.fromtimestamp(key[2], timezone.utc).strftime("%Y-%m-%d %H:%M:%SZ")
        return f"{key[0]} {key[1]} of {at}"

    def hear_noise(self, user, ran):
        """Cron sends what is written as a mail: it is nothing, where there is nothing to say."""
        said = [line for line in ran.err.decode(errors="replace").splitlines()
                if not any(warning in line for warning in WARNINGS)
                and not (user.has_findings and "the last verification found" in line)]
        if said and not user.machine.disk.is_full or ran.out.strip():
            self.violate(f"check by {user.name} says without anything due: {said} {ran.out[:200]!r}")

    def tear(self):
        """A power cut took the end of somebody's ledger: that is announced again."""
        user = self.rng.choice(self.users)
        if user.machine.disk.is_full or not user.ledger or os.path.getsize(user.ledger) < 200:
            return
        self.compare_ledger(user)
        before = Told.read(user.ledger)
        os.truncate(user.ledger, max(0, os.path.getsize(user.ledger) - self.rng.randint(1, 90)))
        now = Told.read(user.ledger)
        if not now.first_uses:
            # It would begin anew.
            user.is_summary_open = True
        user.again |= before.known - now.known
        user.told = now
        self.count("ledgers torn or lost")

    def lose_ledger(self):
        """All that a machine knew of the store is gone: what was due before is summed up."""
        user = self.rng.choice(self.users)
        if user.machine.disk.is_full:
            return
        self.compare_ledger(user)
        for name in files(os.path.join(user.path, "state")):
            os.unlink(os.path.join(user.path, "state", name))
        user.again |= {key for key in user.heard}
        user.told, user.is_summary_open = Told(), True
        self.count("ledgers torn or lost")

    def compare_ledger(self, user):
        if not user.ledger:
            return
        kept, told = Told.read(user.ledger).known, user.told
        if not told.known <= kept <= told.known | told.maybe:
            lacks, more = told.known - kept, kept - told.known - told.maybe
            self.violate(f"the ledger of {user.name} lacks {lacks} and has besides {more}")

    # The store.

    def settled(self, user, ran, allowed=()):
        """Takes notice of what a command left: nothing but these records may differ."""
        machine = user.machine
        now, old = (machine.records(), machine.records("trash")), self.snap[machine]
        self.snap[machine] = now
        for place, new, was in zip(("live", "trash"), now, old):
            for key in {*new, *was}:
                if new.get(key) != was.get(key) and key not in allowed:
                    self.violate(f"{key} is {'changed' if key in new else 'gone'} among the {place} ones: "
                                 f"{ran.tail()}")
        if ran.code is None or ran.code == 13 or ran.code < 0 and ran.code != -9:
            self.violate(f"a command of {user.name} ended with {ran.code}: {ran.tail()}")
        self.look(machine)

    # The synchroniser.

    def busy(self):
        return self.between.busy

    def leaving(self, machine):
        """What is removed from a machine when all has arrived."""
        return " ".join(path for path, data in self.pending[machine].items() if data is None)

    def synchronise(self, count):
        if self.home.disk.is_full or not all(self.is_on(machine) for machine in self.machines):
            return
        for _ in range(count):
            machine = self.rng.choice(self.machines)
            if self.pending[machine]:
                self.deliver(machine, self.rng.choice(sorted(self.pending[machine])))
        if self.rng.random() < 0.3:
            self.arrive()
        if self.rng.random() < 0.15:
            self.resolve_conflicts()
        elif self.rng.random() < 0.1:
            self.conflict()

    def arrive(self):
        """All that is on its way."""
        for _ in range(6):
            for machine in self.machines:
                while self.pending[machine]:
                    self.deliver(machine, self.rng.choice(sorted(self.pending[machine])))
            if not any(self.pending.values()):
                return

    def deliver(self, machine, path):
        self.count("deliveries")
        self.between.deliver(machine, path)
        self.snap[machine] = (machine.records(), machine.records("trash"))

    def conflicts(self):
        return [(machine, path) for machine in self.machines for path in self.seen[machine]
                if "sync-conflict" in path]

    def conflict(self):
        """A conflict copy of a record, as Syncthing leaves one."""
        paths = [path for path in self.seen[self.home] if path.split("/")[0] in ("capsules", "items")]
        if paths:
            path = self.rng.choice(sorted(paths))
            copy = path.removesuffix(".json") + ".sync-conflict-20270101-101010-ABCDEFG.json"
            with open(os.path.join(self.home.store, copy), "wb") as file:
                file.write(self.seen[self.home][path])
            self.look(self.home)

    def resolve_conflicts(self):
        for machine, path in self.conflicts():
            os.unlink(os.path.join(machine.store, path))
            self.look(machine)

    # The end.

    def finish(self):
        self.home.disk.empty()
        for machine in self.machines:
            self.jump(machine, None)
        self.advance(END)
        self.arrive()
        self.resolve_conflicts()
        self.arrive()
        for _ in range(3):
            for user in self.users:
                self.check(user, is_plain=True)
                self.verify(user)
            self.arrive()
        for user in self.users:
            self.compare_ledger(user)
            self.judge_announcements(user)
        self.judge_records()
        self.judge_contents()

    def judge_announcements(self, user):
        """What came due once in this year, by the true time, was told."""
        first = min(user.told.first_uses + user.told.summaries_told, default=END)
        for (kind, name), thing in self.live_things(user.machine):
            if thing.get("repeat") or kind == "items":
                continue
            silent = {**thing, "created": 0} if kind == "events" else thing
            for topic, due, _ in dues(silent, END, user.zone):
                key = (name, topic, due)
                if user.heard[key]:
                    continue
                if due <= first:
                    self.count("only summed up")
                elif kind == "events" and due <= thing["created"]:
                    if thing["created"] > END:
                        self.count("quiet, made by a clock ahead")
                else:
                    self.violate(f"{user.name} was never told {self.name(key)}")

    def judge_records(self):
        stores = []
        for machine in self.machines:
            now = Contents(machine.store)
            for problem in now.problems:
                self.violate(f"{machine.name}: {problem}")
            for kind_id in self.purged & {*now.live, *now.trash}:
                self.violate(f"{kind_id} was purged, and is back on {machine.name}")
            if roster(machine.store).keys() != {*now.live, *now.trash}:
                self.violate(f"the journals of {machine.name} name others than there are")
            stores.append((now.live, now.trash))
            places = {"live": now.live, "trash": now.trash}
            for key, (place, rev) in self.world.items():
                data = places[place].get(key)
                if data is None:
                    self.violate(f"{key} was acknowledged, and is not {place} on {machine.name}")
                    continue
                record = json.loads(data)
                if record["rev"] != rev:
                    self.violate(f"{key} is of revision {record['rev']}, not {rev}, on {machine.name}")
                for problem in fits(self.things[(*key, rev)], record):
                    self.violate(f"{key} on {machine.name}: {problem}")
            if more := {*now.live, *now.trash} - {*self.world}:
                self.violate(f"nobody made {more} on {machine.name}")
        if stores[0] != stores[1]:
            self.violate("the two machines differ")
        self.count("records", len(self.world))

    def judge_contents(self):
        """What is due opens by the program, and all else by age, to the very bytes."""
        now = Contents(self.home.store)
        for key in now.live:
            if key[0] != "capsules":
                continue
            thing, record = self.things[(*key, self.world[key][1])], now.record(*key)
            if seconds(record["unlockAt"]) <= self.home.clock:
                target = os.path.join(self.anna.path, "out", key[1])
                ran = self.anna.run("open", key[1], "--output", target)
                found = sorted(files(target).values())
                if not ran.done or found != sorted(thing["contents"]):
                    self.violate(f"{key} does not open as what it was: {ran.code} {ran.tail()}")
            elif AGE and now.opened(record) != thing["contents"]:
                self.violate(f"{key} is sealed as something else")
            self.count("opened")


def is_on_its_way(problem, busy, leaving):
    """Whether what `verify` misses, a record or a content, is one of the files that are to arrive. A content
    may have been removed before the record that it was purged with."""
    if not problem["id"]:
        return False
    if problem["kind"] == "blob":
        return os.path.basename(problem["path"] or "") in busy or problem["id"] in leaving
    return problem["id"] in busy


def is_value(path):
    """Whether a file of a store is a record or a content."""
    return group(path) in ("record", "trash", "blob") and "conflict" not in path
