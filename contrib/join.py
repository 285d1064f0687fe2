"""Joins shares of trustees to the key that they hold, without capsule.

usage: python3 join.py SHARE-FILE SHARE-FILE... > key.txt

Each file is the page of a share in plain text, or the 33 numbers of a sheet with spaces between them.
"""
import hashlib, hmac, re, sys

def read(path):  # A page in plain text, or the 33 numbers of one.
    try:
        text = open(path, encoding="utf-8").read().lower()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: cannot be read as text: {error}")
    text = text.split("----- the words of the share -----")[-1].split("----- end")[0]
    found = re.findall(r"[a-z]+\s+(\d+)", text) or re.findall(r"\d+", text)
    numbers = [int(number) for number in found]
    if len(numbers) != 33:
        sys.exit(f"{path}: a share has 33 numbers, this has {len(numbers)}")
    if max(numbers) > 1023:
        sys.exit(f"{path}: no number is above 1023, this has {max(numbers)}")
    extendable = numbers[1] >> 4 & 1
    residue = 1
    for number in list(b"shamir_extendable" if extendable else b"shamir") + numbers:
        top, residue = residue >> 20, (residue & 0xFFFFF) << 10 ^ number
        for bit, generator in enumerate([
                0xE0E040, 0x1C1C080, 0x3838100, 0x7070200, 0xE0E0009,
                0x1C0C2412, 0x38086C24, 0x3090FC48, 0x21B1F890, 0x3F3F120]):
            residue ^= generator if top >> bit & 1 else 0
    if residue != 1:
        sys.exit(f"{path}: a number is wrong; compare them with the sheet")
    prefix = sum(number << 10 * (3 - place) for place, number in enumerate(numbers[:4]))
    value = sum(number << 10 * (25 - place) for place, number in enumerate(numbers[4:30]))
    return {"set": prefix >> 20, "groups": prefix >> 8 & 0xFF, "number": prefix >> 4 & 15,
            "needed": (prefix & 15) + 1, "value": value.to_bytes(32, "big")}

def multiply(a, b):  # In the field of 256 elements modulo 0x11b.
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11B if a & 128 else 0), b >> 1
    return product

def invert(a):
    return next(b for b in range(256) if multiply(a, b) == 1)

def value_at(x, shares):  # Of the polynomials through the shares (Lagrange).
    total = bytes(32)
    for share in shares:
        factor = 1
        for other in shares:
            if other is not share:
                factor = multiply(factor, multiply(
                    x ^ other["number"], invert(share["number"] ^ other["number"])))
        total = bytes(t ^ multiply(factor, byte) for t, byte in zip(total, share["value"]))
    return total

def bech32(name, data):
    bits = int.from_bytes(data, "big") << 4
    groups = [bits >> 5 * (51 - place) & 31 for place in range(52)]
    head = [ord(c) >> 5 for c in name] + [0] + [ord(c) & 31 for c in name]
    total = 1
    for value in head + groups + [0] * 6:
        top, total = total >> 25, (total & 0x1FFFFFF) << 5 ^ value
        for bit, word in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            total ^= word if top >> bit & 1 else 0
    groups += [(total ^ 1) >> 5 * (5 - place) & 31 for place in range(6)]
    return (name + "1" + "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[g] for g in groups)).upper()

shares = [read(path) for path in sys.argv[1:]]
if len({(share["set"], share["groups"], share["needed"]) for share in shares}) != 1:
    sys.exit("give the files of shares of one set")
shares = list({share["number"]: share for share in shares}.values())
needed = shares[0]["needed"]
if len(shares) < needed:
    sys.exit(f"{needed} different shares are needed, these are {len(shares)}")
shares = shares[:needed]
secret, code = value_at(255, shares), value_at(254, shares)
if hmac.digest(code[4:], secret, "sha256")[:4] != code[:4]:
    sys.exit("the shares do not fit together")
identifier, flags = shares[0]["set"] >> 5, shares[0]["set"] & 31
salt = b"" if flags & 16 else b"shamir" + identifier.to_bytes(2, "big")
left, right = secret[:16], secret[16:]
for turn in 3, 2, 1, 0:
    pad = hashlib.pbkdf2_hmac(
        "sha256", bytes([turn]), salt + right, 2500 << (flags & 15), 16)
    left, right = right, bytes(a ^ b for a, b in zip(left, pad))
print(bech32("age-secret-key-pq-", right + left))
print(bech32("age-secret-key-", right + left))
