#!/usr/bin/env python3
"""Writes the vectors for BLS12-381 and tlock beside this script, from Python integers and py_ecc.

Long series are kept as one SHA-256 over all results: both sides draw the same operands from
SHA-256(label, counter), so that 10,000 cases fit in a line. needs: pip install py_ecc
"""

import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "Scripts"))

import tlock_oracle as oracle
from py_ecc.bls.hash_to_curve import hash_to_G1
from py_ecc.fields import optimized_bls12_381_FQ as FQ
from py_ecc.fields import optimized_bls12_381_FQ2 as FQ2
from py_ecc.fields import optimized_bls12_381_FQ12 as FQ12
from py_ecc.optimized_bls12_381 import (
    G1, G2, add, b, b2, curve_order as R, field_modulus as P, is_inf, is_on_curve, multiply, neg,
    normalize)

EDGES = [0, 1, 2, 3, P - 1, P - 2, (P - 1) // 2, (P + 1) // 2, 2**64, 2**64 - 1, 2**320, 2**380,
         2**384 % P, P - 2**64, 2**256, 2**256 - 1]
COUNTS = (100, 10_000)


class Stream:
    """Blocks of SHA-256(label ‖ counter, 8 bytes big endian)."""

    def __init__(self, label):
        self.label, self.counter = label.encode(), 0

    def block(self):
        data = hashlib.sha256(self.label + self.counter.to_bytes(8, "big")).digest()
        self.counter += 1
        return data

    def fp(self):
        """One in eight is an edge value; the rest are 512 bits modulo p."""
        data = self.block() + self.block()
        if data[0] < 32:
            return EDGES[data[1] % len(EDGES)]
        return int.from_bytes(data, "big") % P

    def scalar(self):
        return int.from_bytes(self.block(), "big") % R


def be(value):
    return int(value).to_bytes(48, "big")


# The tower, on py_ecc's flat FQ12: u = w^6 - 1, v = w^2.


def flat(pairs):
    """FQ12 from its coefficients (c0, c1) of w^0 ... w^5 over Fp2."""
    low = [(c0 - c1) % P for c0, c1 in pairs]
    return FQ12(low + [c1 % P for _, c1 in pairs])


def pairs(value):
    c = [int(x) for x in value.coeffs]
    return [((c[k] + c[k + 6]) % P, c[k + 6]) for k in range(6)]


W = FQ12([0, 1] + [0] * 10)
# Which powers of w the coefficients of a field are, lowest first.
LAYOUT = {"fp2": [0], "fp6": [0, 2, 4], "fp12": [0, 2, 4, 1, 3, 5]}


def element(stream, field):
    values = [(0, 0)] * 6
    for k in LAYOUT[field]:
        values[k] = (stream.fp(), stream.fp())
    return flat(values)


def tower_bytes(value, field):
    values = pairs(value)
    assert all(values[k] == (0, 0) for k in range(6) if k not in LAYOUT[field])
    return b"".join(be(values[k][0]) + be(values[k][1]) for k in LAYOUT[field])


def inverse(value):
    return FQ12([0] * 12) if value == FQ12([0] * 12) else FQ12.one() / value


# x^p is linear, so the images of w^k give it all.
FROBENIUS = [W**k for k in range(12)]
FROBENIUS = [x**P for x in FROBENIUS]


def frobenius(value):
    out = FQ12([0] * 12)
    for coefficient, image in zip(value.coeffs, FROBENIUS):
        out += image * int(coefficient)
    return out


def conjugate(value):
    return FQ12([c if k % 2 == 0 else -c for k, c in enumerate(map(int, value.coeffs))])


