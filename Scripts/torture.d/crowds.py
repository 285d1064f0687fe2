"""Many at once on one store: writers who are killed, who wait for one another, beside whom is verified, repaired,
copied and backed up, and under whom the power goes."""
import fcntl
import json
import os
import shutil
import subprocess
import threading
import time

import backups
import journals
from engine import Crowd, Tally
from invariants import json_of
from reader import Contents, files, group, handle, journal, machine_of, roster
from sandbox import Sandbox, adopt
from worlds import FUTURE, PAST, PHOTO, ROUND_BEACON, ROUND_TIME


# Killed


def writers(bench):
    """Four writers, killed at random moments, and a reader; what was acknowledged stays."""
    sandbox, goal, tally = bench.sandbox(), bench.pick(10_000, 300), Tally()
    acknowledged, started = {}, time.monotonic()
    for number in range(5):
        sandbox.do("create", f"first-{number}", "--unlock", FUTURE, "--text", "x", "-q")
    # How long one takes here; four at once take longer.
    usual = (time.monotonic() - started) / 5 * 2

    def write(number, rng, _):
        count = 0
        while tally["kills"] < goal:
            count += 1
            title, text = f"w{number}-{count}", f"{number}-{count}-" + "x" * rng.randrange(2000)
            process = sandbox.start("create", title, "--unlock", FUTURE, "--text", text, "-q")
            # Most die on their way, at any part of it; some come through.
            timer = threading.Timer(rng.uniform(0, usual * 1.5), process.kill)
            timer.start()
            out, err = process.communicate()
            timer.cancel()
            with tally.lock:
                tally["kills"] += process.returncode == -9
                if name := out.decode().strip():
                    acknowledged[name] = title
            if process.returncode not in (0, -9):
                bench.violate("writer", f"exit code {process.returncode}: {err[-200:]!r}")

    with Crowd(bench, 4, write) as crowd:
        while any(thread.is_alive() for thread in crowd.threads):
            listed = sandbox.run("list", "--json")
            if not listed.done or json_of(listed) is None:
                bench.violate("reader", f"list: {listed.code} {listed.tail()}")
            crowd.stop.wait(0.2)
    now = Contents(sandbox.store)
    for problem in [*now.problems, *is_kept(now, acknowledged), *is_sound(sandbox)]:
        bench.violate("writers", problem)
    left = len(os.listdir(os.path.join(sandbox.store, "tmp")))
    return f"{tally['kills']} kills, {len(acknowledged)} acknowledged, {len(now.live)} records, {left} files in tmp/"


def is_kept(now, acknowledged):
    """What was acknowledged is there, with its title."""
    for name, title in acknowledged.items():
        key = ("capsules", name)
        if key not in now.live or now.record(*key)["title"] != title:
            yield f"{title} was acknowledged and is not there"


def is_sound(sandbox):
    verified = sandbox.run("verify", timeout=300)
    if not verified.done:
        yield f"verify: {verified.code} {verified.tail()}"


# Waiting for one another


def contention(bench):
    """Sixteen writers and two readers: nobody waits long, nothing is lost, and what is listed only grows."""
    sandbox, each, waits, done = bench.sandbox(), bench.pick(500, 10), [], []

    def write(number, _, __):
        for count in range(each):
            started = time.monotonic()
            ran = sandbox.run("create", f"{number}-{count}", "--unlock", FUTURE, "--text", "x", "-q", timeout=60)
            waits.append(time.monotonic() - started)
            done.append(ran.done)
            if not ran.done:
                bench.violate("writer", f"exit code {ran.code}: {ran.tail()}")

    def read(_, __, stop):
        last = 0
        while not stop.is_set():
            rows = json_of(sandbox.run("list", "--json", timeout=60))
            if rows is None or len(rows) < last:
                bench.violate("reader", f"{last} records, then {rows and len(rows)}")
                return
            last = len(rows)

    with Crowd(bench, 2, read), Crowd(bench, 16, write) as crowd:
        crowd.join()
    now = Contents(sandbox.store)
    titles = {now.record(*key)["title"] for key in now.live}
    if len(titles) != 16 * each or sum(done) != 16 * each:
        bench.violate("store", f"{sum(done)} acknowledged, {len(titles)} there")
    waits.sort()
    p99 = waits[int(len(waits) * 0.99)]
    # Whoever has no processor waits too: this is not about how fast the machine is.
    if p99 > bench.pick(1, 10):
        bench.violate("wait", f"p99 of a whole command is {p99:.2f} s")
    stopped_holder(bench, sandbox)
    return f"{len(titles)} of {16 * each}, p99 {p99 * 1000:.0f} ms a command, max {waits[-1]:.2f} s"


