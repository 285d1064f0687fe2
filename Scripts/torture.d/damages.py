"""What is done to the files of a store, and the invariants of `verify` and `repair` afterwards."""
import itertools
import json
import os
import random
import shutil
import subprocess

import faults
from faults import damage, folder_losses, losses_of, unreadable, write
from invariants import json_of
from operations import Operation
from reader import (PUT, Contents, differences, files, group, handle, is_named, journal, keys, machine_of,
                    roster)
from worlds import keepsakes, opens, small_keepsakes


def spoken(run):
    return run.out + run.err


def paths_of(store, *without):
    return sorted(path for path in files(store) if group(path) not in without)


def looking(world, name="verify"):
    """A look at a damaged store; the invariants do the rest."""
    return Operation(name, ["verify", "--json"], world, codes=(7,), timeout=60)


# Bits and bytes

# What `repair` is to put back; contents' files have no second copy, and comments mean nothing.
MENDABLE = {"record", "header", "identity", "trash"}


def look_at_keepsakes(_):
    return [looking(keepsakes)]


def flips(bench, _):
    """Single bits and bytes of each kind of file, with this machine's journal, another's, and none."""
    before, rng, found = files(bench.world(keepsakes).store), bench.random, []
    paths = paths_of(bench.world(keepsakes).store, "lock", "operations")
    for number in range(bench.pick(10_000, 60)):
        # Of each kind of file many, and of the longest as well as of the shortest.
        kind = rng.choice(["record", "record", "record", "header", "identity", "trash", "blob", "journal"])
        path = rng.choice([path for path in paths if group(path) == kind])
        data = before[path]
        at = rng.randrange(len(data))
        new = data[at] ^ 1 << rng.randrange(8) if number % 2 else (data[at] + rng.randrange(1, 256)) % 256
        machine = rng.choice(["own", "own", "own", "own", "copy", "none"])
        if (kind, machine) != ("journal", "none"):
            found.append(damage(path, f"byte {at} {data[at]} -> {new}, journal: {machine}",
                                data[:at] + bytes([new]) + data[at + 1:], machine=machine,
                                is_opened=rng.random() < 0.25))
            found[-1].is_elsewhere = machine != "own"
    return found


def with_that_journal(trial):
    """Takes away the journal and all that the machine knows, where the fault says so."""
    if trial.fault.facts["machine"] == "none":
        shutil.rmtree(os.path.join(trial.sandbox.store, "journal"))
        shutil.rmtree(os.path.join(trial.sandbox.path, "state"))


def needing(trial):
    """The capsules that the damaged file may keep from opening."""
    path, before = trial.fault.path, trial.known.store
    if group(path) == "blob":
        blob = path.rsplit("/", 1)[-1].encode()
        return [name for name in trial.sandbox.openings if any(
            name in other and blob in data for other, data in before.items() if group(other) in ("record", "trash"))]
    if group(path) in ("identity", "header", "journal"):
        return [trial.sandbox.ids["ready"], trial.sandbox.ids["a letter"]]
    return [name for name in trial.sandbox.openings if name in path]


def put_back_or_named(trial):
    """After `repair` every record is as it was, or is named; nothing ends as sound that does not open."""
    path, before, sandbox, looked = trial.fault.path, trial.known.store, trial.sandbox, trial.ran
    kind = group(path)
    repaired = trial.run("repair", "--json", timeout=120)
    verified = trial.run("verify", "--json", timeout=60)
    for name, run in (("repair", repaired), ("verify", verified)):
        if run.code not in (0, 7):
            yield f"{name}: exit code {run.code}: {run.tail()}"
    now = files(sandbox.store)
    changed = differences(before, now)
    left = changed.pop(path, None)
    for other, how in changed.items():
        yield f"{other} is {how}, and nothing was wrong with it"
    extra = [new for new in now if new not in before
             and group(new) not in ("journal", "operations", "backups", "tmp", "lock")]
    if extra:
        yield f"new files: {extra}"
    listed = trial.run("list", "--json")
    for name in sandbox.openings:
        if name.encode() not in listed.out and name not in path and not any(
                new.startswith(f"trash/capsules/{name}") for new in now):
            yield f"list lacks {sandbox.titles[name]}: {listed.code} {listed.tail()}"
    if kind in ("record", "header", "identity") and looked.code != 7 and not (kind == "identity" and not left):
        yield f"verify found nothing before the repair: {looked.code}"
    # Bytes that are the same open as they did: one of four is opened nevertheless.
    is_opened = left or kind in ("identity", "header")
    closed = {name: why for name in needing(trial) if is_opened or (
        trial.fault.facts["is_opened"] and sandbox.titles[name] != "a passphrase") if (why := opens(sandbox, name))}
    if verified.done:
        for name, why in closed.items():
            yield f"sound, and {sandbox.titles[name]} does not open: {why}"
        if left and kind == "blob":
            yield "sound, with a blob of other bytes"
    elif not left:
        yield f"all is as it was, and verify says {verified.out[-300:]!r}"
    if left and not is_named(path, spoken(repaired) + spoken(verified), sandbox.titles):
        yield f"{left}, and neither repair nor verify name it"
    machine = trial.fault.facts["machine"]
    trial.tally.add("flips")
    if kind in MENDABLE:
        trial.tally.add(f"of {machine}")
        trial.tally.add(f"mended {machine}", not left)
        if machine != "none" and left:
            yield f"it is not put back from a journal: {left}"
    if left:
        trial.tally.add("named")
    elif kind not in MENDABLE:
        trial.tally.add("as it was")


