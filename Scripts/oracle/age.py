"""age files, written around a stanza that somebody else wraps: https://age-encryption.org/v1, on `cryptography`."""
import base64
import hashlib
import hmac
import os

MARKS = [b"-----BEGIN AGE ENCRYPTED FILE-----", b"-----END AGE ENCRYPTED FILE-----"]
CHUNK = 65536
DIGITS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(key, salt, info):
    return hmac.digest(hmac.digest(salt or bytes(32), key, "sha256"), info + b"\x01", "sha256")


def unpadded(data):
    return base64.b64encode(data).rstrip(b"=")


def decoded(text):
    data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    assert unpadded(data) == text, "base64"
    return data


def wrapped(data, columns=64):
    return [data[place:place + columns] for place in range(0, len(data), columns)]


def chunks(payload, size, key, nonce, work):
    """Seals or opens the chunks of a payload."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    aead, parts = ChaCha20Poly1305(hkdf(key, nonce, b"payload")), wrapped(payload, size) or [b""]
    return b"".join(getattr(aead, work)(place.to_bytes(11, "big") + bytes([place == len(parts) - 1]), part, None)
                    for place, part in enumerate(parts))


def seal(plaintext, wrap):
    """A file of one stanza; `wrap` makes its words and its body of the file key."""
    key, nonce = os.urandom(16), os.urandom(16)
    words, body = wrap(key)
    lines = wrapped(unpadded(body))
    if not lines or len(lines[-1]) == 64:
        lines.append(b"")
    header = b"\n".join([b"age-encryption.org/v1", b"-> " + words.encode(), *lines, b"---"])
    mac = hmac.digest(hkdf(key, b"", b"header"), header, "sha256")
    return header + b" " + unpadded(mac) + b"\n" + nonce + chunks(plaintext, CHUNK, key, nonce, "encrypt")


def open_file(data, kind, unwrap):
    """The plaintext of a file; `unwrap` makes the file key of the words behind its kind and the body of a stanza."""
    if data.startswith(MARKS[0]):
        data = base64.b64decode(b"".join(data.split(b"\n")[1:-2]), validate=True)
    lines, place = [], 0
    while not lines or not lines[-1].startswith(b"--- "):
        end = data.index(b"\n", place)
        lines.append(data[place:end])
        place = end + 1
    assert lines[0] == b"age-encryption.org/v1"
    found = []
    for number, line in enumerate(lines):
        words = line.decode().split(" ")
        if words[:2] != ["->", kind]:
            continue
        body = []
        for part in lines[number + 1:]:
            body.append(part)
            if len(part) < 64:
                break
        found.append(unwrap(words[2:], decoded(b"".join(body))))
    assert found, f"no stanza of {kind}"
    header = data[:place - len(lines[-1]) - 1] + b"---"
    assert hmac.digest(hkdf(found[0], b"", b"header"), header, "sha256") == decoded(lines[-1][4:]), "MAC"
    return chunks(data[place + 16:], CHUNK + 16, found[0], data[place:place + 16], "decrypt")


def armor(data):
    return b"\n".join([MARKS[0], *wrapped(base64.b64encode(data)), MARKS[1], b""])


def bech32(hrp, data):
    """Bech32 (BIP 173), in lower case."""
    number, bits = int.from_bytes(data, "big"), 8 * len(data)
    number, bits = number << -bits % 5, bits + -bits % 5
    groups = [number >> place & 31 for place in range(bits - 5, -1, -5)]
    total = 1
    for value in [ord(sign) >> 5 for sign in hrp] + [0] + [ord(sign) & 31 for sign in hrp] + groups + [0] * 6:
        top, total = total >> 25, (total & 0x1FFFFFF) << 5 ^ value
        for place, word in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            total ^= word * (top >> place & 1)
    groups += [(total ^ 1) >> 5 * (5 - place) & 31 for place in range(6)]
    return hrp + "1" + "".join(DIGITS[group] for group in groups)


def data_of(text):
    """What a Bech32 text holds; its checksum is not looked at."""
    digits = text.lower().rsplit("1", 1)[1][:-6]
    number = 0
    for digit in digits:
        number = number << 5 | DIGITS.index(digit)
    return (number >> 5 * len(digits) % 8).to_bytes(5 * len(digits) // 8, "big")
