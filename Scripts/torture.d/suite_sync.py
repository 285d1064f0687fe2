"""Three machines that synchronise through a directory: killed at every call, with a carrier that is full,
that vanishes, that cannot be written, and whose segments are cut, missing, repeated, foreign and replayed.

Whatever happens, nothing that was written is lost, and in the end all machines have the same records, to the
byte, in stores that are sound.
"""
import os
import shutil
import subprocess
import threading
import time
from collections import Counter

import calls
from changes import json_of

KINDS = ("capsules", "events", "items", "beneficiaries", "bequests")


def run(bench):
    if not bench.sandbox().run("sync", "--help").done:
        raise bench.Skip("this program does not synchronise")
    return ", ".join([schedules(bench), kills(bench), segments(bench), full(bench), vanishing(bench),
                      readonly(bench), foreign(bench)])


class Meeting:
    """Machines of one store, and the carrier between them."""

    def __init__(self, bench, count=2):
        self.bench = bench
        self.place = bench.sandbox()
        self.carrier = os.path.join(self.place.path, "carrier")
        key = os.path.join(self.place.path, "key")
        self.machines = [bench.sandbox() for _ in range(count)]
        first = self.machines[0]
        self.do(first, "keygen", "-o", key)
        recipient = self.do(first, "keygen", "-y", key).out.decode().strip()
        self.do(first, "item", "add", "Ring", "--notes", "gold")
        self.do(first, "sync", "add", "meet", self.carrier, "--recipient", recipient)
        self.do(first, "sync", "-q")
        for machine in self.machines[1:]:
            self.do(machine, "sync", "join", self.carrier, "--name", "meet", "--identity", key)

    def do(self, machine, *words, codes=(0,)):
        ran = machine.run(*words, timeout=60)
        if ran.code not in codes:
            raise RuntimeError(f"{' '.join(words)}: {ran.code} {ran.tail()}")
        return ran

    def records(self, machine):
        found = {}
        for kind in KINDS:
            for folder, _, names in os.walk(os.path.join(machine.store, kind)):
                for name in names:
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, machine.store)] = file.read()
        return found

    def settle(self, where, machines=None):
        """Synchronises until nothing moves, and holds the machines to one another."""
        machines = machines or self.machines
        last = None
        for _ in range(8):
            for machine in machines:
                ran = machine.run("sync", "-q", timeout=60)
                if ran.code != 0:
                    self.bench.violate(where, f"sync afterwards: {ran.code} {ran.tail()} {ran.out[-200:]!r}")
                    return
            now = [self.records(machine) for machine in machines]
            if now == last and all(one == now[0] for one in now):
                break
            last = now
        else:
            self.bench.violate(where, "the machines do not agree: " + self.difference(machines))
        for machine in machines:
            answer = json_of(machine.run("verify", "--json", timeout=60)) or {"problems": ["no answer"]}
            bad = [problem for problem in answer["problems"]
                   if problem == "no answer" or problem["isDamage"] or problem["kind"] in ("journal", "syncState")]
            if bad:
                self.bench.violate(where, f"verify: {bad}")
        ran = machines[0].run("sync", "verify", "--read", timeout=60)
        if not ran.done:
            self.bench.violate(where, f"sync verify: {ran.code} {ran.out[-300:]!r}")

    def difference(self, machines):
        first, *others = [self.records(machine) for machine in machines]
        names = {name for other in others for name in set(first) | set(other)
                 if first.get(name) != other.get(name)}
        return ", ".join(sorted(names))[:300]

    def segments(self, but=None):
        """The segments in the carrier, but for those of one machine."""
        heads = os.path.join(self.carrier, "heads")
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(heads)
                      for name in names if name.endswith(".age") and os.path.basename(folder) != but)

    def names(self, machine):
        """The titles of the live items of a machine."""
        ran = self.do(machine, "item", "list", "--json")
        return {item["name"] for item in json_of(ran)}

    def remove(self):
        for machine in [self.place, *self.machines]:
            machine.remove()


