"""The worlds in which operations begin: stores with something of everything, each made once and copied for each try."""
import hashlib
import os
import random
import shutil
import time
import zlib
from functools import partial

from reader import AGE, Contents, files

PAST, FUTURE = "2020-01-01", "2099-01-01"
PHOTO = bytes.fromhex("ffd8ffe000104a464946") + bytes(range(256)) * 300
SOUND = b"RIFF\x24\x08\x00\x00WAVEfmt " + bytes(reversed(range(256))) * 20
IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
CALENDAR = "".join(["BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"] + [
    f"BEGIN:VEVENT\r\nUID:{day}@example.org\r\nDTSTART;VALUE=DATE:2099010{day}\r\n"
    f"SUMMARY:Day {day}\r\nEND:VEVENT\r\n" for day in range(1, 6)] + ["END:VCALENDAR\r\n"]).encode()
CARDS = "".join(
    f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{number}\r\nFN:Guest {number}\r\nEND:VCARD\r\n"
    for number in range(1, 6)).encode()
# Round 1000 of the drand network quicknet: the time of it, and its signature, which is public.
ROUND_TIME = "2023-08-23T15:59:24Z"
ROUND_BEACON = ("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
                "e342b73a8dd2bacbe47e4b6b63ed5e39")
# What no proof of a repair reaches by trying: longer than 16 KiB.
LONG = " ".join(str(number) for number in range(4000))
PASSPHRASE = "a dog in the rain, twice"
HOLDERS = ("Mia", "Ben", "Zoe")
MAKE_GROUP = ["trustees", "make", "family", "-k", "2", "-o", "../out/pages",
              *(word for name in HOLDERS for word in ("--holder", name))]


def fresh(bench):
    """No store at all, and the files that are put into the first one."""
    sandbox = bench.sandbox()
    for name, data in (("photo.jpg", PHOTO), ("sound.wav", SOUND), ("new.jpg", PHOTO[::-1]), ("days.ics", CALENDAR),
                       ("guests.vcf", CARDS)):
        sandbox.put(name, data)
    return sandbox


def base(bench):
    """Capsules and items in every state, people and bequests."""
    sandbox = fresh(bench)
    sandbox.script("""
        locked = create locked -u 2099-01-01 --text 'a secret' photo.jpg
        plain = create plain -u 2099-01-01 --empty --notes 'some notes' --tag one --tag two
        ready = create ready -u 2020-01-01 --allow-past --text 'it is time' sound.wav
        opened = create opened -u 2020-01-01 --allow-past --text seen
        deleted = create deleted -u 2099-01-01 --text gone sound.wav
        purged = create purged -u 2099-01-01 --text going new.jpg
        ring = item add Ring
        mia = beneficiary add Mia
        ida = beneficiary add Ida
        ring to mia = bequeath Ring --to Mia --access immediate -m 'for you'
        plain to mia = bequeath plain --to Mia --access upon-passing
        open {opened} --json
        settings set owner Anna
        delete {deleted} {purged} --yes
        watch = item add watch --value 'EUR 12'
        item attach {watch} photo.jpg sound.wav
        item log {watch} --value 1.50
        item log {watch} --when 2020-01-01 --notes then
        item remind {watch} --every '3 months'
        box = item add box --value 'EUR 12'
        item attach {box} photo.jpg
        lost = item add lost --value 'EUR 12'
        item attach {lost} sound.wav
        item log {lost}
        sold = item add sold --value 'EUR 12'
        item attach {sold} new.jpg
        item remind {sold} --every day
        item delete {lost} {sold} --yes""")
    return sandbox


def verified(bench):
    """The same on a machine that knows its store, and whose journal has everything."""
    sandbox = bench.world(base).copy()
    sandbox.do("verify")
    sandbox.is_same_machine = True
    return sandbox


