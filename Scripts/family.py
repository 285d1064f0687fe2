"""One family that does not exist, for all scripts: who they are, what they keep, and names that do harm.

Ada keeps the store. Mia and Ben are her children, Tom is a friend, Dr Okoye and Mr Lindqvist hold shares of her keys.
Pictures and sounds are made here, byte for byte the same each time.
"""
import math
import struct
import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    name: str
    relationship: str = ""
    email: str = ""


ADA = Person("Ada Berg", "", "ada@example.org")
MIA = Person("Mia Berg", "daughter", "mia@example.org")
BEN = Person("Ben Berg", "son", "ben@example.org")
TOM = Person("Tom Hale", "friend", "tom@example.org")
OKOYE = Person("Dr Ngozi Okoye", "doctor", "okoye@example.org")
LINDQVIST = Person("Nils Lindqvist", "neighbor", "nils@example.org")
CHILDREN, TRUSTEES = [MIA, BEN], [TOM, OKOYE, LINDQVIST]
PEOPLE = [ADA, *CHILDREN, *TRUSTEES]

LETTER = "Dear Mia,\ntoday you said your first word.\n"
MESSAGE = "It was my mother's, and hers before.\nWear it on ordinary days."
RING = ("Gold ring", "Yellow gold with one sapphire. Your great-grandmother wore it for fifty years.")
PASSPHRASE = "correct horse battery staple"

# The drand network quicknet published this in round 1000, at this time: a fact of the past, like a date.
ROUND, ROUND_TIME = 1000, "2023-08-23T15:59:24Z"
BEACON = ("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
          "e342b73a8dd2bacbe47e4b6b63ed5e39")

# Names and texts of people who mean no good, or whose keyboards do not.
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
# Those of them that are names in a mail's header.
HOSTILE_NAMES = ["Mia", "Zoë Größenwahn", "Berg, \"Ada\" <x>", "عمر \u0600| خيام", "李雷" * 40, "--", "-f",
                 "Mia \u202egro.live\u202c", "ы" * 150]
HOSTILE_TEXT = ("Dear all,\n\n.\n..\nFrom me to you\n>From\n--\n=20 = literal\n" + "long " * 3000 + "\n"
                + "x" * 100000 + "\nGrüße 世界 \u0600|\ttab  \n\nend\n")


def png(width, height, pixel):
    """A PNG of 8 bits a channel (RFC 2083); `pixel` gives red, green and blue at a place."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(channel for x in range(width) for channel in pixel(x, y)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def shades(width, height, shade):
    """A picture with a run of colors."""
    return png(width, height, lambda x, y: ((shade + x) % 256, (shade * 2 + y) % 256, (120 + x // 2) % 256))


def ring():
    """A drawing of a gold ring with a stone."""
    width, height, x0, y0, radius = 480, 320, 240.0, 178.0, 92.0

    def pixel(x, y):
        shade = 1 - math.hypot(x - x0, y - 120) / 420
        base = [int(channel * max(shade, 0.25)) for channel in (112, 40, 48)]
        distance = math.hypot(x - x0, (y - y0) * 1.08)
        band = 1 - abs(distance - radius) / 11
        if band > 0:
            light = 0.55 + 0.45 * math.cos(math.atan2(y - y0, x - x0) * 2 + 0.9)
            base = [int(channel * (0.45 + 0.55 * light) * min(1, 0.5 + band))
                    for channel in (236, 190, 92)]
        if abs(x - x0) * 0.9 + abs(y - (y0 - radius - 10)) < 26:
            facet = (int(x - x0) // 7 + int(y) // 7) % 3
            base = [(44, 92, 190), (78, 132, 226), (148, 190, 248)][facet]
        return [min(255, channel) for channel in base]

    return png(width, height, pixel)


def jpeg():
    """A gray JPEG of 16 × 8 points: two blocks that hold nothing but their mean (ITU-T T.81)."""
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


def wav(samples=4000):
    """A tone of half a second: 16 bits, one channel, 8,000 samples a second."""
    data = b"".join(struct.pack("<h", int(8000 * math.sin(index / 9))) for index in range(samples))
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
            + b"data" + struct.pack("<I", len(data)) + data)


GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
