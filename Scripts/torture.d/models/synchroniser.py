"""What keeps the directories of two stores alike, a file at a time and in any order."""
import os

from reader import files


class Synchroniser:
    """`sides` are two of anything that has a store."""

    def __init__(self, *sides):
        self.sides = sides
        # What is on its way to each: paths, with bytes or `None` for a file that goes.
        self.pending = {side: {} for side in sides}
        self.seen = {side: {} for side in sides}

    def look(self, side):
        """Takes notice of what a machine changed."""
        now = {path: data for path, data in files(side.store).items() if path != "lock" and not path.startswith("tmp/")}
        old, other = self.seen[side], self.sides[side is self.sides[0]]
        for path in {*now, *old}:
            if now.get(path) != old.get(path):
                self.pending[other][path] = now.get(path)
        self.seen[side] = now

    def deliver(self, side, path):
        data = self.pending[side].pop(path)
        place = os.path.join(side.store, path)
        if data is None:
            if os.path.exists(place):
                os.unlink(place)
            self.seen[side].pop(path, None)
            return
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        # A name that the program leaves alone until it is whole.
        part = os.path.join(side.path, "arriving")
        with open(part, "wb") as file:
            file.write(data)
        os.chmod(part, 0o400 if path.startswith(("blobs/", "identities/")) else 0o600)
        os.replace(part, place)
        self.seen[side][path] = data

    @property
    def busy(self):
        """The paths of all that is on its way."""
        return " ".join(path for waiting in self.pending.values() for path in waiting)
