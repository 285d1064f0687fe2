"""Sixteen writers and two readers on one store, every command beside every other, and a holder of the
lock that has stopped."""
import fcntl
import os
import threading
import time
from collections import Counter

from changes import FUTURE, PAST, contents, json_of
from keepsakes import ROUND_BEACON, ROUND_TIME

WRITERS = 16
MIXED = 8


def run(bench):
    sandbox = bench.sandbox()
    each = bench.pick(500, 10)
    waits, done, lock, stop = [], [0], threading.Lock(), threading.Event()

    def write(number):
        for count in range(each):
            started = time.monotonic()
            ran = sandbox.run("create", f"{number}-{count}", "--unlock", FUTURE, "--text", "x", "-q",
                              timeout=60)
            took = time.monotonic() - started
            with lock:
                waits.append(took)
                done[0] += ran.done
                if not ran.done:
                    bench.violate("writer", f"exit code {ran.code}: {ran.tail()}")

    def read():
        last = 0
        while not stop.is_set():
            rows = json_of(sandbox.run("list", "--json", timeout=60))
            if rows is None or len(rows) < last:
                bench.violate("reader", f"{last} records, then {rows and len(rows)}")
                return
            last = len(rows)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in [*writers, *readers]:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    now = contents(sandbox)
    titles = {now.record(*key)["title"] for key in now.live}
    if len(titles) != WRITERS * each or done[0] != WRITERS * each:
        bench.violate("store", f"{done[0]} acknowledged, {len(titles)} there")
    waits.sort()
    p99 = waits[int(len(waits) * 0.99)]
    if p99 > 1:
        bench.violate("wait", f"p99 of a whole command is {p99:.2f} s")
    stopped_holder(bench, sandbox)
    return (f"{len(titles)} of {WRITERS * each}, p99 {p99 * 1000:.0f} ms a command, max {waits[-1]:.2f} s, "
            + mixed(bench))


def mixed(bench):
    """Every command beside every other on the same records: each ends as one of those that came before or
    after it lets it end, and never as if the store were held, damaged or its time not proven."""
    sandbox = bench.sandbox()
    for name, data in (("beacon", ROUND_BEACON.encode()), ("photo.jpg", os.urandom(3000))):
        with open(os.path.join(sandbox.work, name), "wb") as file:
            file.write(data)
    for title, unlock, words in (("locked", FUTURE, []), ("ready", PAST, []), ("file", PAST, ["photo.jpg"]),
                                 ("lifted", ROUND_TIME, ["--timelock"])):
        ran = sandbox.run("create", title, "--unlock", unlock, "--allow-past", "--text", "x", *words, "-q")
        if not ran.done:
            raise RuntimeError(f"{title}: {ran.code} {ran.tail()}")
    for words in (["item", "add", "Ring"], ["beneficiary", "add", "Mia"], ["event", "add", "Day", "--on", "2050-01-01"]):
        ran = sandbox.run(*words)
        if not ran.done:
            raise RuntimeError(f"{words}: {ran.code} {ran.tail()}")
    goal, lock, codes, left = bench.pick(14_000, 160), threading.Lock(), Counter(), [0]
    generators = [type(bench.random)(bench.random.random()) for _ in range(MIXED)]

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
            (["bequeath", "Ring", "--to", "Mia", "--message", str(rng.random())], {0, 12}),
            (["event", "edit", "Day", "--notes", str(rng.random())], {0}),
            (["list", "--json"], {0}), (["check", "--json"], {0}), (["search", "x"], {0, 1}),
            (["verify", "--quick"], {0}), (["verify"], {0}), (["repair"], {0}),
        ])

    def work(number):
        rng = generators[number]
        while True:
            with lock:
                if left[0] >= goal:
                    return
                left[0] += 1
            words, allowed = command(rng)
            ran = sandbox.run(*words, timeout=60)
            with lock:
                codes[ran.code] += 1
            if ran.code not in allowed:
                bench.violate("mixed", f"{words}: exit code {ran.code}: {ran.tail()}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(MIXED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verified = sandbox.run("verify", timeout=60)
    if not verified.done:
        bench.violate("mixed", f"verify afterwards: {verified.code} {verified.tail()}")
    return f"{goal} mixed commands of {MIXED} at once ended with " + ", ".join(
        f"{code}: {count}" for code, count in sorted(codes.items(), key=str))


def stopped_holder(bench, sandbox):
    """Who holds the lock and does nothing makes others give up with exit code 8, in time."""
    with open(os.path.join(sandbox.store, "lock"), "r+b") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        started = time.monotonic()
        ran = sandbox.run("create", "busy", "--unlock", FUTURE, "--text", "x", "--lock-timeout", "1")
        took = time.monotonic() - started
        if ran.code != 8 or not 0.9 < took < 3:
            bench.violate("stopped holder", f"exit code {ran.code} after {took:.1f} s: {ran.tail()}")
        reading = sandbox.run("list", "--json")
        if not reading.done:
            bench.violate("stopped holder", f"list: {reading.code} {reading.tail()}")
    ran = sandbox.run("create", "free", "--unlock", FUTURE, "--text", "x")
    if not ran.done:
        bench.violate("released holder", f"exit code {ran.code}: {ran.tail()}")
