"""Every file call of every command fails once, with each error that it may."""
import calls
from changes import all_changes, base, contents, first
from invariants import check
from reader import files

ERRORS = {
    "flock": ["EIO", "ENOLCK", "EINTR"], "getrandom": ["ENOSYS", "EIO"],
    "openat": ["EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "EROFS"],
    "write": ["EIO", "ENOSPC", "EDQUOT", "EINTR"], "read": ["EIO", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"], "close": ["EIO", "EINTR"],
}
USUAL = ["EIO", "ENOSPC", "EACCES"]


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
        rehearsal = start.copy() if start is origin else copy_fresh(fresh)
        ran, points = calls.trace(rehearsal, change.words)
        rehearsal.remove()
        if not ran.done:
            bench.violate(change.name, f"fails without a fault: {ran.code} {ran.tail()}")
            continue
        jobs += [(change, start, call, number, error) for call, number, _ in points
                 for error in ERRORS.get(call, USUAL)]
    bench.random.shuffle(jobs)
    jobs = jobs[:bench.pick(len(jobs), 300)]
    before, work = {origin: contents(origin), fresh: contents(fresh)}, files(origin.work)

    def one(job):
        change, start, call, number, error = job
        sandbox = start.copy() if start is origin else copy_fresh(fresh)
        ran = sandbox.run(*change.words, prefix=calls.injecting(call, number, "error=" + error))
        check(bench, sandbox, f"{change.name} {call}#{number} {error}", before[start], change, ran,
              work)
        sandbox.remove()

    bench.each(jobs, one)
    return f"{len(jobs)} runs with a failing system call"


def copy_fresh(fresh):
    """A sandbox with the work files and no store."""
    other = fresh.bench.sandbox()
    for name, data in files(fresh.work).items():
        with open(f"{other.work}/{name}", "wb") as file:
            file.write(data)
    return other
