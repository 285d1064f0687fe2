"""The journal killed at every call, torn at every byte, replayed, of two machines, and beside writers.

Whatever becomes of it, it names what is there and nothing else, and `verify` raises no false alarm.
"""
import json
import os
import shutil
import threading
from collections import Counter

import calls
from changes import Change, FUTURE, all_changes, base, contents, edited, json_of, same_but
from frames import PURGED, PUT, RESTORED, TRASHED, WRITTEN_ANEW, frames, journal, roster
from keepsakes import differences, machine_of, same_machine
from reader import files
from two_machines import two_machines

KILLED = {"create", "edit", "delete", "restore", "purge", "item-detach", "item-unlog", "verify", "repair"}
DAMAGE = ("missing", "outdated", "record", "unreadable", "blob", "header", "identity", "settings")


def run(bench):
    origin = base(bench)
    origin.openings, origin.titles = {}, {}
    verified = origin.run("verify")
    if not verified.done:
        raise RuntimeError(f"verify: {verified.code} {verified.tail()}")
    told = [kills(bench, origin), tears(bench, origin), purged_for_good(bench, origin), replays(bench), two_machines(bench),
            alarms(bench)]
    return ", ".join(told)


def held(bench, sandbox, where):
    """Holds a store to its journal, after `verify` filled it: each names what the other has."""
    verified = sandbox.run("verify", "--json", timeout=60)
    answer = json_of(verified)
    if not verified.done or answer is None:
        bench.violate(where, f"verify: exit code {verified.code}: {verified.out[-300:]!r} "
                      f"{verified.tail()}")
        return
    machine, now = machine_of(sandbox), contents(sandbox)
    named = roster(sandbox.store)
    have = {key: json.loads(data)["rev"] for key, data in [*now.trash.items(), *now.live.items()]}
    if named != have:
        bench.violate(where, f"the journal and the store differ: {set(named.items()) ^ set(have.items())}")
    newest = {}
    for log in journal(sandbox.store).get(machine, {}).values():
        for frame in log:
            if frame.what == PUT:
                newest.setdefault((frame.kind, frame.id), {})[frame.rev] = frame.body
    for key, data in now.live.items():
        if newest.get(key, {}).get(have[key]) != data:
            bench.violate(where, f"the journal has no second copy of {key} as it is")


def kills(bench, origin):
    if not calls.usable():
        return "no kills: strace cannot trace here"
    jobs = []
    for change in all_changes(origin):
        if change.name in KILLED:
            rehearsal = same_machine(origin)
            _, points = calls.trace(rehearsal, change.words)
            rehearsal.remove()
            jobs += [(change, call, number) for call, number, _ in points]
    # An edit after which the log is written anew: it is over 256 KiB then.
    large = same_machine(origin)
    for number in range(4):
        large.run("edit", large.ids["plain"], "--notes", f"{number} " + "x" * 60_000)
    anew = Change("edit-anew", ["edit", large.ids["plain"], "--notes", "the last " + "x" * 60_000],
                  edited(("capsules", large.ids["plain"]),
                         lambda old, new, now: same_but(old, new, ["notes"]) or "done"))
    rehearsal = same_machine(large)
    _, points = calls.trace(rehearsal, anew.words)
    log = journal(rehearsal.store)[machine_of(rehearsal)][large.ids["plain"][:2] + ".log"]
    if log[0].what != WRITTEN_ANEW:
        bench.violate("kills", "the suite itself: the log is not written anew")
    rehearsal.remove()
    jobs = [(origin, *job) for job in jobs] + [(large, anew, call, number)
                                               for call, number, _ in points]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, 40)
    before, killed = {origin: contents(origin), large: contents(large)}, [0]

    def one(job):
        start, change, call, number = job
        where = f"{change.name} killed at {call}#{number}"
        sandbox = same_machine(start)
        ran = sandbox.run(*change.words, prefix=calls.injecting(call, number, "signal=KILL"))
        killed[0] += ran.code not in (0, None)
        effect = change.effect(before[start], contents(sandbox))
        if effect not in ("absent", "done", "either"):
            bench.violate(where, f"neither before nor after: {effect}")
        held(bench, sandbox, where)
        # The next change writes behind the last whole frame.
        following = sandbox.run("edit", sandbox.ids["plain"], "--notes", "after the kill", "-q")
        if not following.done:
            bench.violate(where, f"the next edit: exit code {following.code}: {following.tail()}")
        held(bench, sandbox, where + ", then edited")
        sandbox.remove()

    bench.each(jobs, one)
    return f"{killed[0]} kills at {len(jobs)} of {points} points"


