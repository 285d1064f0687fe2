"""The engine: each operation with each fault, in a copy of its world, held to each invariant."""
import os
import threading
from collections import Counter
from dataclasses import dataclass

import faults as table
from reader import Contents, files


@dataclass
class Row:
    """A row of a suite: operations, the faults of each, and what must hold after any of them."""
    # How its figures are told; `tried`, `points`, a kind of fault, and what an invariant counted, by name.
    says: str
    # Functions of the bench.
    operations: object
    # `faults` gets the bench and an operation; `calls` the points of a run under strace.
    faults: object = None
    calls: object = None
    invariants: tuple = ()
    # What must hold before the fault is taken back, if it lasts.
    during: tuple = ()
    # How many of all `--short` tries; `None` for all.
    short: object = None
    # Prepares a world's copy further, before the fault.
    prepare: object = None
    needs_mount: bool = False

    def __call__(self, bench):
        if self.calls and not table.can_trace():
            raise bench.Skip("strace cannot trace here")
        if self.needs_mount and not table.may_mount(bench):
            raise bench.Skip("no right to mount")
        return play(bench, self)


class Known:
    """What a world is before anything is done in it."""

    def __init__(self, start):
        self.store, self.work = files(start.store), files(start.work)
        self.contents = Contents(start.store)


class Trial:
    """One run of an operation with one fault, and what it left."""

    def __init__(self, bench, row, operation, fault, tally):
        self.bench, self.row, self.operation, self.fault, self.tally = bench, row, operation, fault, tally
        self.start = bench.world(operation.world)
        self.known = known(bench, self.start)
        self.before = self.known.contents
        self.sandbox = self.start.copy(is_same_machine=False) if fault.is_elsewhere else self.start.copy()
        self.run = self.sandbox.run
        self.out = os.path.join(self.sandbox.path, "out")
        self.ran, self._now, self.is_kept = None, None, False

    @property
    def now(self):
        """What was there right after the run."""
        if self._now is None:
            self._now = Contents(self.sandbox.store)
        return self._now

    def hold(self, invariants):
        for invariant in invariants:
            for problem in invariant(self):
                self.is_kept = self.bench.keep
                where = f", in {self.sandbox.path}" if self.is_kept else ""
                self.bench.violate(f"{self.operation.name}, {self.fault.name}{where}", problem)

    def play(self):
        fault, row = self.fault, self.row
        try:
            if row.prepare:
                row.prepare(self)
            if fault.begin:
                fault.begin(self)
            self.ran = self.run(*self.operation.words, timeout=self.operation.timeout, **fault.options)
            self.tally.add(fault.kind, self.ran.code not in (0, None))
            if not is_not_started(self.ran):
                self.hold(row.during)
                if fault.end:
                    fault.end(self)
                if self.operation.is_finished_later:
                    self.run("list")
                self.hold(row.invariants)
        finally:
            if fault.end:
                fault.end(self, is_over=True)
            if not self.is_kept:
                self.sandbox.remove()


class Tally(Counter):
    """Figures that several count at once."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def add(self, word, by=1):
        with self.lock:
            self[word] += by
            return self[word]


def is_not_started(run):
    """Whether the system could not start the program: nothing of it ran."""
    return run.code == 127 and b"error while loading shared libraries" in run.err


def known(bench, start):
    """What is known of a world, read once."""
    if start not in bench.known:
        bench.known[start] = Known(start)
    return bench.known[start]


def play(bench, row):
    """Tries the row's operations with their faults, and tells the figures."""
    tally, operations, points = Tally(), row.operations(bench), {}
    for operation in operations:
        known(bench, bench.world(operation.world))
        tally["writes"] += operation.facts.get("writes", 0)

    def rehearse(operation):
        points[operation.name] = row.calls(rehearsed(bench, row, operation))
    if row.calls:
        bench.each(operations, rehearse)
    jobs = [(operation, fault) for operation in operations for fault in (
        points.get(operation.name, []) if row.calls else row.faults(bench, operation))]
    count = len(jobs)
    if bench.short and row.short is not None:
        jobs = bench.random.sample(jobs, min(count, row.short))
    bench.each(jobs, lambda job: Trial(bench, row, *job, tally).play())
    figures = Counter({**tally, "tried": len(jobs), "points": count})
    return row.says.format_map(figures)


def rehearsed(bench, row, operation):
    """The calls of an operation without a fault, which must be done and leave what it is to leave."""
    trial = Trial(bench, row, operation, table.Fault("no fault", "none"), Tally())
    if row.prepare:
        row.prepare(trial)
    trial.ran, points = table.trace(trial.sandbox, operation.words, operation.timeout)
    if not trial.ran.done:
        bench.violate(operation.name, f"fails without a fault: {trial.ran.code} {trial.ran.tail()}")
    if operation.effect and (effect := operation.effect(trial.before, trial.now)) not in ("done", "either"):
        bench.violate(operation.name, f"is not done without a fault: {effect}")
    trial.sandbox.remove()
    return points


class Crowd:
    """People who are at work on one store until the block ends. `body` gets its number, its own random numbers and
    whether they are to stop; what it raises is a violation."""

    def __init__(self, bench, count, body):
        self.bench, self.stop = bench, threading.Event()
        generators = [type(bench.random)(bench.random.random()) for _ in range(count)]
        self.threads = [threading.Thread(target=self.guarded, args=(body, number, rng))
                        for number, rng in enumerate(generators)]

    def guarded(self, body, number, rng):
        self.bench.guard(f"{body.__name__} {number}", lambda: body(number, rng, self.stop))

    def join(self):
        for thread in self.threads:
            thread.join()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join()
