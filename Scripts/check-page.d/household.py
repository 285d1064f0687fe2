"""A store of hostile texts, made with the real program, and what it delivers."""
import io
import json
import math
import os
import struct
import subprocess
import tarfile
import wave
import zlib

HOSTILE = [
    "<script>window.ran=1</script>", "<img src=x onerror=\"window.ran=1\">",
    "\"><svg onload=window.ran=1>", "' onmouseover='window.ran=1", "javascript:window.ran=1",
    "</style><script>window.ran=1</script>", "</title><script>window.ran=1</script>",
    "</h2></article></main></body></html>", "]]><![CDATA[", "<!-- never closed", "-->",
    "<!doctype html>", "&amp;&lt;&#60;&#x3c;&nbsp;&", "&lt;script&gt;", "&ampersand; &not; &notin",
    "{{constructor.constructor('window.ran=1')()}}", "${window.ran=1}", "`window.ran=1`",
    "\\u003cscript\\u003e", "%3Cscript%3E", "<iframe src=https://example.com></iframe>",
    "<link rel=stylesheet href=//example.com/x.css>", "<meta http-equiv=refresh content=0>",
    "<base href=https://example.com/>", "<form action=https://example.com><input autofocus>",
    "data:text/html,<script>window.ran=1</script>", "https://example.com/?a=1&b=2", "url(//example.com)",
    "@import '//example.com/x.css';", "expression(alert(1))", "*/ body{display:none} /*",
    "\u202eright to left override", "\u202dleft\u202c \u202blost", "\u2066isolate without an end",
    "\u2069\u2069\u2069 ends without a start", "\u200f\u061cmarks\u200e", "שלום, <b>מיה</b>!",
    "مرحبا (1) \"ميا\" [2]", "abc שלום 123 مرحبا", "zero\u200bwidth\ufeff\u2060\u00adsoft",
    "Z\u0351\u036b\u0343a\u0489\u0300" + "\u0301" * 400 + "lgo", "\u1e9e \u0130 \ufb03 \u212b e\u0301",
    "👩‍👩‍👧‍👦🏳️‍🌈🇪🇺" * 8, "\U000e0041\U000e0042 tags", "\ufffd\ufffe\uffff\U0001fffe",
    "bell\u0007 escape\u001b[31m\u009b31m delete\u007f", "tab\tin a name", "  spaces   within  it",
    "W" * 900, "遺" * 300, "a/b\\c:d*e?f|g", "-rf ~", "CON", "...", "🜁\u2028line\u2029separators",
]
LONG = "x" * 10_000