def change(meeting, rng, machine, number):
    """One command that somebody might give."""
    work = os.path.join(machine.work, f"file-{number}")
    with open(work, "wb") as file:
        file.write(rng.randbytes(rng.choice([0, 1, 700, 70_000])))
    items = json_of(machine.run("item", "list", "--json")) or []
    one = rng.choice(items)["id"] if items else None
    choices = [
        lambda: ("item", "add", f"Item {number}", "--notes", "new"),
        lambda: ("create", f"Capsule {number}", "--unlock", "2100-01-01", "--file", work),
        lambda: ("event", "add", f"Event {number}", "--on", "2100-01-01"),
    ]
    if one:
        choices += [
            lambda: ("item", "edit", one, "--notes", f"notes {number}"),
            lambda: ("item", "edit", one, "--location", f"place {number}"),
            lambda: ("item", "attach", one, work),
            lambda: ("item", "log", one, "--notes", f"again {number}"),
            lambda: ("item", "detach", one, "1", "--yes"),
            lambda: ("item", "delete", one, "--yes"),
            lambda: ("purge", "--yes"),
        ]
    trash = json_of(machine.run("trash", "--json")) or []
    if trash:
        choices.append(lambda: ("restore", rng.choice(trash)["id"]))
    words = rng.choice(choices)()
    ran = machine.run(*words)
    # A refusal may be right; a command line that is wrong tests nothing.
    if ran.code == 2:
        meeting.bench.violate("a command of a schedule", f"{words}: {ran.tail()}")
    return ran


def schedules(bench):
    """Random commands on three machines, with syncs of which many are killed."""
    counts, lock = Counter(), threading.Lock()

    def one(seed):
        rng = type(bench.random)(f"sync {seed}")
        meeting = Meeting(bench, 3)
        where = f"schedule {seed}"
        for number in range(bench.pick(60, 25)):
            machine = rng.choice(meeting.machines)
            if rng.random() < 0.5:
                change(meeting, rng, machine, number)
                counts["commands"] += 1
                continue
            process = machine.start("sync", "-q", start_new_session=True)
            if rng.random() < 0.5:
                time.sleep(rng.random() * 0.03)
                process.kill()
            _, err = process.communicate(timeout=60)
            with lock:
                counts["syncs"] += 1
                counts["killed"] += process.returncode == -9
            if process.returncode not in (0, 3, -9):
                bench.violate(where, f"sync: {process.returncode} {err[-200:]!r}")
        meeting.settle(where)
        meeting.remove()

    bench.each([bench.random.random() for _ in range(bench.pick(200, 6))], one)
    return f"{counts['commands']} commands and {counts['syncs']} syncs, {counts['killed']} killed"


def prepared(bench):
    """Two machines of which the first has something to send and something to take in, with files."""
    meeting = Meeting(bench)
    first, second = meeting.machines
    for machine, name in ((first, "here"), (second, "there")):
        path = os.path.join(machine.work, name)
        with open(path, "wb") as file:
            file.write(name.encode() * 9000)
        meeting.do(machine, "item", "add", f"Item {name}")
        meeting.do(machine, "item", "attach", f"Item {name}", path)
        meeting.do(machine, "create", f"Capsule {name}", "--unlock", "2100-01-01", "--file", path)
    meeting.do(first, "item", "edit", "Ring", "--notes", "silver")
    meeting.do(second, "item", "edit", "Ring", "--location", "safe")
    meeting.do(second, "sync", "-q")
    return meeting


WANTED = {"Ring", "Item here", "Item there"}


def kills(bench):
    """`kill -9` at each call of a sync."""
    if not calls.usable():
        return "no kills: strace cannot trace here"
    rehearsal = prepared(bench)
    _, points = calls.trace(rehearsal.machines[0], ["sync", "-q"])
    rehearsal.remove()
    jobs = [(call, number) for call, number, _ in points]
    count, killed, lock = len(jobs), Counter(), threading.Lock()
    jobs = bench.random.sample(jobs, min(count, bench.pick(count, 60)))

    def one(job):
        call, number = job
        where = f"sync killed at {call}#{number}"
        meeting = prepared(bench)
        first, second = meeting.machines
        ran = first.run("sync", "-q", prefix=calls.injecting(call, number, "signal=KILL"), timeout=60)
        with lock:
            killed["kills"] += ran.code not in (0, None)
        meeting.settle(where)
        for machine in (first, second):
            if meeting.names(machine) != WANTED:
                bench.violate(where, f"items: {meeting.names(machine)}")
        ring = json_of(second.run("item", "show", "Ring", "--json"))
        if (ring["notes"], ring["location"]) != ("silver", "safe"):
            bench.violate(where, f"an edit was lost: {ring['notes']}, {ring['location']}")
        meeting.remove()

    bench.each(jobs, one)
    return f"{killed['kills']} kills at {len(jobs)} of {count} calls"


