"""The invariants of every operation. Each is a function of a trial that yields what does not hold."""
import json
import os

from reader import Contents, files
from worlds import FUTURE


def json_of(run):
    try:
        return json.loads(run.out)
    except ValueError:
        return None


def is_explained(run):
    """Whether a failure was told: an error, or the findings of `verify` and `repair`."""
    return run.is_silenced or b"capsule: error: " in run.err or b'{"error":' in run.err \
        or run.code in (1, 3, 7) and run.out or run.code == 10 and b"unread " in run.out


def ended(trial):
    """It ended by itself, in time, with a code that means something, and with a message where it failed."""
    ran = trial.ran
    if ran.code is None:
        yield "it did not end"
    elif trial.fault.is_kill or trial.fault.kind == "interrupt" and ran.code in (0, -2):
        return
    elif ran.code < 0 or trial.fault.kind == "interrupt":
        yield f"it ended with {ran.code}: {ran.tail()}"
    elif ran.code > 0 and ran.code not in trial.operation.codes:
        yield f"exit code {ran.code}: {ran.tail()}"
    elif ran.code > 0 and not is_explained(ran):
        yield f"exit code {ran.code} without a message: {ran.tail()}"


def old_or_new(trial):
    """Its change is wholly there or wholly absent, and there if it was acknowledged; every record that it does not
    concern is byte for byte what it was."""
    effect = trial.operation.effect(trial.before, trial.now)
    if effect not in ("absent", "done", "either"):
        yield f"neither before nor after: {effect}"
    if trial.ran.done and effect == "absent" and not trial.operation.is_optional:
        yield "acknowledged, and not there"


def is_whole(now):
    """Checksums hold, contents that are named are there, and no bequest is to nobody, or of nothing."""
    yield from now.problems
    for name in now.named_blobs():
        if name not in now.blobs:
            yield f"blob {name} is named and missing"
    yield from now.dangling()


def whole(trial):
    """The store is whole to a reader that knows the format, and no content of before is another."""
    yield from is_whole(trial.now)
    for name, data in trial.before.blobs.items():
        if name in trial.now.named_blobs() and trial.now.blobs.get(name) != data:
            yield f"blob {name} is gone or changed"


def verify_is_content(trial):
    verified = trial.run("verify", timeout=60)
    # Where the first command made no store there is none to verify.
    is_none = verified.code == 14 and not os.path.exists(os.path.join(trial.sandbox.store, "store.json"))
    if not verified.done and not (is_none and not trial.before.live):
        yield f"verify: exit code {verified.code}: {verified.tail()} {verified.out[-300:]!r}"


def undo_is_listed(trial):
    """An undo that was done is in the list of operations, unless the list could not be written; one that was not done
    is not, and works afterwards."""
    effect = trial.operation.effect(trial.before, trial.now)
    listed = json_of(trial.run("log", "--json", "--limit", "1"))
    is_listed = bool(listed) and listed[0]["command"] == trial.operation.words[0]
    if is_listed and effect == "absent" or not is_listed and effect == "done" and trial.fault.is_kill:
        yield f"{effect}, and the list ends with {listed}"
    again = trial.run(*trial.operation.words)
    if effect == "absent" and not again.done:
        yield f"it does not work afterwards: {again.code} {again.tail()}"


def list_is_complete(trial):
    listed = json_of(trial.run("list", "--json"))
    ids = {name for kind, name in trial.now.live if kind == "capsules"}
    if listed is None or {row["id"] for row in listed} != ids:
        yield f"list shows {listed and len(listed)} of {len(ids)}"


def next_command_works(trial):
    """Without a repair."""
    ran = trial.run("create", "next", "--unlock", FUTURE, "--text", "x", "-q")
    if not ran.done:
        yield f"the next command: exit code {ran.code}: {ran.tail()}"


def nothing_elsewhere(trial):
    """The files that were put in are untouched, and nothing was written but where it belongs."""
    if files(trial.sandbox.work) != trial.known.work:
        yield "a source file was touched"
    allowed = {"store", "work", "home", "cache", "state", "config", "out"}
    if set(os.listdir(trial.sandbox.path)) - allowed or files(os.path.join(trial.sandbox.path, "home")):
        yield f"written elsewhere: {sorted(os.listdir(trial.sandbox.path))}"
    for name in os.listdir(trial.out):
        if not trial.fault.is_kill and not trial.ran.done and name.startswith("."):
            yield f"a partial file is left in the output: {name}"


CHANGE = (ended, whole, old_or_new, verify_is_content, list_is_complete, next_command_works, nothing_elsewhere)


# On a disk that is full


def reads_and_gives_room(trial):
    """What takes no room is done though no block is left; every record is as before or as after, and can be listed."""
    ran, name = trial.ran, trial.operation.name
    if name in ("delete", "purge", "list") and not ran.done and trial.fault.facts["is_full_of_blocks"]:
        yield f"exit code {ran.code}: {ran.tail()}"
    effect = trial.operation.effect(trial.before, Contents(trial.sandbox.store))
    if effect not in ("absent", "done", "either"):
        yield f"neither before nor after: {effect}"
    if ran.code is None or ran.code < 0 or ran.code == 13:
        yield f"exit code {ran.code}: {ran.tail()}"
    if json_of(trial.run("list", "--json")) is None:
        yield "list fails on a full disk"


def not_done_unsaid(trial):
    """What cannot be said was not done, as far as the exit code goes."""
    other = trial.start.copy()
    if trial.ran.done and other.run(*trial.operation.words).out:
        yield "exit code 0"
    other.remove()
    if trial.ran.code is None or trial.ran.code < 0:
        yield f"ended with {trial.ran.code}"


# Where the store's own paths are others


def nothing_outside(trial):
    """Whatever runs then, nothing waits, nothing traps, and nothing outside the store is read or written."""
    for operation in trial.fault.facts["operations"]:
        ran = trial.run(*operation.words, "--lock-timeout", "1", timeout=10)
        if ran.code is None:
            yield f"{operation.name} blocks"
        elif ran.code < 0 or ran.code == 13:
            yield f"{operation.name}: exit code {ran.code}: {ran.tail()}"
    left = files(os.path.join(trial.sandbox.path, "outside"))
    if left != {"canary": b"do not touch"}:
        yield f"outside the store there is now {sorted(left)}"


# A store that may only be read


def snapshot(store, but=()):
    """All that is there, with times and modes."""
    result = {}
    for parent, directories, names in os.walk(store):
        for name in [".", *directories, *names]:
            path = os.path.join(parent, name)
            if os.path.relpath(path, store) not in but:
                status = os.lstat(path)
                result[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return result, {path: data for path, data in files(store).items() if path not in but}


def unwritten(trial):
    """It works, and changes nothing at all. To write what they found out, an opening and a verification take the lock
    of a store that lets them."""
    but = ["lock"] if trial.fault.name == "0500" and trial.operation.words[0] in ("open", "verify") else []
    before, ran = trial.fault.facts["before"], trial.ran
    if ran.code != trial.operation.facts.get("code", 0):
        yield f"exit code {ran.code}: {ran.tail()}"
    if snapshot(trial.sandbox.store, but) != before:
        yield "something in the store changed"
