"""What holds after every fault, whatever it was."""
import os

from changes import FUTURE, contents, json_of
from reader import files

# What a refused system call may end as; 13 is a bug and a signal is a crash.
REFUSED = {1, 2, 3, 5, 6, 7, 8, 10, 12}


def check(bench, sandbox, where, before, change, run, work, may_be_killed=False, codes=REFUSED):
    """Holds a sandbox after one run of `change` to every rule; each breach is a violation.

    - the run ended by itself, with a code that means something, in time;
    - no bequest is to nobody, or of nothing;
    - every record that it did not concern is byte for byte what it was, every blob too;
    - its change is wholly there or wholly absent, and there if it was acknowledged;
    - `verify` finds nothing damaged, `list` lists what is there;
    - the next command works, without repair;
    - the files that were put in are untouched, and nothing was written elsewhere.
    """
    def violate(what):
        bench.violate(where, what)

    if run.code == 127 and b"error while loading shared libraries" in run.err:
        return  # the system could not start it: nothing of it ran
    if run.code is None:
        violate("it did not end")
    elif run.code < 0 and not may_be_killed:
        violate(f"it died of signal {-run.code}: {run.tail()}")
    elif run.code > 0 and run.code not in codes and not may_be_killed:
        violate(f"exit code {run.code}: {run.tail()}")
    elif run.code > 0 and not may_be_killed and not is_explained(run):
        violate(f"exit code {run.code} without a message: {run.tail()}")

    if change.is_finished_later:
        sandbox.run("list")
    now = contents(sandbox)
    for problem in now.problems:
        violate(problem)
    for name, data in before.blobs.items():
        if name in now.named_blobs() and now.blobs.get(name) != data:
            violate(f"blob {name} is gone or changed")
    for name in now.named_blobs():
        if name not in now.blobs:
            violate(f"blob {name} is named and missing")
    for problem in now.dangling():
        violate(problem)
    effect = change.effect(before, now)
    if effect not in ("absent", "done", "either"):
        violate(f"neither before nor after: {effect}")
    if run.done and effect == "absent" and not change.is_optional:
        violate("acknowledged, and not there")

    verified = sandbox.run("verify")
    if not verified.done:
        violate(f"verify: exit code {verified.code}: {verified.tail()} {verified.out[-200:]!r}")
    listed = json_of(sandbox.run("list", "--json"))
    ids = {name for kind, name in now.live if kind == "capsules"}
    if listed is None or {row["id"] for row in listed} != ids:
        violate(f"list shows {listed and len(listed)} of {len(ids)}")
    next_run = sandbox.run("create", "next", "--unlock", FUTURE, "--text", "x", "-q")
    if not next_run.done:
        violate(f"the next command: exit code {next_run.code}: {next_run.tail()}")

    if files(sandbox.work) != work:
        violate("a source file was touched")
    allowed = {"store", "work", "home", "cache", "state", "config", "out"}
    if set(os.listdir(sandbox.path)) - allowed or files(os.path.join(sandbox.path, "home")):
        violate(f"written elsewhere: {sorted(os.listdir(sandbox.path))}")
    for name in os.listdir(os.path.join(sandbox.path, "out")):
        if not may_be_killed and not run.done and name.startswith("."):
            violate(f"a partial file is left in the output: {name}")


def is_explained(run):
    """Whether a failure was told: an error, or the findings of `verify` and `repair`."""
    return run.is_silenced or b"capsule: error: " in run.err or b'{"error":' in run.err \
        or run.code in (1, 3, 7) and run.out

