"""What somebody does who writes the store's directory, a backup of it, an archive, or the store of another device:
a table of attacks, ways in and locks.

Whatever happens: no key that this device does not know gets anything that is sealed afterwards, every writer says so
with 7 in text, quietly and in JSON, a promise of a record holds (no earlier time, no fewer contents, its lock), nothing
fills the disk or the memory, and what the attack left alone goes on.
"""
import threading
from collections import Counter
from types import SimpleNamespace

from attacks import keys, pins, records, size
from attacks.world import household, protected
from reader import AGE

TABLES = (keys, pins, records, size)


def attacks(bench):
    if not AGE:
        raise bench.Skip("age is needed to try the thief's key")
    clear = household(bench)
    worlds = {"clear": clear, "protected": protected(clear)}
    worlds["protected"].before = SimpleNamespace(store=clear.here.store)
    figures, lock = Counter(), threading.Lock()

    def one(job):
        counts = job()
        with lock:
            figures.update(counts)

    bench.each([job for table in TABLES for job in table.jobs(bench, worlds)], one)
    return ", ".join(f"{count} {name}" for name, count in figures.items())
