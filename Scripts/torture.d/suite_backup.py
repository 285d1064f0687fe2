"""Backups killed at every call, on a full disk, a hundred generations, beside writers, and with rot.

Whatever happens, every generation that can be seen is whole, the ones before stand as they were, and
the source is not touched.
"""
import json
import os
import re
import shutil
import subprocess
import threading
from collections import Counter

import calls
from changes import FUTURE, json_of
from frames import roster
from keepsakes import differences, group, keepsakes, same_machine
from reader import Contents, checksum_holds, files

NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z(\.\d+)?$")


def run(bench):
    origin = keepsakes(bench, is_small=True)
    told = [kills(bench, origin), errors(bench, origin), full_disks(bench, origin), generations(bench, origin),
            beside_writers(bench), rotten(bench, origin), refusals(bench, origin)]
    return ", ".join(told)


def seen(target):
    """The generations in a directory, the newest last, as anyone sees them."""
    names = [name for name in os.listdir(target) if NAME.match(name)]
    return sorted(names, key=lambda name: (name.split(".")[0], int((name.split(".") + ["1"])[1])))


def state(target):
    return {name: files(os.path.join(target, name)) for name in seen(target)}


def whole(store):
    """Why a store's directory is not a whole store: by hashes, and by its own journals."""
    now = Contents(store)
    problems = list(now.problems)
    problems += [f"blob {name} is named and missing" for name in now.named_blobs()
                 if name not in now.blobs]
    for name in ("store.json", "settings.json"):
        path = os.path.join(store, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if not checksum_holds(file.read()):
                    problems.append(f"{name}: the checksum does not hold")
        elif name == "store.json":
            problems.append("no store.json")
    if not os.listdir(os.path.join(store, "identities")):
        problems.append("no identity")
    have = {}
    for key, data in [*now.trash.items(), *now.live.items()]:
        have[key] = json.loads(data)["rev"]
    problems += [f"{key} is named with revision {rev} and there with {have.get(key)}"
                 for key, rev in roster(store).items() if have.get(key, 0) < rev]
    return problems


def source_of(store):
    """The files of a store that a backup leaves alone: all but the lock's message and the journal."""
    return {path: data for path, data in files(store).items()
            if path != "lock" and group(path) != "journal"}


def look(bench, sandbox, where, target, before, source, but=()):
    """Holds a directory of generations to what was there before a run, and the source as well; `but`
    are those of which the run itself said that they are not sound."""
    now = state(target)
    for name in set(now) - set(but):
        for problem in whole(os.path.join(target, name)):
            bench.violate(where, f"generation {name}: {problem}")
    for name, data in before.items():
        if name in now and now[name] != data:
            bench.violate(where, f"generation {name} changed: {differences(data, now[name])}")
    if source_of(sandbox.store) != source:
        bench.violate(where, "the source changed")
    return now


def verified_copy(bench, where, path):
    """Has the program look at a copy of a generation: it would write a journal of its own into it."""
    copy = bench.sandbox()
    subprocess.run(["cp", "-a", path, copy.store], check=True)
    ran = copy.run("verify", "--json", timeout=60)
    answer = json_of(ran) or {"problems": [ran.tail()]}
    if not ran.done or answer["problems"]:
        bench.violate(where, f"verify of {os.path.basename(path)}: {ran.code} {answer['problems']}")
    copy.remove()


def kills(bench, origin):
    if not calls.usable():
        return "no kills: strace cannot trace here"
    start = same_machine(origin)
    target = os.path.join(start.path, "work", "kept")
    os.mkdir(target)
    for number in range(2):
        ran = start.run("backup", target)
        if not ran.done:
            raise RuntimeError(f"backup: {ran.code} {ran.tail()}")
        start.run("create", f"more {number}", "--unlock", FUTURE, "--text", "x", "photo.jpg", "-q")
    start.run("edit", start.ids["empty"], "--notes", "changed since")
    jobs = []
    for words in (["backup", "kept"], ["backup", "kept", "--keep", "1"]):
        rehearsal = copied(start)
        _, points = calls.trace(rehearsal, words)
        rehearsal.remove()
        jobs += [(words, call, number) for call, number, _ in points]
    count = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, 45)
    killed, lock = Counter(), threading.Lock()

    def one(job):
        words, call, number = job
        where = f"{' '.join(words)} killed at {call}#{number}"
        sandbox = copied(start)
        place = os.path.join(sandbox.work, "kept")
        before, source = state(place), source_of(sandbox.store)
        ran = sandbox.run(*words, prefix=calls.injecting(call, number, "signal=KILL"))
        with lock:
            killed["kills"] += ran.code not in (0, None)
        now = look(bench, sandbox, where, place, before, source)
        kept = [name for name in before if name in now]
        if not now or "--keep" not in words and len(kept) < len(before):
            bench.violate(where, f"{len(before)} generations before, {len(kept)} of them stand")
        if "--keep" in words and len(kept) < len(before) and len(now) == len(kept):
            bench.violate(where, "a generation went before the new one was there")
        again = sandbox.run(*words)
        if not again.done:
            bench.violate(where, f"the next backup: exit code {again.code}: {again.tail()}")
        now = look(bench, sandbox, where + ", then once more", place, {}, source)
        newest = os.path.join(place, seen(place)[-1])
        if source_of(newest) != source:
            bench.violate(where, f"the next generation is another: "
                          f"{differences(source, source_of(newest))}")
        litter = [name for name in os.listdir(place) if not NAME.match(name) and name != ".lock"]
        if litter:
            bench.violate(where, f"left after the next backup: {litter}")
        sandbox.remove()

    bench.each(jobs, one)
    start.remove()
    return f"{killed['kills']} kills at {len(jobs)} of {count} points"