# Losses


def kept_things(bench):
    return small_keepsakes if bench.short else keepsakes


def second_copy(bench):
    """What `repair --from` takes from."""
    return bench.world(kept_things(bench)).copy()


def look_at_losses(bench):
    operation = looking(kept_things(bench))
    operation.facts["copy"] = bench.world(second_copy).store
    return [operation]


def all_losses(bench, _):
    """Every file and every directory, removed, emptied, cut, and replaced by others and by what it was before."""
    store, rng = bench.world(kept_things(bench)).store, bench.random
    before, versions, found = files(store), {}, []
    for log in journal(store).values():
        for frame in (frame for some in log.values() for frame in some if frame.what == PUT):
            versions.setdefault(frame.id, []).append(frame.body)
    paths = paths_of(store, "lock", "tmp", "backups", "operations")
    for path in paths:
        data = before[path]
        found += losses_of(path, data, {other: before[other] for other in paths}, rng)
        older = [body for body in versions.get(handle(path), []) if body != data]
        if older and group(path) == "record":
            found.append(damage(path, "replaced by an earlier version of it", older[0]))
        like = [other for other in paths if group(other) == group(path) and before[other] != data]
        if like:
            other = rng.choice(like)
            found.append(damage(path, f"replaced by {other}", before[other]))
    folders = sorted(os.path.relpath(os.path.join(parent, name), store) for parent, names, _ in os.walk(store)
                     for name in names)
    for folder in folders:
        if folder.split("/")[0] not in ("tmp", "backups") and files(os.path.join(store, folder)):
            found += folder_losses(folder, rng.choice([other for other in folders if not other.startswith(folder)
                                                       and not folder.startswith(other)]))
    return found


def damaged_files(bench, operation):
    """Every file damaged in every way, and with single bytes changed. The journal holds second copies: `verify` names
    what is lost of them."""
    before, rng = files(bench.world(kept_things(bench)).store), bench.random
    # An earlier version of a record is none of its damages: it opens as it did.
    found = [fault for fault in all_losses(bench, operation) if fault.path in before
             and group(fault.path) != "journal" and "earlier version" not in fault.name]
    for path in paths_of(bench.world(kept_things(bench)).store, "lock", "tmp", "journal", "operations", "backups"):
        data = before[path]
        for _ in range(bench.pick(70, 1)):
            at, how = rng.randrange(len(data)), rng.randrange(3)
            byte = (data[at] ^ 1 << rng.randrange(8), 0, 255)[how]
            if byte != data[at]:
                found.append(damage(path, f"byte {at} {data[at]} -> {byte}",
                                    data[:at] + bytes([byte]) + data[at + 1:]))
    return found


