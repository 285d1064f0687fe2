"""An estate is killed, interrupted and refused at every system call.

Whatever happens: under its name it is whole or not there, the store is as it was, and no text, name or key
is anywhere in the clear. Ctrl-C leaves nothing half made, and the next one finishes the work.
"""
import hashlib
import io
import json
import os
import subprocess
import tarfile

import calls
from changes import FUTURE, PAST, PHOTO, contents
from invariants import REFUSED, is_explained
from reader import files

EFFECTS = ("signal=KILL", "signal=INT", "error=EIO")
# What is sealed, or too large for an index: found nowhere but in the store and in the estate.
SECRETS = (b"only for the trustees", b"AGE-SECRET-KEY", PHOTO[:64])
# What the index of the machine may have too.
READABLE = (b"Heirloom of 1912", b"Nobody's")
WORDS = ["estate", "--trustees", "family", "--output", "../out/estate.age"]


def household(bench):
    """A sandbox with a group whose key `age` of any version takes, and all that an estate has."""
    sandbox = bench.sandbox()
    with open(os.path.join(sandbox.work, "photo.jpg"), "wb") as file:
        file.write(PHOTO)
    recipient = None
    steps = [
        ["settings", "set", "postQuantum", "off"],
        ["trustees", "make", "family", "-k", "2", "--holder", "A", "--holder", "B", "-o", "pages"],
        ["trustees", "combine", "--share", "pages/1 A.txt", "--share", "pages/2 B.txt", "-o", "key"],
        ["keygen", "-o", "id.txt"], ["beneficiary", "add", "Jonas"],
        ["item", "add", "Ring", "--description", "Heirloom of 1912"],
        ["item", "attach", "Ring", "photo.jpg"],
        ["create", "Letter", "-u", PAST, "--allow-past", "--text", "only for the trustees"],
        ["create", "Later", "-u", FUTURE, "--text", "only for the trustees", "photo.jpg"],
        ["create", "Nobody's", "-u", FUTURE, "photo.jpg"],
        ["bequeath", "Letter", "--to", "Jonas", "--access", "upon-passing"], ["bequeath", "Later", "--to", "Jonas"],
    ]
    for words in steps:
        run = sandbox.run(*words)
        if not run.done:
            raise RuntimeError(f"the household cannot be made: {words} {run.code} {run.tail()}")
    recipient = sandbox.run("keygen", "-y", "id.txt").out.decode().strip()
    for words in (["beneficiary", "add", "Mia", "--recipient", recipient],
                  ["bequeath", "Ring", "--to", "Mia", "--access-after", "2040-01-01"],
                  ["bequeath", "Later", "--to", "Mia"]):
        run = sandbox.run(*words)
        if not run.done:
            raise RuntimeError(f"the household cannot be made: {words} {run.code} {run.tail()}")
    return sandbox


def members(bench, path, key):
    """Every file of a sealed archive with its digest; of one within it, of what that holds."""
    run = subprocess.run([bench.binary, "unseal", "-i", key, path], capture_output=True, check=False)
    if run.returncode:
        raise ValueError(f"it does not open: {run.stderr[-200:]!r}")
    result = {}
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as archive:
        for member in archive:
            if member.isfile():
                data = archive.extractfile(member).read()
                if len(data) != member.size:
                    raise ValueError(f"{member.name} is cut")
                result[member.name] = data
    return result


