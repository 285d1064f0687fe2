"""Files and directories of a store that are lost, cut off, emptied or exchanged, one at a time.

`verify` names each, `repair` or `repair --from COPY` gives the same bytes back. And a copy made while
commands changed the store: what it lacks, or has of an earlier revision, is told.
"""
import itertools
import json
import os
import shutil
import subprocess
import threading
import time
from collections import Counter

import calls
from bad_sectors import bad_sectors
from changes import FUTURE, contents, json_of
from frames import PUT, journal, roster
from keepsakes import (adopt, differences, group, handle, is_named, keepsakes, keys, machine_of,
                       opens, same_machine)
from reader import files


def run(bench):
    origin = keepsakes(bench, is_small=bench.short)
    before = files(origin.store)
    figures, lock = Counter(), threading.Lock()
    jobs = [*file_losses(bench, before, origin.store), *folder_losses(bench, origin.store)]
    if bench.short:
        jobs = bench.random.sample(jobs, 30)
    jobs += header_losses(origin.store)
    copy = origin.copy()

    def one(job):
        where, paths, damage = job
        found = lose(bench, origin, copy, before, where, paths, damage)
        with lock:
            figures.update(found)
            figures["losses"] += 1

    bench.each(jobs, one)
    sectors, copies = bad_sectors(bench, origin), hot_copies(bench)
    return (f"{figures['losses']} losses, {figures['by itself']} mended by repair alone, "
            f"{figures['from a copy']} from a copy, {sectors}, {twins(bench, origin)}, "
            f"{conflicts(bench, origin)}, {killed_repairs(bench, origin, copy)}, {copies}")