def large_log(bench):
    """The same with a log that the next edit writes anew: it is over 256 KiB then."""
    sandbox = bench.world(verified).copy()
    for number in range(4):
        sandbox.do("edit", sandbox.ids["plain"], "--notes", f"{number} " + "x" * 60_000)
    return sandbox


def _operated(bench, words, is_undone):
    sandbox = bench.world(verified).copy()
    ids = sandbox.ids
    sandbox.do(*(ids.get(word, word) for word in words))
    if is_undone:
        sandbox.do("undo")
    return sandbox


# Where something was just done, and where it was just undone.
OPERATIONS = {
    "edit": ["item", "edit", "watch", "--name", "band", "--location", "bank"],
    "disinherit": ["beneficiary", "delete", "mia", "--with-bequests", "--yes"],
    "import": ["event", "import", "days.ics"],
    "settings": ["settings", "set", "owner", "Berta"],
}
DONE = {name: partial(_operated, words=words, is_undone=False) for name, words in OPERATIONS.items()}
UNDONE = {name: partial(_operated, words=words, is_undone=True) for name, words in OPERATIONS.items()}


def neighbours(bench):
    """Capsules in many shards, so that not every log and folder of one that is removed goes as a whole."""
    sandbox = bench.sandbox()
    for number in range(60):
        sandbox.do("create", f"stays {number}", "--unlock", FUTURE, "--text", "stays", "-q")
    sandbox.is_same_machine = True
    return sandbox


def small_keepsakes(bench):
    return keepsakes(bench, is_small=True)


def keepsakes(bench, is_small=False):
    """A store with every kind of record and every lock that opens without a network. `openings` has, by capsule, the
    words that open it and its contents; `is_small` leaves out what takes long to make or to open."""
    sandbox = bench.sandbox()
    do, work = sandbox.do, sandbox.work
    photo, sound = PHOTO[:3000], SOUND[:2000]
    for name, data in (("photo.jpg", photo), ("sound.wav", sound), ("image.png", IMAGE),
                       ("passphrase", b"correct horse\n"), ("beacon", ROUND_BEACON.encode() + b"\n")):
        sandbox.put(name, data)
    do("keygen", "-o", "key.txt")
    recipient = do("keygen", "--recipients", "key.txt")
    with_key = ["-i", os.path.join(work, "key.txt")]

    def make(title, unlock, words, opening, contents):
        name = do("create", title, "--unlock", unlock, "--allow-past", "-q", *words)
        sandbox.ids[title], sandbox.openings[name] = name, (opening, contents)

    make("a letter", FUTURE, ["--text", "not yet", "photo.jpg", "--notes", "of the letter"], None, [b"not yet", photo])
    make("ready", PAST, ["--text", "it is time", "sound.wav", "--tag", "one"], [], [b"it is time", sound])
    make("seen", PAST, ["--text", "it was seen"], [], [b"it was seen"])
    make("empty", FUTURE, ["--empty", "--notes", "nothing yet"], None, [])
    make("long", PAST, ["--text", LONG, "--notes", "long: " + LONG[:3000]], [], [LONG.encode()])
    make("to a key", PAST, ["--text", "for the key", "photo.jpg", "-r", recipient], with_key, [b"for the key", photo])
    make("by a beacon", ROUND_TIME, ["--text", "lifted", "--timelock"], [], [b"lifted"])
    make("beacon and key", ROUND_TIME, ["--text", "lifted and turned", "--timelock", "-r", recipient], with_key,
         [b"lifted and turned"])
    make("trashed", FUTURE, ["--text", "gone", "sound.wav", "--notes", "to the trash"], None, [b"gone", sound])
    if not is_small:
        do("keygen", "--pq", "-o", "pq.txt")
        sandbox.put("pq.rec", do("keygen", "--recipients", "pq.txt").encode() + b"\n")
        make("against quanta", PAST, ["--text", "for long", "-R", "pq.rec"], ["-i", os.path.join(work, "pq.txt")],
             [b"for long"])
        make("a passphrase", PAST, ["--text", "said", "--passphrase-file", "passphrase"],
             ["--passphrase-file", os.path.join(work, "passphrase")], [b"said"])
    for title in ("seen", "by a beacon", "beacon and key"):
        beacon = ["--beacon", "beacon"] if title != "seen" else []
        do("open", sandbox.ids[title], *beacon, *sandbox.openings[sandbox.ids[title]][0])
    sandbox.script("""
        edit {a letter} --title 'a letter to Mia'
        edit {a letter} --notes 'of the letter, changed'
        mia = beneficiary add Mia --email mia@example.org
        ida = beneficiary add Ida --notes moved
        ring = item add Ring --value 'EUR 1200' --location bank
        watch = item add Watch --description 'of gold'
        sold = item add 'Sold thing'
        birthday = event add Birthday --on 2036-06-15 --repeat yearly --alert '1 week before' --image image.png
        tax = event add Tax --on '2036-06-15 12:00' --deadline
        over = event add Over --on 2020-06-15 --notes 'was nice'
        item attach Watch photo.jpg image.png
        item log Watch --value 1.50 --notes 'wound up'
        item remind Watch --every '3 months'
        item attach 'Sold thing' sound.wav
        event done Tax
        settings set owner Anna
        settings set leapDay mar1
        ring to mia = bequeath Ring --to Mia --access immediate -m 'for you'
        letter to ida = bequeath {a letter} --to Ida --access upon-passing
        bequest mark {ring to mia} sent --notes 'by post'
        passing declare --owner Anna
        keygen -o earlier.txt
        delete {trashed} --yes
        item delete {sold} --yes
        event delete {over} --yes""")
    # An identity of an earlier day, which no header lists.
    shutil.copy(os.path.join(work, "earlier.txt"),
                os.path.join(sandbox.store, "identities", do("keygen", "--recipients", "earlier.txt") + ".txt"))
    # Records have whole seconds: of one written in the second in which a verification began nothing says
    # which came first, and a lost log of it is not noted.
    time.sleep(1.1)
    do("verify")
    sandbox.titles = {name: title for title, name in sandbox.ids.items()}
    sandbox.is_same_machine = True
    return sandbox


