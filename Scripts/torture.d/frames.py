"""The journal, read by docs/reference/format.md and without the program."""
import hashlib
import os
import struct
import uuid
import zlib
from dataclasses import dataclass

MAGIC = bytes.fromhex("01 63 61 70 6a 6e 6c 02")
KIND = {1: "capsules", 2: "events", 3: "items", 4: "beneficiaries", 5: "bequests", 6: "trustees"}
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
    return Frame(what, by, KIND.get(kind, ""), str(uuid.UUID(bytes=record)), rev, time, name, body, at,
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
