#!/usr/bin/env python3
"""Writes the constants of BLS12-381 as Swift: Sources/CapsuleCore/Age/Crypto/BLS12381/*Constants.swift,
and the key of drand's quicknet: Sources/CapsuleCore/Age/Timelock/TlockQuicknetKey.swift.

Everything but the 11-isogeny is computed here from the curve's definition, with Python integers
only. The isogeny's coefficients (RFC 9380, appendix E.2) are the text file beside this script.

usage: Scripts/bls12381_constants.py            writes the files
       Scripts/bls12381_constants.py --check    fails when a file differs from what would be written
"""

import math
import pathlib
import subprocess
import sys

X = -0xD201000000010000
R_ORDER = X**4 - X**2 + 1
P = (X - 1) ** 2 // 3 * R_ORDER + X
assert P == 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
assert R_ORDER == 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001

# The subgroup tests (Scott 2021/1130) need these: no other factor can hide a wrong point.
H1 = (X - 1) ** 2 // 3
H2 = (X**8 - 4 * X**7 + 5 * X**6 - 4 * X**4 + 6 * X**3 - 4 * X**2 - 4 * X + 13) // 9
assert math.gcd(H1, H2) == 1
assert H1 % 2 == 1 and H2 % 2 == 1, "the complete addition formulas need odd orders"

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources/CapsuleCore"
CURVE = SOURCES / "Age/Crypto/BLS12381"
ISOGENY = pathlib.Path(__file__).resolve().parent / "bls12381_g1_isogeny.txt"

G1 = (
    0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
    0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
)
G2 = (
    (
        0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
        0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
    ),
    (
        0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
        0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
    ),
)


