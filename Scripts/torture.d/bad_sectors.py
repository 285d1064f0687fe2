"""Files and directories that cannot be read for a while, as on a disk with a bad sector."""
import os
from collections import Counter

import calls
from keepsakes import differences, group, handle, is_named, same_machine
from reader import files


def bad_sectors(bench, origin):
    """What cannot be read is named, everything else is looked at and mended, and it stays as it is."""
    if not calls.usable():
        return "no bad sectors: strace cannot trace here"
    before = files(origin.store)
    jobs = [(path, "read,pread64") for path in sorted(before) if path != "lock"]
    jobs += [(os.path.relpath(os.path.join(parent, name), origin.store), "getdents64")
             for parent, names, _ in os.walk(origin.store) for name in sorted(names)
             if files(os.path.join(parent, name)) and name != "trash"]  # that one is never listed
    if bench.short:
        jobs = bench.random.sample(jobs, 6)
    figures = Counter()

    def one(job):
        path, faulty = job
        where = f"{path} cannot be read"
        sandbox = same_machine(origin)
        place = os.path.join(sandbox.store, path)
        fault = [calls.STRACE, "-f", "-qq", "-o", "/dev/null", "-P", place, "-e", f"trace={faulty}",
                 "-e", f"inject={faulty}:error=EIO"]
        # Another record is damaged meanwhile, in which one bit is put back.
        other = bench.random.choice([name for name in sorted(before) if group(name) == "record"
                                     and not name.startswith(path) and len(before[name]) < 4000])
        with open(os.path.join(sandbox.store, other), "r+b") as file:
            file.seek(len(before[other]) // 2)
            file.write(bytes([before[other][len(before[other]) // 2] ^ 1]))
        damaged = files(sandbox.store)
        kind = group(path)
        verified = sandbox.run("verify", prefix=fault, timeout=60)
        if verified.code != 7:
            bench.violate(where, f"verify: exit code {verified.code}: {verified.out[-200:]!r} "
                          f"{verified.tail()}")
        said = verified.out + verified.err
        if not is_named(other, said, {}):
            bench.violate(where, f"verify does not name the other damage: {said[-300:]!r}")
        if path.encode() not in said and handle(path).encode() not in said:
            bench.violate(where, f"verify does not name it: {said[-300:]!r}")
        repaired = sandbox.run("repair", prefix=fault, timeout=60)
        now = files(sandbox.store)
        if kind != "journal":
            changed = [name for name in before if (name == path or name.startswith(path + "/"))
                       and name != other and now.get(name) != damaged[name]]
            if changed:
                bench.violate(where, f"repair changed {changed}: {repaired.out[-300:]!r}")
            if now.get(other) != before[other]:
                bench.violate(where, f"repair leaves the other damage: {repaired.code} "
                              f"{repaired.out[-300:]!r} {repaired.tail()}")
            if repaired.code != 7:
                bench.violate(where, f"repair: exit code {repaired.code}: {repaired.out[-200:]!r} "
                              f"{repaired.tail()}")
        elif repaired.code not in (0, 7, 10):
            bench.violate(where, f"repair: exit code {repaired.code}: {repaired.tail()}")
        # The disk reads again: one repair more, and everything is as it was.
        sandbox.run("repair", timeout=60)
        left = differences(before, files(sandbox.store))
        again = sandbox.run("verify", timeout=60)
        if left or not again.done:
            bench.violate(where, f"afterwards: {left} {again.code} {again.out[-200:]!r}")
        figures["sectors"] += 1
        sandbox.remove()

    bench.each(jobs, one)
    return f"{figures['sectors']} bad sectors"
