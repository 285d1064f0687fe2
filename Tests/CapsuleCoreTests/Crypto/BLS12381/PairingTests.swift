import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct PairingTests {
  @Test func `pairings have the bytes of the cube that py_ecc's pairing gives`() throws {
    for words in try BLSVectors.cases("pairing", in: "pairings") {
      let a = try require(Hex.decode(words[0]).flatMap { Scalar(bigEndian: $0) })
      let b = try require(Hex.decode(words[1]).flatMap { Scalar(bigEndian: $0) })
      let p = try require(G1.generator.multiplied(by: a).affine)
      let q = try require(G2.generator.multiplied(by: b).affine)
      expect(Hex.encode(GT.pairing(p, q).bytes), is: words[2])
    }
  }

  @Test func `the normalisation is the one that tlock hashes`() throws {
    let gt = try generator()
    let hash = SHA256.hash(Array("IBE-H2".utf8) + gt.bytes)
    expect(Hex.encode(hash.prefix(16)), is: "cb87319f24560b5231579a09ad79f12e")
  }

  @Test(arguments: 0..<TestScale.count(full: 50, debug: 2))
  func `e(aP, bQ) = e(P, Q)^ab, and e(P + P′, Q) = e(P, Q)·e(P′, Q)`(index: Int) throws {
    var stream = OperandStream("bilinear \(index)")
    let a = stream.scalar()
    let b = stream.scalar()
    let p = try require(G1.generator.multiplied(by: stream.scalar()).affine)
    let q = try require(G2.generator.multiplied(by: stream.scalar()).affine)
    let ap = try require(G1(p).multiplied(by: a).affine)
    let bq = try require(G2(q).multiplied(by: b).affine)
    let value = GT.pairing(p, q)
    expect(GT.pairing(ap, bq), is: value.power(a).power(b))
    let sum = try require((G1(p) + G1(ap)).affine)
    expect(GT.pairing(sum, q), is: value * GT.pairing(ap, q))
    let other = try require((G2(q) + G2(bq)).affine)
    expect(GT.pairing(p, other), is: value * GT.pairing(p, bq))
    expect(GT.pairing(-p, q), is: GT.pairing(p, -q))
    expect(GT.pairingsAreEqual(ap, bq, try require(G1(ap).multiplied(by: b).affine), q))
    expect(!GT.pairingsAreEqual(ap, bq, ap, q))
  }

  @Test func `powers of small and of the largest exponents are repeated products`() throws {
    let gt = try generator()
    var product = gt
    for exponent in UInt64(2)..<20 {
      product = product * gt
      expect(gt.power(Scalar(exponent)), is: product)
    }
    let last = try require(
      Hex.decode("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000")
        .flatMap { Scalar(bigEndian: $0) })
    expect(gt.power(last) * gt, is: gt.power(Scalar(0)))
    expect(gt.power(Scalar(0)).bytes, is: [UInt8](repeating: 0, count: 575) + [1])
    expect(gt != gt.power(Scalar(0)))
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `published pairing bytes are reproduced`() throws {
    let entries = try require(try SharedVectors.json("gt_pairing.json")["entries"]?.array)
    for entry in entries {
      let n = try require(entry["n"]?.integer)
      let scalar = Scalar(UInt64(n))
      let p = try require(G1.generator.multiplied(by: scalar).affine)
      let q = try require(G2.generator.multiplied(by: scalar).affine)
      expect(Hex.encode(GT.pairing(p, q).bytes), is: entry["gt"]?.string)
    }
  }

  private func generator() throws -> GT {
    GT.pairing(try require(G1.generator.affine), G2.Affine.generator)
  }
}