def stopped_holder(bench, sandbox):
    """Who holds the lock and does nothing makes others give up with exit code 8, in time."""
    with open(os.path.join(sandbox.store, "lock"), "r+b") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        started = time.monotonic()
        ran = sandbox.run("create", "busy", "--unlock", FUTURE, "--text", "x", "--lock-timeout", "1")
        took = time.monotonic() - started
        if ran.code != 8 or not 0.9 < took < 15:
            bench.violate("stopped holder", f"exit code {ran.code} after {took:.1f} s: {ran.tail()}")
        reading = sandbox.run("list", "--json")
        if not reading.done:
            bench.violate("stopped holder", f"list: {reading.code} {reading.tail()}")
    ran = sandbox.run("create", "free", "--unlock", FUTURE, "--text", "x")
    if not ran.done:
        bench.violate("released holder", f"exit code {ran.code}: {ran.tail()}")


def mixed(bench):
    """Every command beside every other on the same records: each ends as one of those that came before or
    after it lets it end, and never as if the store were held, damaged or its time not proven."""
    sandbox, goal, tally, codes = bench.sandbox(), bench.pick(14_000, 160), Tally(), Tally()
    sandbox.put("beacon", ROUND_BEACON.encode())
    sandbox.put("photo.jpg", os.urandom(3000))
    sandbox.script(f"""
        create locked -u {FUTURE} --text x
        create ready -u {PAST} --allow-past --text x
        create file -u {PAST} --allow-past --text x photo.jpg
        create lifted -u {ROUND_TIME} --allow-past --text x --timelock
        item add Ring
        beneficiary add Mia
        event add Day --on 2050-01-01""")

    def command(rng):
        """Words, and the codes with which they may end: 4 before the time, 5 for what is in the trash or
        gone, 12 for what an opening closed, or what was there already."""
        title = rng.choice(["locked", "ready", "file", "lifted"])
        opened = ["open", title, "--json"] + (["--beacon", "beacon"] if title == "lifted" else [])
        return rng.choice([
            (opened, {4, 5} if title == "locked" else {0, 5}),
            (opened, {4, 5} if title == "locked" else {0, 5}),
            (["edit", title, "--notes", str(rng.random())], {0, 5}),
            (["add", title, "--text", "more"], {0, 5, 12}),
            (["delete", title, "--yes"], {0, 5}),
            (["restore", title], {0, 5}),
            (["restore", title], {0, 5}),
            (["show", title, "--json"], {0, 5}),
            (["item", "edit", "Ring", "--location", str(rng.random())], {0}),
            (["item", "log", "Ring", "--notes", str(rng.random())], {0}),
            (["bequeath", "--access", "immediate", "Ring", "--to", "Mia", "--message", str(rng.random())], {0, 12}),
            (["event", "edit", "Day", "--notes", str(rng.random())], {0}),
            (["list", "--json"], {0}), (["check", "--json"], {0}), (["search", "x"], {0, 1}),
            (["verify", "--quick"], {0}), (["verify"], {0}), (["repair"], {0}),
        ])

    def work(_, rng, __):
        while True:
            with tally.lock:
                if tally["begun"] >= goal:
                    return
                tally["begun"] += 1
            words, allowed = command(rng)
            ran = sandbox.run(*words, timeout=60)
            with codes.lock:
                codes[ran.code] += 1
            if ran.code not in allowed:
                bench.violate("mixed", f"{words}: exit code {ran.code}: {ran.tail()}")

    with Crowd(bench, 8, work) as crowd:
        crowd.join()
    for problem in is_sound(sandbox):
        bench.violate("mixed", f"afterwards {problem}")
    return f"{goal} mixed commands of 8 at once ended with " + ", ".join(
        f"{code}: {count}" for code, count in sorted(codes.items(), key=str))