def segments(bench):
    """Segments that are cut, changed, missing, repeated, replayed and under another's name."""
    kinds = ["cut", "changed", "missing", "repeated", "replayed", "renamed", "empty"]
    rounds = bench.pick(40, 3)

    def one(job):
        kind, number = job
        rng = type(bench.random)(f"{kind} {number}")
        where = f"segment {kind} {number}"
        meeting = prepared(bench)
        first, second = meeting.machines
        path = rng.choice(meeting.segments())
        with open(path, "rb") as file:
            data = file.read()
        folder, name = os.path.split(path)
        again = path
        if kind == "cut":
            changed = data[:rng.randrange(len(data))]
        elif kind == "changed":
            at = rng.randrange(len(data))
            changed = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
        elif kind == "empty":
            changed = b""
        elif kind == "missing":
            changed = None
        else:
            changed = data
        os.unlink(path)
        if kind == "repeated":
            # The same once more, under a later number.
            again = os.path.join(folder, f"{9000 + number}-{name.split('-')[1]}")
        elif kind == "renamed":
            again = os.path.join(folder[:-1] + ("0" if folder[-1] != "0" else "1"), name)
            os.makedirs(os.path.dirname(again), exist_ok=True)
        elif kind == "replayed":
            # An old one, after its machine has gone on without it.
            for extra in range(15):
                meeting.do(second, "item", "edit", "Item there", "--notes", str(extra))
                meeting.do(second, "sync", "-q", codes=(0, 3, 7))
        if changed is not None:
            with open(again, "wb") as file:
                file.write(changed)
        for machine in (first, second, first):
            ran = machine.run("sync", "-q", timeout=60)
            if ran.code not in (0, 3, 7):
                bench.violate(where, f"sync: {ran.code} {ran.tail()}")
        # The carrier is put right: what was wrong goes, and the machine that wrote it sends all again.
        if os.path.exists(again):
            os.unlink(again)
        for machine in meeting.machines:
            meeting.do(machine, "sync", "reset", "-q")
        meeting.settle(where)
        for machine in meeting.machines:
            if meeting.names(machine) != WANTED:
                bench.violate(where, f"items: {meeting.names(machine)}")
        meeting.remove()

    jobs = [(kind, number) for kind in kinds for number in range(rounds)]
    bench.each(jobs, one)
    return f"{len(jobs)} segments"


def full(bench):
    """A carrier that has room for 0, 1, 2, … blocks."""
    mount = os.path.join(bench.root, "stick")
    os.makedirs(mount, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True,
                      check=False).returncode:
        return "0 full carriers"
    subprocess.run(["umount", mount], check=True)
    refused = 0
    steps = bench.pick(range(4, 60), [4, 12, 30])
    for blocks in steps:
        where = f"carrier with room for {blocks} blocks"
        meeting = prepared(bench)
        shutil.move(meeting.carrier, meeting.carrier + "-kept")
        os.makedirs(meeting.carrier)
        used = sum(-(-os.path.getsize(os.path.join(folder, name)) // 4096)
                   for folder, _, names in os.walk(meeting.carrier + "-kept") for name in names)
        size = (used + blocks) * 4096
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=100000", "none",
                        meeting.carrier], check=True)
        try:
            shutil.copytree(meeting.carrier + "-kept", meeting.carrier, dirs_exist_ok=True)
            ran = meeting.machines[0].run("sync", timeout=60)
            if ran.code not in (0, 10) or (ran.code == 10 and not ran.err):
                bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
            refused += ran.code == 10
            subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=100000", meeting.carrier], check=True)
            meeting.settle(where)
            if meeting.names(meeting.machines[1]) != WANTED:
                bench.violate(where, f"items: {meeting.names(meeting.machines[1])}")
        finally:
            subprocess.run(["umount", "-l", meeting.carrier], check=False)
            meeting.remove()
    return f"{len(steps)} full carriers, {refused} refused"


