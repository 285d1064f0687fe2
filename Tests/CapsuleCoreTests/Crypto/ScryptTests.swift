import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct ScryptTests {
  @Test(arguments: [
    // RFC 7914 §12. The last takes a gibibyte and is left out.
    (
      "", "", 4, 1, 1,
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
    ),
    (
      "password", "NaCl", 10, 8, 16,
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    ),
    (
      "pleaseletmein", "SodiumChloride", 14, 8, 1,
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
    ),
  ])
  func `the examples of RFC 7914 have their keys`(
    password: String, salt: String, logN: Int, r: Int, p: Int, key: String
  ) throws {
    guard TestScale.isFull || logN < 10 else { return }
    let derived = try Scrypt.derive(
      password: Array(password.utf8), salt: Array(salt.utf8), logN: logN, r: r, p: p, count: 64)
    expect(Hex.encode(derived), is: key)
  }

  @Test func `keys of all shapes are those of another program`() throws {
    for fields in try VectorFile("crypto-scrypt.txt").cases {
      let numbers = try fields.dropLast().map { try VectorFile.number($0) }
      let derived = try Scrypt.derive(
        password: VectorFile.stream(70_000 + numbers[0], numbers[0] * 7),
        salt: VectorFile.stream(71_000 + numbers[1], 16), logN: numbers[0], r: numbers[1],
        p: numbers[2], count: numbers[3])
      expect(Hex.encode(derived), is: fields[4], "\(numbers)")
    }
  }

  @Test func `more memory than there is throws`() {
    expect(throws: AgeFailure.self) {
      try Scrypt.derive(password: [], salt: [], logN: 31, r: 1 << 20, p: 1, count: 32)
    }
    expect(throws: AgeFailure.self) {
      try Scrypt.derive(password: [], salt: [], logN: 31, r: 1 << 29, p: 1, count: 32)
    }
  }
}
