#!/usr/bin/env python3
"""Makes the age files in this directory with implementations that are not ours.

Needs the program `age` (Debian), `pyrage` and `cryptography` (PyPI). The keys are kept; the files
differ from run to run, their plaintexts do not: byte i of a plaintext is (7 * i + 3) mod 251.

  age-*.age       by the program `age`
  rage-*.age      by rage, through pyrage
  python-*.age    by the few lines below, on `cryptography`: a passphrase with little work
"""

import base64
import hashlib
import hmac
import os
import pathlib
import subprocess

import pyrage
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

HERE = pathlib.Path(__file__).parent
PASSPHRASE = "correct horse battery staple"


def plaintext(size):
    return bytes((7 * i + 3) % 251 for i in range(size))


def identity(name):
    path = HERE / name
    if not path.exists():
        subprocess.run(["age-keygen", "-o", path], check=True)
        path.chmod(0o644)
    lines = path.read_text().splitlines()
    return next(line for line in lines if line.startswith("AGE-SECRET-KEY-1"))


def public(name):
    out = subprocess.run(["age-keygen", "-y", HERE / name], check=True, capture_output=True)
    return out.stdout.decode().strip()


def age(name, size, *options):
    subprocess.run(
        ["age", *options, "-o", HERE / name], input=plaintext(size), check=True)


def hkdf(secret, salt, info):
    return HKDF(SHA256(), 32, salt or None, info).derive(secret)


def b64(data):
    return base64.b64encode(data).rstrip(b"=")


def scrypt_file(passphrase, log_n, data):
    file_key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)
    key = Scrypt(b"age-encryption.org/v1/scrypt" + salt, 32, 1 << log_n, 8, 1).derive(passphrase)
    body = ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None)
    header = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (b64(salt), log_n, b64(body))
    mac = hmac.digest(hkdf(file_key, b"", b"header"), header, hashlib.sha256)
    payload = ChaCha20Poly1305(hkdf(file_key, nonce, b"payload"))
    assert len(data) < 65536
    return (header + b" " + b64(mac) + b"\n" + nonce
            + payload.encrypt(bytes(11) + b"\x01", data, None))


def main():
    one, two = "identity-1.txt", "identity-2.txt"
    secret = identity(one)
    identity(two)
    for size in (0, 1, 65536, 65537):
        age(f"age-{size}.age", size, "-r", public(one))
    age("age-armor-100.age", 100, "-a", "-r", public(one))
    age("age-two-recipients-100.age", 100, "-r", public(two), "-r", public(one))
    recipient = pyrage.x25519.Identity.from_str(secret).to_public()
    for size in (0, 100):
        (HERE / f"rage-{size}.age").write_bytes(pyrage.encrypt(plaintext(size), [recipient]))
    (HERE / "rage-armor-100.age").write_bytes(
        pyrage.encrypt(plaintext(100), [recipient], armored=True))
    (HERE / "python-passphrase-100.age").write_bytes(
        scrypt_file(PASSPHRASE.encode(), 10, plaintext(100)))


if __name__ == "__main__":
    main()
