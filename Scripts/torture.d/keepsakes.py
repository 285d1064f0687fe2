"""A store with every kind of record and every lock that opens without a network."""
import json
import os
import random
import re
import shutil
import time

from changes import FUTURE, PAST, PHOTO, SOUND, contents as contents_of
from reader import AGE, KINDS, files

# Round 1000 of the drand network quicknet: the time of it, and its signature, which is public.
ROUND_TIME = "2023-08-23T15:59:24Z"
ROUND_BEACON = ("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
                "e342b73a8dd2bacbe47e4b6b63ed5e39")
# What no proof of a repair reaches by trying: longer than 16 KiB.
LONG = " ".join(str(number) for number in range(4000))


def keepsakes(bench, is_small=False):
    """A sandbox with such a store. `openings` has, by capsule, the words that open it and its
    contents; `is_small` leaves out what takes long to make or to open."""
    sandbox = bench.sandbox()
    work = sandbox.work
    for name, data in (("photo.jpg", PHOTO[:3000]), ("sound.wav", SOUND[:2000]),
                       ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(range(200))),
                       ("passphrase", b"correct horse\n"), ("beacon", ROUND_BEACON.encode() + b"\n")):
        with open(os.path.join(work, name), "wb") as file:
            file.write(data)
    sandbox.ids, sandbox.openings = {}, {}

    def do(*words):
        ran = sandbox.run(*words, timeout=60)
        if not ran.done:
            raise RuntimeError(f"the store cannot be made: {words} {ran.code} {ran.tail()}")
        return ran.out.decode().strip()

    do("keygen", "-o", "key.txt")
    recipient = do("keygen", "-y", "key.txt")
    with_key = ["-i", os.path.join(work, "key.txt")]
    photo, sound = PHOTO[:3000], SOUND[:2000]

    def make(title, unlock, words, opening, contents):
        name = do("create", title, "--unlock", unlock, "--allow-past", "-q", *words)
        sandbox.ids[title], sandbox.openings[name] = name, (opening, contents)

    make("a letter", FUTURE, ["--text", "not yet", "photo.jpg", "--notes", "of the letter"],
         None, [b"not yet", photo])
    make("ready", PAST, ["--text", "it is time", "sound.wav", "--tag", "one"], [],
         [b"it is time", sound])
    make("seen", PAST, ["--text", "it was seen"], [], [b"it was seen"])
    make("empty", FUTURE, ["--empty", "--notes", "nothing yet"], None, [])
    make("long", PAST, ["--text", LONG, "--notes", "long: " + LONG[:3000]], [], [LONG.encode()])
    make("to a key", PAST, ["--text", "for the key", "photo.jpg", "-r", recipient], with_key,
         [b"for the key", photo])
    make("by a beacon", ROUND_TIME, ["--text", "lifted", "--timelock"], [], [b"lifted"])
    make("beacon and key", ROUND_TIME, ["--text", "lifted and turned", "--timelock", "-r", recipient],
         with_key, [b"lifted and turned"])
    make("trashed", FUTURE, ["--text", "gone", "sound.wav", "--notes", "to the trash"], None,
         [b"gone", sound])
    if not is_small:
        do("keygen", "--pq", "-o", "pq.txt")
        with open(os.path.join(work, "pq.rec"), "w", encoding="utf-8") as file:
            file.write(do("keygen", "-y", "pq.txt") + "\n")
        make("against quanta", PAST, ["--text", "for long", "-R", "pq.rec"],
             ["-i", os.path.join(work, "pq.txt")], [b"for long"])
        make("a passphrase", PAST, ["--text", "said", "--passphrase-file", "passphrase"],
             ["--passphrase-file", os.path.join(work, "passphrase")], [b"said"])
    for title in ("seen", "by a beacon", "beacon and key"):
        beacon = ["--beacon", "beacon"] if title != "seen" else []
        do("open", sandbox.ids[title], *beacon, *sandbox.openings[sandbox.ids[title]][0])
    do("edit", sandbox.ids["a letter"], "--title", "a letter to Mia")
    do("edit", sandbox.ids["a letter"], "--notes", "of the letter, changed")
    for name, words in (
            ("mia", ["beneficiary", "add", "Mia", "--email", "mia@example.org"]),
            ("ida", ["beneficiary", "add", "Ida", "--notes", "moved"]),
            ("ring", ["item", "add", "Ring", "--value", "EUR 1200", "--location", "bank"]),
            ("watch", ["item", "add", "Watch", "--description", "of gold"]),
            ("sold", ["item", "add", "Sold thing"]),
            ("birthday", ["event", "add", "Birthday", "--on", "2036-06-15", "--repeat", "yearly",
                          "--alert", "1 week before", "--image", "image.png"]),
            ("tax", ["event", "add", "Tax", "--on", "2036-06-15 12:00", "--deadline"]),
            ("over", ["event", "add", "Over", "--on", "2020-06-15", "--notes", "was nice"])):
        sandbox.ids[name] = do(*words, "-q")
    for words in (["item", "attach", "Watch", "photo.jpg", "image.png"],
                  ["item", "log", "Watch", "--value", "1.50", "--notes", "wound up"],
                  ["item", "remind", "Watch", "--every", "3 months"],
                  ["item", "attach", "Sold thing", "sound.wav"],
                  ["event", "done", "Tax"],
                  ["settings", "set", "owner", "Anna"], ["settings", "set", "leapDay", "mar1"]):
        do(*words)
    for name, words in (("ring to mia", ["bequeath", "Ring", "--to", "Mia", "-m", "for you"]),
                        ("letter to ida", ["bequeath", sandbox.ids["a letter"], "--to", "Ida",
                                           "--access", "upon-passing"])):
        sandbox.ids[name] = do(*words, "-q")
    do("bequest", "mark", sandbox.ids["ring to mia"], "sent", "--notes", "by post")
    do("passing", "declare", "--owner", "Anna")
    # An identity of an earlier day, which no header lists.
    do("keygen", "-o", "earlier.txt")
    shutil.copy(os.path.join(work, "earlier.txt"),
                os.path.join(sandbox.store, "identities", do("keygen", "-y", "earlier.txt") + ".txt"))
    do("delete", sandbox.ids["trashed"], "--yes")
    do("item", "delete", sandbox.ids["sold"], "--yes")
    do("event", "delete", sandbox.ids["over"], "--yes")
    # Records have whole seconds: of one written in the second in which a verification began nothing says
    # which came first, and a lost log of it is not noted.
    time.sleep(1.1)
    do("verify")
    sandbox.titles = {name: title for title, name in sandbox.ids.items()}
    return sandbox


