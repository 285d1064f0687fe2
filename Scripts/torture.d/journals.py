"""The journal torn at every byte, replayed and moved; and what it must name whatever becomes of it."""
import json
import os
import shutil

from faults import damage
from invariants import json_of
from operations import Operation
from reader import (PURGED, PUT, RESTORED, TRASHED, WRITTEN_ANEW, Contents, differences, files, frames, group, journal,
                    machine_of, roster)
from worlds import FUTURE, verified


def names_what_is_there(sandbox):
    """The journal and the store name the same, after `verify` filled it, and it has a second copy of each record."""
    looked = sandbox.run("verify", "--json", timeout=60)
    if not looked.done or json_of(looked) is None:
        yield f"verify: exit code {looked.code}: {looked.out[-300:]!r} {looked.tail()}"
        return
    now, named = Contents(sandbox.store), roster(sandbox.store)
    have = {key: json.loads(data)["rev"] for key, data in [*now.trash.items(), *now.live.items()]}
    if named != have:
        yield f"the journal and the store differ: {set(named.items()) ^ set(have.items())}"
    newest = {}
    for log in journal(sandbox.store).get(machine_of(sandbox), {}).values():
        for frame in log:
            if frame.what == PUT:
                newest.setdefault((frame.kind, frame.id), {})[frame.rev] = frame.body
    for key, data in now.live.items():
        if newest.get(key, {}).get(have[key]) != data:
            yield f"the journal has no second copy of {key} as it is"


def journal_holds(trial):
    yield from names_what_is_there(trial.sandbox)


def next_edit_is_appended(trial):
    """The next change writes behind the last whole frame."""
    following = trial.run("edit", trial.sandbox.ids["plain"], "--notes", "after the fault", "-q")
    if not following.done:
        yield f"the next edit: exit code {following.code}: {following.tail()}"
    for problem in names_what_is_there(trial.sandbox):
        yield problem + ", after the next edit"


def is_written_anew(bench, operation):
    """The suite's own edit does what it is there for."""
    rehearsal = bench.world(operation.world).copy()
    rehearsal.do(*operation.words)
    if journal(rehearsal.store)[machine_of(rehearsal)][rehearsal.ids["plain"][:2] + ".log"][0].what != WRITTEN_ANEW:
        bench.violate(operation.name, "the suite itself: the log is not written anew")
    rehearsal.remove()


# Torn


def ends(sandbox):
    """A log of this machine that ends in each kind of frame, by the kind."""
    machine, found = machine_of(sandbox), {}
    for name, log in journal(sandbox.store)[machine].items():
        if log:
            found.setdefault(log[-1].what, f"journal/{machine}/{name}")
    return found


def every_end(bench):
    """A store whose logs end in each kind of frame."""
    sandbox = bench.world(verified).copy()
    sandbox.ids = {**sandbox.ids, "plain": sandbox.ids["locked"]}
    for words in (["purge", sandbox.ids["purged"], "--yes"], ["restore", sandbox.ids["deleted"]],
                  ["delete", bench.world(verified).ids["plain"], "--with-bequests", "--yes"]):
        sandbox.do(*words)
    # Two records may share a log by their ids: then others are made that do not.
    for _ in range(20):
        missing = {PUT, TRASHED, RESTORED, PURGED} - ends(sandbox).keys()
        if not missing:
            break
        more = sandbox.do("item", "add", "more", "-q")
        if missing != {PUT}:
            sandbox.do("item", "delete", more, "--yes")
        if missing & {RESTORED, PURGED}:
            sandbox.do(*["restore", more] if RESTORED in missing else ["purge", more, "--yes"])
    return sandbox


def look_at_ends(_):
    return [Operation("verify", ["verify"], every_end)]


def tears(bench, _):
    """The last frame of logs that end in each kind of frame, cut at every byte; or followed by zeros or rubbish, as a
    power cut leaves it."""
    start, found = bench.world(every_end), []
    by_kind = ends(start)
    for what in (PUT, TRASHED, RESTORED, PURGED):
        if what not in by_kind:
            bench.violate("tears", f"the suite itself: no log ends in a frame of kind {what}")
            continue
        path = by_kind[what]
        data = files(start.store)[path]
        last, said = frames(data)[0][-1].start, f"that ends in a frame of kind {what}"
        found += [damage(path, f"{said}, cut at {at}", data[:at]) for at in range(last, len(data))]
        found += [damage(path, f"{said}, zeros from {at}", data[:at] + bytes(len(data) - at))
                  for at in range(last, len(data), 16)]
        found += [damage(path, f"{said}, rubbish of {size}", data + bench.random.randbytes(size))
                  for size in (1, 7, 8, 55, 56, 300, 5000)]
    return found


