"""Machines that synchronise through a carrier, and what becomes of it; in the end all have the same, and nothing that
was written is lost."""
import os
import random
import shutil
import threading
import time

import faults
from engine import Tally
from faults import Fault, flipped, write
from invariants import is_explained, json_of
from operations import Operation
from reader import KINDS, files
from worlds import three_machines, two_machines

WANTED = {"Ring", "Item here", "Item there"}


def syncs(_):
    return [Operation("sync", ["sync", "-q"], two_machines, codes=(0, 10), timeout=60)]


def loud_syncs(codes):
    return lambda _: [Operation("sync", ["sync"], two_machines, codes=codes, timeout=60)]


def carrier_of(meeting):
    return meeting.carrier


def records_of(machine):
    return {path: data for path, data in files(machine.store).items() if path.split("/")[0] in KINDS}


def agreed(meeting):
    """Synchronises until nothing moves: all have the same records to the byte, in stores that are sound, and the
    carrier is whole."""
    machines, last = meeting.machines, None
    for _ in range(8):
        for machine in machines:
            ran = machine.run("sync", "-q", timeout=60)
            if ran.code != 0:
                yield f"sync afterwards: {ran.code} {ran.tail()} {ran.out[-200:]!r}"
                return
        now = [records_of(machine) for machine in machines]
        if now == last and all(one == now[0] for one in now):
            break
        last = now
    else:
        wrong = {name for one in now for name in {*one, *now[0]} if one.get(name) != now[0].get(name)}
        yield f"the machines do not agree: {sorted(wrong)[:5]}"
    for machine in machines:
        verified = machine.run("verify", "--json", timeout=60)
        bad = [problem for problem in (json_of(verified) or {"problems": []})["problems"]
               if problem["isDamage"] or problem["kind"] in ("journal", "syncState")]
        if bad or not verified.done:
            yield f"verify: {verified.code} {bad or verified.tail()}"
    ran = machines[0].run("sync", "verify", "--read", timeout=60)
    if not ran.done:
        yield f"sync verify: {ran.code} {ran.out[-300:]!r}"


def items_agree(trial):
    """The machines agree, and no item was lost or came twice."""
    yield from agreed(trial.sandbox)
    for machine in trial.sandbox.machines:
        yield from has_all_items(machine)


def has_all_items(machine):
    names = sorted(item["name"] for item in json_of(machine.run("item", "list", "--json")) or [])
    if names != sorted(WANTED):
        yield f"items: {names}"


def machines_agree(trial):
    """And each has what was written on either before."""
    yield from items_agree(trial)
    ring = json_of(trial.sandbox.machines[1].run("item", "show", "Ring", "--json")) or {}
    if (ring.get("notes"), ring.get("location")) != ("silver", "safe"):
        yield f"an edit was lost: {ring.get('notes')}, {ring.get('location')}"


def is_told(trial):
    """It ends with 10, and says why."""
    if trial.ran.code != 10 or not trial.ran.err:
        yield f"exit code {trial.ran.code}: {trial.ran.tail()}"


# Change files


def change_files(bench, _):
    """Change files that are cut, changed, emptied, missing, repeated, replayed and under another's name."""
    kinds = ("cut", "changed", "missing", "repeated", "replayed", "renamed", "empty")
    seed = bench.random.random()
    return [spoilt(kind, number, random.Random(f"{seed} {kind} {number}")) for kind in kinds
            for number in range(bench.pick(40, 3))]


def spoilt(kind, number, rng):
    def begin(trial):
        second, path = trial.sandbox.machines[1], rng.choice(trial.sandbox.segments())
        with open(path, "rb") as file:
            data = file.read()
        folder, name = os.path.split(path)
        os.unlink(path)
        again = {"repeated": os.path.join(folder, f"{9000 + number}-{name.split('-')[1]}"),
                 "renamed": os.path.join(folder[:-1] + ("0" if folder[-1] != "0" else "1"), name)}.get(kind, path)
        if kind == "replayed":
            # An old one, after its machine has gone on without it.
            for extra in range(15):
                second.do("item", "edit", "Item there", "--notes", str(extra))
                second.do("sync", "-q", codes=(0, 3, 7))
        write(again, {"cut": data[:rng.randrange(len(data))], "changed": flipped(data, rng), "empty": b"",
                      "missing": None}.get(kind, data))
        trial.fault.path = again
    return Fault(f"change file {kind} {number}", "segment", begin=begin)


def taken_or_told(trial):
    """Each sync says what is wrong; then the carrier is put right: what was wrong goes, and whoever wrote it sends all
    again."""
    first, second = trial.sandbox.machines
    for ran in (trial.ran, second.run("sync", "-q", timeout=60), first.run("sync", "-q", timeout=60)):
        if ran.code not in (0, 3, 7):
            yield f"sync: {ran.code} {ran.tail()}"
    write(trial.fault.path, None)
    for machine in (first, second):
        machine.do("sync", "reset", "-q")


# Carriers


def little_room(bench, _):
    return [faults.small_disk(carrier_of, blocks=blocks) for blocks in bench.pick(range(4, 60), [4, 12, 30])]


def only_read(_, __):
    return [faults.read_only(carrier_of)]