def others_are_there(trial):
    """Before any repair all other capsules are listed, and a damaged one opens in no way."""
    path, before, sandbox = trial.fault.path, trial.known.store, trial.sandbox
    listed, victim = trial.run("list", "--json"), handle(path)
    if listed.code not in (0, 3, 7):
        yield f"list: exit code {listed.code}: {listed.tail()}"
        return
    live = {name for name in sandbox.openings if f"capsules/{name[:2]}/{name}.json" in before}
    if missing := live - {row["id"] for row in json_of(listed) or []} - {victim}:
        yield f"list lacks {len(missing)} of the others: {listed.tail()}"
    if victim in live and path in trial.fault.facts["damaged"]:
        words = sandbox.openings[victim][0]
        opened = trial.run("open", victim, "--json", *words or [])
        if opened.code not in ((3, 5, 7) if words is not None else (3, 4, 5, 7)):
            yield f"open: exit code {opened.code}: {opened.tail()}"


def header_losses(bench, _):
    """`store.json`, the identities and the settings, each alone and every few of them together."""
    def losing(some):
        def begin(trial):
            for name in some:
                place = os.path.join(trial.sandbox.store, name)
                (shutil.rmtree if os.path.isdir(place) else os.unlink)(place)
        return faults.Fault(" and ".join(some) + " lost", "damage", begin=begin)
    names = ["store.json", "identities", "settings.json"]
    return [losing(some) for count in (1, 2, 3) for some in itertools.combinations(names, count)]


def snapped(trial):
    """What there is after the damage, before anything looks at it."""
    begin = trial.fault.begin

    def begin_and_look(again):
        begin(again)
        again.fault.facts["damaged"] = files(again.sandbox.store)
    trial.fault.begin = begin_and_look


def mended(trial):
    """`verify` names it; `repair`, or `repair --from COPY`, gives the same bytes back."""
    sandbox, before, verified = trial.sandbox, trial.known.store, trial.ran
    damaged = trial.fault.facts["damaged"]
    # An identity without its last newline is the same identity.
    lost = [path for path in before if group(path) not in ("lock", "operations") and damaged.get(path) != before[path]
            and not (group(path) == "identity" and keys(damaged.get(path, b"")) == keys(before[path]))]
    kinds, said = {group(path) for path in lost}, spoken(verified)
    if verified.code != 7 and kinds - {"journal"}:
        yield f"verify: exit code {verified.code}: {said[-300:]!r}"
    for path in lost:
        if group(path) != "journal" and not is_named(path, said, sandbox.titles):
            yield f"verify does not name {path}: {said[-300:]!r}"
    if kinds == {"journal"} and not any(is_named(path, said, {}) or path.split("/")[1].encode() in said
                                        or b'"journal"' in said for path in lost):
        yield f"verify says nothing about the journal: {said[-300:]!r}"
    first = trial.run("repair", "--json", timeout=60)
    left = differences(before, files(sandbox.store))
    trial.tally.add("from a copy" if left else "by itself")
    if left:
        unknown = [path for path in left if not is_named(path, spoken(first), sandbox.titles)
                   and group(path) != "blob"]
        if first.done and unknown:
            yield f"repair ends with 0 and says nothing of {unknown}"
        again = trial.run("repair", "--from", trial.operation.facts["copy"], "--json", timeout=60)
        if left := differences(before, files(sandbox.store)):
            yield f"not mended from a copy: {left} {again.code} {again.out[-300:]!r} {again.tail()}"
    after = trial.run("verify", "--json", timeout=60)
    # What was put there besides stays, is named, and may be damage.
    more = {path for path in damaged if path not in before}
    problems = [problem for problem in (json_of(after) or {}).get("problems", [])
                if not any((problem["path"] or "").endswith(path) for path in more) and problem["kind"] != "foreign"]
    if json_of(after) is None or problems or not after.done and not more:
        yield f"afterwards verify says {after.code} {after.out[-300:]!r} {after.tail()}"
    named, now = roster(sandbox.store, machine_of(sandbox)), Contents(sandbox.store)
    for key in ({*now.live, *now.trash} & {*trial.before.live, *trial.before.trash}) - set(named):
        yield f"{key} is in no journal of this machine afterwards"
    rng = random.Random(trial.fault.name)
    if rng.random() < 0.2:
        name = rng.choice([name for name in sandbox.openings if sandbox.titles[name] != "a passphrase"])
        if why := opens(sandbox, name):
            yield f"{sandbox.titles[name]} does not open afterwards: {why}"