# At work, while something else is done


def at_work(bench, sandbox, most=25, purges=False, until_cut=False):
    """The body of a crowd, and what was acknowledged to it: the place and the notes of each capsule. Everybody makes,
    changes, deletes and restores capsules with files of his own, not so many that others take longer and longer."""
    known = {}

    def work(number, rng, stop):
        mine = []

        def done(*words):
            ran = sandbox.run(*words, timeout=60)
            if ran.code not in (0, 1, 5, 8, 12) and not until_cut:
                bench.violate("writer", f"{words}: exit code {ran.code}: {ran.tail()}")
            return ran if ran.done else None

        while not stop.is_set():
            if len(mine) < most:
                photo = sandbox.put(f"{number}.jpg", rng.randbytes(3000)) if not until_cut else "-q"
                if ran := done("create", f"{number}-{rng.random()}", "--unlock", FUTURE, "--text", "x", photo, "-q"):
                    mine.append(ran.out.decode().strip())
                    known[mine[-1]] = ("live", None)
            if not mine:
                continue
            name = rng.choice(mine)
            verb = rng.choice(["edit", "edit", "delete", "restore"] + ["drop"] * purges)
            words = {"edit": ["edit", name, "--notes", str(rng.random())], "restore": ["restore", name]}.get(
                verb, ["delete", name, "--yes"])
            # While it is not said, and not denied, either is right. Nobody else changes it.
            place, notes = known.pop(name, ("gone", None))
            if done(*words):
                known[name] = {"edit": ("live", words[-1]), "restore": ("live", notes)}.get(verb, ("trash", notes))
            elif until_cut:
                return
            else:
                known[name] = (place, notes)
            if verb == "drop":
                mine.remove(name)
    return work, known


def is_where_it_was_left(now, known, purges=False):
    """What was acknowledged is so; what is in the trash may be purged by now."""
    for name, (place, notes) in known.items():
        key = ("capsules", name)
        if place != "gone":
            data = getattr(now, place).get(key)
            if data is None and (place == "live" or not purges) or key in now.live and place == "trash" \
                    or data and notes and json.loads(data)["notes"] != notes:
                yield f"{name} was acknowledged to be {place} with {notes}, and is not"


def backups_beside(bench):
    """Backups while four writers are at work: nothing that a generation's journals name is lacking."""
    sandbox, count = bench.sandbox(), bench.pick(200, 5)
    target = backups.target_of(sandbox)
    os.mkdir(target)
    for number in range(10):
        sandbox.do("create", f"first {number}", "--unlock", FUTURE, "--text", "x", "-q")
    work, known = at_work(bench, sandbox)
    with Crowd(bench, 4, work):
        for number in range(count):
            acknowledged = set(known)
            ran = sandbox.run("backup", target, "--keep", "2", "--json", timeout=120)
            if not ran.done:
                bench.violate(f"backup {number}", f"exit code {ran.code}: {ran.out[-300:]!r} {ran.tail()}")
                continue
            newest = backups.newest_of(target)
            now = Contents(newest)
            lacking = acknowledged - {name for _, name in [*now.live, *now.trash]}
            for problem in [*backups.is_generation(newest), *backups.verified_copy(bench, newest),
                            *(f"acknowledged before it began, and not in it: {name}" for name in lacking)]:
                bench.violate(f"backup {number} beside writers", problem)
    for problem in is_where_it_was_left(Contents(sandbox.store), known):
        bench.violate("after the writers", problem)
    sandbox.remove()
    return f"{count} beside four writers"