def opens(sandbox, name):
    """Why a capsule of the keepsakes does not give its contents any more; `None` when it does. Those that are locked
    are opened by `age` alone, with the store's identity."""
    words, contents = sandbox.openings[name]
    if words is None:
        if not AGE:
            return None
        try:
            now = Contents(sandbox.store)
            return None if now.opened(now.found("capsules", name)) == contents else "other contents"
        except (ValueError, KeyError, TypeError, OSError) as error:
            return f"by hand: {error!r}"
    target = os.path.join(sandbox.path, "out", f"o{random.getrandbits(60):x}")
    ran = sandbox.run("open", name, "--output", target, *words, timeout=60)
    if not ran.done:
        return f"open: exit code {ran.code}: {ran.tail()}"
    found = sorted(files(target).values())
    shutil.rmtree(target, ignore_errors=True)
    return None if found == sorted(contents) else "other contents"


# Households


def to_deliver(bench):
    """Two people who are left things, capsules, and one that stays sealed."""
    sandbox = fresh(bench)
    sandbox.do("keygen", "-o", "id.txt")
    sandbox.ids["key"] = sandbox.do("keygen", "--recipients", "id.txt")
    sandbox.script("""
        settings set owner Anna
        beneficiary add Mia --recipient {key}
        beneficiary add 'Jonas Ö' --recipient {key}
        item add Ring --description 'from 1912'
        item attach Ring photo.jpg sound.wav
        item add House
        create Letter -u 2020-01-01 --allow-past --text hello sound.wav
        create Later -u 2099-01-01 --text 'not yet'
        create Round -u 2030-01-01 --timelock --text x photo.jpg
        bequeath Ring --to Mia --access immediate --message 'for you'
        bequeath Letter --to Mia --access immediate --message 'for you'
        bequeath Later --to Mia --access immediate --message 'for you'
        bequeath Round --to Mia --access immediate --message 'for you'
        bequeath House --to 'Jonas Ö' --access immediate
        bequeath Ring --to 'Jonas Ö' --access immediate""")
    return sandbox


