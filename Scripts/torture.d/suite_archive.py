"""Archives taken in and killed at every call, on a full disk, cut, changed and hostile.

Whatever happens, the store is whole, no record of a cut archive is in it, and the next import finishes
what was begun.
"""
import io
import os
import subprocess
import tarfile
import threading
from collections import Counter

import calls
from changes import FUTURE, json_of
from keepsakes import differences, keepsakes, same_machine
from reader import Contents, files


def run(bench):
    origin = keepsakes(bench, is_small=True)
    origin.run("create", "gone", "--unlock", FUTURE, "--text", "x", "-q")
    origin.run("delete", "gone", "--yes")
    path = os.path.join(origin.work, "all.tar")
    ran = origin.run("export", "archive", "--in-the-clear", "-o", path)
    if not ran.done:
        raise RuntimeError(f"export archive: {ran.code} {ran.tail()}")
    told = [export_kills(bench, origin), kills(bench, origin, path), full_disks(bench, origin, path),
            cut(bench, path), hostile(bench, path)]
    return ", ".join(told)


def records(store):
    """The records of a store by kind and id, live and in the trash."""
    if not os.path.isdir(store):
        return {}
    now = Contents(store)
    return {**now.trash, **now.live}


def sound(bench, sandbox, where):
    """Holds a store to its own hashes; an import that was interrupted may leave contents nobody names."""
    if not os.path.exists(os.path.join(sandbox.store, "store.json")):
        return
    now = Contents(sandbox.store)
    for problem in now.problems:
        bench.violate(where, problem)
    for name in now.named_blobs():
        if name not in now.blobs:
            bench.violate(where, f"blob {name} is named and missing")
    ran = sandbox.run("verify", "--json", timeout=60)
    answer = json_of(ran) or {"problems": [{"isDamage": True, "message": ran.tail()}]}
    if any(problem["isDamage"] for problem in answer["problems"]):
        bench.violate(where, f"verify: {ran.code} {answer['problems']}")


def finish(bench, sandbox, where, archive, wanted):
    """Runs the import once more, and holds the store to the one that the archive was made from."""
    again = sandbox.run("import", "archive", archive, timeout=60)
    if not again.done:
        bench.violate(where, f"the next import: exit code {again.code}: {again.tail()}")
    if records(sandbox.store) != wanted:
        bench.violate(where, f"the next import: {differences(wanted, records(sandbox.store))}")
    third = sandbox.run("import", "archive", archive, timeout=60)
    if not third.done or b"Nothing changed" not in third.out:
        bench.violate(where, f"the import after that: {third.code} {third.out[-200:]!r} {third.tail()}")
    sound(bench, sandbox, where + ", then once more")
    litter = os.listdir(os.path.join(sandbox.store, "tmp"))
    # What a killed process left is swept after a day.
    if litter and "killed" not in where:
        bench.violate(where, f"left in tmp/: {litter}")


def kills(bench, origin, archive):
    if not calls.usable():
        return "no kills: strace cannot trace here"
    killed, lock, count, jobs = Counter(), threading.Lock(), 0, []
    wanted = records(origin.store)
    rehearsal = bench.sandbox()
    _, points = calls.trace(rehearsal, ["import", "archive", archive])
    if records(rehearsal.store) != wanted:
        bench.violate("import", f"not the same: {differences(wanted, records(rehearsal.store))}")
    rehearsal.remove()
    jobs = [(call, number) for call, number, _ in points]
    count = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(count, 60))

    def one(job):
        call, number = job
        where = f"import killed at {call}#{number}"
        sandbox = bench.sandbox()
        ran = sandbox.run("import", "archive", archive, prefix=calls.injecting(call, number, "signal=KILL"))
        with lock:
            killed["kills"] += ran.code not in (0, None)
        sound(bench, sandbox, where)
        finish(bench, sandbox, where, archive, wanted)
        sandbox.remove()

    bench.each(jobs, one)
    return f"{killed['kills']} kills at {len(jobs)} of {count} points"


def export_kills(bench, origin):
    """An export that is killed leaves no archive, and no part of one once another was written."""
    if not calls.usable():
        return "no kills of exports"
    words = ["export", "archive", "--in-the-clear", "-o", "../out/a.tar"]
    rehearsal = same_machine(origin)
    _, points = calls.trace(rehearsal, words)
    rehearsal.remove()
    jobs = [(call, number) for call, number, _ in points]
    count = len(jobs)
    jobs = bench.random.sample(jobs, min(count, bench.pick(count, 30)))

    def one(job):
        call, number = job
        where = f"export killed at {call}#{number}"
        sandbox = same_machine(origin)
        out = os.path.join(sandbox.path, "out")
        sandbox.run(*words, prefix=calls.injecting(call, number, "signal=KILL"))
        if os.path.exists(os.path.join(out, "a.tar")):
            ran = sandbox.run("export", "archive", "--check", "../out/a.tar")
            if not ran.done:
                bench.violate(where, f"an archive that is not whole: {ran.code} {ran.tail()}")
            os.unlink(os.path.join(out, "a.tar"))
        again = sandbox.run(*words)
        if not again.done or os.listdir(out) != ["a.tar"]:
            bench.violate(where, f"the next export: {again.code} {again.tail()} {os.listdir(out)}")
        sandbox.remove()

    bench.each(jobs, one)
    return f"{len(jobs)} kills of exports"


