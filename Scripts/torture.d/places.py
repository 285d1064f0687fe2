"""Where a store lies and what a process may: limits, disks that are full or read-only, paths that are replaced, and
names that climb out."""
import os
import shutil
import subprocess
import time
from collections import Counter

import operations
from faults import (REPLACEMENTS, Fault, closed, forbidden, full_output, limit, may_mount, read_only, replaced_by,
                    small_disk, store_of)
from invariants import snapshot
from operations import Operation
from reader import files
from worlds import base

NAMES = ("create", "edit", "add", "open", "delete", "restore", "purge", "settings", "check", "list")


def usual(bench):
    every = operations.everything(bench)
    return [every[name] for name in NAMES]


def limits(bench, _):
    sizes = bench.pick([*range(0, 4096, 512), *range(4096, 90_000, 8192)], [0, 1024, 20_480])
    return [*(limit("RLIMIT_FSIZE", size) for size in sizes),
            *(limit("RLIMIT_NOFILE", count) for count in bench.pick(range(3, 16), [4, 6, 8])),
            *(closed(bits) for bits in range(1, 8))]


def full_outputs(_, __):
    return [full_output()]


def little_room(bench, _):
    return [*(small_disk(store_of, blocks=blocks) for blocks in bench.pick(range(0, 40), [0, 3, 9])),
            *(small_disk(store_of, inodes=count) for count in bench.pick(range(0, 8), [0, 2]))]


def hooks(bench):
    """What is announced by a command is so once, however often nothing can be kept or printed."""
    origin = bench.sandbox()
    for number in range(5):
        origin.do("create", f"Due {number}", "--unlock", "in 1 second", "--text", "t")
    time.sleep(1.2)
    words = ["check", "--exec", "mkdir ran.$CAPSULE_ID.$$"]

    def one(size):
        sandbox = origin.copy()
        for _ in range(3):
            with open("/dev/full", "wb") as full:
                options = {"stdout": full, "stderr": subprocess.DEVNULL} if size is None \
                    else limit("RLIMIT_FSIZE", size).options
                sandbox.run(*words, **options)
        sandbox.run(*words)
        runs = Counter(name.split(".")[1] for name in os.listdir(sandbox.work) if name.startswith("ran."))
        if sorted(runs.values()) != [1] * 5:
            bench.violate(f"check --exec with RLIMIT_FSIZE={size}", f"runs: {runs}")
        sandbox.remove()

    sizes = [*bench.pick(range(0, 1024, 16), [0, 64, 128, 320, 512]), None]
    bench.each(sizes, one)
    return f"{len(sizes)} hooks"


# Paths


def a_look(_):
    return [Operation("list", ["list", "--lock-timeout", "1"], base, timeout=10)]


def replaced(bench, _):
    """Every path of the store is a link, a FIFO, a directory or a device."""
    there = files(bench.world(base).store)
    paths = ["store.json", "lock", "settings.json", "capsules", "blobs", "tmp", "identities", "trash",
             "trash/capsules", *sorted(there), *sorted({os.path.dirname(path) for path in there} - {""})]
    every = list(operations.everything(bench).values())
    found = [replaced_by(path, kind) for path in dict.fromkeys(paths) for kind in REPLACEMENTS]
    for fault in found:
        fault.facts["operations"] = every
    return found


def climbers(bench):
    """Files whose names would lead out of the output's directory, or clash in it."""
    sandbox, words = bench.sandbox(), []
    names = [b"a", b"A", b"a ", b".hidden", b"-rf", b"--output", b"con", b"x\ny", b"\xff\xfe", b"\x1b[31m",
             b"e\xcc\x81", b"\xc3\xa9", b"n" * 255, b"a.txt", b"a (2).txt", b"~", b"$HOME", b"%00",
             b"\xe2\x80\xaegpj.exe"]
    for number, name in enumerate(names):
        for folder in (f"{number}", f"{number}b"):
            directory = os.path.join(sandbox.work, folder).encode()
            os.mkdir(directory)
            with open(os.path.join(directory, name), "wb") as file:
                file.write(b"%d" % number)
            words += ["--file", os.path.join(directory, name)]
    made = sandbox.do("create", "names", "--unlock", "2020-01-01", "--allow-past", "-q", *words)
    out = os.path.join(sandbox.path, "out")
    opened = sandbox.run("open", made, "--output", out)
    written = os.listdir(out.encode())
    if not opened.done or len(written) != 2 * len(names):
        bench.violate("names", f"open: {opened.code}, {len(written)} files: {opened.tail()}")
    if sorted(files(out).values()) != sorted(b"%d" % (number // 2) for number in range(2 * len(names))):
        bench.violate("names", "the bytes are not those that were put in")
    shutil.rmtree(out)
    return f"{len(names)} names"


# A store that may only be read


def readers(bench):
    ids = bench.world(base).ids
    rows = [["list"], ["list", "--json"], ["show", ids["plain"]], ["countdown", "--once"], ["verify"],
            ["open", ids["ready"], "--json"], ["open", ids["locked"]], ["check", "--dry-run"], ["settings"],
            ["list", "--search", "notes"]]
    return [Operation(" ".join(words), words, base, facts={"code": 4 if ids["locked"] in words else 0})
            for words in rows]


def only_read(bench, operation):
    """It may not be written, or it is on a disk that may not; and a writable one is left alone by who only looks."""
    found = [forbidden(), *([read_only(store_of)] if may_mount(bench) else [])]
    if operation.words[0] not in ("open", "verify"):
        # A writable store is told when a capsule was opened, and what its journal lacks.
        found.append(Fault("as it is", "read-only"))
    for fault in found:
        fault.begin = looked_at(fault.begin, operation)
    return found


def looked_at(begin, operation):
    """Does what a fault does, and looks at the store then."""
    def begin_and_look(trial):
        if begin:
            begin(trial)
        is_told = trial.fault.name == "0500" and operation.words[0] in ("open", "verify")
        trial.fault.facts["before"] = snapshot(trial.sandbox.store, ["lock"] if is_told else [])
    return begin_and_look