def opens_before_a_repair(trial):
    """A store that lost only its header or identities lists and opens before anything is repaired."""
    damaged, before = trial.fault.facts["damaged"], trial.known.store
    lost = [path for path in before if group(path) not in ("lock", "operations") and damaged.get(path) != before[path]
            and not (group(path) == "identity" and keys(damaged.get(path, b"")) == keys(before[path]))]
    if {group(path) for path in lost} <= {"header", "identity"}:
        listed = json_of(trial.run("list", "--json"))
        live = {name for name in trial.sandbox.openings if f"capsules/{name[:2]}/{name}.json" in before}
        if listed is None or {row["id"] for row in listed} != live:
            yield f"list shows {listed and len(listed)} of {len(live)}"
        # One that was opened before: to open it changes nothing.
        seen = trial.run("open", trial.sandbox.ids["seen"], "--content", "1")
        if seen.out != b"it was seen":
            yield f"an honor capsule does not open: {seen.code} {seen.tail()}"


# Sectors that cannot be read


def bad_sectors(bench, _):
    """Every file and every directory that is listed."""
    store, rng = bench.world(kept_things(bench)).store, bench.random
    before = files(store)
    found = [unreadable(path, "read,pread64") for path in paths_of(store, "lock", "operations")]
    found += [unreadable(os.path.relpath(os.path.join(parent, name), store), "getdents64")
              for parent, names, _ in os.walk(store) for name in sorted(names)
              if files(os.path.join(parent, name)) and name != "trash"]  # that one is never listed
    for fault in found:
        fault.facts["other"] = rng.choice([name for name in sorted(before) if group(name) == "record" and not
                                           name.startswith(fault.path) and len(before[name]) < 4000])
    return found


def with_another_damage(trial):
    """Another record is damaged meanwhile, in which one bit is to be put back."""
    other = trial.fault.facts["other"]
    data = trial.known.store[other]
    middle = len(data) // 2
    write(os.path.join(trial.sandbox.store, other), data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:])
    trial.fault.facts["damaged"] = files(trial.sandbox.store)


def others_are_mended(trial):
    """What cannot be read is named and stays as it is; everything else is looked at and mended."""
    path, other, before = trial.fault.path, trial.fault.facts["other"], trial.known.store
    damaged, verified = trial.fault.facts["damaged"], trial.ran
    said = spoken(verified)
    if verified.code != 7:
        yield f"verify: exit code {verified.code}: {verified.out[-200:]!r} {verified.tail()}"
    if not is_named(other, said, {}):
        yield f"verify does not name the other damage: {said[-300:]!r}"
    if path.encode() not in said and handle(path).encode() not in said:
        yield f"verify does not name it: {said[-300:]!r}"
    repaired = trial.run("repair", timeout=60, **trial.fault.options)
    now = files(trial.sandbox.store)
    if group(path) != "journal":
        changed = [name for name in before if (name == path or name.startswith(path + "/"))
                   and name != other and now.get(name) != damaged[name]]
        if changed:
            yield f"repair changed {changed}: {repaired.out[-300:]!r}"
        if now.get(other) != before[other]:
            yield f"repair leaves the other damage: {repaired.code} {repaired.out[-300:]!r} {repaired.tail()}"
    if repaired.code not in ((7,) if group(path) != "journal" else (0, 7, 10)):
        yield f"repair: exit code {repaired.code}: {repaired.out[-200:]!r} {repaired.tail()}"
    # The disk reads again: one repair more, and everything is as it was.
    trial.run("repair", timeout=60)
    left, again = differences(before, files(trial.sandbox.store)), trial.run("verify", timeout=60)
    if left or not again.done:
        yield f"afterwards: {left} {again.code} {again.out[-200:]!r}"


# A copy of an earlier day, conflict copies


def older_copies(bench, _):
    """A copy of an earlier day laid over the store, as `cp -an` does, after an edit, a deletion, or both."""
    def laid_over(number):
        def begin(trial):
            sandbox, rng = trial.sandbox, random.Random(f"{seed} {number}")
            old = os.path.join(sandbox.work, "old")
            shutil.copytree(sandbox.store, old)
            name = sandbox.ids[rng.choice(["a letter", "ready", "to a key", "empty", "long"])]
            steps = [["edit", name, "--notes", "newer"], ["delete", name, "--with-bequests", "--yes"]]
            for words in [steps, steps[1:]][rng.randrange(2)]:
                sandbox.do(*words)
            before = files(sandbox.store)
            subprocess.run(["cp", "-an", old + "/.", sandbox.store], check=False)
            trial.fault.facts.update(name=name, before=before, both=files(sandbox.store))
        return faults.Fault(f"older copy {number} laid over", "damage", begin=begin)
    seed = bench.random.random()
    return [laid_over(number) for number in range(bench.pick(60, 3))]


