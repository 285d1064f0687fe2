"""Bits and bytes that change by themselves, in every file of a store with every kind and lock.

After `repair` each record is as it was, or is named as lost; nothing ends sound that does not open.
And what was removed for good is found nowhere in the store, nor in the state of the machine.
"""
import os
import shutil
import threading
from collections import Counter

from keepsakes import differences, group, is_named, keepsakes, opens, same_machine
from reader import files
from removals import removals

# What `repair` is to put back; contents' files have no second copy, and comments mean nothing.
MENDABLE = {"record", "header", "identity", "trash"}


def run(bench):
    origin = keepsakes(bench)
    before = files(origin.store)
    paths = sorted(path for path in before if path != "lock")
    figures, lock = Counter(), threading.Lock()
    jobs = []
    for number in range(bench.pick(10_000, 60)):
        # Of each kind of file many, and of the longest as well as of the shortest.
        kind = bench.random.choice(["record", "record", "record", "header", "identity", "trash", "blob",
                                    "journal"])
        path = bench.random.choice([path for path in paths if group(path) == kind])
        at = bench.random.randrange(len(before[path]))
        old = before[path][at]
        new = old ^ 1 << bench.random.randrange(8) if number % 2 else \
            (old + bench.random.randrange(1, 256)) % 256
        machine = bench.random.choice(["own", "own", "own", "own", "copy", "none"])
        jobs.append((path, at, old, new, machine))

    def one(job):
        path, at, old, new, machine = job
        where = f"{path} byte {at} {old} -> {new}, journal: {machine}"
        sandbox = same_machine(origin) if machine == "own" else origin.copy()
        if machine != "own":
            sandbox.ids, sandbox.openings, sandbox.titles = (origin.ids, origin.openings,
                                                             origin.titles)
        if machine == "none":
            shutil.rmtree(os.path.join(sandbox.store, "journal"))
            shutil.rmtree(os.path.join(sandbox.path, "state"))
        place = os.path.join(sandbox.store, path)
        if os.path.exists(place):
            os.chmod(place, 0o600)
            with open(place, "r+b") as file:
                file.seek(at)
                file.write(bytes([new]))
            found = judge(bench, sandbox, where, path, before)
            with lock:
                figures.update(found)
                figures["flips"] += 1
                if group(path) in MENDABLE:
                    figures[f"of {machine}"] += 1
                    figures[f"mended {machine}"] += "mended" in found
        sandbox.remove()

    bench.each(jobs, one)
    mended, all_of = sum(figures[f"mended {m}"] for m in ("own", "copy")), \
        sum(figures[f"of {m}"] for m in ("own", "copy"))
    if mended < 0.99 * all_of:
        bench.violate("mended", f"{mended} of {all_of} flips in records and headers")
    searched = removals(bench)
    return (f"{figures['flips']} flips, {mended} of {all_of} in records and headers mended with a "
            f"journal, {figures['mended none']} of {figures['of none']} without one, "
            f"{figures['named']} others named, {figures['as it was']} without effect, {searched}")


def judge(bench, sandbox, where, path, before):
    """Repairs, and holds what is left to what was; says what became of it."""
    looked = sandbox.run("verify", "--json", timeout=60)
    repaired = sandbox.run("repair", "--json", timeout=120)
    if repaired.code not in (0, 7):
        bench.violate(where, f"repair: exit code {repaired.code}: {repaired.tail()}")
    verified = sandbox.run("verify", "--json", timeout=60)
    if verified.code not in (0, 7):
        bench.violate(where, f"verify: exit code {verified.code}: {verified.tail()}")
    said = repaired.out + repaired.err + verified.out + verified.err
    now = files(sandbox.store)
    others = differences(before, now)
    left = {}
    for other, how in others.items():
        if other == path:
            left[other] = how
        else:
            bench.violate(where, f"{other} is {how}, and nothing was wrong with it")
    extra = [new for new in now if new not in before
             and group(new) not in ("journal", "backups", "tmp", "lock")]
    if extra:
        bench.violate(where, f"new files: {extra}")
    listed = sandbox.run("list", "--json")
    for name in sandbox.openings:
        is_hit = name in path
        if name.encode() not in listed.out and not is_hit and f"trash/capsules/{name}" not in \
                " ".join(now):
            bench.violate(where, f"list lacks {sandbox.titles[name]}: {listed.code} {listed.tail()}")
    if group(path) in ("record", "header", "identity") and looked.code != 7 \
            and not (group(path) == "identity" and not left):
        bench.violate(where, f"verify found nothing before the repair: {looked.code}")
    # What does not open any more: the capsule that was hit, or whichever needs what was hit.
    names = [name for name in sandbox.openings if name in path]
    if group(path) == "blob":
        names = [name for name in sandbox.openings
                 if any(name in other and path.rsplit("/", 1)[-1].encode() in data
                        for other, data in before.items() if group(other) in ("record", "trash"))]
    elif group(path) in ("identity", "header", "journal"):
        names = [sandbox.ids["ready"], sandbox.ids["a letter"]]
    if left or group(path) in ("identity", "header"):
        closed = {name: why for name in names if (why := opens(sandbox, name))}
    else:
        # Bytes that are the same open as they did: one of four is opened nevertheless.
        closed = {name: why for name in names if bench.random.random() < 0.25
                  and sandbox.titles[name] != "a passphrase" and (why := opens(sandbox, name))}
    for name, why in closed.items():
        if verified.done:
            bench.violate(where, f"sound, and {sandbox.titles[name]} does not open: {why}")
    if left and not is_named(path, said, sandbox.titles):
        bench.violate(where, f"{left} and neither repair nor verify name it: {said[-300:]!r}")
    if left and verified.done and group(path) == "blob":
        bench.violate(where, "sound, with a blob of other bytes")
    if left and group(path) == "record" and verified.done and not closed:
        # Taken as a change by hand: it opens, and repair said so.
        return ["accepted", "named"]
    if not left and not verified.done:
        bench.violate(where, f"all is as it was, and verify says {verified.out[-300:]!r}")
    if left:
        return ["named"]
    return ["mended"] if group(path) in MENDABLE else ["as it was"]
