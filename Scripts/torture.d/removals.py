"""What was removed for good is found nowhere: searched by bytes, and by base64 and hex of them."""
import base64
import json
import os
import re

from reader import files, group
from worlds import FUTURE, PHOTO, SOUND, neighbours


def words_of(data):
    """The texts in a record that could betray it, but for ids, times and words of the format."""
    found = set()

    def visit(value, name):
        if isinstance(value, dict):
            for key, part in value.items():
                visit(part, key)
        elif isinstance(value, list):
            for part in value:
                visit(part, name)
        elif isinstance(value, str) and name not in ("id", "checksum", "item", "capsule", "beneficiary"):
            for line in value.split("\n"):
                if len(line) >= 8 and not re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", line) \
                        and not line.startswith("-----") and "/" not in line[:6]:
                    found.add(line.encode())
    visit(json.loads(data), "")
    return found


def forms(secret):
    """A secret as it may lie there: as it is, in hexadecimal digits, in base64 at any offset."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + secret)
        inner = coded[4:-4] if shift else coded[:-4]
        if len(inner) >= 12:
            yield inner
    yield secret[::-1]


def removals(bench):
    """Cases of a record that is made, changed, and removed for good beside others that stay."""
    searches, in_caches = 0, 0
    cases = bench.pick(list(CASES) * 3, list(CASES))
    origin = bench.world(neighbours)
    for number, case in enumerate(cases):
        sandbox = origin.copy()
        mark = f"{case[0].replace(' ', '')}{number:03d}{bench.random.getrandbits(64):016x}"
        for name, data in (("photo.jpg", PHOTO[:2000] + mark.encode()),
                           ("sound.wav", SOUND[:1500] + mark[::-1].encode())):
            sandbox.put(name, data)
        searches, in_caches = searches + 1, in_caches + search(bench, sandbox, case, mark)
        sandbox.remove()
    return f"{searches} removals searched for, {in_caches} of them found in the cache"


def search(bench, sandbox, case, mark):
    what, makes, removes = case
    versions, blobs = {}, {}

    def do(words):
        words = [word.replace("MARK", mark) for word in words]
        ran = sandbox.run(*words)
        if not ran.done:
            bench.violate(f"removal: {what}", f"{words}: exit code {ran.code}: {ran.tail()}")
        for path, data in files(sandbox.store).items():
            if group(path) in ("record", "trash"):
                versions.setdefault(path, set()).add(data)
            elif group(path) == "blob":
                blobs[path] = data

    for words in [*makes, *removes]:
        do(words)
    now = files(sandbox.store)
    kept = b"\n".join(data for path, data in now.items() if group(path) in ("record", "trash"))
    secrets = set()
    for data in {data for some in versions.values() for data in some}:
        secrets.update(word for word in words_of(data) if word not in kept)
    for path, data in blobs.items():
        if path not in now:
            secrets.update({data[:40], data[len(data) // 2:][:40], data[-40:], path[-64:].encode(),
                            bytes.fromhex(path[-64:])})
    if not any(mark.encode() in secret for secret in secrets):
        bench.violate(f"removal: {what}", "the suite itself: nothing was removed")
    places = {f"store/{path}": data for path, data in now.items()}
    places.update((f"state/{path}", data)
                  for path, data in files(os.path.join(sandbox.path, "state")).items())
    for place, data in places.items():
        for secret in secrets:
            if any(form in data for form in forms(secret)):
                bench.violate(f"removal: {what}", f"{secret[:60]!r} is still in {place}")
                break
    cache = files(os.path.join(sandbox.path, "cache"))
    return any(secret in data for data in cache.values() for secret in secrets)


CASES = [
    ("a purged capsule", [
        ["create", "MARK", "--unlock", FUTURE, "--text", "MARK text", "photo.jpg", "--notes",
         "MARK notes", "--tag", "MARKtag"],
        ["edit", "MARK", "--notes", "MARK second"]],
     [["delete", "MARK", "--yes"], ["purge", "--yes"]]),
    ("a capsule of several deletions", [
        ["create", "MARK", "--unlock", FUTURE, "--text", "MARK text", "sound.wav"],
        ["delete", "MARK", "--yes"], ["restore", "MARK"], ["edit", "MARK", "--notes", "MARK notes"],
        ["verify"]],
     [["delete", "MARK", "--yes"], ["purge", "MARK", "--yes"]]),
    ("a purged item", [
        ["item", "add", "MARK", "--description", "MARK description", "--location", "MARK place"],
        ["item", "attach", "MARK", "photo.jpg", "sound.wav"],
        ["item", "log", "MARK", "--notes", "MARK entry"]],
     [["item", "delete", "MARK", "--yes"], ["purge", "--yes"]]),
    ("a purged event", [
        ["event", "add", "MARK", "--on", "2036-06-15", "--notes", "MARK notes", "--image", "photo.jpg"],
        ["event", "edit", "MARK", "--notes", "MARK second"]],
     [["event", "delete", "MARK", "--yes"], ["purge", "--yes"]]),
    ("a purged person", [
        ["beneficiary", "add", "MARK", "--email", "MARK@example.org", "--notes", "MARK notes"],
        ["item", "add", "Ring"], ["bequeath", "--access", "immediate", "Ring", "--to", "MARK", "-m", "MARK message"]],
     [["beneficiary", "delete", "MARK", "--with-bequests", "--yes"], ["purge", "--yes"]]),
    ("a detached file", [
        ["item", "add", "Ring"], ["item", "attach", "Ring", "photo.jpg", "--title", "MARK title"],
        ["item", "log", "Ring"]],
     [["item", "detach", "Ring", "1", "--yes"]]),
    ("an entry taken out", [
        ["item", "add", "Ring"], ["item", "log", "Ring", "--notes", "MARK entry"],
        ["item", "attach", "Ring", "photo.jpg"]],
     [["item", "unlog", "Ring", "1", "--yes"]]),
    ("a detached file of an item that was deleted meanwhile", [
        ["item", "add", "Ring"], ["item", "attach", "Ring", "photo.jpg", "--title", "MARK title"],
        ["item", "delete", "Ring", "--yes"], ["restore", "Ring"], ["verify"], ["repair"]],
     [["item", "detach", "Ring", "1", "--yes"]]),
    ("purged after a year's versions", [
        ["create", "MARK", "--unlock", FUTURE, "--text", "MARK text"],
        *(["edit", "MARK", "--notes", f"MARK notes {number} " + "x" * 9000] for number in range(40))],
     [["delete", "MARK", "--yes"], ["purge", "--yes"]]),
]
