import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// The base field and its tower against Python integers: 10,000 cases an operation, edge values among
/// them (a share in debug builds).
@Suite struct FieldTests {
  typealias FpOperation = @Sendable (Fp, Fp) -> [UInt8]

  static let fp: [String: FpOperation] = [
    "add": { ($0 + $1).bigEndian },
    "subtract": { ($0 - $1).bigEndian },
    "multiply": { ($0 * $1).bigEndian },
    "negate": { a, _ in (-a).bigEndian },
    "square": { a, _ in a.squared().bigEndian },
    "inverse": { a, _ in a.inverse().bigEndian },
    "root": { a, _ in a.squareRoot()?.bigEndian ?? Array("none".utf8) },
    "signs": { a, _ in [a.isOdd ? 1 : 0, a.isLarger ? 1 : 0] },
  ]

  @Test(arguments: fp.keys.sorted())
  func `the base field computes what integers modulo p do`(operation: String) throws {
    let function = try require(Self.fp[operation])
    try expectSeries("fp.\(operation)") { stream in
      let a = stream.fp()
      return function(a, stream.fp())
    }
  }

  @Test(arguments: fp.keys.sorted())
  func `every pair of edge values gives what integers modulo p do`(operation: String) throws {
    let function = try require(Self.fp[operation])
    let edges = try BLSVectors.edges()
    var hash = SHA256()
    for a in edges {
      for b in edges { hash.update(function(a, b)) }
    }
    let expected = try BLSVectors.cases("fp.\(operation)", in: "fields").first { $0[0] == "edges" }
    expect(Hex.encode(hash.finalize()), is: expected?[1])
  }

  @Test func `a number of 512 bits is reduced as integers are`() throws {
    try expectSeries("fp.reduce") { stream in
      let high = stream.block()
      return Fp(reducing: (high + stream.block())[...]).bigEndian
    }
  }

  @Test func `an element of Fp2 has a root exactly when its norm has one, and it is a root`() throws
  {
    try expectSeries("fp2.root") { stream in
      let a = stream.fp2()
      let root = a.squareRoot()
      if let root { expect(root.squared(), is: a) }
      return [root == nil ? 0 : 1]
    }
  }

  @Test(arguments: ["add", "subtract", "multiply", "square", "inverse", "xi"])
  func `Fp2 computes what polynomials modulo u² + 1 do`(operation: String) throws {
    try expectSeries("fp2.\(operation)") { stream in
      let a = stream.fp2()
      let b = stream.fp2()
      let result =
        switch operation {
        case "add": a + b
        case "subtract": a - b
        case "multiply": a * b
        case "square": a.squared()
        case "inverse": a.inverse()
        default: a.multipliedByXi()
        }
      return bytes(result)
    }
  }

  @Test(arguments: ["add", "subtract", "multiply", "square", "inverse", "v"])
  func `Fp6 computes what polynomials modulo v³ − u − 1 do`(operation: String) throws {
    try expectSeries("fp6.\(operation)") { stream in
      let a = stream.fp6()
      let b = stream.fp6()
      let result =
        switch operation {
        case "add": a + b
        case "subtract": a - b
        case "multiply": a * b
        case "square": a.squared()
        case "inverse": a.inverse()
        default: a.multipliedByV()
        }
      return bytes(result)
    }
  }

  @Test(arguments: ["multiply", "square", "inverse", "frobenius", "conjugate"])
  func `Fp12 computes what polynomials modulo w² − v do`(operation: String) throws {
    try expectSeries("fp12.\(operation)") { stream in
      let a = stream.fp12()
      let b = stream.fp12()
      let result =
        switch operation {
        case "multiply": a * b
        case "square": a.squared()
        case "inverse": a.inverse()
        case "frobenius": a.frobenius()
        default: a.conjugate
        }
      return bytes(result.c0) + bytes(result.c1)
    }
  }

  @Test(arguments: 0..<6)
  func `elements that differ in one of their limbs alone are not equal`(limb: Int) {
    var limbs = [UInt64](repeating: 0, count: 6)
    limbs[limb] = 1
    let a = Fp(
      l0: limbs[0], l1: limbs[1], l2: limbs[2], l3: limbs[3], l4: limbs[4], l5: limbs[5])
    expect(a != .zero && !a.isZero)
    for b in [Fp2(c0: a, c1: .zero), Fp2(c0: .zero, c1: a)] {
      expect(b != .zero && !b.isZero)
      for c in [
        Fp6(c0: b, c1: .zero, c2: .zero), Fp6(c0: .zero, c1: b, c2: .zero),
        Fp6(c0: .zero, c1: .zero, c2: b),
      ] {
        expect(c != .zero)
        expect(Fp12(c0: c, c1: .zero) != Fp12(c0: .zero, c1: .zero))
        expect(Fp12(c0: .zero, c1: c) != Fp12(c0: .zero, c1: .zero))
      }
    }
  }

  @Test func `48 bytes are an element only below p`() throws {
    let minusOne = (-Fp.one).bigEndian
    expect(Fp(bigEndian: minusOne[...]), is: -Fp.one)
    var p = minusOne
    p[47] += 1
    for refused in [
      p, minusOne + [0], Array(minusOne.dropFirst()), [], [UInt8](repeating: 255, count: 48),
    ] {
      expect(Fp(bigEndian: refused[...]) == nil)
    }
  }

  @Test func `32 bytes are a scalar only below r`() throws {
    let r = try require(
      Hex.decode("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"))
    expect(Scalar(bigEndian: r) == nil)
    expect(Scalar(bigEndian: Array(r.dropLast() + [0])) != nil)
    expect(Scalar(bigEndian: Array(r.dropLast() + [2])) == nil)
    expect(Scalar(bigEndian: [0x74] + [UInt8](repeating: 0, count: 31)) == nil)
    expect(Scalar(bigEndian: [UInt8](repeating: 0, count: 31)) == nil)
    expect(Scalar(bigEndian: [UInt8](repeating: 0, count: 32)) != nil)
  }

  private func bytes(_ a: Fp2) -> [UInt8] {
    a.c0.bigEndian + a.c1.bigEndian
  }

  private func bytes(_ a: Fp6) -> [UInt8] {
    bytes(a.c0) + bytes(a.c1) + bytes(a.c2)
  }

  /// Holds the digest over a series of results against the one the script wrote.
  private func expectSeries(
    _ name: String, _ one: (inout OperandStream) -> [UInt8],
    file: String = #fileID, line: Int = #line
  ) throws {
    let count = TestScale.count(full: 10_000, debug: 100)
    var stream = OperandStream(name, edges: try BLSVectors.edges())
    var hash = SHA256()
    for _ in 0..<count { hash.update(one(&stream)) }
    let expected = try BLSVectors.cases(name, in: "fields").first { $0[0] == String(count) }
    expect(
      Hex.encode(hash.finalize()), is: expected?[1], sourceLocation: SourceLocation(file, line))
  }
}