ERRORS = ["EIO", "ENOSPC", "EACCES", "EINTR", "EMFILE", "EROFS"]


def errors(bench, origin):
    """A call that fails: a disk that is full, breaks or is pulled out; and one without hard links."""
    if not calls.usable():
        return "no errors: strace cannot trace here"
    start = same_machine(origin)
    target = os.path.join(start.work, "kept")
    os.mkdir(target)
    start.run("backup", target)
    start.run("edit", start.ids["empty"], "--notes", "changed since")
    rehearsal = copied(start)
    _, points = calls.trace(rehearsal, ["backup", "kept"])
    rehearsal.remove()
    jobs = [(call, number, error) for call, number, _ in points for error in ERRORS]
    jobs = bench.random.sample(jobs, bench.pick(3000, 20))
    # Everything from some moment on: the disk was pulled out.
    jobs += [(call, f"{number}+", "EIO") for call, number, text in
             bench.random.sample([point for point in points if "kept" in point[2]],
                                 bench.pick(200, 4))]
    jobs += [("link,linkat", "1+", "EPERM"), ("link,linkat", "1+", "EMLINK")]

    def one(job):
        call, number, error = job
        where = f"backup {call}#{number} {error}"
        sandbox = copied(start)
        place = os.path.join(sandbox.work, "kept")
        before, source = state(place), source_of(sandbox.store)
        ran = sandbox.run("backup", "kept", prefix=calls.injecting(call, number, "error=" + error))
        if ran.code is None or ran.code < 0 or ran.code not in (0, 7, 8, 10, 12):
            bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
        if ran.code and not ran.err and not ran.out:
            bench.violate(where, f"exit code {ran.code} without a message")
        unsound = set(seen(place)) - set(before) if ran.code == 7 else ()
        now = look(bench, sandbox, where, place, before, source, unsound)
        if set(before) - set(now):
            bench.violate(where, f"{set(before) - set(now)} went")
        if ran.done and len(now) != len(before) + 1:
            bench.violate(where, f"exit code 0, and {len(now)} generations after {len(before)}")
        if ran.done or call == "link,linkat":
            new = sorted(set(now) - set(before))
            if not new or source_of(os.path.join(place, new[-1])) != source:
                bench.violate(where, f"exit code {ran.code}, and the generation is not the source: {new}")
        again = sandbox.run("backup", "kept")
        if not again.done:
            bench.violate(where, f"the next backup: exit code {again.code}: {again.tail()}")
        look(bench, sandbox, where + ", then once more", place, {}, source, unsound)
        sandbox.remove()

    bench.each(jobs, one)
    start.remove()
    return f"{len(jobs)} failing calls"


def copied(start):
    """The same machine's copy, with its generations and their hard links."""
    other = same_machine(start)
    place = os.path.join(other.work, "kept")
    shutil.rmtree(place)
    subprocess.run(["cp", "-a", os.path.join(start.work, "kept"), place], check=True)
    return other