def with_estate(bench):
    """A group whose key `age` of any version takes, and all that an estate has."""
    sandbox = bench.sandbox()
    sandbox.put("photo.jpg", PHOTO)
    sandbox.do("keygen", "-o", "id.txt")
    sandbox.ids["id"] = sandbox.do("keygen", "--recipients", "id.txt")
    sandbox.script("""
        settings set postQuantum off
        trustees make family -k 2 --holder A --holder B -o pages
        trustees combine --share 'pages/1 A.txt' --share 'pages/2 B.txt' -o key
        beneficiary add Jonas
        beneficiary add Mia --recipient {id}
        item add Ring --description 'Heirloom of 1912'
        item attach Ring photo.jpg
        create Letter -u 2020-01-01 --allow-past --text 'only for the trustees'
        create Later -u 2099-01-01 --text 'only for the trustees' photo.jpg
        create "Nobody's" -u 2099-01-01 photo.jpg
        bequeath Letter --to Jonas --access upon-passing
        bequeath Later --to Jonas --access immediate
        bequeath Ring --to Mia --access-after 2040-01-01
        bequeath Later --to Mia --access immediate""")
    return sandbox


def no_group(bench):
    sandbox = bench.sandbox()
    sandbox.script("""
        settings set postQuantum off
        create C -u 2090 --text x""")
    return sandbox


def with_group(bench):
    """A group of trustees, and its pages in `work/old`."""
    sandbox = bench.world(no_group).copy()
    sandbox.do(*MAKE_GROUP)
    shutil.move(os.path.join(sandbox.path, "out", "pages"), os.path.join(sandbox.work, "old"))
    return sandbox


def unprotected(bench):
    """Honor capsules, live, opened and deleted, and copies of the store's identity wherever they come to lie."""
    sandbox = bench.sandbox()
    sandbox.put("word", PASSPHRASE.encode() + b"\n")
    sandbox.script("""
        one = create one -u 2020-01-01 --allow-past --text 'the text of one'
        two = create two -u 2020-01-01 --allow-past --text 'the text of two'
        deleted = create deleted -u 2020-01-01 --allow-past --text 'the text of deleted'
        create locked -u 2099-01-01 --text later
        delete {deleted} --yes""")
    store = sandbox.store
    identities, header = os.path.join(store, "identities"), os.path.join(store, "store.json")
    identity = os.path.join(identities, os.listdir(identities)[0])
    shutil.copy(identity, identity[:-4] + " (1).txt")
    backups, other = os.path.join(store, "backups", "1700000000"), os.path.join(store, "journal", "0" * 32)
    os.makedirs(backups)
    os.makedirs(other)
    shutil.copy(identity, backups)
    for copy in (os.path.join(backups, "store.json"), os.path.join(other, "header"),
                 os.path.join(store, "store.sync-conflict-1.json"), os.path.join(store, "tmp", "half")):
        shutil.copy(header, copy)
    return sandbox


def protected(bench):
    sandbox = bench.world(unprotected).copy()
    sandbox.do("store", "protect", "--passphrase-file", "word")
    return sandbox


def with_backups(bench):
    """A directory of backups, of two generations, and changes since."""
    sandbox = bench.world(small_keepsakes).copy()
    sandbox.script("""
        backup kept
        create 'more 0' -u 2099-01-01 --text x photo.jpg
        backup kept
        create 'more 1' -u 2099-01-01 --text x photo.jpg
        edit {empty} --notes 'changed since'""")
    return sandbox


