"""The store's own paths replaced by links, FIFOs, directories and devices; names that climb out."""
import os
import shutil

from changes import all_changes, base
from reader import files


def run(bench):
    origin = base(bench)
    paths = ["store.json", "lock", "settings.json", "capsules", "blobs", "tmp", "identities", "trash",
             "trash/capsules", *sorted(files(origin.store))]
    paths += sorted({os.path.dirname(path) for path in files(origin.store)} - {""})
    paths = list(dict.fromkeys(paths))
    kinds = ["link to a file", "link to a directory", "dangling link", "circle", "fifo", "directory",
             "device", "link to a fifo"]
    jobs = [(path, kind) for path in paths for kind in kinds]
    bench.random.shuffle(jobs)
    jobs = jobs[:bench.pick(len(jobs), 60)]

    def one(job):
        path, kind = job
        sandbox = origin.copy()
        outside = bench.sandbox()
        canary = os.path.join(outside.work, "canary")
        with open(canary, "wb") as file:
            file.write(b"do not touch")
        os.mkdir(os.path.join(outside.work, "directory"))
        replace(os.path.join(sandbox.store, path), kind, outside.work)
        for change in all_changes(origin):
            ran = sandbox.run(*change.words, "--lock-timeout", "1", timeout=10)
            where = f"{path} is a {kind}: {change.name}"
            if ran.code is None:
                bench.violate(where, "it blocks")
            elif ran.code < 0 or ran.code == 13:
                bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
        left = files(outside.work)
        if left != {"canary": b"do not touch"}:
            bench.violate(f"{path} is a {kind}", f"outside the store there is now {sorted(left)}")
        sandbox.remove()
        outside.remove()

    bench.each(jobs, one)
    return f"{len(jobs)} replaced paths, {len(all_changes(origin))} commands each, {climbers(bench)} names"


def replace(path, kind, outside):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "link to a fifo":
        os.mkfifo(path + ".fifo")
        os.symlink(path + ".fifo", path)
    else:
        target = {"link to a file": os.path.join(outside, "canary"), "device": "/dev/zero",
                  "link to a directory": os.path.join(outside, "directory"),
                  "dangling link": os.path.join(outside, "nothing"), "circle": path}[kind]
        os.symlink(target, path)


def climbers(bench):
    """Files whose names would lead out of the output's directory, or clash in it."""
    sandbox = bench.sandbox()
    names = [b"..", b"a", b"A", b"a ", b".hidden", b"-rf", b"--output", b"con", b"x\ny", b"\xff\xfe",
             b"\x1b[31m", b"e\xcc\x81", b"\xc3\xa9", b"n" * 255, b"a.txt", b"a (2).txt", b"~", b"$HOME",
             b"%00", b"\xe2\x80\xaegpj.exe"]
    words = []
    for number, name in enumerate(names[1:]):
        directory = os.path.join(sandbox.work, str(number)).encode()
        os.mkdir(directory)
        path = os.path.join(directory, name)
        with open(path, "wb") as file:
            file.write(b"%d" % number)
        words += ["--file", path]
        again = os.path.join(sandbox.work, f"{number}b").encode()
        os.mkdir(again)
        shutil.copy(path, os.path.join(again, name))
        words += ["--file", os.path.join(again, name)]
    made = sandbox.run("create", "names", "--unlock", "2020-01-01", "--allow-past", "-q", *words)
    if not made.done:
        bench.violate("names", f"create: {made.code} {made.tail()}")
        return 0
    out = os.path.join(sandbox.path, "out")
    opened = sandbox.run("open", made.out.decode().strip(), "--output", out)
    written = os.listdir(out.encode())
    if not opened.done or len(written) != 2 * (len(names) - 1):
        bench.violate("names", f"open: {opened.code}, {len(written)} files: {opened.tail()}")
    bodies = sorted(files(out).values())
    if bodies != sorted(b"%d" % (number // 2) for number in range(2 * (len(names) - 1))):
        bench.violate("names", "the bytes are not those that were put in")
    return len(names) - 1
