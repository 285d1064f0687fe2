"""Reads a store without the program: its own idea of docs/reference/format.md, and `age` for the seals."""
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import uuid
import zlib
from dataclasses import dataclass

KINDS = ("capsules", "events", "items", "beneficiaries", "bequests", "trustees")
AGE = shutil.which("age")


def checksum_holds(data):
    """Whether a record's bytes are those that its checksum was made of."""
    match = re.search(rb'\n  "checksum": "([0-9a-f]{64})"', data)
    if not match:
        return False
    start, end = match.span(1)
    zeroed = data[:start] + b"0" * 64 + data[end:]
    return hashlib.sha256(zeroed).hexdigest().encode() == match.group(1)


def files(directory):
    """Every file under a directory by its relative path."""
    result = {}
    for parent, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    result[os.path.relpath(path, directory)] = file.read()
    return result


class Contents:
    """What is in a store: live and deleted records by kind and id, as bytes, and blobs by name."""

    def __init__(self, store):
        self.store = store
        self.live, self.trash, self.blobs, self.problems = {}, {}, {}, []
        for path, data in files(store).items():
            parts = path.split(os.sep)
            if parts[0] in KINDS:
                self.live[(parts[0], parts[-1].removesuffix(".json"))] = data
            elif parts[0] == "trash":
                self.trash[(parts[1], parts[-1].split(".")[0])] = data
            elif parts[0] == "blobs":
                self.blobs[parts[-1]] = data
        # Found in both places, the live one counts.
        for key in self.live:
            self.trash.pop(key, None)
        for key, data in [*self.live.items(), *self.trash.items()]:
            try:
                json.loads(data)
                if not checksum_holds(data):
                    self.problems.append(f"{key}: the checksum does not hold")
            except ValueError as error:
                self.problems.append(f"{key}: {error}")
        for name, data in self.blobs.items():
            if hashlib.sha256(data).hexdigest() != name:
                self.problems.append(f"blob {name}: other bytes")

    def record(self, kind, name):
        return json.loads(self.live[(kind, name)])

    def found(self, kind, name):
        """A record, be it live or in the trash."""
        return json.loads(self.live.get((kind, name)) or self.trash[(kind, name)])

    def named_blobs(self):
        result = set()
        for data in [*self.live.values(), *self.trash.values()]:
            result.update(re.findall(r'"blob": "([0-9a-f]{64})"', data.decode()))
        return result

    def dangling(self):
        """The live bequests that name a record which is not live."""
        for key in self.live:
            if key[0] != "bequests":
                continue
            record = self.record(*key)
            for kind, name in (("beneficiaries", record["beneficiary"]), ("items", record["item"]),
                               ("capsules", record["capsule"])):
                if name is not None and (kind, name) not in self.live:
                    yield f"{key} names {kind} {name}, which is not there"

    def opened(self, record, identities=None):
        """The contents of a capsule with an honor lock, decrypted by `age`: bytes in order. Without `identities` it
        is the store's own, in the clear."""
        folder = os.path.join(self.store, "identities")
        identities = identities or [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt")]
        arguments = [word for path in identities for word in ("-i", path)]
        key = decrypted(record["lock"]["key"].encode(), arguments)
        key_path = os.path.join(os.path.dirname(self.store), "key-" + record["id"])
        with open(key_path, "wb") as file:
            file.write(key)
        result = []
        for content in record["contents"]:
            details = json.loads(decrypted(content["sealed"].encode(), ["-i", key_path]))
            if content["blob"] is None:
                result.append(details["text"].encode())
            else:
                result.append(decrypted(self.blobs[content["blob"]], ["-i", key_path]))
        os.unlink(key_path)
        return result


def decrypted(data, arguments):
    run = subprocess.run([AGE, "-d", *arguments], input=data, capture_output=True, check=False)
    if run.returncode:
        raise ValueError("age: " + run.stderr.decode(errors="replace"))
    return run.stdout


# The journal

MAGIC = bytes.fromhex("01 63 61 70 6a 6e 6c 02")
KIND_OF = {1: "capsules", 2: "events", 3: "items", 4: "beneficiaries", 5: "bequests", 6: "trustees"}
PUT, TRASHED, RESTORED, PURGED, WRITTEN_ANEW = range(1, 6)


@dataclass
class Frame:
    what: int
    by: int
    kind: str
    id: str
    rev: int
    time: int
    name: bytes
    body: bytes
    start: int
    end: int


def frames(data):
    """The whole frames of a log in their order, and whether every byte belongs to one."""
    found, at, is_whole = [], 0, True
    while at < len(data):
        frame = frame_at(data, at)
        if frame:
            found.append(frame)
            at = frame.end
            continue
        is_whole = False
        at = data.find(MAGIC, at + 1)
        if at < 0:
            break
    return found, is_whole


def frame_at(data, at):
    head = data[at:at + 56]
    if len(head) < 56 or head[:8] != MAGIC or head[8] != 1:
        return None
    what, by, kind, name_size, body_size, time = struct.unpack("<BBBIIq", head[9:28])
    record, rev, crc = head[28:44], *struct.unpack("<qI", head[44:56])
    if zlib.crc32(head[:52]) != crc or name_size > 4096 or body_size > 64 << 20:
        return None
    end = at + 56 + name_size + body_size + 36
    if end > len(data):
        return None
    name = data[at + 56:at + 56 + name_size]
    body = data[at + 56 + name_size:end - 36]
    digest = hashlib.sha256(head + name + hashlib.sha256(body).digest()).digest()
    if data[end - 36:end - 4] != digest or struct.unpack("<I", data[end - 4:end])[0] != end - at:
        return None
    return Frame(what, by, KIND_OF.get(kind, ""), str(uuid.UUID(bytes=record)), rev, time, name, body, at,
                 end)


def journal(store):
    """Every whole frame of every log, by machine and log: `{machine: {log: [Frame]}}`."""
    result, root = {}, os.path.join(store, "journal")
    for machine in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        folder = os.path.join(root, machine)
        if not os.path.isdir(folder):
            continue
        result[machine] = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith(".log") and os.path.isfile(path):
                with open(path, "rb") as file:
                    result[machine][name] = frames(file.read())[0]
    return result


def roster(store, machine=None):
    """What ought to be there, by `(kind, id)`: the highest revision that a frame names, by a machine's
    journal or by all. What was purged, and not written again after it, is left out."""
    logs = journal(store)
    purged = {}
    for log in logs.values():
        for some in log.values():
            for frame in some:
                if frame.what == PURGED:
                    key = (frame.kind, frame.id)
                    purged[key] = max(purged.get(key, -1), frame.rev)
    named = {}
    for owner, log in logs.items():
        if machine and owner != machine:
            continue
        for some in log.values():
            own_purge = set()
            for frame in some:
                key = (frame.kind, frame.id)
                if frame.what == PURGED:
                    own_purge.add(key)
                    # It answers for what its own journal said before.
                    if owner in named.get(key, {}):
                        if named[key][owner] <= frame.rev:
                            del named[key][owner]
                elif frame.what in (PUT, TRASHED, RESTORED):
                    if frame.rev <= purged.get(key, -1) and key not in own_purge:
                        continue
                    mine = named.setdefault(key, {})
                    mine[owner] = max(mine.get(owner, 0), frame.rev)
    return {key: max(owners.values()) for key, owners in named.items() if owners}


# What a file of the store is


def machine_of(sandbox):
    """The folder in the journal that is this machine's, or `None`."""
    for parent, _, names in os.walk(os.path.join(sandbox.path, "state", "capsule")):
        if f"machine-{os.stat(sandbox.store).st_ino}" in names:
            with open(os.path.join(parent, f"machine-{os.stat(sandbox.store).st_ino}"),
                      encoding="ascii") as file:
                return file.read().split()[0]
    return None


def group(path):
    """What a file of the store is: `record`, `header`, `identity`, `blob`, `trash`, `journal`, …

    The list of operations beside a journal is no second copy of anything: `undo` says what it does not know."""
    first, last = path.split("/")[0], path.rsplit("/", 1)[-1]
    if first == "journal" and last == "operations":
        return "operations"
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
        if kind in ("journal", "operations", "backups", "lock", "tmp"):
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
