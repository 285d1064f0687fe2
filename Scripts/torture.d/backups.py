"""Backups: what a generation must be, whatever happened to the run that made it, to the one before, or to the disk."""
import json
import os
import re
import subprocess

import faults
from faults import damage, flipped
from invariants import is_explained, is_whole, json_of
from operations import Operation
from reader import Contents, checksum_holds, differences, files, group, roster
from worlds import FUTURE, small_keepsakes, with_backup, with_backups

NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z(\.\d+)?$")
CODES = (0, 7, 8, 10, 12)


def target_of(sandbox):
    return os.path.join(sandbox.work, "kept")


def seen(target):
    """The generations in a directory, the newest last, as anyone sees them."""
    names = [name for name in os.listdir(target) if NAME.match(name)]
    return sorted(names, key=lambda name: (name.split(".")[0], int((name.split(".") + ["1"])[1])))


def newest_of(target):
    return os.path.join(target, seen(target)[-1])


def generations_of(target):
    return {name: files(os.path.join(target, name)) for name in seen(target)}


def is_generation(store):
    """Why a store's directory is not a whole store: by hashes, and by its own journals."""
    now = Contents(store)
    yield from is_whole(now)
    for name in ("store.json", "settings.json"):
        path = os.path.join(store, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if not checksum_holds(file.read()):
                    yield f"{name}: the checksum does not hold"
        elif name == "store.json":
            yield "no store.json"
    if not os.listdir(os.path.join(store, "identities")):
        yield "no identity"
    have = {key: json.loads(data)["rev"] for key, data in [*now.trash.items(), *now.live.items()]}
    for key, rev in roster(store).items():
        if have.get(key, 0) < rev:
            yield f"{key} is named with revision {rev} and there with {have.get(key)}"


def source_of(store):
    """The files of a store that a backup leaves alone: all but the lock's message and what stands in `journal/`."""
    return {path: data for path, data in files(store).items() if group(path) not in ("lock", "journal", "operations")}


def generations_stand(target, before, but=()):
    """All are whole, and those of before as they were; `but` are those of which a run said that they are not sound."""
    now = generations_of(target)
    for name in set(now) - set(but):
        for problem in is_generation(os.path.join(target, name)):
            yield f"generation {name}: {problem}"
    for name, data in before.items():
        if name in now and now[name] != data:
            yield f"generation {name} changed: {differences(data, now[name])}"


def verified_copy(bench, path):
    """Has the program look at a copy of a generation: it would write a journal of its own into it."""
    copy = bench.sandbox()
    subprocess.run(["cp", "-a", path, copy.store], check=True)
    ran = copy.run("verify", "--json", timeout=60)
    answer = json_of(ran) or {"problems": [ran.tail()]}
    if not ran.done or answer["problems"]:
        yield f"verify of {os.path.basename(path)}: {ran.code} {answer['problems']}"
    copy.remove()


# Killed, refused, without room


def backups(_):
    return [Operation(" ".join(words), words, with_backups, codes=CODES)
            for words in (["backup", "kept"], ["backup", "kept", "--keep", "1"])]


def one_backup(_):
    return [Operation("backup", ["backup", "kept"], with_backup, codes=CODES)]


def keeping_one(_):
    return [Operation("backup --keep 1", ["backup", "kept", "--keep", "1"], with_backup, codes=(0, 10))]


def failing(bench, operation):
    """Calls that fail; from some moment on all of those at the disk, which was pulled out; and no hard links."""
    rehearsal = bench.world(operation.world).copy()
    _, points = faults.trace(rehearsal, operation.words)
    rehearsal.remove()
    found = [(call, number, error) for call, number, _ in points
             for error in ("EIO", "ENOSPC", "EACCES", "EINTR", "EMFILE", "EROFS")]
    found = bench.random.sample(found, bench.pick(3000, 20))
    found += [(call, f"{number}+", "EIO") for call, number, text in bench.random.sample(
        [point for point in points if "kept" in point[2]], bench.pick(200, 4))]
    found += [("link,linkat", "1+", "EPERM"), ("link,linkat", "1+", "EMLINK")]
    return [faults.at_call(call, number, "error=" + error) for call, number, error in found]


def little_room(bench, _):
    return [*(faults.small_disk(target_of, blocks=blocks) for blocks in bench.pick(range(0, 90), [0, 5, 30])),
            *(faults.small_disk(target_of, inodes=count) for count in bench.pick(range(0, 110, 2), [0, 10, 60]))]


def look_before(trial):
    """Keeps what stands before the run."""
    trial.fault.facts.update(before=generations_of(target_of(trial.sandbox)), source=source_of(trial.sandbox.store))


def before_stands(trial):
    """Every generation that is there is whole, those before stand as they were, the source is untouched; an old one
    goes only when the new one is there."""
    target, facts, ran = target_of(trial.sandbox), trial.fault.facts, trial.ran
    before, now = facts["before"], seen(target_of(trial.sandbox))
    unsound = set(now) - set(before) if ran.code == 7 else ()
    yield from generations_stand(target, before, unsound)
    if source_of(trial.sandbox.store) != facts["source"]:
        yield "the source changed"
    kept, is_keeping = [name for name in before if name in now], "--keep" in trial.operation.words
    if len(kept) < len(before) and (not is_keeping or len(now) == len(kept) or ran.code not in (0, None, -9)):
        yield f"{len(before)} generations before, {len(kept)} of them stand, of {len(now)}"
    if trial.fault.kind == "disk" and not ran.done and len(now) > len(before):
        yield f"refused, and there are {now} after {list(before)}"
    new = sorted(set(now) - set(before))
    if ran.done or trial.fault.call == "link,linkat":
        if not new or source_of(os.path.join(target, new[-1])) != facts["source"]:
            yield f"exit code {ran.code}, and the generation is not the source: {new}"


def next_backup_finishes(trial):
    """The next one is of the source, and leaves nothing half made."""
    target, source = target_of(trial.sandbox), trial.fault.facts["source"]
    unsound = set(seen(target)) - set(trial.fault.facts["before"]) if trial.ran.code == 7 else ()
    again = trial.run(*trial.operation.words)
    if not again.done:
        yield f"the next backup: exit code {again.code}: {again.tail()}"
        return
    yield from generations_stand(target, {}, unsound)
    if source_of(newest_of(target)) != source:
        yield f"the next generation is another: {differences(source, source_of(newest_of(target)))}"
    litter = [name for name in os.listdir(target) if not NAME.match(name) and name != ".lock"]
    if litter:
        yield f"left after the next backup: {litter}"


# Many of them


def inodes(directory, under=""):
    return {os.lstat(os.path.join(parent, name)).st_ino
            for parent, _, names in os.walk(os.path.join(directory, under)) for name in names}


def generations(bench):
    """Many generations with changes in between; each is checked by hashes and by the program."""
    sandbox, rng = bench.world(small_keepsakes).copy(), bench.random
    target, keep = target_of(sandbox), bench.pick(30, 4)
    os.mkdir(target)
    mine, links, count = [], 0, bench.pick(100, 8)
    for number in range(count):
        sandbox.put("new.jpg", rng.randbytes(4000))
        mine.append(sandbox.do("create", f"g{number}", "--unlock", FUTURE, "--text", "x", "new.jpg", "-q"))
        name = rng.choice(mine)
        sandbox.run(*rng.choice([["edit", name, "--notes", str(number)], ["delete", name, "--yes"],
                                 ["restore", name], ["settings", "set", "spanUnits", "3"]]))
        if number % 7 == 6:
            sandbox.run("purge", "--yes")
        before, source = generations_of(target), source_of(sandbox.store)
        ran = sandbox.run("backup", target, "--keep", str(keep), "--json")
        problems = list(generations_stand(target, before))
        if not ran.done or not (json_of(ran) or {}).get("isSound"):
            problems.append(f"exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}")
        now = seen(target)
        if len(now) != min(keep, number + 1):
            problems.append(f"{len(now)} generations are kept, not {min(keep, number + 1)}")
        if source_of(sandbox.store) != source or source_of(newest_of(target)) != source:
            problems.append(f"not the source: {differences(source, source_of(newest_of(target)))}")
        if inodes(sandbox.store) & inodes(newest_of(target)):
            problems.append("a file is linked to the source")
        if len(now) > 1:
            shared = inodes(os.path.join(target, now[-2]), "blobs") & inodes(newest_of(target), "blobs")
            links += len(shared)
            if not shared:
                problems.append("no content is shared with the generation before")
        for problem in problems:
            bench.violate(f"generation {number}", problem)
    for name in seen(target):
        for problem in verified_copy(bench, os.path.join(target, name)):
            bench.violate("generations", problem)
    kept = len(seen(target))
    sandbox.remove()
    return f"{count} generations, the {kept} kept verified, {links} links"


# Rot


def twice_backed_up(bench):
    """Two generations of what the source is."""
    sandbox = bench.world(small_keepsakes).copy()
    os.mkdir(target_of(sandbox))
    for _ in range(2):
        sandbox.do("backup", "kept")
    return sandbox


def one_more_backup(_):
    return [Operation("backup --keep 1", ["backup", "kept", "--keep", "1", "--json"], twice_backed_up, codes=(7,))]


def rotten(bench, _):
    """A bit that changed in the last generation, or in the source, and a file that the source lost."""
    start, rng, found = bench.world(twice_backed_up), bench.random, []
    places = {"the last generation": lambda sandbox: newest_of(target_of(sandbox)), "the source": faults.store_of}
    for number in range(bench.pick(200, 6)):
        what, is_lost = list(places)[number % 2], number % 6 == 1
        now = files(places[what](start))
        path = rng.choice(sorted(path for path in now if group(path) in ("record", "blob", "trash", "header")
                                 and not (is_lost and group(path) == "header")))
        found.append(damage(path, f"of {what} is {'lost' if is_lost else 'damaged'}",
                            None if is_lost else flipped(now[path], rng), places[what], is_source=number % 2))
    return found


def rot_is_not_linked_on(trial):
    """Rot of a generation is not linked on; that of the source is told, and no generation goes."""
    target, ran, path = target_of(trial.sandbox), trial.ran, trial.fault.path
    if trial.fault.facts["is_source"]:
        if ran.code != 7 or len(seen(target)) < 3:
            yield f"exit code {ran.code}, {len(seen(target))} generations are left"
        elif path.rsplit("/", 1)[-1].split(".")[0].encode() not in ran.out + ran.err:
            yield f"it is not named: {ran.out[-200:]!r}"
    else:
        if not ran.done:
            yield f"exit code {ran.code}: {ran.out[-200:]!r} {ran.tail()}"
        for problem in is_generation(newest_of(target)):
            yield f"the next has: {problem}"


# Places that are refused


def refusals(bench):
    """Another store's generations, the store itself, what is no directory."""
    sandbox, other = bench.world(small_keepsakes).copy(), bench.sandbox()
    other.do("create", "other", "--unlock", FUTURE, "--text", "x", "-q")
    os.mkdir(target_of(other))
    other.do("backup", "kept")
    before, source = generations_of(target_of(other)), source_of(sandbox.store)
    places = {target_of(other): (12,), sandbox.store: CODES[1:] + (2, 3),
              os.path.join(sandbox.store, "backups"): CODES[1:] + (2, 3),
              os.path.join(sandbox.work, "photo.jpg"): CODES[1:] + (2, 3)}
    for place, codes in places.items():
        ran = sandbox.run("backup", place)
        if ran.code not in codes or not is_explained(ran) or set(source_of(sandbox.store)) != set(source) \
                or generations_of(target_of(other)) != before:
            bench.violate("refusals", f"into {place}: {ran.code} {ran.tail()}")
    other.remove()
    sandbox.remove()
    return f"{len(places)} places refused"