def headers(bench, _):
    """The header of another store, of a newer program, one that is none, and none; and another store's change files."""
    other = two_machines(bench)
    with open(os.path.join(other.carrier, "carrier.json"), "rb") as file:
        strange = file.read()
    found = [header("another store's", lambda own: strange, 12),
             header("a newer program's", lambda own: own.replace(b'"format": 1', b'"format": 2'), 11),
             header("cut", lambda own: b"{", 7), header("missing", lambda own: None, 12)]

    def begin(trial):
        shutil.copytree(os.path.join(other.carrier, "heads"), os.path.join(trial.sandbox.carrier, "heads"),
                        dirs_exist_ok=True)

    def end(trial, is_over=False):
        if not is_over:
            for name in os.listdir(os.path.join(other.carrier, "heads")):
                shutil.rmtree(os.path.join(trial.sandbox.carrier, "heads", name))
    found.append(Fault("another store's change files", "foreign", begin=begin, end=end, facts={"code": 7}))
    return found


def header(what, change, code):
    def begin(trial):
        path = os.path.join(trial.sandbox.carrier, "carrier.json")
        with open(path, "rb") as file:
            own = file.read()
        write(path, change(own))
        trial.fault.facts.update(own=own, before=files(os.path.join(trial.sandbox.carrier, "heads")))

    def end(trial, is_over=False):
        if not is_over:
            write(os.path.join(trial.sandbox.carrier, "carrier.json"), trial.fault.facts["own"])
    return Fault(f"{what} header", "foreign", begin=begin, end=end, facts={"code": code})


def refused_unchanged(trial):
    """It is refused with its exit code and a message, and nothing is written."""
    ran, facts = trial.ran, trial.fault.facts
    if ran.code != facts["code"] or not is_explained(ran):
        yield f"exit code {ran.code}, not {facts['code']}: {ran.tail()}"
    if "before" in facts and files(os.path.join(trial.sandbox.carrier, "heads")) != facts["before"]:
        yield "something was written"


def vanishing(bench, operation):
    """Carriers that go away in the middle of a sync, and come back."""
    started, tries = time.monotonic(), 3
    for _ in range(tries):
        meeting = bench.world(operation.world).copy()
        meeting.run(*operation.words)
        meeting.remove()
    # As long as one takes here, with the copy that it is made in: most go away while it runs.
    usual = (time.monotonic() - started) / tries
    return [away_after(bench.random.random() * usual) for _ in range(bench.pick(200, 10))]


def away_after(seconds):
    def begin(trial):
        carrier = trial.sandbox.carrier
        trial.fault.facts["timer"] = threading.Timer(seconds, os.rename, (carrier, carrier + "-away"))
        trial.fault.facts["timer"].start()

    def end(trial, is_over=False):
        carrier = trial.sandbox.carrier
        trial.fault.facts["timer"].join()
        if not is_over:
            shutil.rmtree(carrier, ignore_errors=True)
            os.rename(carrier + "-away", carrier)
    return Fault(f"a carrier that vanishes after {seconds * 1000:.1f} ms", "vanishing", begin=begin, end=end)


def nothing_made_anew(trial):
    """What is written meanwhile in its place is no carrier."""
    trial.fault.facts["timer"].join()
    if os.path.exists(os.path.join(trial.sandbox.carrier, "carrier.json")):
        yield "a carrier was made anew"


# Schedules


def change(bench, rng, machine, number):
    """One command that somebody might give."""
    work = machine.put(f"file-{number}", rng.randbytes(rng.choice([0, 1, 700, 70_000])))
    items = json_of(machine.run("item", "list", "--json")) or []
    choices = [("item", "add", f"Item {number}", "--notes", "new"),
               ("create", f"Capsule {number}", "--unlock", "2100-01-01", "--file", work),
               ("event", "add", f"Event {number}", "--on", "2100-01-01")]
    if items:
        one = rng.choice(items)["id"]
        choices += [("item", "edit", one, "--notes", f"notes {number}"),
                    ("item", "edit", one, "--location", f"place {number}"), ("item", "attach", one, work),
                    ("item", "log", one, "--notes", f"again {number}"), ("item", "detach", one, "1", "--yes"),
                    ("item", "delete", one, "--yes"), ("purge", "--yes")]
    if trash := json_of(machine.run("trash", "--json")):
        choices.append(("restore", rng.choice(trash)["id"]))
    words = rng.choice(choices)
    ran = machine.run(*words)
    # A refusal may be right; a command line that is wrong tests nothing.
    if ran.code == 2:
        bench.violate("a command of a schedule", f"{words}: {ran.tail()}")


def schedules(bench):
    """Random commands on three machines, with syncs of which many are killed."""
    tally, start = Tally(), bench.world(three_machines)

    def one(seed):
        rng, meeting = random.Random(f"sync {seed}"), start.copy()
        for number in range(bench.pick(60, 25)):
            machine = rng.choice(meeting.machines)
            if rng.random() < 0.5:
                change(bench, rng, machine, number)
                tally["commands"] += 1
                continue
            process = machine.start("sync", "-q", start_new_session=True)
            if rng.random() < 0.5:
                time.sleep(rng.random() * 0.03)
                process.kill()
            _, err = process.communicate(timeout=60)
            with tally.lock:
                tally["syncs"] += 1
                tally["killed"] += process.returncode == -9
            if process.returncode not in (0, 3, -9):
                bench.violate(f"schedule {seed}", f"sync: {process.returncode} {err[-200:]!r}")
        for problem in agreed(meeting):
            bench.violate(f"schedule {seed}", problem)
        meeting.remove()

    bench.each([bench.random.random() for _ in range(bench.pick(200, 6))], one)
    return f"{tally['commands']} commands and {tally['syncs']} syncs, {tally['killed']} killed"