def hot_copies(bench):
    """Copies made by `cp -a`, or folder by folder in any order, while four writers are at work."""
    sandbox, tally, rng = bench.sandbox(), Tally(), bench.random
    sandbox.put("photo.jpg", PHOTO[:3000])
    for number in range(bench.pick(60, 20)):
        sandbox.do("create", f"first {number}", "--unlock", FUTURE, "--text", "x", "-q", "photo.jpg")
    work, known = at_work(bench, sandbox)
    with Crowd(bench, 4, work) as crowd:
        for number in range(bench.pick(200, 8)):
            crowd.stop.wait(0.1)
            copy = bench.sandbox()
            # Folder by folder, so that much happens in between.
            parts = [sandbox.store] if number % 2 else [
                os.path.join(sandbox.store, name) for name in rng.sample(os.listdir(sandbox.store),
                                                                         len(os.listdir(sandbox.store)))]
            for part in parts:
                if len(parts) > 1:
                    os.makedirs(copy.store, exist_ok=True)
                    crowd.stop.wait(0.02)
                subprocess.run(["cp", "-a", part, copy.store], stderr=subprocess.DEVNULL, check=False)
            if number % 4 > 1 and os.path.exists(os.path.join(copy.store, "store.json")):
                # One that takes the store's place on the same machine: there it is no note, but exit code 7.
                shutil.rmtree(os.path.join(copy.path, "state"))
                shutil.copytree(os.path.join(sandbox.path, "state"), os.path.join(copy.path, "state"))
                adopt(copy)
            for problem in lacks_nothing_untold(copy, tally):
                bench.violate(f"hot copy {number}", problem)
            copy.remove()
    for problem in is_where_it_was_left(Contents(sandbox.store), known):
        bench.violate("after the writers", problem)
    return (f"{tally['copies']} hot copies, {tally['lacking']} of them lacked what their journal names or had it "
            "older, all told")


def lacks_nothing_untold(copy, tally):
    """A copy's `verify` names all that its own journals name and it has not, or has of an earlier revision, and
    nothing else."""
    if not os.path.exists(os.path.join(copy.store, "store.json")):
        return
    named, now, have = roster(copy.store), Contents(copy.store), {}
    for path, data in files(copy.store).items():
        # Live and in the trash at once: the higher revision counts.
        if group(path) in ("record", "trash"):
            key = (path.split("/")[group(path) == "trash"], handle(path))
            try:
                have[key] = max(have.get(key, 0), json.loads(data)["rev"])
            except (ValueError, KeyError):
                pass
    lacking = {key for key, rev in named.items() if have.get(key, 0) < rev}
    tally["copies"] += 1
    tally["lacking"] += bool(lacking)
    # A verification of a copy that came from elsewhere begins a journal of its own.
    is_own = machine_of(copy) is not None
    verified = copy.run("verify", "--json", timeout=60)
    answer = json_of(verified)
    if answer is None:
        yield f"verify: {verified.code} {verified.tail()}"
        return
    if is_own and lacking and verified.code != 7:
        yield f"verify: exit code {verified.code}, and of {lacking} its own journal knows"
    told = {problem["id"] for problem in answer["problems"]
            if problem["kind"] in ("missing", "awaited", "outdated", "record", "unreadable")}
    for key in sorted(lacking):
        if key[1] not in told:
            yield (f"verify says nothing of {key}, which a journal names with revision {named[key]} and the copy has "
                   f"with {have.get(key)}")
    for name in told - {key[1] for key in lacking}:
        if not any(name in problem for problem in now.problems):
            yield f"verify names {name}, and nothing is wrong with it"
    if any(name not in now.blobs for name in now.named_blobs()) and verified.done:
        yield "verify ends with 0, and contents are not there"


# Where `verify` cries wolf

DAMAGE = ("missing", "outdated", "record", "unreadable", "blob", "header", "identity", "settings")