def tears(bench, origin):
    """The last frame of logs that end in each kind of frame, cut at every byte; or followed by rubbish,
    as a power cut leaves it."""
    start = same_machine(origin)
    for words in (["purge", start.ids["purged"], "--yes"], ["restore", start.ids["deleted"]],
                  ["delete", start.ids["plain"], "--with-bequests", "--yes"]):
        ran = start.run(*words)
        if not ran.done:
            raise RuntimeError(f"{words}: {ran.code} {ran.tail()}")
    machine = machine_of(start)
    folder = os.path.join(start.store, "journal", machine)
    jobs = []
    by_kind = {}
    for name, log in journal(start.store)[machine].items():
        if log:
            by_kind.setdefault(log[-1].what, name)
    for what in (PUT, TRASHED, RESTORED, PURGED):
        if what not in by_kind:
            bench.violate("tears", f"the suite itself: no log ends in a frame of kind {what}")
            continue
        name = by_kind[what]
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        last = frames(data)[0][-1].start
        jobs += [(name, what, f"cut at {at}", data[:at]) for at in range(last, len(data))]
        jobs += [(name, what, f"zeros from {at}", data[:at] + bytes(len(data) - at))
                 for at in range(last, len(data), 16)]
        jobs += [(name, what, f"rubbish of {size}", data + bench.random.randbytes(size))
                 for size in (1, 7, 8, 55, 56, 300, 5000)]
    count = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, 40)
    before = files(start.store)

    def one(job):
        name, what, how, data = job
        where = f"log ending in a frame of kind {what}, {how}"
        sandbox = same_machine(start)
        with open(os.path.join(sandbox.store, "journal", machine, name), "wb") as file:
            file.write(data)
        held(bench, sandbox, where)
        repaired = sandbox.run("repair", "--json")
        if not repaired.done:
            bench.violate(where, f"repair: exit code {repaired.code}: {repaired.out[-200:]!r}")
        other = differences(before, files(sandbox.store))
        if other:
            bench.violate(where, f"records changed: {other}")
        following = sandbox.run("edit", sandbox.ids["locked"], "--notes", "after", "-q")
        if not following.done:
            bench.violate(where, f"the next edit: exit code {following.code}: {following.tail()}")
        held(bench, sandbox, where + ", then edited")
        sandbox.remove()

    bench.each(jobs, one)
    return f"{len(jobs)} of {count} torn tails"


def purged_for_good(bench, origin):
    """A store that moved to another disk, where its former self is another machine that names what was
    purged since; and a byte that changes in the frame that says so. The record stays away."""
    moved = origin.copy()
    for words in (["purge", origin.ids["purged"], "--yes"], ["verify"]):
        ran = moved.run(*words)
        if not ran.done:
            raise RuntimeError(f"{words}: {ran.code} {ran.tail()}")
    machine, name = machine_of(moved), origin.ids["purged"]
    log = os.path.join("journal", machine, name[:2] + ".log")
    with open(os.path.join(moved.store, log), "rb") as file:
        data = file.read()
    last = [frame for frame in frames(data)[0] if frame.what == PURGED and frame.id == name][-1]
    places = list(range(last.start, last.end))
    if bench.short:
        places = bench.random.sample(places, 6)
    moved.ids, moved.openings, moved.titles = origin.ids, {}, {}

    def one(at):
        where = f"byte {at - last.start} of the frame of a purge"
        sandbox = same_machine(moved)
        with open(os.path.join(sandbox.store, log), "r+b") as file:
            file.seek(at)
            file.write(bytes([data[at] ^ 1 << at % 8]))
        for words in (["verify"], ["repair"], ["verify"]):
            ran = sandbox.run(*words)
            if not ran.done:
                bench.violate(where, f"{words}: exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}")
        now = contents(sandbox)
        if ("capsules", name) in {*now.live, *now.trash}:
            bench.violate(where, "what was purged is back")
        sandbox.remove()

    bench.each(places, one)
    return f"{len(places)} frames of a purge changed"


