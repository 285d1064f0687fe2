"""A delivery that marks what it sent is killed, interrupted and refused at every system call.

Whatever happens: what has a person's name is whole, nobody's bequest is marked sent without it, Ctrl-C
leaves nothing half made, and the next delivery finishes the work.
"""
import json
import os
import shutil

import calls
from changes import FUTURE, PAST, PHOTO, SOUND, contents
from invariants import REFUSED, is_explained
from reader import files

PEOPLE = ("Mia", "Jonas Ö")
EFFECTS = ("signal=KILL", "signal=INT", "error=EIO")


def household(bench):
    """A sandbox in which two people are left things, capsules, and one that stays sealed."""
    sandbox = bench.sandbox()
    for name, data in (("photo.jpg", PHOTO), ("sound.wav", SOUND)):
        with open(os.path.join(sandbox.work, name), "wb") as file:
            file.write(data)
    steps = [["settings", "set", "owner", "Anna"], *(["beneficiary", "add", n] for n in PEOPLE),
             ["item", "add", "Ring", "--description", "from 1912"],
             ["item", "attach", "Ring", "photo.jpg", "sound.wav"], ["item", "add", "House"],
             ["create", "Letter", "-u", PAST, "--allow-past", "--text", "hello", "sound.wav"],
             ["create", "Later", "-u", FUTURE, "--text", "not yet"],
             ["create", "Round", "-u", "2030-01-01", "--timelock", "--text", "x", "photo.jpg"],
             *(["bequeath", thing, "--to", "Mia", "--message", "for you"]
               for thing in ("Ring", "Letter", "Later", "Round")),
             ["bequeath", "House", "--to", "Jonas Ö"], ["bequeath", "Ring", "--to", "Jonas Ö"]]
    for words in steps:
        run = sandbox.run(*words)
        if not run.done:
            raise RuntimeError(f"the household cannot be made: {words} {run.code} {run.tail()}")
    return sandbox


def out(sandbox):
    return os.path.join(sandbox.path, "out", "all")


def states(now):
    """For each person by id, the states of the bequests that are to be delivered."""
    result = {}
    for (kind, name) in now.live:
        if kind == "bequests":
            record = now.record(kind, name)
            steps = [step["state"] for step in record["delivery"]]
            result.setdefault(record["beneficiary"], {})[name] = steps
    return result


