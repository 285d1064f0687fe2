"""Damage to the files of a store of twenty capsules, seen through the program."""
import os

from changes import FUTURE, PAST, json_of
from reader import files


def run(bench):
    origin = bench.sandbox()
    titles = {}
    for number in range(20):
        with open(os.path.join(origin.work, "photo.jpg"), "wb") as file:
            file.write(b"\xff\xd8\xff" + bytes([number]) * 4000)
        words = ["photo.jpg"] if number % 3 == 0 else []
        ran = origin.run("create", f"c{number}", "--unlock", PAST if number % 2 else FUTURE,
                         "--allow-past", "--text", f"text {number}", "-q", *words)
        if not ran.done:
            raise RuntimeError(f"create: {ran.code} {ran.tail()}")
        titles[ran.out.decode().strip()] = f"c{number}"
    origin.run("list", "--json")
    originals = files(origin.store)
    damages = []
    for path, data in sorted(originals.items()):
        # The journal holds second copies: `verify` names what is lost of them and writes them again.
        if path == "lock" or path.startswith(("tmp/", "journal/")):
            continue
        damages += [(path, "missing", None), (path, "empty", b""), (path, "half", data[:len(data) // 2]),
                    (path, "short", data[:-1]), (path, "long", data + b"\0"),
                    (path, "zeros", bytes(len(data)))]
        other = bench.random.choice([o for o in sorted(originals) if o != path and o != "lock"])
        damages.append((path, "swapped with " + other, originals[other]))
        for _ in range(bench.pick(70, 1)):
            at, how = bench.random.randrange(len(data)), bench.random.randrange(3)
            byte = (data[at] ^ 1 << bench.random.randrange(8), 0, 255)[how]
            if byte != data[at]:
                damages.append((path, f"byte {at} {data[at]} -> {byte}",
                                data[:at] + bytes([byte]) + data[at + 1:]))
    bench.random.shuffle(damages)
    damages = damages[:bench.pick(len(damages), 100)]

    def one(damage):
        path, what, data = damage
        # The index stays that of the store as it was, as on a real machine.
        sandbox = origin.copy()
        place = os.path.join(sandbox.store, path)
        if data is None:
            os.unlink(place)
        else:
            os.chmod(place, 0o600)
            with open(place, "r+b") as file:
                file.truncate(0)
                file.write(data)
        judge(bench, sandbox, f"{path} {what}", path, originals[path], data, titles)
        sandbox.remove()

    bench.each(damages, one)
    return f"{len(damages)} damaged files"


def judge(bench, sandbox, where, path, old, new, titles):
    verified = sandbox.run("verify")
    kind = path.split("/")[0]
    if kind == "identities" and new is not None and only_comments_differ(old, new):
        return
    # A record that is gone leaves no trace to be found by.
    is_silent = kind == "capsules" and new is None
    if verified.code != 7 and not (is_silent and verified.done):
        bench.violate(where, f"verify: exit code {verified.code}: {verified.tail()}")
    elif not is_silent and os.path.basename(path) not in (verified.out + verified.err).decode(
            errors="replace"):
        bench.violate(where, f"verify does not name it: {verified.out[-200:]!r} {verified.tail()}")
    listed = sandbox.run("list", "--json")
    if listed.code not in (0, 3, 7):
        bench.violate(where, f"list: exit code {listed.code}: {listed.tail()}")
        return
    rows = json_of(listed) or []
    victim = os.path.basename(path).removesuffix(".json")
    missing = set(titles) - {row["id"] for row in rows} - {victim}
    if missing and kind != "store.json":
        bench.violate(where, f"list lacks {len(missing)} of the others: {listed.tail()}")
    if kind == "capsules" and new is not None:
        opened = sandbox.run("open", victim, "--json")
        if opened.code not in (3, 4, 5, 7) or opened.code == 4 and titles[victim][1:].isdigit() \
                and int(titles[victim][1:]) % 2:
            bench.violate(where, f"open: exit code {opened.code}: {opened.tail()}")


def only_comments_differ(old, new):
    def lines(data):
        return [line for line in data.splitlines() if not line.startswith(b"#")]
    return lines(old) == lines(new)
