import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Points of G1 and G2: their arithmetic, and every check of their bytes, against py_ecc.
@Suite struct PointTests {
  @Test(arguments: ["g1", "g2"])
  func `multiples of the generators have the bytes that py_ecc gives them`(group: String) throws {
    let cases = try BLSVectors.cases("\(group).multiple", in: "points")
    for words in cases.prefix(TestScale.count(full: cases.count, debug: 20)) {
      let scalar = try require(Hex.decode(words[0]).flatMap { Scalar(bigEndian: $0) })
      let expected = try require(Hex.decode(words[1]))
      if group == "g1" {
        let point = G1.generator.multiplied(by: scalar)
        expect(point.encoded, is: expected)
        expect(G1.Affine(encoded: expected), is: point.affine)
      } else {
        let point = G2.generator.multiplied(by: scalar)
        expect(point.encoded, is: expected)
        expect(G2.Affine(encoded: expected), is: point.affine)
      }
    }
  }

  @Test(arguments: ["g1", "g2"])
  func `bytes that are not a point of the group are refused`(
    group: String
  ) throws {
    for words in try BLSVectors.cases("\(group).refused", in: "points") {
      let bytes = try require(Hex.decode(words[1]))
      let isRefused =
        group == "g1" ? G1.Affine(encoded: bytes) == nil : G2.Affine(encoded: bytes) == nil
      expect(isRefused, "\(words[0]): \(words[1])")
    }
  }

  @Test func `no bytes at all are no point`() {
    expect(G1.Affine(encoded: []) == nil)
    expect(G2.Affine(encoded: []) == nil)
  }

  @Test func `addition holds for equal, opposite and neutral points`() {
    let p = G1.generator
    expect(p + p, is: p.doubled())
    expect(p + -p, is: .identity)
    expect(p + .identity, is: p)
    expect(G1.identity + .identity, is: .identity)
    expect(G1.identity.doubled(), is: .identity)
    expect(p.doubled() + p, is: p + p + p)
    expect(G1.identity != p && p != -p)
    let q = G2.generator
    expect(q + q, is: q.doubled())
    expect(q + -q, is: .identity)
    expect(q + .identity, is: q)
    expect(G2.identity + .identity, is: .identity)
    expect(G2.identity.doubled(), is: .identity)
    expect(q.doubled() + q, is: q + q + q)
    expect(G2.identity != q && q != -q)
  }

  @Test func `zero times a point is the identity, and r − 1 times it its negative`() throws {
    let last = try require(
      Hex.decode("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000")
        .flatMap { Scalar(bigEndian: $0) })
    expect(G1.generator.multiplied(by: Scalar(0)).isIdentity)
    expect(G1.generator.multiplied(by: last), is: -G1.generator)
    expect(G2.generator.multiplied(by: Scalar(0)).isIdentity)
    expect(G2.generator.multiplied(by: last), is: -G2.generator)
    expect(G1.identity.multiplied(by: last).isIdentity)
    expect(G1.identity.affine == nil && G2.identity.affine == nil)
  }

  @Test func `the identity is written as infinity, and refused when read`() {
    expect(G1.identity.encoded, is: [0xc0] + [UInt8](repeating: 0, count: 47))
    expect(G2.identity.encoded, is: [0xc0] + [UInt8](repeating: 0, count: 95))
    expect(G1.Affine(encoded: G1.identity.encoded) == nil)
    expect(G2.Affine(encoded: G2.identity.encoded) == nil)
  }

  @Test func `the pinned coordinates of the generator are those of its bytes`() throws {
    expect(G2.Affine(encoded: G2.generator.encoded), is: G2.generator.affine)
    expect(G2.Affine.generator, is: G2.generator.affine)
  }
}
