"""`store protect` and `store unprotect` are killed, and refused, at every system call.

Whatever happens: the store is protected or it is not, and works either way; every honor capsule opens, live or
brought back from the trash; the next try finishes; and in a protected store no file holds a secret key of the
store's, neither in this machine's files nor in those that other machines and repairs left.
"""
import json
import os
import re
import shutil

import calls

EFFECTS = ("signal=KILL", "error=EIO", "error=ENOSPC")
PASSPHRASE = "a dog in the rain, twice"
# Scrypt at 2^18 takes a second where the program is built with optimisation.
PATIENCE = 300


def files(path):
    """Every file below, with its bytes."""
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            if os.path.isfile(file) and not os.path.islink(file):
                with open(file, "rb") as opened:
                    yield file, opened.read()


def secrets(store):
    """The secret keys that lie in the clear in `identities/`."""
    found = set()
    for _, data in files(os.path.join(store, "identities")):
        found.update(re.findall(rb"AGE-SECRET-KEY-1[A-Z0-9]+", data))
    return found


def base(bench):
    """A store with honor capsules, live, opened and deleted, and copies of its identity wherever they come to lie."""
    sandbox = bench.sandbox()

    def done(*words):
        run = sandbox.run(*words)
        if not run.done:
            raise RuntimeError(f"the base store cannot be made: {words} {run.code} {run.tail()}")
        return run.out.decode().strip()

    with open(os.path.join(sandbox.work, "word"), "w", encoding="utf-8") as file:
        file.write(PASSPHRASE + "\n")
    sandbox.ids = {}
    for title in ("one", "two", "deleted"):
        sandbox.ids[title] = done("create", title, "--unlock", "2020-01-01", "--allow-past", "-q",
                                  "--text", f"the text of {title}")
    done("create", "locked", "--unlock", "2099-01-01", "-q", "--text", "later")
    done("delete", sandbox.ids["deleted"], "--yes")
    store = sandbox.store
    identities = os.path.join(store, "identities")
    name = os.listdir(identities)[0]
    shutil.copy(os.path.join(identities, name), os.path.join(identities, name[:-4] + " (1).txt"))
    backups, other = os.path.join(store, "backups", "1700000000"), os.path.join(store, "journal", "0" * 32)
    os.makedirs(backups)
    os.makedirs(other)
    shutil.copy(os.path.join(identities, name), backups)
    for place in (backups, other, store):
        target = {other: "header", store: "store.sync-conflict-1.json"}.get(place, "store.json")
        shutil.copy(os.path.join(store, "store.json"), os.path.join(place, target))
    shutil.copy(os.path.join(store, "store.json"), os.path.join(store, "tmp", "half"))
    return sandbox


def is_protected(sandbox):
    with open(os.path.join(sandbox.store, "store.json"), encoding="utf-8") as file:
        return json.load(file)["format"] == 2


def opens(bench, sandbox, place):
    """Every honor capsule opens, with the passphrase where the store is protected."""
    sandbox.run("restore", sandbox.ids["deleted"])
    given = ["--passphrase-file", "word"] if is_protected(sandbox) else []
    for title, number in sandbox.ids.items():
        run = sandbox.run("open", number, *given, timeout=PATIENCE)
        if run.out.decode() != f"the text of {title}":
            bench.violate(place, f"'{title}' does not open: {run.code} {run.tail()}")


def judge(bench, sandbox, command, keys, place):
    opens(bench, sandbox, place)
    again = sandbox.run("store", command, "--passphrase-file", "word", timeout=PATIENCE)
    if not again.done:
        return bench.violate(place, f"the next try ends with {again.code}: {again.tail()}")
    if is_protected(sandbox) != (command == "protect"):
        bench.violate(place, "the next try did not finish")
    opens(bench, sandbox, place)
    if command == "protect":
        for file, data in files(sandbox.store):
            if any(key in data for key in keys) or b"AGE-SECRET-KEY-1" in data:
                bench.violate(place, f"'{os.path.relpath(file, sandbox.store)}' holds a key in the clear")
    found = sandbox.run("verify")
    if found.code != 0:
        bench.violate(place, f"verify ends with {found.code}: {found.tail()}")


def run(bench):
    if not calls.usable():
        raise bench.Skip("strace cannot trace here")
    plain = base(bench)
    keys = secrets(plain.store)
    protected = plain.copy()
    protected.ids = plain.ids
    if not protected.run("store", "protect", "--passphrase-file", "word", timeout=PATIENCE).done:
        raise RuntimeError("the store cannot be protected")
    jobs = []
    for command, start in (("protect", plain), ("unprotect", protected)):
        words = ["store", command, "--passphrase-file", "word"]
        rehearsal = start.copy()
        _, points = calls.trace(rehearsal, words, timeout=PATIENCE)
        rehearsal.remove()
        jobs += [(command, start, words, call, number, effect)
                 for call, number, _ in points for effect in EFFECTS]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(len(jobs), 12))
    ended = [0, 0]

    def one(job):
        command, start, words, call, number, effect = job
        sandbox = start.copy()
        sandbox.ids = start.ids
        ran = sandbox.run(*words, prefix=calls.injecting(call, number, effect), timeout=PATIENCE)
        place = f"{command}: {effect} at {call}#{number}"
        ended["KILL" not in effect] += ran.code != 0
        if ran.code is None:
            bench.violate(place, "it does not end")
        judge(bench, sandbox, command, keys, place)
        sandbox.remove()

    bench.each(jobs, one)
    return f"{ended[0]} kills and {ended[1]} errors at {len(jobs)} of {points} points"
