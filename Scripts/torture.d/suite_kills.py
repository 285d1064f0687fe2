"""Every changing command is killed at every system call it makes."""
import calls
from changes import all_changes, base, contents, first
from invariants import check
from reader import files
from suite_calls import copy_fresh

CHANGING = {"first", "create", "edit", "add", "open", "delete", "restore", "purge", "settings",
            "check", "repair", "bequeath", "mark", "disinherit", "declare",
            "event-import", "people-import", "item-add", "item-edit",
            "item-attach", "item-detach", "item-log", "item-unlog", "item-remind", "item-delete",
            "item-restore", "item-purge"}


def run(bench):
    if not calls.usable():
        raise bench.Skip("strace cannot trace here")
    origin = base(bench)
    fresh = bench.sandbox()
    for name, data in files(origin.work).items():
        with open(f"{fresh.work}/{name}", "wb") as file:
            file.write(data)
    jobs = []
    for change, start in [(first(fresh), fresh), *((c, origin) for c in all_changes(origin))]:
        if change.name not in CHANGING:
            continue
        rehearsal = start.copy() if start is origin else copy_fresh(fresh)
        _, points = calls.trace(rehearsal, change.words)
        rehearsal.remove()
        jobs += [(change, start, call, number) for call, number, _ in points]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(len(jobs), 200))
    before, work = {origin: contents(origin), fresh: contents(fresh)}, files(origin.work)
    killed = [0]

    def one(job):
        change, start, call, number = job
        sandbox = start.copy() if start is origin else copy_fresh(fresh)
        ran = sandbox.run(*change.words, prefix=calls.injecting(call, number, "signal=KILL"))
        killed[0] += ran.code not in (0, None)
        check(bench, sandbox, f"{change.name} killed at {call}#{number}", before[start], change, ran,
              work, may_be_killed=True)
        sandbox.remove()

    bench.each(jobs, one)
    return f"{killed[0]} kills at {len(jobs)} of {points} points"