def replays(bench):
    """After any history the journal alone gives everything back, and nothing that was purged."""
    def one(number):
        rng = type(bench.random)(f"{bench.random.random()} {number}")
        sandbox = bench.sandbox()
        sandbox.ids = sandbox.openings = sandbox.titles = {}
        mine, purged, where = [], set(), f"replay {number}"
        for step in range(bench.pick(40, 14)):
            verb = rng.choice(["create", "item", "edit", "edit", "delete", "restore", "purge"])
            name = rng.choice(mine) if mine else None
            if verb == "create" or not mine:
                ran = sandbox.run("create", f"c{step}", "--unlock", FUTURE, "--text", f"t{step}", "-q")
                mine.append(ran.out.decode().strip())
            elif verb == "item":
                sandbox.run("beneficiary", "add", f"p{step}", "--notes", "x" * rng.randrange(3000), "-q")
            elif verb == "edit":
                sandbox.run("edit", name, "--notes", "n" * rng.randrange(20_000), "-q")
            elif verb in ("delete", "purge"):
                ran = sandbox.run(verb, name, "--yes")
                if verb == "purge" and ran.done:
                    purged.add(name)
            else:
                sandbox.run("restore", name)
        held(bench, sandbox, where)
        before = files(sandbox.store)
        gone = ["capsules", "beneficiaries", "trash"]
        gone += [["store.json", "identities", "settings.json"], ["store.json"], []][number % 3]
        for folder in gone:
            place = os.path.join(sandbox.store, folder)
            if os.path.isdir(place):
                shutil.rmtree(place)
            elif os.path.exists(place):
                os.unlink(place)
        verified = sandbox.run("verify", "--json")
        said = verified.out + verified.err
        silent = [path for path in before if path.split("/")[0] in gone
                  and path.rsplit("/", 1)[-1].split(".")[0].encode() not in said]
        if silent:
            bench.violate(where, f"{gone} are gone, and verify says nothing of {len(silent)} files: "
                          f"{verified.code} {said[-200:]!r}")
        repaired = sandbox.run("repair", "--json")
        left = differences(before, files(sandbox.store))
        if left or not repaired.done:
            bench.violate(where, f"{gone} are gone; repair: {repaired.code}, not back: {left} "
                          f"{repaired.out[-300:]!r}")
            sandbox.remove()
            return
        for path in files(sandbox.store):
            if any(name in path for name in purged) and path not in before:
                bench.violate(where, f"{path} was purged and is back")
        held(bench, sandbox, where + ", repaired")
        # An earlier state of each log: what a crash or a synchroniser may leave.
        machine = machine_of(sandbox)
        for name in os.listdir(os.path.join(sandbox.store, "journal", machine)) if machine else []:
            if name.endswith(".log"):
                place = os.path.join(sandbox.store, "journal", machine, name)
                with open(place, "rb") as file:
                    data = file.read()
                ends = [0, *(frame.end for frame in frames(data)[0])]
                cut = rng.choice([data[:rng.choice(ends)], data + data])
                with open(place, "wb") as file:
                    file.write(cut)
        held(bench, sandbox, where + ", logs of earlier states or twice")
        sandbox.remove()

    count = bench.pick(200, 4)
    bench.each(list(range(count)), one)
    return f"{count} histories replayed"


