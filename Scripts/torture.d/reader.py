"""Reads a store without the program: its own idea of the format, and `age` for the seals."""
import hashlib
import json
import os
import re
import shutil
import subprocess

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

    def opened(self, record):
        """The contents of a capsule with an honor lock, decrypted by `age`: bytes in order."""
        identities = [os.path.join(self.store, "identities", name)
                      for name in os.listdir(os.path.join(self.store, "identities"))
                      if name.endswith(".txt")]
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
