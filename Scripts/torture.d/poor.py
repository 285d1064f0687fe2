"""Poor file systems: what they refuse for good, in every command. It does its work, or says which part it cannot do."""
import os

from faults import STRACE, Fault

REFUSED = {
    "times": ("utimensat", ("EPERM", "EOPNOTSUPP")),
    "modes": ("fchmod,chmod,fchmodat", ("EPERM", "EOPNOTSUPP", "EINVAL")),
    "locks": ("flock", ("ENOLCK", "EOPNOTSUPP", "EPERM")),
    "directory sync": ("fsync", ("EINVAL", "EOPNOTSUPP", "ENOTTY")),
}


def directories(trial):
    """Every directory of the sandbox, and those above it, whose names a new directory is synchronized by."""
    found, parent = [], trial.sandbox.path
    while parent != "/":
        parent = os.path.dirname(parent)
        found.append(parent)
    for folder, _, _ in os.walk(trial.sandbox.path):
        found.append(folder)
    return found


def refusing(what, error):
    calls, _ = REFUSED[what]

    def begin(trial):
        # Of a file a refused synchronization is an error.
        paths = directories(trial) if what == "directory sync" else []
        trial.fault.options["prefix"] = [
            STRACE, "-f", "-qq", "-o", "/dev/null", *(word for path in paths for word in ("-P", path)),
            "-e", ",".join(["trace=" + "?" + calls.replace(",", ",?")]), "-e",
            f"inject={calls}:error={error}"]
    return Fault(f"{what}: {error}", what, begin=begin)


def refusals(bench, operation):
    return [refusing(what, error) for what, (_, errors) in REFUSED.items() for error in errors]


def does_its_work(trial):
    """It ends as it does elsewhere, but where it needs a lock and there is none."""
    ran = trial.ran
    if trial.fault.kind == "locks" and ran.code == 10:
        if b"cannot lock" not in ran.err:
            yield f"the lock is not named: {ran.tail()}"
        return
    other = trial.start.copy()
    code = other.run(*trial.operation.words, timeout=trial.operation.timeout).code
    if ran.code != code:
        yield f"exit code {ran.code}, and {code} elsewhere: {ran.tail()}"