def fp_root(a):
    root = pow(a, (P + 1) // 4, P)
    return root if root * root % P == a else None


def fp2_square_root_exists(a, c):
    return pow((a * a + c * c) % P, (P - 1) // 2, P) in (0, 1)


FP = {
    "add": lambda a, b: be((a + b) % P),
    "subtract": lambda a, b: be((a - b) % P),
    "multiply": lambda a, b: be(a * b % P),
    "negate": lambda a, _: be(-a % P),
    "square": lambda a, _: be(a * a % P),
    "inverse": lambda a, _: be(pow(a, P - 2, P)),
    "root": lambda a, _: b"none" if fp_root(a) is None else be(fp_root(a)),
    "signs": lambda a, _: bytes([a & 1, int(a > (P - 1) // 2)]),
}
TOWER = {
    "add": ("fp2 fp6", lambda a, b: a + b),
    "subtract": ("fp2 fp6", lambda a, b: a - b),
    "multiply": ("fp2 fp6 fp12", lambda a, b: a * b),
    "square": ("fp2 fp6 fp12", lambda a, _: a * a),
    "inverse": ("fp2 fp6 fp12", lambda a, _: inverse(a)),
    "xi": ("fp2", lambda a, _: a * W**6),
    "v": ("fp6", lambda a, _: a * W**2),
    "frobenius": ("fp12", lambda a, _: frobenius(a)),
    "conjugate": ("fp12", lambda a, _: conjugate(a)),
}


def series(name, one):
    """Lines with the digest over the first 100 and over all 10,000 results."""
    stream, digest, lines = Stream(name), hashlib.sha256(), []
    for count in range(1, COUNTS[-1] + 1):
        digest.update(one(stream))
        if count in COUNTS:
            lines.append(f"{name} {count} {digest.hexdigest()}")
    print(name, flush=True)
    return lines


def field_lines():
    lines = []
    for name, function in FP.items():
        lines += series(f"fp.{name}", lambda s, f=function: f(s.fp(), s.fp()))
        digest = hashlib.sha256()
        for x in EDGES:
            for y in EDGES:
                digest.update(function(x, y))
        lines.append(f"fp.{name} edges {digest.hexdigest()}")
    lines += series(
        "fp.reduce", lambda s: be(int.from_bytes(s.block() + s.block(), "big") % P))
    lines += series(
        "fp2.root", lambda s: bytes([int(fp2_square_root_exists(s.fp(), s.fp()))]))
    for name, (fields, function) in TOWER.items():
        for field in fields.split():
            lines += series(
                f"{field}.{name}",
                lambda s: tower_bytes(function(element(s, field), element(s, field)), field))
    return lines


def point_lines():
    lines = []
    stream = Stream("scalars")
    scalars = [1, 2, 3, 4, 5, 15, 16, 17, 255, R - 1, R - 2, (R + 1) // 2, 2**64, 2**252]
    scalars += [stream.scalar() for _ in range(50)]
    for k in scalars:
        lines.append(f"g1.multiple {k:064x} {oracle.g1_bytes(multiply(G1, k)).hex()}")
        lines.append(f"g2.multiple {k:064x} {oracle.g2_bytes(multiply(G2, k)).hex()}")
    for name, size, one in (("g1", 48, oracle.g1_bytes(G1)), ("g2", 96, oracle.g2_bytes(G2))):
        def bad(fault, data):
            lines.append(f"{name}.refused {fault} {data.hex()}")

        bad("length", one[:-1])
        bad("length", one + b"\0")
        bad("length", one[:1])
        bad("flags", bytes([one[0] & 0x7F]) + one[1:])
        bad("flags", bytes(size))
        bad("flags", b"\x40" + bytes(size - 1))
        bad("flags", b"\xe0" + bytes(size - 1))
        bad("flags", b"\xc0" + bytes(size - 2) + b"\1")
        bad("flags", b"\xc1" + bytes(size - 1))
        bad("flags", bytes([one[0] | 0x40]) + one[1:])
        bad("infinity", b"\xc0" + bytes(size - 1))
        # Numbers that are not below p, one of them x + p for an x on the curve.
        large = [P, P + 1, 2**381 - 1]
        stream = Stream(f"{name}.large")
        while len(large) < 6:
            x = int.from_bytes(stream.block() + stream.block(), "big") % (2**381 - P)
            if name == "g2" or fp_root((x**3 + 4) % P) is not None:
                large.append(x + P)
        for x in large:
            encoded = (x | 1 << 383).to_bytes(48, "big")
            if name == "g1":
                bad("coordinateTooLarge", encoded)
            else:
                bad("coordinateTooLarge", encoded + bytes(48))
                bad("coordinateTooLarge", b"\x80" + bytes(47) + x.to_bytes(48, "big"))

    # On the curve or not, in the subgroup or not, at random x.
    stream = Stream("g1.x")
    off = out = 0
    while off < 12 or out < 12:
        x = stream.fp()
        y = fp_root((x**3 + 4) % P)
        data = (x | 1 << 383).to_bytes(48, "big").hex()
        if y is None and off < 12:
            lines.append(f"g1.refused offCurve {data}")
            off += 1
        elif y is not None and out < 12:
            assert not is_inf(multiply((FQ(x), FQ(y), FQ(1)), R))
            lines.append(f"g1.refused outsideSubgroup {data}")
            out += 1
            if out == 12:
                # Only the cofactor's part of the point, and a good point shifted by it.
                part = multiply((FQ(x), FQ(y), FQ(1)), R)
                for point in (part, neg(part), add(part, G1)):
                    lines.append(
                        f"g1.refused outsideSubgroup {oracle.g1_bytes(point).hex()}")
    # Points of order 3.
    for y in (2, P - 2):
        assert is_on_curve((FQ(0), FQ(y), FQ(1)), b)
        assert is_inf(multiply((FQ(0), FQ(y), FQ(1)), 3))
        lines.append(f"g1.refused outsideSubgroup {oracle.g1_bytes((FQ(0), FQ(y), FQ(1))).hex()}")

    x_ = -0xD201000000010000
    h2 = (x_**8 - 4*x_**7 + 5*x_**6 - 4*x_**4 + 6*x_**3 - 4*x_**2 - 4*x_ + 13) // 9
    stream = Stream("g2.x")
    off = out = 0
    while off < 12 or out < 12:
        x = FQ2([stream.fp(), stream.fp()])
        square = x**3 + b2
        root = fp2_root(square)
        data = (int(x.coeffs[1]) | 1 << 383).to_bytes(48, "big") + be(x.coeffs[0])
        if root is None and off < 12:
            lines.append(f"g2.refused offCurve {data.hex()}")
            off += 1
        elif root is not None and out < 12:
            point = (x, root, FQ2.one())
            assert is_on_curve(point, b2) and not is_inf(multiply(point, R))
            lines.append(f"g2.refused outsideSubgroup {data.hex()}")
            out += 1
            if out == 12:
                part = multiply(point, R)
                few = [part, neg(part), add(part, G2)]
                for order in (13, 23):
                    assert h2 % order**2 == 0
                    small = multiply(part, h2 // order**2)
                    assert not is_inf(small) and is_inf(multiply(small, order))
                    few += [small, add(small, G2)]
                for p in few:
                    lines.append(f"g2.refused outsideSubgroup {oracle.g2_bytes(p).hex()}")
    return lines


def fp2_root(value):
    a, c = (int(x) for x in value.coeffs)
    norm = fp_root((a * a + c * c) % P)
    if norm is None:
        return None
    for n in (norm, -norm):
        real = fp_root((a + n) * pow(2, -1, P) % P)
        if real:
            root = FQ2([real, c * pow(2 * real, -1, P) % P])
            if root * root == value:
                return root
    imaginary = fp_root(-a % P)
    root = FQ2([0, imaginary or 0])
    return root if root * root == value else None


def pairing_lines():
    lines = []
    stream = Stream("pairings")
    for a, c in [(1, 1), (2, 1), (1, 2), (R - 1, 1), (3, 5)] + [
        (stream.scalar(), stream.scalar()) for _ in range(5)
    ]:
        value = oracle.fq12_bytes(oracle.gt(multiply(G1, a), multiply(G2, c)))
        lines.append(f"pairing {a:064x} {c:064x} {value.hex()}")
    for length in (0, 1, 8, 31, 32, 33, 63, 64, 65, 200):
        message = Stream(f"hash {length}").block() * 7
        message = message[:length]
        for domain in (oracle.DOMAIN, b"x", b"d" * 255, b"d" * 256):
            # py_ecc has no long tags; RFC 9380, section 5.3.3 replaces them before use.
            tag = domain
            if len(tag) > 255:
                tag = hashlib.sha256(b"H2C-OVERSIZE-DST-" + tag).digest()
            point = oracle.g1_bytes(hash_to_G1(message, tag, hashlib.sha256))
            lines.append(f"hash {domain.hex()} {message.hex() or '-'} {point.hex()}")
    return lines


# Real beacons of quicknet, as its relays publish them.
QUICKNET_SIGNATURES = {
    2: "b6b6a585449b66eb12e875b64fcbab3799861a00e4dbf092d99e969a5eac57dd3f798acf61e705fe4f093db926626807",
    123: "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    1001: "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
    2000: "b6cb8f482a0b15d45936a4c4ea08e98a087e71787caee3f4d07a8a9843b1bc5423c6b3c22f446488b3137eaca799c77e",
}
SECRET = 0x1D2C3B4A5968778695A4B3C2D1E0F

CHAINS = {
    "oracle-v1": oracle.chain_info(SECRET, 30, 1_700_000_000, "oracle"),
    "oracle-v2": oracle.chain_info(SECRET, 30, 1_700_000_000, "oracle", v2=True),
    "default-v1": oracle.chain_info(SECRET, 1, 0, "default"),
}


def tlock_lines():
    lines = []
    for name, info in CHAINS.items():
        lines.append(f"chain {name} {json.dumps(info, separators=(',', ':'))}")
    rounds = [1, 2, 3, 255, 256, 65536, 10**9, 2**63 - 1, 2**63, 2**64 - 1]
    own = {n: oracle.beacon(SECRET, n)["signature"] for n in rounds}
    for name, signatures in (("quicknet", QUICKNET_SIGNATURES), ("oracle", own)):
        for n, signature in signatures.items():
            lines.append(f"signature {name} {n} {signature}")
    # Ciphertexts for every number of tries that H3 takes up to 5.
    stream, found = Stream("ibe"), {}
    while len(found) < 5:
        sigma, key = stream.block()[:16], stream.block()[:16]
        tries = oracle.h3(sigma, key)[1]
        if tries in found or tries > 5:
            continue
        found[tries] = (sigma, key)
    for tries, (sigma, key) in sorted(found.items()):
        for name, public, n in (
            ("quicknet", oracle.QUICKNET["public_key"], 1000),
            ("oracle", CHAINS["oracle-v1"]["public_key"], 10**9),
        ):
            body = oracle.ibe_seal(key, sigma, n, bytes.fromhex(public))
            signature = (QUICKNET_SIGNATURES if name == "quicknet" else own)[n]
            assert oracle.ibe_open(body, bytes.fromhex(signature)) == key
            lines.append(
                f"ibe {name} {n} {tries} {key.hex()} {sigma.hex()} {body.hex()}")
    return lines


for name, lines in (
    ("points", point_lines), ("pairings", pairing_lines), ("tlock", tlock_lines),
    ("fields", field_lines),
):
    (HERE / f"{name}.txt").write_text("\n".join(lines()) + "\n")