def file_losses(bench, before, store):
    """Every file, removed, cut, emptied, and replaced by others and by what it was before."""
    versions = {}
    for log in journal(store).values():
        for frame in (frame for some in log.values() for frame in some if frame.what == PUT):
            versions.setdefault(frame.id, []).append(frame.body)
    paths = sorted(path for path in before if group(path) not in ("lock", "tmp", "backups"))
    for path in paths:
        data = before[path]
        like = [other for other in paths if group(other) == group(path) and before[other] != data]
        any_other = bench.random.choice([other for other in paths if before[other] != data])
        changes = [("removed", None), ("emptied", b""), ("cut in half", data[:len(data) // 2]),
                   ("cut by a byte", data[:-1]), (f"replaced by {any_other}", before[any_other]),
                   ("zeros", bytes(len(data)))]
        older = [body for body in versions.get(handle(path), []) if body != data]
        if older and group(path) == "record":
            changes.append(("replaced by an earlier version of it", older[0]))
        if like:
            other = bench.random.choice(like)
            changes.append((f"replaced by {other}", before[other]))
        for what, new in changes:
            yield (f"{path} {what}", [path], lambda store, path=path, new=new: put(store, path, new))


def put(store, path, data):
    place = os.path.join(store, path)
    os.unlink(place)
    if data is not None:
        with open(place, "xb") as file:
            file.write(data)
        os.chmod(place, 0o600)


def folder_losses(bench, store):
    """Every directory, removed, emptied, and replaced by a file or by another directory."""
    folders = sorted(os.path.relpath(os.path.join(parent, name), store)
                     for parent, names, _ in os.walk(store) for name in names)
    for folder in folders:
        if folder.split("/")[0] in ("tmp", "backups"):
            continue
        inside = sorted(files(os.path.join(store, folder)))
        if not inside:
            continue
        paths = [f"{folder}/{name}" for name in inside]
        other = bench.random.choice([other for other in folders if not other.startswith(folder)
                                     and not folder.startswith(other)])
        for what, damage in (("removed", remove), ("emptied", empty), ("replaced by a file", a_file),
                             (f"replaced by {other}", lambda place, other=other: exchange(place, other,
                                                                                         store))):
            yield (f"{folder}/ {what}", paths,
                   lambda store, folder=folder, damage=damage: damage(os.path.join(store, folder)))


def remove(place):
    shutil.rmtree(place)


def empty(place):
    for parent, _, names in os.walk(place):
        for name in names:
            os.unlink(os.path.join(parent, name))


def a_file(place):
    shutil.rmtree(place)
    with open(place, "wb") as file:
        file.write(b"a file")


def exchange(place, other, store):
    shutil.rmtree(place)
    shutil.copytree(os.path.join(store, other), place)


def header_losses(store):
    """`store.json`, the identities and the settings, each alone and every few of them together."""
    names = ["store.json", "identities", "settings.json"]
    for count in (1, 2, 3):
        for some in itertools.combinations(names, count):
            paths = [path for path in files(store) if path.split("/")[0] in some]

            def damage(store, some=some):
                for name in some:
                    place = os.path.join(store, name)
                    (shutil.rmtree if os.path.isdir(place) else os.unlink)(place)
            yield (" and ".join(some) + " lost", paths, damage)


def lose(bench, origin, copy, before, where, paths, damage):
    sandbox = same_machine(origin)
    damage(sandbox.store)
    damaged = files(sandbox.store)
    # An identity without its last newline is the same identity.
    lost = [path for path in paths if damaged.get(path) != before[path]
            and not (group(path) == "identity" and keys(damaged.get(path, b"")) == keys(before[path]))]
    kinds = {group(path) for path in lost}
    is_header = kinds <= {"header", "identity"}
    if is_header:
        # The store opens before anything is repaired.
        listed = json_of(sandbox.run("list", "--json"))
        live = {name for name in sandbox.openings if f"capsules/{name[:2]}/{name}.json" in before}
        if listed is None or {row["id"] for row in listed} != live:
            bench.violate(where, f"list shows {listed and len(listed)} of {len(live)}")
        # One that was opened before: to open it changes nothing.
        seen = sandbox.run("open", sandbox.ids["seen"], "--content", "1")
        if seen.out != b"it was seen":
            bench.violate(where, f"an honor capsule does not open: {seen.code} {seen.tail()}")
    verified = sandbox.run("verify", "--json", timeout=60)
    said = verified.out + verified.err
    if verified.code != 7 and kinds - {"journal"}:
        bench.violate(where, f"verify: exit code {verified.code}: {said[-300:]!r}")
    for path in lost:
        if group(path) == "journal":
            continue
        if not is_named(path, said, sandbox.titles):
            bench.violate(where, f"verify does not name {path}: {said[-300:]!r}")
    if kinds == {"journal"} and not any(is_named(path, said, {}) or path.split("/")[1].encode() in said
                                        or b'"journal"' in said for path in lost):
        bench.violate(where, f"verify says nothing about the journal: {said[-300:]!r}")
    was = contents(origin)
    first = sandbox.run("repair", "--json", timeout=60)
    result, left = "by itself", differences(before, files(sandbox.store))
    if left:
        result = "from a copy"
        unknown = [path for path in left if not is_named(path, first.out + first.err, sandbox.titles)
                   and group(path) != "blob"]
        if first.done and unknown:
            bench.violate(where, f"repair ends with 0 and says nothing of {unknown}")
        again = sandbox.run("repair", "--from", copy.store, "--json", timeout=60)
        left = differences(before, files(sandbox.store))
        if left:
            bench.violate(where, f"not mended from a copy: {left} {again.code} {again.out[-300:]!r} "
                          f"{again.tail()}")
    after = sandbox.run("verify", "--json", timeout=60)
    # What was put there besides stays, is named, and may be damage.
    more = {path for path in damaged if path not in before}
    problems = [problem for problem in (json_of(after) or {}).get("problems", [])
                if not any((problem["path"] or "").endswith(path) for path in more)
                and problem["kind"] != "foreign"]
    if json_of(after) is None or problems or not after.done and not more:
        bench.violate(where, f"afterwards verify says {after.code} {after.out[-300:]!r} {after.tail()}")
    named = roster(sandbox.store, machine_of(sandbox))
    now = contents(sandbox)
    for key in ({*now.live, *now.trash} & {*was.live, *was.trash}) - set(named):
        bench.violate(where, f"{key} is in no journal of this machine afterwards")
    if bench.random.random() < 0.2:
        name = bench.random.choice([name for name in sandbox.openings
                                    if sandbox.titles[name] != "a passphrase"])
        why = opens(sandbox, name)
        if why:
            bench.violate(where, f"{sandbox.titles[name]} does not open afterwards: {why}")
    sandbox.remove()
    return [result]


def twins(bench, origin):
    """A copy of an earlier day laid over the store, as `cp -an` does: what is newer stays, and nothing
    that is replaced goes without a copy in `backups/`."""
    count = bench.pick(60, 3)

    def one(number):
        rng, where = type(bench.random)(f"{bench.random.random()} {number}"), f"twin {number}"
        sandbox = same_machine(origin)
        old = os.path.join(sandbox.path, "work", "old")
        shutil.copytree(sandbox.store, old)
        name = sandbox.ids[rng.choice(["a letter", "ready", "to a key", "empty", "long"])]
        steps = rng.sample([["edit", name, "--notes", "newer"], ["delete", name, "--with-bequests",
                                                                 "--yes"]], 2)
        for words in steps if steps[0][0] == "edit" else [steps[0]]:
            ran = sandbox.run(*words)
            if not ran.done:
                bench.violate(where, f"{words}: exit code {ran.code}: {ran.tail()}")
        before = files(sandbox.store)
        subprocess.run(["cp", "-an", old + "/.", sandbox.store], check=False)
        with_both = files(sandbox.store)
        sandbox.run("verify")
        repaired = sandbox.run("repair", timeout=60)
        now = files(sandbox.store)
        kept = set(now.values())
        gone = [path for path, data in {**before, **with_both}.items() if data not in kept
                and group(path) in ("record", "trash", "blob")]
        if gone:
            bench.violate(where, f"{[words[0] for words in steps]}, then the older copy over it, then "
                          f"repair: the bytes of {gone} are nowhere any more: {repaired.out[-300:]!r}")
        revs = [json.loads(data)["rev"] for path, data in now.items() if name in path
                and group(path) in ("record", "trash")]
        newest = max(json.loads(data)["rev"] for path, data in before.items() if name in path
                     and group(path) in ("record", "trash"))
        if not revs or max(revs) < newest:
            bench.violate(where, f"revision {newest} was there, {revs} are left")
        verified = sandbox.run("verify")
        if not verified.done:
            bench.violate(where, f"verify after the repair: {verified.code} {verified.out[-300:]!r}")
        sandbox.remove()

    bench.each(list(range(count)), one)
    return f"{count} older copies laid over"


def conflicts(bench, origin):
    """Conflict copies of the header, the settings and a record are named, and neither read nor removed."""
    before = files(origin.store)
    record = next(path for path in sorted(before) if group(path) == "record")
    count = 0
    for path in ("store.json", "settings.json", record):
        for form in ("%s.sync-conflict-20360115-120000-ABCDEFG.json", "%s (conflicted copy 2036-01-15).json"):
            count += 1
            sandbox = same_machine(origin)
            name = form % path.removesuffix(".json")
            with open(os.path.join(sandbox.store, name), "wb") as file:
                file.write(before[path])
            verified = sandbox.run("verify")
            if os.path.basename(name).encode() not in verified.out + verified.err:
                bench.violate(name, f"verify does not name it: {verified.code} {verified.out[-200:]!r}")
            sandbox.run("repair")
            now = files(sandbox.store)
            if now.get(name) != before[path] or differences(before, now):
                bench.violate(name, f"after repair: {differences(before, now)}, {name in now}")
            sandbox.remove()
    return f"{count} conflict copies"


def killed_repairs(bench, origin, copy):
    """A store that has lost and damaged some of everything, and a repair that is killed at any call: the
    next one mends it all the same, and nothing that was changed by hand is gone."""
    if not calls.usable():
        return "no killed repairs: strace cannot trace here"
    start, before = same_machine(origin), files(origin.store)
    records = [path for path in sorted(before) if group(path) == "record"]
    by_hand = before[records[0]].replace(b'"rev": ', b'"byHand": true,\n  "rev": ', 1)
    damages = [(records[0], by_hand), (records[1], None), (records[2], before[records[2]][:300]),
               ("store.json", None), ("settings.json", before["settings.json"].replace(b"Anna", b"Hanna")),
               *((path, None) for path in before if group(path) in ("identity", "trash"))]
    damages.append(next((path, bytes([before[path][0] ^ 1]) + before[path][1:])
                        for path in sorted(before) if group(path) == "blob"))
    # A log that has no second copy of those: each is hit once.
    hit = {handle(path)[:2] + ".log" for path, _ in damages}
    damages.append(next((path, before[path][:-7]) for path in sorted(before)
                        if path.endswith(".log") and handle(path) not in hit))
    for path, data in damages:
        os.chmod(os.path.join(start.store, path), 0o600)
        put(start.store, path, data)
    words = ["repair", "--from", copy.store]
    rehearsal = same_machine(start)
    ran, points = calls.trace(rehearsal, words)
    left = differences(before, files(rehearsal.store))
    if left or not ran.done:
        bench.violate("a repair of some of everything", f"{ran.code}: {left} {ran.out[-300:]!r}")
    rehearsal.remove()
    count, killed = len(points), [0]
    if bench.short:
        points = bench.random.sample(points, 15)

    def one(point):
        call, number, _ = point
        where = f"repair --from killed at {call}#{number}"
        sandbox = same_machine(start)
        ran = sandbox.run(*words, prefix=calls.injecting(call, number, "signal=KILL"), timeout=60)
        killed[0] += ran.code not in (0, None)
        if by_hand not in files(sandbox.store).values():
            bench.violate(where, "what was changed by hand is nowhere any more")
        again = sandbox.run(*words, timeout=60)
        now = files(sandbox.store)
        left = differences(before, now)
        verified = sandbox.run("verify", timeout=60)
        if left or not again.done or not verified.done:
            bench.violate(where, f"the next repair: {again.code} {again.tail()}, {left}; verify: "
                          f"{verified.code} {verified.out[-300:]!r}")
        if by_hand not in now.values():
            bench.violate(where, "what was changed by hand is not in backups/")
        sandbox.remove()

    bench.each(points, one)
    start.remove()
    return f"{killed[0]} repairs killed at {len(points)} of {count} points"


def hot_copies(bench):
    """Copies made by `cp -a`, or file by file in any order, while four writers are at work."""
    sandbox = bench.sandbox()
    with open(os.path.join(sandbox.work, "photo.jpg"), "wb") as file:
        file.write(os.urandom(3000))
    for number in range(bench.pick(60, 20)):
        sandbox.run("create", f"first {number}", "--unlock", FUTURE, "--text", "x", "-q", "photo.jpg")
    stop, generators = threading.Event(), [type(bench.random)(bench.random.random()) for _ in range(4)]

    def write(number):
        rng, mine = generators[number], []
        while not stop.is_set():
            # Not so many that the copies take longer and longer.
            if len(mine) < 25:
                ran = sandbox.run("create", f"{number}-{rng.random()}", "--unlock", FUTURE, "--text",
                                  "x", "-q", "photo.jpg")
                mine.append(ran.out.decode().strip())
            for _ in range(3):
                name = rng.choice(mine)
                words = rng.choice([["edit", name, "--notes", str(rng.random())],
                                    ["delete", name, "--yes"], ["restore", name]])
                sandbox.run(*words)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in writers:
        thread.start()
    figures = Counter()
    for number in range(bench.pick(200, 8)):
        time.sleep(0.1)
        copy = bench.sandbox()
        if number % 2:
            subprocess.run(["cp", "-a", sandbox.store, copy.store], stderr=subprocess.DEVNULL,
                           check=False)
        else:
            copy_slowly(bench, sandbox.store, copy.store)
        if number % 4 > 1 and os.path.exists(os.path.join(copy.store, "store.json")):
            # One that takes the store's place on the same machine: there it is no note, but exit code 7.
            shutil.rmtree(os.path.join(copy.path, "state"))
            shutil.copytree(os.path.join(sandbox.path, "state"), os.path.join(copy.path, "state"))
            adopt(copy)
        figures.update(look_at(bench, copy, f"hot copy {number}", machine_of(copy)))
        copy.remove()
    stop.set()
    for thread in writers:
        thread.join()
    return (f"{figures['copies']} hot copies, {figures['lacking']} of them lacked what their journal "
            f"names or had it older, all told")


def copy_slowly(bench, source, target):
    """Copies folder by folder in any order, so that much happens in between."""
    os.mkdir(target)
    for name in bench.random.sample(os.listdir(source), len(os.listdir(source))):
        place = os.path.join(source, name)
        subprocess.run(["cp", "-a", place, target], stderr=subprocess.DEVNULL, check=False)
        time.sleep(0.02)


def look_at(bench, copy, where, machine=None):
    """Holds what `verify` says of a copy to what its journals and its files say."""
    if not os.path.exists(os.path.join(copy.store, "store.json")):
        return []
    named, now = roster(copy.store), contents(copy)
    have = {}
    for path, data in files(copy.store).items():
        # Live and in the trash at once: the higher revision counts.
        if group(path) in ("record", "trash"):
            key = (path.split("/")[group(path) == "trash"], handle(path))
            try:
                have[key] = max(have.get(key, 0), json.loads(data)["rev"])
            except (ValueError, KeyError):
                pass
    lacking = {key for key, rev in named.items() if have.get(key, 0) < rev}
    blobs = {name for name in now.named_blobs() if name not in now.blobs}
    verified = copy.run("verify", "--json", timeout=60)
    answer = json_of(verified)
    if answer is None:
        bench.violate(where, f"verify: {verified.code} {verified.tail()}")
        return ["copies"]
    if machine and lacking and verified.code != 7:
        bench.violate(where, f"verify: exit code {verified.code}, and of {lacking} its own journal knows")
    told = {problem["id"] for problem in answer["problems"]
            if problem["kind"] in ("missing", "awaited", "outdated", "record", "unreadable")}
    for key in sorted(lacking):
        if key[1] not in told:
            bench.violate(where, f"verify says nothing of {key}, which a journal names with revision "
                          f"{named[key]} and the copy has with {have.get(key)}")
    for name in told - {key[1] for key in lacking}:
        if not any(name in problem for problem in now.problems):
            bench.violate(where, f"verify names {name}, and nothing is wrong with it: "
                          f"{[p for p in answer['problems'] if p['id'] == name]}")
    if blobs and verified.done:
        bench.violate(where, f"verify ends with 0, and {len(blobs)} contents are not there")
    return ["copies", "lacking"] if lacking else ["copies"]
