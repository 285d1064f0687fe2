"""A store of hostile texts, made with the real program, and what it delivers."""
import io
import json
import pathlib
import tarfile

from family import HOSTILE, LONG, MIA, jpeg, shades, wav
from harness import Home


class Household(Home):
    """Things that are left to people whose names, and theirs, are hostile."""

    def __init__(self, folder, program):
        super().__init__(folder, program, "Europe/Paris")
        self.run("settings", "set", "owner", HOSTILE[0] + " \u202eada")
        self.names = [MIA.name] + [HOSTILE[index] for index in (6, 31, 40, 48)]
        self.people = [self.made("beneficiary", "add", "--", name) for name in self.names]
        for index, text in enumerate(HOSTILE):
            self.add(index, text)
        self.leave_capsules()

    def made(self, *words):
        return json.loads(self.run(words[0], "--json", *words[1:]).stdout)["id"]

    def file(self, name, data):
        """A file of this name, in a folder of its own."""
        folder = self.path / f"file {len(list(self.path.iterdir()))}"
        folder.mkdir()
        path = folder / name.replace("/", "\u2215").encode()[:200].decode(errors="ignore")
        path.write_bytes(data)
        return path

    def add(self, index, text):
        """An item whose every text is the hostile one, left to one of the people."""
        item = self.made("item", "add", "--description", f"{text}\n\n{text}", "--location", text, "--category", text,
                         "--", text)
        picture = jpeg() if index % 3 == 0 else shades(60 + index, 40, index)
        suffix = ".jpg" if index % 3 == 0 else ".png"
        self.run("item", "attach", item, self.file(text + suffix, picture), "--title", text)
        if index % 5 == 0:
            self.run("item", "attach", item, self.file(text + ".wav", wav()))
            self.run("item", "attach", item, self.file(text + ".pdf", b"%PDF-1.4\n"))
        message = f"{text}\r\n\n\t{text}\n" + (LONG if index % 10 == 0 else "")
        person = self.people[0] if index < 30 else self.people[1 + index % 4]
        self.run("bequeath", "--access", "immediate", item, "--to", person, "--message-file",
                 self.file("message", message.encode()))

    def leave_capsules(self):
        opened = ("--unlock", "2020-01-01", "--allow-past", "--text", HOSTILE[0] + "\n" + LONG,
                  self.file(HOSTILE[1] + ".png", shades(1600, 900, 9)))
        for title, words in (
                ("A letter " + HOSTILE[2], opened),
                ("Locked " + HOSTILE[3], ("--unlock", "2099-01-01", "--text", "x")),
                ("Sealed " + HOSTILE[4], ("--unlock", "2030-01-01", "--timelock", "--text", "x"))):
            self.run("bequeath", self.made("create", title, *words), "--to", self.people[0], "--access", "immediate",
                     "--message", title)

    def deliver(self):
        """Each person's folder with what the program says is in it."""
        return self.json("deliver", "--output", self.path / "out", "--with-values")

    def report(self):
        """The folder of the report of all items."""
        return pathlib.Path(self.json("item", "report", "--output", self.path / "report")["page"]).parent

    def shares(self):
        """The pages of two groups, of few holders and of as many as there can be: HTML beside text."""
        for name, holders in (("few", HOSTILE[:2]), ("many", (HOSTILE + [LONG[:100]])[-16:])):
            folder = self.path / f"shares of {name}"
            named = [word for index, holder in enumerate(holders)
                     for word in ("--holder", f"{index} {holder.strip()}")]
            self.run("trustees", "make", f"{len(holders)} of {HOSTILE[3]}", "-k", "2", *named, "-o", folder)
            yield from sorted(folder.glob("*.html"))

    def estate(self):
        """The folder that came out of an estate, opened with the group's key and Python's tar."""
        pages, path, key = (self.path / name for name in ("pages", "estate.age", "key"))
        self.run("trustees", "make", HOSTILE[2], "-k", "2", "--holder", "A", "--holder", "B", "-o", pages)
        for index in (7, 12, 40):
            self.run("create", "Nobody's " + HOSTILE[index], "--unlock", "2099-01-01", "--notes", HOSTILE[index],
                     "--text", "x")
        self.run("beneficiary", "edit", self.people[1], "--phone", "+49 30 1234", "--contact",
                 HOSTILE[1] + "\n" + HOSTILE[30])
        item = self.made("item", "add", "--value", "EUR 1", "--", LONG[:900])
        self.run("bequeath", item, "--to", self.people[2], "--access-after", "2040-01-01")
        self.run("estate", "--trustees", HOSTILE[2], "--output", path)
        first, second = sorted(pages.glob("*.txt"))
        self.run("trustees", "combine", "--share", first, "--share", second, "--output", key)
        folder = self.path / "opened"
        with tarfile.open(fileobj=io.BytesIO(self.run("unseal", "-i", key, path).stdout)) as archive:
            # What is in it was made here; Python 3.11 of Debian 12 knows no filter.
            archive.extractall(folder)
        return folder / "estate"