class Rules:
    """What holds after any end of a delivery."""

    def __init__(self, bench, origin, words, is_sealed):
        self.bench, self.words, self.is_sealed = bench, words, is_sealed
        rehearsal = origin.copy()
        run = rehearsal.run(*words, "--json")
        if not run.done:
            raise RuntimeError(f"the delivery cannot be made: {run.code} {run.tail()}")
        deliveries = json.loads(run.out)
        self.trees = {d["path"].split("/")[-1]: files(os.path.join(out(rehearsal), d["path"].split(
            "/")[-1])) for d in deliveries}
        self.people = {d["beneficiary"]["id"]: d["path"].split("/")[-1] for d in deliveries}
        self.sent = {gift["bequest"] for d in deliveries for gift in d["gifts"]}
        self.before = contents(origin)
        rehearsal.remove()

    def is_whole(self, sandbox, name):
        path = os.path.join(out(sandbox), name)
        if self.is_sealed:
            identity = os.path.join(sandbox.work, "id.txt")
            return os.system(
                f"age -d -i '{identity}' '{path}' 2>/dev/null | tar -t >/dev/null 2>&1") == 0
        return files(path) == self.trees[name]

    def check(self, sandbox, where, run, effect, call):
        def violate(what):
            self.bench.violate(where, what)
        now = contents(sandbox)
        for problem in now.problems:
            violate(problem)
        names = os.listdir(out(sandbox)) if os.path.isdir(out(sandbox)) else []
        # A bequest that could not be read is in no delivery, which is said.
        is_told = run.code == 3 and b"what they say is in no delivery" in run.err
        for name in names:
            if name in self.people.values():
                if not self.is_whole(sandbox, name) and not is_told:
                    violate(f"{name} is there and not whole")
            elif ".partial-" not in name:
                violate(f"something else is there: {name}")
            elif effect != "signal=KILL" and call not in ("unlinkat", "rmdir"):
                violate(f"a partial delivery is left: {name}")
        for person, bequests in states(now).items():
            for bequest, steps in bequests.items():
                if steps not in ([], ["sent"]) or (steps and bequest not in self.sent):
                    violate(f"a bequest is {steps}")
                if steps and self.people[person] not in names:
                    violate(f"{self.people[person]} is not there, and a bequest is marked sent")
        for key, data in self.before.live.items():
            if key[0] != "bequests" and now.live.get(key) != data:
                violate(f"the record {key} changed")
        if effect == "signal=INT" and run.code not in (0, -2):
            violate(f"an interrupt ended it with {run.code}: {run.tail()}")
        if effect == "error=EIO" and run.code != 0 and b"error while loading" not in run.err:
            if run.code not in REFUSED or not is_explained(run):
                violate(f"an error ended it with {run.code}: {run.tail()}")
        verified = sandbox.run("verify")
        if not verified.done:
            violate(f"verify: exit code {verified.code}: {verified.tail()}")
        self.finish(sandbox, names, states(now), violate)

    def finish(self, sandbox, names, before, violate):
        """The next delivery refuses what is there unmarked; moved away, it is made anew."""
        run = sandbox.run(*self.words)
        unmarked = [name for person, name in self.people.items() if name in names
                    and any(not steps for bequest, steps in before.get(person, {}).items()
                            if bequest in self.sent)]
        if unmarked:
            if run.code not in (3, 12) or not is_explained(run):
                violate(f"the next delivery says {run.code} of {unmarked}: {run.tail()}")
            for name in unmarked:
                path = os.path.join(out(sandbox), name)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
            run = sandbox.run(*self.words)
        if not run.done:
            violate(f"the delivery after it: {run.code}: {run.tail()}")
        for bequests in states(contents(sandbox)).values():
            for bequest, steps in bequests.items():
                if (steps == ["sent"]) != (bequest in self.sent):
                    violate(f"at the end a bequest is {steps}")


def run(bench):
    if not calls.usable():
        raise bench.Skip("strace cannot trace here")
    origin = household(bench)
    origin.run("keygen", "-o", "id.txt")
    recipient = origin.run("keygen", "-y", "id.txt").out.decode().strip()
    for name in PEOPLE:
        origin.run("beneficiary", "edit", name, "--recipient", recipient)
    jobs = []
    for is_sealed in (False, True):
        words = ["deliver", "--output", "../out/all", "--mark-sent"] + ["--seal"] * is_sealed
        rules = Rules(bench, origin, words, is_sealed)
        rehearsal = origin.copy()
        _, points = calls.trace(rehearsal, words)
        rehearsal.remove()
        for effect in EFFECTS:
            # A close that is refused here stays undone, as no real one does, and keeps its lock.
            jobs += [(rules, call, number, effect) for call, number, _ in points
                     if (effect, call) != ("error=EIO", "close")]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(len(jobs), 150))
    ended = dict.fromkeys(EFFECTS, 0)

    def one(job):
        rules, call, number, effect = job
        sandbox = origin.copy()
        ran = sandbox.run(*rules.words, prefix=calls.injecting(call, number, effect))
        ended[effect] += ran.code != 0
        where = f"deliver{' --seal' * rules.is_sealed}, {effect} at {call}#{number}"
        rules.check(sandbox, where, ran, effect, call)
        sandbox.remove()

    bench.each(jobs, one)
    kills, interrupts, errors = ended.values()
    return (f"{kills} kills, {interrupts} interrupts and {errors} errors at {len(jobs)} of {points} "
            "points")
