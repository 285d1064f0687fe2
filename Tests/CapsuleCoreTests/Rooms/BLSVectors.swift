package import CapsuleAge
import TestSupport
import Testing

/// The files of `Vectors/bls`: a case a line, words between single spaces, the first its name.
package enum BLSVectors {
  /// The words behind the name of every line of that name.
  package static func cases(_ name: String, in file: String) throws -> [[String]] {
    let cases = try VectorFile("bls/\(file).txt").cases
      .filter { $0.first == name }
      .map { Array($0.dropFirst()) }
    try require(!cases.isEmpty, "no \(name) in \(file).txt")
    return cases
  }

  /// The numbers whose arithmetic goes wrong first, as in `generate.py`.
  package static func edges() throws -> [Fp] {
    let p = try require(
      Hex.decode(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab"
      ))
    func power(_ exponent: Int) -> Fp { (0..<exponent).reduce(.one) { sum, _ in sum.doubled() } }
    expect(Fp(bigEndian: p[...]) == nil)
    let two = Fp.one.doubled()
    let half = try require(Fp(bigEndian: shiftedRight(p)[...]))
    return [
      .zero, .one, two, two + .one, -.one, -two, half, half + .one, power(64), power(64) - .one,
      power(320), power(380), power(384), -power(64), power(256), power(256) - .one,
    ]
  }

  private static func shiftedRight(_ bytes: [UInt8]) -> [UInt8] {
    zip([0] + bytes.dropLast(), bytes).map { $0 << 7 | $1 >> 1 }
  }
}

/// Operands that the scripts draw as well: blocks of SHA-256(label ‖ counter, 8 bytes big endian).
package struct OperandStream {
  private let label: [UInt8]
  private var counter: UInt64 = 0
  private let edges: [Fp]

  package init(_ label: String, edges: [Fp] = []) {
    self.label = Array(label.utf8)
    self.edges = edges
  }

  package mutating func block() -> [UInt8] {
    defer { counter += 1 }
    let suffix = stride(from: 56, through: 0, by: -8)
      .map { UInt8(truncatingIfNeeded: counter >> $0) }
    return SHA256.hash(label + suffix)
  }

  /// One in eight is an edge value; the rest are 512 bits modulo p.
  package mutating func fp() -> Fp {
    let bytes = block() + block()
    if bytes[0] < 32 { return edges[Int(bytes[1]) % edges.count] }
    return Fp(reducing: bytes[...])
  }

  package mutating func fp2() -> Fp2 {
    let c0 = fp()
    return Fp2(c0: c0, c1: fp())
  }

  package mutating func fp6() -> Fp6 {
    let c0 = fp2()
    let c1 = fp2()
    return Fp6(c0: c0, c1: c1, c2: fp2())
  }

  package mutating func fp12() -> Fp12 {
    let c0 = fp6()
    return Fp12(c0: c0, c1: fp6())
  }

  /// A scalar other than zero.
  package mutating func scalar() -> Scalar {
    while true {
      var bytes = block()
      bytes[0] &= 0x7f
      if let scalar = Scalar(bigEndian: bytes) { return scalar }
    }
  }
}
