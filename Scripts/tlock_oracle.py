#!/usr/bin/env python3
"""An independent tlock: opens and seals age files on drand chains with py_ecc and `cryptography`.

It shares no code with capsule, so the tests hold the one against the other. It is slow, checks what
a reader of foreign files must check, and protects nothing in memory.

usage:
  tlock_oracle.py open --signature HEX [FILE]            age file in, plaintext out
  tlock_oracle.py seal --round N [--armor] [FILE]        plaintext in, age file out
                       [--chain INFO.json]               for another chain than quicknet
  tlock_oracle.py chain --secret N [--period N] [--genesis N] [--id NAME] [--v2]
                                                         the chain info of a chain of one's own
  tlock_oracle.py beacon --secret N --round N [--v2]     a beacon of that chain

needs: pip install py_ecc cryptography
"""

import argparse
import hashlib
import json
import os
import sys

from py_ecc.bls.hash_to_curve import hash_to_G1
from py_ecc.bls.point_compression import (
    compress_G1, compress_G2, decompress_G1, decompress_G2)
from py_ecc.optimized_bls12_381 import (
    G2, curve_order, field_modulus, is_inf, multiply, pairing)

from oracle import age
from oracle.age import sha256

DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
SCHEME = "bls-unchained-g1-rfc9380"
QUICKNET = {
    "hash": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "public_key":
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
        "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
        "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
}


# Points and the pairing


def g1_bytes(point):
    return int(compress_G1(point)).to_bytes(48, "big")


def g2_bytes(point):
    high, low = compress_G2(point)
    return int(high).to_bytes(48, "big") + int(low).to_bytes(48, "big")


def g1_point(data):
    assert len(data) == 48
    point = decompress_G1(int.from_bytes(data, "big"))
    assert not is_inf(point) and is_inf(multiply(point, curve_order)), "not in the subgroup"
    return point


def g2_point(data):
    assert len(data) == 96
    point = decompress_G2((int.from_bytes(data[:48], "big"), int.from_bytes(data[48:], "big")))
    assert not is_inf(point) and is_inf(multiply(point, curve_order)), "not in the subgroup"
    return point


def fq12_bytes(value):
    """An element of py_ecc's flat FQ12 (w^12 = 2w^6 - 2) as the tower's bytes, where u = w^6 - 1."""
    flat = [int(c) for c in value.coeffs]
    out = b""
    for half in (1, 0):
        for power in (2, 1, 0):
            k = 2 * power + half
            out += flat[k + 6].to_bytes(48, "big")
            out += ((flat[k] + flat[k + 6]) % field_modulus).to_bytes(48, "big")
    return out


def gt(p, q):
    """The pairing that tlock hashes. py_ecc leaves out the sign of the curve's parameter, which
    inverts its values, and has the textbook exponent, of which the cube is wanted."""
    return pairing(q, p) ** (curve_order - 3)


# Identity-based encryption


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def round_point(number):
    return hash_to_G1(sha256(number.to_bytes(8, "big")), DOMAIN, hashlib.sha256)


def h3(sigma, message):
    """The scalar, and how many tries it took."""
    seed = sha256(b"IBE-H3", sigma, message)
    for i in range(1, 65535):
        digest = bytearray(sha256(i.to_bytes(2, "little"), seed))
        digest[0] >>= 1
        if int.from_bytes(digest, "big") < curve_order:
            return int.from_bytes(digest, "big"), i
    raise AssertionError("no scalar")


def ibe_seal(file_key, sigma, number, public_key):
    r, _ = h3(sigma, file_key)
    shared = gt(round_point(number), g2_point(public_key)) ** r
    return (
        g2_bytes(multiply(G2, r))
        + xor(sigma, sha256(b"IBE-H2", fq12_bytes(shared)))
        + xor(file_key, sha256(b"IBE-H4", sigma)))


def ibe_open(body, signature):
    assert len(body) == 128, "the body's length"
    u = g2_point(body[:96])
    sigma = xor(body[96:112], sha256(b"IBE-H2", fq12_bytes(gt(g1_point(signature), u))))
    file_key = xor(body[112:], sha256(b"IBE-H4", sigma))
    assert g2_bytes(multiply(G2, h3(sigma, file_key)[0])) == body[:96], "damaged, or another round"
    return file_key


# Chains


def chain_info(secret, period=3, genesis=1692803367, name="oracle", v2=False):
    key = g2_bytes(multiply(G2, secret))
    seed = sha256(b"seed", secret.to_bytes(32, "big"))
    digest = sha256(
        period.to_bytes(4, "big"), genesis.to_bytes(8, "big"), key, seed,
        b"" if name == "default" else name.encode()).hex()
    info = {"public_key": key.hex(), "period": period, "genesis_time": genesis}
    if v2:
        return info | {
            "genesis_seed": seed.hex(), "chain_hash": digest, "scheme": SCHEME, "beacon_id": name}
    return info | {
        "hash": digest, "groupHash": seed.hex(), "schemeID": SCHEME,
        "metadata": {"beaconID": name}}


def beacon(secret, number, v2=False):
    signature = g1_bytes(multiply(round_point(number), secret))
    if v2:
        return {"round": number, "signature": signature.hex()}
    return {
        "round": number, "randomness": sha256(signature).hex(), "signature": signature.hex()}


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    opening = commands.add_parser("open")
    opening.add_argument("--signature", required=True)
    opening.add_argument("file", nargs="?", default="-")
    sealing = commands.add_parser("seal")
    sealing.add_argument("--round", type=int, required=True)
    sealing.add_argument("--armor", action="store_true")
    sealing.add_argument("--chain")
    sealing.add_argument("file", nargs="?", default="-")
    describing = commands.add_parser("chain")
    describing.add_argument("--period", type=int, default=3)
    describing.add_argument("--genesis", type=int, default=1692803367)
    describing.add_argument("--id", default="oracle")
    signing = commands.add_parser("beacon")
    signing.add_argument("--round", type=int, required=True)
    for command in (describing, signing):
        command.add_argument("--secret", type=int, required=True)
        command.add_argument("--v2", action="store_true")
    options = parser.parse_args()

    if options.command == "chain":
        return print(json.dumps(chain_info(options.secret, options.period, options.genesis, options.id, options.v2)))
    if options.command == "beacon":
        return print(json.dumps(beacon(options.secret, options.round, options.v2)))
    if options.file == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(options.file, "rb") as file:
            data = file.read()
    if options.command == "open":
        def unwrap(words, body):
            assert len(words) == 2
            return ibe_open(body, bytes.fromhex(options.signature))
        return sys.stdout.buffer.write(age.open_file(data, "tlock", unwrap))
    chain = QUICKNET
    if options.chain:
        with open(options.chain) as file:
            chain = json.load(file)
        chain["hash"] = chain.get("hash") or chain["chain_hash"]
    sealed = age.seal(data, lambda key: (
        f"tlock {options.round} {chain['hash']}",
        ibe_seal(key, os.urandom(16), options.round, bytes.fromhex(chain["public_key"]))))
    sys.stdout.buffer.write(age.armor(sealed) if options.armor else sealed)


if __name__ == "__main__":
    main()