class Rules:
    """What holds after any end of an estate."""

    def __init__(self, bench, origin):
        self.bench, self.origin = bench, origin
        rehearsal = origin.copy()
        run = rehearsal.run(*WORDS)
        if not run.done:
            raise RuntimeError(f"the estate cannot be made: {run.code} {run.tail()}")
        self.tree = self.digests(rehearsal)
        self.store = files(rehearsal.store)
        rehearsal.remove()

    def digests(self, sandbox):
        path = os.path.join(sandbox.path, "out", "estate.age")
        work = sandbox.work
        digests = {}
        for name, data in members(self.bench, path, os.path.join(work, "key")).items():
            if name.endswith(".tar.age"):
                inner = os.path.join(work, "inner.age")
                with open(inner, "wb") as file:
                    file.write(data)
                data = repr(sorted((n, hashlib.sha256(d).digest()) for n, d in members(
                    self.bench, inner, os.path.join(work, "id.txt")).items())).encode()
                os.unlink(inner)
            digests[name] = hashlib.sha256(data).hexdigest()
        return digests

    def check(self, sandbox, where, run, effect, call):
        def violate(what):
            self.bench.violate(where, what)
        out = os.path.join(sandbox.path, "out")
        names = sorted(os.listdir(out))
        # What could not be read is not in it, which is said.
        is_told = run.code == 3 and (b"capsule: warning: " in run.err or b"capsule: error: " in run.err)
        for name in names:
            if name == "estate.age":
                try:
                    if self.digests(sandbox) != self.tree and not is_told:
                        violate("the estate is there and another")
                except (ValueError, OSError, tarfile.TarError) as error:
                    violate(f"the estate is there and not whole: {error}")
            elif name == "estate.age.list":
                with open(os.path.join(out, name), "rb") as file:
                    listed = json.load(file)
                with open(os.path.join(out, "estate.age"), "rb") as file:
                    if hashlib.sha256(file.read()).hexdigest() != listed["sha256"]:
                        violate("the list is of another file")
            elif not (name.startswith(".capsule-") and name.endswith(".tmp")):
                violate(f"something else is there: {name}")
            elif effect != "signal=KILL" and call not in ("unlink", "unlinkat"):
                violate(f"a part is left: {name}")
        for folder in ("out", "cache", "state", "home", "config"):
            for name, data in files(os.path.join(sandbox.path, folder)).items():
                for secret in SECRETS + (READABLE if folder == "out" else ()):
                    if secret in data:
                        violate(f"{folder}/{name} has {secret[:20]!r} in the clear")
        for name, data in files(sandbox.store).items():
            if self.store.get(name) != data and name != "lock":
                violate(f"the store changed: {name}")
        if effect == "signal=INT" and run.code not in (0, -2):
            violate(f"an interrupt ended it with {run.code}: {run.tail()}")
        if effect == "error=EIO" and run.code != 0 and b"error while loading" not in run.err:
            if run.code not in REFUSED or not is_explained(run):
                violate(f"an error ended it with {run.code}: {run.tail()}")
        again = sandbox.run(*WORDS, "--force")
        if not again.done:
            violate(f"the next one: {again.code}: {again.tail()}")
        elif self.digests(sandbox) != self.tree:
            violate("the next one is another")
        checked = sandbox.run("estate", "--check", "../out/estate.age", "--exit-code")
        if checked.code != 1:
            violate(f"its list does not fit: {checked.code}: {checked.tail()}")
        left = [name for name in os.listdir(out) if name.startswith(".")]
        if left:
            violate(f"the next one leaves {left}")


def run(bench):
    if not calls.usable():
        raise bench.Skip("strace cannot trace here")
    origin = household(bench)
    rules = Rules(bench, origin)
    rehearsal = origin.copy()
    _, points = calls.trace(rehearsal, WORDS)
    for call, _, text in points:
        if call == "openat" and "O_CREAT" in text and "/out/" not in text and "cache" not in text \
                and "state" not in text:
            bench.violate("trace", f"a file is made: {text[:120]}")
    rehearsal.remove()
    jobs = []
    for effect in EFFECTS:
        # A close that is refused here stays undone, as no real one does, and keeps its lock.
        jobs += [(call, number, effect) for call, number, _ in points
                 if (effect, call) != ("error=EIO", "close")]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(len(jobs), 100))
    ended = dict.fromkeys(EFFECTS, 0)

    def one(job):
        call, number, effect = job
        sandbox = origin.copy()
        ran = sandbox.run(*WORDS, prefix=calls.injecting(call, number, effect))
        ended[effect] += ran.code != 0
        rules.check(sandbox, f"estate, {effect} at {call}#{number}", ran, effect, call)
        sandbox.remove()

    bench.each(jobs, one)
    kills, interrupts, errors = ended.values()
    return (f"{kills} kills, {interrupts} interrupts and {errors} errors at {len(jobs)} of {points} "
            "points")