def fp2_mul(a, b):
    return ((a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P)


def fp2_pow(a, e):
    out = (1, 0)
    while e:
        if e & 1:
            out = fp2_mul(out, a)
        a = fp2_mul(a, a)
        e >>= 1
    return out


def fp2_inv(a):
    n = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return (a[0] * n % P, -a[1] * n % P)


def words(value, count=6):
    return ", ".join(
        f"l{i}: 0x{(value >> (64 * i)) & (2**64 - 1):016x}" for i in range(count)
    )


def fp(value):
    """A field element, in Montgomery form."""
    value %= P
    return f"Fp({words(value * 2**384 % P)})"


def fp2(value):
    return f"Fp2(c0: {fp(value[0])}, c1: {fp(value[1])})"


def declare(name, text, doc):
    access = "package " if name in ("zero", "one", "generatorX", "generatorY") else ""
    return f"  /// {doc}\n  {access}static let {name} = {text}\n"


def exponent(name, value, doc):
    limbs = ", ".join(f"0x{(value >> (64 * i)) & (2**64 - 1):016x}" for i in range(6))
    return f"  /// {doc}\n  static let {name}: [UInt64] = [{limbs}]\n"


def constants():
    xi = (1, 1)
    assert pow(11, (P - 1) // 2, P) == P - 1
    beta = next(
        b for b in (pow(n, (P - 1) // 3, P) for n in range(2, 20)) if b != 1
    )
    # The cube root of unity for which (beta x, y) is multiplication by -x^2 on the subgroup.
    beta = next(b for b in (beta, beta * beta % P) if endomorphism_is_minus_x2(b))
    out = ["// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.\n"]
    out.append("extension Fp {")
    out.append(declare("zero", fp(0), "0."))
    out.append(declare("one", fp(1), "1."))
    out.append(declare("half", fp(pow(2, -1, P)), "1/2."))
    out.append(declare("toThe256", fp(2**256), "2²⁵⁶, which joins the halves of a 512-bit number."))
    out.append(declare("montgomeryRadix", fp(2**384), "R = 2³⁸⁴: multiplying plain limbs by it brings them into Montgomery form."))
    out.append(exponent("inverseExponent", P - 2, "p − 2."))
    out.append(exponent("rootExponent", (P - 3) // 4, "(p − 3)/4."))
    for axis, value in zip("XY", G1):
        out.append(declare(f"generator{axis}", fp(value),
                           f"{axis.lower()} of the generator that every user of the curve shares."))
    out.append(declare("beta", fp(beta),
                       "The cube root of 1 for which (βx, y) is [−x²](x, y) on the subgroup."))
    out.append("}\n")

    out.append("extension Fp2 {")
    out.append("  /// ξ^(k(p − 1)/6) for ξ = u + 1: what the Frobenius map does to w^k.")
    for k in range(1, 6):
        out.append(f"  static let frobenius{k} = {fp2(fp2_pow(xi, k * (P - 1) // 6))}")
    out.append("")
    for axis, value in zip("XY", G2):
        out.append(declare(f"generator{axis}", fp2(value),
                           f"{axis.lower()} of the generator that every user of the curve shares."))
    out.append(declare("psiX", fp2(fp2_inv(fp2_pow(xi, (P - 1) // 3))),
                       "ξ^(−(p − 1)/3): the factor of x in ψ."))
    out.append(declare("psiY", fp2(fp2_inv(fp2_pow(xi, (P - 1) // 2))),
                       "ξ^(−(p − 1)/2): the factor of y in ψ."))
    out.append("}\n")
    return "\n".join(out)


def quicknet():
    """The key of drand's quicknet, decoded from the bytes its relays publish."""
    encoded = bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    )
    high = int.from_bytes(bytes([encoded[0] & 0x1F]) + encoded[1:48], "big")
    x = (int.from_bytes(encoded[48:], "big"), high)
    cube = fp2_mul(fp2_mul(x, x), x)
    square = ((cube[0] + 4) % P, (cube[1] + 4) % P)
    norm = pow(square[0] ** 2 + square[1] ** 2, (P + 1) // 4, P)
    for n in (norm, -norm):
        real = pow((square[0] + n) * pow(2, -1, P), (P + 1) // 4, P)
        y = (real, square[1] * pow(2 * real, -1, P) % P)
        if fp2_mul(y, y) == square:
            break
    assert fp2_mul(y, y) == square and y[1] != 0
    if (y[1] > (P - 1) // 2) != bool(encoded[0] & 0x20):
        y = (-y[0] % P, -y[1] % P)
    return f"""// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.

extension TlockChain {{
  /// The public key of quicknet.
  static let quicknetKey = G2.Affine(x: {fp2(x)}, y: {fp2(y)})
}}
"""


def endomorphism_is_minus_x2(beta):
    def add(a, b):
        if a is None or b is None:
            return a or b
        if a[0] == b[0]:
            if (a[1] + b[1]) % P == 0:
                return None
            m = 3 * a[0] * a[0] * pow(2 * a[1], -1, P)
        else:
            m = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
        x = (m * m - a[0] - b[0]) % P
        return (x, (m * (a[0] - x) - a[1]) % P)

    total, base, scalar = None, G1, -X * X % R_ORDER
    while scalar:
        if scalar & 1:
            total = add(total, base)
        base = add(base, base)
        scalar >>= 1
    return total == (beta * G1[0] % P, G1[1])


def isogeny():
    lists = {}
    for line in ISOGENY.read_text().splitlines():
        if line and not line.startswith("#"):
            name, value = line.split()
            lists.setdefault(name, []).append(int(value, 16))
    a, b = lists["A"][0], lists["B"][0]
    z = 11
    out = ["// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.\n"]
    out.append("/// The curve E′: y² = x³ + A′x + B′ of RFC 9380 (section 8.8.1) and the 11-isogeny from it to E")
    out.append("/// (appendix E.2), whose polynomials begin with the lowest degree.")
    out.append("enum G1Isogeny {")
    out.append(declare("a", fp(a), "A′."))
    out.append(declare("b", fp(b), "B′."))
    out.append(declare("z", fp(z), "Z = 11."))
    root = pow(-z % P, (P + 1) // 4, P)
    assert root * root % P == -z % P
    out.append(declare("rootOfMinusZ", fp(root), "√(−Z), the constant c2 of RFC 9380, appendix F.2.1.2."))
    for name, swift, monic in (
        ("x_num", "xNumerator", False), ("x_den", "xDenominator", True),
        ("y_num", "yNumerator", False), ("y_den", "yDenominator", True),
    ):
        values = lists[name] + ([1] if monic else [])
        out.append(f"  static let {swift}: [Fp] = [")
        out += [f"    {fp(v)}," for v in values]
        out.append("  ]\n")
    out.append("}\n")
    return "\n".join(out)


def main():
    check = "--check" in sys.argv[1:]
    for path, text in (
        (CURVE / "CurveConstants.swift", constants()),
        (CURVE / "G1IsogenyConstants.swift", isogeny()),
        (SOURCES / "Age/Timelock/TlockQuicknetKey.swift", quicknet()),
    ):
        text = subprocess.run(
            ["swift", "format", "format", "--configuration", str(ROOT / ".swift-format")],
            input=text, capture_output=True, text=True, check=True,
        ).stdout
        text = text.replace("\n\n}", "\n}")
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.name} is not what this script writes")


main()
