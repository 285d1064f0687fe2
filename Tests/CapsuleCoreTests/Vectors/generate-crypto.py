#!/usr/bin/env python3
"""Writes the crypto-*.txt files beside this script, from implementations that are not ours.

Needs: pip install cryptography pynacl bech32. The output depends on nothing but this file.
Messages are not stored: `stream(seed, count)` is the same in VectorFile.swift.
A line is a case, its fields parted by spaces; byte strings are hex, empty ones `-`.
"""

import base64
import hashlib
import hmac
import pathlib

import bech32
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base

FOLDER = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1


def stream(seed, count):
    """SplitMix64, the low byte of each number."""
    state = seed
    out = bytearray()
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        value = state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        out.append((value ^ (value >> 31)) & 0xFF)
    return bytes(out)


def text(field):
    if isinstance(field, bytes):
        return field.hex() or "-"
    return str(field)


def write(name, fields, cases):
    lines = [f"# {fields}"] + [" ".join(text(field) for field in case) for case in cases]
    (FOLDER / f"crypto-{name}.txt").write_text("\n".join(lines) + "\n")


def around(*borders):
    """Lengths beside the borders."""
    return sorted({border + step for border in borders for step in (-1, 0, 1) if border + step >= 0})


def sha256():
    lengths = list(range(0, 260)) + around(511, 512, 1024, 4096, 65536)
    write("sha256", "length digest", [
        (n, hashlib.sha256(stream(n, n)).digest()) for n in sorted(set(lengths))])


def hmac_sha256():
    lengths = around(0, 32, 55, 64, 119, 128, 200)
    write("hmac-sha256", "key-length message-length code", [
        (k, n, hmac.new(stream(1000 + k, k), stream(2000 + n, n), "sha256").digest())
        for k in lengths for n in lengths])


def hkdf_sha256():
    cases = []
    for number in range(120):
        draw = stream(3000 + number, 4)
        secret, salt, info = draw[0] % 81, draw[1] % 81, draw[2] % 81
        count = (around(1, 32, 64, 96, 255) + [1000, 8160])[draw[3] % 17]
        count = max(count, 1)
        okm = HKDF(hashes.SHA256(), count, stream(1, salt), stream(2, info)).derive(
            stream(number, secret))
        cases.append((number, secret, salt, info, count, hashlib.sha256(okm).digest()))
    write("hkdf-sha256", "seed secret-length salt-length info-length count sha256-of-output", cases)


def chacha20_poly1305():
    lengths = list(range(0, 84)) + around(
        128, 192, 256, 320, 448, 512, 576, 768, 1024, 1280, 2048, 4096, 65536)
    cases = []
    for n in lengths:
        associated = [0, 1, 12, 15, 16, 17, 31, 33, 64, 257][n % 10]
        sealed = ChaCha20Poly1305(stream(10_000 + n, 32)).encrypt(
            stream(20_000 + n, 12), stream(n, n), stream(30_000 + n, associated))
        cases.append((n, associated, hashlib.sha256(sealed[:-16]).digest(), sealed[-16:]))
    write("chacha20-poly1305", "length associated-length sha256-of-ciphertext tag", cases)


def x25519():
    cases = []
    for number in range(64):
        secret, other = stream(40_000 + number, 32), stream(50_000 + number, 32)
        peer = crypto_scalarmult_base(other) if number % 2 else other
        cases.append((secret, peer, crypto_scalarmult_base(secret), crypto_scalarmult(secret, peer)))
    write("x25519", "secret peer public shared", cases)


def pbkdf2():
    cases = []
    for password in (0, 1, 63, 64, 65):
        for iterations in (1, 2, 17):
            for count in (1, 31, 32, 33, 100):
                derived = hashlib.pbkdf2_hmac(
                    "sha256", stream(60_000, password), stream(61_000, 16), iterations, count)
                cases.append((password, iterations, count, derived))
    write("pbkdf2", "password-length iterations count derived", cases)


def scrypt():
    cases = []
    for log_n, r, p, count in [
            (1, 1, 1, 16), (2, 1, 1, 32), (3, 2, 1, 64), (4, 8, 1, 32), (5, 3, 2, 33),
            (6, 8, 3, 32), (7, 5, 1, 100), (8, 8, 1, 32), (10, 8, 1, 32), (10, 1, 1, 32)]:
        derived = hashlib.scrypt(
            stream(70_000 + log_n, log_n * 7), salt=stream(71_000 + r, 16), n=1 << log_n, r=r, p=p,
            dklen=count)
        cases.append((log_n, r, p, count, derived))
    write("scrypt", "log2-n r p count derived", cases)


def base64_texts():
    write("base64", "length text", [
        (n, base64.b64encode(stream(80_000 + n, n)).decode() or "-") for n in range(0, 100)])


def bech32_texts():
    cases = []
    for n in list(range(0, 50)) + [64, 100, 200]:
        hrp = ["age", "age-secret-key-", "a", "x1y", "!~"][n % 5]
        data = stream(90_000 + n, n)
        cases.append((hrp, data, bech32.bech32_encode(hrp, bech32.convertbits(data, 8, 5))))
    write("bech32", "human-readable-part bytes text", cases)


for function in (sha256, hmac_sha256, hkdf_sha256, chacha20_poly1305, x25519, pbkdf2, scrypt,
                 base64_texts, bech32_texts):
    function()
