#!/usr/bin/env python3
"""Writes the crypto-*.txt files beside this script, from implementations that are not ours.

Needs: pip install cryptography pynacl bech32 kyber-py. The output depends on nothing but this file.
Messages are not stored: `stream(seed, count)` is the same in VectorFile.swift.
A line is a case, its fields parted by spaces; byte strings are hex, empty ones `-`.
"""

import base64
import hashlib
import hmac
import pathlib

import bech32
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from kyber_py.ml_kem import ML_KEM_768
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


def sha3():
    lengths = sorted(set(list(range(0, 18)) + around(64, 72, 136, 144, 168, 200, 272, 336, 1000)))
    cases = []
    for n in lengths:
        message = stream(100_000 + n, n)
        cases.append((
            n, hashlib.sha3_256(message).digest(), hashlib.sha3_512(message).digest(),
            hashlib.sha3_256(hashlib.shake_128(message).digest(500)).digest(),
            hashlib.sha3_256(hashlib.shake_256(message).digest(500)).digest()))
    write("sha3", "length sha3-256 sha3-512 sha3-256-of-shake128 sha3-256-of-shake256", cases)


def digest(message):
    return hashlib.sha3_256(message).digest()


def mlkem768():
    cases = []
    for number in range(40):
        d, z, m = (stream(start + number, 32) for start in (110_000, 111_000, 112_000))
        ek, dk = ML_KEM_768._keygen_internal(d, z)
        shared, c = ML_KEM_768._encaps_internal(ek, m)
        assert ML_KEM_768.decaps(dk, c) == shared
        # A ciphertext with one bit changed is rejected without a word.
        place = stream(113_000 + number, 2)
        place = (place[0] << 8 | place[1]) % len(c)
        changed = c[:place] + bytes([c[place] ^ 1 << number % 8]) + c[place + 1:]
        rejected = ML_KEM_768.decaps(dk, changed)
        assert rejected == hashlib.shake_256(z + changed).digest(32)
        cases.append((number, digest(ek), digest(dk), digest(c), shared, place, rejected))
    write(
        "mlkem768",
        "seed sha3-256-of-ek sha3-256-of-dk sha3-256-of-c shared changed-byte rejected", cases)


def labeled_extract(salt, label, material):
    suite = b"HPKE" + bytes.fromhex("647a00010003")
    return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + material, "sha256").digest()


def labeled_expand(key, label, context, count):
    suite = b"HPKE" + bytes.fromhex("647a00010003")
    info = count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + context
    return hmac.new(key, info + b"\x01", "sha256").digest()[:count]


def hybrid():
    info = b"age-encryption.org/mlkem768x25519"
    suite = hpke.Suite(hpke.KEM.MLKEM768_X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)
    cases = []
    for number in range(24):
        seed, m, e = (stream(start + number, 32) for start in (120_000, 121_000, 122_000))
        expanded = hashlib.shake_256(seed).digest(96)
        ek, dk = ML_KEM_768._keygen_internal(expanded[:32], expanded[32:64])
        secret = expanded[64:]
        public = crypto_scalarmult_base(secret)
        kem, c = ML_KEM_768._encaps_internal(ek, m)
        share = crypto_scalarmult_base(e)
        shared = digest(kem + crypto_scalarmult(e, public) + share + public + b"\\.//^\\")
        context = b"\x00" + labeled_extract(b"", b"psk_id_hash", b"") + labeled_extract(
            b"", b"info_hash", info)
        scheduled = labeled_extract(shared, b"secret", b"")
        key = labeled_expand(scheduled, b"key", context, 32)
        nonce = labeled_expand(scheduled, b"base_nonce", context, 12)
        message = stream(123_000 + number, 16)
        sealed = ChaCha20Poly1305(key).encrypt(nonce, message, b"")
        # An implementation of all of HPKE opens what was made here.
        private = hpke.MLKEM768X25519PrivateKey(
            MLKEM768PrivateKey.from_seed_bytes(expanded[:64]),
            X25519PrivateKey.from_private_bytes(secret))
        assert suite.decrypt(c + share + sealed, private, info) == message
        cases.append((
            number, digest(ek + public), digest(c + share), shared, key, nonce, sealed))
    write(
        "hybrid", "seed sha3-256-of-public-key sha3-256-of-encapsulation shared key nonce sealed",
        cases)


for function in (sha256, hmac_sha256, hkdf_sha256, chacha20_poly1305, x25519, pbkdf2, scrypt,
                 base64_texts, bech32_texts, sha3, mlkem768, hybrid):
    function()