def alarms(bench):
    """Eight writers and a purge on one store; every `verify` beside them finds nothing wrong."""
    sandbox = bench.sandbox()
    with open(os.path.join(sandbox.work, "photo.jpg"), "wb") as file:
        file.write(os.urandom(5000))
    sandbox.run("create", "first", "--unlock", FUTURE, "--text", "x", "photo.jpg", "-q")
    goal, done, lock, stop = bench.pick(10_000, 100), Counter(), threading.Lock(), threading.Event()
    generators = [type(bench.random)(bench.random.random()) for _ in range(8)]
    said = [{} for _ in range(8)]

    def write(number):
        rng, mine, known = generators[number], [], said[number]
        while not stop.is_set():
            if len(mine) < 3:
                with open(os.path.join(sandbox.work, f"{number}.jpg"), "wb") as file:
                    file.write(rng.randbytes(3000))
                ran = sandbox.run("create", f"{number}-{rng.random()}", "--unlock", FUTURE, "--text",
                                  "x", f"{number}.jpg", "-q", timeout=60)
                mine.append(ran.out.decode().strip())
            name = rng.choice(mine)
            verb = rng.choice(["edit", "edit", "delete", "restore", "drop"])
            words = {"edit": ["edit", name, "--notes", str(rng.random())],
                     "delete": ["delete", name, "--yes"], "restore": ["restore", name],
                     "drop": ["delete", name, "--yes"]}[verb]
            ran = sandbox.run(*words, timeout=60)
            if ran.code not in (0, 1, 5, 8, 12):
                bench.violate("writer", f"{words}: exit code {ran.code}: {ran.tail()}")
            if ran.done:
                # What was acknowledged: where it is now, and what it says.
                place, notes = known.get(name, ("live", None))
                known[name] = {"edit": ("live", words[-1]), "restore": ("live", notes)}.get(
                    verb, ("trash", notes))
            if verb == "drop":
                mine.remove(name)
            with lock:
                done["changes"] += 1
            # So that a verify comes through on two cores, and at any part of a change.
            stop.wait(rng.uniform(0, bench.pick(0.2, 0.02)))

    def purge():
        while not stop.is_set():
            ran = sandbox.run("purge", "--yes", timeout=60)
            if ran.code not in (0, 8):
                bench.violate("purge", f"exit code {ran.code}: {ran.tail()}")
            with lock:
                done["purges"] += 1
            stop.wait(0.1)

    def verify():
        while True:
            with lock:
                if done["verifies"] >= goal:
                    return
                done["verifies"] += 1
                is_repair = done["verifies"] % 10 == 0
            if is_repair:
                # A repair beside them finds nothing to mend, and undoes nothing.
                ran = sandbox.run("repair", "--json", timeout=60)
                if ran.code not in (0, 8) or ran.done and ran.out.strip() != b"[]":
                    bench.violate("false alarm", f"repair beside writers: {ran.code} {ran.out[:300]!r} "
                                  f"{ran.tail()}")
                with lock:
                    done["repairs"] += 1
            ran = sandbox.run("verify", "--json", timeout=60)
            answer = json_of(ran) or {"problems": []}
            wrong = [problem for problem in answer["problems"] if problem["kind"] in DAMAGE
                     or problem["isDamage"]]
            if ran.code == 8:
                with lock:
                    done["busy"] += 1
            elif not ran.done or wrong:
                bench.violate("false alarm", f"verify beside writers: {ran.code} {wrong or ran.tail()}")
                with lock:
                    done["alarms"] += 1

    verifiers = [threading.Thread(target=verify) for _ in range(2)]
    others = [*(threading.Thread(target=write, args=(number,)) for number in range(8)),
              threading.Thread(target=purge)]
    for thread in [*verifiers, *others]:
        thread.start()
    for thread in verifiers:
        thread.join()
    stop.set()
    for thread in others:
        thread.join()
    held(bench, sandbox, "after the writers")
    now = contents(sandbox)
    for name, (place, notes) in {name: state for some in said for name, state in some.items()}.items():
        key = ("capsules", name)
        data = now.live.get(key) if place == "live" else now.trash.get(key)
        # What is in the trash may be purged by now.
        if data is None and place == "live" or key in now.live and place == "trash" \
                or data and notes and json.loads(data)["notes"] != notes:
            bench.violate("after the writers", f"{name} is to be {place} with {notes}, and is "
                          f"{'live' if key in now.live else 'in the trash' if key in now.trash else 'gone'}")
    return (f"{done['alarms']} false alarms in {done['verifies']} verifies and {done['repairs']} repairs "
            f"beside {done['changes']} "
            f"changes of eight writers and {done['purges']} purges")