def full_disks(bench, origin):
    """A disk that has room for 0, 1, 2, … more blocks, and for few more files."""
    mount = os.path.join(bench.root, "disk")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True,
                      check=False).returncode:
        print("  backup: no right to mount: disk steps skipped", flush=True)
        return "0 full disks"
    subprocess.run(["umount", mount], check=True)
    steps = [*((blocks, None) for blocks in bench.pick(range(0, 90), [0, 5, 30])),
             *((None, count) for count in bench.pick(range(0, 110, 2), [0, 10, 60]))]
    refused = 0
    for blocks, inodes in steps:
        where = f"backup with room for {blocks} blocks, {inodes} files"
        sandbox = same_machine(origin)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,nr_inodes=100000", "none", mount],
                       check=True)
        try:
            target = os.path.join(mount, "kept")
            os.mkdir(target)
            first = sandbox.run("backup", target)
            if not first.done:
                bench.violate(where, f"the first backup: {first.code} {first.tail()}")
            sandbox.run("edit", sandbox.ids["empty"], "--notes", "changed since")
            sandbox.run("create", "more", "--unlock", FUTURE, "--text", "x", "photo.jpg", "-q")
            used = os.statvfs(mount)
            size = (used.f_blocks - used.f_bfree + (blocks or 0)) * used.f_bsize
            count = used.f_files - used.f_ffree + (inodes or 0)
            limits = f"size={size}" if blocks is not None else f"nr_inodes={count}"
            subprocess.run(["mount", "-o", "remount," + limits, mount], check=True)
            before, source = state(target), source_of(sandbox.store)
            ran = sandbox.run("backup", target, "--keep", "1")
            if ran.code not in (0, 10):
                bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
            now = look(bench, sandbox, where, target, before, source)
            if not ran.done:
                refused += 1
                if set(now) != set(before):
                    bench.violate(where, f"refused, and there are {list(now)} after {list(before)}")
                if not ran.err:
                    bench.violate(where, "refused without a message")
            subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=100000", mount], check=True)
            again = sandbox.run("backup", target)
            if not again.done:
                bench.violate(where, f"with room again: exit code {again.code}: {again.tail()}")
            look(bench, sandbox, where + ", with room again", target, {}, source)
            litter = [name for name in os.listdir(target) if not NAME.match(name) and name != ".lock"]
            if litter:
                bench.violate(where, f"left after the next backup: {litter}")
        finally:
            subprocess.run(["umount", "-l", mount], check=False)
            sandbox.remove()
    return f"{len(steps)} full disks, {refused} refused"


def generations(bench, origin):
    """Many generations with changes in between; each is checked by hashes and by the program."""
    sandbox, rng = same_machine(origin), bench.random
    target, keep = os.path.join(sandbox.work, "kept"), bench.pick(30, 4)
    os.mkdir(target)
    mine, links, count, source_inodes = [], 0, bench.pick(100, 8), set()
    for number in range(count):
        where = f"generation {number}"
        with open(os.path.join(sandbox.work, "new.jpg"), "wb") as file:
            file.write(rng.randbytes(4000))
        ran = sandbox.run("create", f"g{number}", "--unlock", FUTURE, "--text", "x", "new.jpg", "-q")
        mine.append(ran.out.decode().strip())
        name = rng.choice(mine)
        sandbox.run(*rng.choice([["edit", name, "--notes", str(number)], ["delete", name, "--yes"],
                                 ["restore", name], ["settings", "set", "spanUnits", "3"]]))
        if number % 7 == 6:
            sandbox.run("purge", "--yes")
        before, source = state(target), source_of(sandbox.store)
        ran = sandbox.run("backup", target, "--keep", str(keep), "--json")
        answer = json_of(ran)
        if not ran.done or answer is None or not answer["isSound"]:
            bench.violate(where, f"exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}")
            continue
        now = look(bench, sandbox, where, target, before, source)
        if len(now) != min(keep, number + 1):
            bench.violate(where, f"{len(now)} generations are kept, not {min(keep, number + 1)}")
        newest = os.path.join(target, seen(target)[-1])
        if source_of(newest) != source:
            bench.violate(where, f"not the source: {differences(source, source_of(newest))}")
        source_inodes = inodes(sandbox.store)
        mine_now = inodes(newest)
        if source_inodes & mine_now:
            bench.violate(where, "a file is linked to the source")
        if len(seen(target)) > 1:
            shared = inodes(os.path.join(target, seen(target)[-2]), "blobs") & inodes(newest, "blobs")
            links += len(shared)
            if not shared:
                bench.violate(where, "no content is shared with the generation before")
    for name in seen(target):
        verified_copy(bench, "generations", os.path.join(target, name))
    kept = len(seen(target))
    sandbox.remove()
    return f"{count} generations, the {kept} kept verified, {links} links"


def inodes(directory, under=""):
    return {os.lstat(os.path.join(parent, name)).st_ino
            for parent, _, names in os.walk(os.path.join(directory, under)) for name in names}


