"""The tools of somebody who writes files by hand: records whose checksums fit, change files, archives and locks.

Nothing here is the program's own code. It follows docs/reference/format.md and docs/internals/sync.md, and age's specification.
"""
import base64
import hashlib
import hmac
import io
import json
import os
import re
import struct
import subprocess
import tarfile

from reader import decrypted, files

ZEROS = "0" * 64
KEY = re.compile(r"AGE-SECRET-KEY-1[A-Z0-9]+")
ARMOR = re.compile(rb"-----BEGIN AGE ENCRYPTED FILE-----(.*?)-----END AGE ENCRYPTED FILE-----", re.S)
BINARY = b"age-encryption.org/v1\n"


# JSON files


def encoded(fields):
    """A JSON file of the store, with the checksum that fits."""
    text = json.dumps({**fields, "checksum": ZEROS}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return text.replace(f'\n  "checksum": "{ZEROS}"', f'\n  "checksum": "{digest}"', 1).encode()


def write(path, data):
    """Replaces a file, whatever its mode."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)


def edit(path, change):
    """Changes a JSON file, which need not be there; its checksum fits again afterwards."""
    fields = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            fields = json.load(file)
    change(fields)
    write(path, encoded(fields))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def place(store, folder, name):
    """The path of a live record."""
    return os.path.join(store, folder, name[:2], name + ".json")


def records(store, folder):
    """The live records of a kind, by path."""
    return {os.path.join(store, path): json.loads(data) for path, data in files(store).items()
            if path.startswith(folder + os.sep)}


def revise(path, change):
    """Changes a record as a later revision, so that nobody takes it for an earlier version."""
    def change_and_count(record):
        change(record)
        record["rev"] += 1
        record["updatedAt"] = "2099-12-31T23:59:59Z"
    edit(path, change_and_count)


# Keys and ciphers


def hkdf(secret, salt, info, count=32):
    """HKDF-SHA256 of at most 32 bytes."""
    key = hmac.digest(salt or bytes(32), secret, "sha256")
    return hmac.digest(key, info + b"\x01", "sha256")[:count]


def secret_bytes(text):
    """The 32 bytes of `AGE-SECRET-KEY-1…`."""
    letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = "".join(f"{letters.index(letter):05b}" for letter in text.lower().rpartition("1")[2][:-6])
    return int(bits[:256], 2).to_bytes(32, "big")


def chacha20(key, counter, nonce, data):
    """RFC 8439, section 2.4."""
    def turn(x, a, b, c, d):
        for one, two, three, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[one] = x[one] + x[two] & 0xFFFFFFFF
            x[three] ^= x[one]
            x[three] = (x[three] << bits | x[three] >> 32 - bits) & 0xFFFFFFFF

    out = bytearray()
    for number, start in enumerate(range(0, len(data), 64)):
        state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), counter + number,
                 *struct.unpack("<3I", nonce)]
        x = list(state)
        for _ in range(10):
            for column in range(4):
                turn(x, column, 4 + column, 8 + column, 12 + column)
            for row in range(4):
                turn(x, row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4)
        stream = struct.pack("<16I", *(a + b & 0xFFFFFFFF for a, b in zip(x, state)))
        out += bytes(a ^ b for a, b in zip(data[start:start + 64], stream))
    return bytes(out)


def chacha20_poly1305(key, nonce, data):
    """RFC 8439, section 2.8, without additional data."""
    sealed = chacha20(key, 1, nonce, data)
    one_time = chacha20(key, 0, nonce, bytes(32))
    r = int.from_bytes(one_time[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    text = sealed + bytes(-len(sealed) % 16) + struct.pack("<QQ", 0, len(sealed))
    total = 0
    for start in range(0, len(text), 16):
        total = (total + int.from_bytes(text[start:start + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return sealed + (total + int.from_bytes(one_time[16:], "little")).to_bytes(17, "little")[:16]


# Chains. The stanza seals `ROUND_KEY` to round 1000 of quicknet's key: tlock seals to a key and a round, not to a
# chain's times. Scripts/tlock_oracle.py made it, the chain and its beacon.

ROUND_KEY = b"an early opening"
ROUND_BODY = (
    "rRBc1Itb4DxBZrBFiiGHBl0+joH5RJSAeFwc7rjW/r3l5qySgtqchXHeSJXXTQVt\n"
    "DP4lTVQbX+HYyNtFQP/veRbRniA7UAbr0kqxTuiBEpPQX+CE5NLc8kSKKiAzHkND\n"
    "YCOTMDwHcaC5Wq5vjwS20dUFAV97gzfrHj2YcY3GYIk\n")
QUICKNET = {
    "public_key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
                  "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
                  "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "period": 3, "genesis_time": 1692803367,
    "groupHash": "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    "schemeID": "bls-unchained-g1-rfc9380", "metadata": {"beaconID": "quicknet"}}
# A chain whose first round is signed in 2090, by somebody who signed it already.
STRANGE = {
    "public_key": "a0edb54eaad446e96abd20f60edb08ddcdfe224b80c7e0556fa9b5e6417e8061"
                  "62a56e61b3a9c9ff6a4fa5e0a7f2a9940b0da2ee2a23b5a831a312d2eee32b10"
                  "14f8cceb207fe9b56fa398cda3de30ab2a8486bd93bdd479125459213243d364",
    "period": 3, "genesis_time": 3786912000,
    "groupHash": "41ea2734dbc08746cf8e86255728c05e9dbf468ae3073ea5974e42c92b75f92f",
    "schemeID": "bls-unchained-g1-rfc9380", "metadata": {"beaconID": "keepsake"}}
STRANGE_BEACON = ("8cfa11c973cff10fe8c403388559395e6627d263d2c52666fee96e401598d7a2"
                  "7e820d9e0c91ff1e51e835e10acbc73e")


def chain(info, **changes):
    """A chain's description with other parameters, and the hash that they make."""
    info = {**info, **changes}
    name = info["metadata"]["beaconID"]
    data = struct.pack(">IQ", info["period"], info["genesis_time"]) + bytes.fromhex(info["public_key"])
    data += bytes.fromhex(info["groupHash"]) + (b"" if name == "default" else name.encode())
    return {**info, "hash": hashlib.sha256(data).hexdigest()}


def timelock(info, number, inner=None):
    """`lock.timelock` of a record on a chain."""
    return {"chain": info["hash"], "publicKey": info["public_key"], "genesis": info["genesis_time"],
            "groupHash": info["groupHash"], "beaconID": info["metadata"]["beaconID"], "period": info["period"],
            "round": number, "inner": inner, "escrow": [], "beacon": None}


def wrapped(plaintext, info):
    """An armored age file that the beacon of quicknet's round 1000 opens, and that names another chain."""
    head = BINARY + f"-> tlock 1000 {info['hash']}\n{ROUND_BODY}---".encode()
    code = hmac.digest(hkdf(ROUND_KEY, b"", b"header"), head, "sha256")
    nonce = bytes(range(16))
    key = hkdf(ROUND_KEY, nonce, b"payload")
    payload = chacha20_poly1305(key, bytes(11) + b"\x01", plaintext)
    return armored(head + b" " + base64.b64encode(code).rstrip(b"=") + b"\n" + nonce + payload)


def armored(data):
    text = base64.b64encode(data).decode()
    lines = [text[start:start + 64] for start in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN AGE ENCRYPTED FILE-----", *lines, "-----END AGE ENCRYPTED FILE-----", ""])


# Everything sealed


def sealed_files(data):
    """The age files in a file: itself, or those in its text."""
    if data.startswith(BINARY):
        return [data]
    found = []
    for match in ARMOR.finditer(data.replace(b"\\n", b"\n")):
        try:
            found.append(base64.b64decode(match.group(1), validate=False))
        except ValueError:
            continue
    return found


# Change files


class Segments:
    """The change files of a carrier, read and made with the store's identity, as a device of the store can."""

    def __init__(self, sandbox, carrier):
        header = load(os.path.join(sandbox.store, "store.json"))
        own = min(header["identities"], key=lambda identity: identity["recipient"])
        self.store, self.sandbox, self.carrier = header["id"], sandbox, carrier
        self.recipients = [identity["recipient"] for identity in header["identities"]]
        self.identity = os.path.join(sandbox.work, "store-identity")
        write(self.identity, own["file"].encode())
        secret = secret_bytes(KEY.search(own["file"]).group(0))
        self.key = hkdf(secret, self.store.encode(), b"capsule sync segment")

    def states(self):
        """The last state of each record that somebody published, by `capsule/<id>`."""
        found = {}
        for folder, _, names in os.walk(os.path.join(self.carrier, "heads")):
            for name in sorted(names, key=lambda name: int(name.split("-")[0])):
                with open(os.path.join(folder, name), "rb") as file:
                    lines = decrypted(file.read(), ["-i", self.identity]).splitlines()
                for line in map(json.loads, lines):
                    if "state" in line and self.is_later(line["state"], found.get(line["record"])):
                        found[line["record"]] = line["state"]
        return found

    @staticmethod
    def is_later(state, other):
        return other is None or sum(state["vector"]) >= sum(other["vector"])

    def forge(self, changes, actor="f" * 32, number=1):
        """Writes a change file of `record: state`."""
        lines = [{"format": 1, "store": self.store, "actor": actor, "number": number,
                  "carrier": load(os.path.join(self.carrier, "carrier.json"))["id"]}]
        lines += [{"record": record, "state": state} for record, state in changes.items()]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        code = hmac.digest(self.key, text, "sha256").hex()
        text += json.dumps({"records": len(changes), "code": code}).encode() + b"\n"
        sealed = sealing(self.sandbox, text, *(word for one in self.recipients for word in ("-r", one)))
        name = f"{number}-{hashlib.sha256(sealed).hexdigest()[:16]}.age"
        write(os.path.join(self.carrier, "heads", actor, name), sealed)

    @staticmethod
    def replacing(state, cells, actor="f" * 32):
        """A state in which somebody who had seen everything changed cells: their values by member, `None` for all
        that goes."""
        place = len(state["actors"])
        changed = [cell for cell in state["cells"] if cell[0] not in cells]
        counter = 0
        for member, value in cells.items():
            if value is not None:
                counter += 1
                changed.append([member, None, [[place, counter, 4_000_000_000, 0, value]]])
        return {"actors": [*state["actors"], actor], "vector": [*state["vector"], max(counter, 1)],
                "cells": changed, "life": state["life"]}


def sealing(sandbox, data, *words):
    """What `capsule seal` makes of bytes."""
    run = subprocess.run([sandbox.bench.binary, "--no-input", "seal", *words, "-"], input=data, cwd=sandbox.work,
                         env=sandbox.environment, capture_output=True, check=False)
    if run.returncode:
        raise RuntimeError(f"seal: {run.returncode} {run.stderr[-200:]!r}")
    return run.stdout


# Archives


ORDER = ("identities", "store.json", "settings.json", "blobs", "capsules", "events", "items", "beneficiaries",
         "trustees", "bequests", "trash")


def pack(store, target, sparse=None):
    """Packs a store's directory into an archive in the clear, its digests right. `sparse` is a member and its size:
    zeros in its place, which take no room."""
    now = files(store)
    header = json.loads(now["store.json"])
    members = [("archive.json", encoded({"archive": 1, "store": header["id"], "createdAt": "2026-01-01T00:00:00Z",
                                         "whole": True, "named": []}))]
    for first in ORDER:
        members += [(path, data) for path, data in sorted(now.items()) if path.split(os.sep)[0] == first]
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in members)
    members.append(("archive.sha256", sums.encode()))
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as tar:
        folders = set()
        for path, data in members:
            parents = path.split("/")[:-1]
            for count in range(1, len(parents) + 1):
                folder = "/".join(parents[:count])
                if folder not in folders:
                    folders.add(folder)
                    info = tarfile.TarInfo(folder)
                    info.type, info.mode = tarfile.DIRTYPE, 0o700
                    tar.addfile(info)
            info = tarfile.TarInfo(path)
            info.mode = 0o400 if path.startswith(("identities/", "blobs/")) else 0o600
            if sparse and re.fullmatch(sparse[0], path):
                info.size = sparse[1]
                tar.fileobj.write(info.tobuf(tarfile.USTAR_FORMAT))
                tar.fileobj.truncate(tar.fileobj.tell() + info.size)
                return
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
