import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct HashToG1Tests {
  @Test func `messages of all lengths hash to the points that py_ecc finds`() throws {
    for words in try BLSVectors.cases("hash", in: "pairings") {
      let domain = try require(Hex.decode(words[0]))
      let message = try require(words[1] == "-" ? [] : Hex.decode(words[1]))
      let point = HashToG1.point(of: message, domain: domain)
      expect(Hex.encode(point.encoded), is: words[2])
      expect(point.isInSubgroup)
    }
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `the suite's vectors of RFC 9380 hold, step by step`() throws {
    let file = try SharedVectors.json("rfc9380_bls12381g1_ro.json")
    let domain = Array(try require(file["dst"]?.string).utf8)
    for vector in try require(file["vectors"]?.array) {
      let message = Array(try require(vector["msg"]?.string).utf8)
      let (u0, u1) = HashToG1.field(message, domain: domain)
      expect([hex(u0), hex(u1)].map { .string($0) }, is: vector["u"]?.array)
      for (name, point) in [
        ("Q0", HashToG1.curvePoint(u0)), ("Q1", HashToG1.curvePoint(u1)),
        ("P", HashToG1.point(of: message, domain: domain)),
      ] {
        let affine = try require(point.affine)
        expect(hex(affine.x), is: vector[name]?["x"]?.string, "\(name)")
        expect(hex(affine.y), is: vector[name]?["y"]?.string, "\(name)")
      }
    }
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `expand_message_xmd of RFC 9380 holds`() throws {
    let file = try SharedVectors.json("rfc9380_expand_message_xmd_sha256.json")
    let domain = Array(try require(file["DST"]?.string).utf8)
    for vector in try require(file["tests"]?.array) {
      let message = Array(try require(vector["msg"]?.string).utf8)
      let digits = try require(vector["len_in_bytes"]?.string).dropFirst(2)
      let count = try require(Int(digits, radix: 16))
      let bytes = HashToG1.expand(message, domain: domain, count: count)
      expect(Hex.encode(bytes), is: vector["uniform_bytes"]?.string)
    }
  }

  @Test func `elements at which the map has an exception still land on the curve`() {
    // u = 0 and u² = −1/Z make a denominator vanish (RFC 9380, section 6.6.2).
    let z = (0..<11).reduce(Fp.zero) { sum, _ in sum + .one }
    for u in [Fp.zero, (-z.inverse()).squareRoot()].compactMap({ $0 }) {
      let point = HashToG1.curvePoint(u)
      expect(!point.isIdentity)
      expect((point + point).affine != nil)
    }
  }

  private func hex(_ element: Fp) -> String {
    "0x" + Hex.encode(element.bigEndian)
  }
}