def beside_writers(bench):
    """Backups while four writers are at work: nothing that a generation's journals name is lacking."""
    sandbox = bench.sandbox()
    target = os.path.join(sandbox.work, "kept")
    os.mkdir(target)
    for number in range(10):
        sandbox.run("create", f"first {number}", "--unlock", FUTURE, "--text", "x", "-q")
    stop, lock, known = threading.Event(), threading.Lock(), {}
    generators = [type(bench.random)(bench.random.random()) for _ in range(4)]

    def write(number):
        rng, mine = generators[number], []
        while not stop.is_set():
            with open(os.path.join(sandbox.work, f"{number}.jpg"), "wb") as file:
                file.write(rng.randbytes(3000))
            # Not so many that the backups take longer and longer.
            if len(mine) < 25:
                ran = sandbox.run("create", f"{number}-{rng.random()}", "--unlock", FUTURE, "--text",
                                  "x", f"{number}.jpg", "-q", timeout=60)
                if ran.done:
                    mine.append(ran.out.decode().strip())
                    with lock:
                        known[mine[-1]] = True
            for _ in range(2 if mine else 0):
                name = rng.choice(mine)
                sandbox.run(*rng.choice([["edit", name, "--notes", str(rng.random())],
                                         ["delete", name, "--yes"], ["restore", name]]), timeout=60)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in writers:
        thread.start()
    count = bench.pick(200, 5)
    for number in range(count):
        where = f"backup {number} beside writers"
        with lock:
            acknowledged = set(known)
        ran = sandbox.run("backup", target, "--keep", "2", "--json", timeout=120)
        if not ran.done:
            bench.violate(where, f"exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}")
            continue
        newest = os.path.join(target, seen(target)[-1])
        for problem in whole(newest):
            bench.violate(where, problem)
        now = Contents(newest)
        lacking = acknowledged - {name for _, name in [*now.live, *now.trash]}
        if lacking:
            bench.violate(where, f"acknowledged before it began, and not in it: {lacking}")
        verified_copy(bench, where, newest)
    stop.set()
    for thread in writers:
        thread.join()
    sandbox.remove()
    return f"{count} beside four writers"


def rotten(bench, origin):
    """A bit that changed in the last generation is not linked on; one in the source is told, and so is
    a file that the source lost."""
    count = bench.pick(200, 6)

    def one(number):
        rng = type(bench.random)(f"{bench.random.random()} {number}")
        where = f"rot {number}"
        sandbox = same_machine(origin)
        target = os.path.join(sandbox.work, "kept")
        os.mkdir(target)
        sandbox.run("backup", target)
        sandbox.run("backup", target)
        is_source, is_lost = number % 2, number % 6 == 1
        store = sandbox.store if is_source else os.path.join(target, seen(target)[-1])
        path = rng.choice(sorted(path for path in files(store)
                                 if group(path) in ("record", "blob", "trash", "header")
                                 and not (is_lost and group(path) == "header")))
        if is_lost:
            os.unlink(os.path.join(store, path))
        else:
            flip(os.path.join(store, path), rng)
        ran = sandbox.run("backup", target, "--keep", "1", "--json")
        if is_source:
            if ran.code != 7 or len(seen(target)) < 3:
                bench.violate(where, f"{path} of the source is {'lost' if is_lost else 'damaged'}; backup "
                              f"--keep 1: {ran.code}, {len(seen(target))} generations are left")
            elif path.rsplit("/", 1)[-1].split(".")[0].encode() not in ran.out + ran.err:
                bench.violate(where, f"{path} of the source is not named: {ran.out[-200:]!r}")
        else:
            newest = os.path.join(target, seen(target)[-1])
            if not ran.done:
                bench.violate(where, f"{path} of the last generation is damaged; the next backup: "
                              f"{ran.code} {ran.out[-200:]!r} {ran.tail()}")
            for problem in whole(newest):
                bench.violate(where, f"{path} was damaged in the last generation; the next has: "
                              f"{problem}")
        sandbox.remove()

    bench.each(list(range(count)), one)
    return f"{count} with a changed bit"


def flip(path, rng):
    os.chmod(path, 0o600)
    with open(path, "r+b") as file:
        data = file.read()
        at = rng.randrange(len(data))
        file.seek(at)
        file.write(bytes([data[at] ^ 1 << rng.randrange(8)]))


def refusals(bench, origin):
    """Places that are refused: another store's generations, the store itself, what is no directory."""
    sandbox, other = same_machine(origin), bench.sandbox()
    other.run("create", "other", "--unlock", FUTURE, "--text", "x", "-q")
    target = os.path.join(other.work, "kept")
    os.mkdir(target)
    if not other.run("backup", target).done:
        bench.violate("refusals", "the other store's own backup")
    before, source = state(target), files(sandbox.store)
    ran = sandbox.run("backup", target)
    if ran.code != 12 or state(target) != before:
        bench.violate("refusals", f"into another store's directory: {ran.code} {ran.tail()}")
    for place in (sandbox.store, os.path.join(sandbox.store, "backups"),
                  os.path.join(sandbox.work, "photo.jpg")):
        ran = sandbox.run("backup", place)
        now = files(sandbox.store)
        if ran.done or {path for path in now if group(path) != "journal"} \
                != {path for path in source if group(path) != "journal"}:
            bench.violate("refusals", f"into {place}: {ran.code} {ran.tail()}")
    other.remove()
    sandbox.remove()
    return "4 places refused"
