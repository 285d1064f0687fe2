#!/usr/bin/env python3
"""Writes cases.txt: texts, valid and damaged, with the verdict of an independent reader.

Each line is `y INPUT CANONICAL` or `n INPUT`, both in hexadecimal. The canonical form is compact,
with keys sorted by their UTF-8 bytes, numbers as they stood, and control characters escaped.
The reader is Python's, made as strict as RFC 8259 and as our own rules: no NaN, no key twice, no
lone surrogate, at most 256 levels.
"""
import json
import random
import sys


class Number(str):
    pass


def refuse(text):
    raise ValueError(text)


def members(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("duplicate key")
    return dict(pairs)


def quoted(text):
    out = ['"']
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    for char in text:
        code = ord(char)
        if char in short:
            out.append(short[char])
        elif code < 0x20 or 0x7F <= code <= 0x9F:
            out.append("\\u%04x" % code)
        else:
            out.append(char)
    return "".join(out) + '"'


def canonical(value, depth=0):
    if isinstance(value, (dict, list)) and depth == 256:
        raise ValueError("too deep")
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    items = sorted(value.items(), key=lambda item: item[0].encode())
    return "{" + ",".join(quoted(k) + ":" + canonical(v, depth + 1) for k, v in items) + "}"


def verdict(data):
    try:
        value = json.loads(
            data.decode("utf-8"), parse_constant=refuse, object_pairs_hook=members,
            parse_int=Number, parse_float=Number)
        return canonical(value).encode("utf-8")
    except (ValueError, RecursionError):
        return None


def text(rng):
    pool = ["a", "b", "é", "e\u0301", "日", "𝄞", " ", "\\n", "\\u00e9", "\\ud834\\udd1e", "\\\\",
            '\\"', "\\/", "\u2028", "\x7f", "\u0085", "0123456789", "/", "'"]
    return '"' + "".join(rng.choice(pool) for _ in range(rng.randrange(6))) + '"'


def number(rng):
    return rng.choice(["0", "-0", "1", "-17", "1.50", "1e5", "-2E-3", "9223372036854775807",
                       "9223372036854775808", "0.0", str(rng.randrange(-10**6, 10**6))])


def space(rng):
    return rng.choice(["", "", "", " ", "\n", "\t", "\r\n  "])


def value(rng, depth=0):
    kind = rng.randrange(8 if depth < 4 else 5)
    if kind < 2:
        return text(rng)
    if kind < 4:
        return number(rng)
    if kind == 4:
        return rng.choice(["null", "true", "false"])
    parts = []
    for _ in range(rng.randrange(4)):
        inner = space(rng) + value(rng, depth + 1) + space(rng)
        parts.append(inner if kind < 7 else space(rng) + text(rng) + space(rng) + ":" + inner)
    joined = ",".join(parts) or space(rng)
    return "[" + joined + "]" if kind < 7 else "{" + joined + "}"


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(5)
        if what == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[at:at + rng.randrange(1, 4)]
        elif what == 2:
            data[at:at] = rng.choice([b",", b"}", b"]", b'"', b"\\", b"\x00", b"\xff", b"e", b".", b"0",
                                      b"\xef\xbb\xbf", b"\\ud800", b"\xc3", b"-", b":", b"\n"])
        elif what == 3:
            data = data[:at]
        else:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other:other + rng.randrange(1, 8)]
    return bytes(data)


def main():
    rng = random.Random(8259)
    seen = set()
    lines = []
    while len(lines) < 2000:
        data = value(rng).encode()
        if len(lines) % 4:
            data = damaged(rng, data)
        if data in seen or len(data) > 120:
            continue
        seen.add(data)
        result = verdict(data)
        lines.append("n " + data.hex() if result is None else "y " + data.hex() + " " + result.hex())
    sys.stdout.write("\n".join(lines) + "\n")


main()