def png(width, height, shade):
    """A picture with a run of colours."""
    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (
            (shade + x) % 256, (shade * 2 + y) % 256, (120 + x // 2) % 256)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def jpeg():
    """A grey JPEG of 16 × 8 points: two blocks that hold nothing but their mean (ITU-T T.81)."""
    def segment(marker, data):
        return bytes([0xff, marker]) + struct.pack(">H", len(data) + 2) + data
    # Huffman tables with one code each of length 1 and 2: a difference of no or of six bits; no more.
    direct = bytes([1, 1] + [0] * 14) + bytes([0, 6])
    other = bytes([1] + [0] * 15) + bytes([0])
    # First block: 10 for six bits, 101000 is 40; then the end of the block. Second: no difference.
    bits = "10" + "101000" + "0" + "0" + "0"
    bits += "1" * (-len(bits) % 8)
    scan = bytes(int(bits[index:index + 8], 2) for index in range(0, len(bits), 8))
    return (b"\xff\xd8" + segment(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
            + segment(0xdb, b"\0" + bytes([16] * 64))
            + segment(0xc0, bytes([8, 0, 8, 0, 16, 1, 1, 0x11, 0]))
            + segment(0xc4, b"\x00" + direct) + segment(0xc4, b"\x10" + other)
            + segment(0xda, bytes([1, 1, 0, 0, 63, 0])) + scan + b"\xff\xd9")


def wav(path):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(b"".join(
            struct.pack("<h", int(8000 * math.sin(index / 9))) for index in range(4000)))


class Household:
    """Things that are left to people whose names, and theirs, are hostile."""

    def __init__(self, binary, home):
        self.binary, self.home = binary, home
        self.work = os.path.join(home, "work")
        os.makedirs(self.work)
        self.people, self.names, self.titles = [], [], []
        self.run("settings", "set", "owner", HOSTILE[0] + " \u202eanna")
        self.names = ["Mia Berg"] + [HOSTILE[index] for index in (6, 31, 40, 48)]
        for name in self.names:
            self.people.append(json.loads(
                self.run("beneficiary", "add", "--json", "--", name))["id"])
        for index, text in enumerate(HOSTILE):
            self.add(index, text)
        self.leave_capsules()

    def run(self, *words):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.home, "TZ": "Europe/Paris",
                       "LC_ALL": "C.UTF-8"}
        run = subprocess.run([self.binary, "--no-input", *words], cwd=self.work, env=environment,
                             capture_output=True, check=False)
        if run.returncode:
            raise OSError(f"{words[:3]}: {run.returncode} {run.stderr.decode()[-400:]}")
        return run.stdout

    def file(self, name, data):
        name = name.replace("/", "\u2215").encode()[:200].decode(errors="ignore")
        path = os.path.join(self.work, f"{len(os.listdir(self.work))}")
        os.mkdir(path)
        path = os.path.join(path, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def add(self, index, text):
        """An item whose every text is the hostile one, left to one of the people."""
        item = json.loads(self.run(
            "item", "add", "--json", "--description", f"{text}\n\n{text}", "--location", text,
            "--category", text, "--", text))["id"]
        picture = jpeg() if index % 3 == 0 else png(60 + index, 40, index)
        suffix = ".jpg" if index % 3 == 0 else ".png"
        self.run("item", "attach", item, self.file(text + suffix, picture), "--title", text)
        if index % 5 == 0:
            path = self.file(text + ".wav", b"")
            wav(path)
            self.run("item", "attach", item, path)
            self.run("item", "attach", item, self.file(text + ".pdf", b"%PDF-1.4\n"))
        message = f"{text}\r\n\n\t{text}\n" + (LONG if index % 10 == 0 else "")
        person = self.people[0] if index < 30 else self.people[1 + index % 4]
        self.run("bequeath", item, "--to", person, "--message-file",
                 self.file("message", message.encode()))

    def leave_capsules(self):
        opened = ("--unlock", "2020-01-01", "--allow-past", "--text", HOSTILE[0] + "\n" + LONG,
                  self.file(HOSTILE[1] + ".png", png(1600, 900, 9)))
        for title, words in (
                ("A letter " + HOSTILE[2], opened),
                ("Locked " + HOSTILE[3], ("--unlock", "2099-01-01", "--text", "x")),
                ("Sealed " + HOSTILE[4], ("--unlock", "2030-01-01", "--timelock", "--text", "x"))):
            made = json.loads(self.run("create", title, *words, "--json"))["id"]
            self.titles.append(title)
            self.run("bequeath", made, "--to", self.people[0], "--message", title)

    def deliver(self):
        """Each person's folder with what the program says is in it."""
        return json.loads(self.run(
            "deliver", "--output", os.path.join(self.home, "out"), "--with-values", "--json"))

    def shares(self):
        """The pages of two groups, of few holders and of as many as there can be: HTML beside text."""
        pages = []
        for folder, holders in (("few", HOSTILE[:2]), ("many", (HOSTILE + [LONG[:100]])[-16:])):
            folder = os.path.join(self.home, "shares of " + folder)
            named = [word for index, holder in enumerate(holders)
                     for word in ("--holder", f"{index} {holder.strip()}")]
            self.run("trustees", "make", f"{len(holders)} of {HOSTILE[3]}", "-k", "2", *named, "-o", folder)
            pages += [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".html")]
        return pages

    def estate(self):
        """The folder that came out of an estate, opened with the group's key and Python's tar."""
        pages = os.path.join(self.home, "pages")
        self.run("trustees", "make", HOSTILE[2], "-k", "2", "--holder", "A", "--holder", "B", "-o", pages)
        for index in (7, 12, 40):
            self.run("create", "Nobody's " + HOSTILE[index], "--unlock", "2099-01-01", "--notes",
                     HOSTILE[index], "--text", "x")
        self.run("beneficiary", "edit", self.people[1], "--phone", "+49 30 1234", "--contact",
                 HOSTILE[1] + "\n" + HOSTILE[30])
        item = json.loads(self.run("item", "add", "--json", "--value", "EUR 1", "--", LONG[:900]))["id"]
        self.run("bequeath", item, "--to", self.people[2], "--access-after", "2040-01-01")
        path, key = (os.path.join(self.home, name) for name in ("estate.age", "key"))
        self.run("estate", "--trustees", HOSTILE[2], "--output", path)
        shares = [os.path.join(pages, name) for name in sorted(os.listdir(pages)) if name.endswith(".txt")]
        self.run("trustees", "combine", "--share", shares[0], "--share", shares[1], "--output", key)
        folder = os.path.join(self.home, "opened")
        with tarfile.open(fileobj=io.BytesIO(self.run("unseal", "-i", key, path))) as archive:
            # What is in it was made here; Python 3.11 of Debian 12 knows no filter.
            archive.extractall(folder)
        return os.path.join(folder, "estate")