def full_disks(bench, origin, archive):
    """A disk that has room for 0, 1, 2, … blocks."""
    mount = os.path.join(bench.root, "disk")
    os.makedirs(mount, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True,
                      check=False).returncode:
        return "0 full disks"
    subprocess.run(["umount", mount], check=True)
    wanted, refused = records(origin.store), 0
    steps = bench.pick(range(1, 120), [1, 20, 60])
    for blocks in steps:
        where = f"import with room for {blocks} blocks"
        sandbox = bench.sandbox()
        size = blocks * 4096
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=100000", "none", mount],
                       check=True)
        try:
            sandbox.store = os.path.join(mount, "store")
            ran = sandbox.run("import", "archive", archive)
            if ran.code not in (0, 10):
                bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
            refused += ran.code == 10
            if ran.code == 10 and not ran.err:
                bench.violate(where, "refused without a message")
            subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=100000", mount], check=True)
            sound(bench, sandbox, where)
            finish(bench, sandbox, where, archive, wanted)
        finally:
            subprocess.run(["umount", "-l", mount], check=False)
            sandbox.remove()
    return f"{len(steps)} full disks, {refused} refused"


def cut(bench, archive):
    """Archives that are cut, and with a changed byte."""
    with open(archive, "rb") as file:
        data = file.read()
    count = bench.pick(600, 30)

    def one(number):
        rng = type(bench.random)(f"{bench.random.random()} {number}")
        sandbox = bench.sandbox()
        path = os.path.join(sandbox.work, "a.tar")
        at = rng.randrange(len(data) - 1024)
        is_cut = number % 2
        changed = data[:at] if is_cut else data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
        where = f"{'cut' if is_cut else 'changed'} at {at}"
        with open(path, "wb") as file:
            file.write(changed)
        for words in (["export", "archive", "--check", path], ["import", "archive", path]):
            ran = sandbox.run(*words)
            # Bytes that fill up a block say nothing; a format that such a bit says is a newer one's.
            allowed = (7,) if is_cut else (0, 7, 11) if data[at] == 0 else (3, 7, 11)
            if ran.code not in allowed:
                bench.violate(where, f"{words[0]}: exit code {ran.code}: {ran.tail()}")
        if is_cut and records(sandbox.store):
            bench.violate(where, "records were taken")
        sound(bench, sandbox, where)
        sandbox.remove()

    bench.each(list(range(count)), one)
    return f"{count} cut or changed"


def hostile(bench, archive):
    """Members that lead elsewhere, behind a description that is right."""
    with tarfile.open(archive) as tar:
        description = tar.extractfile("archive.json").read()
    evil = []
    for name in ("../evil", "/tmp/evil", "a/../../evil", "identities/../../evil", "evil.sh", ".."):
        evil.append((tarfile.TarInfo(name), b"x"))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
                 tarfile.GNUTYPE_SPARSE, tarfile.CONTTYPE):
        info = tarfile.TarInfo("blobs")
        info.type, info.linkname = kind, "/etc"
        evil.append((info, b""))
    for headers in ({"size": "9" * 30}, {"path": "../evil"}, {"GNU.sparse.major": "1"}, {"path": "/x"}):
        info = tarfile.TarInfo("settings.json")
        info.pax_headers = headers
        evil.append((info, b""))
    for number, (info, data) in enumerate(evil):
        sandbox = bench.sandbox()
        path = os.path.join(sandbox.work, "evil.tar")
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            first = tarfile.TarInfo("archive.json")
            first.size = len(description)
            tar.addfile(first, io.BytesIO(description))
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for words in (["export", "archive", "--check", path], ["import", "archive", path]):
            ran = sandbox.run(*words)
            if ran.code != 7:
                bench.violate(f"hostile {number} {info.name}", f"{words[0]}: {ran.code} {ran.tail()}")
        if set(files(sandbox.path)) - {"work/evil.tar"}:
            bench.violate(f"hostile {number}", f"left: {set(files(sandbox.path))}")
        sandbox.remove()
    return f"{len(evil)} hostile"
