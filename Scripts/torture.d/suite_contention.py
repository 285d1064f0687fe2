"""Sixteen writers and two readers on one store, and a holder of the lock that has stopped."""
import fcntl
import os
import threading
import time

from changes import FUTURE, contents, json_of

WRITERS = 16


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
    return f"{len(titles)} of {WRITERS * each}, p99 {p99 * 1000:.0f} ms a command, max {waits[-1]:.2f} s"


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