def with_backup(bench):
    """The same with one, of fewer changes."""
    sandbox = bench.world(small_keepsakes).copy()
    sandbox.script("""
        backup kept
        edit {empty} --notes 'changed since'
        create more -u 2099-01-01 --text x photo.jpg""")
    return sandbox


def with_archive(bench):
    """The keepsakes, and an archive of them in `work/all.tar`."""
    sandbox = bench.world(small_keepsakes).copy()
    sandbox.script("""
        create gone -u 2099-01-01 --text x
        delete gone --yes
        export archive --in-the-clear -o all.tar""")
    return sandbox


def only_an_archive(bench):
    """That archive, where there is no store."""
    sandbox = bench.sandbox()
    shutil.copy(os.path.join(bench.world(with_archive).work, "all.tar"), sandbox.work)
    return sandbox


# Machines that meet


class Meeting:
    """Machines of one store, and the carrier between them in the folder of `place`. It runs commands as its first
    machine does."""

    def __init__(self, bench, place, machines):
        self.bench, self.place, self.machines = bench, place, machines
        self.path, self.run, self.start = place.path, machines[0].run, machines[0].start
        self.store, self.work = machines[0].store, machines[0].work

    @property
    def carrier(self):
        return os.path.join(self.place.path, "carrier")

    def copy(self):
        """The same machines, as each knows itself, at other paths."""
        place = self.bench.sandbox()
        if os.path.exists(self.carrier):
            shutil.copytree(self.carrier, os.path.join(place.path, "carrier"))
        machines = [machine.copy(is_same_machine=True) for machine in self.machines]
        for machine, origin in zip(machines, self.machines):
            repin(machine, origin)
            path = os.path.join(machine.path, "config", "capsule", "carriers")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace(self.place.path, place.path))
        return self.like(place, machines)

    def like(self, place, machines):
        return Meeting(self.bench, place, machines)

    def segments(self):
        """The change files in the carrier."""
        heads = os.path.join(self.carrier, "heads")
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(heads) for name in names
                      if name.endswith(".age"))

    def remove(self):
        for sandbox in [self.place, *self.machines]:
            sandbox.remove()


def repin(sandbox, origin):
    """Has a copy know of its own path what the device knew of the one that it was copied from."""
    path = os.path.join(sandbox.path, "state", "capsule", "pins")
    if not os.path.exists(path):
        return
    with open(path, encoding="ascii") as file:
        lines = [line.split(" ", 2)[2] for line in file.read().splitlines() if line]
    with open(path, "w", encoding="ascii") as file:
        for text in (line.replace(f" {origin.store} ", f" {sandbox.store} ") for line in lines):
            rest = f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}"
            file.write(f"{zlib.crc32(rest.encode()):08x} {rest}\n")


def meeting(bench, count):
    """Machines of one store that have met."""
    made = Meeting(bench, bench.sandbox(), [bench.sandbox() for _ in range(count)])
    first, key = made.machines[0], os.path.join(made.place.path, "key")
    first.do("keygen", "-o", key)
    first.do("item", "add", "Ring", "--notes", "gold")
    first.do("sync", "add", "meet", made.carrier, "--recipient", first.do("keygen", "--recipients", key))
    first.do("sync", "-q")
    for machine in made.machines[1:]:
        machine.do("sync", "clone", made.carrier, "--name", "meet", "--identity", key)
    return made


def three_machines(bench):
    return meeting(bench, 3)


def two_machines(bench):
    """Two of which the first has something to send and something to take in, with files."""
    made = meeting(bench, 2)
    first, second = made.machines
    for machine, name in ((first, "here"), (second, "there")):
        machine.put(name, name.encode() * 9000)
        machine.do("item", "add", f"Item {name}")
        machine.do("item", "attach", f"Item {name}", name)
        machine.do("create", f"Capsule {name}", "--unlock", "2100-01-01", "--file", name)
    first.do("item", "edit", "Ring", "--notes", "silver")
    second.do("item", "edit", "Ring", "--location", "safe")
    second.do("sync", "-q")
    return made
