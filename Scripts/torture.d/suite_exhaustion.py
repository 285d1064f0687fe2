"""No space, no inodes, no descriptors, file size limits, a full standard output, closed streams."""
import os
import resource
import shutil
import subprocess
import time
from collections import Counter

from changes import all_changes, base, contents, json_of
from invariants import check
from reader import files

NAMES = {"create", "edit", "add", "open", "delete", "restore", "purge", "settings", "check", "list"}


def run(bench):
    origin = base(bench)
    before, work = contents(origin), files(origin.work)
    changes = [change for change in all_changes(origin) if change.name in NAMES]
    counts = {}

    def limited(job):
        change, name, value, prepare = job
        sandbox = origin.copy()
        ran = sandbox.run(*change.words, preexec_fn=prepare)
        ran.is_silenced = name == "closed" and bool(value & 4)
        check(bench, sandbox, f"{change.name} {name}={value}", before, change, ran, work)
        sandbox.remove()

    jobs = []
    for change in changes:
        for value in bench.pick([*range(0, 4096, 512), *range(4096, 90_000, 8192)], [0, 1024, 20_480]):
            jobs.append((change, "RLIMIT_FSIZE", value, limit(resource.RLIMIT_FSIZE, value)))
        for value in bench.pick(range(3, 16), [4, 6, 8]):
            jobs.append((change, "RLIMIT_NOFILE", value, limit(resource.RLIMIT_NOFILE, value)))
        for value in range(1, 8):
            jobs.append((change, "closed", value, closing(value)))
    counts["limits"] = len(jobs)
    bench.each(jobs, limited)
    counts["full stdout"] = full_output(bench, origin, changes)
    counts["hooks"] = hooks(bench)
    counts["disk steps"] = small_disks(bench, origin, before, changes, work)
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def limit(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def closing(bits):
    """Closes the standard streams whose bits are set."""
    def prepare():
        for number in range(3):
            if bits >> number & 1:
                os.close(number)
    return prepare


def full_output(bench, origin, changes):
    """What cannot be said was not done, as far as the exit code goes."""
    for change in changes:
        sandbox = origin.copy()
        with open("/dev/full", "wb") as full:
            ran = subprocess.run(
                [bench.binary, "--no-input", *change.words], cwd=sandbox.work, stdout=full,
                env=sandbox.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                check=False)
        says = origin.copy().run(*change.words).out
        if says and ran.returncode == 0:
            bench.violate(f"{change.name} >/dev/full", "exit code 0")
        if ran.returncode < 0:
            bench.violate(f"{change.name} >/dev/full", f"signal {-ran.returncode}")
        sandbox.remove()
    return len(changes)


def hooks(bench):
    """What is announced by a command is so once, however often nothing can be kept or printed."""
    origin = bench.sandbox()
    for number in range(5):
        origin.run("create", f"Due {number}", "--unlock", "in 1 second", "--text", "t")
    time.sleep(1.2)
    words = ["check", "--exec", "mkdir ran.$CAPSULE_ID.$$"]
    values = bench.pick(range(0, 1024, 16), [0, 64, 128, 320, 512])
    for value in [*values, None]:
        sandbox = origin.copy()
        for _ in range(3):
            if value is None:
                with open("/dev/full", "wb") as full:
                    subprocess.run(
                        [bench.binary, "--no-input", *words], cwd=sandbox.work, stdout=full,
                        env=sandbox.environment, stdin=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL, check=False)
            else:
                sandbox.run(*words, preexec_fn=limit(resource.RLIMIT_FSIZE, value))
        sandbox.run(*words)
        runs = Counter(
            name.split(".")[1] for name in os.listdir(sandbox.work) if name.startswith("ran."))
        if sorted(runs.values()) != [1] * 5:
            bench.violate(f"check --exec with RLIMIT_FSIZE={value}", f"runs: {runs}")
        sandbox.remove()
    return len(values) + 1


def small_disks(bench, origin, before, changes, work):
    """The store on a disk that has room for 0, 1, 2, … more blocks, and for few more files."""
    mount = os.path.join(bench.root, "small")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True,
                      check=False).returncode:
        print("  exhaustion: no right to mount: disk steps skipped", flush=True)
        return 0
    subprocess.run(["umount", mount], check=True)
    steps = 0
    for change in changes:
        for free, inodes in [*((blocks, None) for blocks in bench.pick(range(0, 40), [0, 3, 9])),
                             *((None, count) for count in bench.pick(range(0, 8), [0, 2]))]:
            steps += 1
            small_disk(bench, origin, before, change, work, mount, free, inodes)
    return steps


def small_disk(bench, origin, before, change, work, mount, free, inodes):
    sandbox = origin.copy()
    used = int(subprocess.run(["du", "-s", "-k", sandbox.store], capture_output=True, text=True,
                              check=True).stdout.split()[0])
    count = sum(1 + len(names) for _, _, names in os.walk(sandbox.store))
    size = f"size={used + 4 * free}k" if free is not None else "size=8m"
    nodes = f",nr_inodes={count + 1 + inodes}" if inodes is not None else ""
    subprocess.run(["mount", "-t", "tmpfs", "-o", size + nodes, "none", mount], check=True)
    try:
        target = os.path.join(mount, "store")
        copied = subprocess.run(["cp", "-a", sandbox.store, target], capture_output=True, check=False)
        if copied.returncode:
            return
        shutil.rmtree(sandbox.store)
        os.symlink(target, sandbox.store)
        ran = sandbox.run(*change.words)
        where = f"{change.name} with room for {free} blocks, {inodes} files"
        if change.name in ("delete", "purge", "list") and not ran.done and free is not None:
            bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
        full = contents(sandbox)
        effect = change.effect(before, full)
        if effect not in ("absent", "done", "either"):
            bench.violate(where, f"neither before nor after: {effect}")
        if ran.code is None or ran.code < 0 or ran.code == 13:
            bench.violate(where, f"exit code {ran.code}: {ran.tail()}")
        if json_of(sandbox.run("list", "--json")) is None:
            bench.violate(where, "list fails on a full disk")
        # With room again everything works.
        subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=100000", mount], check=True)
        check(bench, sandbox, where, before, change, ran, work)
    finally:
        subprocess.run(["umount", "-l", mount], check=False)
        sandbox.remove()