def alarms(bench):
    """Eight writers and a purge on one store; every `verify` beside them finds nothing wrong, and every `repair`
    nothing to mend."""
    sandbox, goal, tally = bench.sandbox(), bench.pick(10_000, 100), Tally()
    sandbox.put("photo.jpg", PHOTO[:5000])
    sandbox.do("create", "first", "--unlock", FUTURE, "--text", "x", "photo.jpg", "-q")
    work, known = at_work(bench, sandbox, most=3, purges=True)

    def purge(_, __, stop):
        while not stop.is_set():
            ran = sandbox.run("purge", "--yes", timeout=60)
            if ran.code not in (0, 8):
                bench.violate("purge", f"exit code {ran.code}: {ran.tail()}")
            tally.add("purges")
            stop.wait(0.1)

    def verify(_, __, ___):
        while (number := tally.add("verifies")) <= goal:
            if number % 10 == 0:
                ran = sandbox.run("repair", "--json", timeout=60)
                if ran.code not in (0, 8) or ran.done and ran.out.strip() != b"[]":
                    bench.violate("false alarm", f"repair: {ran.code} {ran.out[:300]!r} {ran.tail()}")
                tally.add("repairs")
            ran = sandbox.run("verify", "--json", timeout=60)
            wrong = [problem for problem in (json_of(ran) or {"problems": []})["problems"]
                     if problem["kind"] in DAMAGE or problem["isDamage"]]
            if ran.code != 8 and (not ran.done or wrong):
                bench.violate("false alarm", f"verify: {ran.code} {wrong or ran.tail()}")
                tally.add("alarms")

    with Crowd(bench, 8, work), Crowd(bench, 1, purge), Crowd(bench, 2, verify) as verifiers:
        verifiers.join()
    for problem in [*journals.names_what_is_there(sandbox),
                    *is_where_it_was_left(Contents(sandbox.store), known, purges=True)]:
        bench.violate("after the writers", problem)
    changes = sum(len(log) for logs in journal(sandbox.store).values() for log in logs.values())
    return (f"{tally['alarms']} false alarms in {goal} verifies and {tally['repairs']} repairs beside {changes} "
            f"changes of eight writers and {tally['purges']} purges")


# The power goes

# EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: what is not on the disk by now is lost.
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, (2).to_bytes(4, "little")
MODES = ["data=ordered", "data=writeback"]


def power_cuts(bench):
    """A real ext4 on a loop device, shut down in the middle of writing by its own ioctl."""
    image, mount = os.path.join(bench.root, "image"), os.path.join(bench.root, "disk")
    os.mkdir(mount)
    rounds, records, known = bench.pick(500, 10), 0, {}
    for number in range(rounds):
        mode = MODES[number * bench.pick(10, 2) // rounds % 2]
        if number % 50 == 0:
            make_disk(bench, image)
            known = {}
        attach(bench, image, mount, mode)
        sandbox = Sandbox(bench, mount)
        work, said = at_work(bench, sandbox, until_cut=True)
        with Crowd(bench, 2, work) as crowd:
            crowd.stop.wait(bench.random.uniform(0.02, 0.4))
            directory = os.open(mount, os.O_RDONLY)
            fcntl.ioctl(directory, SHUTDOWN, NO_LOG_FLUSH)
            os.close(directory)
        known.update(said)
        subprocess.run(["umount", "-l", mount], check=True)
        attach(bench, image, mount, mode)
        now = Contents(sandbox.store)
        problems = [*now.problems, *is_where_it_was_left(now, known)]
        if os.path.isdir(sandbox.store):
            problems += is_sound(sandbox)
        for problem in problems:
            bench.violate(f"cut {number}", problem)
        records = len(now.live) + len(now.trash)
        subprocess.run(["umount", mount], check=True)
    return f"{rounds} cuts in {len(MODES)} modes, {records} records at the last"


def make_disk(bench, image):
    if not shutil.which("mkfs.ext4"):
        raise bench.Skip("no mkfs.ext4")
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True, check=True)


def attach(bench, image, mount, mode):
    # A file system that was shut down may keep the image for a moment; until then a mount fails, or
    # succeeds with the one that was shut down, which answers EIO.
    for _ in range(40):
        done = subprocess.run(["mount", "-o", f"loop,{mode}", image, mount], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            try:
                os.listdir(mount)
                return
            except OSError:
                subprocess.run(["umount", "-l", mount], check=True)
        time.sleep(0.05)
    raise bench.Skip("no right to mount a loop device: " + done.stderr.strip())