def vanishing(bench):
    """A carrier that goes away in the middle of a sync, and comes back."""
    gone, lock = Counter(), threading.Lock()

    def one(seed):
        rng = type(bench.random)(f"vanish {seed}")
        where = f"carrier that vanishes {seed}"
        meeting = prepared(bench)
        process = meeting.machines[0].start("sync", start_new_session=True)
        time.sleep(rng.random() * 0.03)
        os.rename(meeting.carrier, meeting.carrier + "-away")
        _, err = process.communicate(timeout=60)
        if process.returncode not in (0, 3, 7, 10, 12):
            bench.violate(where, f"exit code {process.returncode}: {err[-200:]!r}")
        with lock:
            gone["refused"] += process.returncode != 0
        # What was written meanwhile in its place is none of it.
        if os.path.exists(os.path.join(meeting.carrier, "carrier.json")):
            bench.violate(where, "a carrier was made anew")
        shutil.rmtree(meeting.carrier, ignore_errors=True)
        os.rename(meeting.carrier + "-away", meeting.carrier)
        meeting.settle(where)
        for machine in meeting.machines:
            if meeting.names(machine) != WANTED:
                bench.violate(where, f"items: {meeting.names(machine)}")
        meeting.remove()

    count = bench.pick(200, 10)
    bench.each([bench.random.random() for _ in range(count)], one)
    return f"{count} vanishing carriers, {gone['refused']} told"


def readonly(bench):
    """A carrier that can only be read."""
    meeting = prepared(bench)
    if subprocess.run(["mount", "--bind", meeting.carrier, meeting.carrier], capture_output=True,
                      check=False).returncode:
        meeting.remove()
        return "0 read-only carriers"
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", meeting.carrier], check=True)
        ran = meeting.machines[0].run("sync", timeout=60)
        if ran.code != 10 or not ran.err:
            bench.violate("read-only carrier", f"exit code {ran.code}: {ran.tail()}")
    finally:
        subprocess.run(["umount", "-l", meeting.carrier], check=False)
    meeting.settle("read-only carrier")
    meeting.remove()
    return "1 read-only carrier"


def foreign(bench):
    """A carrier of another store, of a newer program, and one that lost its header: refused, unchanged."""
    meeting, other = prepared(bench), prepared(bench)
    first = meeting.machines[0]
    header = os.path.join(meeting.carrier, "carrier.json")
    with open(header, "rb") as file:
        own = file.read()
    with open(os.path.join(other.carrier, "carrier.json"), "rb") as file:
        strange = file.read()
    for data, code in ((strange, 12), (own.replace(b'"format": 1', b'"format": 2'), 11),
                       (b"{", 7), (None, 12)):
        os.unlink(header)
        if data is not None:
            with open(header, "wb") as file:
                file.write(data)
        before = meeting.segments()
        ran = first.run("sync", timeout=60)
        if ran.code != code or not ran.err:
            bench.violate(f"header {data!r}", f"exit code {ran.code}, not {code}: {ran.tail()}")
        if meeting.segments() != before:
            bench.violate(f"header {data!r}", "something was written")
        if data is None:
            with open(header, "wb") as file:
                file.write(own)
    # The segments of another store, in this one's carrier.
    for path in other.segments():
        target = os.path.join(meeting.carrier, "heads", os.path.basename(os.path.dirname(path)))
        os.makedirs(target, exist_ok=True)
        shutil.copy(path, target)
    ran = first.run("sync", timeout=60)
    if ran.code != 7:
        bench.violate("another store's segments", f"exit code {ran.code}: {ran.tail()}")
    for path in other.segments():
        shutil.rmtree(os.path.join(meeting.carrier, "heads", os.path.basename(os.path.dirname(path))))
    meeting.settle("another store's segments")
    meeting.remove()
    other.remove()
    return "5 foreign"