def nothing_newer_goes(trial):
    """What is newer stays, and nothing that is replaced goes without a copy in `backups/`."""
    facts, repaired = trial.fault.facts, trial.run("repair", timeout=60)
    now = files(trial.sandbox.store)
    is_valued = ("record", "trash", "blob")
    gone = [path for path, data in {**facts["before"], **facts["both"]}.items()
            if data not in set(now.values()) and group(path) in is_valued]
    if gone:
        yield f"after a repair the bytes of {gone} are nowhere any more: {repaired.out[-300:]!r}"

    def revisions(found):
        return [json.loads(data)["rev"] for path, data in found.items() if facts["name"] in path
                and group(path) in ("record", "trash")]
    if not revisions(now) or max(revisions(now)) < max(revisions(facts["before"])):
        yield f"revision {max(revisions(facts['before']))} was there, {revisions(now)} are left"


def conflict_copies(bench, _):
    """Conflict copies of the header, the settings and a record, as two synchronisers name them."""
    before = files(bench.world(kept_things(bench)).store)
    record = next(path for path in sorted(before) if group(path) == "record")
    forms = ("%s.sync-conflict-20360115-120000-ABCDEFG.json", "%s (conflicted copy 2036-01-15).json")
    return [damage(form % path.removesuffix(".json"), "is a conflict copy", before[path])
            for path in ("store.json", "settings.json", record) for form in forms]


def conflicts_stay(trial):
    """They are named, and neither read nor removed."""
    path, verified = trial.fault.path, trial.ran
    if os.path.basename(path).encode() not in spoken(verified):
        yield f"verify does not name it: {verified.code} {verified.out[-200:]!r}"
    trial.run("repair")
    now = files(trial.sandbox.store)
    if now.get(path) != trial.fault.facts["data"] or differences(trial.known.store, now):
        yield f"after repair: {differences(trial.known.store, now)}, {path in now}"


# A repair that is killed


def wrecked(bench):
    """A store that has lost and damaged some of everything."""
    origin = bench.world(kept_things(bench))
    start, before = origin.copy(), files(origin.store)
    records = [path for path in sorted(before) if group(path) == "record"]
    damages = [(records[0], by_hand(bench)), (records[1], None), (records[2], before[records[2]][:300]),
               ("store.json", None), ("settings.json", before["settings.json"].replace(b"Anna", b"Hanna")),
               *((path, None) for path in before if group(path) in ("identity", "trash"))]
    damages.append(next((path, bytes([before[path][0] ^ 1]) + before[path][1:])
                        for path in sorted(before) if group(path) == "blob"))
    # A log that has no second copy of those: each is hit once.
    hit = {handle(path)[:2] + ".log" for path, _ in damages}
    damages.append(next((path, before[path][:-7]) for path in sorted(before)
                        if path.endswith(".log") and handle(path) not in hit))
    for path, data in damages:
        write(os.path.join(start.store, path), data)
    return start


def by_hand(bench):
    """A record as somebody changed it, whose checksum does not hold."""
    before = files(bench.world(kept_things(bench)).store)
    record = next(path for path in sorted(before) if group(path) == "record")
    return before[record].replace(b'"rev": ', b'"byHand": true,\n  "rev": ', 1)


def repairs(bench):
    origin = bench.world(kept_things(bench))
    words = ["repair", "--from", bench.world(second_copy).store]
    return [Operation("repair --from", words, wrecked, timeout=60, facts={
        "whole": files(origin.store), "by hand": by_hand(bench)})]


def next_repair_mends(trial):
    """The next one mends it all the same, and nothing that was changed by hand is gone."""
    facts = trial.operation.facts
    if facts["by hand"] not in files(trial.sandbox.store).values():
        yield "what was changed by hand is nowhere any more"
    again = trial.run(*trial.operation.words, timeout=60)
    now, verified = files(trial.sandbox.store), trial.run("verify", timeout=60)
    left = differences(facts["whole"], now)
    if left or not again.done or not verified.done:
        yield f"the next repair: {again.code} {again.tail()}, {left}; verify: {verified.code} {verified.out[-300:]!r}"
    if facts["by hand"] not in now.values():
        yield "what was changed by hand is not in backups/"