def repair_has_nothing(trial):
    repaired = trial.run("repair", "--json")
    if not repaired.done:
        yield f"repair: exit code {repaired.code}: {repaired.out[-200:]!r}"
    if other := differences(trial.known.store, files(trial.sandbox.store)):
        yield f"records changed: {other}"


# Purged for good


def moved(bench):
    """A store that moved to another disk, where its former self is another machine that names what was purged since."""
    sandbox = bench.world(verified).copy(is_same_machine=False)
    sandbox.do("purge", sandbox.ids["purged"], "--yes")
    sandbox.do("verify")
    sandbox.is_same_machine = True
    return sandbox


def look_at_moved(_):
    return [Operation("verify", ["verify"], moved)]


def changed_purges(bench, _):
    """Each byte of the frame that says that a record was purged has another bit."""
    start = bench.world(moved)
    name = start.ids["purged"]
    path = os.path.join("journal", machine_of(start), name[:2] + ".log")
    data = files(start.store)[path]
    last = [frame for frame in frames(data)[0] if frame.what == PURGED and frame.id == name][-1]
    return [damage(path, f"byte {at - last.start} of the frame of a purge",
                   data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]) for at in range(last.start, last.end)]


def stays_away(trial):
    """The record does not come back by a repair."""
    for ran in (trial.ran, trial.run("repair"), trial.run("verify")):
        if not ran.done:
            yield f"exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}"
    now = Contents(trial.sandbox.store)
    if ("capsules", trial.sandbox.ids["purged"]) in {*now.live, *now.trash}:
        yield "what was purged is back"


# Replayed


def replays(bench):
    """After any history the journal alone gives everything back, and nothing that was purged."""
    def one(number):
        sandbox, rng = bench.sandbox(), type(bench.random)(f"{seed} {number}")
        sandbox.is_same_machine = True
        purged = history(sandbox, rng, bench.pick(40, 14))
        for problem in replayed(sandbox, rng, purged, number):
            bench.violate(f"replay {number}", problem)
        sandbox.remove()

    seed, count = bench.random.random(), bench.pick(200, 4)
    bench.each(list(range(count)), one)
    return f"{count} histories replayed"


def history(sandbox, rng, steps):
    """Random commands, and what they purged."""
    mine, purged = [], set()
    for step in range(steps):
        verb = rng.choice(["create", "item", "edit", "edit", "delete", "restore", "purge"])
        name = rng.choice(mine) if mine else None
        if verb == "create" or not mine:
            mine.append(sandbox.do("create", f"c{step}", "--unlock", FUTURE, "--text", f"t{step}", "-q"))
            continue
        ran = sandbox.run(*{
            "item": ["beneficiary", "add", f"p{step}", "--notes", "x" * rng.randrange(3000), "-q"],
            "edit": ["edit", name, "--notes", "n" * rng.randrange(20_000), "-q"],
            "delete": ["delete", name, "--yes"], "purge": ["purge", name, "--yes"],
            "restore": ["restore", name]}[verb])
        if verb == "purge" and ran.done:
            purged.add(name)
    return purged


def replayed(sandbox, rng, purged, number):
    yield from names_what_is_there(sandbox)
    before = files(sandbox.store)
    gone = ["capsules", "beneficiaries", "trash"]
    gone += [["store.json", "identities", "settings.json"], ["store.json"], []][number % 3]
    for name in gone:
        place = os.path.join(sandbox.store, name)
        if os.path.isdir(place):
            shutil.rmtree(place)
        elif os.path.exists(place):
            os.unlink(place)
    looked = sandbox.run("verify", "--json")
    said = looked.out + looked.err
    silent = [path for path in before if path.split("/")[0] in gone
              and path.rsplit("/", 1)[-1].split(".")[0].encode() not in said]
    if silent:
        yield f"{gone} are gone, and verify says nothing of {len(silent)} files: {looked.code} {said[-200:]!r}"
    repaired = sandbox.run("repair", "--json")
    now = files(sandbox.store)
    if (left := differences(before, now)) or not repaired.done:
        yield f"{gone} are gone; repair: {repaired.code}, not back: {left} {repaired.out[-300:]!r}"
        return
    for path in now:
        if any(name in path for name in purged) and path not in before:
            yield f"{path} was purged and is back"
    yield from names_what_is_there(sandbox)
    # An earlier state of each log, or twice the same: what a crash or a synchroniser may leave.
    for path, data in files(sandbox.store).items():
        if group(path) == "journal" and path.split("/")[1] == machine_of(sandbox) and path.endswith(".log"):
            ends = [0, *(frame.end for frame in frames(data)[0])]
            with open(os.path.join(sandbox.store, path), "wb") as file:
                file.write(rng.choice([data[:rng.choice(ends)], data + data]))
    yield from names_what_is_there(sandbox)
