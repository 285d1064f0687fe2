"""Thirty years of a store: a bit changes each month, a disk is replaced every five years.

Once with what docs/internals/keeping.md advises, `backup`, `verify` and `repair` by cron: nothing is lost. And
once without, as a figure of what that costs. The clock is that of libfaketime, where it is installed.
"""
import os
import shutil
import subprocess
import time
from collections import Counter

from invariants import json_of
from models.simulated import FAKETIME, SharedMemory
from reader import differences, files, group
from worlds import FUTURE, opens, small_keepsakes


def lives(bench):
    """The same life twice, at once."""
    bench.binary = bench.moving
    seed, told = bench.random.random(), {}
    bench.world(small_keepsakes)

    def one(is_kept):
        told[is_kept] = Life(bench, seed, bench.pick(30, 2), is_kept).live()
    bench.each([True, False], one)
    return f"{told.get(True)}; {told.get(False)}"


class Life:
    def __init__(self, bench, seed, years, is_kept):
        self.bench, self.years, self.is_kept = bench, years, is_kept
        self.where = "life" if is_kept else "life without cron"
        # Two: what happens to the disk is the same in both lives, whatever the person can do in them.
        self.rng, self.fate = type(bench.random)(f"{seed} person"), type(bench.random)(f"{seed} fate")
        self.sandbox = bench.world(small_keepsakes).copy()
        self.target = os.path.join(self.sandbox.path, "work", "kept")
        os.mkdir(self.target)
        self.truth = self.valued(files(self.sandbox.store))
        self.figures = Counter()
        self.mine, self.purged = [], set()
        self.month, self.is_over = 0, False
        self.shared = SharedMemory() if FAKETIME else None
        self.is_clock_moved = self.moves_clock()

    # The clock.

    def run(self, *words):
        ran = self.sandbox.run(*words, prefix=self.clock(), timeout=120)
        if ran.code is None or ran.code < 0 or ran.code == 13:
            self.violate(f"{words}: exit code {ran.code}: {ran.tail()}")
        return ran

    def clock(self):
        if not FAKETIME:
            return []
        year, month = divmod(2026 * 12 + 11 + self.month, 12)
        return ["env", "LD_PRELOAD=" + FAKETIME[-1], "NO_FAKE_STAT=1",
                f"FAKETIME=@{year}-{month + 1:02d}-05 03:30:00", "FAKETIME_SHARED=" + self.shared.names]

    def moves_clock(self):
        """Whether the program takes the clock of the library, which one without shared libraries does not."""
        self.month = 120
        answer = self.run("date", "today")
        self.month = 0
        return b"2036" in answer.out

    def tick(self):
        """Lets a second pass where the clock is the machine's: a month is longer than that."""
        if not self.is_clock_moved:
            time.sleep(1.1)

    def violate(self, what):
        self.bench.violate(f"{self.where}, month {self.month}", what)

    @staticmethod
    def valued(found):
        return {path: data for path, data in found.items()
                if group(path) in ("record", "trash", "blob", "header", "identity")}

    # The life.

    def live(self):
        for self.month in range(1, self.years * 12 + 1):
            if self.is_over:
                break
            self.person()
            if self.is_kept:
                self.backup()
            self.flip(self.sandbox.store)
            if self.is_kept:
                if self.fate.random() < 0.5:
                    self.backup()
                if self.month % 12 == 0:
                    self.flip(self.target)
                self.scrub()
            if self.month % self.bench.pick(60, 8) == 0:
                self.new_disk()
        told = self.judge()
        if self.shared:
            self.shared.remove()
        self.sandbox.remove()
        return told

    def person(self):
        """What somebody does in a month. What was acknowledged is what ought to be there for ever."""
        rng, before = self.rng, self.valued(files(self.sandbox.store))
        with open(os.path.join(self.sandbox.work, "new.jpg"), "wb") as file:
            file.write(b"\xff\xd8\xff" + rng.randbytes(4000))
        for _ in range(2):
            verb = rng.choice(["create", "create", "edit", "item", "attach", "log", "delete", "restore",
                               "purge", "person"])
            name = rng.choice(self.mine) if self.mine else "nothing"
            words = {
                "create": ["create", f"of month {self.month}", "--unlock", FUTURE, "--text",
                           f"text {self.month}", "new.jpg", "-q"],
                "edit": ["edit", name, "--notes", f"edited in month {self.month}"],
                "item": ["item", "add", f"Thing {self.month} {rng.random()}", "--value", "EUR 5"],
                "attach": ["item", "attach", "Watch", "new.jpg"],
                "log": ["item", "log", "Watch", "--notes", f"month {self.month}"],
                "delete": ["delete", name, "--yes"], "restore": ["restore", name],
                "purge": ["purge", name, "--yes"],
                "person": ["beneficiary", "add", f"Person {self.month} {rng.random()}"]}[verb]
            ran = self.run(*words)
            self.figures["changes"] += ran.done
            if not ran.done and (self.is_kept or ran.code not in (3, 5, 6, 7, 12)) \
                    and ran.code not in (1, 5, 12):
                self.violate(f"{words}: exit code {ran.code}: {ran.tail()}")
            if ran.done and verb == "create":
                self.mine.append(ran.out.decode().strip())
            if ran.done and verb == "purge":
                self.purged.add(name)
                self.mine.remove(name)
        now = self.valued(files(self.sandbox.store))
        for path in {*before, *now}:
            if before.get(path) != now.get(path):
                if path in now:
                    self.truth[path] = now[path]
                else:
                    self.truth.pop(path, None)

    def backup(self, *options):
        self.tick()
        ran = self.run("backup", self.target, "--keep", "24", "--json", *options)
        self.figures["backups"] += 1
        if ran.code not in (0, 7):
            self.violate(f"backup: exit code {ran.code}: {ran.tail()}")

    def flip(self, place):
        """One bit, in half of the months of any byte, else of any file."""
        paths = []
        for parent, _, names in os.walk(place):
            paths += [os.path.join(parent, name) for name in names if name not in ("lock", ".lock")]
        paths.sort()
        paths = [path for path in paths if os.path.getsize(path)]
        sizes = [os.path.getsize(path) for path in paths]
        path = self.fate.choices(paths, sizes if self.month % 2 else None)[0]
        mode = os.stat(path).st_mode
        os.chmod(path, 0o600)
        with open(path, "r+b") as file:
            at = self.fate.randrange(os.path.getsize(path))
            file.seek(at)
            old = file.read(1)[0]
            file.seek(at)
            file.write(bytes([old ^ 1 << self.fate.randrange(8)]))
        os.chmod(path, mode)
        self.figures["flips"] += 1

    def scrub(self):
        """What cron runs, and what its mail makes a person do."""
        self.tick()
        for _ in range(4):
            ran = self.run("verify", "--budget", "5 seconds")
            self.figures["verifies"] += 1
            if ran.code == 7:
                break
        if ran.done:
            return
        if ran.code != 7:
            self.violate(f"verify: exit code {ran.code}: {ran.tail()}")
        self.mend()

    def mend(self):
        self.figures["repairs"] += 1
        if self.run("repair").done and self.run("verify").done:
            return
        names = sorted(os.listdir(self.target), reverse=True)
        for name in [name for name in names if not name.startswith(".")]:
            ran = self.run("repair", "--from", os.path.join(self.target, name))
            self.figures["from a backup"] += 1
            if ran.done and self.run("verify").done:
                return
        ran = self.run("verify")
        damage = [line for line in ran.out.decode(errors="replace").splitlines()
                  if not line.startswith("note")]
        self.violate(f"nothing mends it: {damage}")
        self.is_over = True

    def new_disk(self):
        """Every second time the disk failed, and the last generation takes its place; else, and without
        cron always, it was replaced in time, and everything copied."""
        self.figures["disks"] += 1
        store, turn = self.sandbox.store, self.figures["disks"]
        if self.is_kept and turn % 2:
            self.backup()
            shutil.rmtree(store)
            newest = sorted(name for name in os.listdir(self.target) if not name.startswith("."))[-1]
            subprocess.run(["cp", "-a", os.path.join(self.target, newest), store], check=True)
            if not self.run("verify").done:
                self.mend()
        elif self.is_kept:
            # The other disk is new as well, and empty.
            shutil.rmtree(self.target)
            os.mkdir(self.target)
            self.backup("--new-set")
        if not (self.is_kept and turn % 2):
            subprocess.run(["cp", "-a", store, store + ".new"], check=True)
            shutil.rmtree(store)
            os.rename(store + ".new", store)

    def judge(self):
        now = files(self.sandbox.store)
        lost = differences(self.truth, now)
        again = {name for name in self.purged for path in now
                 if name in path and group(path) in ("record", "trash")}
        kinds = Counter(group(path) for path in lost)
        if self.is_kept:
            if lost:
                self.violate(f"lost: {lost}")
            if again:
                self.violate(f"purged, and back: {again}")
            for name in self.sandbox.openings:
                why = opens(self.sandbox, name)
                if why:
                    self.violate(f"{self.sandbox.titles[name]} does not open: {why}")
            ran = self.run("verify", "--json")
            # What a log of a machine that is no more lost of its second copies stays a note.
            if not ran.done or any(problem["kind"] != "journal" for problem in
                                   (json_of(ran) or {"problems": [{"kind": "none"}]})["problems"]):
                self.violate(f"verify at the end: {ran.code} {ran.out[-300:]!r}")
        things = Counter(group(path) for path in self.truth)
        figures = self.figures
        if self.is_kept:
            return (f"{self.years} years with {figures['changes']} changes, {figures['flips']} flips, "
                    f"{figures['disks']} disks, {figures['backups']} backups, {figures['verifies']} "
                    f"verifies, {figures['repairs']} repairs, {figures['from a backup']} of them from "
                    f"a backup: {len(lost)} of {len(self.truth)} files lost")
        return (f"without: {kinds['record'] + kinds['trash']} of {things['record'] + things['trash']} "
                f"records, {kinds['blob']} of {things['blob']} contents, "
                f"{kinds['header'] + kinds['identity']} headers lost")