def same_machine(sandbox):
    """A copy that this machine takes for the store itself: its state names the folder of the journal
    by inodes, which are others in a copy."""
    other = sandbox.copy()
    adopt(other)
    other.ids, other.openings, other.titles = sandbox.ids, sandbox.openings, sandbox.titles
    return other


def adopt(sandbox):
    root = os.path.join(sandbox.path, "state", "capsule")
    inode = os.stat(sandbox.store).st_ino
    for parent, folders, names in os.walk(root):
        for name in [*folders, *names]:
            old = os.path.join(parent, name)
            kind, _, number = name.rpartition("-")
            if not kind or not number.isdigit():
                continue
            if name in folders:
                os.rename(old, os.path.join(parent, f"{kind}-{inode}"))
                continue
            with open(old, encoding="utf-8") as file:
                text = file.read()
            if kind == "machine":
                machine = text.split()[0]
                folder = os.path.join(sandbox.store, "journal", machine)
                if not os.path.isdir(folder):
                    continue
                text = f"{machine} {inode} {os.stat(folder).st_ino}\n"
            os.unlink(old)
            with open(os.path.join(parent, f"{kind}-{inode}"), "w", encoding="utf-8") as file:
                file.write(text)


def machine_of(sandbox):
    """The folder in the journal that is this machine's, or `None`."""
    for parent, _, names in os.walk(os.path.join(sandbox.path, "state", "capsule")):
        if f"machine-{os.stat(sandbox.store).st_ino}" in names:
            with open(os.path.join(parent, f"machine-{os.stat(sandbox.store).st_ino}"),
                      encoding="ascii") as file:
                return file.read().split()[0]
    return None


def group(path):
    """What a file of the store is: `record`, `header`, `identity`, `blob`, `trash`, `journal`, …"""
    first = path.split("/")[0]
    if first in KINDS:
        return "record"
    if first in ("store.json", "settings.json"):
        return "header"
    return {"identities": "identity", "blobs": "blob"}.get(first, first)


def meaning(data):
    """What a JSON file says, but for its checksum and what only counts changes."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    return {name: part for name, part in value.items() if name not in ("checksum", "rev", "updatedAt")}


def keys(data):
    """The secret keys of an identity file."""
    return {line for line in data.splitlines() if line.startswith(b"AGE-SECRET-KEY-1")}


def differences(before, now):
    """The files of a store that are not what they were, by path: `gone` or `other bytes`. Not
    those that say the same in other bytes: a header made anew, an identity's comments."""
    result = {}
    for path, data in before.items():
        kind = group(path)
        if kind in ("journal", "backups", "lock", "tmp"):
            continue
        new = now.get(path)
        if new == data:
            continue
        if new is None:
            result[path] = "gone"
        elif kind == "header" and meaning(new) == meaning(data):
            continue
        elif kind == "identity" and keys(new) == keys(data) and keys(data):
            continue
        else:
            result[path] = "other bytes"
    return result


def opens(sandbox, name):
    """Why a capsule does not give its contents any more; `None` when it does. Those that are locked
    are opened by `age` alone, with the store's identity."""
    words, contents = sandbox.openings[name]
    if words is None:
        if not AGE:
            return None
        try:
            now = contents_of(sandbox)
            data = now.live.get(("capsules", name)) or now.trash.get(("capsules", name))
            return None if now.opened(json.loads(data)) == contents else "other contents"
        except (ValueError, KeyError, TypeError, OSError) as error:
            return f"by hand: {error!r}"
    target = os.path.join(sandbox.path, "out", f"o{random.getrandbits(60):x}")
    ran = sandbox.run("open", name, "--output", target, *words, timeout=60)
    if not ran.done:
        return f"open: exit code {ran.code}: {ran.tail()}"
    found = sorted(files(target).values())
    shutil.rmtree(target, ignore_errors=True)
    return None if found == sorted(contents) else "other contents"


def handle(path):
    """The word by which a message may name a file: a record's id, an identity's or blob's name."""
    name = path.rsplit("/", 1)[-1]
    match = re.match(r"[0-9a-f]{8}-[0-9a-f-]{27}", name)
    return match.group(0) if match else name


def is_named(path, said, titles):
    """Whether a message names a file: by its path, its name, its record's id or title, or by the
    directory that it lies in."""
    text = said.decode(errors="replace")
    if path in text or handle(path) in text:
        return True
    parents = [path.rsplit("/", count)[0] for count in range(1, path.count("/") + 1)]
    if any(f"/store/{parent}'" in text or f"/store/{parent}\"" in text for parent in parents):
        return True
    title = titles.get(handle(path))
    return bool(title) and f"'{title}" in text
